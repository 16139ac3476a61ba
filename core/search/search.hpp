// One decision: any number of root-parallel trees on any number of threads, within a budget of simulations or of time.
// The result depends on the seeds (one per tree), never on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "search/decision.hpp"
#include "support/in_use.hpp"
#include "support/pause.hpp"
#include "search/bamcp.hpp"
#include "support/archive.hpp"

namespace bamdp {

struct Budget {
    std::int64_t simulations;    // all trees together
    Clock::time_point deadline;  // time_point::max(): none
};

// Which of all the trees of a decision are searched: those from the `first` on, of `all`; the others are elsewhere.
struct Part {
    std::size_t first, all;
};

// A search with its model's type hidden.
class Search : public InUse {
 public:
    explicit Search(Decision decision) : decision_(decision) {}
    virtual ~Search() = default;

    // What each tree finds out. `pause` is called in the calling thread; if it throws, the search ends cleanly and the exception goes on.
    virtual std::vector<RootStatistics> search(std::int64_t state, Budget budget, Part part, std::size_t threads, Pause pause) = 0;

    // The decision, from all trees that were searched for it.
    RootStatistics decide(const std::vector<RootStatistics>& found) { return decision_.of(found); }

    // One real step; the belief was told already.
    virtual void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) = 0;

    // What comes after the tree is worth what `q_values` says of its state, instead of a roll-out.
    virtual void teach(const std::function<std::vector<double>(std::int64_t)>& q_values, std::int64_t num_states, double slack) = 0;

    virtual std::vector<std::shared_ptr<const Tree>> trees() const = 0;
    virtual std::vector<double> rollout_values(std::int64_t state) const = 0;

    // What was learned; the belief has its own.
    virtual void archive(Writer& a) = 0;
    virtual void archive(Reader& a) = 0;

 protected:
    Decision decision_;
};

template <class Belief, Model M>
class Trees : public Search {
 public:
    // The last of `seeds` is for the final choice, the others make one tree each. `more` is what else the model wants.
    template <class... More>
    Trees(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> rewards, const Settings& settings, FinalMove final_move,
          double epsilon, double learning_rate, const std::vector<std::array<std::uint64_t, 4>>& seeds, const More&... more)
        : Search(Decision(final_move, Random(seeds.back()))), belief_(std::move(belief)),
          rollouts_(std::make_shared<Rollouts>(belief_->num_actions, settings.discount, epsilon, learning_rate)) {
        const Consulting use(*belief_);
        reads(*belief_);
        (read_more(more), ...);
        for (std::size_t i = 0; i + 1 < seeds.size(); ++i)
            trees_.push_back(std::make_unique<Bamcp<M>>(M(belief_, rewards, more...), settings, rollouts_, Random(seeds[i])));
    }

    std::vector<RootStatistics> search(std::int64_t state, Budget budget, Part part, std::size_t threads, Pause pause) override {
        const auto started = Clock::now();
        threads = std::min(threads, trees_.size());
        std::vector<std::int64_t> done(trees_.size(), 0);
        std::atomic<std::size_t> next{0}, busy{0};
        std::atomic<bool> stop{false};
        std::mutex failure_lock;
        std::exception_ptr failure;
        const auto guarded = [&](auto&& body) {
            try {
                body();
            } catch (...) {
                const std::lock_guard lock(failure_lock);
                if (!failure) failure = std::current_exception();
                stop = true;
            }
        };
        const auto work = [&](Pause* own_pause) {
            for (std::size_t i; (i = next++) < trees_.size();)
                run(*trees_[i], state, share(part.first + i, part.all, budget.simulations), deadline(i, threads, started, budget.deadline), stop, own_pause, done[i]);
        };
        std::vector<std::thread> helpers;
        for (std::size_t i = 1; i < threads; ++i) {
            ++busy;
            helpers.emplace_back([&] {
                guarded([&] { work(nullptr); });
                --busy;
            });
        }
        guarded([&] { work(&pause); });
        guarded([&] {
            for (; busy > 0 && !stop; pause()) std::this_thread::sleep_for(std::chrono::microseconds(50));
        });
        for (std::thread& helper : helpers) helper.join();
        if (failure) std::rethrow_exception(failure);

        std::vector<RootStatistics> found;
        for (std::size_t i = 0; i < trees_.size(); ++i) found.push_back(root_of(*trees_[i], done[i]));
        return found;
    }

    void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) override {
        rollouts_->observe(belief_->known().find(state), a, reward, belief_->known().find(next_state));
        for (auto& tree : trees_) tree->observe(state, a, reward, next_state);
    }

    void teach(const std::function<std::vector<double>(std::int64_t)>& q_values, std::int64_t num_states, double slack) override {
        std::vector<double> values(static_cast<std::size_t>(num_states));
        for (std::int64_t s = 0; s < num_states; ++s) {
            const std::vector<double> q = q_values(s);
            values[static_cast<std::size_t>(s)] = *std::max_element(q.begin(), q.end());
            const Handle h = belief_->known().find(s);
            if (h != NONE) rollouts_->teach(h, q, slack);
        }
        rollouts_->teach(std::move(values));
    }

    std::vector<std::shared_ptr<const Tree>> trees() const override {
        std::vector<std::shared_ptr<const Tree>> result;
        for (const auto& tree : trees_) result.push_back(tree->tree());
        return result;
    }

    std::vector<double> rollout_values(std::int64_t state) const override {
        const Handle h = belief_->known().find(state);
        if (h == NONE) return std::vector<double>(static_cast<std::size_t>(belief_->num_actions), 0.0);
        const auto values = rollouts_->values(h);
        return {values.begin(), values.end()};
    }

    void archive(Writer& a) override { archive_all(a); }
    void archive(Reader& a) override { archive_all(a); }

 private:
    template <class More>
    void read_more(const More& more) {
        if constexpr (std::is_convertible_v<More, std::shared_ptr<const InUse>>) reads(*more);
    }

    template <class Archive>
    void archive_all(Archive& a) {
        auto count = static_cast<std::uint64_t>(trees_.size());
        a(count);
        a.check(count == trees_.size(), "it is of another number of trees");
        decision_.archive(a);
        rollouts_->archive(a);
        for (auto& tree : trees_) tree->archive(a);
    }

    static std::int64_t share(std::size_t tree, std::size_t trees, std::int64_t simulations) {
        const auto i = static_cast<std::int64_t>(tree), T = static_cast<std::int64_t>(trees);
        return simulations / T + (i < simulations % T ? 1 : 0);
    }

    // Where there are more trees than threads, each gets its share of the time.
    Clock::time_point deadline(std::size_t tree, std::size_t threads, Clock::time_point started, Clock::time_point end) const {
        if (end == Clock::time_point::max()) return end;
        const std::size_t rounds = (trees_.size() + threads - 1) / threads;
        return started + (end - started) * static_cast<std::int64_t>(tree / threads + 1) / static_cast<std::int64_t>(rounds);
    }

    // Chunks of simulations of about a millisecond, so that the clock is looked at often enough and costs nothing.
    void run(Bamcp<M>& tree, std::int64_t state, std::int64_t share, Clock::time_point deadline, const std::atomic<bool>& stop,
             Pause* pause, std::int64_t& done) {
        const std::int64_t roomy = deadline == Clock::time_point::max() ? 1 << 20 : 1 << 16;  // beyond, the tree grows as it goes
        tree.root(state, static_cast<std::size_t>(std::min(share, roomy)));
        share = std::min(share, tree.countable());
        for (std::int64_t chunk = 1; done < share && !stop;) {
            const auto started = Clock::now();
            if (done > 0 && started >= deadline) break;
            chunk = std::min(chunk, share - done);
            tree.search(chunk);
            done += chunk;
            const auto now = Clock::now();
            if (now - started < std::chrono::microseconds(500)) chunk *= 2;
            if (now - started > std::chrono::milliseconds(2)) chunk = std::max<std::int64_t>(1, chunk / 2);
            if (pause != nullptr) (*pause)();
        }
    }

    static RootStatistics root_of(const Bamcp<M>& tree, std::int64_t simulations) {
        RootStatistics root;
        root.simulations = simulations;
        root.depth = tree.depth_reached();
        const auto known = tree.tree();
        root.full = known->full();
        const Edge* edges = known->edges(ROOT);
        for (std::int32_t a = 0; a < known->num_actions(); ++a) {
            root.values.push_back(edges[a].value);
            root.visits.push_back(edges[a].visits);
        }
        return root;
    }

    std::shared_ptr<const Belief> belief_;
    std::shared_ptr<Rollouts> rollouts_;
    std::vector<std::unique_ptr<Bamcp<M>>> trees_;
};

}  // namespace bamdp

// One decision: any number of root-parallel trees on any number of threads, within a budget of simulations or of time.
// The result depends on the seeds (one per tree), never on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/bamcp.hpp"
#include "search/decision.hpp"
#include "search/leaves/adaptive.hpp"
#include "search/leaves/epsilon_greedy.hpp"
#include "search/leaves/mixture.hpp"
#include "search/leaves/value_table.hpp"
#include "search/settings.hpp"
#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/pause.hpp"

namespace bamdp {

struct Budget {
    std::int64_t simulations;    // all trees together
    Clock::time_point deadline;  // time_point::max(): none
};

// Which of all the trees of a decision are searched: those from the `first` on, of `all`; the others are in other processes.
struct Part {
    std::size_t first, all;
};

class Search : public InUse {
 public:
    // `leaf` is shared by all trees, which are added next.
    template <class Belief, class L>
    Search(const std::shared_ptr<const Belief>& belief, const std::shared_ptr<L>& leaf, const Settings& settings, Random choice)
        : rollouts(settings.rollouts), horizon_(settings.horizon), known_(&belief->known()), policy_(leaf), decision_(settings.final_move, choice) {
        read(belief);
        if constexpr (std::is_same_v<L, ValueTable>) table_ = leaf.get();
        if constexpr (std::is_same_v<L, AdaptiveRows>) rows_ = leaf.get();
        if constexpr (std::is_same_v<L, Mixture>) mixture_ = leaf.get();
    }
    Search(const Search&) = delete;

    // Keep a part of the belief, which is read whenever the search runs.
    template <class Part>
    void read(const std::shared_ptr<const Part>& part) {
        if constexpr (std::is_base_of_v<InUse, Part>) {
            reads(*part);
            parts_.push_back(part);
        }
    }
    void add(std::unique_ptr<TreeSearch> tree) { trees_.push_back(std::move(tree)); }

    // The root statistics of each tree. `pause` is called in the calling thread; if it throws, the search ends cleanly and rethrows.
    // With a `base` and roll-outs that learn, half of the budget grows the tree and half compares its policy with the base's.
    std::vector<RootStatistics> search(std::int64_t state, Budget budget, Part part, std::size_t threads, Pause pause, const Base& base = {}) {
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
                run(*trees_[i], state, base, share(part.first + i, part.all, budget.simulations), deadline(i, threads, started, budget.deadline), stop, own_pause, done[i]);
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

    // The decision, from all trees that were searched for it; with a `base`, another action must be better beyond doubt.
    RootStatistics decide(const std::vector<RootStatistics>& found, const Base& base = {}) { return decision_.of(found, base); }

    // One real step; the belief has been updated already.
    void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) {
        policy_->observe(known_->find(state), a, reward, known_->find(next_state));
        for (auto& tree : trees_) tree->observe(state, a, reward, next_state);
    }

    // Many real steps, given by their columns.
    void observe_many(std::span<const std::int64_t> states, std::span<const std::int64_t> actions, std::span<const double> rewards,
                      std::span<const std::int64_t> next_states) {
        for (std::size_t i = 0; i < states.size(); ++i) observe(states[i], static_cast<std::int32_t>(actions[i]), rewards[i], next_states[i]);
    }

    // Leaf values are max_a q_values(state)[a]; actions within `slack` of the best are equally good.
    void set_leaf_values(const std::function<std::vector<double>(std::int64_t)>& q_values, std::int64_t num_states, double slack) {
        if (table_ == nullptr && rows_ == nullptr)
            throw Unsupported("rollouts=\"" + rollouts + "\" has no leaf values to set, rollouts=\"posterior-mean\" has");
        if (rows_ != nullptr) return set_rows(q_values, num_states, slack);
        std::vector<double> values(static_cast<std::size_t>(num_states));
        for (std::int64_t s = 0; s < num_states; ++s) {
            const std::vector<double> q = q_values(s);
            values[static_cast<std::size_t>(s)] = *std::max_element(q.begin(), q.end());
            const Index h = known_->find(s);
            if (h != NONE) policy_->set_values(h, q, slack);
        }
        table_->set_table(std::move(values));
    }

    // Models for roll-outs by a mixture of them; actions within `slack` of the best are equally good.
    void set_models(Mixture::Models models, double slack) {
        if (mixture_ == nullptr) throw Unsupported("rollouts=\"" + rollouts + "\" has no models to set");
        mixture_->set_models(std::move(models), slack);
    }

    // The same where the run ends: the values of all states at each depth, `layers` [horizon + 1, S].
    void set_leaf_values(const std::function<std::vector<double>(std::int64_t)>& q_values, std::int64_t num_states, double slack, std::vector<double> layers) {
        set_leaf_values(q_values, num_states, slack);
        table_->set_table(std::move(layers), static_cast<std::size_t>(num_states));
    }

    // The steps left of the run, at the next root: no simulation goes beyond.
    void set_steps_left(const StepsLeft& left) {
        const auto steps = static_cast<std::int32_t>(left.steps);
        for (auto& tree : trees_) tree->set_steps_left(std::min(horizon_, steps), left);
        policy_->set_steps_left(steps);
        if (mixture_ != nullptr) mixture_->set_run(left);
    }

    // For the next searches: whether the actions of the root are tried equally often.
    void set_even_root(bool even) {
        for (auto& tree : trees_) tree->set_even_root(even);
    }

    std::vector<std::shared_ptr<const Tree>> trees() const {
        std::vector<std::shared_ptr<const Tree>> result;
        for (const auto& tree : trees_) result.push_back(tree->tree());
        return result;
    }

    std::vector<double> rollout_values(std::int64_t state) const {
        const Index h = known_->find(state);
        if (h == NONE) return std::vector<double>(static_cast<std::size_t>(policy_->num_actions()), 0.0);
        const auto values = policy_->values(h);
        return {values.begin(), values.end()};
    }

    // The learned state, without that of the belief.
    template <class Archive>
    void archive(Archive& a) {
        auto count = static_cast<std::uint64_t>(trees_.size());
        a(count);
        a.check(count == trees_.size(), "it is of another number of trees");
        decision_.archive(a);
        policy_->archive(a);
        for (auto& tree : trees_) tree->archive(a);
    }

    const std::string rollouts;  // name of the leaf evaluator

 private:
    void set_rows(const std::function<std::vector<double>(std::int64_t)>& q_values, std::int64_t num_states, double slack) {
        for (Index h = 0; h < known_->size(); ++h) rows_->set_values(h, q_values(known_->state(h)), slack);
        std::vector<std::vector<double>> unknown(static_cast<std::size_t>(num_states <= LISTED_STATES ? num_states : 0));
        double fallback = 0;
        for (std::int64_t s = 0; s < num_states; ++s) {
            if (known_->find(s) != NONE) continue;
            const std::vector<double> q = q_values(s);
            fallback = *std::max_element(q.begin(), q.end());
            if (unknown.empty()) break;
            unknown[static_cast<std::size_t>(s)] = q;
        }
        rows_->set_root(known_->size(), std::move(unknown), fallback, slack);
    }
    static constexpr std::int64_t LISTED_STATES = 1024;  // of worlds where each unknown state has values of its own

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

    static void run(TreeSearch& tree, std::int64_t state, const Base& base, std::int64_t share, Clock::time_point deadline, const std::atomic<bool>& stop,
                    Pause* pause, std::int64_t& done) {
        const std::int64_t roomy = deadline == Clock::time_point::max() ? 1 << 20 : 1 << 16;  // beyond, the tree grows as it goes
        const auto started = Clock::now();
        tree.root(state, static_cast<std::size_t>(std::min(share, roomy)), base);
        share = std::min(share, tree.countable());
        const bool compares = !base.empty() && tree.compares();
        const auto grow = [&](std::int64_t chunk, std::int64_t) {
            tree.search(chunk);
            return chunk;
        };
        const auto compare = [&](std::int64_t chunk, std::int64_t left) { return tree.compare(chunk, left, base); };
        const bool timed = deadline != Clock::time_point::max();
        in_chunks(grow, compares ? std::max<std::int64_t>(1, share / 2) : share, compares && timed ? started + (deadline - started) / 2 : deadline, stop, pause, done);
        if (compares) in_chunks(compare, share, deadline, stop, pause, done);
    }

    // Chunks of simulations of about a millisecond, so that the clock is read often enough and costs nothing. `work` returns how many
    // it did, 0 if no more fit.
    template <class Work>
    static void in_chunks(const Work& work, std::int64_t share, Clock::time_point deadline, const std::atomic<bool>& stop, Pause* pause, std::int64_t& done) {
        for (std::int64_t chunk = 1; done < share && !stop;) {
            const auto started = Clock::now();
            if (done > 0 && started >= deadline) break;
            chunk = std::min(chunk, share - done);
            const std::int64_t more = work(chunk, share - done);
            if (more == 0) break;
            done += more;
            const auto now = Clock::now();
            if (now - started < std::chrono::microseconds(500)) chunk *= 2;
            if (now - started > std::chrono::milliseconds(2)) chunk = std::max<std::int64_t>(1, chunk / 2);
            if (pause != nullptr) (*pause)();
        }
    }

    static RootStatistics root_of(const TreeSearch& tree, std::int64_t simulations) {
        RootStatistics root;
        root.simulations = simulations;
        root.depth = tree.depth_reached();
        const auto known = tree.tree();
        root.full = known->full();
        root.comparison = tree.comparison();
        const Edge* edges = known->edges(ROOT);
        for (std::int32_t a = 0; a < known->num_actions(); ++a) {
            root.values.push_back(edges[a].value);
            root.visits.push_back(edges[a].visits);
        }
        return root;
    }

    std::int32_t horizon_;                             // of the settings
    std::vector<std::shared_ptr<const InUse>> parts_;  // of the belief
    const StateIndex* known_;                          // the belief's
    std::shared_ptr<EpsilonGreedy> policy_;            // every leaf evaluator is one
    ValueTable* table_ = nullptr;                      // the same, if it is a table
    AdaptiveRows* rows_ = nullptr;                     // the same, if it learns by rows
    Mixture* mixture_ = nullptr;                       // the same, if it learns which of its models is true
    std::vector<std::unique_ptr<TreeSearch>> trees_;
    Decision decision_;
};

}  // namespace bamdp

// One decision: any number of root-parallel trees on any number of threads, within a budget of simulations or of time.
// The result depends on the seeds (one per tree), never on the number of threads.
#pragma once

#include <chrono>

#include "search/decision.hpp"
#include "search/leaves/leaf.hpp"
#include "search/settings.hpp"
#include "search/tree_search.hpp"
#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/parallel.hpp"

namespace bamdp {

struct Budget {
    std::int64_t simulations;    // all trees together
    Clock::time_point deadline;  // time_point::max(): none
};

// Which of all the trees of a decision are searched: those from the `first` on, of `all`; the others are in other
// processes.
struct Part {
    std::size_t first, all;
};

class Search : public InUse {
 public:
    // `leaf` is shared by all trees, which are added next.
    template <class Belief>
    Search(const std::shared_ptr<const Belief>& belief, std::shared_ptr<LeafEvaluator> leaf, const Settings& settings,
           Random choice)
        : rollouts(settings.rollouts), settings_(settings), known_(&belief->known()), leaf_(std::move(leaf)),
          decision_(settings.final_move, choice) {
        read(belief);
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

    // A query for the next decision.
    Query query(std::int64_t state, const StepsLeft& left, bool even_root) const {
        return {state, settings_, left, even_root};
    }

    // The root statistics of each tree. `pause` is called in the calling thread; if it throws, the search ends cleanly
    // and rethrows.
    std::vector<RootStatistics> search(const Query& query, Budget budget, Part part, std::size_t threads, Pause pause) {
        const auto started = Clock::now();
        leaf_->prepare(query);
        threads = std::min(threads, trees_.size());
        std::vector<std::int64_t> done(trees_.size(), 0);
        in_parallel(trees_.size(), threads, pause, [&](std::size_t i, std::size_t, const Tick& tick) {
            run(*trees_[i], query, share(part.first + i, part.all, budget.simulations),
                deadline(i, threads, started, budget.deadline), tick, done[i]);
        });
        std::vector<RootStatistics> roots;
        for (std::size_t i = 0; i < trees_.size(); ++i) roots.push_back(root_of(*trees_[i], done[i]));
        return roots;
    }

    // The decision, from all trees that were searched for it.
    RootStatistics decide(const std::vector<RootStatistics>& roots) { return decision_.of(roots); }

    // One real step; the belief has been updated already.
    void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) {
        leaf_->observe(known_->find(state), a, reward, known_->find(next_state));
        for (auto& tree : trees_) tree->observe(state, a, reward, next_state);
    }

    // Many real steps, given by their columns.
    void observe_many(std::span<const std::int64_t> states, std::span<const std::int64_t> actions,
                      std::span<const double> rewards, std::span<const std::int64_t> next_states) {
        for (std::size_t i = 0; i < states.size(); ++i)
            observe(states[i], static_cast<std::int32_t>(actions[i]), rewards[i], next_states[i]);
    }

    void set_values(const RootValues& root) {
        if (!leaf_->set_values(root, *known_))
            throw Unsupported("rollouts=\"" + rollouts +
                              "\" has no leaf values to set, rollouts=\"posterior-mean\" has");
    }

    std::vector<std::shared_ptr<const Tree>> trees() const {
        std::vector<std::shared_ptr<const Tree>> result;
        for (const auto& tree : trees_) result.push_back(tree->tree());
        return result;
    }

    // The learned state, without that of the belief.
    template <class Archive>
    void archive(Archive& a) {
        auto count = static_cast<std::uint64_t>(trees_.size());
        a(count);
        a.check(count == trees_.size(), "it is of another number of trees");
        decision_.archive(a);
        leaf_->archive(a);
        for (auto& tree : trees_) tree->archive(a);
    }

    const std::string rollouts;  // name of the leaf evaluator

 private:
    static std::int64_t share(std::size_t tree, std::size_t trees, std::int64_t simulations) {
        const auto i = static_cast<std::int64_t>(tree), T = static_cast<std::int64_t>(trees);
        return simulations / T + (i < simulations % T ? 1 : 0);
    }

    // Where there are more trees than threads, each gets its share of the time.
    Clock::time_point deadline(std::size_t tree, std::size_t threads, Clock::time_point started,
                               Clock::time_point end) const {
        if (end == Clock::time_point::max()) return end;
        const std::size_t rounds = (trees_.size() + threads - 1) / threads;
        return started +
               (end - started) * static_cast<std::int64_t>(tree / threads + 1) / static_cast<std::int64_t>(rounds);
    }

    static void run(TreeSearch& tree, const Query& query, std::int64_t share, Clock::time_point deadline,
                    const Tick& tick, std::int64_t& done) {
        const std::int64_t initial_capacity =
            deadline == Clock::time_point::max() ? 1 << 20 : 1 << 16;  // beyond, the tree grows as it goes
        tree.root(query, static_cast<std::size_t>(std::min(share, initial_capacity)));
        in_chunks(tree, std::min(share, tree.countable()), deadline, tick, done);
    }

    // Chunks of simulations of about a millisecond, so that the clock is read often enough and costs nothing.
    static void in_chunks(TreeSearch& tree, std::int64_t share, Clock::time_point deadline, const Tick& tick,
                          std::int64_t& done) {
        for (std::int64_t chunk = 1; done < share;) {
            const auto started = Clock::now();
            if (done > 0 && started >= deadline) break;
            chunk = std::min(chunk, share - done);
            tree.search(chunk);
            done += chunk;
            const auto now = Clock::now();
            if (now - started < std::chrono::microseconds(500)) chunk *= 2;
            if (now - started > std::chrono::milliseconds(2)) chunk = std::max<std::int64_t>(1, chunk / 2);
            tick();
        }
    }

    static RootStatistics root_of(const TreeSearch& tree, std::int64_t simulations) {
        RootStatistics root(tree.tree()->num_actions());
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

    const Settings settings_;
    std::vector<std::shared_ptr<const InUse>> parts_;  // of the belief
    const StateIndex* known_;                          // the belief's
    std::shared_ptr<LeafEvaluator> leaf_;
    std::vector<std::unique_ptr<TreeSearch>> trees_;
    Decision decision_;
};

}  // namespace bamdp

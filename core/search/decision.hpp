// The decision: the root statistics of all trees, from any process, summed; and the action.
#pragma once

#include "search/settings.hpp"
#include "support/random.hpp"

namespace bamdp {

// Statistics of each action at the root, of one tree or of all together.
struct RootStatistics {
    explicit RootStatistics(std::int32_t num_actions) : A_(num_actions) {}

    std::vector<double> values;        // [A] mean return
    std::vector<std::int64_t> visits;  // [A]
    std::vector<double> errors;        // [A] standard errors of `values`, of all trees together only
    std::int64_t simulations = 0;      // of this search
    std::int32_t depth = 0;
    std::int32_t action = 0;           // the decision, if there is one yet
    bool full = false;                 // the memory limit was reached: no more nodes were added

    std::int32_t num_actions() const { return A_; }

    template <class Archive>
    void archive(Archive& a) {
        a(values, visits, errors, simulations, depth, action, full);
    }

 private:
    std::int32_t A_;
};

class Decision {
 public:
    Decision(FinalMove final_move, Random choice) : final_move_(final_move), choice_(choice) {}

    // `trees`, at least one, in an order that doesn't depend on which was faster: sums of floating-point numbers depend
    // on it.
    RootStatistics of(const std::vector<RootStatistics>& trees) {
        RootStatistics all = sum(trees);
        for (std::size_t a = 0; a < all.visits.size(); ++a) all.errors.push_back(standard_error(trees, all, a));
        all.action = best(all);
        return all;
    }

    template <class Archive>
    void archive(Archive& a) {
        choice_.archive(a);
    }

 private:
    static RootStatistics sum(const std::vector<RootStatistics>& trees) {
        const std::size_t A = trees.front().visits.size();
        RootStatistics all(static_cast<std::int32_t>(A));
        all.values.resize(A);
        all.visits.resize(A);
        for (const RootStatistics& tree : trees) {
            all.simulations += tree.simulations;
            all.depth = std::max(all.depth, tree.depth);
            all.full = all.full || tree.full;
            for (std::size_t a = 0; a < A; ++a) {
                if (tree.visits[a] == 0) continue;
                all.visits[a] += tree.visits[a];
                const double off = tree.values[a] - all.values[a];
                all.values[a] += off * static_cast<double>(tree.visits[a]) / static_cast<double>(all.visits[a]);
            }
        }
        return all;
    }

    // How much the value changes if one tree after the other is left out (the jackknife). The returns of one tree give
    // no estimate: they are correlated, since early samples decide where the tree grows (benchmarks/calibration.py).
    static double standard_error(const std::vector<RootStatistics>& trees, const RootStatistics& all, std::size_t a) {
        double sum = 0;
        for (const RootStatistics& tree : trees) {
            const std::int64_t others = all.visits[a] - tree.visits[a];
            if (others == 0) return std::numeric_limits<double>::infinity();
            const double change =
                (tree.values[a] - all.values[a]) * static_cast<double>(tree.visits[a]) / static_cast<double>(others);
            sum += change * change;
        }
        const auto T = static_cast<double>(trees.size());
        return std::sqrt(sum * (T - 1) / T);
    }

    // argmax_a Q(<s,h>,a), or of the visits, among the actions tried; ties at random.
    std::int32_t best(const RootStatistics& root) {
        std::int32_t best = NONE;
        std::int64_t ties = 0;
        for (std::size_t a = 0; a < root.visits.size(); ++a) {
            if (root.visits[a] == 0) continue;
            const auto better = [&](const auto& x) {
                return best == NONE
                           ? 1
                           : (x[a] > x[static_cast<std::size_t>(best)]) - (x[a] < x[static_cast<std::size_t>(best)]);
            };
            const int order = final_move_ == FinalMove::value ? better(root.values) : better(root.visits);
            if (order > 0) ties = 0;
            if (order >= 0 && choice_.below(++ties) == 0) best = static_cast<std::int32_t>(a);
        }
        return best;
    }

    FinalMove final_move_;
    Random choice_;
};

}  // namespace bamdp

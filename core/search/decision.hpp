// The decision: what every tree knows of the root, wherever it was searched, added up; and the action.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

// What one tree, or all of them together, knows of each action at the root.
struct RootStatistics {
    std::vector<double> values, squares;  // [A] mean return, sum of squared deviations
    std::vector<std::int64_t> visits;     // [A]
    std::int64_t simulations = 0;         // of this search
    std::int32_t depth = 0;
    std::int32_t action = 0;              // the decision, if there is one yet
    bool full = false;                    // memory was used up: no nodes were added any more
};

enum class FinalMove { value, visits };

class Decision {
 public:
    Decision(FinalMove final_move, Random choice) : final_move_(final_move), choice_(choice) {}

    // `trees`, at least one, in an order that doesn't depend on which was faster: sums of floating-point numbers depend on it.
    RootStatistics of(const std::vector<RootStatistics>& trees) {
        RootStatistics all = sum(trees);
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
        RootStatistics all{std::vector<double>(A), std::vector<double>(A), std::vector<std::int64_t>(A)};
        for (const RootStatistics& tree : trees) {
            all.simulations += tree.simulations;
            all.depth = std::max(all.depth, tree.depth);
            all.full = all.full || tree.full;
            for (std::size_t a = 0; a < A; ++a) {  // Chan's formula for the union of two samples
                if (tree.visits[a] == 0) continue;
                const double n = static_cast<double>(all.visits[a]), m = static_cast<double>(tree.visits[a]), off = tree.values[a] - all.values[a];
                all.values[a] += off * m / (n + m);
                all.squares[a] += tree.squares[a] + off * off * n * m / (n + m);
                all.visits[a] += tree.visits[a];
            }
        }
        return all;
    }

    // argmax_a Q(<s,h>,a), or of the visits, among the actions tried; ties at random.
    std::int32_t best(const RootStatistics& root) {
        std::int32_t best = NONE;
        std::int64_t ties = 0;
        for (std::size_t a = 0; a < root.visits.size(); ++a) {
            if (root.visits[a] == 0) continue;
            const auto better = [&](const auto& x) { return best == NONE ? 1 : (x[a] > x[static_cast<std::size_t>(best)]) - (x[a] < x[static_cast<std::size_t>(best)]); };
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

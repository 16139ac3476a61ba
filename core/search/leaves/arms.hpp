// Bernoulli arms (models/arms.hpp): leaf values by formula, for all steps that are left or, as written here, without an
// end.
//
//   BestArm    max_a E[r | a, h] / (1 − gamma): stay with the arm that looks best here. A lower bound of the optimal
//              value, and no noise. It depends on the history alone.
//   Hindsight  E[max_a r_a | h] / (1 − gamma), by one draw of every arm's p: as if p were revealed at the leaf. An
//              upper bound. What the authors' program means to do, but its best p is cut to an integer. One draw serves
//              one leaf and no choice in the tree depends on it, so that each node still averages over the posterior
//              given its own history.
#pragma once

#include "models/arms.hpp"
#include "models/collapsed.hpp"
#include "search/leaves/epsilon_greedy.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

template <class Formula>
class ArmsFormula final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<std::is_same_v<M, Collapsed<Dirichlet>>, Arms, void>;
    static constexpr const char* NEEDED = "is for bandits only, with BetaArms as prior and sampling=\"collapsed\"";

    ArmsFormula(std::int32_t num_actions, const Settings& settings)
        : uniform_(num_actions, settings), ones_(settings.discount) {}

    void prepare(const Query& query) override { ones_.set_steps(query.left.steps); }

    std::int32_t action(Memory&, const Arms&, Index, std::int32_t, Random& rng) const {
        return uniform_.action(NONE, rng);
    }

    double value(const Arms& model, const Query&, Index, std::int32_t d, Random& rng) const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Arms::Arm& arm : model.arms()) {
            const double p = Formula::success(arm, rng);
            best = std::max(best, arm.reward_of_failure + p * (arm.reward_of_success - arm.reward_of_failure));
        }
        return best * ones_.from(d);
    }

 private:
    EpsilonGreedy uniform_;  // epsilon is 1
    Annuity ones_;
};

struct Mean {
    static double success(const Arms::Arm& arm, Random&) { return arm.successes / arm.total; }
};

struct Drawn {
    static double success(const Arms::Arm& arm, Random& rng) {
        const double failures = arm.total - arm.successes;
        if (arm.successes <= 0 || failures <= 0) return arm.successes > 0 ? 1 : 0;
        const double x = rng.gamma(arm.successes), y = rng.gamma(failures);
        return x + y > 0 ? x / (x + y) : (rng.uniform() * arm.total < arm.successes ? 1 : 0);
    }
};

using BestArm = ArmsFormula<Mean>;
using Hindsight = ArmsFormula<Drawn>;

}  // namespace bamdp

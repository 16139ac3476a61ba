// Bernoulli arms with Beta posteriors, p integrated out: the urn of models/collapsed.hpp with two colours, as two numbers. What
// comes after the tree is valued by formula instead of a roll-out, for steps without end:
//
//   best_arm   max_a E[r | a, h] / (1 − gamma): stay with the arm that looks best here. A lower bound of the optimal value, and no
//              noise. It depends on the history alone.
//   hindsight  E[max_a r_a | h] / (1 − gamma), by one draw of every arm's p: as if all were told at the leaf. An upper bound. What
//              the authors' program means to do, but its best p is cut to an integer. One draw serves one leaf and no choice in
//              the tree depends on it, so that each node still averages over the posterior given its own history.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "beliefs/belief.hpp"
#include "models/model.hpp"
#include "priors/dirichlet.hpp"

namespace bamdp {

enum class LeafValue { best_arm, hindsight };

class Arms {
 public:
    static constexpr bool state_matters = false;

    // `rewards` must not depend on the state. `discount` is for the leaf value.
    Arms(std::shared_ptr<const Belief<Dirichlet>> belief, std::shared_ptr<const Rewards> rewards, double discount, LeafValue kind)
        : belief_(std::move(belief)), kind_(kind), for_ever_(1 / (1 - discount)) {
        for (std::int32_t a = 0; a < belief_->num_actions; ++a) arms_.push_back({0, 0, (*rewards)(0, a, 0), (*rewards)(0, a, 1)});
        sync();
    }

    void sync() {
        const StateIndex& known = belief_->known();
        for (std::int32_t a = 0; a < belief_->num_actions; ++a) {
            Arm& arm = arms_[static_cast<std::size_t>(a)];
            arm.successes = belief_->prior.alpha(a, 1);
            arm.total = belief_->prior.mass(a);
            const Counts& counts = belief_->counts(0, a);
            for (std::size_t i = 0; i < counts.n.size(); ++i) {
                arm.total += static_cast<double>(counts.n[i]);
                if (known.state(counts.successors[i]) == 1) arm.successes += static_cast<double>(counts.n[i]);
            }
        }
        // The first two handles, known or not: all that depends on them is which line of its table the roll-out policy reads.
        success_ = known.find(1) == NONE ? known.size() : known.find(1);
        failure_ = known.find(0) == NONE ? known.size() : known.find(0);
    }

    Handle begin(std::int64_t state, Random&) { return state == 1 ? success_ : failure_; }

    BAMDP_INLINE Step step(Handle, std::int32_t a, Random& rng) {
        Arm& arm = arms_[static_cast<std::size_t>(a)];
        const bool success = rng.uniform() * arm.total < arm.successes;
        undo_.push_back({a, arm.successes, arm.total});
        arm.total += 1;
        arm.successes += success ? 1 : 0;
        return success ? Step{success_, arm.reward_of_success, 1} : Step{failure_, arm.reward_of_failure, 0};
    }

    void end() {
        for (std::size_t i = undo_.size(); i-- > 0;) {
            Arm& arm = arms_[static_cast<std::size_t>(undo_[i].a)];
            arm.successes = undo_[i].successes;
            arm.total = undo_[i].total;
        }
        undo_.clear();
    }

    double leaf_value(Random& rng) {
        double best = -std::numeric_limits<double>::infinity();
        for (const Arm& arm : arms_) {
            const double p = kind_ == LeafValue::best_arm ? arm.successes / arm.total : draw(arm, rng);
            best = std::max(best, arm.reward_of_failure + p * (arm.reward_of_success - arm.reward_of_failure));
        }
        return best * for_ever_;
    }

 private:
    struct Arm {
        double successes, total;  // of the posterior, what this simulation has seen included
        double reward_of_failure, reward_of_success;
    };
    struct Undo {
        std::int32_t a;
        double successes, total;
    };

    static double draw(const Arm& arm, Random& rng) {
        const double failures = arm.total - arm.successes;
        if (arm.successes <= 0 || failures <= 0) return arm.successes > 0 ? 1 : 0;
        const double x = rng.gamma(arm.successes), y = rng.gamma(failures);
        return x + y > 0 ? x / (x + y) : (rng.uniform() * arm.total < arm.successes ? 1 : 0);
    }

    std::shared_ptr<const Belief<Dirichlet>> belief_;
    LeafValue kind_;
    double for_ever_;
    std::vector<Arm> arms_;  // [A]
    std::vector<Undo> undo_;
    Handle success_ = 0, failure_ = 0;
};

}  // namespace bamdp

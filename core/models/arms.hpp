// Bernoulli arms with Beta posteriors, p integrated out: the urn of models/collapsed.hpp with two colours, as two
// numbers. For leaf values by formula (search/leaves/arms.hpp).
#pragma once

#include "beliefs/belief.hpp"
#include "models/model.hpp"
#include "priors/dirichlet.hpp"

namespace bamdp {

class Arms {
 public:
    static constexpr bool state_matters = false;

    struct Arm {
        double successes, total;  // of the posterior, what this simulation has seen included
        double reward_of_failure, reward_of_success;
    };

    // Whether a belief is one about arms: two states, the last outcome.
    static bool is_about(const Belief<Dirichlet>& belief) { return belief.tied() && belief.num_states == 2; }

    static void check(const Rewards& rewards, std::int32_t num_actions) {
        for (std::int32_t a = 0; a < num_actions; ++a)
            for (const std::int64_t outcome : {0, 1})
                if (rewards(0, a, outcome) != rewards(1, a, outcome))
                    throw std::invalid_argument(
                        "rewards must not depend on the state, the last outcome, with rollouts=\"best-arm\" or "
                        "\"hindsight\"");
    }

    Arms(std::shared_ptr<const Belief<Dirichlet>> belief, const std::shared_ptr<const Rewards>& rewards)
        : belief_(std::move(belief)) {
        for (std::int32_t a = 0; a < belief_->num_actions; ++a)
            arms_.push_back({0, 0, (*rewards)(0, a, 0), (*rewards)(0, a, 1)});
        sync();
    }

    const std::vector<Arm>& arms() const { return arms_; }  // [A]

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
        // The first two indices, known or not: all that depends on them is which line of its table the roll-out policy
        // reads.
        success_ = known.find(1) == NONE ? known.size() : known.find(1);
        failure_ = known.find(0) == NONE ? known.size() : known.find(0);
    }

    Index begin(std::int64_t state, Random&) { return enter(state); }
    Index enter(std::int64_t state) const { return state == 1 ? success_ : failure_; }

    BAMDP_INLINE Step step(Index, std::int32_t a, Random& rng) {
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

 private:
    struct Undo {
        std::int32_t a;
        double successes, total;
    };

    std::shared_ptr<const Belief<Dirichlet>> belief_;
    std::vector<Arm> arms_;  // [A]
    std::vector<Undo> undo_;
    Index success_ = 0, failure_ = 0;
};

}  // namespace bamdp

// R(s,a), the next state averaged out: of known rewards, by state and action or by transition, or of learned ones.
#pragma once

#include "beliefs/reward_belief.hpp"
#include "solve/value_iteration.hpp"

namespace bamdp {

class MeanRewards {
 public:
    // `known` [S, A] or [S, A, S].
    MeanRewards(std::vector<double> known, std::int64_t num_states, std::int32_t num_actions)
        : known_(std::move(known)), S_(num_states), A_(num_actions),
          by_transition_(static_cast<std::int64_t>(known_.size()) > num_states * num_actions) {}

    std::shared_ptr<const RewardBelief> learned;  // of the mean that is loaded; null: rewards are known
    double fresh_bonus = 0;                       // on rows of which nothing was observed

    // Known, by next state: those of a row [S]; null if they do not depend on it.
    const double* by_next_state(std::int64_t state, std::int32_t a) const {
        return by_transition_ && !learned ? &known_[row(state, a) * static_cast<std::size_t>(S_)] : nullptr;
    }

    // R(s,a) where nothing was observed.
    double fresh(std::int64_t state, std::int32_t a) const {
        if (learned) return learned->prior_mean(state, a) + fresh_bonus;
        return (by_transition_ ? averages_ : known_)[row(state, a)] + fresh_bonus;
    }
    double best_fresh(std::int64_t state) const {
        double best = fresh(state, 0);
        for (std::int32_t a = 1; a < A_; ++a) best = std::max(best, fresh(state, a));
        return best;
    }

    // Next states that are not listed are spread by `base`, uniformly if it is empty.
    void average(const std::vector<double>& base) {
        if (!by_transition_) return;
        averages_.assign(static_cast<std::size_t>(S_ * A_), 0.0);
        for (std::size_t row = 0; row < averages_.size(); ++row)
            for (std::size_t next = 0; next < static_cast<std::size_t>(S_); ++next)
                averages_[row] += (base.empty() ? 1 / static_cast<double>(S_) : base[next]) *
                                  known_[row * static_cast<std::size_t>(S_) + next];
    }

    // R(s,a) with the next state averaged out over `successors`, slots of `active`, and the rest.
    double expected(std::int64_t state, std::int32_t a, std::span<const Successor> successors, double rest,
                    const StateIndex& active) const {
        if (learned) return learned->mean(state, a);
        if (!by_transition_) return known_[row(state, a)];
        const double* rewards = by_next_state(state, a);
        double sum = rest == 0 ? 0 : rest * averages_[row(state, a)];
        for (const auto& [slot, probability] : successors) sum += probability * rewards[active.state(slot)];
        return sum;
    }

 private:
    std::size_t row(std::int64_t state, std::int32_t a) const { return static_cast<std::size_t>(state * A_ + a); }

    std::vector<double> known_;
    std::vector<double> averages_;  // [S, A] of rewards by transition, over the prior's base
    std::int64_t S_;
    std::int32_t A_;
    bool by_transition_;
};

}  // namespace bamdp

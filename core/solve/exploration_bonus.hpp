// Exploration bonus: a Gittins-style index of what an action would teach, in units of return and without a constant to
// choose.
//
//   bonus(s,a) = z(N(s) / (n0(s,a) + 2)) · sd(s,a)
//
//   sd    standard deviation of Q(s,a) = E[r + gamma V(s') | theta] under the posterior of the row theta, for V as it
//         is: sqrt(Var(r + gamma V(s')) / (n0 + 1)), exact for Dirichlet rows
//   n0    pseudo-counts and observations of the row: how little one more of them would change it
//   N     expected discounted number of visits to s after the one that teaches, if the policy stays greedy: how often
//         what is learned can be used. The teaching visit is now in the current state; elsewhere the one most probable
//         (with it left in, two states can each look better from the other, and the agent goes to and fro for ever:
//         seen in the maze).
//   z     the Gittins index of a Beta arm in units of its standard deviation, (index − mean) / sd, as a function of u =
//         N / (n0 + 2), with N = gamma / (1 − gamma) in a bandit: 0.72 sqrt(log(1 + u) u / (u + 1/2)). Fitted to arms
//         with mean 1/2, n0 = 0.2 … 64 and gamma = 0.5 … 0.99, where it is off by at most 0.1.
//
// In a bandit that is the index policy, so near optimal; elsewhere each row is an arm that is played whenever its state
// is visited.
#pragma once

#include "beliefs/belief.hpp"
#include "solve/mean_rewards.hpp"
#include "solve/self_transition.hpp"
#include "solve/value_iteration.hpp"
#include "support/logarithm.hpp"
#include "support/steps_left.hpp"

namespace bamdp {

inline double index_units(double u) { return 0.72 * std::sqrt(portable_log(1 + u) * u / (u + 0.5)); }

// Expected discounted number of later steps that can use what one of `steps` teaches; without an end if `steps` is
// NO_END.
constexpr std::int64_t NO_END = -1;

inline double later_steps(double gamma, std::int64_t steps) {
    if (steps == NO_END) return gamma / (1 - gamma);
    if (gamma == 1) return static_cast<double>(steps - 1);
    double sum = 0;
    for (std::int64_t k = 1; k < steps; ++k) sum = gamma * (1 + sum);
    return sum;
}

// N of the active states as seen from state `h`, with `steps` left. [active]
// Visits to passive states, which know nothing yet, go on from there by the base distribution.
inline std::vector<double> later_visits(const Bellman& bellman, Index h, const StepsLeft& left = {NO_END},
                                        Index start = NONE) {
    constexpr double NEGLIGIBLE = 0.01;  // of all visits, gamma / (1 − gamma)
    const auto active = static_cast<std::size_t>(bellman.active().size());
    std::vector<double> now(active, 0.0), next(active), visits(active, 0.0), first(active, 0.0);
    std::vector<const BellmanRow*> greedy(active);
    for (std::size_t s = 0; s < active; ++s)
        greedy[s] = &bellman.row(static_cast<Index>(s), bellman.greedy(static_cast<Index>(s)));
    now[static_cast<std::size_t>(h)] = 1;
    double passive = 0;
    const double gamma = bellman.discount();
    std::int64_t done = 1;
    for (double weight = gamma; weight > NEGLIGIBLE * gamma && (left.steps == NO_END || done < left.steps);
         weight *= gamma, ++done) {
        std::fill(next.begin(), next.end(), 0.0);
        double spread = passive;
        for (std::size_t s = 0; s < active; ++s) {
            if (now[s] == 0) continue;
            spread += now[s] * greedy[s]->rest;
            for (const auto& [slot, probability] : greedy[s]->successors)
                next[static_cast<std::size_t>(slot)] += now[s] * probability;
        }
        for (std::size_t s = 0; s < active; ++s)
            next[s] = gamma * (next[s] + spread * bellman.weight_of(static_cast<Index>(s)));
        passive = gamma * spread * bellman.passive_weight();
        if (left.ends_after(done)) {
            std::fill(next.begin(), next.end(), 0.0);
            next[static_cast<std::size_t>(start)] = weight;
            passive = 0;
        }
        for (std::size_t s = 0; s < active; ++s) {
            visits[s] += next[s];
            first[s] = std::max(first[s], next[s]);
        }
        now.swap(next);
    }
    first[static_cast<std::size_t>(h)] = 0;  // the visit that could teach is the one now
    for (std::size_t s = 0; s < active; ++s) visits[s] -= first[s];
    return visits;
}

// The bonuses of active states on the rewards of a Bellman equation, by its values as they are.
class ExplorationBonus {
 public:
    ExplorationBonus(Bellman& bellman, const MeanRewards& rewards, const TerminalStates& terminal,
                     std::int64_t num_states, std::int32_t num_actions)
        : bellman_(bellman), rewards_(rewards), terminal_(terminal), S_(num_states), A_(num_actions),
          gamma_(bellman.discount()) {
        for (std::int64_t s = 0; s < S_ && S_ <= SMALL_WORLD; ++s)
            all_values_.push_back(bellman_.value(s, rewards_.best_fresh(s)));
    }

    // Sets the bonus for later visits, of which there are `visits` [active].
    template <RowPrior P>
    void set_bonuses(Belief<P>& belief, const std::vector<double>& visits) const {
        const Moments spread = spread_of_values();
        for (Index s = 0; s < bellman_.active().size(); ++s) {
            const std::int64_t state = bellman_.active().state(s);
            if (terminal_.has(state)) continue;
            const double N = visits[static_cast<std::size_t>(s)];
            const Index known = belief.known().find(state);
            for (std::int32_t a = 0; a < A_; ++a)
                bellman_.set_bonus(s, static_cast<std::size_t>(a),
                                   N == 0 ? 0 : std::sqrt(squared_bonus(N, belief, state, known, s, a, spread)));
        }
    }

    // Adds what staying in a state teaches about its rows.
    template <RowPrior P>
    void add_self_transitions(Belief<P>& belief) const {
        SelfTransition correction(gamma_);
        std::vector<SelfTransition::Row> rows(static_cast<std::size_t>(A_));
        for (Index s = 0; s < bellman_.active().size(); ++s) {
            const std::int64_t state = bellman_.active().state(s);
            if (terminal_.has(state)) continue;
            for (std::int32_t a = 0; a < A_; ++a)
                rows[static_cast<std::size_t>(a)] = self_transition_row(belief, state, s, a);
            const std::vector<double>& corrections = correction.corrections(rows);
            for (std::size_t a = 0; a < corrections.size(); ++a)
                bellman_.set_bonus(s, a, bellman_.row(s, a).bonus + corrections[a]);
        }
    }

 private:
    struct Moments {
        double first = 0, second = 0;
        void add(double p, double x) { first += p * x, second += p * x * x; }
    };

    static double square(double x) { return x * x; }
    double value(Index s) const { return bellman_.values()[static_cast<std::size_t>(s)]; }
    double value_of(std::int64_t state) const {
        return all_values_.empty() ? bellman_.value(state, rewards_.best_fresh(state))
                                   : all_values_[static_cast<std::size_t>(state)];
    }

    // Moments of gamma V under the base distribution. In a large world the passive states count as one.
    Moments spread_of_values() const {
        Moments spread;
        if (all_values_.empty()) {
            spread.add(bellman_.passive_weight(), gamma_ * bellman_.passive_value());
            for (Index s = 0; s < bellman_.active().size(); ++s) spread.add(bellman_.weight_of(s), gamma_ * value(s));
        }
        for (std::size_t s = 0; s < all_values_.size(); ++s)
            spread.add(bellman_.weight(static_cast<std::int64_t>(s)), gamma_ * all_values_[s]);
        return spread;
    }

    template <RowPrior P>
    double squared_bonus(double N, Belief<P>& belief, std::int64_t state, Index known, Index s, std::int32_t a,
                         const Moments& spread) const {
        const double n0 = pseudo_counts(belief, state, known, a), known_variance = variance(state, s, a, spread);
        const double squared = known_variance == 0 ? 0 : square(index_units(N / (n0 + 2))) * known_variance / (n0 + 1);
        if (!rewards_.learned) return squared;
        const auto [n, of_mean] = rewards_.learned->uncertainty(state, a);
        return squared + square(index_units(N / (n + 2))) * of_mean;
    }

    // n0, the pseudo-counts of a row with its observations.
    template <RowPrior P>
    static double pseudo_counts(Belief<P>& belief, std::int64_t state, Index known, std::int32_t a) {
        return belief.prior.mass(belief.pair(state, a)) + static_cast<double>(belief.counts(known, a).total);
    }

    // The variance of r + gamma V(s') in a row.
    double variance(std::int64_t state, Index s, std::int32_t a, const Moments& spread) const {
        const BellmanRow& row = bellman_.row(s, static_cast<std::size_t>(a));
        const double* rewards = rewards_.by_next_state(state, a);
        Moments x;
        for (const auto& [slot, probability] : row.successors)
            x.add(probability,
                  (rewards == nullptr ? 0 : rewards[bellman_.active().state(slot)]) + gamma_ * value(slot));
        if (row.rest > 0 && rewards == nullptr)
            x.first += row.rest * spread.first, x.second += row.rest * spread.second;
        if (row.rest > 0 && rewards != nullptr)
            for (std::int64_t next = 0; next < S_; ++next)
                x.add(row.rest * bellman_.weight(next), rewards[next] + gamma_ * value_of(next));
        return std::max(0.0, x.second - x.first * x.first);
    }

    template <RowPrior P>
    SelfTransition::Row self_transition_row(Belief<P>& belief, std::int64_t state, Index s, std::int32_t a) const {
        const BellmanRow& row = bellman_.row(s, static_cast<std::size_t>(a));
        double stay = row.rest * bellman_.weight_of(s);
        for (const auto& [slot, probability] : row.successors)
            if (slot == s) stay += probability;
        const double* rewards = rewards_.by_next_state(state, a);
        const double paid = rewards == nullptr ? row.reward : rewards[state];
        const double left = bellman_.q(s, static_cast<std::size_t>(a)) - stay * (paid + gamma_ * value(s));
        return {pseudo_counts(belief, state, belief.known().find(state), a), std::clamp(stay, 0.0, 1.0), paid, left};
    }

    Bellman& bellman_;
    const MeanRewards& rewards_;
    const TerminalStates& terminal_;
    std::int64_t S_;
    std::int32_t A_;
    double gamma_;
    std::vector<double> all_values_;  // [S] in a small world
};

}  // namespace bamdp

// Exploration bonus: a Gittins-style index of what an action would teach, in units of return and without a constant to choose.
//
//   bonus(s,a) = z(N(s) / (n0(s,a) + 2)) · sd(s,a)
//
//   sd    standard deviation of Q(s,a) = E[r + gamma V(s') | theta] under the posterior of the row theta, for V as it is:
//         sqrt(Var(r + gamma V(s')) / (n0 + 1)), exact for Dirichlet rows
//   n0    pseudo-counts and observations of the row: how little one more of them would change it
//   N     expected discounted number of visits to s after the one that teaches, if the policy stays greedy: how often what is learned
//         can be used. The teaching visit is now in the current state; elsewhere the one most probable (with it left in, two states
//         can each look better from the other, and the agent goes to and fro for ever: seen in the maze).
//   z     the Gittins index of a Beta arm in units of its standard deviation, (index − mean) / sd, as a function of
//         u = N / (n0 + 2), with N = gamma / (1 − gamma) in a bandit: 0.72 sqrt(log(1 + u) u / (u + 1/2)). Fitted to arms with mean
//         1/2, n0 = 0.2 … 64 and gamma = 0.5 … 0.99, where it is off by at most 0.1.
//
// In a bandit that is the index policy, so near optimal; elsewhere each row is an arm that is played whenever its state is visited.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solve/value_iteration.hpp"
#include "support/logarithm.hpp"
#include "support/steps_left.hpp"

namespace bamdp {

inline double index_units(double u) { return 0.72 * std::sqrt(portable_log(1 + u) * u / (u + 0.5)); }

// Expected discounted number of later steps that can use what one of `steps` teaches; without an end if `steps` is NO_END.
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
inline std::vector<double> later_visits(const Bellman& bellman, Index h, const StepsLeft& left = {NO_END}, Index start = NONE) {
    constexpr double NEGLIGIBLE = 0.01;  // of all visits, gamma / (1 − gamma)
    const auto active = static_cast<std::size_t>(bellman.active().size());
    std::vector<double> now(active, 0.0), next(active), visits(active, 0.0), first(active, 0.0);
    std::vector<const BellmanRow*> greedy(active);
    for (std::size_t s = 0; s < active; ++s) greedy[s] = &bellman.row(static_cast<Index>(s), bellman.greedy(static_cast<Index>(s)));
    now[static_cast<std::size_t>(h)] = 1;
    double passive = 0;
    const double gamma = bellman.discount();
    std::int64_t done = 1;
    for (double weight = gamma; weight > NEGLIGIBLE * gamma && (left.steps == NO_END || done < left.steps); weight *= gamma, ++done) {
        std::fill(next.begin(), next.end(), 0.0);
        double spread = passive;
        for (std::size_t s = 0; s < active; ++s) {
            if (now[s] == 0) continue;
            spread += now[s] * greedy[s]->rest;
            for (const auto& [slot, probability] : bellman.successors(*greedy[s])) next[static_cast<std::size_t>(slot)] += now[s] * probability;
        }
        for (std::size_t s = 0; s < active; ++s) next[s] = gamma * (next[s] + spread * bellman.weight_of(static_cast<Index>(s)));
        passive = gamma * spread * bellman.weight_of_passive();
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

}  // namespace bamdp

// Rewards that are learned: those really seen. The reward of each state and action is one of V declared values:
//
//   random         theta(s, a) ~ Dirichlet(alpha), r ~ theta(s, a);  P(r = v | n) = (alpha_v + n_v) / (sum alpha + N)
//   deterministic  r(s, a) is v with probability alpha_v / sum alpha, and for ever the one that was seen first
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "beliefs/belief.hpp"
#include "support/in_use.hpp"
#include "support/index.hpp"
#include "models/rows.hpp"
#include "priors/dirichlet.hpp"
#include "support/random.hpp"

namespace bamdp {

class RewardCounts : public InUse {
 public:
    RewardCounts(std::vector<double> values, std::vector<double> alpha, bool deterministic, std::int32_t num_actions)
        : values(std::move(values)), alpha(std::move(alpha)), deterministic(deterministic), num_actions(num_actions) {}

    void observe(std::int64_t state, std::int32_t a, std::size_t value) {
        const Index h = visited_.find_or_add(state);
        n_.resize(static_cast<std::size_t>(visited_.size()) * line());
        ++n_[static_cast<std::size_t>(h) * line() + static_cast<std::size_t>(a) * values.size() + value];
        ++observations;
    }

    std::vector<double> counts(std::int64_t state, std::int32_t a) const {
        const Index h = visited_.find(state);
        if (h == NONE) return std::vector<double>(values.size(), 0.0);
        const auto first = n_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(h) * line() + static_cast<std::size_t>(a) * values.size());
        return {first, first + static_cast<std::ptrdiff_t>(values.size())};
    }

    template <class Archive>
    void archive(Archive& a) {
        visited_.archive(a, std::numeric_limits<std::int64_t>::max());
        a(observations, n_);
        a.check(observations >= 0 && n_.size() == static_cast<std::size_t>(visited_.size()) * line(), "rewards are of other states or actions");
        for (const double n : n_) a.check(0 <= n && n <= static_cast<double>(observations), "a count of rewards is out of range");
    }

    // All counts, lines in the order of another index; of states that it doesn't have there is no line.
    std::vector<double> in_order_of(const StateIndex& index) const {
        std::vector<double> ordered(static_cast<std::size_t>(index.size()) * line(), 0.0);
        for (Index h = 0; h < visited_.size(); ++h) {
            const Index at = index.find(visited_.state(h));
            if (at == NONE) continue;
            const auto from = n_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(h) * line());
            std::copy_n(from, line(), ordered.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(at) * line()));
        }
        return ordered;
    }

    // theta ~ its posterior after the counts `n` [V], or none; that of a deterministic reward has all its mass on one value.
    void draw_theta(std::span<const double> n, Random& rng, Row& theta) const {
        const std::vector<double> weights = weights_after(n);
        RowDraw draw(theta, rng);
        for (std::size_t v = 0; v < weights.size(); ++v) {
            if (weights[v] <= 0) continue;
            if (deterministic) theta.add(static_cast<std::int64_t>(v), weights[v]);
            else draw.add(static_cast<std::int64_t>(v), weights[v]);
        }
        draw.finish([&](std::int64_t v) { return weights[static_cast<std::size_t>(v)]; });
        if (deterministic) theta.keep(draw_from(theta.cumulative, rng));
    }

    // E r(s, a) under a theta drawn from the posterior.
    double draw_mean(std::int64_t state, std::int32_t a, Random& rng) const {
        Row theta;
        draw_theta(counts(state, a), rng, theta);
        double sum = 0, before = 0;
        for (std::size_t i = 0; i < theta.states.size(); before = theta.cumulative[i++])
            sum += (theta.cumulative[i] - before) * values[static_cast<std::size_t>(theta.states[i])];
        return sum / theta.cumulative.back();
    }

    // E r(s, a), and the same where nothing was seen.
    double mean(std::int64_t state, std::int32_t a) const { return mean_by(weights_after(counts(state, a))); }
    double prior_mean() const { return mean_by(alpha); }

    std::size_t line() const { return static_cast<std::size_t>(num_actions) * values.size(); }

    const std::vector<double> values, alpha;  // [V]
    const bool deterministic;
    const std::int32_t num_actions;
    std::int64_t observations = 0;

 private:
    // alpha + n; where a deterministic reward was seen, n alone. [V]
    std::vector<double> weights_after(std::span<const double> n) const {
        std::vector<double> weights(n.begin(), n.end());
        weights.resize(values.size(), 0.0);
        if (deterministic && *std::max_element(weights.begin(), weights.end()) > 0) return weights;
        for (std::size_t v = 0; v < weights.size(); ++v) weights[v] += alpha[v];
        return weights;
    }

    double mean_by(const std::vector<double>& weights) const {
        return std::inner_product(weights.begin(), weights.end(), values.begin(), 0.0) / std::accumulate(weights.begin(), weights.end(), 0.0);
    }

    StateIndex visited_;
    std::vector<double> n_;  // [visited, A, V]
};

}  // namespace bamdp

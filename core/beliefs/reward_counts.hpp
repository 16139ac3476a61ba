// Unknown rewards: counts of the observed ones. The reward of each state and action is one of V declared values:
//
//   random         theta(s, a) ~ Dirichlet(alpha), r ~ theta(s, a);  P(r = v | n) = (alpha_v + n_v) / (sum alpha + N)
//   deterministic  r(s, a) is v with probability alpha_v / sum alpha, and from then on the one observed first
#pragma once

#include "beliefs/reward_belief.hpp"
#include "priors/dirichlet.hpp"

namespace bamdp {

class RewardCounts final : public RewardBelief {
 public:
    RewardCounts(std::vector<double> values, std::vector<double> alpha, bool deterministic, std::int32_t num_actions)
        : values(std::move(values)), alpha(std::move(alpha)), deterministic(deterministic), num_actions(num_actions),
          mass(std::accumulate(this->alpha.begin(), this->alpha.end(), 0.0)), n_(num_actions, this->values.size()) {}

    void observe(std::int64_t state, std::int32_t a, std::size_t value) {
        ++n_.find_or_add(state, a)[value];
        ++observations;
    }

    std::vector<double> counts(std::int64_t state, std::int32_t a) const {
        const std::span<const double> found = n_.find(state, a);
        return found.empty() ? std::vector<double>(values.size(), 0.0)
                             : std::vector<double>(found.begin(), found.end());
    }

    template <class Archive>
    void archive(Archive& a) {
        n_.archive(a, observations);
        for (const double n : n_.cells())
            a.check(0 <= n && n <= static_cast<double>(observations), "a count of rewards is out of range");
    }

    std::vector<double> in_order_of(const StateIndex& index) const { return n_.in_order_of(index); }

    // theta ~ its posterior after the counts `n` [V], or none; that of a deterministic reward has all its mass on one
    // value.
    void draw_theta(std::span<const double> n, Random& rng, Row& theta) const {
        const std::vector<double> weights = weights_after(n);
        RowDraw draw(theta, rng);
        for (std::size_t v = 0; v < weights.size(); ++v) {
            if (weights[v] <= 0) continue;
            if (deterministic)
                theta.add(static_cast<std::int64_t>(v), weights[v]);
            else
                draw.add(static_cast<std::int64_t>(v), weights[v]);
        }
        draw.finish([&](std::int64_t v) { return weights[static_cast<std::size_t>(v)]; });
        if (deterministic) theta.keep(draw_from(theta.cumulative, rng));
    }

    double draw_mean(std::int64_t state, std::int32_t a, Random& rng) const override {
        Row theta;
        draw_theta(counts(state, a), rng, theta);
        double sum = 0, before = 0;
        for (std::size_t i = 0; i < theta.states.size(); before = theta.cumulative[i++])
            sum += (theta.cumulative[i] - before) * values[static_cast<std::size_t>(theta.states[i])];
        return sum / theta.cumulative.back();
    }

    double mean(std::int64_t state, std::int32_t a) const override { return mean_by(weights_after(counts(state, a))); }
    double prior_mean(std::int64_t, std::int32_t) const override { return mean_by(alpha); }

    double mean_after(std::int64_t state, std::int32_t a, std::span<const double> more) const override {
        return mean_by(weights_after(counts_with(state, a, more)));
    }

    void predictive(std::int64_t state, std::int32_t a, std::span<const double> more,
                    std::vector<RewardOutcome>& out) const override {
        const std::vector<double> weights = weights_after(counts_with(state, a, more));
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (std::size_t v = 0; v < weights.size(); ++v)
            if (weights[v] > 0) out.push_back({values[v], weights[v] / sum});
    }

    // A deterministic reward is told by one observation.
    std::pair<double, double> uncertainty(std::int64_t state, std::int32_t a) const override {
        const std::vector<double> n = counts(state, a), weights = weights_after(n);
        if (deterministic && std::accumulate(n.begin(), n.end(), 0.0) > 0) return {1, 0};
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0), mean = mean_by(weights);
        double variance = 0;
        for (std::size_t v = 0; v < weights.size(); ++v)
            variance += weights[v] / sum * (values[v] - mean) * (values[v] - mean);
        return deterministic ? std::pair{0.0, variance} : std::pair{sum, variance / (sum + 1)};
    }

    const std::vector<double> values, alpha;  // [V]
    const bool deterministic;
    const std::int32_t num_actions;
    const double mass;  // sum of alpha

 private:
    std::vector<double> counts_with(std::int64_t state, std::int32_t a, std::span<const double> more) const {
        std::vector<double> n = counts(state, a);
        for (const double reward : more)
            n[static_cast<std::size_t>(std::find(values.begin(), values.end(), reward) - values.begin())] += 1;
        return n;
    }

    // alpha + n; where a deterministic reward was seen, n alone. [V]
    std::vector<double> weights_after(std::span<const double> n) const {
        std::vector<double> weights(n.begin(), n.end());
        weights.resize(values.size(), 0.0);
        if (deterministic && *std::max_element(weights.begin(), weights.end()) > 0) return weights;
        for (std::size_t v = 0; v < weights.size(); ++v) weights[v] += alpha[v];
        return weights;
    }

    double mean_by(const std::vector<double>& weights) const {
        return std::inner_product(weights.begin(), weights.end(), values.begin(), 0.0) /
               std::accumulate(weights.begin(), weights.end(), 0.0);
    }

    PairTable n_;  // [visited, A, V]
};

}  // namespace bamdp

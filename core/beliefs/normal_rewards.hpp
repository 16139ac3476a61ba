// Unknown rewards that are normal: mean and, if `degrees` is finite, variance of each state and action are unknown.
//
//   sigma^2 ~ scaled-inverse-chi^2(nu, s^2)   known, and equal to s^2, if nu is infinite
//   mu | sigma^2 ~ N(m, sigma^2 / k),   r ~ N(mu, sigma^2)
//
// The posterior after n rewards with mean x and sum of squared deviations Q is of the same family (Gelman et al.,
// Bayesian Data Analysis, 3.3):
//
//   k_n = k + n,   m_n = (k m + n x) / k_n,   nu_n = nu + n,   nu_n s_n^2 = nu s^2 + Q + (k n / k_n) (x - m)^2
//
// The next reward is m_n + sqrt(s_n^2 (1 + 1/k_n)) times a Student's t with nu_n degrees of freedom, or a standard
// normal variate. Normal-inverse-gamma(m, k, shape, scale) is the same with nu = 2 shape, s^2 = scale / shape.
#pragma once

#include "beliefs/reward_belief.hpp"

namespace bamdp {

// What is known of the rewards of a pair.
struct NormalOutcome {
    double mean, strength, degrees, variance;  // m, k, nu, s^2; an infinite k: the mean is known

    double predictive_variance() const { return variance * (1 + 1 / strength); }
    double variance_of_mean() const {
        return variance / strength * (std::isinf(degrees) ? 1 : degrees / (degrees - 2));
    }

    // sigma^2 ~ its posterior. A gamma variate below 1e-30 has less probability than that, as shape > 1.
    double draw_variance(Random& rng) const {
        return std::isinf(degrees) ? variance : degrees * variance / (2 * std::max(rng.gamma(degrees / 2), 1e-30));
    }
};

// Observed rewards of a pair, by Welford's recursion.
struct NormalSample {
    double n = 0, mean = 0, squares = 0;

    void add(double reward) {
        n += 1;
        const double off = reward - mean;
        mean += off / n;
        squares += off * (reward - mean);
    }
};

class NormalRewards final : public RewardBelief {
 public:
    static constexpr std::size_t WIDTH = 3;  // of a sample

    // `priors`: one for all pairs, or one each [S·A].
    NormalRewards(std::vector<NormalOutcome> priors, std::int32_t num_actions, std::vector<double> cuts)
        : num_actions(num_actions), cuts(std::move(cuts)), priors_(std::move(priors)), seen_(num_actions, WIDTH) {}

    void observe(std::int64_t state, std::int32_t a, double reward) {
        const std::span<double> cell = seen_.find_or_add(state, a);
        NormalSample sample{cell[0], cell[1], cell[2]};
        sample.add(reward);
        cell[0] = sample.n, cell[1] = sample.mean, cell[2] = sample.squares;
        ++observations;
    }

    const NormalOutcome& prior(std::int64_t state, std::int32_t a) const {
        return priors_[priors_.size() == 1 ? 0 : static_cast<std::size_t>(state * num_actions + a)];
    }

    static NormalOutcome after(const NormalOutcome& prior, const NormalSample& seen) {
        const double total = prior.strength + seen.n, weight = seen.n / total, off = seen.mean - prior.mean;
        NormalOutcome result{prior.mean + weight * off, total, prior.degrees + seen.n, prior.variance};
        if (!std::isinf(prior.degrees)) {
            const double between = (std::isinf(prior.strength) ? seen.n : prior.strength * weight) * off * off;
            result.variance = (prior.degrees * prior.variance + seen.squares + between) / result.degrees;
        }
        return result;
    }

    NormalOutcome posterior(std::int64_t state, std::int32_t a) const { return posterior_with(state, a, {}); }
    NormalOutcome posterior_with(std::int64_t state, std::int32_t a, std::span<const double> more) const {
        const std::span<const double> cell = seen_.find(state, a);
        NormalSample sample = cell.empty() ? NormalSample{} : NormalSample{cell[0], cell[1], cell[2]};
        for (const double reward : more) sample.add(reward);
        return sample.n == 0 ? prior(state, a) : after(prior(state, a), sample);
    }

    double mean(std::int64_t state, std::int32_t a) const override { return posterior(state, a).mean; }
    double prior_mean(std::int64_t state, std::int32_t a) const override { return prior(state, a).mean; }

    double draw_mean(std::int64_t state, std::int32_t a, Random& rng) const override {
        const NormalOutcome known = posterior(state, a);
        return known.mean + std::sqrt(known.draw_variance(rng) / known.strength) * rng.normal();
    }

    std::pair<double, double> uncertainty(std::int64_t state, std::int32_t a) const override {
        const NormalOutcome known = posterior(state, a);
        return {known.strength, known.variance_of_mean()};
    }

    double mean_after(std::int64_t state, std::int32_t a, std::span<const double> more) const override {
        return posterior_with(state, a, more).mean;
    }

    // Intervals of a normal variate with the predictive mean and variance, each by its mean.
    void predictive(std::int64_t state, std::int32_t a, std::span<const double> more,
                    std::vector<RewardOutcome>& out) const override {
        const NormalOutcome known = posterior_with(state, a, more);
        const double deviation = std::sqrt(known.predictive_variance());
        const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
        const auto density = [](double x) { return std::exp(-x * x / 2) * 0.3989422804014327; };
        double P = 0, height = 0;
        for (std::size_t i = 0; i <= cuts.size(); ++i) {
            const double next = i < cuts.size() ? below(cuts[i]) : 1, end = i < cuts.size() ? density(cuts[i]) : 0;
            if (next > P) out.push_back({known.mean + deviation * (height - end) / (next - P), next - P});
            P = next, height = end;
        }
    }

    template <class Archive>
    void archive(Archive& a) {
        seen_.archive(a, observations);
        for (std::size_t i = 0; i < seen_.cells().size(); i += WIDTH) {
            const double n = seen_.cells()[i], squares = seen_.cells()[i + 2];
            a.check(0 <= n && n <= static_cast<double>(observations) && std::floor(n) == n,
                    "a count of rewards is out of range");
            a.check(std::isfinite(seen_.cells()[i + 1]) && 0 <= squares && std::isfinite(squares),
                    "the mean of rewards is out of range");
        }
    }

    std::vector<double> in_order_of(const StateIndex& index) const { return seen_.in_order_of(index); }

    const std::int32_t num_actions;
    const std::vector<double> cuts;  // between rewards that a search tells apart; see models/normal_rewards.hpp

 private:
    std::vector<NormalOutcome> priors_;
    PairTable seen_;  // [visited, A, WIDTH]
};

}  // namespace bamdp

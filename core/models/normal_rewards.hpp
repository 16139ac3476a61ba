// Unknown rewards that are normal (see beliefs/normal_rewards.hpp) in a search.
//
// Mean and variance of a pair are integrated out, drawn when a simulation first needs them, or drawn all at the start: equal in
// distribution. No reward is seen twice, so a node can't branch on each of them: the real line is cut into intervals, and the key of
// a step has the number of the interval. `cuts` are in standard deviations from the mean, by the predictive distribution at the root.
// Choices then depend on the history, seen less precisely, which keeps root sampling exact: what is
// computed is the value of the best policy that sees no more than the intervals, from the next decision on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "beliefs/normal_rewards.hpp"
#include "models/sampling.hpp"
#include "models/unknown_rewards.hpp"
#include "support/index.hpp"

namespace bamdp {

// Shared by all: what was known at the root.
class NormalDraws {
 public:
    using Seen = NormalRewards;

    explicit NormalDraws(std::shared_ptr<const NormalRewards> seen) : seen_(std::move(seen)) {}

    void load(std::vector<double> samples) { samples_ = std::move(samples); }

 protected:
    NormalSample sample(std::size_t pair) const {
        const std::size_t first = pair * NormalRewards::WIDTH;
        if (first >= samples_.size()) return {};
        return {samples_[first], samples_[first + 1], samples_[first + 2]};
    }

    NormalOutcome known(const Pair& pair) const { return NormalRewards::after(seen_->prior(pair.state, pair.a), sample(pair.index)); }

    Paid paid(double reward, const NormalOutcome& root) const {
        const double units = (reward - root.mean) / std::sqrt(root.predictive_variance());
        double interval = 0;
        for (const double cut : seen_->cuts) interval += units > cut ? 1 : 0;
        return {reward, interval};
    }

    std::shared_ptr<const NormalRewards> seen_;

 private:
    std::vector<double> samples_;  // [indices, A, WIDTH] of real steps
};

// Mean and variance integrated out: what a simulation has drawn for a pair counts like an observation.
class NormalUrns : public NormalDraws {
 public:
    using NormalDraws::NormalDraws;

    Paid draw(const Pair& pair, Random& rng) {
        Urn& urn = urns_.get(pair.index, [&](Urn& fresh) { fresh = {known(pair), sample(pair.index)}; });
        const NormalOutcome now = NormalRewards::after(seen_->prior(pair.state, pair.a), urn.sample);
        const double reward = now.mean + std::sqrt(now.draw_variance(rng) * (1 + 1 / now.strength)) * rng.normal();
        urn.sample.add(reward);
        return paid(reward, urn.root);
    }

    void end() { urns_.forget(); }

 private:
    struct Urn {
        NormalOutcome root{};
        NormalSample sample{};
    };
    DrawnRows<Urn> urns_;  // [indices, A]
};

// Mean and variance of a pair drawn when a simulation first needs them.
class DrawnNormals : public NormalDraws {
 public:
    using NormalDraws::NormalDraws;

    Paid draw(const Pair& pair, Random& rng) {
        const Drawn& drawn = drawn_.get(pair.index, [&](Drawn& fresh) { fresh = draw_from(known(pair), rng); });
        return paid(drawn.mean + drawn.deviation * rng.normal(), drawn.root);
    }

    void end() { drawn_.forget(); }

 protected:
    struct Drawn {
        NormalOutcome root{};
        double mean = 0, deviation = 0;
    };

    static Drawn draw_from(const NormalOutcome& root, Random& rng) {
        const double variance = root.draw_variance(rng);
        return {root, root.mean + std::sqrt(variance / root.strength) * rng.normal(), std::sqrt(variance)};
    }

 private:
    DrawnRows<Drawn> drawn_;  // [indices, A]
};

// Mean and variance of all pairs drawn at the start of each simulation.
class AllNormals : public DrawnNormals {
 public:
    using DrawnNormals::DrawnNormals;

    void begin(std::int64_t num_states, Random& rng) {
        table_.clear();
        for (std::int64_t s = 0; s < num_states; ++s)
            for (std::int32_t a = 0; a < seen_->num_actions; ++a) table_.push_back(draw_from(seen_->posterior(s, a), rng));
    }

    Paid draw(const Pair& pair, Random& rng) {
        const Drawn& drawn = table_[static_cast<std::size_t>(pair.state * seen_->num_actions + pair.a)];
        return paid(drawn.mean + drawn.deviation * rng.normal(), drawn.root);
    }

    void end() {}

 private:
    std::vector<Drawn> table_;  // [S, A]
};

template <Sampling S>
struct NormalDrawsOf {
    using type = NormalUrns;
};
template <>
struct NormalDrawsOf<Sampling::lazy> {
    using type = DrawnNormals;
};
template <>
struct NormalDrawsOf<Sampling::full> {
    using type = AllNormals;
};

template <Sampling S, class Belief>
    requires requires { typename ModelOf<S, Belief>::type; }
struct ModelOf<S, Belief, NormalRewards> {
    using type = WithUnknownRewards<Belief, typename ModelOf<S, Belief>::type, typename NormalDrawsOf<S>::type>;
};
template <Sampling S, class Belief>
    requires requires { ModelOf<S, Belief>::unsupported; }
struct ModelOf<S, Belief, NormalRewards> {
    static constexpr const char* unsupported = ModelOf<S, Belief>::unsupported;
};

}  // namespace bamdp

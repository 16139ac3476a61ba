// Unknown rewards beside unknown transitions. The reward of each state and action is one of V declared values:
//
//   random         theta(s, a) ~ Dirichlet(alpha), r ~ theta(s, a);  P(r = v | n) = (alpha_v + n_v) / (sum alpha + N)
//   deterministic  r(s, a) is v with probability alpha_v / sum alpha, and for ever the one that was seen first
//
// On top of any model of the transitions theta is integrated out (an urn per state and action) or drawn when a simulation first
// needs it: equal in distribution. The agent sees the reward, so the key of a step has it too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "../index.hpp"
#include "../model.hpp"
#include "../priors/dirichlet.hpp"
#include "rows.hpp"

namespace bamdp {

// Rewards really seen.
class RewardCounts {
 public:
    RewardCounts(std::vector<double> values, std::vector<double> alpha, bool deterministic, std::int32_t num_actions)
        : values(std::move(values)), alpha(std::move(alpha)), deterministic(deterministic), num_actions(num_actions) {}

    void observe(std::int64_t state, std::int32_t a, std::size_t value) {
        const Handle h = met_.find_or_add(state);
        n_.resize(static_cast<std::size_t>(met_.size()) * line());
        ++n_[static_cast<std::size_t>(h) * line() + static_cast<std::size_t>(a) * values.size() + value];
        ++observations;
    }

    std::vector<double> counts(std::int64_t state, std::int32_t a) const {
        const Handle h = met_.find(state);
        if (h == NONE) return std::vector<double>(values.size(), 0.0);
        const auto first = n_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(h) * line() + static_cast<std::size_t>(a) * values.size());
        return {first, first + static_cast<std::ptrdiff_t>(values.size())};
    }

    // All counts, lines in the order of another index.
    std::vector<double> in_order_of(const StateIndex& index) const {
        std::vector<double> ordered(static_cast<std::size_t>(index.size()) * line(), 0.0);
        for (Handle h = 0; h < met_.size(); ++h) {
            const auto from = n_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(h) * line());
            std::copy_n(from, line(), ordered.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index.find(met_.state(h))) * line()));
        }
        return ordered;
    }

    std::size_t line() const { return static_cast<std::size_t>(num_actions) * values.size(); }

    const std::vector<double> values, alpha;  // [V]
    const bool deterministic;
    const std::int32_t num_actions;
    std::int64_t observations = 0;

 private:
    StateIndex met_;
    std::vector<double> n_;  // [met, A, V]
};

// Theta integrated out: what a simulation has drawn of a pair counts as if it had been seen.
class RewardUrns {
 public:
    explicit RewardUrns(std::shared_ptr<const RewardCounts> seen)
        : seen_(std::move(seen)), mass_(std::accumulate(seen_->alpha.begin(), seen_->alpha.end(), 0.0)) {}

    void load(std::vector<double> counts) { n_ = std::move(counts); }

    BAMDP_INLINE std::size_t draw(std::size_t pair, Random& rng) {
        const std::size_t V = seen_->values.size(), first = pair * V;
        if (first + V > n_.size()) n_.resize(2 * (first + V), 0.0);
        const std::size_t value = draw_from_urn(&n_[first], rng);
        n_[first + value] += 1;
        undo_.push_back(first + value);
        return value;
    }

    void end() {
        for (const std::size_t at : undo_) n_[at] -= 1;
        undo_.clear();
    }

 private:
    std::size_t draw_from_urn(const double* n, Random& rng) const {
        const std::size_t V = seen_->values.size();
        const double total = std::accumulate(n, n + V, 0.0);
        if (seen_->deterministic && total > 0) return static_cast<std::size_t>(std::max_element(n, n + V) - n);
        double u = rng.uniform() * (mass_ + total);
        std::size_t value = 0, possible = 0;
        for (; value < V && u >= seen_->alpha[value] + n[value]; ++value) {
            if (seen_->alpha[value] + n[value] > 0) possible = value;
            u -= seen_->alpha[value] + n[value];
        }
        return value < V ? value : possible;  // rounding must not pick what is impossible
    }

    std::shared_ptr<const RewardCounts> seen_;
    double mass_;
    std::vector<double> n_;          // [handles, A, V] of real steps and of this simulation
    std::vector<std::size_t> undo_;  // what `end` takes back
};

// Theta of a pair drawn when a simulation first needs it; that of a deterministic reward has all its mass on one value.
class DrawnRewards {
 public:
    explicit DrawnRewards(std::shared_ptr<const RewardCounts> seen) : seen_(std::move(seen)) {}

    void load(std::vector<double> counts) { n_ = std::move(counts); }

    std::size_t draw(std::size_t pair, Random& rng) {
        const Row& theta = rows_.get(pair, [&](Row& fresh) { draw_theta(pair, rng, fresh); });
        return static_cast<std::size_t>(theta.states[draw_from(theta.cumulative, rng)]);
    }

    void end() { rows_.forget(); }

 private:
    void draw_theta(std::size_t pair, Random& rng, Row& theta) {
        weigh(pair);
        RowDraw draw(theta, rng);
        for (std::size_t v = 0; v < weights_.size(); ++v) {
            if (weights_[v] <= 0) continue;
            if (seen_->deterministic) theta.add(static_cast<std::int64_t>(v), weights_[v]);
            else draw.add(static_cast<std::int64_t>(v), weights_[v]);
        }
        draw.finish([&](std::int64_t v) { return weights_[static_cast<std::size_t>(v)]; });
        if (seen_->deterministic) theta.keep(draw_from(theta.cumulative, rng));
    }

    // alpha + n; where a deterministic reward was seen, n alone.
    void weigh(std::size_t pair) {
        const std::size_t V = seen_->values.size(), first = pair * V;
        weights_.assign(V, 0.0);
        if (first < n_.size()) std::copy_n(n_.begin() + static_cast<std::ptrdiff_t>(first), V, weights_.begin());
        if (seen_->deterministic && *std::max_element(weights_.begin(), weights_.end()) > 0) return;
        for (std::size_t v = 0; v < V; ++v) weights_[v] += seen_->alpha[v];
    }

    std::shared_ptr<const RewardCounts> seen_;
    std::vector<double> n_;        // [handles, A, V] of real steps
    std::vector<double> weights_;  // [V] of one pair
    DrawnRows<Row> rows_;          // [handles, A]
};

template <class Belief, class M, class Drawn>
class WithUnknownRewards {
 public:
    template <class... More>
    WithUnknownRewards(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> unused, std::shared_ptr<const RewardCounts> seen, const More&... more)
        : belief_(std::move(belief)), seen_(std::move(seen)), transitions_(belief_, std::move(unused), more...), rewards_(seen_) {}

    void sync() {
        transitions_.sync();
        if (synced_ == seen_->observations) return;
        rewards_.load(seen_->in_order_of(belief_->known()));
        synced_ = seen_->observations;
    }

    Handle begin(std::int64_t state, Random& rng) { return transitions_.begin(state, rng); }

    BAMDP_INLINE Step step(Handle h, std::int32_t a, Random& rng) {
        Step step = transitions_.step(h, a, rng);
        const std::size_t pair = static_cast<std::size_t>(h) * static_cast<std::size_t>(seen_->num_actions) + static_cast<std::size_t>(a);
        step.reward = seen_->values[rewards_.draw(pair, rng)];
        step.key = key_of(step.key, step.reward);
        return step;
    }

    void end() {
        rewards_.end();
        transitions_.end();
    }

    std::int64_t state(Handle h) const { return transitions_.state(h); }

    std::int64_t key(std::int64_t next_state, double reward) const { return key_of(next_state, reward); }

 private:
    std::shared_ptr<const Belief> belief_;
    std::shared_ptr<const RewardCounts> seen_;
    M transitions_;
    Drawn rewards_;
    std::int64_t synced_ = 0;
};

}  // namespace bamdp

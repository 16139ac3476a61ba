// Unknown rewards beside unknown transitions. The reward of each state and action is one of V declared values:
//
//   random         theta(s, a) ~ Dirichlet(alpha), r ~ theta(s, a);  P(r = v | n) = (alpha_v + n_v) / (sum alpha + N)
//   deterministic  r(s, a) is v with probability alpha_v / sum alpha, and for ever the one that was seen first
//
// Theta is integrated out: an urn per state and action, on top of any model of the transitions. The agent sees the reward, so the
// key of a step has it too.
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

template <class Belief, class M>
class WithUnknownRewards {
 public:
    template <class... More>
    WithUnknownRewards(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> unused, std::shared_ptr<const RewardCounts> seen, const More&... more)
        : belief_(std::move(belief)), seen_(std::move(seen)), transitions_(belief_, std::move(unused), more...),
          mass_(std::accumulate(seen_->alpha.begin(), seen_->alpha.end(), 0.0)) {}

    void sync() {
        transitions_.sync();
        if (synced_ == seen_->observations) return;
        n_ = seen_->in_order_of(belief_->known());
        synced_ = seen_->observations;
    }

    Handle begin(std::int64_t state, Random& rng) { return transitions_.begin(state, rng); }

    BAMDP_INLINE Step step(Handle h, std::int32_t a, Random& rng) {
        Step step = transitions_.step(h, a, rng);
        const std::size_t V = seen_->values.size(), first = static_cast<std::size_t>(h) * seen_->line() + static_cast<std::size_t>(a) * V;
        if (first + V > n_.size()) n_.resize(2 * (first + V), 0.0);
        const std::size_t value = draw(&n_[first], rng);
        n_[first + value] += 1;
        undo_.push_back(first + value);
        step.reward = seen_->values[value];
        step.key = key_of(step.key, step.reward);
        return step;
    }

    void end() {
        for (const std::size_t at : undo_) n_[at] -= 1;
        undo_.clear();
        transitions_.end();
    }

    std::int64_t state(Handle h) const { return transitions_.state(h); }

    std::int64_t key(std::int64_t next_state, double reward) const { return key_of(next_state, reward); }

 private:

    std::size_t draw(const double* n, Random& rng) const {
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

    std::shared_ptr<const Belief> belief_;
    std::shared_ptr<const RewardCounts> seen_;
    M transitions_;
    double mass_;
    std::vector<double> n_;          // [handles, A, V] of real steps and of this simulation
    std::vector<std::size_t> undo_;  // what `end` takes back
    std::int64_t synced_ = 0;
};

}  // namespace bamdp

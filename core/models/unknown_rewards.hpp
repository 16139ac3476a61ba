// Unknown rewards (see reward_counts.hpp) beside unknown transitions.
//
// On top of any model of the transitions theta is integrated out (an urn per state and action) or drawn when a simulation first
// needs it: equal in distribution. The agent sees the reward, so the key of a step has it too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "beliefs/reward_counts.hpp"
#include "models/model.hpp"
#include "models/rows.hpp"
#include "models/sampling.hpp"
#include "support/index.hpp"

namespace bamdp {

// A state and action, and its place among those of a simulation.
struct Pair {
    std::size_t index;
    std::int64_t state;
    std::int32_t a;
};

// A reward, and what of it names the child node.
struct Paid {
    double reward, seen;
};

// Theta integrated out: what a simulation has drawn for a pair counts like an observation.
class RewardUrns {
 public:
    using Seen = RewardCounts;

    explicit RewardUrns(std::shared_ptr<const RewardCounts> seen)
        : seen_(std::move(seen)), mass_(std::accumulate(seen_->alpha.begin(), seen_->alpha.end(), 0.0)) {}

    void load(std::vector<double> counts) { n_ = std::move(counts); }

    BAMDP_INLINE Paid draw(const Pair& pair, Random& rng) {
        const std::size_t V = seen_->values.size(), first = pair.index * V;
        if (first + V > n_.size()) n_.resize(2 * (first + V), 0.0);
        const std::size_t value = draw_from_urn(&n_[first], rng);
        n_[first + value] += 1;
        undo_.push_back(first + value);
        return {seen_->values[value], seen_->values[value]};
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
    std::vector<double> n_;          // [indices, A, V] of real steps and of this simulation
    std::vector<std::size_t> undo_;  // what `end` takes back
};

// Theta of a pair drawn when a simulation first needs it; that of a deterministic reward has all its mass on one value.
class DrawnRewards {
 public:
    using Seen = RewardCounts;

    explicit DrawnRewards(std::shared_ptr<const RewardCounts> seen) : seen_(std::move(seen)) {}

    void load(std::vector<double> counts) { n_ = std::move(counts); }

    Paid draw(const Pair& pair, Random& rng) {
        const Row& theta = rows_.get(pair.index, [&](Row& fresh) { draw_theta(pair.index, rng, fresh); });
        const double reward = seen_->values[static_cast<std::size_t>(theta.states[draw_from(theta.cumulative, rng)])];
        return {reward, reward};
    }

    void end() { rows_.forget(); }

 private:
    void draw_theta(std::size_t pair, Random& rng, Row& theta) {
        const std::size_t V = seen_->values.size(), first = pair * V;
        const bool any = first < n_.size();
        seen_->draw_theta(any ? std::span(&n_[first], V) : std::span<const double>{}, rng, theta);
    }

    std::shared_ptr<const RewardCounts> seen_;
    std::vector<double> n_;  // [indices, A, V] of real steps
    DrawnRows<Row> rows_;    // [indices, A]
};

template <class Belief, class M, class Drawn>
class WithUnknownRewards {
 public:
    using Seen = typename Drawn::Seen;
    static constexpr bool has_mean = M::has_mean;
    static constexpr bool has_rows = true;  // of rewards
    static constexpr bool has_urns = requires { requires M::has_urns; };
    static constexpr bool keys_last = std::is_same_v<Seen, RewardCounts>;  // a key means the same in the next search

    WithUnknownRewards(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> unused, std::shared_ptr<const Seen> seen)
        : belief_(std::move(belief)), seen_(std::move(seen)), transitions_(belief_, std::move(unused)), rewards_(seen_) {}

    void sync() {
        transitions_.sync();
        if (synced_ == seen_->observations) return;
        rewards_.load(seen_->in_order_of(belief_->known()));
        synced_ = seen_->observations;
    }

    Index begin(std::int64_t state, Random& rng) {
        if constexpr (requires { rewards_.begin(belief_->num_states, rng); }) rewards_.begin(belief_->num_states, rng);
        return transitions_.begin(state, rng);
    }
    Index enter(std::int64_t state) { return transitions_.enter(state); }

    BAMDP_INLINE Step step(Index h, std::int32_t a, Random& rng) {
        Step step = transitions_.step(h, a, rng);
        const std::size_t index = static_cast<std::size_t>(h) * static_cast<std::size_t>(seen_->num_actions) + static_cast<std::size_t>(a);
        const auto [reward, seen] = rewards_.draw({index, transitions_.state(h), a}, rng);
        step.reward = reward;
        step.key = key_of(step.key, seen);
        return step;
    }

    void end() {
        rewards_.end();
        transitions_.end();
    }

    std::int64_t state(Index h) const { return transitions_.state(h); }

    std::int64_t key(std::int64_t next_state, double reward) const
        requires keys_last
    {
        return key_of(next_state, reward);
    }

    // Counts of rewards are loaded by the next `sync`, as they are in a model that is new.
    template <class Archive>
    void archive(Archive& a) {
        if constexpr (requires { transitions_.archive(a); }) transitions_.archive(a);
    }

 private:
    std::shared_ptr<const Belief> belief_;
    std::shared_ptr<const Seen> seen_;
    M transitions_;
    Drawn rewards_;
    std::int64_t synced_ = 0;
};

// Rewards are drawn lazily where transitions are; else they are urns, which BA-UCT needs too.
template <Sampling S, class Belief>
    requires requires { typename ModelOf<S, Belief>::type; }
struct ModelOf<S, Belief, RewardCounts> {
    using type = WithUnknownRewards<Belief, typename ModelOf<S, Belief>::type, std::conditional_t<S == Sampling::lazy, DrawnRewards, RewardUrns>>;
};
template <Sampling S, class Belief>
    requires requires { ModelOf<S, Belief>::unsupported; }
struct ModelOf<S, Belief, RewardCounts> {
    static constexpr const char* unsupported = ModelOf<S, Belief>::unsupported;
};
template <class Belief>
struct ModelOf<Sampling::full, Belief, RewardCounts> {
    static constexpr const char* unsupported = "sampling=\"full\" is not for unknown rewards; \"collapsed\" and \"lazy\" are, equal in distribution";
};

}  // namespace bamdp

// Unknown rewards (beliefs/reward_counts.hpp, beliefs/normal_rewards.hpp) beside unknown transitions.
//
// On top of any model of the transitions the parameters of a pair's rewards are integrated out (an urn per state and
// action) or drawn when a simulation first needs them: equal in distribution. The agent sees the reward, so the key of
// a step has it too.
//
// No normal reward is seen twice, so a node can't branch on each of them: the real line is cut into intervals, and the
// key of a step has the number of the interval. `cuts` are in standard deviations from the mean, by the predictive
// distribution at the root. Choices then depend on the history, seen less precisely, which keeps root sampling exact:
// what is computed is the value of the best policy that sees no more than the intervals, from the next decision on.
#pragma once

#include "beliefs/normal_rewards.hpp"
#include "beliefs/reward_counts.hpp"
#include "models/model.hpp"
#include "models/rows.hpp"
#include "models/sampling.hpp"

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

template <class B>
class RewardDraws {
 public:
    using Seen = B;

    explicit RewardDraws(std::shared_ptr<const B> seen) : seen_(std::move(seen)) {}
    void load(std::vector<double> numbers) { n_ = std::move(numbers); }

 protected:
    std::shared_ptr<const B> seen_;
    std::vector<double> n_;  // [indices, A, width] what the belief has of real steps
};

// Theta integrated out: what a simulation has drawn for a pair counts like an observation.
class RewardUrns : public RewardDraws<RewardCounts> {
 public:
    using RewardDraws::RewardDraws;

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
        double u = rng.uniform() * (seen_->mass + total);
        std::size_t value = 0, possible = 0;
        for (; value < V && u >= seen_->alpha[value] + n[value]; ++value) {
            if (seen_->alpha[value] + n[value] > 0) possible = value;
            u -= seen_->alpha[value] + n[value];
        }
        return value < V ? value : possible;  // rounding must not pick what is impossible
    }

    std::vector<std::size_t> undo_;  // what `end` takes back
};

// Theta of a pair drawn when a simulation first needs it; that of a deterministic reward has all its mass on one value.
class DrawnRewards : public RewardDraws<RewardCounts> {
 public:
    using RewardDraws::RewardDraws;

    Paid draw(const Pair& pair, Random& rng) {
        const Row& theta = rows_.get(pair.index, [&](Row& fresh) {
            const std::size_t V = seen_->values.size(), first = pair.index * V;
            seen_->draw_theta(first < n_.size() ? std::span<const double>(&n_[first], V) : std::span<const double>{},
                              rng, fresh);
        });
        const double reward = seen_->values[static_cast<std::size_t>(theta.states[draw_from(theta.cumulative, rng)])];
        return {reward, reward};
    }

    void end() { rows_.forget(); }

 private:
    DrawnRows<Row> rows_;  // [indices, A]
};

// Mean and variance integrated out, or drawn when a simulation first needs them.
template <bool COLLAPSED>
class NormalDraws : public RewardDraws<NormalRewards> {
 public:
    using RewardDraws::RewardDraws;

    Paid draw(const Pair& pair, Random& rng) {
        Drawn& drawn = drawn_.get(pair.index, [&](Drawn& fresh) { begin(pair, rng, fresh); });
        if (COLLAPSED) {
            const NormalOutcome now = NormalRewards::after(seen_->prior(pair.state, pair.a), drawn.sample);
            drawn.mean = now.mean;
            drawn.deviation = std::sqrt(now.draw_variance(rng) * (1 + 1 / now.strength));
        }
        const double reward = drawn.mean + drawn.deviation * rng.normal();
        if (COLLAPSED) drawn.sample.add(reward);
        const double units = (reward - drawn.root.mean) / std::sqrt(drawn.root.predictive_variance());
        return {reward,
                static_cast<double>(std::ranges::count_if(seen_->cuts, [&](double cut) { return units > cut; }))};
    }

    void end() { drawn_.forget(); }

 private:
    struct Drawn {
        NormalOutcome root{};           // what was known at the root
        NormalSample sample{};          // of real steps and, collapsed, of this simulation
        double mean = 0, deviation = 0;
    };

    void begin(const Pair& pair, Random& rng, Drawn& fresh) const {
        const std::size_t first = pair.index * NormalRewards::WIDTH;
        fresh.sample = first < n_.size() ? NormalSample{n_[first], n_[first + 1], n_[first + 2]} : NormalSample{};
        fresh.root = NormalRewards::after(seen_->prior(pair.state, pair.a), fresh.sample);
        if (COLLAPSED) return;
        const double variance = fresh.root.draw_variance(rng);
        fresh.mean = fresh.root.mean + std::sqrt(variance / fresh.root.strength) * rng.normal();
        fresh.deviation = std::sqrt(variance);
    }

    DrawnRows<Drawn> drawn_;  // [indices, A]
};

template <class Belief, class M, class Drawn>
class WithUnknownRewards {
 public:
    using Seen = typename Drawn::Seen;
    static constexpr bool has_mean = M::has_mean;
    static constexpr bool has_rows = true;  // of rewards
    static constexpr bool keys_last = std::is_same_v<Seen, RewardCounts>;  // a key means the same in the next search

    WithUnknownRewards(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> unused,
                       std::shared_ptr<const Seen> seen)
        : belief_(std::move(belief)), seen_(std::move(seen)), transitions_(belief_, std::move(unused)),
          rewards_(seen_) {}

    void sync() {
        transitions_.sync();
        if (synced_ == seen_->observations) return;
        rewards_.load(seen_->in_order_of(belief_->known()));
        synced_ = seen_->observations;
    }

    Index begin(std::int64_t state, Random& rng) { return transitions_.begin(state, rng); }
    Index enter(std::int64_t state) { return transitions_.enter(state); }

    BAMDP_INLINE Step step(Index h, std::int32_t a, Random& rng) {
        Step step = transitions_.step(h, a, rng);
        const std::size_t index =
            static_cast<std::size_t>(h) * static_cast<std::size_t>(seen_->num_actions) + static_cast<std::size_t>(a);
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

template <class Seen, bool LAZY>
using RewardDrawsOf = std::conditional_t<std::is_same_v<Seen, NormalRewards>, NormalDraws<!LAZY>,
                                         std::conditional_t<LAZY, DrawnRewards, RewardUrns>>;

// Rewards are drawn lazily where transitions are; else they are urns, which BA-UCT needs too.
template <Sampling S, class Belief, std::derived_from<RewardBelief> Seen>
struct ModelOf<S, Belief, Seen> {
    using type =
        WithUnknownRewards<Belief, typename ModelOf<S, Belief>::type, RewardDrawsOf<Seen, S == Sampling::lazy>>;
    static constexpr const char* unsupported =
        S == Sampling::full
            ? "sampling=\"full\" is not for unknown rewards; \"collapsed\" and \"lazy\" are, equal in distribution"
            : ModelOf<S, Belief>::unsupported;
};

}  // namespace bamdp

// The concept of a model: `begin` a simulation in a state, `step` through it, `end` it (forget what it sampled).
//
// Root sampling = one draw from the posterior per `begin`, real or implied: all steps of one simulation agree with one
// model. A model names states by its own indices; `key` is what the agent would have observed and names the child node.
// A model whose keys are more than the next state also has state(index), and key(next_state, reward) for the steps that
// are really taken.
#pragma once

#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

struct Step {
    Index next;
    double reward;
    std::int64_t key;
    bool terminal = false;  // no more rewards after this step
};

// The agent's observation of a step where the reward is informative.
inline std::int64_t key_of(std::int64_t next_state, double reward) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(next_state) ^
                                     mix(std::bit_cast<std::uint64_t>(reward + 0.0)));  // not −0
}

template <class M>
concept Model = requires(M model, std::int64_t state, Index h, std::int32_t a, Random& rng) {
    { model.sync() };  // update with the observations since the last search
    { model.begin(state, rng) } -> std::same_as<Index>;
    { model.step(h, a, rng) } -> std::same_as<Step>;
    { model.end() };
};

// A model in which an episode can end and the next one start in a given state, within a simulation.
template <class M>
concept CanRestart = requires(M model, std::int64_t state) {
    { model.enter(state) } -> std::same_as<Index>;
};

// The state after a step: its key, where a model doesn't say otherwise.
template <Model M>
BAMDP_INLINE std::int64_t state_after(const M& model, const Step& step) {
    if constexpr (requires { model.state(step.next); })
        return model.state(step.next);
    else
        return step.key;
}

// A model may restrict the actions that are considered in a state: restricts_actions(), and actions(h), a list in
// ascending order.
template <class M>
concept RestrictsActions = requires(const M& model, Index h) {
    { model.actions(h) } -> std::same_as<std::span<const std::int32_t>>;
};

// `a`, if it is considered in a state; else one that is, at random.
template <Model M>
BAMDP_INLINE std::int32_t considered(const M& model, Index h, std::int32_t a, Random& rng) {
    if constexpr (RestrictsActions<M>)
        if (model.restricts_actions()) [[unlikely]] {
            const std::span<const std::int32_t> actions = model.actions(h);
            if (!std::ranges::binary_search(actions, a))
                return actions[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(actions.size())))];
        }
    return a;
}

// Known rewards, [S, A] or [S, A, S].
//
// A large table of few distinct values is packed into codes of 1, 2, 4 or 8 bits, so that it stays in the cache: with a
// million states and unpacked rewards, 80 % of a simulation's time is waiting for this one look-up.
class Rewards {
 public:
    Rewards(std::vector<double> values, std::int64_t num_states, std::int32_t num_actions)
        : values_(std::move(values)), num_states_(num_states), num_actions_(num_actions),
          by_next_state_(!values_.empty() && static_cast<std::int64_t>(values_.size()) > num_states * num_actions) {
        if (values_.size() > 32768) pack();
    }

    BAMDP_INLINE double operator()(std::int64_t state, std::int32_t a, std::int64_t next_state) const {
        std::int64_t i = state * num_actions_ + a;
        if (by_next_state_) i = i * num_states_ + next_state;
        const auto at = static_cast<std::uint64_t>(i);
        if (codes_.empty()) return values_[at];
        return values_[(codes_[at >> (6 - log_bits_)] >> ((at << log_bits_) & 63)) & ((1U << (1U << log_bits_)) - 1)];
    }

 private:
    void pack() {
        std::vector<double> distinct;
        std::vector<std::uint8_t> code_of(values_.size());
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const auto code = std::find(distinct.begin(), distinct.end(), values_[i]);
            code_of[i] = static_cast<std::uint8_t>(code - distinct.begin());
            if (code != distinct.end()) continue;
            if (distinct.size() == 256) return;
            distinct.push_back(values_[i]);
        }
        while ((std::size_t{1} << (1U << log_bits_)) < distinct.size()) ++log_bits_;
        codes_.resize((values_.size() >> (6 - log_bits_)) + 1);
        for (std::size_t i = 0; i < values_.size(); ++i)
            codes_[i >> (6 - log_bits_)] |= static_cast<std::uint64_t>(code_of[i]) << ((i << log_bits_) & 63);
        values_ = std::move(distinct);
    }

    std::vector<double> values_;        // [S·A] or [S·A·S], or the distinct ones
    std::vector<std::uint64_t> codes_;  // packed, empty if the values are not
    std::uint32_t log_bits_ = 0;
    std::int64_t num_states_;
    std::int32_t num_actions_;
    bool by_next_state_;
};

}  // namespace bamdp

// One of M known transition tables, which one is unknown: the belief, and the model that draws one for each simulation.
//
//   posterior   w_m ∝ w_m^0 Π P_m(s' | s, a)   over the observed transitions
//   predictive  P(s' | s, a) = Σ_m w_m P_m(s' | s, a)
//
// The worlds may also differ in what they pay and where they end. Those that pay something else than was observed, or
// end elsewhere, are ruled out; one in which an action was taken doesn't end there.
#pragma once

#include <numbers>

#include "models/sampling.hpp"
#include "models/tabular.hpp"
#include "support/alias.hpp"

namespace bamdp {

// A number that is not negative and may be far below the smallest double: fraction · 2^exponent, 1/2 <= fraction < 1 or
// all zero. Products and sums have the bits that they have as doubles, where those don't underflow.
struct Scaled {
    double fraction = 0;
    std::int64_t exponent = 0;

    Scaled() = default;
    explicit Scaled(double number, std::int64_t more = 0) {
        int own = 0;
        fraction = std::frexp(number, &own);
        exponent = number > 0 ? own + more : 0;
    }

    // As a double, divided by 2^unit.
    double over(std::int64_t unit) const {
        return std::ldexp(fraction, static_cast<int>(std::clamp<std::int64_t>(exponent - unit, -5000, 5000)));
    }
};

class FiniteBelief : public VisitedStates {
 public:
    // `tables` [M, S, A, S], `weights` [M] sum to one; `rewards` [M, S, A] or [M, S, A, S], or empty if worlds don't
    // differ in them; `terminal` [M, S] or empty.
    FiniteBelief(std::vector<double> tables, std::vector<double> weights, std::int64_t num_states,
                 std::int32_t num_actions, std::vector<double> rewards = {}, std::vector<double> terminal = {})
        : VisitedStates(num_states, num_actions), tables_(std::move(tables)), weights_(std::move(weights)),
          scaled_(weights_.begin(), weights_.end()), columns_(tables_.size()), rewards_(std::move(rewards)),
          terminal_(terminal.begin(), terminal.end()) {
        fill_columns();
    }

    std::size_t num_models() const { return weights_.size(); }
    const std::vector<double>& weights() const { return weights_; }  // 0 also where a weight is too small for a double
    bool is_left(std::size_t model) const { return scaled_[model].fraction > 0; }
    double log_weight(std::size_t model) const {
        const Scaled& w = scaled_[model];
        return std::log(w.fraction) + static_cast<double>(w.exponent) * std::numbers::ln2;
    }

    std::int64_t pair(std::int64_t state, std::int32_t a) const { return state * num_actions + a; }
    std::span<const double> row(std::size_t model, std::int64_t pair) const {
        return {&tables_[first(model, pair)], static_cast<std::size_t>(num_states)};
    }
    const AliasColumn* columns(std::size_t model, std::int64_t pair) const { return &columns_[first(model, pair)]; }

    // The average of the tables' rows, by their weights.
    std::vector<double> predictive(std::int64_t state, std::int32_t a) const {
        std::vector<double> mean(static_cast<std::size_t>(num_states), 0.0);
        for (std::size_t m = 0; m < num_models(); ++m) {
            if (weights_[m] <= 0) continue;
            const std::span<const double> from = row(m, pair(state, a));
            for (std::size_t s = 0; s < mean.size(); ++s) mean[s] += weights_[m] * from[s];
        }
        return mean;
    }

    bool pays() const { return !rewards_.empty(); }
    bool ends() const { return !terminal_.empty(); }
    double reward(std::size_t model, std::int64_t pair, std::int64_t next) const {
        if (rewards_.size() == tables_.size()) return rewards_[first(model, pair) + static_cast<std::size_t>(next)];
        return rewards_[first(model, pair) / static_cast<std::size_t>(num_states)];
    }
    bool is_terminal(std::size_t model, std::int64_t state) const {
        return ends() && terminal_[model * static_cast<std::size_t>(num_states) + static_cast<std::size_t>(state)] != 0;
    }

    // P_m(s', r | s, a), or P_m(s' | s, a) if the reward is UNSEEN.
    double likelihood(std::size_t model, std::int64_t state, std::int32_t a, double reward, std::int64_t next) const {
        if (is_terminal(model, state)) return 0;
        if (pays() && !std::isnan(reward) && !same_reward(this->reward(model, pair(state, a), next), reward)) return 0;
        return row(model, pair(state, a))[static_cast<std::size_t>(next)];
    }

    static constexpr double UNSEEN =
        std::numeric_limits<double>::quiet_NaN();  // in place of a reward that was not observed
    bool possible(std::int64_t state, std::int32_t a, std::int64_t next, double reward) const {
        for (std::size_t m = 0; m < num_models(); ++m)
            if (is_left(m) && likelihood(m, state, a, reward, next) > 0) return true;
        return false;
    }

    // A step; the reward may be UNSEEN, and `ended` 1, 0, or -1 if that is not known. False, and nothing changes, if it
    // is impossible.
    bool observe(std::int64_t state, std::int32_t a, std::int64_t next, double reward = UNSEEN,
                 std::int64_t ended = -1) {
        const std::int64_t action = a;
        return observe_many({&state, 1}, {&action, 1}, {&reward, 1}, {&next, 1}, {&ended, 1}) == 1;
    }

    // Many steps, given by their columns. The index of the first step that is impossible, and then nothing changes, or
    // their number.
    std::size_t observe_many(std::span<const std::int64_t> states, std::span<const std::int64_t> actions,
                             std::span<const double> rewards, std::span<const std::int64_t> next_states,
                             std::span<const std::int64_t> ended) {
        const std::vector<Scaled> scaled = scaled_;
        const std::vector<double> weights = weights_;
        const Index known = known_.size();
        const std::int64_t before = observations;
        for (std::size_t i = 0; i < states.size(); ++i) {
            const bool possible =
                observe_step(states[i], static_cast<std::int32_t>(actions[i]), rewards[i], next_states[i]);
            if (possible && (ended[i] < 0 || !ends() || observe_end(next_states[i], ended[i] > 0))) continue;
            scaled_ = scaled, weights_ = weights, observations = before;
            known_.truncate(known);
            return i;
        }
        return states.size();
    }

    template <class Archive>
    void archive(Archive& a) {
        const std::size_t models = num_models();
        VisitedStates::archive(a);
        std::vector<double> saved;  // [M] fractions and [M] exponents
        for (const Scaled& w : scaled_) saved.push_back(w.fraction);
        for (const Scaled& w : scaled_) saved.push_back(static_cast<double>(w.exponent));
        a(saved);
        if constexpr (Archive::reading) {
            a.check(saved.size() == 2 * models, "it is of another number of tables");
            double sum = 0;
            for (std::size_t m = 0; m < models; ++m) {
                const double exponent = saved[models + m];
                a.check(0 <= saved[m] && saved[m] <= 1 && -1e18 < exponent && exponent <= 1,
                        "a weight is out of range");
                scaled_[m] = Scaled(saved[m], static_cast<std::int64_t>(exponent));
                sum += weights_[m] = scaled_[m].over(0);
            }
            a.check(std::abs(sum - 1) < 1e-6, "weights don't sum to one");
        }
    }

    std::size_t draw(Random& rng) const {
        return draw_by([&](std::size_t m) { return weights_[m]; }, rng.uniform());
    }

    // One in which `state` is not terminal, if there is any.
    std::size_t draw_in(std::int64_t state, Random& rng) const {
        if (!ends()) return draw(rng);
        double sum = 0;
        for (std::size_t m = 0; m < num_models(); ++m) sum += is_terminal(m, state) ? 0 : weights_[m];
        if (sum <= 0) return draw(rng);
        return draw_by([&](std::size_t m) { return is_terminal(m, state) ? 0 : weights_[m]; }, rng.uniform() * sum);
    }

 private:
    bool observe_step(std::int64_t state, std::int32_t a, double reward, std::int64_t next) {
        for (std::size_t m = 0; m < num_models(); ++m) {
            const Scaled factor(likelihood(m, state, a, reward, next));
            scaled_[m] = Scaled(scaled_[m].fraction * factor.fraction, scaled_[m].exponent + factor.exponent);
        }
        visit(state, next);
        return normalise();
    }

    // Whether an episode ended in `state`.
    bool observe_end(std::int64_t state, bool terminated) {
        for (std::size_t m = 0; m < num_models(); ++m)
            if (is_terminal(m, state) != terminated) scaled_[m] = Scaled();
        return normalise();
    }

    // False if all weights are 0.
    bool normalise() {
        std::int64_t unit = std::numeric_limits<std::int64_t>::min();
        for (const Scaled& w : scaled_)
            if (w.fraction > 0) unit = std::max(unit, w.exponent);
        if (unit == std::numeric_limits<std::int64_t>::min()) return false;
        double sum = 0;
        for (const Scaled& w : scaled_) sum += w.over(unit);
        for (std::size_t m = 0; m < num_models(); ++m) {
            scaled_[m] = Scaled(scaled_[m].fraction / sum, scaled_[m].exponent - unit);
            weights_[m] = scaled_[m].over(0);
        }
        return true;
    }

    void fill_columns() {
        const auto S = static_cast<std::size_t>(num_states);
        for (std::size_t start = 0; start < tables_.size(); start += S)
            fill_alias({&tables_[start], S}, {&columns_[start], S});
    }

    static bool same_reward(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

    template <class Weight>
    std::size_t draw_by(Weight weight, double u) const {
        std::size_t m = 0, last = 0;
        for (; m < num_models() && u >= weight(m); ++m) {
            if (weight(m) > 0) last = m;
            u -= weight(m);
        }
        return m < num_models() ? m : last;  // rounding must not pick one that is ruled out
    }

    std::size_t first(std::size_t model, std::int64_t pair) const {
        const auto rows = static_cast<std::size_t>(num_states * num_actions);
        return (model * rows + static_cast<std::size_t>(pair)) * static_cast<std::size_t>(num_states);
    }

    std::vector<double> tables_;  // [M, S, A, S]
    std::vector<double> weights_;  // [M] posterior, as doubles
    std::vector<Scaled> scaled_;  // [M] the same, whatever was observed
    std::vector<AliasColumn> columns_;  // [M, S, A, S]
    std::vector<double> rewards_;  // [M, S, A] or [M, S, A, S], or empty
    std::vector<std::uint8_t> terminal_;  // [M, S], or empty
};

// Root sampling: one table per simulation.
class FiniteModel : public TabularModel<FiniteBelief> {
 public:
    using TabularModel<FiniteBelief>::TabularModel;

    Index begin(std::int64_t state, Random& rng) {
        model_ = belief_->draw_in(state, rng);
        return index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h), pair = belief_->pair(state, a);
        const std::int64_t next =
            bamdp::draw(belief_->columns(model_, pair), static_cast<std::uint32_t>(belief_->num_states), rng.bits());
        const bool over = belief_->is_terminal(model_, next);
        if (!belief_->pays()) {
            Step step = arrive(state, a, next);
            step.terminal = over;
            return step;
        }
        const double reward = belief_->reward(model_, pair, next);
        return {index_.find_or_add(next), reward, key_of(next, reward), over};
    }

    std::int64_t key(std::int64_t next_state, double reward) const {
        return belief_->pays() ? key_of(next_state, reward) : next_state;
    }

 private:
    std::size_t model_ = 0;
};

template <Sampling S>
struct ModelOf<S, FiniteBelief> {
    using type = FiniteModel;  // a table is drawn whole in any case, which costs nothing
    static constexpr const char* unsupported =
        S == Sampling::resampled
            ? "a finite set of worlds is drawn whole: sampling=\"resampled\" is not for it, \"collapsed\" is"
            : nullptr;
};

}  // namespace bamdp

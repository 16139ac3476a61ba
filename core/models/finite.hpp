// One of M known transition tables, which one is unknown: the belief, and the model that draws one for each simulation.
//
//   posterior   w_m ∝ w_m^0 Π P_m(s' | s, a)   over the observed transitions
//   predictive  P(s' | s, a) = Σ_m w_m P_m(s' | s, a)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "models/sampling.hpp"
#include "models/tabular.hpp"
#include "support/alias.hpp"
#include "support/in_use.hpp"

namespace bamdp {

// A number that is not negative and may be far below the smallest double: fraction · 2^exponent, 1/2 <= fraction < 1 or all zero.
// Products and sums have the bits that they have as doubles, where those don't underflow.
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
    double over(std::int64_t unit) const { return std::ldexp(fraction, static_cast<int>(std::clamp<std::int64_t>(exponent - unit, -5000, 5000))); }
};

class FiniteBelief : public InUse {
 public:
    // `tables` [M, S, A, S], `weights` [M] sum to one.
    FiniteBelief(std::vector<double> tables, std::vector<double> weights, std::int64_t num_states, std::int32_t num_actions)
        : num_states(num_states), num_actions(num_actions), tables_(std::move(tables)), weights_(std::move(weights)),
          scaled_(weights_.begin(), weights_.end()), columns_(tables_.size()) {
        const auto S = static_cast<std::size_t>(num_states);
        for (std::size_t start = 0; start < tables_.size(); start += S) fill_alias({&tables_[start], S}, {&columns_[start], S});
    }

    std::size_t num_models() const { return weights_.size(); }
    const std::vector<double>& weights() const { return weights_; }  // 0 also where a weight is too small for a double
    bool is_left(std::size_t model) const { return scaled_[model].fraction > 0; }
    double log_weight(std::size_t model) const {
        const Scaled& w = scaled_[model];
        return std::log(w.fraction) + static_cast<double>(w.exponent) * std::numbers::ln2;
    }
    const StateIndex& known() const { return known_; }

    std::int64_t pair(std::int64_t state, std::int32_t a) const { return state * num_actions + a; }
    std::span<const double> row(std::size_t model, std::int64_t pair) const {
        return {&tables_[first(model, pair)], static_cast<std::size_t>(num_states)};
    }
    const AliasColumn* columns(std::size_t model, std::int64_t pair) const { return &columns_[first(model, pair)]; }

    // The average of the tables' rows, by `weights`.
    void mix(std::span<const double> weights, std::int64_t pair, std::span<double> out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t m = 0; m < weights.size(); ++m) {
            if (weights[m] <= 0) continue;
            const std::span<const double> from = row(m, pair);
            for (std::size_t s = 0; s < out.size(); ++s) out[s] += weights[m] * from[s];
        }
    }

    bool possible(std::int64_t state, std::int32_t a, std::int64_t next) const {
        for (std::size_t m = 0; m < num_models(); ++m)
            if (is_left(m) && row(m, pair(state, a))[static_cast<std::size_t>(next)] > 0) return true;
        return false;
    }

    void observe(std::int64_t state, std::int32_t a, std::int64_t next) {
        for (std::size_t m = 0; m < num_models(); ++m) {
            const Scaled likelihood(row(m, pair(state, a))[static_cast<std::size_t>(next)]);
            scaled_[m] = Scaled(scaled_[m].fraction * likelihood.fraction, scaled_[m].exponent + likelihood.exponent);
        }
        normalise();
        known_.find_or_add(state);
        known_.find_or_add(next);
        ++observations;
    }

    template <class Archive>
    void archive(Archive& a) {
        const std::size_t models = num_models();
        known_.archive(a, num_states);
        std::vector<double> saved;  // [M] fractions and [M] exponents; files of the first days have [M] weights
        for (const Scaled& w : scaled_) saved.push_back(w.fraction);
        for (const Scaled& w : scaled_) saved.push_back(static_cast<double>(w.exponent));
        a(observations, saved);
        if constexpr (Archive::reading) {
            a.check(observations >= 0 && (saved.size() == models || saved.size() == 2 * models), "it is of another number of tables");
            double sum = 0;
            for (std::size_t m = 0; m < models; ++m) {
                const double exponent = saved.size() == models ? 0 : saved[models + m];
                a.check(0 <= saved[m] && saved[m] <= 1 && -1e18 < exponent && exponent <= 1, "a weight is out of range");
                scaled_[m] = Scaled(saved[m], static_cast<std::int64_t>(exponent));
                sum += weights_[m] = scaled_[m].over(0);
            }
            a.check(std::abs(sum - 1) < 1e-6, "weights don't sum to one");
        }
    }

    std::size_t draw(Random& rng) const {
        double u = rng.uniform();
        std::size_t m = 0, last = 0;
        for (; m < num_models() && u >= weights_[m]; ++m) {
            if (weights_[m] > 0) last = m;
            u -= weights_[m];
        }
        return m < num_models() ? m : last;  // rounding must not pick one that is ruled out
    }

    const std::int64_t num_states;
    const std::int32_t num_actions;
    std::int64_t observations = 0;

 private:
    void normalise() {
        std::int64_t unit = std::numeric_limits<std::int64_t>::min();
        for (const Scaled& w : scaled_)
            if (w.fraction > 0) unit = std::max(unit, w.exponent);
        double sum = 0;
        for (const Scaled& w : scaled_) sum += w.over(unit);
        for (std::size_t m = 0; m < num_models(); ++m) {
            scaled_[m] = Scaled(scaled_[m].fraction / sum, scaled_[m].exponent - unit);
            weights_[m] = scaled_[m].over(0);
        }
    }

    std::size_t first(std::size_t model, std::int64_t pair) const {
        const auto rows = static_cast<std::size_t>(num_states * num_actions);
        return (model * rows + static_cast<std::size_t>(pair)) * static_cast<std::size_t>(num_states);
    }

    std::vector<double> tables_;        // [M, S, A, S]
    std::vector<double> weights_;       // [M] posterior, as doubles
    std::vector<Scaled> scaled_;        // [M] the same, whatever was observed
    std::vector<AliasColumn> columns_;  // [M, S, A, S]
    StateIndex known_;
};

// Root sampling: one table per simulation.
class FiniteModel : public TabularModel<FiniteBelief> {
 public:
    using TabularModel<FiniteBelief>::TabularModel;

    Index begin(std::int64_t state, Random& rng) {
        model_ = belief_->draw(rng);
        return index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        const AliasColumn* columns = belief_->columns(model_, belief_->pair(state, a));
        return arrive(state, a, bamdp::draw(columns, static_cast<std::uint32_t>(belief_->num_states), rng.bits()));
    }

 private:
    std::size_t model_ = 0;
};

template <Sampling S>
struct ModelOf<S, FiniteBelief> {
    using type = FiniteModel;  // a table is drawn whole in any case, which costs nothing
};
template <>
struct ModelOf<Sampling::resampled, FiniteBelief> {
    static constexpr const char* unsupported = "a finite set of worlds is drawn whole: sampling=\"resampled\" is not for it, \"collapsed\" is";
};

}  // namespace bamdp

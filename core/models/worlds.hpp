// One of M worlds, which one is unknown: the belief, and the model that draws one for each simulation.
//
//   posterior   w_m ∝ w_m^0 Π P_m(o | s, a)   over the observed steps
//   predictive  P(o | s, a) = Σ_m w_m P_m(o | s, a)
//
// An observation o is the next state, what else the agent sees there, the reward if worlds differ in rewards, and
// whether the episode ended if they differ in that. Worlds in which it can't happen are ruled out.
#pragma once

#include <numbers>

#include "beliefs/visited.hpp"
#include "beliefs/world_rows.hpp"
#include "models/sampling.hpp"
#include "models/tabular.hpp"

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

class SimulatedBelief;

// A policy of the user's: an action, in a state by its number, under a belief; with random bits.
using BeliefPolicy = std::function<std::int32_t(const std::shared_ptr<SimulatedBelief>&, std::int64_t, std::uint64_t)>;

// What a world is worth to one who knows it, from a state on, by the user's function.
using WorldValue = std::function<double(std::size_t world, std::int64_t state)>;

class WorldsBelief : public VisitedStates {
 public:
    static constexpr double UNSEEN =
        std::numeric_limits<double>::quiet_NaN();  // in place of a reward that was not observed

    // `weights` [M] sum to one. `pays`: worlds have rewards of their own; `ends`: worlds differ in where episodes end.
    WorldsBelief(std::shared_ptr<WorldRows> rows, std::vector<double> weights, std::int64_t num_states, bool pays,
                 bool ends)
        : VisitedStates(num_states, rows->num_actions()), rows_(std::move(rows)), pays_(pays), ends_(ends),
          weights_(std::move(weights)), scaled_(weights_.begin(), weights_.end()) {
        accumulate();
    }

    const std::shared_ptr<WorldRows>& rows() const { return rows_; }
    std::size_t num_models() const { return weights_.size(); }
    const BeliefPolicy& policy() const { return policy_; }  // may be empty
    void set_policy(BeliefPolicy policy) { policy_ = std::move(policy); }
    const WorldValue& value() const { return value_; }  // may be empty
    void set_value(WorldValue value) { value_ = std::move(value); }
    std::uint64_t times_replaced() const { return times_replaced_; }
    bool pays() const { return pays_; }
    bool ends() const { return ends_; }
    const std::vector<double>& weights() const { return weights_; }  // 0 also where a weight is too small for a double
    bool is_left(std::size_t m) const { return scaled_[m].fraction > 0; }
    double log_weight(std::size_t m) const {
        const Scaled& w = scaled_[m];
        return std::log(w.fraction) + static_cast<double>(w.exponent) * std::numbers::ln2;
    }
    // After worlds were replaced.
    void set_weights(std::span<const double> weights) {
        ++times_replaced_;
        weights_.assign(weights.begin(), weights.end());
        scaled_ = {weights.begin(), weights.end()};
        accumulate();
    }

    // P_m(o | s, a); the reward may be UNSEEN, and `ended` 1, 0, or -1 if that is not known.
    double likelihood(std::size_t m, Index base, std::int32_t a, double reward, std::int64_t next,
                      std::int64_t ended) const {
        double sum = 0;
        for (const WorldOutcome& o : rows_->row(m, base, a).outcomes)
            if (o.number == next && (ended < 0 || !ends_ || o.end == (ended > 0)) &&
                (!pays_ || std::isnan(reward) || same_reward(o.reward, reward)))
                sum += o.p;
        return sum;
    }

    bool possible(std::int64_t state, std::int32_t a, std::int64_t next, double reward) const {
        const auto reading = rows_->reading();
        const Index base = rows_->base(state);
        for (std::size_t m = 0; m < num_models(); ++m)
            if (is_left(m) && likelihood(m, base, a, reward, next, -1) > 0) return true;
        return false;
    }

    // A step. False, and nothing changes, if it is impossible.
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
        rows_->evict();
        const auto reading = rows_->reading();
        std::vector<Scaled> updated = scaled_;
        for (std::size_t i = 0; i < states.size(); ++i)
            if (!update(updated, states[i], static_cast<std::int32_t>(actions[i]), rewards[i], next_states[i],
                        ended[i]))
                return i;
        for (std::size_t i = 0; i < states.size(); ++i) visit(states[i], next_states[i]);
        scaled_ = std::move(updated);
        for (std::size_t m = 0; m < num_models(); ++m) weights_[m] = scaled_[m].over(0);
        accumulate();
        return states.size();
    }

    // The average of the rows by their weights, of worlds in which `state` is not terminal: observations, by number,
    // with probabilities.
    std::vector<std::pair<std::int64_t, double>> predictive(std::int64_t state, std::int32_t a) const {
        const auto reading = rows_->reading();
        const Index base = rows_->base(state);
        std::vector<std::pair<std::int64_t, double>> mean;
        StateIndex place;
        double ended = 0;
        for (std::size_t m = 0; m < num_models(); ++m) {
            if (weights_[m] <= 0) continue;
            for (const WorldOutcome& o : rows_->row(m, base, a).outcomes) {
                const auto at = static_cast<std::size_t>(place.find_or_add(o.number));
                if (at == mean.size()) mean.push_back({o.number, 0});
                mean[at].second += weights_[m] * o.p;
            }
            if (is_terminal(m, base)) ended += weights_[m];
        }
        if (ended > 0 && ended < 1)
            for (auto& [number, p] : mean) p /= 1 - ended;
        return mean;
    }

    // The average of the rows by their weights: what may be observed, with rewards and ends.
    std::vector<RequestedOutcome> mean_row(std::int64_t state, std::int32_t a) const {
        const auto reading = rows_->reading();
        const Index base = rows_->base(state);
        std::vector<RequestedOutcome> mean;
        StateIndex place;
        for (std::size_t m = 0; m < num_models(); ++m) {
            if (weights_[m] <= 0) continue;
            for (const WorldOutcome& o : rows_->row(m, base, a).outcomes) {
                const auto at = static_cast<std::size_t>(place.find_or_add(key_of(o.number, o.reward)));
                if (at == mean.size()) mean.push_back({o.number, rows_->number(o.base), o.end, 0, o.reward});
                mean[at].p += weights_[m] * o.p;
            }
        }
        return mean;
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
            accumulate();
        }
    }

    std::size_t draw(Random& rng) const { return draw_below(rng.uniform() * cumulative_.back()); }

    // One in which `base` is not terminal, if there is any.
    std::size_t draw_in(Index base, Random& rng) const {
        const std::size_t drawn = draw(rng);
        if (!ends_ || !is_terminal(drawn, base)) return drawn;
        double sum = 0;
        for (std::size_t m = 0; m < num_models(); ++m) sum += is_terminal(m, base) ? 0 : weights_[m];
        if (sum <= 0) return drawn;
        double u = rng.uniform() * sum;
        std::size_t last = drawn;
        for (std::size_t m = 0; m < num_models(); ++m) {
            if (is_terminal(m, base) || weights_[m] <= 0) continue;
            last = m;
            if ((u -= weights_[m]) < 0) break;
        }
        return last;
    }

    bool is_terminal(std::size_t m, Index base) const { return rows_->is_terminal(m, base); }

    static bool same_reward(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

 private:
    // False if all weights would be 0.
    bool update(std::vector<Scaled>& weights, std::int64_t state, std::int32_t a, double reward, std::int64_t next,
                std::int64_t ended) const {
        const Index base = rows_->base(state);
        std::int64_t unit = std::numeric_limits<std::int64_t>::min();
        for (std::size_t m = 0; m < weights.size(); ++m) {
            Scaled& w = weights[m];
            if (w.fraction <= 0) continue;
            const Scaled factor(likelihood(m, base, a, reward, next, ended));
            w = Scaled(w.fraction * factor.fraction, w.exponent + factor.exponent);
            if (w.fraction > 0) unit = std::max(unit, w.exponent);
        }
        if (unit == std::numeric_limits<std::int64_t>::min()) return false;
        double sum = 0;
        for (const Scaled& w : weights) sum += w.over(unit);
        for (Scaled& w : weights) w = Scaled(w.fraction / sum, w.exponent - unit);
        return true;
    }

    void accumulate() {
        cumulative_.resize(weights_.size());
        std::partial_sum(weights_.begin(), weights_.end(), cumulative_.begin());
    }

    // Rounding must not pick one that is ruled out.
    std::size_t draw_below(double u) const {
        const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), u) - cumulative_.begin();
        auto m = std::min(static_cast<std::size_t>(at), weights_.size() - 1);
        while (m > 0 && weights_[m] <= 0) --m;
        return m;
    }

    std::shared_ptr<WorldRows> rows_;
    BeliefPolicy policy_;
    WorldValue value_;
    std::uint64_t times_replaced_ = 0;  // that worlds were
    bool pays_, ends_;
    std::vector<double> weights_;     // [M] posterior, as doubles
    std::vector<Scaled> scaled_;      // [M] the same, whatever was observed
    std::vector<double> cumulative_;  // [M] of the weights
};

// A belief that a policy sees: the root's, updated by the steps since when its weights are asked for; or any weights.
class SimulatedBelief {
 public:
    struct Observed {
        std::int64_t state;
        std::int32_t action;
        std::int64_t next;
        double reward;
    };

    explicit SimulatedBelief(std::shared_ptr<const WorldsBelief> root) : root_(std::move(root)) {}

    void begin() {
        steps_.clear();
        weights_.clear();
    }
    void observe(const Observed& step) { steps_.push_back(step); }
    void set_weights(std::vector<double> weights) {
        steps_.clear();
        weights_ = std::move(weights);
    }

    const std::vector<double>& weights() {
        if (weights_.empty()) weights_ = root_->weights();
        for (const Observed& o : steps_) {
            const Index base = root_->rows()->base(o.state);
            double sum = 0;
            for (std::size_t m = 0; m < weights_.size(); ++m)
                if (weights_[m] > 0) sum += weights_[m] *= root_->likelihood(m, base, o.action, o.reward, o.next, -1);
            for (double& w : weights_) w /= sum;
        }
        steps_.clear();
        return weights_;
    }

 private:
    std::shared_ptr<const WorldsBelief> root_;
    std::vector<Observed> steps_;  // since the weights were computed
    std::vector<double> weights_;  // [M], or empty
};

// Root sampling: one world per simulation.
class WorldsModel : public TabularModel<WorldsBelief> {
 public:
    static constexpr bool has_user_policy = true, has_user_value = true;

    WorldsModel(std::shared_ptr<const WorldsBelief> belief, std::shared_ptr<const Rewards> rewards)
        : TabularModel(std::move(belief), std::move(rewards)), rows_(belief_->rows()) {}

    void sync() {
        rows_->evict();
        if (belief_->times_replaced() != replaced_) values_.clear();
        replaced_ = belief_->times_replaced();
        TabularModel::sync();
    }

    // The actions that are considered in a state; without a restriction, all.
    bool restricts_actions() const { return rows_->restricts_actions(); }
    std::span<const std::int32_t> actions(Index h) const {
        return rows_->actions(bases_[static_cast<std::size_t>(h)]);
    }

    // What the world of the simulation is worth to one who knows it. Each is asked for once.
    double user_value(Index h) const {
        const Index base = bases_[static_cast<std::size_t>(h)];
        const auto name = (static_cast<std::uint64_t>(base) << 32) | world_;
        const auto [known, is_new] = values_.try_emplace(name, 0.0);
        if (is_new) {
            try {
                known->second = belief_->value()(world_, rows_->number(base));
            } catch (...) {
                values_.erase(name);
                throw;
            }
        }
        return known->second;
    }

    Index begin(std::int64_t state, Random& rng) {
        reading_ = rows_->reading();
        const Index base = base_of(state);
        world_ = belief_->draw_in(base, rng);
        return arrive(state, base);
    }
    Index enter(std::int64_t state) { return arrive(state, base_of(state)); }

    Step step(Index h, std::int32_t a, Random& rng) {
        const WorldRow& row = rows_->row(world_, bases_[static_cast<std::size_t>(h)], a);
        if (row.outcomes.empty()) [[unlikely]]  // an episode starts where the world has its end
            return {h, 0, key(state(h), 0), true};
        const WorldOutcome& o = row.draw(rng.uniform());
        const Index next = arrive(o.number, o.base);
        const double reward = belief_->pays() ? o.reward : (*rewards_)(state(h), a, o.number);
        return {next, reward, key(o.number, reward), o.end};
    }

    void end() {
        TabularModel::end();
        reading_ = {};
    }

    std::int64_t key(std::int64_t next_state, double reward) const {
        return belief_->pays() ? key_of(next_state, reward) : next_state;
    }

 private:
    Index base_of(std::int64_t state) {
        if (state != last_) last_ = state, last_base_ = rows_->base(state);
        return last_base_;
    }
    Index arrive(std::int64_t number, Index base) {
        const Index h = index_.find_or_add(number);
        if (static_cast<std::size_t>(h) >= bases_.size()) bases_.resize(2 * static_cast<std::size_t>(h) + 8);
        bases_[static_cast<std::size_t>(h)] = base;
        return h;
    }

    std::shared_ptr<WorldRows> rows_;
    WorldRows::Reading reading_;
    std::size_t world_ = 0;
    std::vector<Index> bases_;  // of the states of this simulation
    std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
    Index last_base_ = NONE;
    mutable std::unordered_map<std::uint64_t, double> values_;  // of worlds and states, by the user's function
    std::uint64_t replaced_ = 0;
};

template <Sampling S>
struct ModelOf<S, WorldsBelief> {
    using type = WorldsModel;  // a world is drawn whole in any case, which costs nothing
    static constexpr const char* unsupported =
        S == Sampling::resampled
            ? "a finite set of worlds is drawn whole: sampling=\"resampled\" is not for it, \"collapsed\" is"
            : nullptr;
};

}  // namespace bamdp

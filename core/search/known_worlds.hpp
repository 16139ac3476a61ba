// What each of some worlds is worth to an agent that knows it, and what policies that don't learn earn in each.
//
//   V_m(s)    optimal value of world m: Σ_m w_m V_m(s) is an upper bound of the value of state s under weights w
//   F_k(m,s)  value in world m of a policy that is optimal in one of them: max_k Σ_m w_m F_k(m,s) is a lower bound
//
// Both by steps left where the run ends; from some number of steps on V may stay the same. Without an end V is iterated
// from above and F from below, so that they are bounds at any precision.
//
// They are computed for the states that each world can reach from the current one, breadth first. Where these are too
// many, those on the rim have the least and the most that rewards allow; then V is only a bound. So it is where the
// user gives the value of a state instead.
#pragma once

#include <map>

#include "beliefs/world_rows.hpp"
#include "support/parallel.hpp"
#include "support/steps_left.hpp"

namespace bamdp {

struct KnownWorldsSettings {
    double discount;
    double tolerance;        // of values without an end, in units of return
    std::size_t most_rows;   // that are explored
    std::function<double(std::size_t m, std::int64_t state)> value = {};  // of the user, or empty
};

// Some worlds, by their place among those of positive weight, and their weights.
struct WeightedWorlds {
    std::span<const std::int32_t> ids;
    std::span<const double> weights;

    std::size_t size() const { return ids.size(); }
    double mass() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
    // Σ w x, `x` of all worlds.
    double sum(const double* x) const {
        double total = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) total += weights[i] * x[ids[i]];
        return total;
    }
};

class KnownWorlds {
 public:
    KnownWorlds(std::shared_ptr<WorldRows> rows, KnownWorldsSettings settings)
        : rows_(std::move(rows)), settings_(std::move(settings)), A_(static_cast<std::size_t>(rows_->num_actions())),
          gamma_(settings_.discount), value_of_user_(static_cast<bool>(settings_.value)) {}

    // For what is left of a run, which may consist of episodes; 0 steps: it has no end. Worlds of weight 0 are left
    // out. Nothing is to be done if the last solution covers it.
    void solve(Index root, const StepsLeft& run, std::span<const double> weights, Pause& pause) {
        if (covers(root, run, weights)) return;
        select(weights);
        run_ = run;
        restart_ = run.length > 0 ? rows_->base(run.start) : NONE;
        K_ = 0;
        explore(root, pause);
        if (value_of_user_) return;
        if (ends())
            induct_values(pause);
        else
            iterate_values(pause);
        choose_policies();
        for (std::size_t k = 0; k < K_; ++k, pause()) evaluate(k);
    }

    bool ends() const { return run_.steps > 0; }
    std::size_t num_actions() const { return A_; }
    double discount() const { return gamma_; }
    WorldRows& rows() const { return *rows_; }
    // Whether V is the optimal value, but for `error()`, and not only a bound.
    bool exact() const { return exact_; }
    double error() const { return ends() ? 0 : settings_.tolerance; }
    Index local(std::size_t m) const { return local_[m]; }

    // ---- worlds by their place among those of positive weight from here on; states by their index in `rows()`

    // An action that is not considered is like the first one that is: then it makes no difference.
    const WorldRow& row(std::size_t m, Index state, std::size_t a) const {
        return rows_->row(ids_[m], state, rows_->considered(state, static_cast<std::int32_t>(a)));
    }

    // The state after a step to `next`, with `left` steps left before it: there the next episode may begin.
    Index after(Index next, std::int64_t left) const { return restarts(left) ? restart_ : next; }

    // The weights of all worlds, by their own numbers; they sum to one.
    std::vector<double> all_weights(const WeightedWorlds& worlds) const {
        std::vector<double> all(local_.size(), 0.0);
        const double mass = worlds.mass();
        for (std::size_t i = 0; i < worlds.size(); ++i) all[ids_[at(worlds.ids[i])]] = worlds.weights[i] / mass;
        return all;
    }

    // An optimal action of a world.
    std::size_t optimal(std::size_t m, Index state, std::int64_t left) const {
        if (!value_of_user_ && has(state)) return greedy_[cell(layer_of(left), slot(state), m)];
        std::uint16_t action = 0;
        improve(m, state, left, action, [&](Index next) { return value(m, next, left - 1); });
        return action;
    }

    // Σ_m w_m V_m, or an upper bound.
    double value(const WeightedWorlds& worlds, Index state, std::int64_t left) const {
        if (!value_of_user_ && has(state))
            return worlds.sum(&values_[cell(layer_of(left), slot(state), 0)]) + worlds.mass() * beyond(left);
        double sum = 0;
        for (std::size_t i = 0; i < worlds.size(); ++i)
            sum += worlds.weights[i] * value(at(worlds.ids[i]), state, left);
        return sum;
    }
    // Σ_m w_m Q_m.
    double q(const WeightedWorlds& worlds, Index state, std::size_t a, std::int64_t left) const {
        double sum = 0;
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            const std::size_t m = at(worlds.ids[i]);
            sum += worlds.weights[i] *
                   back_up(row(m, state, a), left, [&](Index next) { return value(m, next, left - 1); });
        }
        return sum;
    }
    // max_k Σ_m w_m F_k(m), or the least that can be earned.
    double fixed(const WeightedWorlds& worlds, Index state, std::int64_t left) const {
        double best = worlds.mass() * least(left);
        for (std::size_t k = 0; k < K_ && has(state); ++k)
            best = std::max(best, worlds.sum(&fixed_[fixed_cell(k, ends() ? at(left) : 0, slot(state), 0)]));
        return best;
    }
    // The least and the most that can be earned in the steps that are left.
    double least(std::int64_t left) const { return rows_->lowest() * annuity(left); }
    double most(std::int64_t left) const { return rows_->highest() * annuity(left); }

 private:
    static constexpr std::size_t MOST_POLICIES = 64, MOST_VALUES = 1 << 25, MOST_FIXED = 1 << 21;
    static constexpr std::size_t MOST_ROWS_WITH_VALUES = 20'000;
    static constexpr int MOST_SWEEPS = 100'000;

    template <class I>
    static std::size_t at(I i) {
        return static_cast<std::size_t>(i);
    }

    double annuity(std::int64_t left) const {
        if (!ends()) return 1 / (1 - gamma_);
        return gamma_ == 1 ? static_cast<double>(left)
                           : (1 - std::pow(gamma_, static_cast<double>(left))) / (1 - gamma_);
    }
    // What the layers leave out of `left` steps.
    double beyond(std::int64_t left) const {
        const auto last = static_cast<std::int64_t>(layers_) - 1;
        return left <= last || stationary_ ? 0 : std::pow(gamma_, static_cast<double>(last)) * most(left - last);
    }

    bool restarts(std::int64_t left) const { return run_.length > 0 && run_.ends_after(run_.steps - left + 1); }

    // The steps that are left of the run agree with the last solution if it ends, and episodes do, at the same time.
    bool covers(Index root, const StepsLeft& run, std::span<const double> weights) const {
        if (local_.empty() || run.steps > run_.steps || (run.steps > 0) != ends() || run.length != run_.length ||
            run.start != run_.start)
            return false;
        const std::int64_t taken = run_.steps - run.steps;
        if (run.length > 0 && (run.until + taken - run_.until) % run.length != 0) return false;
        for (std::size_t m = 0; m < weights.size(); ++m)
            if (weights[m] > 0 && (local_[m] == NONE || !(value_of_user_ || is_inner(at(local_[m]), root))))
                return false;
        return true;
    }
    // Whether the rim, if there is one, is as far from here as half of it was from the first state.
    bool is_inner(std::size_t m, Index state) const {
        if (!has(state)) return false;
        const std::int32_t depth = depths_[slot(state) * M() + m];
        return depth != NONE && (closed_ || 2 * depth <= depth_);
    }

    void select(std::span<const double> weights) {
        ids_.clear();
        weights_.clear();
        local_.assign(weights.size(), NONE);
        for (std::size_t m = 0; m < weights.size(); ++m)
            if (weights[m] > 0) {
                local_[m] = static_cast<Index>(ids_.size());
                ids_.push_back(m);
                weights_.push_back(weights[m]);
            }
        user_values_.clear();
    }

    // ---- states

    std::size_t M() const { return ids_.size(); }
    std::size_t S() const { return states_.size(); }
    bool has(Index state) const { return at(state) < slots_.size() && slots_[at(state)] != NONE; }
    std::size_t slot(Index state) const { return at(slots_[at(state)]); }
    std::size_t find_or_add(Index state) {
        if (at(state) >= slots_.size()) slots_.resize(2 * at(state) + 8, NONE);
        if (slots_[at(state)] == NONE) {
            slots_[at(state)] = static_cast<Index>(states_.size());
            states_.push_back(state);
            depths_.resize(states_.size() * M(), NONE);
        }
        return slot(state);
    }

    bool is_expanded(std::size_t m, std::size_t s) const {
        const std::int32_t depth = depths_[s * M() + m];
        return depth != NONE && depth < depth_;
    }

    // Breadth first in all worlds alike, for as many steps as there are and rows allow.
    void explore(Index root, Pause& pause) {
        states_.clear();
        slots_.clear();
        depths_.clear();
        closed_ = true;
        std::vector<std::pair<std::size_t, Index>> now, next;  // worlds and states
        const auto reach = [&](std::size_t m, Index state) {
            const std::size_t i = find_or_add(state) * M() + m;
            if (depths_[i] != NONE) return;
            depths_[i] = depth_ + 1;
            next.emplace_back(m, state);
        };
        depth_ = -1;
        for (std::size_t m = 0; m < M(); ++m) {
            reach(m, root);
            if (restart_ != NONE) reach(m, restart_);
        }
        std::size_t rows = 0;
        // With values of the user's the rows say only how much steps pay.
        const std::size_t most = value_of_user_ ? std::min(MOST_ROWS_WITH_VALUES, settings_.most_rows)
                                                : settings_.most_rows;
        for (depth_ = 0; !next.empty() && (!ends() || depth_ < run_.steps); ++depth_) {
            now.swap(next);
            next.clear();
            rows += now.size() * A_;
            if (rows > most && depth_ > 0) {
                closed_ = false;
                break;
            }
            for (const auto& [m, state] : now) {
                for (std::size_t a = 0; a < A_; ++a)
                    for (const WorldOutcome& o : row(m, state, a).moves())
                        if (!o.end) reach(m, o.base);
                pause();
            }
        }
        exact_ = closed_ && !value_of_user_;
    }

    // ---- values

    std::size_t layer_of(std::int64_t left) const { return ends() ? std::min(at(left), layers_ - 1) : 0; }
    std::size_t cell(std::size_t layer, std::size_t s, std::size_t m) const { return (layer * S() + s) * M() + m; }

    double value(std::size_t m, Index state, std::int64_t left) const {
        if (ends() && left == 0) return 0;
        if (value_of_user_) return user_value(m, state);
        return has(state) ? values_[cell(layer_of(left), slot(state), m)] + beyond(left) : most(left);
    }

    double user_value(std::size_t m, Index state) const {
        const auto name = (static_cast<std::uint64_t>(state) << 32) | m;
        const auto known = user_values_.find(name);
        if (known != user_values_.end()) return known->second;
        return user_values_[name] = settings_.value(ids_[m], rows_->number(state));
    }

    template <class Value>
    double back_up(const WorldRow& row, std::int64_t left, Value&& value) const {
        double sum = 0;
        for (const WorldOutcome& o : row.moves())
            sum += o.p * (o.reward + (o.end || (ends() && left == 1) ? 0 : gamma_ * value(after(o.base, left))));
        return sum;
    }

    // V of a state by one back-up from what is `later`, and an optimal action.
    template <class Later>
    double improve(std::size_t m, Index state, std::int64_t left, std::uint16_t& action, Later&& later) const {
        double best = 0;
        for (std::size_t a = 0; a < A_; ++a) {
            const double value = back_up(row(m, state, a), left, later);
            if (a == 0 || value > best + 1e-12 * std::abs(best)) best = value, action = static_cast<std::uint16_t>(a);
        }
        return best;
    }

    // Until a layer is that before it, values and actions, as all later ones are then.
    void induct_values(Pause& pause) {
        const std::size_t size = S() * M();
        values_.assign(size, 0.0);
        greedy_.assign(size, 0);
        layers_ = 1;
        stationary_ = false;
        for (std::int64_t left = 1; left <= run_.steps; ++left) {
            if ((layers_ + 1) * size > MOST_VALUES && left > 1) {
                exact_ = false;
                return;
            }
            values_.resize((layers_ + 1) * size);
            greedy_.resize(values_.size());
            double* layer = &values_[layers_ * size];
            const double* later = layer - size;
            bool changed = run_.length > 0;
            for (std::size_t s = 0; s < S(); ++s, pause())
                for (std::size_t m = 0; m < M(); ++m) {
                    const std::size_t i = cell(0, s, m);
                    layer[i] = !is_expanded(m, s) ? most(left)
                                                  : improve(m, states_[s], left, greedy_[layers_ * size + i],
                                                            [&](Index next) { return later[cell(0, slot(next), m)]; });
                    changed |= layer[i] != later[i] || greedy_[layers_ * size + i] != greedy_[(layers_ - 1) * size + i];
                }
            if (!changed && left > 1) break;
            ++layers_;
        }
        stationary_ = true;
    }

    // Gauss-Seidel back-ups from above.
    void iterate_values(Pause& pause) {
        layers_ = 1;
        values_.assign(S() * M(), most(0));
        greedy_.assign(values_.size(), 0);
        for (std::size_t m = 0; m < M(); ++m, pause())
            sweep(m, values_.data(), [&](std::size_t s) {
                return improve(m, states_[s], 0, greedy_[cell(0, s, m)],
                               [&](Index next) { return values_[cell(0, slot(next), m)]; });
            });
    }

    template <class Update>
    void sweep(std::size_t m, double* values, Update&& update) const {
        for (int i = 0; i < MOST_SWEEPS; ++i) {
            double change = 0;
            for (std::size_t s = S(); s-- > 0;) {
                if (!is_expanded(m, s)) continue;
                double& value = values[cell(0, s, m)];
                const double updated = update(s);
                change = std::max(change, std::abs(updated - std::exchange(value, updated)));
            }
            if (change <= settings_.tolerance * (1 - gamma_)) break;
        }
    }

    // ---- policies that don't learn

    std::size_t fixed_cell(std::size_t k, std::size_t layer, std::size_t s, std::size_t m) const {
        return cell(k * (at(run_.steps) + 1) + layer, s, m);
    }

    // The optimal policies that differ, of the likeliest worlds. In states that its world can't reach, such a policy is
    // that of the likeliest one that can.
    void choose_policies() {
        std::vector<std::size_t> order(M());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater(), [&](std::size_t m) { return weights_[m]; });
        std::vector<std::size_t> owner(S(), 0);
        for (std::size_t s = 0; s < S(); ++s)
            for (const std::size_t m : order)
                if (is_expanded(m, s)) {
                    owner[s] = m;
                    break;
                }
        const std::size_t numbers = (at(run_.steps) + 1) * M() * S(),
                          most = std::min(MOST_POLICIES, MOST_FIXED / std::max<std::size_t>(1, numbers));
        std::map<std::vector<std::uint16_t>, std::size_t> known;
        policies_.clear();
        K_ = 0;
        for (std::size_t i = 0; i < M() && K_ < most; ++i) {
            std::vector<std::uint16_t> policy;
            for (std::size_t layer = 0; layer < layers_; ++layer)
                for (std::size_t s = 0; s < S(); ++s) {
                    const std::size_t m = is_expanded(order[i], s) ? order[i] : owner[s];
                    policy.push_back(greedy_[cell(layer, s, m)]);
                }
            if (!known.try_emplace(policy, K_).second) continue;
            policies_.insert(policies_.end(), policy.begin(), policy.end());
            ++K_;
        }
        fixed_.assign(K_ * numbers, 0.0);
    }

    void evaluate(std::size_t k) {
        const auto by_policy = [&](std::size_t m, std::size_t s, std::int64_t left, const double* later) {
            const std::size_t a = policies_[(k * layers_ + layer_of(left)) * S() + s];
            return back_up(row(m, states_[s], a), left, [&](Index next) { return later[cell(0, slot(next), m)]; });
        };
        double* values = &fixed_[fixed_cell(k, 0, 0, 0)];
        if (ends()) {
            for (std::int64_t left = 1; left <= run_.steps; ++left, values += S() * M())
                for (std::size_t s = 0; s < S(); ++s)
                    for (std::size_t m = 0; m < M(); ++m)
                        values[cell(1, s, m)] = is_expanded(m, s) ? by_policy(m, s, left, values) : least(left);
            return;
        }
        std::fill_n(values, S() * M(), least(0));
        for (std::size_t m = 0; m < M(); ++m)
            sweep(m, values, [&](std::size_t s) { return by_policy(m, s, 0, values); });
    }

    std::shared_ptr<WorldRows> rows_;
    KnownWorldsSettings settings_;
    std::size_t A_, K_ = 0, layers_ = 1;
    double gamma_;
    bool value_of_user_, closed_ = true, exact_ = true, stationary_ = true;
    StepsLeft run_{0};
    Index restart_ = NONE;
    std::vector<std::size_t> ids_;        // [M] worlds of positive weight
    std::vector<double> weights_;         // [M]
    std::vector<Index> local_;            // of all worlds: their place in `ids_`, or NONE
    std::vector<Index> states_, slots_;   // [S] indices of the explored states; their places in it, or NONE
    std::vector<std::int32_t> depths_;    // [S, M] steps from the first state, or NONE: out of reach
    std::int32_t depth_ = 0;              // of the rim
    std::vector<double> values_;          // [layers, S, M] V
    std::vector<std::uint16_t> greedy_;   // [layers, S, M]
    std::vector<std::uint16_t> policies_; // [K, layers, S]
    std::vector<double> fixed_;           // [K, steps + 1, S, M] F
    mutable std::unordered_map<std::uint64_t, double> user_values_;
};

}  // namespace bamdp

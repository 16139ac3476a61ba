// A finite set of worlds as sparse rows, with what each is worth to an agent that knows it, and what policies that
// don't learn earn in each.
//
//   V_m(s)    optimal value of world m: Σ_m w_m V_m(s) is an upper bound of the value of state s under weights w
//   F_k(m,s)  value in world m of a policy that is optimal in one of them: max_k Σ_m w_m F_k(m,s) is a lower bound
//
// Both by steps left where the run ends. Without an end V is iterated from above and F from below, so that they are
// bounds at any precision.
#pragma once

#include <map>

#include "support/index.hpp"
#include "support/parallel.hpp"
#include "support/steps_left.hpp"

namespace bamdp {

struct WorldOutcome {
    std::int32_t next;
    bool end;  // no more rewards after this step
    double p, reward;
};

class WeightedWorlds {
 public:
    WeightedWorlds(std::size_t worlds, std::size_t states, std::size_t actions, double discount)
        : M_(worlds), S_(states), A_(actions), gamma_(discount) {}

    // Rows are added in order: world, state, action; each ends with `end_row`.
    void add(const WorldOutcome& outcome) { outcomes_.push_back(outcome); }
    void end_row() { first_.push_back(outcomes_.size()); }

    std::size_t num_worlds() const { return M_; }
    std::size_t num_states() const { return S_; }
    std::size_t num_actions() const { return A_; }
    double discount() const { return gamma_; }
    std::span<const WorldOutcome> row(std::size_t m, std::size_t s, std::size_t a) const {
        const std::size_t i = (m * S_ + s) * A_ + a;
        return {&outcomes_[first_[i]], first_[i + 1] - first_[i]};
    }
    bool deterministic() const { return outcomes_.size() == M_ * S_ * A_; }

    // For a run of `steps`, which may consist of episodes, or without an end (0 steps) to a precision in units of
    // return.
    void solve(const StepsLeft& run, double tolerance, Pause& pause) {
        run_ = run;
        error_ = run.steps > 0 ? 0 : tolerance;
        layers_ = static_cast<std::size_t>(run.steps) + 1;
        values_.assign(layers_ * M_ * S_, 0.0);
        greedy_.assign(values_.size(), 0);
        const double highest = extreme(1), lowest = extreme(-1);
        for (std::size_t m = 0; m < M_; ++m, pause()) {
            if (run.steps > 0)
                induct_values(m);
            else
                iterate(m, highest / (1 - gamma_), tolerance, [&](std::size_t s) { return improve(m, s, 0); });
        }
        find_policies();
        fixed_.assign(K_ * values_.size(), 0.0);
        for (std::size_t k = 0; k < K_; ++k, pause())
            for (std::size_t m = 0; m < M_; ++m) evaluate(k, m, lowest, tolerance);
    }

    bool ends() const { return run_.steps > 0; }
    const StepsLeft& run() const { return run_; }
    std::size_t num_policies() const { return K_; }

    // The state after a step to `next`, with `left` steps left before it: there the next episode may begin.
    std::int32_t after(std::int32_t next, std::int64_t left) const {
        return restarts(left) ? static_cast<std::int32_t>(run_.start) : next;
    }

    // V_m, from above, and how far above at most.
    double error() const { return error_; }
    double value(std::size_t m, std::int32_t s, std::int64_t left) const {
        return values_[at(m, static_cast<std::size_t>(s), left)];
    }
    std::size_t optimal(std::size_t m, std::int32_t s, std::int64_t left) const {
        return greedy_[at(m, static_cast<std::size_t>(s), left)];
    }
    double fixed(std::size_t k, std::size_t m, std::int32_t s, std::int64_t left) const {
        return fixed_[k * values_.size() + at(m, static_cast<std::size_t>(s), left)];
    }
    double q(std::size_t m, std::int32_t s, std::size_t a, std::int64_t left) const {
        return back_up(row(m, static_cast<std::size_t>(s), a), left,
                       [&](std::int32_t next) { return value(m, next, left - 1); });
    }

 private:
    static constexpr std::size_t MOST_POLICIES = 64, MOST_NUMBERS = 1 << 24;
    static constexpr int MOST_SWEEPS = 100'000;

    std::size_t at(std::size_t m, std::size_t s, std::int64_t left) const {
        return ((ends() ? static_cast<std::size_t>(left) : 0) * M_ + m) * S_ + s;
    }
    bool restarts(std::int64_t left) const { return run_.length > 0 && run_.ends_after(run_.steps - left + 1); }

    template <class Value>
    double back_up(std::span<const WorldOutcome> row, std::int64_t left, Value&& value) const {
        double sum = 0;
        for (const WorldOutcome& o : row)
            sum += o.p * (o.reward + (o.end || (ends() && left == 1) ? 0 : gamma_ * value(after(o.next, left))));
        return sum;
    }

    double extreme(double sign) const {
        double most = 0;  // an end pays nothing
        for (const WorldOutcome& o : outcomes_) most = std::max(most, sign * o.reward);
        return sign * most;
    }

    // V of a state by one back-up, and an optimal action.
    double improve(std::size_t m, std::size_t s, std::int64_t left) {
        double most = 0;
        for (std::size_t a = 0; a < A_; ++a) {
            const double value = q(m, static_cast<std::int32_t>(s), a, left);
            if (a == 0 || value > most + 1e-12 * std::abs(most))
                most = value, greedy_[at(m, s, left)] = static_cast<std::uint16_t>(a);
        }
        return most;
    }

    void induct_values(std::size_t m) {
        for (std::int64_t left = 1; left <= run_.steps; ++left)
            for (std::size_t s = 0; s < S_; ++s) values_[at(m, s, left)] = improve(m, s, left);
    }

    // Gauss-Seidel back-ups of a world's values from `start` on, a bound of them.
    template <class BackUp>
    void iterate(std::size_t m, double start, double tolerance, BackUp&& back_up) {
        double* values = &values_[at(m, 0, 0)];
        std::fill_n(values, S_, start);
        for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
            double change = 0;
            for (std::size_t s = S_; s-- > 0;) {
                const double updated = back_up(s);
                change = std::max(change, std::abs(updated - values[s]));
                values[s] = updated;
            }
            if (change <= tolerance * (1 - gamma_)) break;
        }
    }

    // The optimal policies that differ, each by a world that has it.
    void find_policies() {
        std::map<std::vector<std::uint16_t>, std::size_t> known;
        const std::size_t most = std::min(MOST_POLICIES, std::max<std::size_t>(1, MOST_NUMBERS / values_.size()));
        owners_.clear();
        for (std::size_t m = 0; m < M_ && owners_.size() < most; ++m) {
            std::vector<std::uint16_t> policy;
            for (std::size_t layer = 0; layer < layers_; ++layer) {
                const auto first = greedy_.begin() + static_cast<std::ptrdiff_t>((layer * M_ + m) * S_);
                policy.insert(policy.end(), first, first + static_cast<std::ptrdiff_t>(S_));
            }
            if (known.try_emplace(std::move(policy), m).second) owners_.push_back(m);
        }
        K_ = owners_.size();
    }

    void evaluate(std::size_t k, std::size_t m, double lowest, double tolerance) {
        double* values = &fixed_[k * values_.size()];
        const auto by_policy = [&](std::size_t s, std::int64_t left) {
            const std::size_t a = greedy_[at(owners_[k], s, left)];
            return back_up(row(m, s, a), left,
                           [&](std::int32_t next) { return values[at(m, static_cast<std::size_t>(next), left - 1)]; });
        };
        if (ends()) {
            for (std::int64_t left = 1; left <= run_.steps; ++left)
                for (std::size_t s = 0; s < S_; ++s) values[at(m, s, left)] = by_policy(s, left);
            return;
        }
        std::fill_n(&values[at(m, 0, 0)], S_, lowest / (1 - gamma_));
        for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
            double change = 0;
            for (std::size_t s = S_; s-- > 0;) {
                double& value = values[at(m, s, 0)];
                const double updated = by_policy(s, 0);
                change = std::max(change, std::abs(updated - value));
                value = updated;
            }
            if (change <= tolerance * (1 - gamma_)) break;
        }
    }

    std::size_t M_, S_, A_, K_ = 0, layers_ = 1;
    double gamma_, error_ = 0;
    StepsLeft run_{0};
    std::vector<std::size_t> first_{0};      // [M·S·A + 1]
    std::vector<WorldOutcome> outcomes_;
    std::vector<double> values_;             // [layers, M, S] V
    std::vector<std::uint16_t> greedy_;      // [layers, M, S]
    std::vector<std::size_t> owners_;        // [K] worlds
    std::vector<double> fixed_;              // [K, layers, M, S] F
};

}  // namespace bamdp

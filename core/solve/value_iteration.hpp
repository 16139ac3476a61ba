// Sparse Bellman equations, solved to a tolerance that is a true bound of the error, and from the last solution on.
//
//   V(s) = max_j r(s,j) + gamma (Σ_i p_i V(s_i) + rest · V̄),    V̄ = Σ_s w(s) V(s)
//
// A row lists the successors that matter to it and spreads the rest of its mass over all states by one base
// distribution w (uniform, or a prior's pseudo-counts). That is the posterior mean of a Dirichlet or sparse Dirichlet
// row: a backup costs as many terms as successors were observed. States that no row of interest names ("passive") all
// have V(s) = m(s) + gamma V̄ with m(s) = max_a R(s,a): together they are one term, so that time grows with what was
// observed, never with S.
//
// Modified policy iteration: a full backup, then Gauss-Seidel sweeps of its greedy policy. Where a full backup changes
// V by something in [low, high] everywhere, gamma/(1 − gamma) · [low, high] holds V* − TV everywhere (MacQueen 1966).
//
// With a known number of steps left, V_0 = 0 and V_k = T V_{k−1}, for any discount up to 1: backward induction, exact.
#pragma once

#include "support/index.hpp"
#include "support/parallel.hpp"

namespace bamdp {

struct Successor {
    Index slot;
    double probability;
};

// A state-action pair: its successors, the mass spread by w, the reward.
struct BellmanRow {
    std::vector<Successor> successors;
    double rest = 1;
    double reward = 0;
    double bonus = 0;  // added to the reward
};

class Bellman {
 public:
    // `rows` per state; `base` is w, empty for the uniform one.
    Bellman(std::int64_t num_states, std::int32_t rows, double discount, std::vector<double> base)
        : S_(num_states), M_(static_cast<std::size_t>(rows)), discount_(discount), base_(std::move(base)) {}

    // Forget all rows; the values stay as a start. Without any, all states are passive and m(s) has mean `mean_reward`.
    // `greatest` is max |R| of the passive ones.
    void clear(double mean_reward, double greatest) {
        for (BellmanRow& row : rows_) {
            row.successors.clear();  // keeps its memory
            row.rest = 1;
            row.reward = row.bonus = 0;
        }
        longest_ = 0;
        greatest_ = greatest;
        passive_total_ = mean_reward;
        active_weight_ = active_reward_ = 0;
        for (Index h = 0; h < states_.size(); ++h) active_weight_ += weight(states_.state(h));
    }

    std::size_t rows_per_state() const { return M_; }
    Index find(std::int64_t state) const { return states_.find(state); }
    const StateIndex& active() const { return states_; }

    // Where a state's value and rows are kept; it is active from now on and must get its rows.
    Index slot(std::int64_t state) {
        const Index h = states_.find_or_add(state);
        if (static_cast<std::size_t>(h) == values_.size()) {
            values_.push_back(0);
            backed_up_.push_back(0);
            policy_.push_back(0);
            weights_.push_back(weight(state));
            active_weight_ += weights_.back();
            rows_.resize(rows_.size() + M_);
        }
        return h;
    }

    // m(s) of an active state, to be left out of the passive ones; once per state after `clear`.
    void leave_passive(Index h, double best_reward) {
        active_reward_ += weights_[static_cast<std::size_t>(h)] * best_reward;
    }

    void set_row(Index h, std::size_t j, std::span<const Successor> successors, double rest, double reward) {
        BellmanRow& row = rows_[static_cast<std::size_t>(h) * M_ + j];
        row.successors.assign(successors.begin(), successors.end());
        row.rest = rest;
        row.reward = reward;
        longest_ = std::max(longest_, successors.size());
        greatest_ = std::max(greatest_, std::abs(reward));
    }

    // Solves to max |V − V*| ≤ `tolerance`, or what rounding allows; `pause` is called now and then and may throw.
    // Returns how many full backups it took.
    std::int64_t solve(double tolerance, Pause& pause) {
        const double scale = discount_ / (1 - discount_);
        const double rounding = scale * (static_cast<double>(longest_) + 3) * 0x1p-52 * greatest_ / (1 - discount_);
        tolerance = std::max(tolerance, 4 * rounding);
        for (std::int64_t backups = 1;; ++backups) {
            const auto [low, high] = back_up_all();
            const bool done =
                !(scale * (high - low) / 2 + rounding > tolerance);  // negated, so that values that overflow end it too
            // On the way only as far as V* is sure to be: from the middle, policies can cycle.
            const double sure = low > 0 ? low : high < 0 ? high : 0, shift = scale * (done ? (low + high) / 2 : sure);
            for (std::size_t s = 0; s < values_.size(); ++s) values_[s] = backed_up_[s] + shift;
            if (done) {
                mean_ = mean_of(discount_ * mean_ + shift);
                passive_ = {1, discount_ * mean_};
                return backups;
            }
            if (backups < MOST_POLICY_ITERATIONS) evaluate_policy((high - low) * REDUCTION);
            pause();
        }
    }

    // Backward induction: the values are V_backups, and q() is that of one step more. `stage(k)` is called before V_k
    // is computed, when the values are V_{k−1}; it may set bonuses.
    template <class Stage>
    void induct(std::int64_t backups, Pause& pause, Stage&& stage) {
        std::fill(values_.begin(), values_.end(), 0.0);
        mean_ = 0;
        passive_ = {0, 0};
        for (std::int64_t k = 1; k <= backups; ++k) {
            stage(k);
            back_up_rows();
            values_.swap(backed_up_);
            passive_ = {1, discount_ * mean_};
            mean_ = mean_of(passive_.later);
            pause();
        }
    }

    // Values of an earlier solution, and what follows from them.
    void restore(std::vector<double> values) {
        values_ = std::move(values);
        if (discount_ < 1) mean_ = consistent_mean(), passive_ = {1, discount_ * mean_};
    }

    // The run goes on from a state with this value, wherever it was.
    void restart(double value) {
        std::fill(values_.begin(), values_.end(), value);
        mean_ = value;
        passive_ = {0, value};
    }

    double value(std::int64_t state, double best_reward) const {
        const Index h = states_.find(state);
        return h == NONE ? passive_.now * best_reward + passive_.later : values_[static_cast<std::size_t>(h)];
    }

    const BellmanRow& row(Index h, std::size_t j) const { return rows_[static_cast<std::size_t>(h) * M_ + j]; }
    std::vector<double>& values() { return values_; }  // [active]
    const std::vector<double>& values() const { return values_; }
    void set_bonus(Index h, std::size_t j, double bonus) { rows_[static_cast<std::size_t>(h) * M_ + j].bonus = bonus; }

    // The row that is best in an active state.
    std::size_t greedy(Index h) const {
        std::size_t best = 0;
        for (std::size_t j = 1; j < M_; ++j)
            if (q(h, j) > q(h, best)) best = j;
        return best;
    }

    double weight(std::int64_t state) const {  // w(s)
        return base_.empty() ? 1 / static_cast<double>(S_) : base_[static_cast<std::size_t>(state)];
    }
    // Base weight of one active state; of all passive states.
    double weight_of(Index h) const { return weights_[static_cast<std::size_t>(h)]; }
    double passive_weight() const { return any_passive() ? 1 - active_weight_ : 0; }
    // The mean value of the passive states.
    double passive_value() const {
        return passive_.now * (passive_weight() > 0 ? passive_reward() / passive_weight() : 0) + passive_.later;
    }

    // The value of row j of an active state.
    double q(Index h, std::size_t j) const { return back_up(rows_[static_cast<std::size_t>(h) * M_ + j], mean_); }
    double discount() const { return discount_; }
    double mean() const { return mean_; }
    const std::vector<double>& base() const { return base_; }

    // The order of states matters, for the sweeps.
    template <class Archive>
    void archive(Archive& a) {
        states_.archive(a, S_);
        a(values_, mean_, passive_total_, active_weight_, active_reward_, greatest_, longest_);
        const auto active = static_cast<std::size_t>(states_.size());
        a.check(values_.size() == active, "there are other values than states");
        if constexpr (Archive::reading) {
            backed_up_.assign(active, 0);
            policy_.assign(active, 0);
            weights_.clear();
            for (Index h = 0; h < states_.size(); ++h) weights_.push_back(weight(states_.state(h)));
            a.fits(active, M_ * (2 * sizeof(double) + sizeof(std::uint32_t)));
            rows_.assign(active * M_, BellmanRow{});
            passive_ = {1, discount_ * mean_};
        }
        for (BellmanRow& row : rows_) archive_row(a, row);
    }

 private:
    template <class Archive>
    void archive_row(Archive& a, BellmanRow& row) {
        auto size = static_cast<std::uint32_t>(row.successors.size());
        a(row.rest, row.reward, size);
        a.check(size <= static_cast<std::size_t>(states_.size()) * 2, "a row has too many successors");
        row.successors.resize(size);
        double sum = row.rest;
        for (Successor& successor : row.successors) {
            a(successor.slot, successor.probability);
            a.check(0 <= successor.slot && successor.slot < states_.size() && successor.probability > -1e-6,
                    "a successor is out of range");
            sum += successor.probability;
        }
        a.check(std::abs(sum - 1) < 1e-6, "probabilities don't sum to one");
    }
    static constexpr std::int64_t MOST_POLICY_ITERATIONS = 500;  // then plain value iteration, which cannot cycle
    static constexpr int MOST_SWEEPS = 60;
    static constexpr double REDUCTION = 0.1;  // of the span of changes, by the sweeps of one policy

    bool any_passive() const { return states_.size() < S_; }
    double passive_reward() const { return any_passive() ? passive_total_ - active_reward_ : 0; }

    // V̄ where all passive states have V(s) = m(s) + `passive`.
    double mean_of(double passive) const {
        double sum = 0;
        for (std::size_t s = 0; s < values_.size(); ++s) sum += weights_[s] * values_[s];
        return sum + passive_reward() + passive_weight() * passive;
    }

    // V̄ where the passive states obey their own equation, V(s) = m(s) + gamma V̄.
    double consistent_mean() const { return mean_of(0) / (1 - discount_ * passive_weight()); }

    double back_up(const BellmanRow& row, double mean) const {
        double sum = row.rest * mean;
        for (const auto& [slot, probability] : row.successors)
            sum += probability * values_[static_cast<std::size_t>(slot)];
        return row.reward + row.bonus + discount_ * sum;
    }

    struct Range {
        double low, high;
        void add(double x) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
    };

    // TV and its greedy policy; the range of TV − V.
    Range back_up_all() {
        mean_ = consistent_mean();
        return back_up_rows();
    }

    Range back_up_rows() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        Range change = any_passive() ? Range{0, 0} : Range{infinity, -infinity};
        for (std::size_t s = 0; s < values_.size(); ++s) {
            const BellmanRow* rows = &rows_[s * M_];
            double best = back_up(rows[0], mean_);
            std::size_t chosen = 0;
            for (std::size_t j = 1; j < M_; ++j) {
                const double q = back_up(rows[j], mean_);
                if (q > best) {
                    best = q;
                    chosen = j;
                }
            }
            backed_up_[s] = best;
            policy_[s] = static_cast<std::uint32_t>(chosen);
            change.add(best - values_[s]);
        }
        return change;
    }

    // Gauss-Seidel sweeps of the greedy policy until the changes differ by less than `enough` from state to state.
    void evaluate_policy(double enough) {
        const double share = 1 / (1 - discount_ * passive_weight());
        double mean = consistent_mean();  // not a member: it would be stored and loaded for each state
        for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
            constexpr double infinity = std::numeric_limits<double>::infinity();
            Range change{infinity, -infinity};
            for (std::size_t i = values_.size();
                 i-- > 0;) {  // backwards: states visited later are usually nearer to the reward
                const double updated = back_up(rows_[i * M_ + policy_[i]], mean), difference = updated - values_[i];
                values_[i] = updated;
                mean += share * weights_[i] * difference;
                change.add(difference);
            }
            if (change.high - change.low < enough) break;
        }
        mean_ = mean;
    }

    std::int64_t S_;
    std::size_t M_;
    double discount_;
    std::vector<double> base_;  // [S] w, or empty
    StateIndex states_;  // the active ones
    std::vector<double> values_, backed_up_, weights_;  // [active]
    std::vector<std::uint32_t> policy_;  // [active]
    std::vector<BellmanRow> rows_;  // [active, M]
    std::size_t longest_ = 0;  // most successors of a row
    double mean_ = 0;  // V̄
    struct {
        double now = 1, later = 0;
    } passive_;  // V(s) = now · m(s) + later of the passive states
    double passive_total_ = 0;  // Σ w(s) m(s) over all states
    double active_weight_ = 0, active_reward_ = 0;  // Σ w(s) and Σ w(s) m(s) over the active ones
    double greatest_ = 0;  // max |r|
};

}  // namespace bamdp

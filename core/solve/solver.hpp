// The Bellman equations of what a belief says: of its posterior mean, of models sampled from it, or of tables.
//
// Several models are solved as one with A·K actions, the best of any model in every state (BOSS): row j is action j mod A.
// Rewards are known or, from a belief that says so, learned: their posterior mean, or drawn with the models.
// A terminal state is one that stays as it is and pays nothing, whatever the belief says.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "beliefs/belief.hpp"
#include "support/terminal_states.hpp"
#include "support/in_use.hpp"
#include "support/random.hpp"
#include "beliefs/reward_counts.hpp"
#include "solve/value_iteration.hpp"

namespace bamdp {

class Solver : public InUse {
 public:
    // `rewards` [S, A] or [S, A, S].
    Solver(std::vector<double> rewards, std::int64_t num_states, std::int32_t num_actions, double discount, TerminalStates terminal)
        : rewards_(std::move(rewards)), S_(num_states), A_(num_actions), discount_(discount), terminal_(std::move(terminal)),
          by_next_state_(static_cast<std::int64_t>(rewards_.size()) > num_states * num_actions) {}

    // The posterior mean of `belief`, each reward raised by bonus / (1 + pseudo-counts + visits). Takes in one new observation in
    // the time of one row.
    template <RowPrior P>
    void load_mean(Belief<P>& belief, double bonus, std::shared_ptr<const RewardCounts> learned = nullptr) {
        learned_ = std::move(learned);
        if (std::exchange(resumed_, false)) source_ = &belief;
        const std::int64_t news = belief.observations - synced_;
        const bool same = source_ == &belief && bonus == bonus_ && news >= 0;
        if (same && news == 0) return;
        source_ = &belief;
        bonus_ = bonus;
        if (same && news == 1 && !belief.tied()) load_last(belief);
        else rebuild(belief);
        synced_ = belief.observations;
    }

    // `count` models drawn from the posterior.
    template <class P, class Pause>
    void load_samples(Belief<P>& belief, std::int64_t count, Random rng, Pause&& pause, const RewardCounts* learned = nullptr) {
        start_tables(static_cast<std::size_t>(count));
        Row row;
        const std::int64_t lines = belief.tied() ? 1 : S_;
        for (std::int64_t s = 0; s < lines; ++s)  // outermost, so that all rows of a state are side by side
            for (std::int32_t a = 0; a < A_; ++a) {
                gather(belief, s, a);
                for (std::int64_t k = 0; k < count; ++k) {
                    belief.prior.draw_row(belief.pair(s, a), seen_, n_, rng, row);
                    normalise(row);
                    for (std::int64_t state = s; state < (belief.tied() ? S_ : s + 1); ++state)
                        set_row(state, k, a, learned == nullptr ? expected_reward(state, a, 0) : learned->draw_mean(state, a, rng));
                }
                pause();
            }
    }

    // Dense tables, `transitions` [count, S, A, S].
    void load_tables(const double* transitions, std::int64_t count) {
        start_tables(static_cast<std::size_t>(count));
        for (std::int64_t s = 0; s < S_; ++s)
            for (std::int64_t k = 0; k < count; ++k)
                for (std::int32_t a = 0; a < A_; ++a) {
                    const double* line = transitions + ((k * S_ + s) * A_ + a) * S_;
                    successors_.clear();
                    for (std::int64_t next = 0; next < S_; ++next)
                        if (line[next] > 0) successors_.push_back({static_cast<Index>(next), line[next]});
                    set_row(s, k, a, expected_reward(s, a, 0));
                }
    }

    template <class Pause>
    std::int64_t solve(double tolerance, Pause&& pause) {
        return bellman_->solve(tolerance, pause);
    }

    // The value of each action in `state`, the best of all models.
    std::vector<double> q_values(std::int64_t state) const {
        std::vector<double> result(static_cast<std::size_t>(A_));
        const Index h = bellman_->find(state);
        for (std::int32_t a = 0; a < A_; ++a) {
            double& best = result[static_cast<std::size_t>(a)];
            if (h == NONE) {
                best = fresh_reward(state, a) + discount_ * bellman_->mean();
                continue;
            }
            best = bellman_->q(h, static_cast<std::size_t>(a));
            for (auto j = static_cast<std::size_t>(a + A_); j < bellman_->rows_per_state(); j += static_cast<std::size_t>(A_))
                best = std::max(best, bellman_->q(h, j));
        }
        return result;
    }

    // What is loaded, and its values, from which the next solution starts. A mean is of the belief that is loaded next.
    template <class Archive>
    void archive(Archive& a) {
        bool loaded = bellman_.has_value(), mean = source_ != nullptr || resumed_;
        a(loaded, mean, synced_, bonus_, fresh_bonus_);
        if constexpr (Archive::reading) {
            bellman_.reset();
            source_ = nullptr;
            resumed_ = loaded && mean;
        }
        if (!loaded) return;
        std::uint64_t rows = bellman_ ? bellman_->rows_per_state() : 0;
        std::vector<double> base = bellman_ ? bellman_->base() : std::vector<double>{};
        a(rows, base);
        if constexpr (Archive::reading) {
            const auto A = static_cast<std::uint64_t>(A_);
            a.check(rows > 0 && rows % A == 0 && rows <= (mean ? A : MOST_ROWS), "it is of another number of models or actions");
            a.check(base.empty() || base.size() == static_cast<std::size_t>(S_), "it is of another number of states");
            bellman_.emplace(S_, static_cast<std::int32_t>(rows), discount_, std::move(base));
            average_rewards(bellman_->base());
        }
        bellman_->archive(a);
    }

    bool loaded() const { return bellman_.has_value(); }
    std::int64_t num_states() const { return S_; }
    std::int64_t num_active() const { return bellman_ ? bellman_->active().size() : 0; }
    std::int32_t num_actions() const { return A_; }

 private:
    static constexpr std::uint64_t MOST_ROWS = 1 << 30;

    // ---- the posterior mean

    template <RowPrior P>
    void rebuild(Belief<P>& belief) {
        if (!bellman_ || bellman_->rows_per_state() != static_cast<std::size_t>(A_)) {
            bellman_.emplace(S_, A_, discount_, belief.prior.base());
            average_rewards(belief.prior.base());
        }
        fresh_bonus_ = bonus_ / (1 + belief.prior.mass(0));
        start_passive(belief.prior.base());
        for (Index h = 0; h < bellman_->active().size(); ++h) open(h);
        for (Index h = 0; h < terminal_.states().size(); ++h) activate(terminal_.states().state(h));
        if (belief.prior.one_base() && !belief.tied()) {
            for (Index h = 0; h < belief.known().size(); ++h) {
                activate(belief.known().state(h));
                for (std::int32_t a = 0; a < A_; ++a)
                    if (belief.counts(h, a).total > 0) load_row(belief, belief.known().state(h), a);
            }
        } else {
            for (std::int64_t s = 0; s < S_; ++s)
                for (std::int32_t a = 0; a < A_; ++a) load_row(belief, s, a);
        }
    }

    template <RowPrior P>
    void load_last(Belief<P>& belief) {
        const auto row = static_cast<std::int64_t>(belief.last_row);
        load_row(belief, belief.known().state(static_cast<Index>(row / A_)), static_cast<std::int32_t>(row % A_));
    }

    template <RowPrior P>
    void load_row(Belief<P>& belief, std::int64_t state, std::int32_t a) {
        if (terminal_.has(state)) return;
        const std::int64_t N = gather(belief, state, a), pair = belief.pair(state, a);
        entries_.clear();
        const double rest = belief.prior.mean_row(pair, seen_, n_, N, entries_);
        successors_.clear();
        for (const auto& [next, probability] : entries_) successors_.push_back({activate(next), probability});
        const double extra = bonus_ / (1 + belief.prior.mass(pair) + static_cast<double>(N));
        const Index h = activate(state);
        bellman_->set_row(h, static_cast<std::size_t>(a), successors_, rest, expected_reward(state, a, rest) + extra);
    }

    // The counts of a pair into `seen_` and `n_`; returns their sum.
    template <RowPrior P>
    std::int64_t gather(const Belief<P>& belief, std::int64_t state, std::int32_t a) {
        const Counts& counts = belief.counts(belief.known().find(state), a);
        seen_.clear();
        for (const Index h : counts.successors) seen_.push_back(belief.known().state(h));
        n_.assign(counts.n.begin(), counts.n.end());
        return counts.total;
    }

    Index activate(std::int64_t state) {
        Index h = bellman_->find(state);
        if (h == NONE) {
            h = bellman_->slot(state);
            open(h);
        }
        return h;
    }

    // The rows of an active state of which nothing is known yet.
    void open(Index h) {
        const std::int64_t state = bellman_->active().state(h);
        bellman_->leave_passive(h, best_fresh_reward(state));
        for (std::int32_t a = 0; a < A_; ++a) {
            if (terminal_.has(state)) stay(h, static_cast<std::size_t>(a));
            else bellman_->set_row(h, static_cast<std::size_t>(a), {}, 1, fresh_reward(state, a));
        }
    }

    // A row of a terminal state.
    void stay(Index h, std::size_t row) {
        const Successor itself{h, 1};
        bellman_->set_row(h, row, {&itself, 1}, 0, 0);
    }

    void start_passive(const std::vector<double>& base) {
        double sum = 0, greatest = 0;
        for (std::int64_t s = 0; s < S_; ++s) {
            const double best = best_fresh_reward(s);
            sum += base.empty() ? best : best * base[static_cast<std::size_t>(s)];
            greatest = std::max(greatest, std::abs(best));
        }
        bellman_->clear(base.empty() ? sum / static_cast<double>(S_) : sum, greatest);
    }

    // R(s,a) where nothing was observed.
    double fresh_reward(std::int64_t state, std::int32_t a) const {
        if (learned_) return learned_->prior_mean() + fresh_bonus_;
        return (by_next_state_ ? averages_ : rewards_)[static_cast<std::size_t>(state * A_ + a)] + fresh_bonus_;
    }
    double best_fresh_reward(std::int64_t state) const {
        double best = fresh_reward(state, 0);
        for (std::int32_t a = 1; a < A_; ++a) best = std::max(best, fresh_reward(state, a));
        return best;
    }

    // ---- rewards

    void average_rewards(const std::vector<double>& base) {
        if (!by_next_state_) return;
        averages_.assign(static_cast<std::size_t>(S_ * A_), 0.0);
        for (std::size_t row = 0; row < averages_.size(); ++row)
            for (std::size_t next = 0; next < static_cast<std::size_t>(S_); ++next)
                averages_[row] += (base.empty() ? 1 / static_cast<double>(S_) : base[next]) * rewards_[row * static_cast<std::size_t>(S_) + next];
    }

    // R(s,a) with the next state averaged out over `successors_` and the rest.
    double expected_reward(std::int64_t state, std::int32_t a, double rest) const {
        if (learned_) return learned_->mean(state, a);
        const auto row = static_cast<std::size_t>(state * A_ + a);
        if (!by_next_state_) return rewards_[row];
        double sum = rest == 0 ? 0 : rest * averages_[row];
        for (const auto& [slot, probability] : successors_)
            sum += probability * rewards_[row * static_cast<std::size_t>(S_) + static_cast<std::size_t>(bellman_->active().state(slot))];
        return sum;
    }

    // ---- whole tables: all states are active, state = slot

    void start_tables(std::size_t count) {
        const std::size_t rows = count * static_cast<std::size_t>(A_);
        if (!bellman_ || bellman_->rows_per_state() != rows) bellman_.emplace(S_, static_cast<std::int32_t>(rows), discount_, std::vector<double>{});
        bellman_->clear(0, 0);
        for (std::int64_t s = 0; s < S_; ++s) bellman_->slot(s);
        source_ = nullptr;
        learned_ = nullptr;
        synced_ = 0;
    }

    void set_row(std::int64_t state, std::int64_t k, std::int32_t a, double reward) {
        const auto h = static_cast<Index>(state);
        const auto row = static_cast<std::size_t>(k * A_ + a);
        if (terminal_.has(state)) stay(h, row);
        else bellman_->set_row(h, row, successors_, 0, reward);
    }

    // `row` into `successors_`; what is too small to change a sum of doubles is left out.
    void normalise(const Row& row) {
        successors_.clear();
        const double total = row.cumulative.back();
        for (std::size_t i = 0; i < row.states.size(); ++i) {
            const double weight = row.cumulative[i] - (i == 0 ? 0 : row.cumulative[i - 1]);
            if (weight > 1e-17 * total) successors_.push_back({static_cast<Index>(row.states[i]), weight / total});
        }
    }

    std::vector<double> rewards_;   // [S, A] or [S, A, S]
    std::vector<double> averages_;  // [S, A] the latter averaged over the prior's base
    std::int64_t S_;
    std::int32_t A_;
    double discount_;
    TerminalStates terminal_;
    std::shared_ptr<const RewardCounts> learned_;  // of the mean that is loaded; null: rewards are known
    bool by_next_state_;
    std::optional<Bellman> bellman_;

    const void* source_ = nullptr;  // the belief whose mean is loaded
    bool resumed_ = false;          // as it was saved: that belief is the next one to be loaded
    std::int64_t synced_ = 0;
    double bonus_ = 0, fresh_bonus_ = 0;

    std::vector<std::int64_t> seen_, n_;  // counts of one pair
    std::vector<std::pair<std::int64_t, double>> entries_;
    std::vector<Successor> successors_;   // of one row
};

}  // namespace bamdp

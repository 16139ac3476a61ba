// The Bellman equations of the posterior mean of a belief, of models sampled from it, or of tables.
//
// Several models are solved as one with A·K actions, the best of any model in every state (BOSS): row j is action j mod
// A. Rewards are known or learned: their posterior mean, or drawn with the models. A terminal state is one that stays
// as it is and pays nothing, whatever the belief says.
#pragma once

#include "solve/exploration_bonus.hpp"
#include "support/archive.hpp"

namespace bamdp {

class Solver : public InUse {
 public:
    // `rewards` [S, A] or [S, A, S]. With `ends` tables have one more state, for steps that end an episode in some
    // worlds only.
    Solver(std::vector<double> rewards, std::int64_t num_states, std::int32_t num_actions, double discount,
           TerminalStates terminal, bool ends = false)
        : rewards_(std::move(rewards), num_states, num_actions), S_(num_states), A_(num_actions), discount_(discount),
          terminal_(std::move(terminal)), end_(ends ? num_states : NONE) {}

    // The posterior mean of `belief`, each reward raised by bonus / (1 + pseudo-counts + visits). One new observation
    // costs the time of one row.
    template <RowPrior P>
    void load_mean(Belief<P>& belief, double bonus, std::shared_ptr<const RewardBelief> learned = nullptr) {
        clear_bonuses();
        rewards_.learned = std::move(learned);
        if (std::exchange(resumed_, false)) source_ = &belief;
        const std::int64_t news = belief.observations - synced_;
        const bool same = source_ == &belief && bonus == bonus_ && news >= 0;
        if (same && news == 0) return;
        source_ = &belief;
        bonus_ = bonus;
        const auto last = static_cast<std::int64_t>(belief.last_row);
        if (same && news == 1 && !belief.tied())
            load_row(belief, belief.known().state(static_cast<Index>(last / A_)), static_cast<std::int32_t>(last % A_));
        else
            rebuild(belief);
        synced_ = belief.observations;
    }

    // `count` models drawn from the posterior.
    template <RowPrior P>
    void load_samples(Belief<P>& belief, std::int64_t count, Random rng, Pause& pause,
                      const RewardBelief* learned = nullptr) {
        start_tables(static_cast<std::size_t>(count));
        Row row;
        const std::int64_t lines = belief.tied() ? 1 : S_;
        for (std::int64_t s = 0; s < lines; ++s)  // outermost, so that all rows of a state are side by side
            for (std::int32_t a = 0; a < A_; ++a) {
                belief.observed(belief.known().find(s), a, seen_);
                for (std::int64_t k = 0; k < count; ++k) {
                    belief.prior.draw_row(belief.pair(s, a), seen_, rng, row);
                    normalise(row);
                    for (std::int64_t state = s; state < (belief.tied() ? S_ : s + 1); ++state)
                        set_row(state, k, a,
                                learned == nullptr ? rewards_.expected(state, a, successors_, 0, bellman_->active())
                                                   : learned->draw_mean(state, a, rng));
                }
                pause();
            }
    }

    // Dense tables, `transitions` [count, S, A, S]; where models have their own, expected rewards [count, S, A], and
    // the part of the transitions that ends the episode [count, S, A, S].
    void load_tables(const double* transitions, std::int64_t count, const double* rewards = nullptr,
                     const double* ends = nullptr) {
        start_tables(static_cast<std::size_t>(count));
        for (std::int64_t s = 0; s < S_; ++s)
            for (std::int64_t k = 0; k < count; ++k)
                for (std::int32_t a = 0; a < A_; ++a) {
                    const double* line = transitions + ((k * S_ + s) * A_ + a) * S_;
                    successors_.clear();
                    for (std::int64_t next = 0; next < S_; ++next)
                        if (line[next] > 0) successors_.push_back({static_cast<Index>(next), line[next]});
                    const double reward = rewards == nullptr
                                              ? rewards_.expected(s, a, successors_, 0, bellman_->active())
                                              : rewards[(k * S_ + s) * A_ + a];
                    if (ends != nullptr) part_ends(line, ends + (line - transitions));
                    set_row(s, k, a, reward);
                }
    }

    std::int64_t solve(Pause pause, double tolerance) { return bellman_->solve(tolerance, pause); }

    // Solves for a known number of steps left, by backward induction; exact.
    void solve_steps(Pause pause, const StepsLeft& left) {
        induct(left, pause, [](std::int64_t) {});
    }

    // Solves by backward induction, and returns the values of all states after each of the first `depth` steps; the
    // first row is left 0. [depth + 1, S]
    std::vector<double> solve_layers(Pause pause, const StepsLeft& left, std::int64_t depth) {
        const std::int64_t steps = left.steps;
        std::vector<double> result(static_cast<std::size_t>((depth + 1) * S_));
        const auto keep = [&](std::int64_t k) {  // V_k, which the values are
            if (k < steps - depth) return;
            double* line = &result[static_cast<std::size_t>((steps - k) * S_)];
            for (std::int64_t s = 0; s < S_; ++s) line[s] = value_of(s);
        };
        induct(left, pause, [&](std::int64_t k) { keep(k - 1); });
        keep(steps - 1);
        return result;
    }

    // The value of each action in `state`, the best of all models.
    std::vector<double> q_values(std::int64_t state) const {
        std::vector<double> result(static_cast<std::size_t>(A_));
        q_values(state, result.data());
        return result;
    }
    void q_values(std::int64_t state, double* q) const {
        const Index h = bellman_->find(state);
        for (std::int32_t a = 0; a < A_; ++a) {
            double& best = q[a];
            if (h == NONE) {
                best = rewards_.fresh(state, a) + discount_ * bellman_->mean();
                continue;
            }
            best = bellman_->q(h, static_cast<std::size_t>(a));
            for (auto j = static_cast<std::size_t>(a + A_); j < bellman_->rows_per_state();
                 j += static_cast<std::size_t>(A_))
                best = std::max(best, bellman_->q(h, j));
        }
    }

    // The value of each action in each state, [S · A].
    std::vector<double> q_table() const {
        std::vector<double> table(static_cast<std::size_t>(S_ * A_));
        for (std::int64_t s = 0; s < S_; ++s) q_values(s, &table[static_cast<std::size_t>(s * A_)]);
        return table;
    }

    // The value of any state, as it is now; of tables all are active, and nothing is known of fresh rewards.
    double value_of(std::int64_t state) const {
        const Index h = bellman_->find(state);
        return h == NONE ? bellman_->value(state, rewards_.best_fresh(state))
                         : bellman_->values()[static_cast<std::size_t>(h)];
    }

    std::vector<double> next_values() const {
        std::vector<double> values;
        for (std::int64_t s = 0; s < S_; ++s) values.push_back(value_of(s));
        return values;
    }

    // Solves the mean of `belief`, which is loaded, with a bonus for learning (exploration_bonus.hpp) on the rewards of
    // active states, as seen from `state`. Passive states have none: with it the maze was explored for longer than it
    // paid (859 instead of 1146 by the mean). The bonus follows from the values, and the values from the bonus: ROUNDS
    // times in turns, from the mean's values on. What staying teaches counts where each row has its own possible next
    // states. Where any state may follow, the hope for one of them is what makes the agent explore: with the correction
    // one of 100 runs in the maze went to and fro between two states for ever.
    template <RowPrior P>
    void solve_index(Belief<P>& belief, std::int64_t state, double tolerance, Pause pause) {
        const Index h = activate(state);
        bellman_->solve(tolerance, pause);
        of_mean_ = bellman_->values();
        for (int round = 0; round < ROUNDS; ++round) {
            const ExplorationBonus bonus(*bellman_, rewards_, terminal_, S_, A_);
            bonus.set_bonuses(belief, visits_from(belief, h, {NO_END}, NONE));
            if (!belief.tied() && !belief.prior.one_base()) bonus.add_self_transitions(belief);
            bellman_->solve(tolerance, pause);
        }
    }

    // The index policy for a known number of steps left: what is learned with k of them left can be used in the k − 1
    // after it, in the same proportions as now.
    template <RowPrior P>
    void solve_index_steps(Belief<P>& belief, std::int64_t state, const StepsLeft& left, Pause pause) {
        const std::int64_t steps = left.steps;
        const Index h = activate(state), start = left.length > 0 ? activate(left.start) : NONE;
        solve_steps(pause, left);
        of_mean_ = bellman_->values();
        const std::vector<double> visits = visits_from(belief, h, left, start);
        std::vector<double> later(2, 0.0);  // [steps + 1] as later_steps
        for (std::int64_t k = 2; k <= steps; ++k) later.push_back(discount_ * (1 + later.back()));
        const auto stage = [&](std::int64_t k) {
            std::vector<double> then = visits;
            for (double& n : then) n *= later.back() > 0 ? later[static_cast<std::size_t>(k)] / later.back() : 0;
            ExplorationBonus(*bellman_, rewards_, terminal_, S_, A_).set_bonuses(belief, then);
        };
        induct(left, pause, stage);
        stage(steps);
    }

    // The mean that is loaded, solved without bonuses; with `every` state in the equations, if that is asked for.
    struct Mean {
        Bellman& bellman;
        const MeanRewards& rewards;
        const TerminalStates& terminal;
    };
    Mean mean(bool every) {
        clear_bonuses();
        for (std::int64_t s = 0; every && s < S_; ++s) {
            if (bellman_->find(s) != NONE) continue;
            const double value = value_of(s);
            bellman_->values()[static_cast<std::size_t>(activate(s))] = value;
        }
        return {*bellman_, rewards_, terminal_};
    }

    // A bonus for each state and action of whole tables, [S, A], until other tables are loaded.
    void set_table_bonuses(const double* bonuses) {
        if (of_mean_.empty()) of_mean_ = bellman_->values();
        for (std::int64_t s = 0; s < S_; ++s)
            for (std::int32_t a = 0; a < A_; ++a)
                if (!terminal_.has(s))
                    bellman_->set_bonus(static_cast<Index>(s), static_cast<std::size_t>(a), bonuses[s * A_ + a]);
    }

    // What is loaded, and its values, from which the next solution starts. A mean is of the belief that is loaded next.
    template <class Archive>
    void archive(Archive& a) {
        clear_bonuses();
        bool loaded = bellman_.has_value(), mean = source_ != nullptr || resumed_;
        a(loaded, mean, synced_, bonus_, rewards_.fresh_bonus);
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
            a.check(rows > 0 && rows % A == 0 && rows <= (mean ? A : MOST_ROWS),
                    "it is of another number of models or actions");
            a.check(base.empty() || base.size() == static_cast<std::size_t>(S_), "it is of another number of states");
            bellman_.emplace(num_slots(), static_cast<std::int32_t>(rows), discount_, std::move(base));
            rewards_.average(bellman_->base());
        }
        bellman_->archive(a);
    }

    std::int64_t num_states() const { return S_; }
    std::int64_t num_active() const { return bellman_ ? bellman_->active().size() : 0; }
    std::int32_t num_actions() const { return A_; }
    double discount() const { return discount_; }

 private:
    // The values are those after the next step; before `stage(k)` those with k − 1 steps left. Where an episode ends,
    // the next starts.
    template <class Stage>
    void induct(const StepsLeft& left, Pause& pause, Stage&& stage) {
        const auto restart = [&](std::int64_t k) {
            if (left.ends_after(left.steps - k)) bellman_->restart(value_of(left.start));
        };
        bellman_->induct(left.steps - 1, pause, [&](std::int64_t k) {
            restart(k - 1);
            stage(k);
        });
        restart(left.steps - 1);
    }

    static constexpr std::uint64_t MOST_ROWS = 1 << 30;
    static constexpr int ROUNDS = 2;  // one leaves 3 times the regret on a chain of four states, three change nothing

    // ---- the bonus for learning

    // Back to the mean as it was solved without.
    void clear_bonuses() {
        if (of_mean_.empty()) return;
        for (Index s = 0; s < bellman_->active().size(); ++s)
            for (std::int32_t a = 0; a < A_; ++a) bellman_->set_bonus(s, static_cast<std::size_t>(a), 0);
        bellman_->restore(std::move(of_mean_));
        of_mean_.clear();
    }

    template <RowPrior P>
    std::vector<double> visits_from(const Belief<P>& belief, Index h, const StepsLeft& left, Index start) const {
        if (belief.tied()) return std::vector<double>(bellman_->values().size(), later_steps(discount_, left.steps));
        return later_visits(*bellman_, h, left, start);
    }

    // ---- the posterior mean

    template <RowPrior P>
    void rebuild(Belief<P>& belief) {
        if (!bellman_ || bellman_->rows_per_state() != static_cast<std::size_t>(A_)) {
            bellman_.emplace(S_, A_, discount_, belief.prior.base());
            rewards_.average(belief.prior.base());
        }
        rewards_.fresh_bonus = bonus_ / (1 + belief.prior.mass(0));
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
    void load_row(Belief<P>& belief, std::int64_t state, std::int32_t a) {
        if (terminal_.has(state)) return;
        const std::int64_t pair = belief.pair(state, a);
        belief.observed(belief.known().find(state), a, seen_);
        entries_.clear();
        const double rest = belief.prior.mean_row(pair, seen_, entries_);
        successors_.clear();
        for (const auto& [next, probability] : entries_) successors_.push_back({activate(next), probability});
        const double extra = bonus_ / (1 + belief.prior.mass(pair) + static_cast<double>(seen_.total));
        const Index h = activate(state);
        bellman_->set_row(h, static_cast<std::size_t>(a), successors_, rest,
                          rewards_.expected(state, a, successors_, rest, bellman_->active()) + extra);
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
        bellman_->leave_passive(h, rewards_.best_fresh(state));
        for (std::int32_t a = 0; a < A_; ++a) {
            if (terminal_.has(state))
                stay(h, static_cast<std::size_t>(a));
            else
                bellman_->set_row(h, static_cast<std::size_t>(a), {}, 1, rewards_.fresh(state, a));
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
            const double best = rewards_.best_fresh(s);
            sum += base.empty() ? best : best * base[static_cast<std::size_t>(s)];
            greatest = std::max(greatest, std::abs(best));
        }
        bellman_->clear(base.empty() ? sum / static_cast<double>(S_) : sum, greatest);
    }

    // ---- whole tables: all states are active, state = slot

    std::int64_t num_slots() const { return S_ + (end_ != NONE ? 1 : 0); }

    void start_tables(std::size_t count) {
        const std::size_t rows = count * static_cast<std::size_t>(A_);
        if (!bellman_ || bellman_->rows_per_state() != rows)
            bellman_.emplace(num_slots(), static_cast<std::int32_t>(rows), discount_, std::vector<double>{});
        clear_bonuses();
        bellman_->clear(0, 0);
        for (std::int64_t s = 0; s < num_slots(); ++s) bellman_->slot(s);
        for (std::size_t row = 0; end_ != NONE && row < rows; ++row) stay(static_cast<Index>(end_), row);
        source_ = nullptr;
        rewards_.learned = nullptr;
        synced_ = 0;
    }

    // The successors of a row, where some of their probability ends the episode.
    void part_ends(const double* line, const double* ends) {
        successors_.clear();
        double over = 0;
        for (std::int64_t next = 0; next < S_; ++next) {
            over += ends[next];
            if (line[next] > ends[next]) successors_.push_back({static_cast<Index>(next), line[next] - ends[next]});
        }
        if (over > 0) successors_.push_back({static_cast<Index>(end_), over});
    }

    void set_row(std::int64_t state, std::int64_t k, std::int32_t a, double reward) {
        const auto h = static_cast<Index>(state);
        const auto row = static_cast<std::size_t>(k * A_ + a);
        if (terminal_.has(state))
            stay(h, row);
        else
            bellman_->set_row(h, row, successors_, 0, reward);
    }

    // `row` into `successors_`; what is too small to change a sum of doubles is left out.
    void normalise(const Row& row) {
        successors_.clear();
        const double total = row.cumulative.back();
        for (std::size_t i = 0; i < row.states.size(); ++i)
            if (row.weight(i) > 1e-17 * total)
                successors_.push_back({static_cast<Index>(row.states[i]), row.weight(i) / total});
    }

    MeanRewards rewards_;
    std::int64_t S_;
    std::int32_t A_;
    double discount_;
    TerminalStates terminal_;
    std::int64_t end_;  // the state after steps that end an episode in some worlds only, or NONE
    std::optional<Bellman> bellman_;
    std::vector<double> of_mean_;  // [active] values without bonuses; empty if there are none

    const void* source_ = nullptr;  // the belief whose mean is loaded
    bool resumed_ = false;  // as it was saved: that belief is the next one to be loaded
    std::int64_t synced_ = 0;
    double bonus_ = 0;

    Observed seen_;  // of one pair
    SparseRow entries_;
    std::vector<Successor> successors_;  // of one row
};

}  // namespace bamdp

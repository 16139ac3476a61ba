// The distribution of what the agent sees next, given a belief and hypothetical further steps: for the exact planner.
//
// A cell counts steps that change the belief in the same way. Uninformative ones (a row with one possible successor, or
// an outcome of which all worlds say the same) have none, which keeps the lattice of counts small.
#pragma once

#include <map>

#include "beliefs/belief.hpp"
#include "models/worlds.hpp"

namespace bamdp {

using Count = std::uint16_t;
inline constexpr std::int32_t NO_CELL = -1;

// What the agent sees after a step.
struct Outcome {
    std::int64_t next;
    double reward = std::numeric_limits<double>::quiet_NaN();  // NaN: the known one
    bool end = false;  // of the episode, beside the known ends
};

class Predictor {
 public:
    Predictor(std::int64_t num_states, std::int32_t num_actions, bool tied)
        : num_states(num_states), num_actions(num_actions), tied(tied),
          num_outcomes(static_cast<std::size_t>(num_states)) {}
    virtual ~Predictor() = default;

    // Go to a belief state, given by the counts of the hypothetical steps. [cells]
    virtual void at(std::span<const Count> counts) = 0;

    // The probability of each outcome there. [outcomes]
    virtual void predict(std::int64_t state, std::int32_t a, std::span<double> out) = 0;
    virtual Outcome outcome(std::int64_t state, std::int32_t a, std::size_t k) const = 0;

    // The cells that an outcome increases by one, appended to `out`.
    virtual void count(std::int64_t state, std::int32_t a, std::size_t k, std::span<const Count> counts,
                       std::vector<std::size_t>& out) const = 0;

    const std::int64_t num_states;
    const std::int32_t num_actions;
    const bool tied;  // rows are one per action, shared by all states
    std::size_t num_outcomes;  // of a row, at most
    std::size_t num_cells = 0;

 protected:
    std::int64_t pair(std::int64_t state, std::int32_t a) const { return tied ? a : state * num_actions + a; }
};

// Predictor of independent rows: an outcome is the next state, and a cell a transition (row, s').
template <RowPrior P>
class ConjugatePredictor : public Predictor {
 public:
    explicit ConjugatePredictor(const Belief<P>& belief)
        : Predictor(belief.num_states, belief.num_actions, belief.tied()), prior_(belief.prior) {
        Observed seen;
        for (std::int64_t state = 0; state < (tied ? 1 : num_states); ++state)
            for (std::int32_t a = 0; a < num_actions; ++a) {
                const std::int64_t row = pair(state, a);
                std::int64_t possible = 0;
                for (std::int64_t s = 0; s < num_states; ++s) possible += prior_.possible(row, s);
                for (std::int64_t s = 0; s < num_states; ++s)
                    cells_.push_back(possible > 1 && prior_.possible(row, s) ? static_cast<std::int32_t>(num_cells++)
                                                                             : NO_CELL);
                real_.resize(cells_.size());
                belief.observed(belief.known().find(state), a, seen);
                for (std::size_t i = 0; i < seen.n.size(); ++i) real_[place(row, seen.states[i])] += seen.n[i];
            }
    }

    void at(std::span<const Count> counts) override { counts_ = counts; }

    void predict(std::int64_t state, std::int32_t a, std::span<double> out) override {
        seen_.clear();
        for (std::int64_t s = 0; s < num_states; ++s) {
            const std::size_t i = place(pair(state, a), s);
            const std::int64_t n = real_[i] + (cells_[i] == NO_CELL ? 0 : counts_[static_cast<std::size_t>(cells_[i])]);
            if (n > 0) seen_.add(s, n);
        }
        prior_.predictive(pair(state, a), seen_, out);
    }

    Outcome outcome(std::int64_t, std::int32_t, std::size_t k) const override { return {static_cast<std::int64_t>(k)}; }

    void count(std::int64_t state, std::int32_t a, std::size_t k, std::span<const Count>,
               std::vector<std::size_t>& out) const override {
        const std::int32_t cell = cells_[place(pair(state, a), static_cast<std::int64_t>(k))];
        if (cell != NO_CELL) out.push_back(static_cast<std::size_t>(cell));
    }

 private:
    std::size_t place(std::int64_t row, std::int64_t next) const {
        return static_cast<std::size_t>(row * num_states + next);
    }

    P prior_;
    std::vector<std::int32_t> cells_;  // [rows, S]
    std::vector<std::int64_t> real_;  // [rows, S] what was observed
    std::span<const Count> counts_;
    Observed seen_;
};

// Predictor of a finite set of worlds: an outcome of (s, a) is a next state with what some worlds pay for it and
// whether they end there. Its likelihoods, one for each world, change the belief in two ways, each with its own cells:
// worlds of likelihood 0 are ruled out (a cell for each world, 0 or 1), and the others are reweighted, unless they are
// all alike (a cell for each different vector). Histories that rule out the same worlds are then one belief state, in
// whatever order and how often they did.
class WorldsPredictor : public Predictor {
 public:
    explicit WorldsPredictor(std::shared_ptr<const WorldsBelief> belief)
        : Predictor(belief->num_states, belief->num_actions, false), belief_(std::move(belief)) {
        for (std::size_t m = 0; m < belief_->num_models(); ++m)
            if (belief_->is_left(m)) left_.push_back(m);
        weights_.resize(left_.size());
        for (std::int64_t state = 0; state < num_states; ++state)
            for (std::int32_t a = 0; a < num_actions; ++a) rows_.push_back(outcomes(state, a));
        num_outcomes = 1;
        for (const auto& row : rows_) num_outcomes = std::max(num_outcomes, row.size());
        num_cells = left_.size() + vectors_.size();
    }

    void at(std::span<const Count> counts) override {
        const std::size_t M = left_.size();
        for (std::size_t i = 0; i < M; ++i)
            weights_[i] = counts[i] > 0 ? -std::numeric_limits<double>::infinity() : belief_->log_weight(left_[i]);
        for (const auto& [logs, cell] : vectors_)
            for (std::size_t i = 0; i < M && counts[cell] > 0; ++i) weights_[i] += counts[cell] * logs[i];
        const double peak = *std::max_element(weights_.begin(), weights_.end());
        double sum = 0;
        for (double& w : weights_) sum += w = std::exp(w - peak);
        for (double& w : weights_) w /= sum;
    }

    void predict(std::int64_t state, std::int32_t a, std::span<double> out) override {
        std::fill(out.begin(), out.end(), 0.0);
        const std::vector<Possible>& row = row_of(state, a);
        double sum = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            for (std::size_t i = 0; i < left_.size(); ++i) out[k] += weights_[i] * row[k].likelihoods[i];
            sum += out[k];
        }
        for (std::size_t k = 0; k < row.size() && sum > 0; ++k) out[k] /= sum;  // given that `state` is not terminal
    }

    Outcome outcome(std::int64_t state, std::int32_t a, std::size_t k) const override {
        const std::vector<Possible>& row = row_of(state, a);
        return k < row.size() ? row[k].outcome : Outcome{0};
    }

    void count(std::int64_t state, std::int32_t a, std::size_t k, std::span<const Count> counts,
               std::vector<std::size_t>& out) const override {
        const Possible& seen = row_of(state, a)[k];
        for (std::size_t i = 0; i < left_.size(); ++i)
            if (seen.likelihoods[i] <= 0 && counts[i] == 0) out.push_back(i);
        if (seen.cell != NO_CELL) out.push_back(static_cast<std::size_t>(seen.cell));
    }

 private:
    struct Possible {
        Outcome outcome;
        std::vector<double> likelihoods;  // [left]
        std::int32_t cell = NO_CELL;  // that weighs the worlds it leaves
    };

    const std::vector<Possible>& row_of(std::int64_t state, std::int32_t a) const {
        return rows_[static_cast<std::size_t>(pair(state, a))];
    }

    std::vector<Possible> outcomes(std::int64_t state, std::int32_t a) {
        WorldRows& rows = *belief_->rows();
        const auto reading = rows.reading();
        std::vector<Possible> row;
        std::map<std::tuple<std::int64_t, double, bool>, std::size_t> known;
        for (std::size_t i = 0; i < left_.size(); ++i)
            for (const WorldOutcome& o : rows.row(left_[i], rows.base(state), a).outcomes) {
                const bool end = belief_->ends() && o.end;
                const double reward = belief_->pays() ? o.reward : 0;
                const auto [place, is_new] = known.try_emplace({o.number, reward, end}, row.size());
                if (is_new)
                    row.push_back({{o.number, belief_->pays() ? reward : WorldsBelief::UNSEEN, end},
                                   std::vector<double>(left_.size()),
                                   NO_CELL});
                row[place->second].likelihoods[i] += o.p;
            }
        for (Possible& possible : row) possible.cell = cell_of(possible.likelihoods);
        return row;
    }

    // The cell of a vector of likelihoods, up to a factor; none if those that are not 0 are equal.
    std::int32_t cell_of(const std::vector<double>& likelihoods) {
        const double greatest = *std::max_element(likelihoods.begin(), likelihoods.end());
        std::vector<double> logs;
        for (const double p : likelihoods) logs.push_back(p > 0 ? std::log(p / greatest) : 0);
        if (std::ranges::all_of(logs, [](double x) { return x == 0; })) return NO_CELL;
        return static_cast<std::int32_t>(vectors_.try_emplace(logs, left_.size() + vectors_.size()).first->second);
    }

    std::shared_ptr<const WorldsBelief> belief_;
    std::vector<std::size_t> left_;  // worlds that were not ruled out before
    std::vector<std::vector<Possible>> rows_;  // [S·A]
    std::map<std::vector<double>, std::size_t> vectors_;  // logarithms of likelihoods [left], and their cells
    std::vector<double> weights_;  // [left] posterior at the current belief state
};

}  // namespace bamdp

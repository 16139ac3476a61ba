// The distribution of the next state, given a belief and hypothetical further transitions: for the exact planner.
// Where worlds differ in rewards or terminal states, that of what the agent sees (worlds_predictor.hpp).
//
// A cell is a transition (row, s') that changes the belief. Uninformative transitions (a row with one possible successor, or
// on which all models of a finite set agree) have no cell, which keeps the lattice of counts small.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "beliefs/belief.hpp"
#include "models/finite.hpp"

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
        : num_states(num_states), num_actions(num_actions), tied(tied), num_outcomes(static_cast<std::size_t>(num_states)),
          cells_(static_cast<std::size_t>((tied ? 1 : num_states) * num_actions * num_states), NO_CELL) {}
    virtual ~Predictor() = default;

    // Go to a belief state, given by the counts of the hypothetical transitions. [cells]
    virtual void at(std::span<const Count> counts) = 0;

    // The probability of each outcome there: of each next state, if not said otherwise. [outcomes]
    virtual void predict(std::int64_t state, std::int32_t a, std::span<double> out) = 0;
    virtual Outcome outcome(std::int64_t, std::int32_t, std::size_t k) const { return {static_cast<std::int64_t>(k)}; }

    // The cells that an outcome increases by one, appended to `out`.
    virtual void count(std::int64_t state, std::int32_t a, std::size_t k, std::span<const Count>, std::vector<std::size_t>& out) const {
        const std::int32_t cell = cells_[at_cell(pair(state, a), static_cast<std::int64_t>(k))];
        if (cell != NO_CELL) out.push_back(static_cast<std::size_t>(cell));
    }

    std::size_t num_cells() const { return size_; }

    const std::int64_t num_states;
    const std::int32_t num_actions;
    const bool tied;  // rows are one per action, shared by all states
    std::size_t num_outcomes;  // of a row, at most

 protected:
    void set_cells(std::size_t count) { size_ = count; }  // without names
    std::int64_t pair(std::int64_t state, std::int32_t a) const { return tied ? a : state * num_actions + a; }
    std::int64_t num_pairs() const { return (tied ? 1 : num_states) * num_actions; }

    void add_cell(std::int64_t pair, std::int64_t next) { cells_[at_cell(pair, next)] = static_cast<std::int32_t>(size_++); }
    std::int32_t cell_of(std::int64_t pair, std::int64_t next) const { return cells_[at_cell(pair, next)]; }

 private:
    std::size_t at_cell(std::int64_t pair, std::int64_t next) const { return static_cast<std::size_t>(pair * num_states + next); }

    std::vector<std::int32_t> cells_;  // [rows, S]
    std::size_t size_ = 0;
};

template <RowPrior P>
class ConjugatePredictor : public Predictor {
 public:
    explicit ConjugatePredictor(const Belief<P>& belief)
        : Predictor(belief.num_states, belief.num_actions, belief.tied()), prior_(belief.prior),
          real_(static_cast<std::size_t>(num_pairs() * num_states)) {
        for (std::int64_t row = 0; row < num_pairs(); ++row) {
            std::int64_t possible = 0;
            for (std::int64_t s = 0; s < num_states; ++s) possible += prior_.possible(row, s);
            for (std::int64_t s = 0; s < num_states && possible > 1; ++s)
                if (prior_.possible(row, s)) add_cell(row, s);
        }
        for (std::int64_t state = 0; state < (tied ? 1 : num_states); ++state)
            for (std::int32_t a = 0; a < num_actions; ++a) {
                const Counts& counts = belief.counts(belief.known().find(state), a);
                for (std::size_t i = 0; i < counts.n.size(); ++i) real(pair(state, a), belief.known().state(counts.successors[i])) += counts.n[i];
            }
    }

    void at(std::span<const Count> counts) override { counts_ = counts; }

    void predict(std::int64_t state, std::int32_t a, std::span<double> out) override {
        const std::int64_t row = pair(state, a);
        seen_.clear();
        n_.clear();
        std::int64_t total = 0;
        for (std::int64_t s = 0; s < num_states; ++s) {
            const std::int32_t cell = cell_of(row, s);
            const std::int64_t n = real(row, s) + (cell == NO_CELL ? 0 : counts_[static_cast<std::size_t>(cell)]);
            if (n == 0) continue;
            seen_.push_back(s);
            n_.push_back(n);
            total += n;
        }
        prior_.predictive(row, seen_, n_, total, out);
    }

 private:
    std::int64_t& real(std::int64_t row, std::int64_t next) { return real_[static_cast<std::size_t>(row * num_states + next)]; }

    P prior_;
    std::vector<std::int64_t> real_;  // [rows, S] what was observed
    std::span<const Count> counts_;
    std::vector<std::int64_t> seen_, n_;
};

class FinitePredictor : public Predictor {
 public:
    explicit FinitePredictor(std::shared_ptr<const FiniteBelief> belief)
        : Predictor(belief->num_states, belief->num_actions, false), belief_(std::move(belief)), weights_(belief_->num_models()) {
        for (std::int64_t row = 0; row < num_pairs(); ++row) {
            if (!informative(row)) continue;
            for (std::int64_t s = 0; s < num_states; ++s) {
                add_cell(row, s);
                for (std::size_t m = 0; m < weights_.size(); ++m) logs_.push_back(std::log(belief_->row(m, row)[static_cast<std::size_t>(s)]));
            }
        }
    }

    void at(std::span<const Count> counts) override {
        const std::size_t M = weights_.size();
        for (std::size_t m = 0; m < M; ++m) weights_[m] = belief_->log_weight(m);
        for (std::size_t c = 0; c < counts.size(); ++c)
            for (std::size_t m = 0; m < M && counts[c] > 0; ++m) weights_[m] += counts[c] * logs_[c * M + m];
        const double peak = *std::max_element(weights_.begin(), weights_.end());
        double sum = 0;
        for (double& w : weights_) sum += w = std::exp(w - peak);
        for (double& w : weights_) w /= sum;
    }

    void predict(std::int64_t state, std::int32_t a, std::span<double> out) override { belief_->mix(weights_, pair(state, a), out); }

 private:
    // Whether the models that are still possible differ in this row.
    bool informative(std::int64_t row) const {
        std::size_t first = weights_.size();
        for (std::size_t m = 0; m < weights_.size(); ++m) {
            if (!belief_->is_left(m)) continue;
            if (first == weights_.size()) first = m;
            if (!std::ranges::equal(belief_->row(m, row), belief_->row(first, row))) return true;
        }
        return false;
    }

    std::shared_ptr<const FiniteBelief> belief_;
    std::vector<double> logs_;     // [cells, M] log of the probability of each cell's transition
    std::vector<double> weights_;  // [M] posterior at the current belief state
};

}  // namespace bamdp

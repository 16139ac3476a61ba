// The models that draw rows of the posterior, for beliefs with independent rows:
//
//   Lazy       root sampling, lazily (the paper's section 3.3): a row of the sampled model is drawn when a simulation
//              first needs it, and of a long one only what it needs
//   Full       root sampling, naively: the whole transition table, S·A rows of S probabilities, is drawn at the start
//              of each simulation. What lazy sampling is measured against
//   Resampled  the dynamics of the Bayes-adaptive MDP itself, as BA-UCT uses them: no root sample. Every step draws a
//              row from the posterior given the real counts and those of this simulation so far, takes the successor
//              from it, and updates the counts
#pragma once

#include "beliefs/belief.hpp"
#include "models/collapsed.hpp"
#include "models/sampling.hpp"
#include "models/tabular.hpp"

namespace bamdp {

// What a simulation draws when it first needs it, and forgets when it ends.
template <class R>
class DrawnRows {
 public:
    // The row at index `at`, by `draw(row)` if this simulation has not drawn it yet.
    template <class Draw>
    R& get(std::size_t at, Draw&& draw) {
        if (at >= drawn_.size()) drawn_.resize(2 * at + 1, NONE);
        if (drawn_[at] == NONE) {
            const std::size_t i = touched_.size();
            if (i == rows_.size()) rows_.emplace_back();
            draw(rows_[i]);
            drawn_[at] = static_cast<std::int32_t>(i);
            touched_.push_back(at);
        }
        return rows_[static_cast<std::size_t>(drawn_[at])];
    }

    void forget() {
        for (const std::size_t at : touched_) drawn_[at] = NONE;
        touched_.clear();
    }

 private:
    std::vector<std::int32_t> drawn_;   // where this simulation's draw of a row is kept, or NONE
    std::vector<std::size_t> touched_;  // rows drawn in this simulation
    std::vector<R> rows_;               // kept from one simulation to the next, to save allocations
};

template <RowPrior P>
class RowModel : public TabularModel<Belief<P>> {
 public:
    RowModel(std::shared_ptr<const Belief<P>> belief, std::shared_ptr<const Rewards> rewards)
        : TabularModel<Belief<P>>(std::move(belief), std::move(rewards)), prior_(belief_->prior) {}

    Index begin(std::int64_t state, Random&) { return index_.find_or_add(state); }

 protected:
    // A successor from a row; if it was hidden, the row has it from now on.
    BAMDP_INLINE std::int64_t draw_successor(OpenRow& row, Random& rng) {
        if (row.hidden_weight == 0) return row.states[draw_from(row.cumulative, rng)];
        const double u = rng.uniform() * (row.listed() + row.hidden_weight);
        if (u >= row.listed()) {
            prior_.reveal(row, rng);
            return row.states.back();
        }
        return row.states[static_cast<std::size_t>(std::upper_bound(row.cumulative.begin(), row.cumulative.end(), u) -
                                                   row.cumulative.begin())];
    }

    using TabularModel<Belief<P>>::belief_;
    using TabularModel<Belief<P>>::index_;
    P prior_;
    Observed seen_;  // of one pair
};

template <RowPrior P>
class Lazy : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        OpenRow& row = rows_.get(this->belief_->row(h, a), [&](OpenRow& fresh) {
            this->belief_->observed(h, a, this->seen_);
            this->prior_.open_row(this->belief_->pair(state, a), this->seen_, rng, fresh);
        });
        return this->arrive(state, a, this->draw_successor(row, rng));
    }

    void end() {
        rows_.forget();
        RowModel<P>::end();
    }

 private:
    DrawnRows<OpenRow> rows_;
};

template <RowPrior P>
class Full : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Index begin(std::int64_t state, Random& rng) {
        const std::int64_t S = this->belief_->num_states, lines = this->belief_->tied() ? 1 : S;
        table_.resize(static_cast<std::size_t>(lines * this->belief_->num_actions * S));
        for (std::int64_t s = 0; s < lines; ++s)
            for (std::int32_t a = 0; a < this->belief_->num_actions; ++a) {
                this->belief_->observed(this->belief_->known().find(s), a, this->seen_);
                this->prior_.draw_row(this->belief_->pair(s, a), this->seen_, rng, row_);
                const std::span<double> line = dense_row(s, a);
                std::fill(line.begin(), line.end(), 0.0);
                for (std::size_t i = 0; i < row_.states.size(); ++i)
                    line[static_cast<std::size_t>(row_.states[i])] = row_.weight(i);
                for (std::size_t i = 1; i < line.size(); ++i) line[i] += line[i - 1];
            }
        return this->index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        return this->arrive(state, a, static_cast<std::int64_t>(draw_from(dense_row(state, a), rng)));
    }

 private:
    std::span<double> dense_row(std::int64_t state, std::int32_t a) {
        const auto S = static_cast<std::size_t>(this->belief_->num_states);
        return {&table_[static_cast<std::size_t>(this->belief_->pair(state, a)) * S], S};
    }

    std::vector<double> table_;  // [rows, S] cumulative
    Row row_;
};

template <RowPrior P>
class Resampled : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::size_t at = this->belief_->row(h, a);
        const std::int64_t state = this->state(h);
        this->belief_->observed(h, a, this->seen_);
        for (const auto& [row, next_state] : planned_)
            if (row == at) count(next_state);
        this->prior_.open_row(this->belief_->pair(state, a), this->seen_, rng, row_);
        const std::int64_t next_state = this->draw_successor(row_, rng);
        planned_.push_back({at, next_state});
        return this->arrive(state, a, next_state);
    }

    void end() {
        planned_.clear();
        RowModel<P>::end();
    }

 private:
    void count(std::int64_t next_state) {
        Observed& seen = this->seen_;
        const auto known = std::find(seen.states.begin(), seen.states.end(), next_state);
        if (known == seen.states.end()) return seen.add(next_state, 1);
        ++seen.n[static_cast<std::size_t>(known - seen.states.begin())];
        ++seen.total;
    }

    std::vector<std::pair<std::size_t, std::int64_t>>
        planned_;  // the transitions of this simulation: row and next state
    OpenRow row_;
};

template <Sampling S, RowPrior P>
struct ModelOf<S, Belief<P>> : Supported {
    using type = std::tuple_element_t<static_cast<std::size_t>(S),
                                      std::tuple<Collapsed<P>, Lazy<P>, Full<P>, Resampled<P>>>;  // as in Sampling
};

}  // namespace bamdp

// Shared by the models that draw whole rows: the counts of a pair as the prior wants them, rows kept for one simulation, and a draw
// from a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "beliefs/belief.hpp"
#include "models/tabular.hpp"
#include "priors/open_row.hpp"

namespace bamdp {

// A successor from a row of cumulative weights.
inline std::size_t draw_from(std::span<const double> cumulative, Random& rng) {
    const double u = rng.uniform() * cumulative.back();
    const auto i = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
    return std::min(i, cumulative.size() - 1);
}

// Rows drawn when a simulation first needs them, and forgotten when it ends.
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

 protected:
    // The posterior row of (h, a); `h` is NONE or beyond the known ones where nothing was observed.
    void draw_row(std::int64_t state, Index h, std::int32_t a, Random& rng, Row& row) {
        gather(h, a);
        prior_.draw_row(belief_->pair(state, a), seen_, n_, rng, row);
    }

    // A successor from a row; if it was hidden, the row has it from now on.
    BAMDP_INLINE std::int64_t draw_successor(OpenRow& row, Random& rng) {
        if (row.hidden_weight == 0) return row.states[draw_from(row.cumulative, rng)];
        const double u = rng.uniform() * (row.listed() + row.hidden_weight);
        if (u >= row.listed()) {
            prior_.reveal(row, rng);
            return row.states.back();
        }
        return row.states[static_cast<std::size_t>(std::upper_bound(row.cumulative.begin(), row.cumulative.end(), u) - row.cumulative.begin())];
    }

    void gather(Index h, std::int32_t a) {
        const Counts& counts = belief_->counts(h < belief_->known().size() ? h : NONE, a);
        seen_.clear();
        for (const Index successor : counts.successors) seen_.push_back(belief_->known().state(successor));
        n_.assign(counts.n.begin(), counts.n.end());
    }

    using TabularModel<Belief<P>>::belief_;
    P prior_;
    std::vector<std::int64_t> seen_, n_;  // counts of one pair
};

}  // namespace bamdp

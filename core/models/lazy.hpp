// Root sampling, lazily (the paper's section 3.3): a row of the sampled model is drawn when a simulation first needs it.
#pragma once

#include "rows.hpp"

namespace bamdp {

template <class P>
class Lazy : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Handle begin(std::int64_t state, Random&) { return this->visitors_.meet(state); }

    Step step(Handle h, std::int32_t a, Random& rng) {
        const std::size_t at = this->belief_->row(h, a);
        if (at >= drawn_.size()) drawn_.resize(2 * at + 1, NONE);
        if (drawn_[at] == NONE) draw(h, a, at, rng);
        const Row& row = rows_[static_cast<std::size_t>(drawn_[at])];
        return this->arrive(h, a, row.states[draw_from(row.cumulative, rng)]);
    }

    void end() {
        for (const std::size_t at : touched_) drawn_[at] = NONE;
        touched_.clear();
        RowModel<P>::end();
    }

 private:
    void draw(Handle h, std::int32_t a, std::size_t at, Random& rng) {
        const std::size_t i = touched_.size();
        if (i == rows_.size()) rows_.emplace_back();
        this->draw_row(this->visitors_.state(h), h, a, rng, rows_[i]);
        drawn_[at] = static_cast<std::int32_t>(i);
        touched_.push_back(at);
    }

    std::vector<std::int32_t> drawn_;    // [rows] where this simulation's draw of a row is kept, or NONE
    std::vector<std::size_t> touched_;   // rows drawn in this simulation
    std::vector<Row> rows_;              // kept from one simulation to the next, to save allocations
};

}  // namespace bamdp

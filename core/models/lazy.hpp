// Root sampling, lazily (the paper's section 3.3): a row of the sampled model is drawn when a simulation first needs it, and of a
// long one only what it needs.
#pragma once

#include "models/rows.hpp"

namespace bamdp {

template <RowPrior P>
class Lazy : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Index begin(std::int64_t state, Random&) { return this->index_.find_or_add(state); }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        OpenRow& row = rows_.get(this->belief_->row(h, a), [&](OpenRow& fresh) {
            this->gather(h, a);
            this->prior_.open_row(this->belief_->pair(state, a), this->seen_, this->n_, rng, fresh);
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

}  // namespace bamdp

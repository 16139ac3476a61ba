// Root sampling, lazily (the paper's section 3.3): a row of the sampled model is drawn when a simulation first needs it.
#pragma once

#include "models/rows.hpp"

namespace bamdp {

template <class P>
class Lazy : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Handle begin(std::int64_t state, Random&) { return this->visitors_.meet(state); }

    Step step(Handle h, std::int32_t a, Random& rng) {
        const Row& row = rows_.get(this->belief_->row(h, a), [&](Row& fresh) { this->draw_row(this->visitors_.state(h), h, a, rng, fresh); });
        return this->arrive(h, a, row.states[draw_from(row.cumulative, rng)]);
    }

    void end() {
        rows_.forget();
        RowModel<P>::end();
    }

 private:
    DrawnRows<Row> rows_;
};

}  // namespace bamdp

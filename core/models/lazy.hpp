// Root sampling, lazily (the paper's section 3.3): a row of the sampled model is drawn when a simulation first needs it, and of a
// long one only what it needs.
#pragma once

#include "models/rows.hpp"

namespace bamdp {

template <class P>
class Lazy : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Handle begin(std::int64_t state, Random&) { return this->visitors_.meet(state); }

    Step step(Handle h, std::int32_t a, Random& rng) {
        OpenRow& row = rows_.get(this->belief_->row(h, a), [&](OpenRow& fresh) {
            this->gather(h, a);
            this->prior_.open_row(this->belief_->pair(this->visitors_.state(h), a), this->seen_, this->n_, rng, fresh);
        });
        return this->arrive(h, a, this->draw_successor(row, rng));
    }

    void end() {
        rows_.forget();
        RowModel<P>::end();
    }

 private:
    DrawnRows<OpenRow> rows_;
};

}  // namespace bamdp

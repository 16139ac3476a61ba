// The dynamics of the Bayes-adaptive MDP itself, as BA-UCT uses them: no root sample. Every step draws a row from the posterior
// given the real counts and those of this simulation so far, takes the successor from it, and updates the counts.
#pragma once

#include "models/rows.hpp"

namespace bamdp {

template <RowPrior P>
class Resampled : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Index begin(std::int64_t state, Random&) { return this->index_.find_or_add(state); }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::size_t at = this->belief_->row(h, a);
        const std::int64_t state = this->state(h);
        this->gather(h, a);
        for (const Planned& planned : planned_)
            if (planned.row == at) count(planned.next_state);
        this->prior_.open_row(this->belief_->pair(state, a), this->seen_, this->n_, rng, row_);
        const std::int64_t next_state = this->draw_successor(row_, rng);
        planned_.push_back({at, next_state});
        return this->arrive(state, a, next_state);
    }

    void end() {
        planned_.clear();
        RowModel<P>::end();
    }

 private:
    struct Planned {
        std::size_t row;
        std::int64_t next_state;
    };

    void count(std::int64_t next_state) {
        const auto found = std::find(this->seen_.begin(), this->seen_.end(), next_state);
        if (found != this->seen_.end()) {
            ++this->n_[static_cast<std::size_t>(found - this->seen_.begin())];
        } else {
            this->seen_.push_back(next_state);
            this->n_.push_back(1);
        }
    }

    std::vector<Planned> planned_;  // the transitions of this simulation
    OpenRow row_;
};

}  // namespace bamdp

// Root sampling, naively: the whole transition table, S·A rows of S probabilities, is drawn at the start of each simulation.
// What lazy sampling is measured against.
#pragma once

#include "models/rows.hpp"

namespace bamdp {

template <RowPrior P>
class Full : public RowModel<P> {
 public:
    using RowModel<P>::RowModel;

    Index begin(std::int64_t state, Random& rng) {
        const std::int64_t S = this->belief_->num_states, lines = this->belief_->tied() ? 1 : S;
        table_.resize(static_cast<std::size_t>(lines * this->belief_->num_actions * S));
        for (std::int64_t s = 0; s < lines; ++s)
            for (std::int32_t a = 0; a < this->belief_->num_actions; ++a) {
                this->draw_row(s, this->belief_->known().find(s), a, rng, row_);
                const std::span<double> line = dense_row(s, a);
                std::fill(line.begin(), line.end(), 0.0);
                for (std::size_t i = 0; i < row_.states.size(); ++i)
                    line[static_cast<std::size_t>(row_.states[i])] = row_.cumulative[i] - (i == 0 ? 0 : row_.cumulative[i - 1]);
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

}  // namespace bamdp

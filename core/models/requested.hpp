// Root sampling from the user's own posterior, lazily: a row is requested when a simulation first needs it, and kept till its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "beliefs/visited.hpp"
#include "models/rows.hpp"
#include "models/sampling.hpp"
#include "models/tabular.hpp"

namespace bamdp {

struct RequestedRow {
    std::vector<std::int64_t> states;
    std::vector<double> cumulative;  // unnormalised
    std::vector<double> rewards;     // empty: from the table
};

struct RowSampler {
    std::function<void()> begin;  // may be empty
    std::function<void(std::int64_t, std::int32_t, RequestedRow&)> sample_row;
};
struct RowSource {
    std::function<RowSampler()> make;  // each tree has its own sampler, so that threads can't change the result
};

class RequestedRows : public TabularModel<VisitedStates> {
 public:
    RequestedRows(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> rewards, const std::shared_ptr<const RowSource>& source)
        : TabularModel(std::move(visited), std::move(rewards)), sampler_(source->make()) {}

    Index begin(std::int64_t state, Random&) {
        if (sampler_.begin) sampler_.begin();
        return index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const auto at = static_cast<std::size_t>(h) * static_cast<std::size_t>(belief_->num_actions) + static_cast<std::size_t>(a);
        const std::int64_t state = this->state(h);
        const RequestedRow& row = rows_.get(at, [&](RequestedRow& fresh) { sampler_.sample_row(state, a, fresh); });
        const std::size_t i = draw_from(row.cumulative, rng);
        const std::int64_t next_state = row.states[i];
        const double reward = row.rewards.empty() ? (*rewards_)(state, a, next_state) : row.rewards[i];
        return {index_.find_or_add(next_state), reward, key(next_state, reward)};
    }

    void end() {
        rows_.forget();
        TabularModel::end();
    }

    // The reward of a row is as unknown as the row: the agent learns from seeing it.
    std::int64_t key(std::int64_t next_state, double reward) const { return key_of(next_state, reward); }

 private:
    RowSampler sampler_;
    DrawnRows<RequestedRow> rows_;
};

template <Sampling S>
struct ModelOf<S, VisitedStates, RowSource> {
    using type = RequestedRows;
};
template <>
struct ModelOf<Sampling::resampled, VisitedStates, RowSource> {
    static constexpr const char* unsupported =
        "a posterior drawn row by row can't be updated within simulations, as BA-UCT does; use BAMCP, which draws models at the root";
};

}  // namespace bamdp

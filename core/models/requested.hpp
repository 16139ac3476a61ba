// Root sampling from the user's own posterior, lazily: a row is asked for when a simulation first needs it, and kept till its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "beliefs/belief.hpp"
#include "models/model.hpp"
#include "beliefs/met.hpp"
#include "models/rows.hpp"

namespace bamdp {

struct RequestedRow {
    std::vector<std::int64_t> states;
    std::vector<double> cumulative;  // unnormalised
    std::vector<double> rewards;     // empty: from the table
};

struct RowSource {
    std::function<void()> begin;  // may be empty
    std::function<void(std::int64_t, std::int32_t, RequestedRow&)> sample_row;
};
using MakeRowSource = std::function<RowSource()>;  // each tree has one of its own, so that threads can't change the result

class RequestedRows {
 public:
    RequestedRows(std::shared_ptr<const MetStates> met, std::shared_ptr<const Rewards> rewards, const MakeRowSource& make)
        : met_(std::move(met)), visitors_(met_->known()), rewards_(std::move(rewards)), source_(make()) {}

    void sync() { visitors_.sync(); }

    Handle begin(std::int64_t state, Random&) {
        if (source_.begin) source_.begin();
        return visitors_.meet(state);
    }

    Step step(Handle h, std::int32_t a, Random& rng) {
        const auto at = static_cast<std::size_t>(h) * static_cast<std::size_t>(met_->num_actions) + static_cast<std::size_t>(a);
        const std::int64_t state = visitors_.state(h);
        const RequestedRow& row = rows_.get(at, [&](RequestedRow& fresh) { source_.sample_row(state, a, fresh); });
        const std::size_t i = draw_from(row.cumulative, rng);
        const std::int64_t next_state = row.states[i];
        const double reward = row.rewards.empty() ? (*rewards_)(state, a, next_state) : row.rewards[i];
        return {visitors_.meet(next_state), reward, key(next_state, reward)};
    }

    void end() {
        rows_.forget();
        visitors_.forget();
    }

    std::int64_t state(Handle h) const { return visitors_.state(h); }

    // The reward of a row is as unknown as the row: the agent learns from seeing it.
    std::int64_t key(std::int64_t next_state, double reward) const { return key_of(next_state, reward); }

 private:
    std::shared_ptr<const MetStates> met_;
    Visitors visitors_;
    std::shared_ptr<const Rewards> rewards_;
    RowSource source_;
    DrawnRows<RequestedRow> rows_;
};

}  // namespace bamdp

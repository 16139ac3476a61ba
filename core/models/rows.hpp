// What the models that draw whole rows share: the counts of a pair as the prior wants them, and a draw from a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../belief.hpp"
#include "../model.hpp"

namespace bamdp {

// A successor from a row of cumulative weights.
inline std::size_t draw_from(std::span<const double> cumulative, Random& rng) {
    const double u = rng.uniform() * cumulative.back();
    const auto i = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
    return std::min(i, cumulative.size() - 1);
}

template <class P>
class RowModel {
 public:
    RowModel(std::shared_ptr<const Belief<P>> belief, std::shared_ptr<const Rewards> rewards)
        : belief_(std::move(belief)), prior_(belief_->prior), visitors_(belief_->known()), rewards_(std::move(rewards)) {}

    void sync() { visitors_.sync(); }
    void end() { visitors_.forget(); }
    std::int64_t state(Handle h) const { return visitors_.state(h); }

 protected:
    // The posterior row of (h, a); `h` is NONE or beyond the known ones where nothing was observed.
    void draw_row(std::int64_t state, Handle h, std::int32_t a, Random& rng, Row& row) {
        gather(h, a);
        prior_.draw_row(belief_->pair(state, a), seen_, n_, rng, row);
    }

    void gather(Handle h, std::int32_t a) {
        const Counts& counts = belief_->counts(h < belief_->known().size() ? h : NONE, a);
        seen_.clear();
        for (const Handle successor : counts.successors) seen_.push_back(belief_->known().state(successor));
        n_.assign(counts.n.begin(), counts.n.end());
    }

    Step arrive(Handle h, std::int32_t a, std::int64_t next_state) {
        const double reward = (*rewards_)(visitors_.state(h), a, next_state);
        return {visitors_.meet(next_state), reward, next_state};
    }

    std::shared_ptr<const Belief<P>> belief_;
    P prior_;
    Visitors visitors_;
    std::shared_ptr<const Rewards> rewards_;
    std::vector<std::int64_t> seen_, n_;  // counts of one pair
};

}  // namespace bamdp

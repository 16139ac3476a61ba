// Shared by the models of enumerable states: the belief, the rewards, and the states of one simulation.
#pragma once

#include "beliefs/visited.hpp"
#include "models/model.hpp"

namespace bamdp {

template <class Belief>
class TabularModel {
 public:
    // Whether there is a posterior mean, whose values can be leaf values.
    static constexpr bool has_mean = !std::is_same_v<Belief, VisitedStates>;
    // Whether the belief has rows, each with its own counts.
    static constexpr bool has_rows = requires { typename Belief::Prior; };

    TabularModel(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> rewards)
        : belief_(std::move(belief)), rewards_(std::move(rewards)) {
        sync();
    }

    // Take over the states that became known since the last search.
    void sync() {
        for (; synced_ < belief_->known().size(); ++synced_) index_.find_or_add(belief_->known().state(synced_));
    }
    void end() { index_.truncate(synced_); }
    Index enter(std::int64_t state) { return index_.find_or_add(state); }
    std::int64_t state(Index h) const { return index_.state(h); }

 protected:
    BAMDP_INLINE Step arrive(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        return {index_.find_or_add(next_state), (*rewards_)(state, a, next_state), next_state};
    }

    std::shared_ptr<const Belief> belief_;
    std::shared_ptr<const Rewards> rewards_;
    StateIndex index_;  // the known states, by the belief's indices, then those that are new in this simulation

 private:
    Index synced_ = 0;
};

}  // namespace bamdp

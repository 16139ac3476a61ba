// Shared by the models of enumerable states: the belief, the rewards, and the states of one simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "beliefs/visited.hpp"
#include "models/model.hpp"
#include "support/index.hpp"

namespace bamdp {

// The states of one simulation: the known ones, by the belief's indices, then those that are new in this simulation.
class ScratchIndex {
 public:
    explicit ScratchIndex(const StateIndex& known) : known_(&known) { sync(); }

    Index find(std::int64_t state) const { return all_.find(state); }
    Index find_or_add(std::int64_t state) { return all_.find_or_add(state); }
    std::int64_t state(Index h) const { return all_.state(h); }
    Index size() const { return all_.size(); }

    void forget() { all_.truncate(synced_); }

    // Take over the states that became known since the last search.
    void sync() {
        for (; synced_ < known_->size(); ++synced_) all_.find_or_add(known_->state(synced_));
    }

 private:
    const StateIndex* known_;
    StateIndex all_;
    Index synced_ = 0;
};

template <class Belief>
class TabularModel {
 public:
    // Whether there is a posterior mean, whose values can be leaf values.
    static constexpr bool has_mean = !std::is_same_v<Belief, VisitedStates>;
    // Whether the belief has rows, each with its own counts.
    static constexpr bool has_rows = requires { typename Belief::Prior; };

    TabularModel(std::shared_ptr<const Belief> belief, std::shared_ptr<const Rewards> rewards)
        : belief_(std::move(belief)), index_(belief_->known()), rewards_(std::move(rewards)) {}

    void sync() { index_.sync(); }
    void end() { index_.forget(); }
    Index enter(std::int64_t state) { return index_.find_or_add(state); }
    std::int64_t state(Index h) const { return index_.state(h); }

 protected:
    BAMDP_INLINE Step arrive(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        return {index_.find_or_add(next_state), (*rewards_)(state, a, next_state), next_state};
    }

    std::shared_ptr<const Belief> belief_;
    ScratchIndex index_;
    std::shared_ptr<const Rewards> rewards_;
};

}  // namespace bamdp

// What all beliefs have: the states that were visited, numbered for searches. Alone, the native part of a belief that
// the user keeps in Python.
#pragma once

#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/index.hpp"

namespace bamdp {

class VisitedStates : public InUse {
 public:
    VisitedStates(std::int64_t num_states, std::int32_t num_actions)
        : num_states(num_states), num_actions(num_actions) {}

    const StateIndex& known() const { return known_; }

    // Count a transition.
    void visit(std::int64_t state, std::int64_t next_state) {
        known_.find_or_add(state);
        known_.find_or_add(next_state);
        ++observations;
    }

    template <class Archive>
    void archive(Archive& a) {
        known_.archive(a, num_states);
        a(observations);
        a.check(0 <= observations && observations <= MOST_COUNTED, "the number of observations is out of range");
    }

    const std::int64_t num_states;
    const std::int32_t num_actions;
    std::int64_t observations = 0;

 protected:
    StateIndex known_;
};

}  // namespace bamdp

// The native part of a belief that the user keeps in Python: which states were visited, so that searches can number them.
#pragma once

#include <cstdint>

#include "support/in_use.hpp"
#include "support/index.hpp"

namespace bamdp {

class VisitedStates : public InUse {
 public:
    VisitedStates(std::int64_t num_states, std::int32_t num_actions) : num_states(num_states), num_actions(num_actions) {}

    const StateIndex& known() const { return known_; }

    void observe(std::int64_t state, std::int64_t next_state) {
        known_.find_or_add(state);
        known_.find_or_add(next_state);
        ++observations;
    }

    template <class Archive>
    void archive(Archive& a) {
        known_.archive(a, num_states);
        a(observations);
        a.check(observations >= 0, "the number of observations is out of range");
    }

    const std::int64_t num_states;
    const std::int32_t num_actions;
    std::int64_t observations = 0;

 private:
    StateIndex known_;
};

}  // namespace bamdp

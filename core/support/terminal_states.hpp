// The states in which an episode ends: their value is 0.
#pragma once

#include <cstdint>
#include <vector>

#include "support/index.hpp"

namespace bamdp {

class TerminalStates {
 public:
    TerminalStates() = default;
    explicit TerminalStates(const std::vector<std::int64_t>& states) {
        for (const std::int64_t state : states) states_.find_or_add(state);
    }

    bool none() const { return states_.size() == 0; }
    bool has(std::int64_t state) const { return states_.find(state) != NONE; }
    const StateIndex& states() const { return states_; }

 private:
    StateIndex states_;
};

}  // namespace bamdp

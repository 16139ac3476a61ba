// The rest of a run: how many steps are left and, where it consists of episodes of one length, when the next of them start.
#pragma once

#include <cstdint>

namespace bamdp {

struct StepsLeft {
    std::int64_t steps;       // until the deadline
    std::int64_t until = 0;   // the end of the episode
    std::int64_t length = 0;  // of an episode; 0: there are none
    std::int64_t start = 0;   // the state that each of them starts in

    // Whether an episode ends with the last of the next `taken` steps: the run goes on from `start`.
    bool ends_after(std::int64_t taken) const { return length > 0 && taken >= until && (taken - until) % length == 0; }
};

}  // namespace bamdp

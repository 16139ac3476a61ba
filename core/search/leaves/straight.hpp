// A roll-out policy where actions are four directions: uniform, but never straight back.
#pragma once

#include <cstdint>
#include <type_traits>

#include "search/leaves/epsilon_greedy.hpp"

namespace bamdp {

class Straight : public EpsilonGreedy {
 public:
    template <class M>
    using ModelFor = std::conditional_t<requires { M::four_directions; }, M, void>;
    static constexpr const char* NEEDED = "is for infinite grids only, with GridRewards as prior";

    using EpsilonGreedy::EpsilonGreedy;

    static std::int32_t action(Index, std::int32_t last, Random& rng) {
        return static_cast<std::int32_t>(last == NONE ? rng.below(4) : (last + 3 + rng.below(3)) & 3);
    }
};

}  // namespace bamdp

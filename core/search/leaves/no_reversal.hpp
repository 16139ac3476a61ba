// Roll-outs where actions are four directions: uniform, but never straight back.
#pragma once

#include "search/leaves/rollout.hpp"

namespace bamdp {

class NoReversal final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<requires { M::four_directions; }, M, void>;
    static constexpr const char* NEEDED = "is for infinite grids only, with GridRewards as prior";
    using Memory = NoMemory;

    NoReversal(std::int32_t, const Settings&) {}

    template <Model M>
    static std::int32_t action(Memory&, const M&, Index, std::int32_t last, Random& rng) {
        return static_cast<std::int32_t>(last == NONE ? rng.below(4) : (last + 3 + rng.below(3)) & 3);
    }

    template <bool LISTED, Model M>
    BAMDP_INLINE double value(Memory& memory, M& model, const Settings& settings, const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) const {
        return roll_out<LISTED>(*this, memory, model, settings, query, s, last, d, rng);
    }
};

}  // namespace bamdp

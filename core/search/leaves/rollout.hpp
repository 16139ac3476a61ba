// The value of a leaf: its own, or the return of a roll-out, steps by a policy, in the sampled model, to the depth of
// the search.
#pragma once

#include "search/leaves/epsilon_greedy.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

// procedure Rollout(<s,h>, P, d)
template <bool LISTED, Model M, class L>
BAMDP_INLINE double roll_out(const L& leaf, typename L::Memory& memory, M& model, const Settings& settings,
                             const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) {
    double R = 0, weight = 1;
    for (; d < query.depth; ++d) {
        last = considered(model, s, leaf.action(memory, model, s, last, rng), rng);
        const Step step = model.step(s, last, rng);
        R += weight * step.reward;
        const bool over = is_terminal<LISTED>(model, settings, step);
        if constexpr (AdaptiveLeaf<L>) {
            const Index next = next_index(model, query, step, d + 1);
            leaf.learn(memory, model, s, last, step, next, over, d);
            if (over) break;
            s = next;
        } else {
            if (over) break;
            s = next_index(model, query, step, d + 1);
        }
        weight *= settings.discount;
    }
    return R;
}

template <bool LISTED, Model M, LeafFor<M> L>
BAMDP_INLINE double leaf_value(const L& leaf, typename L::Memory& memory, M& model, const Settings& settings,
                               const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) {
    if constexpr (HasValue<L, M>)
        return leaf.value(model, query, s, d, rng);
    else
        return roll_out<LISTED>(leaf, memory, model, settings, query, s, last, d, rng);
}

// By the learned policy, or, with epsilon = 1, the uniform one.
class Rollout : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = M;
    static constexpr const char* NEEDED = "";

    Rollout(std::int32_t num_actions, const Settings& settings) : policy_(num_actions, settings) {}

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory&, const M&, Index s, std::int32_t, Random& rng) const {
        return policy_.action(s, rng);
    }

    void observe(Index h, std::int32_t a, double reward, Index next) override { policy_.observe(h, a, reward, next); }
    void archive(Writer& a) override { policy_.archive(a); }
    void archive(Reader& a) override { policy_.archive(a); }

 protected:
    EpsilonGreedy policy_;
};

// Where actions are four directions: uniform, but never straight back.
class NoReversal final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<requires { M::four_directions; }, M, void>;
    static constexpr const char* NEEDED = "is for infinite grids only, with GridRewards as prior";

    NoReversal(std::int32_t, const Settings&) {}

    template <Model M>
    static std::int32_t action(Memory&, const M&, Index, std::int32_t last, Random& rng) {
        return static_cast<std::int32_t>(last == NONE ? rng.below(4) : (last + 3 + rng.below(3)) & 3);
    }
};

}  // namespace bamdp

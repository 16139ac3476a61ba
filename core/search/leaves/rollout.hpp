// The return of a roll-out: steps by a policy, in the sampled model, to the depth of the search.
#pragma once

#include "search/leaves/epsilon_greedy.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

// procedure Rollout(<s,h>, P, d)
template <bool LISTED, Model M, class L>
BAMDP_INLINE double roll_out(const L& leaf, typename L::Memory& memory, M& model, const Settings& settings, const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) {
    double R = 0, weight = 1;
    for (; d < query.depth; ++d) {
        last = leaf.action(memory, model, s, last, rng);
        const Step step = model.step(s, last, rng);
        R += weight * step.reward;
        const bool over = is_terminal<LISTED>(model, settings, step);
        if constexpr (Learns<L>) {
            const Index next = arrived(model, query, step, d + 1);
            leaf.learn(memory, model, s, last, step, next, over, d);
            if (over) break;
            s = next;
        } else {
            if (over) break;
            s = arrived(model, query, step, d + 1);
        }
        weight *= settings.discount;
    }
    return R;
}

// By the learned policy, or, with epsilon = 1, the uniform one.
class Rollout final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = M;
    static constexpr const char* NEEDED = "";
    using Memory = NoMemory;

    Rollout(std::int32_t num_actions, const Settings& settings) : policy_(num_actions, settings) {}

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory&, const M&, Index s, std::int32_t, Random& rng) const { return policy_.action(s, rng); }

    template <bool LISTED, Model M>
    BAMDP_INLINE double value(Memory& memory, M& model, const Settings& settings, const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) const {
        return roll_out<LISTED>(*this, memory, model, settings, query, s, last, d, rng);
    }

    void observe(Index h, std::int32_t a, double reward, Index next) override { policy_.observe(h, a, reward, next); }
    void archive(Writer& a) override { policy_.archive(a); }
    void archive(Reader& a) override { policy_.archive(a); }

 private:
    EpsilonGreedy policy_;
};

}  // namespace bamdp

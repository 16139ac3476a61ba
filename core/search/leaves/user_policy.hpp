// Roll-outs by a policy of the user's, who sees the state and the belief of a simulation: that of the root, updated by
// the steps since. Worlds have a function of their weights, compiled priors a hook.
#pragma once

#include "models/worlds.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

class UserPolicy final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<requires { M::has_user_policy; }, M, void>;
    static constexpr const char* NEEDED = "needs a policy of your own, which bamdp.priors.Worlds and Compiled take";

    class Memory {
     public:
        void begin() {
            if (belief_) belief_->begin();
        }
        const std::shared_ptr<SimulatedBelief>& of(const std::shared_ptr<const WorldsBelief>& root) {
            if (!belief_) belief_ = std::make_shared<SimulatedBelief>(root);
            return belief_;
        }

     private:
        std::shared_ptr<SimulatedBelief> belief_;
    };

    UserPolicy(std::int32_t, const Settings&) {}

    template <class Belief>
    void read(const std::shared_ptr<const Belief>& belief) {
        if constexpr (std::is_same_v<Belief, WorldsBelief>) belief_ = belief;
    }

    template <Model M>
    void check(const M& model) const {
        bool given = belief_ && belief_->policy();
        if constexpr (requires { model.has_policy(); }) given = model.has_policy();
        if (!given) throw Unsupported(std::string("rollouts=\"policy\" ") + NEEDED);
    }

    template <Model M>
    std::int32_t action(Memory& memory, const M& model, Index s, std::int32_t, Random& rng) const {
        if constexpr (requires { model.policy(s, rng); })
            return model.policy(s, rng);
        else
            return belief_->policy()(memory.of(belief_), model.state(s), rng.bits());
    }

    template <Model M>
    void learn(Memory& memory, const M& model, Index s, std::int32_t a, const Step& step, Index, bool,
               std::int32_t) const {
        if (belief_) memory.of(belief_)->observe({model.state(s), a, model.state(step.next), step.reward});
    }

 private:
    std::shared_ptr<const WorldsBelief> belief_;
};

}  // namespace bamdp

// Leaf values by the user's function: what the world of the simulation is worth to one who knows it. No roll-outs; the
// first action in a new node is random.
#pragma once

#include "models/worlds.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

class UserValue final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<requires { M::has_user_value; }, M, void>;
    static constexpr const char* NEEDED = "needs a value of your own, which bamdp.priors.Worlds takes";

    UserValue(std::int32_t num_actions, const Settings&) : num_actions_(num_actions) {}

    template <class Belief>
    void read(const std::shared_ptr<const Belief>& belief) {
        bool has_value = false;
        if constexpr (std::is_same_v<Belief, WorldsBelief>) has_value = static_cast<bool>(belief->value());
        if (!has_value) throw Unsupported(std::string("rollouts=\"value\" ") + NEEDED);
    }

    template <Model M>
    std::int32_t action(Memory&, const M&, Index, std::int32_t, Random& rng) const {
        return static_cast<std::int32_t>(rng.below(num_actions_));
    }

    template <Model M>
    double value(const M& model, const Query& query, Index s, std::int32_t d, Random&) const {
        return query.left.steps > 0 && d >= query.left.steps ? 0 : model.user_value(s);
    }

 private:
    std::int32_t num_actions_;
};

}  // namespace bamdp

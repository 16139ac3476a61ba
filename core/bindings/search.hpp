// Binds the search that plans with a belief: _core.make_search, one overload for each kind of belief.
#pragma once

#include "bindings/arrays.hpp"
#include "search/factory.hpp"

namespace bamdp {

// `More` are further arguments of the model, named in Python by `names`.
template <class Belief, class... More, class... Names>
void bind_search(nb::module_& module, const Names&... names) {
    module.def(
        "make_search",
        [](const std::shared_ptr<Belief>& belief, const Input& rewards, const Settings& settings,
           const std::vector<Seed>& seeds, const std::shared_ptr<More>&... more) {
            const auto known =
                std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
            return make_search<Belief, More...>(belief, known, settings, seeds, more...);
        },
        "belief"_a, "rewards"_a, "settings"_a, "seeds"_a, nb::arg(names)...,
        "A search that plans with `belief`, one tree for each seed but the last, which is for the decision.");
}

}  // namespace bamdp

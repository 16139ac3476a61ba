// The concept of a leaf evaluator, which estimates the value at a leaf of the tree. All trees of a search share one: threads read
// it at the same time, and only `observe` and `set_leaf_values`, between searches, change it.
//
// A new one is a class in its own header here and a line in factory.hpp. All are derived from EpsilonGreedy, whose Q-values
// every search learns, shows and saves.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "models/model.hpp"
#include "search/settings.hpp"

namespace bamdp {

// `last` is the action that led to `s`, NONE at the root; `d` the depth of `s`. Nothing may depend on the sampled model but through
// steps in it: that is what makes root sampling exact.
template <class L, class M>
concept Leaf = Model<M> && requires(const L& leaf, M& model, const Settings& settings, Index s, std::int32_t last, std::int32_t d, Random& rng) {
    // pi_ro: also chooses the first action in a new node.
    { leaf.action(s, last, rng) } -> std::same_as<std::int32_t>;
    // The discounted return from <s, h> on.
    { leaf.template value<true>(model, settings, s, last, d, rng) } -> std::same_as<double>;
};

// One whose policy learns within a simulation (adaptive.hpp): what it has learned is in a `Memory`, which the search keeps.
template <class L, class M>
concept AdaptiveLeaf = Model<M> && requires(const L& leaf, typename L::Memory& memory, M& model, const Settings& settings, Index s, std::int32_t a, const Step& step, Random& rng) {
    { leaf.action(memory, model, s, rng) } -> std::same_as<std::int32_t>;
    { leaf.learn(memory, model, s, a, step, s, true, a) };  // `s` again: where the simulation goes on; last, the depth
    { leaf.template value<true>(memory, model, settings, s, a, rng) } -> std::same_as<double>;
};

template <class L, class M>
concept LeafFor = Leaf<L, M> || AdaptiveLeaf<L, M>;

// The model that an evaluator plays in where a search would play in M: M itself as a rule; void if it is not for M, and then
// `L::NEEDED`, the rest of a sentence, says what it is for.
template <class L, class M>
using ModelFor = typename L::template ModelFor<M>;

template <class L, class M>
inline constexpr bool is_for = !std::is_void_v<ModelFor<L, M>>;

}  // namespace bamdp

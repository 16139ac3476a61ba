// A leaf evaluator estimates the value at a leaf of the tree. All trees of a search share one: threads read it at the
// same time, and only what is called between searches changes it. A new one is a class in its own header here and a
// line in factory.hpp.
#pragma once

#include "models/model.hpp"
#include "search/settings.hpp"
#include "support/archive.hpp"

namespace bamdp {

// Q-values of all states at the root, by a solver.
struct RootValues {
    std::function<void(std::int64_t, double*)> q_values;  // those of a state, [A]
    std::int64_t num_states;
    double slack;                // actions within it of the best are equally good
    std::vector<double> layers;  // [depth + 1, S] values by depth, where the run ends; else empty
};

struct NoMemory {
    static void begin() {}
};

// What is called between searches. Most evaluators need little of it.
class LeafEvaluator {
 public:
    using Memory = NoMemory;  // of a simulation

    virtual ~LeafEvaluator() = default;
    virtual void observe(Index, std::int32_t, double, Index) {}  // one real step; states by their indices in the belief
    virtual void prepare(const Query&) {}  // before each search
    virtual bool set_values(const RootValues&, const StateIndex&) {
        return false;
    }  // whether it uses them; with the belief's known states
    virtual void archive(Writer&) {}
    virtual void archive(Reader&) {}
};

// What is called in a simulation. `last` is the action that led to `s`, NONE at the root; `d` the depth of `s`. Nothing
// may depend on the sampled model but through steps in it: that is what makes root sampling exact. What is learned on
// the way is in a `Memory`.
template <class L, class M>
concept LeafFor = std::derived_from<L, LeafEvaluator> && Model<M> &&
                  requires(const L& leaf, typename L::Memory& memory, M& model, Index s, std::int32_t a, Random& rng) {
                      { memory.begin() };
                      // pi_ro: also chooses the first action in a new node
                      { leaf.action(memory, model, s, a, rng) } -> std::same_as<std::int32_t>;
                  };

// One that has a value of its own, instead of the return of a roll-out by its policy: that from <s, h> on.
template <class L, class M>
concept HasValue = requires(const L& leaf, const M& model, const Query& query, Index s, std::int32_t d, Random& rng) {
    { leaf.value(model, query, s, d, rng) } -> std::same_as<double>;
};

// One whose policy learns within a simulation: learn(memory, model, s, a, step, next, over, d) after each step.
template <class L>
concept AdaptiveLeaf = !std::is_same_v<typename L::Memory, NoMemory>;

// The model that an evaluator plays in where a search would play in M: M itself as a rule; void if it is not for M, and
// then `L::NEEDED`, the rest of a sentence, says what it is for.
template <class L, class M>
using ModelFor = typename L::template ModelFor<M>;

template <class L, class M>
inline constexpr bool is_for = !std::is_void_v<ModelFor<L, M>>;

}  // namespace bamdp

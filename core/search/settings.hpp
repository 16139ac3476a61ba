// Settings of a search: everything but the belief, the rewards and the seeds.
#pragma once

#include "models/model.hpp"
#include "models/sampling.hpp"
#include "support/steps_left.hpp"

namespace bamdp {

enum class FinalMove { value, visits };

// The paper's text is the default; the authors' program differs where noted.
struct Settings {
    double discount = 0.95;
    std::int32_t depth = 89;           // steps of a simulation
    double exploration = 3;
    bool auto_exploration = false;     // `exploration` counts in standard deviations of the returns at the root
    std::int32_t log_offset = 0;       // authors: 1
    std::int32_t expand_after = 0;     // visits of an edge before nodes are added below it; authors: 1
    bool first_action_random = false;  // in a new node: pi_ro, or uniform; authors: uniform
    bool lattice = false;              // nodes are transition counts instead of histories
    bool reuse_tree = false;
    TerminalStates terminal;           // a model may also mark a step as terminal
    std::size_t memory =
        std::numeric_limits<std::size_t>::max();  // bytes for the tree; at the limit no nodes are added
    FinalMove final_move = FinalMove::value;
    Sampling sampling = Sampling::collapsed;
    std::string rollouts;              // leaf evaluator, by its name in factory.hpp; empty: the default of the model
    double epsilon = 0.5;              // how often a learned roll-out acts at random
    double learning_rate = 0.2;        // of the Q-learning for roll-outs
    double bonus = 0;                  // of roll-outs along lines: scale of their index

    // The numbers, truths and texts by their names in Python.
    template <class Visit>
    static void each(Visit visit) {
        visit("discount", &Settings::discount);
        visit("depth", &Settings::depth);
        visit("exploration", &Settings::exploration);
        visit("auto_exploration", &Settings::auto_exploration);
        visit("log_offset", &Settings::log_offset);
        visit("expand_after", &Settings::expand_after);
        visit("first_action_random", &Settings::first_action_random);
        visit("lattice", &Settings::lattice);
        visit("reuse_tree", &Settings::reuse_tree);
        visit("memory", &Settings::memory);
        visit("rollouts", &Settings::rollouts);
        visit("epsilon", &Settings::epsilon);
        visit("learning_rate", &Settings::learning_rate);
        visit("bonus", &Settings::bonus);
    }
};

// What belongs to one decision.
struct Query {
    std::int64_t state = 0;
    StepsLeft left{0};       // of a run that ends; 0 steps: it has no end
    std::int32_t depth = 0;  // steps of a simulation: those of the settings, and no more than are left
    bool even_root = false;  // all actions of the root equally often, so that their values compare

    Query() = default;
    Query(std::int64_t state, const Settings& settings, const StepsLeft& left, bool even_root)
        : state(state), left(left),
          depth(left.steps > 0 ? static_cast<std::int32_t>(std::min<std::int64_t>(settings.depth, left.steps))
                               : settings.depth),
          even_root(even_root) {}
};

// LISTED: whether there are terminal states to look for at every step. Domains without any don't pay for it.
template <bool LISTED, Model M>
BAMDP_INLINE bool is_terminal(const M& model, const Settings& settings, const Step& step) {
    if constexpr (LISTED)
        return step.terminal || settings.terminal.has(state_after(model, step));
    else
        return step.terminal;
}

// Where a simulation is after `d` steps, the last of which is `step`: in the next episode, if this one ends there.
template <Model M>
BAMDP_INLINE Index next_index(M& model, const Query& query, const Step& step, std::int32_t d) {
    if constexpr (CanRestart<M>)
        if (query.left.ends_after(d)) return model.enter(query.left.start);
    return step.next;
}

}  // namespace bamdp

// Everything that a search needs to know beside the belief, the rewards and its seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "models/model.hpp"
#include "models/sampling.hpp"
#include "support/terminal_states.hpp"

namespace bamdp {

enum class FinalMove { value, visits };

// The paper's text is the default; the authors' program differs where noted (FACTS: "Algorithm 1 versus code").
struct Settings {
    double discount = 0.95;
    std::int32_t horizon = 89;
    double exploration = 3;
    std::int32_t log_offset = 0;       // authors: 1
    std::int32_t expand_after = 0;     // visits of an edge before nodes are added below it; authors: 1
    bool first_action_random = false;  // in a new node: pi_ro, or uniform; authors: uniform
    bool lattice = false;              // nodes are transition counts instead of histories
    bool reuse_tree = false;
    TerminalStates terminal;           // a model may also say so by itself, step by step
    std::size_t memory = std::numeric_limits<std::size_t>::max();  // bytes for the tree; when they are used up it grows no more
    FinalMove final_move = FinalMove::value;
    Sampling sampling = Sampling::collapsed;
    std::string rollouts;              // what comes after the tree, by its name in factory.hpp; empty: what the model does best with
    double epsilon = 0.5;              // how often a learned roll-out acts at random
    double learning_rate = 0.2;        // of the Q-learning for roll-outs
};

// LISTED: whether there are terminal states to look for at every step. Worlds without any don't pay for it.
template <bool LISTED, Model M>
BAMDP_INLINE bool is_terminal(const M& model, const Settings& settings, const Step& step) {
    if constexpr (LISTED) return step.terminal || settings.terminal.has(state_after(model, step));
    else return step.terminal;
}

}  // namespace bamdp

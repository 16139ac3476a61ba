// Python bindings of the settings of a search. Arguments are checked in Python (agents/bamcp.py).
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "search/settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

constexpr std::array SAMPLINGS{"collapsed", "lazy", "full", "resampled"};  // as in Sampling
constexpr std::array FINAL_MOVES{"value", "visits"};                       // as in FinalMove

// The value of an enumeration, by its name.
template <class Enum, std::size_t N>
Enum named(const char* argument, const std::string& name, const std::array<const char*, N>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument(argument + (" must not be \"" + name + '"'));
    return static_cast<Enum>(found - names.begin());
}

template <class Enum, std::size_t N>
std::string name_of(Enum value, const std::array<const char*, N>& names) {
    return names[static_cast<std::size_t>(value)];
}

States terminal_of(const Settings& settings) {
    States states;
    for (Index h = 0; h < settings.terminal.states().size(); ++h) states.push_back(settings.terminal.states().state(h));
    return states;
}

// State for pickle.
using State = std::tuple<double, std::int32_t, double, bool, std::int32_t, std::int32_t, bool, bool, bool, States, std::size_t, int, int, std::string, double, double>;

State state_of(const Settings& s) {
    return {s.discount, s.horizon, s.exploration, s.auto_exploration, s.log_offset, s.expand_after, s.first_action_random, s.lattice, s.reuse_tree, terminal_of(s),
            s.memory, static_cast<int>(s.final_move), static_cast<int>(s.sampling), s.rollouts, s.epsilon, s.learning_rate};
}

Settings settings_of(const State& state) {
    const auto& [discount, horizon, exploration, auto_exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree, terminal, memory, final_move,
                 sampling, rollouts, epsilon, learning_rate] = state;
    return {discount, horizon, exploration, auto_exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree, TerminalStates(terminal), memory,
            static_cast<FinalMove>(final_move), static_cast<Sampling>(sampling), rollouts, epsilon, learning_rate};
}

}  // namespace

void bind_settings(nb::module_& module) {
    nb::class_<StepsLeft>(module, "StepsLeft", "The rest of a run: steps until the deadline and until the end of the episode, and what each episode is.")
        .def("__init__", [](StepsLeft* self, std::int64_t steps, std::int64_t until, std::int64_t length, std::int64_t start) {
                new (self) StepsLeft{steps, until, length, start};
            }, "steps"_a, "until"_a = 0, "length"_a = 0, "start"_a = 0)
        .def_ro("steps", &StepsLeft::steps);
    const Settings d;  // the defaults
    nb::class_<Settings>(module, "Settings", "Settings of a search; see bamdp.agents.BAMCP.")
        .def("__init__", [](Settings* self, double discount, std::int32_t horizon, double exploration, bool auto_exploration, std::int32_t log_offset, std::int32_t expand_after,
                            bool first_action_random, bool lattice, bool reuse_tree, const States& terminal, std::size_t memory,
                            const std::string& final_move, const std::string& sampling, const std::optional<std::string>& rollouts, double epsilon,
                            double learning_rate) {
                new (self) Settings{discount, horizon, exploration, auto_exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree,
                                    TerminalStates(terminal), memory, named<FinalMove>("final_move", final_move, FINAL_MOVES),
                                    named<Sampling>("sampling", sampling, SAMPLINGS), rollouts.value_or(""), epsilon, learning_rate};
            }, nb::kw_only(), "discount"_a = d.discount, "horizon"_a = d.horizon, "exploration"_a = d.exploration,
             "auto_exploration"_a = d.auto_exploration, "log_offset"_a = d.log_offset,
             "expand_after"_a = d.expand_after, "first_action_random"_a = d.first_action_random, "lattice"_a = d.lattice,
             "reuse_tree"_a = d.reuse_tree, "terminal"_a = States{}, "memory"_a = d.memory, "final_move"_a = name_of(d.final_move, FINAL_MOVES),
             "sampling"_a = name_of(d.sampling, SAMPLINGS), "rollouts"_a.none() = nb::none(), "epsilon"_a = d.epsilon,
             "learning_rate"_a = d.learning_rate)
        .def_rw("memory", &Settings::memory, "Bytes for each tree.")
        .def_prop_ro("sampling", [](const Settings& s) { return name_of(s.sampling, SAMPLINGS); })
        .def_prop_ro("rollouts", [](const Settings& s) { return s.rollouts.empty() ? std::nullopt : std::optional(s.rollouts); },
                     "Roll-outs or other leaf evaluator; None: the default of the model.")
        .def("__getstate__", &state_of)
        .def("__setstate__", [](Settings& self, const State& state) { new (&self) Settings(settings_of(state)); });
}

}  // namespace bamdp

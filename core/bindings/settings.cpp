// Python bindings of the settings of a search. Arguments are checked in Python (agents/bamcp.py).
#include "search/settings.hpp"

#include "bindings/arrays.hpp"

namespace bamdp {
namespace {

constexpr std::array SAMPLINGS{"collapsed", "lazy", "full", "resampled"};  // as in Sampling
constexpr std::array FINAL_MOVES{"value", "visits"};                       // as in FinalMove

// A property that is a value of an enumeration, by its name.
template <class Enum, std::size_t N>
void bind_named(nb::class_<Settings>& settings, const char* property, Enum Settings::* field,
                const std::array<const char*, N>& names) {
    settings.def_prop_rw(
        property, [=](const Settings& s) { return std::string(names[static_cast<std::size_t>(s.*field)]); },
        [=](Settings& s, const std::string& name) {
            const auto value = std::find(names.begin(), names.end(), name);
            if (value == names.end()) throw std::invalid_argument(property + (" must not be \"" + name + '"'));
            s.*field = static_cast<Enum>(value - names.begin());
        });
}

}  // namespace

void bind_settings(nb::module_& module) {
    nb::class_<StepsLeft>(
        module, "StepsLeft",
        "The rest of a run: steps until the horizon and until the end of the episode, and what each episode is.")
        .def(
            "__init__",
            [](StepsLeft* self, std::int64_t steps, std::int64_t until, std::int64_t length, std::int64_t start) {
                new (self) StepsLeft{steps, until, length, start};
            },
            "steps"_a, "until"_a = 0, "length"_a = 0, "start"_a = 0)
        .def_ro("steps", &StepsLeft::steps);
    nb::class_<Settings> settings(module, "Settings", "Settings of a search; see bamdp.agents.BAMCP.");
    Settings::each([&](const char* name, auto field) { settings.def_rw(name, field); });
    settings.def(nb::init<>())
        .def_prop_rw(
            "terminal",
            [](const Settings& s) {
                States states;
                for (Index h = 0; h < s.terminal.states().size(); ++h) states.push_back(s.terminal.states().state(h));
                return states;
            },
            [](Settings& s, const States& states) { s.terminal = TerminalStates(states); });
    bind_named(settings, "sampling", &Settings::sampling, SAMPLINGS);
    bind_named(settings, "final_move", &Settings::final_move, FINAL_MOVES);
}

}  // namespace bamdp

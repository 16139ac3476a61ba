// Python bindings of the belief over a finite set of transition tables. Arguments are checked in Python (priors/finite.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/search.hpp"
#include "models/finite.hpp"
#include "support/unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

Output<double> predictive(const FiniteBelief& belief, std::int64_t state, std::int32_t a) {
    const SharedLock use(belief);
    std::vector<double> row(static_cast<std::size_t>(belief.num_states));
    belief.mix(belief.weights(), belief.pair(state, a), row);
    return to_numpy(std::move(row));
}

}  // namespace

void bind_finite(nb::module_& module) {
    nb::class_<FiniteBelief> bound(module, "FiniteBelief");
    bind_state(bound);
    bound
        .def("__init__", [](FiniteBelief* self, const Input& tables, const Input& weights, const std::optional<Input>& rewards, const std::optional<Input>& terminal) {
                new (self) FiniteBelief(to_vector(tables), to_vector(weights), static_cast<std::int64_t>(tables.shape(1)), static_cast<std::int32_t>(tables.shape(2)),
                                        rewards ? to_vector(*rewards) : std::vector<double>{}, terminal ? to_vector(*terminal) : std::vector<double>{});
            }, "tables"_a, "weights"_a, "rewards"_a.none() = nb::none(), "terminal"_a.none() = nb::none(),
             "Tables [M, S, A, S] and their weights [M]; rewards [M, S, A] or [M, S, A, S] and terminal states, 0 or 1 [M, S], if worlds differ in them.")
        .def_ro("num_states", &FiniteBelief::num_states)
        .def_ro("num_actions", &FiniteBelief::num_actions)
        .def_ro("observations", &FiniteBelief::observations)
        .def_prop_ro("weights", [](const FiniteBelief& b) {
                const SharedLock use(b);
                return to_numpy(b.weights());
            }, nb::rv_policy::move)
        .def("observe", alone(&FiniteBelief::observe), "state"_a, "action"_a, "next_state"_a, "Update with one transition.")
        .def("observe_step", alone(&FiniteBelief::observe_step), "state"_a, "action"_a, "reward"_a, "next_state"_a, "Update with one step and its reward.")
        .def("observe_many", [](FiniteBelief& b, const IntegerInput& states, const IntegerInput& actions, const Input& rewards,
                                const IntegerInput& next_states, const IntegerInput& ended) {
                const ExclusiveLock use(b);
                const Unlocked no_lock;
                return b.observe_many(to_span(states), to_span(actions), to_span(rewards), to_span(next_states), to_span(ended));
            }, "states"_a, "actions"_a, "rewards"_a, "next_states"_a, "ended"_a,
             "Update with many steps; rewards may be NaN, `ended` -1: not observed. The index of the first impossible one, and then nothing changes, or their number.")
        .def("count", alone(&FiniteBelief::count), "state"_a, "next_state"_a, "Count a transition that changes no weight.")
        .def("assign", [](FiniteBelief& b, const Input& tables, const Input& weights, const std::optional<Input>& rewards) {
                const ExclusiveLock use(b);
                b.assign(to_vector(tables), to_vector(weights), rewards ? to_vector(*rewards) : std::vector<double>{});
            }, "tables"_a, "weights"_a, "rewards"_a.none() = nb::none(), "Replace the worlds by as many others.")
        .def("observe_end", alone(&FiniteBelief::observe_end), "state"_a, "terminated"_a, "Update with whether an episode ended in `state`; False if impossible.")
        .def("possible", reading(&FiniteBelief::possible), "state"_a, "action"_a, "next_state"_a, "Whether some table allows the transition.")
        .def("possible_step", reading(&FiniteBelief::possible_step), "state"_a, "action"_a, "reward"_a, "next_state"_a, "The same of a step with its reward.")
        .def("predictive", &predictive, "state"_a, "action"_a, "Probability of each next state. [S]")
        .def("draw", [](const FiniteBelief& b, const Seed& seed) {
                const SharedLock use(b);
                Random rng(seed);
                return b.draw(rng);
            }, "seed"_a, "Index of a table drawn from the posterior.");
    bind_search<FiniteBelief>(module);
}

}  // namespace bamdp

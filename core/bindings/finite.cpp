// The Python face of the belief over a finite set of transition tables. Arguments are checked in Python (priors/finite.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/search.hpp"
#include "models/finite.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

Output<double> predictive(const FiniteBelief& belief, std::int64_t state, std::int32_t a) {
    const Reading use(belief);
    std::vector<double> row(static_cast<std::size_t>(belief.num_states));
    belief.mix(belief.weights(), belief.pair(state, a), row);
    return to_numpy(std::move(row));
}

}  // namespace

void bind_finite(nb::module_& module) {
    nb::class_<FiniteBelief> bound(module, "FiniteBelief");
    bind_state(bound);
    bound
        .def("__init__", [](FiniteBelief* self, const Input& tables, const Input& weights) {
                new (self) FiniteBelief(to_vector(tables), to_vector(weights), static_cast<std::int64_t>(tables.shape(1)),
                                        static_cast<std::int32_t>(tables.shape(2)));
            }, "tables"_a, "weights"_a)
        .def_ro("num_states", &FiniteBelief::num_states)
        .def_ro("num_actions", &FiniteBelief::num_actions)
        .def_ro("observations", &FiniteBelief::observations)
        .def_prop_ro("weights", [](const FiniteBelief& b) {
                const Reading use(b);
                return to_numpy(b.weights());
            }, nb::rv_policy::move)
        .def("observe", alone(&FiniteBelief::observe), "state"_a, "action"_a, "next_state"_a, "Take in one transition.")
        .def("possible", reading(&FiniteBelief::possible), "state"_a, "action"_a, "next_state"_a, "Whether some table allows the transition.")
        .def("predictive", &predictive, "state"_a, "action"_a, "Probability of each next state. [S]")
        .def("draw", [](const FiniteBelief& b, const Seed& seed) {
                const Reading use(b);
                Random rng(seed);
                return b.draw(rng);
            }, "seed"_a, "The number of a table, drawn from the posterior.");
    bind_search<FiniteBelief>(module);
}

}  // namespace bamdp

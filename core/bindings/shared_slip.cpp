// Python bindings of the shared slip probability. Arguments are checked in Python (priors/shared_slip.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "bindings/arrays.hpp"
#include "bindings/search.hpp"
#include "models/shared_slip.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {

void bind_shared_slip(nb::module_& module) {
    nb::class_<SharedSlipBelief> slip(module, "SharedSlipBelief");
    bind_state(slip);
    slip
        .def("__init__", [](SharedSlipBelief* self, const IntegerInput& intended, const IntegerInput& slipped, const Input& cumulative, double slips, double holds) {
                new (self) SharedSlipBelief({intended.data(), intended.data() + intended.size()}, {slipped.data(), slipped.data() + slipped.size()},
                                            to_vector(cumulative), slips, holds, static_cast<std::int64_t>(intended.shape(0)),
                                            static_cast<std::int32_t>(intended.shape(1)));
            }, "intended"_a, "slipped"_a, "cumulative"_a, "slips"_a, "holds"_a)
        .def_ro("slips", &SharedSlipBelief::slips)
        .def_ro("holds", &SharedSlipBelief::holds)
        .def_ro("observations", &SharedSlipBelief::observations)
        .def("observe", alone(&SharedSlipBelief::observe), "state"_a, "action"_a, "next_state"_a, "Update with one transition.");
    bind_search<SharedSlipBelief>(module);
}

}  // namespace bamdp

// Python bindings of the shared slip probability. Arguments are checked in Python (priors/shared_slip.py).
#include "bindings/search.hpp"
#include "models/shared_slip.hpp"

namespace bamdp {

void bind_shared_slip(nb::module_& module) {
    nb::class_<SharedSlipBelief> slip(module, "SharedSlipBelief");
    bind_state(slip);
    slip
        .def("__init__", [](SharedSlipBelief* self, const IntegerInput& intended, const IntegerInput& slipped, const Input& cumulative, double slips, double holds) {
                new (self) SharedSlipBelief(to_vector(intended), to_vector(slipped), to_vector(cumulative), slips, holds,
                                            static_cast<std::int64_t>(intended.shape(0)), static_cast<std::int32_t>(intended.shape(1)));
            }, "intended"_a, "slipped"_a, "cumulative"_a, "slips"_a, "holds"_a)
        .def_ro("slips", &SharedSlipBelief::slips)
        .def_ro("holds", &SharedSlipBelief::holds)
        .def("observe", alone(&SharedSlipBelief::observe), "state"_a, "action"_a, "next_state"_a, "Update with one transition.");
    bind_search<SharedSlipBelief>(module);
}

}  // namespace bamdp

// Python bindings of the beliefs over a finite set of transition tables and over a shared slip probability. Arguments
// are checked in Python (priors/finite.py, priors/shared_slip.py).
#include "models/finite.hpp"

#include "bindings/search.hpp"
#include "models/shared_slip.hpp"

namespace bamdp {

void bind_finite(nb::module_& module) {
    nb::class_<FiniteBelief> bound(module, "FiniteBelief");
    bind_state(bound);
    bound
        .def(
            "__init__",
            [](FiniteBelief* self, const Input& tables, const Input& weights, const OptionalInput& rewards,
               const OptionalInput& terminal) {
                new (self)
                    FiniteBelief(to_vector(tables), to_vector(weights), static_cast<std::int64_t>(tables.shape(1)),
                                 static_cast<std::int32_t>(tables.shape(2)), to_vector(rewards), to_vector(terminal));
            },
            "tables"_a, "weights"_a, "rewards"_a.none() = nb::none(), "terminal"_a.none() = nb::none(),
            "Tables [M, S, A, S] and their weights [M]; rewards [M, S, A] or [M, S, A, S] and terminal states, 0 or 1 "
            "[M, S], if worlds differ in them.")
        .def_prop_ro("weights", reading(&FiniteBelief::weights), nb::rv_policy::move)
        .def("observe", alone(&FiniteBelief::observe), "state"_a, "action"_a, "next_state"_a,
             "reward"_a = FiniteBelief::UNSEEN, "ended"_a = -1,
             "Update with one step; the reward may be NaN, `ended` -1: not observed. False, and nothing changes, if it "
             "is impossible.")
        .def(
            "observe_many", alone(&FiniteBelief::observe_many), "states"_a, "actions"_a, "rewards"_a, "next_states"_a,
            "ended"_a,
            "Update with many steps. The index of the first impossible one, and then nothing changes, or their number.")
        .def("possible", reading(&FiniteBelief::possible), "state"_a, "action"_a, "next_state"_a,
             "reward"_a = FiniteBelief::UNSEEN, "Whether some table allows the transition, and pays the reward.")
        .def("predictive", reading(&FiniteBelief::predictive), "state"_a, "action"_a,
             "Probability of each next state. [S]")
        .def(
            "draw",
            [](const FiniteBelief& b, const Seed& seed) {
                const SharedLock use(b);
                Random rng(seed);
                return b.draw(rng);
            },
            "seed"_a, "Index of a table drawn from the posterior.");
    bind_search<FiniteBelief>(module);

    nb::class_<SharedSlipBelief> slip(module, "SharedSlipBelief");
    bind_state(slip);
    slip.def(
            "__init__",
            [](SharedSlipBelief* self, const IntegerInput& intended, const IntegerInput& slipped,
               const Input& cumulative, double slips, double holds) {
                new (self) SharedSlipBelief(to_vector(intended), to_vector(slipped), to_vector(cumulative), slips,
                                            holds, static_cast<std::int64_t>(intended.shape(0)),
                                            static_cast<std::int32_t>(intended.shape(1)));
            },
            "intended"_a, "slipped"_a, "cumulative"_a, "slips"_a, "holds"_a)
        .def_ro("slips", &SharedSlipBelief::slips)
        .def_ro("holds", &SharedSlipBelief::holds)
        .def("observe", alone(&SharedSlipBelief::observe), "state"_a, "action"_a, "next_state"_a,
             "Update with one transition.");
    bind_search<SharedSlipBelief>(module);
}

}  // namespace bamdp

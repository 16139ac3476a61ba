// The Python face of the Bellman solver.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind_solver.hpp"
#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"
#include "search.hpp"
#include "solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Seed = std::array<std::uint64_t, 4>;

// Runs `work(pause)` without Python's lock; every 50 ms Ctrl-C is looked for and `on_tick` called.
template <class Work>
auto responsive(const nb::object& on_tick, Work work) {
    const auto callback = [&] {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!on_tick.is_none()) on_tick();
    };
    const nb::gil_scoped_release no_gil;
    return work(Pause(callback));
}

template <class P>
void bind_loads(nb::class_<Solver>& solver) {
    solver
        .def("load_mean", [](Solver& self, Belief<P>& belief, double bonus) { self.load_mean(belief, bonus); }, "belief"_a, "bonus"_a = 0.0,
             "The posterior mean, each reward raised by bonus / (1 + pseudo-counts + visits).")
        .def("load_samples", [](Solver& self, Belief<P>& belief, std::int64_t count, const Seed& seed, const nb::object& on_tick) {
                responsive(on_tick, [&](Pause pause) { self.load_samples(belief, count, Random(seed), pause); });
            }, "belief"_a, "count"_a, "seed"_a, "on_tick"_a.none() = nb::none(), "Models drawn from the posterior, to be solved as one.");
}

}  // namespace

void bind_solver(nb::module_& module) {
    nb::class_<Solver> solver(module, "Solver", "The Bellman equations of what a belief says; see core/solver.hpp.");
    solver
        .def("__init__", [](Solver* self, const Input& rewards, double discount) {
                new (self) Solver({rewards.data(), rewards.data() + rewards.size()}, static_cast<std::int64_t>(rewards.shape(0)),
                                  static_cast<std::int32_t>(rewards.shape(1)), discount);
            }, "rewards"_a, "discount"_a)
        .def_prop_ro("num_states", &Solver::num_states)
        .def_prop_ro("num_actions", &Solver::num_actions)
        .def("load_tables", [](Solver& self, const Input& transitions, const std::optional<Input>& bonuses) {
                self.load_tables(transitions.data(), static_cast<std::int64_t>(transitions.shape(0)), bonuses ? bonuses->data() : nullptr);
            }, "transitions"_a, "bonuses"_a.none() = nb::none(), "Dense models [K, S, A, S], to be solved as one.")
        .def("solve", [](Solver& self, double tolerance, const nb::object& on_tick) {
                return responsive(on_tick, [&](Pause pause) { return self.solve(tolerance, pause); });
            }, "tolerance"_a, "on_tick"_a.none() = nb::none(),
             "Solve to the greatest error allowed, starting from the last solution; returns the number of full backups.")
        .def("q_values", [](const Solver& self, std::int64_t state) {
                auto* values = new std::vector<double>(self.q_values(state));
                nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
                return nb::ndarray<nb::numpy, double>(values->data(), {values->size()}, owner);
            }, "state"_a, "The value of each action in `state`. [A]");
    bind_loads<Dirichlet>(solver);
    bind_loads<SparseDirichlet>(solver);
}

}  // namespace bamdp

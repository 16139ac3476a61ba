// The Python face of what is computed exactly. Arguments are checked in Python (src/bamdp/exact).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/row_priors.hpp"
#include "exact/bayes_optimal.hpp"
#include "exact/gittins.hpp"
#include "support/unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

Output<double> gittins_indices(double a0, double b0, double discount, double tolerance, const IntegerInput& i, const IntegerInput& j) {
    std::vector<double> indices;
    {
        const Unlocked no_lock;
        indices = Gittins(a0, b0, discount, tolerance, {i.data(), i.size()}, {j.data(), j.size()}, check_signals).indices();
    }
    return to_numpy(std::move(indices));
}

std::unique_ptr<Lattice> make_lattice(std::unique_ptr<Predictor> predictor, const Input& rewards, double discount, std::int32_t horizon, double leaf,
                                      const States& terminal) {
    Rewards known(to_vector(rewards), predictor->num_states, predictor->num_actions);
    return std::make_unique<Lattice>(std::move(predictor), std::move(known), discount, horizon, leaf, TerminalStates(terminal));
}

template <RowPrior P>
std::unique_ptr<Lattice> conjugate_lattice(const Belief<P>& belief, const Input& rewards, double discount, std::int32_t horizon, double leaf,
                                           const States& terminal) {
    const Consulting use(belief);
    return make_lattice(std::make_unique<ConjugatePredictor<P>>(belief), rewards, discount, horizon, leaf, terminal);
}

std::unique_ptr<Lattice> finite_lattice(const FiniteBelief& belief, const Input& rewards, double discount, std::int32_t horizon, double leaf,
                                        const States& terminal) {
    const Reading use(belief);
    const auto frozen = std::make_shared<const FiniteBelief>(belief);  // later observations must not change the lattice
    return make_lattice(std::make_unique<FinitePredictor>(frozen), rewards, discount, horizon, leaf, terminal);
}

bool expand(Lattice& lattice, std::int64_t state, std::int64_t limit) {
    const Alone use(lattice);
    const Unlocked no_lock;
    return lattice.expand(state, limit, check_signals);
}

void solve(Lattice& lattice) {
    const Alone use(lattice);
    const Unlocked no_lock;
    lattice.solve(check_signals);
}

Output<double> q_values(Lattice& lattice, std::int32_t depth, Place place) {
    const Alone use(lattice);
    std::vector<double> q(static_cast<std::size_t>(lattice.num_actions()));
    lattice.q_values(depth, place, q);
    return to_numpy(std::move(q));
}

std::optional<Place> child(const Lattice& lattice, std::int32_t depth, Place place, std::size_t a, std::size_t next_state) {
    const Reading use(lattice);
    const Place found = lattice.child(depth, place, a, next_state);
    return found == NOWHERE ? std::nullopt : std::optional(found);
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.def("gittins_indices", &gittins_indices, "successes"_a, "failures"_a, "discount"_a, "tolerance"_a, "more_successes"_a,
               "more_failures"_a, "Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]");

    nb::class_<Lattice>(module, "Lattice", "The belief states of a Bayes-adaptive MDP, step by step from the root.")
        .def("expand", &expand, "state"_a, "limit"_a, "Find the belief states; False if there are more than `limit`.")
        .def("solve", &solve, "Work out all values.")
        .def("q_values", &q_values, "depth"_a, "place"_a, "The value of each action in a belief state. [A]")
        .def("child", &child, "depth"_a, "place"_a, "action"_a, "next_state"_a, "The place of the belief state that follows, in its layer.")
        .def_prop_ro("layer_sizes", reading(&Lattice::layer_sizes), "Belief states after 0, 1, … steps, as far as they were found.");
    for_each_row_prior([&]<RowPrior P>(const char*) {
        module.def("make_lattice", &conjugate_lattice<P>, "belief"_a, "rewards"_a, "discount"_a, "horizon"_a, "leaf"_a, "terminal"_a);
    });
    module.def("make_lattice", &finite_lattice, "belief"_a, "rewards"_a, "discount"_a, "horizon"_a, "leaf"_a, "terminal"_a,
               "A lattice of future belief states, not yet expanded.");
}

}  // namespace bamdp

// Python bindings of open-loop search. Arguments are checked in Python (search/solver.py).
#include "search/open_loop.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>
#include <memory>

#include "bindings/arrays.hpp"
#include "models/user.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

std::unique_ptr<OpenLoop> sequences(const std::shared_ptr<VisitedStates>& belief, const Input& rewards,
                                    const Settings& settings, const std::shared_ptr<Hooks>& hooks) {
    const auto known = std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
    return std::make_unique<ActionSequences<HookModel>>(std::shared_ptr<const VisitedStates>(belief), known, settings,
                                                        std::shared_ptr<const Hooks>(hooks));
}

std::unique_ptr<OpenLoop> paths(const std::shared_ptr<GridBelief>& belief, const Input&, const Settings& settings) {
    return std::make_unique<GridPaths>(std::shared_ptr<const GridBelief>(belief), settings.discount, settings.bonus);
}

}  // namespace

void bind_open_loop(nb::module_& module) {
    nb::class_<OpenLoop> bound(module, "OpenLoop",
                               "A search for the best sequence of actions; see core/search/open_loop.hpp.");
    bind_state(bound);
    bound
        .def(
            "load",
            [](OpenLoop& self, std::int64_t samples, std::uint64_t seed) {
                const ExclusiveLock use(self);
                self.load(samples, seed);
            },
            "samples"_a, "seed"_a, "Plan in the mean (0 samples), or in the best of models drawn from the posterior.")
        .def(
            "q_values",
            [](OpenLoop& self, std::int64_t state, std::int64_t steps) {
                const ExclusiveLock use(self);
                return to_numpy(self.q_values(state, steps));
            },
            "state"_a, "steps"_a, nb::rv_policy::move,
            "The return of the best sequence that begins with each action. [A]");
    module.def("make_open_loop", &paths, "belief"_a, "rewards"_a, "settings"_a,
               "A search for the best path on an infinite grid.");
    module.def("make_open_loop", &sequences, "belief"_a, "rewards"_a, "settings"_a, "hooks"_a,
               "A search for the best sequence of actions in models of a belief.");
    module.def(
        "simulated_return",
        [](const GridBelief& belief, double discount, double bonus, std::int64_t worlds, std::uint64_t seed) {
            return simulated_return(belief.prior, discount, bonus, worlds, seed);
        },
        "belief"_a, "discount"_a, "bonus"_a, "worlds"_a, "seed"_a,
        "The mean return of the best paths with a bonus in worlds drawn from the prior.");
}

}  // namespace bamdp

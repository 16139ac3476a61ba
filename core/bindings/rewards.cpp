// The Python face of unknown rewards. Arguments are checked in Python (priors/unknown_rewards.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

#include "bindings/arrays.hpp"
#include "bindings/row_priors.hpp"
#include "bindings/search.hpp"
#include "models/finite.hpp"
#include "models/row_models.hpp"
#include "models/shared_slip.hpp"
#include "models/unknown_rewards.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {

void bind_rewards(nb::module_& module) {
    nb::class_<RewardCounts> counts(module, "RewardCounts", "Rewards seen, and the prior over them.");
    bind_state(counts);
    counts
        .def("__init__", [](RewardCounts* self, const Input& values, const Input& alpha, bool deterministic, std::int32_t num_actions) {
                new (self) RewardCounts(to_vector(values), to_vector(alpha), deterministic, num_actions);
            }, "values"_a, "alpha"_a, "deterministic"_a, "num_actions"_a)
        .def("observe", [](RewardCounts& c, std::int64_t state, std::int32_t a, std::size_t value, const nb::object& first) {
                const Alone use(c);
                first();
                c.observe(state, a, value);
            }, "state"_a, "action"_a, "value"_a, "first"_a,
             "Take in one reward, by its place among the values, after calling `first`; if that raises, nothing is taken in.")
        .def("counts", [](const RewardCounts& c, std::int64_t state, std::int32_t a) {
                const Reading use(c);
                return to_numpy(c.counts(state, a));
            }, "state"_a, "action"_a,
             "How often each value was seen. [V]");
    for_each_row_prior([&]<RowPrior P>(const char*) { bind_search<Belief<P>, RewardCounts>(module, "seen"); });
    bind_search<FiniteBelief, RewardCounts>(module, "seen");
    bind_search<SharedSlipBelief, RewardCounts>(module, "seen");
}

}  // namespace bamdp

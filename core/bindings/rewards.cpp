// Python bindings of unknown rewards. Arguments are checked in Python (priors/unknown_rewards.py).
#include "bindings/row_priors.hpp"
#include "bindings/search.hpp"
#include "models/worlds.hpp"
#include "models/unknown_rewards.hpp"

namespace bamdp {

namespace {

// If `first` raises, nothing changes.
template <class Seen, class Value>
void observe_after(Seen& seen, std::int64_t state, std::int32_t a, Value value, const nb::object& first) {
    const ExclusiveLock use(seen);
    first();
    seen.observe(state, a, value);
}

void bind_normal(nb::module_& module) {
    nb::class_<NormalRewards, RewardBelief> normal(module, "NormalRewards",
                                                   "Observed normal rewards, and the prior over them.");
    bind_state(normal);
    normal
        .def(
            "__init__",
            [](NormalRewards* self, const Input& priors, std::int32_t num_actions, const Input& cuts) {
                std::vector<NormalOutcome> rows;
                for (const double* row = priors.data(); row != priors.data() + priors.size(); row += 4)
                    rows.push_back({row[0], row[1], row[2], row[3]});
                new (self) NormalRewards(std::move(rows), num_actions, to_vector(cuts));
            },
            "priors"_a, "num_actions"_a, "cuts"_a,
            "`priors`: mean, strength, degrees and variance, for all pairs [1, 4] or for each [S·A, 4].")
        .def("observe", &observe_after<NormalRewards, double>, "state"_a, "action"_a, "reward"_a, "first"_a,
             "Update with one reward after calling `first`; if that raises, nothing changes.")
        .def(
            "posterior",
            [](const NormalRewards& self, std::int64_t state, std::int32_t a) {
                const SharedLock use(self);
                const NormalOutcome known = self.posterior(state, a);
                return std::tuple(known.mean, known.strength, known.degrees, known.variance);
            },
            "state"_a, "action"_a, "Mean, strength, degrees and variance of the rewards of a pair.");
}

// Searches with rewards that are learned as `Seen`.
template <class Seen>
void bind_searches(nb::module_& module) {
    for_each_row_prior([&]<RowPrior P>(const char*) { bind_search<Belief<P>, Seen>(module, "seen"); });
    bind_search<WorldsBelief, Seen>(module, "seen");
}

}  // namespace

void bind_rewards(nb::module_& module) {
    nb::class_<RewardBelief>(module, "RewardBelief", "A belief over rewards, which a solver can read.")
        .def_ro("observations", &RewardBelief::observations, "Number of rewards observed.");
    nb::class_<RewardCounts, RewardBelief> counts(module, "RewardCounts",
                                                  "Counts of observed rewards, and the prior over them.");
    bind_state(counts);
    counts
        .def(
            "__init__",
            [](RewardCounts* self, const Input& values, const Input& alpha, bool deterministic,
               std::int32_t num_actions) {
                new (self) RewardCounts(to_vector(values), to_vector(alpha), deterministic, num_actions);
            },
            "values"_a, "alpha"_a, "deterministic"_a, "num_actions"_a)
        .def("observe", &observe_after<RewardCounts, std::size_t>, "state"_a, "action"_a, "value"_a, "first"_a,
             "Update with one reward, given by its index among the values, after calling `first`; if that raises, "
             "nothing changes.")
        .def("counts", reading(&RewardCounts::counts), "state"_a, "action"_a, "Count of each value. [V]");
    bind_normal(module);
    bind_searches<RewardCounts>(module);
    bind_searches<NormalRewards>(module);
}

}  // namespace bamdp

// Python bindings of the beliefs with independent rows (row_priors.hpp). Arguments are checked in Python (priors/_conjugate.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "beliefs/belief.hpp"
#include "bindings/arrays.hpp"
#include "bindings/row_priors.hpp"
#include "bindings/search.hpp"
#include "models/row_models.hpp"
#include "support/unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

// Counts of one pair as states, for the prior.
template <RowPrior P>
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> counts_of(const Belief<P>& belief, std::int64_t state, std::int32_t a) {
    const Counts& counts = belief.counts(belief.known().find(state), a);
    std::vector<std::int64_t> seen;
    for (const Index h : counts.successors) seen.push_back(belief.known().state(h));
    return {seen, counts.n};
}

template <RowPrior P>
Output<double> predictive(Belief<P>& belief, std::int64_t state, std::int32_t a) {
    const CacheLock use(belief);
    const auto [seen, n] = counts_of(belief, state, a);
    std::int64_t total = 0;
    for (const std::int64_t count : n) total += count;
    std::vector<double> row(static_cast<std::size_t>(belief.num_states));
    belief.prior.predictive(belief.pair(state, a), seen, n, total, row);
    return to_numpy(std::move(row));
}

template <RowPrior P>
Output<double> sample_mdp(Belief<P>& belief, const Seed& seed) {
    const CacheLock use(belief);
    Random rng(seed);
    Row row;
    const auto S = static_cast<std::size_t>(belief.num_states), A = static_cast<std::size_t>(belief.num_actions);
    std::vector<double> table(S * A * S, 0.0);
    const std::size_t lines = belief.tied() ? 1 : S;
    for (std::size_t s = 0; s < lines; ++s)
        for (std::size_t a = 0; a < A; ++a) {
            const auto [seen, n] = counts_of(belief, static_cast<std::int64_t>(s), static_cast<std::int32_t>(a));
            belief.prior.draw_row(belief.pair(static_cast<std::int64_t>(s), static_cast<std::int32_t>(a)), seen, n, rng, row);
            for (std::size_t i = 0; i < row.states.size(); ++i)
                table[(s * A + a) * S + static_cast<std::size_t>(row.states[i])] =
                    (row.cumulative[i] - (i == 0 ? 0 : row.cumulative[i - 1])) / row.cumulative.back();
        }
    for (std::size_t s = lines; s < S; ++s) std::copy_n(table.begin(), A * S, table.begin() + static_cast<std::ptrdiff_t>(s * A * S));
    return to_numpy(std::move(table), {S, A, S});
}

template <RowPrior P>
void bind_belief(nb::class_<Belief<P>>& bound) {
    bind_state(bound);
    bound
        .def_ro("num_states", &Belief<P>::num_states)
        .def_ro("num_actions", &Belief<P>::num_actions)
        .def_prop_ro("tied", &Belief<P>::tied)
        .def_ro("observations", &Belief<P>::observations)
        .def("observe", alone(&Belief<P>::observe), "state"_a, "action"_a, "next_state"_a, "Update with one transition.")
        .def("observe_many", [](Belief<P>& b, const IntegerInput& states, const IntegerInput& actions, const IntegerInput& next_states) {
                const ExclusiveLock use(b);
                const Unlocked no_lock;
                return b.observe_many(to_span(states), to_span(actions), to_span(next_states));
            }, "states"_a, "actions"_a, "next_states"_a,
             "Update with many transitions; the index of the first impossible one, and then nothing changes, or their number.")
        .def("possible", [](const Belief<P>& b, std::int64_t s, std::int32_t a, std::int64_t next) { return b.prior.possible(b.pair(s, a), next); },
             "state"_a, "action"_a, "next_state"_a, "Whether the prior allows the transition.")
        .def("counts", [](const Belief<P>& b, std::int64_t s, std::int32_t a) {
                const SharedLock use(b);
                auto [seen, n] = counts_of(b, s, a);
                return std::pair(to_numpy(std::move(seen)), to_numpy(std::move(n)));
            }, "state"_a, "action"_a, "Observed successors of (state, action), and the count of each.")
        .def("predictive", &predictive<P>, "state"_a, "action"_a, "Probability of each next state. [S]")
        .def("sample_mdp", &sample_mdp<P>, "seed"_a, "Transition probabilities drawn from the posterior. [S, A, S]");
    if constexpr (requires(const P& prior) { prior.alpha(0, 0); })
        bound.def("alpha", [](const Belief<P>& b, std::int64_t s, std::int32_t a, std::int64_t next) { return b.prior.alpha(b.pair(s, a), next); },
                  "state"_a, "action"_a, "next_state"_a, "The prior's pseudo-count of a transition.");
}

}  // namespace

void bind_conjugate(nb::module_& module) {
    for_each_row_prior([&]<RowPrior P>(const std::string& name) {
        nb::class_<Belief<P>> bound(module, (name + "Belief").c_str());
        bind_own(bound);
        bind_belief(bound);
    });
    for_each_row_prior([&]<RowPrior P>(const std::string&) { bind_search<Belief<P>>(module); });
}

}  // namespace bamdp

// Python bindings of the beliefs with independent rows (row_priors.hpp). Arguments are checked in Python
// (priors/_tabular.py).
#include "bindings/row_priors.hpp"
#include "bindings/search.hpp"
#include "models/rows.hpp"

namespace bamdp {
namespace {

template <RowPrior P>
Observed observed(const Belief<P>& belief, std::int64_t state, std::int32_t a) {
    Observed seen;
    belief.observed(belief.known().find(state), a, seen);
    return seen;
}

template <RowPrior P>
Output<double> predictive(Belief<P>& belief, std::int64_t state, std::int32_t a) {
    const CacheLock use(belief);
    std::vector<double> row(static_cast<std::size_t>(belief.num_states));
    belief.prior.predictive(belief.pair(state, a), observed(belief, state, a), row);
    return to_numpy(std::move(row));
}

template <RowPrior P>
Output<double> sample_mdp(Belief<P>& belief, const Seed& seed) {
    const CacheLock use(belief);
    Random rng(seed);
    Row row;
    const auto S = static_cast<std::size_t>(belief.num_states), A = static_cast<std::size_t>(belief.num_actions);
    std::vector<double> table(S * A * S, 0.0);
    const std::size_t pairs = (belief.tied() ? 1 : S) * A;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto state = static_cast<std::int64_t>(pair / A);
        belief.prior.draw_row(static_cast<std::int64_t>(pair),
                              observed(belief, state, static_cast<std::int32_t>(pair % A)), rng, row);
        for (std::size_t i = 0; i < row.states.size(); ++i)
            table[pair * S + static_cast<std::size_t>(row.states[i])] = row.weight(i) / row.cumulative.back();
    }
    for (std::size_t i = pairs * S; i < table.size(); ++i) table[i] = table[i - pairs * S];
    return to_numpy(std::move(table), {S, A, S});
}

template <RowPrior P>
void bind_belief(nb::class_<Belief<P>>& bound) {
    bind_state(bound);
    bound.def_prop_ro("tied", &Belief<P>::tied)
        .def("observe", alone(&Belief<P>::observe), "state"_a, "action"_a, "next_state"_a,
             "Update with one transition.")
        .def("observe_many", alone(&Belief<P>::observe_many), "states"_a, "actions"_a, "next_states"_a,
             "Update with many transitions; the index of the first impossible one, and then nothing changes, or their "
             "number.")
        .def(
            "possible",
            [](const Belief<P>& b, std::int64_t s, std::int32_t a, std::int64_t next) {
                return b.prior.possible(b.pair(s, a), next);
            },
            "state"_a, "action"_a, "next_state"_a, "Whether the prior allows the transition.")
        .def(
            "counts",
            [](const Belief<P>& b, std::int64_t s, std::int32_t a) {
                const SharedLock use(b);
                Observed seen = observed(b, s, a);
                return std::pair(to_numpy(std::move(seen.states)), to_numpy(std::move(seen.n)));
            },
            "state"_a, "action"_a, "Observed successors of (state, action), and the count of each.")
        .def("predictive", &predictive<P>, "state"_a, "action"_a, "Probability of each next state. [S]")
        .def("sample_mdp", &sample_mdp<P>, "seed"_a, "Transition probabilities drawn from the posterior. [S, A, S]");
    if constexpr (requires(const P& prior) { prior.alpha(0, 0); })
        bound.def(
            "alpha",
            [](const Belief<P>& b, std::int64_t s, std::int32_t a, std::int64_t next) {
                return b.prior.alpha(b.pair(s, a), next);
            },
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

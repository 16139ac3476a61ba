// Python bindings of the search over beliefs with counts.
#include "search/belief_tree.hpp"

#include "bindings/row_priors.hpp"

namespace bamdp {
namespace {

template <RowPrior P>
void bind_plan(nb::module_& module) {
    module.def(
        "plan_counts",
        [](Solver& solver, Belief<P>& belief, const std::shared_ptr<RewardBelief>& learned, std::int64_t state,
           const std::vector<std::int32_t>& base, const StepsLeft* left, const std::optional<std::int64_t>& simulations,
           const std::optional<double>& seconds, std::size_t memory, double slack, bool even, bool want_tree,
           std::int64_t returns, std::int64_t steps, double worst, const Seed& seed, const nb::object& on_tick) {
            const auto started = Clock::now();
            const ExclusiveLock use(solver);
            const CacheLock<Belief<P>> transitions(belief);
            std::optional<SharedLock> rewards;
            if (learned) rewards.emplace(*learned);
            TreeBudget budget{simulations.value_or(std::numeric_limits<std::int64_t>::max()), Clock::time_point::max(),
                              memory, slack, even};
            if (seconds)
                budget.deadline =
                    started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
            TreeDecision decision;
            std::vector<double> played;
            std::shared_ptr<Tree> tree;
            responsive(on_tick, [&](Pause pause) {
                PosteriorMean<P> mean(solver, belief, learned, left, pause);
                BeliefTree<P> search(mean, belief.num_actions, solver.discount());
                decision = search.plan(state, base, budget, pause);
                Random rng(seed);
                for (std::int64_t i = 0; i < returns; ++i, pause())
                    played.push_back(search.simulate(steps, worst, rng));
                if (want_tree) tree = search.tree();
            });
            return std::make_tuple(decision, tree, to_numpy(std::move(played)));
        },
        "solver"_a, "belief"_a, "learned"_a.none(), "state"_a, "base"_a, "left"_a.none(), "simulations"_a.none(),
        "seconds"_a.none(), "memory"_a, "slack"_a, "even"_a, "want_tree"_a, "returns"_a, "steps"_a, "worst"_a, "seed"_a,
        tick(),
        "Plan with a belief whose mean is loaded and solved: the decision, its tree, and `returns` of its policy in "
        "worlds drawn from the belief.");
}

}  // namespace

void bind_belief_tree(nb::module_& module) {
    nb::class_<TreeDecision>(module, "TreeDecision",
                             "The decision of a search over beliefs; see core/search/belief_tree.hpp.")
        .def_ro("action", &TreeDecision::action)
        .def_ro("simulations", &TreeDecision::simulations)
        .def_ro("depth", &TreeDecision::depth)
        .def_ro("solved", &TreeDecision::solved)
        .def_ro("full", &TreeDecision::full)
        .def_prop_ro("values", array_of(&TreeDecision::values), nb::rv_policy::move)
        .def_prop_ro("uncertainties", array_of(&TreeDecision::uncertainties), nb::rv_policy::move)
        .def_prop_ro("visits", array_of(&TreeDecision::visits), nb::rv_policy::move);
    for_each_row_prior([&]<RowPrior P>(const char*) { bind_plan<P>(module); });
}

}  // namespace bamdp

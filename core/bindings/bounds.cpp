// Python bindings of the search with bounds over weighted worlds.
#include "search/bounds.hpp"

#include "bindings/arrays.hpp"

namespace bamdp {
namespace {

// Worlds of dense tables: transitions [M, S, A, S], rewards [M, S, A] or [M, S, A, S], terminal states, 0 or 1 [M, S].
std::unique_ptr<WeightedWorlds> from_tables(const Input& transitions, const Input& rewards, const Input& terminal,
                                            double discount) {
    const std::size_t M = transitions.shape(0), S = transitions.shape(1), A = transitions.shape(2);
    auto worlds = std::make_unique<WeightedWorlds>(M, S, A, discount);
    const bool by_next = rewards.ndim() == 4;
    for (std::size_t row = 0; row < M * S * A; ++row) {
        const double* over = terminal.data() + row / (S * A) * S;
        for (std::size_t next = 0; next < S; ++next) {
            const double p = transitions.data()[row * S + next];
            if (p > 0)
                worlds->add({static_cast<std::int32_t>(next), over[next] != 0, p,
                             rewards.data()[by_next ? row * S + next : row]});
        }
        worlds->end_row();
    }
    return worlds;
}

auto plan(const WeightedWorlds& worlds, std::int32_t state, std::int64_t left, const Input& weights, double tolerance,
          const std::optional<std::int64_t>& simulations, const std::optional<double>& seconds, std::size_t memory,
          bool even, bool want_tree, const nb::object& on_tick) {
    const auto started = Clock::now();
    BoundsBudget budget{simulations.value_or(std::numeric_limits<std::int64_t>::max()), Clock::time_point::max(),
                        memory, even};
    if (seconds)
        budget.deadline =
            started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    BoundsDecision decision;
    std::shared_ptr<Tree> tree;
    responsive(on_tick, [&](Pause pause) {
        BoundsSearch search(worlds);
        decision = search.plan(state, left, {weights.data(), weights.size()}, tolerance, budget, pause);
        if (want_tree) tree = search.tree();
    });
    return std::make_tuple(decision, tree);
}

}  // namespace

void bind_bounds(nb::module_& module) {
    nb::class_<BoundsDecision>(module, "BoundsDecision",
                               "The decision of a search with bounds; see core/search/bounds.hpp.")
        .def_ro("action", &BoundsDecision::action)
        .def_ro("simulations", &BoundsDecision::simulations)
        .def_ro("depth", &BoundsDecision::depth)
        .def_ro("decided", &BoundsDecision::decided)
        .def_ro("full", &BoundsDecision::full)
        .def_prop_ro("lower", array_of(&BoundsDecision::lower), nb::rv_policy::move)
        .def_prop_ro("upper", array_of(&BoundsDecision::upper), nb::rv_policy::move)
        .def_prop_ro("visits", array_of(&BoundsDecision::visits), nb::rv_policy::move);
    nb::class_<WeightedWorlds>(module, "WeightedWorlds",
                               "A finite set of worlds, each solved; see core/search/weighted_worlds.hpp.")
        .def_static("from_tables", &from_tables, "transitions"_a, "rewards"_a, "terminal"_a, "discount"_a)
        .def(
            "solve",
            [](WeightedWorlds& self, const StepsLeft* run, double tolerance, const nb::object& on_tick) {
                responsive(on_tick,
                           [&](Pause pause) { self.solve(run == nullptr ? StepsLeft{0} : *run, tolerance, pause); });
            },
            "run"_a.none(), "tolerance"_a, tick(),
            "Solve each world for the steps of a run, or without an end to a tolerance.")
        .def("plan", &plan, "state"_a, "left"_a, "weights"_a, "tolerance"_a, "simulations"_a.none(), "seconds"_a.none(),
             "memory"_a, "even"_a, "want_tree"_a, tick(),
             "Plan with posterior weights [M] and `left` steps left, 0 without an end: the decision and its tree.");
}

}  // namespace bamdp

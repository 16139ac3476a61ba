// The Python face of the Bellman solver and of BFS3.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/row_priors.hpp"
#include "models/collapsed.hpp"
#include "search/bfs3.hpp"
#include "search/search.hpp"
#include "solve/solver.hpp"
#include "support/unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

std::vector<double> bounds_of(const Bfs3Plan& plan, double Bounds::* which) {
    std::vector<double> values;
    for (const Bounds& bounds : plan.bounds) values.push_back(bounds.*which);
    return values;
}

template <RowPrior P>
void bind_bfs3(nb::module_& module, const char* name) {
    using Search = Bfs3<Collapsed<P>>;
    nb::class_<Search> bound(module, name, "BFS3 on one belief; see core/search/bfs3.hpp.");
    bind_state(bound);
    bound
        .def("plan", [](Search& self, std::int64_t state, const nb::object& on_tick) {
                const Alone use(self);
                return responsive(on_tick, [&](Pause pause) { return self.plan(state, pause); });
            }, "state"_a, "on_tick"_a.none() = nb::none(), "Search from `state`.");
    module.def("make_bfs3", [](std::shared_ptr<Belief<P>> belief, const Input& rewards, const Bfs3Settings& settings, const Seed& seed) {
        const auto known = std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
        const std::int32_t A = belief->num_actions;
        const Consulting use(*belief);
        return std::make_unique<Search>(Collapsed<P>(std::move(belief), known), A, settings, Random(seed));
    }, "belief"_a, "rewards"_a, "settings"_a, "seed"_a);
}

// What a solver reads when it loads a model.
template <RowPrior P>
struct Loading {
    Loading(const Belief<P>& belief, const RewardCounts* rewards) : transitions(belief) {
        if (rewards != nullptr) learned.emplace(*rewards);
    }
    const Consulting<Belief<P>> transitions;
    std::optional<Reading> learned;
};

template <RowPrior P>
void bind_loads(nb::class_<Solver>& solver) {
    solver
        .def("load_mean", [](Solver& self, Belief<P>& belief, double bonus, const std::shared_ptr<RewardCounts>& learned) {
                const Alone use(self);
                const Loading load(belief, learned.get());
                self.load_mean(belief, bonus, learned);
            }, "belief"_a, "bonus"_a = 0.0, "learned"_a.none() = nb::none(),
             "The posterior mean, each reward raised by bonus / (1 + pseudo-counts + visits); rewards are known, or `learned`.")
        .def("load_samples", [](Solver& self, Belief<P>& belief, std::int64_t count, const Seed& seed, const nb::object& on_tick, const RewardCounts* learned) {
                const Alone use(self);
                const Loading load(belief, learned);
                responsive(on_tick, [&](Pause pause) { self.load_samples(belief, count, Random(seed), pause, learned); });
            }, "belief"_a, "count"_a, "seed"_a, "on_tick"_a.none() = nb::none(), "learned"_a.none() = nb::none(),
             "Models drawn from the posterior, to be solved as one; rewards are known, or drawn from what was `learned` of them.");
}

}  // namespace

void bind_solver(nb::module_& module) {
    nb::class_<Solver> solver(module, "Solver", "The Bellman equations of what a belief says; see core/solve/solver.hpp.");
    bind_state(solver);
    solver
        .def("__init__", [](Solver* self, const Input& rewards, double discount, const std::vector<std::int64_t>& terminal) {
                new (self) Solver({rewards.data(), rewards.data() + rewards.size()}, static_cast<std::int64_t>(rewards.shape(0)),
                                  static_cast<std::int32_t>(rewards.shape(1)), discount, TerminalStates(terminal));
            }, "rewards"_a, "discount"_a, "terminal"_a = std::vector<std::int64_t>{})
        .def_prop_ro("num_states", &Solver::num_states)
        .def_prop_ro("num_actions", &Solver::num_actions)
        .def_prop_ro("num_active", reading(&Solver::num_active), "States that have equations of their own; all others share one.")
        .def("load_tables", [](Solver& self, const Input& transitions) {
                const Alone use(self);
                self.load_tables(transitions.data(), static_cast<std::int64_t>(transitions.shape(0)));
            }, "transitions"_a, "Dense models [K, S, A, S], to be solved as one.")
        .def("solve", [](Solver& self, double tolerance, const nb::object& on_tick) {
                const Alone use(self);
                return responsive(on_tick, [&](Pause pause) { return self.solve(tolerance, pause); });
            }, "tolerance"_a, "on_tick"_a.none() = nb::none(),
             "Solve to the greatest error allowed, starting from the last solution; returns the number of full backups.")
        .def("set_leaf_values", [](const Solver& self, Search& search, double tolerance) {
                const Reading solved(self);
                const Alone use(search);
                search.set_leaf_values([&](std::int64_t state) { return self.q_values(state); }, self.num_states(), 2 * tolerance);
            }, "search"_a, "tolerance"_a, "What comes after a search's tree is worth what was solved to this tolerance.")
        .def("q_values", [](const Solver& self, std::int64_t state) {
                const Reading use(self);
                return to_numpy(self.q_values(state));
            }, "state"_a, "The value of each action in `state`. [A]");
    nb::class_<Bfs3Settings>(module, "Bfs3Settings", "What BFS3 does; see bamdp.agents.BFS3.")
        .def("__init__", [](Bfs3Settings* self, double discount, std::int32_t branching, std::int32_t depth, std::int64_t trajectories,
                            double v_min, double v_max, bool shared, bool closed, bool by_lower, const std::vector<std::int64_t>& terminal,
                            std::size_t memory) {
                new (self) Bfs3Settings{discount, branching, depth, trajectories, v_min, v_max, shared, closed, by_lower, TerminalStates(terminal), memory};
            }, nb::kw_only(), "discount"_a, "branching"_a, "depth"_a, "trajectories"_a, "v_min"_a, "v_max"_a, "shared"_a, "closed"_a,
             "by_lower"_a, "terminal"_a, "memory"_a);
    nb::class_<Bfs3Plan>(module, "Bfs3Plan", "What BFS3 found out about the actions at the root.")
        .def_ro("action", &Bfs3Plan::action)
        .def_ro("visits", &Bfs3Plan::visits)
        .def_ro("trajectories", &Bfs3Plan::trajectories)
        .def_ro("nodes", &Bfs3Plan::nodes)
        .def_ro("full", &Bfs3Plan::full)
        .def_prop_ro("lower", [](const Bfs3Plan& plan) { return bounds_of(plan, &Bounds::lower); })
        .def_prop_ro("upper", [](const Bfs3Plan& plan) { return bounds_of(plan, &Bounds::upper); });
    for_each_row_prior([&]<RowPrior P>(const std::string& name) {
        bind_bfs3<P>(module, (name + "Bfs3").c_str());
        bind_loads<P>(solver);
    });
    module.def("make_bfs3", [](const nb::args&) -> nb::object {  // what is none of these
        throw Unsupported("BFS3 draws successors one by one: that takes Dirichlet, SparseDirichlet or BetaArms as prior, and known rewards; "
                          "BAMCP works with any model to search");
    }, nb::sig("def make_bfs3(*parts: object) -> object"));
}

}  // namespace bamdp

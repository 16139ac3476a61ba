// Python bindings of the Bellman solver and of BFS3.
#include "solve/solver.hpp"

#include "bindings/row_priors.hpp"
#include "models/collapsed.hpp"
#include "models/sampling.hpp"
#include "search/bfs3.hpp"
#include "search/search.hpp"

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
        .def("limit", alone(&Search::limit), "depth"_a, "closed"_a, "v_min"_a, "v_max"_a,
             "For the next searches, of a run that ends.")
        .def(
            "plan",
            [](Search& self, std::int64_t state, const nb::object& on_tick) {
                const ExclusiveLock use(self);
                return responsive(on_tick, [&](Pause pause) { return self.plan(state, pause); });
            },
            "state"_a, tick(), "Search from `state`.");
    module.def(
        "make_bfs3",
        [](std::shared_ptr<Belief<P>> belief, const Input& rewards, const Bfs3Settings& settings, const Seed& seed) {
            const auto known =
                std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
            const std::int32_t A = belief->num_actions;
            const CacheLock use(*belief);
            return std::make_unique<Search>(Collapsed<P>(std::move(belief), known), A, settings, Random(seed));
        },
        "belief"_a, "rewards"_a, "settings"_a, "seed"_a);
}

std::function<void(std::int64_t, double*)> q_values_of(const Solver& solver) {
    return [&solver](std::int64_t state, double* q) { solver.q_values(state, q); };
}

// The objects that a solver reads when it loads a model.
template <RowPrior P>
struct Loading {
    Loading(const Belief<P>& belief, const RewardBelief* rewards) : transitions(belief) {
        if (rewards != nullptr) learned.emplace(*rewards);
    }
    const CacheLock<Belief<P>> transitions;
    std::optional<SharedLock> learned;
};

template <RowPrior P>
void bind_loads(nb::class_<Solver>& solver) {
    solver
        .def(
            "load_mean",
            [](Solver& self, Belief<P>& belief, double bonus, const std::shared_ptr<RewardBelief>& learned) {
                const ExclusiveLock use(self);
                const Loading load(belief, learned.get());
                self.load_mean(belief, bonus, learned);
            },
            "belief"_a, "bonus"_a = 0.0, "learned"_a.none() = nb::none(),
            "Load the posterior mean, with each reward increased by bonus / (1 + pseudo-counts + visits); rewards are "
            "known, or `learned`.")
        .def(
            "solve_index",
            [](Solver& self, Belief<P>& belief, std::int64_t state, double tolerance, const StepsLeft* left,
               const std::shared_ptr<RewardBelief>& learned, const nb::object& on_tick) {
                const ExclusiveLock use(self);
                const Loading load(belief, learned.get());
                self.load_mean(belief, 0, learned);
                responsive(on_tick, [&](Pause pause) {
                    if (left == nullptr)
                        self.solve_index(belief, state, tolerance, pause);
                    else
                        self.solve_index_steps(belief, state, *left, pause);
                });
            },
            "belief"_a, "state"_a, "tolerance"_a, "left"_a.none() = nb::none(), "learned"_a.none() = nb::none(), tick(),
            "Load the posterior mean and solve it with a bonus for learning, as seen from `state`, until another model "
            "is loaded; with `left`, for so many steps.")
        .def(
            "load_samples",
            [](Solver& self, Belief<P>& belief, std::int64_t count, const Seed& seed, const nb::object& on_tick,
               const RewardBelief* learned) {
                const ExclusiveLock use(self);
                const Loading load(belief, learned);
                responsive(on_tick,
                           [&](Pause pause) { self.load_samples(belief, count, Random(seed), pause, learned); });
            },
            "belief"_a, "count"_a, "seed"_a, tick(), "learned"_a.none() = nb::none(),
            "Load models drawn from the posterior, to be solved as one; rewards are known, or drawn from the counts "
            "`learned`.");
}

}  // namespace

void bind_solver(nb::module_& module) {
    nb::class_<Solver> solver(
        module, "Solver",
        "Bellman equations of the mean of a belief, or of samples from it; see core/solve/solver.hpp.");
    bind_state(solver);
    solver
        .def(
            "__init__",
            [](Solver* self, const Input& rewards, double discount, const std::vector<std::int64_t>& terminal,
               bool ends) {
                new (self)
                    Solver(to_vector(rewards), static_cast<std::int64_t>(rewards.shape(0)),
                           static_cast<std::int32_t>(rewards.shape(1)), discount, TerminalStates(terminal), ends);
            },
            "rewards"_a, "discount"_a, "terminal"_a = std::vector<std::int64_t>{}, "ends"_a = false,
            "`ends`: whether steps of tables may end an episode.")
        .def_prop_ro("num_states", &Solver::num_states)
        .def_prop_ro("num_actions", &Solver::num_actions)
        .def_prop_ro("num_active", reading(&Solver::num_active),
                     "Number of states with their own equation; all others share one.")
        .def(
            "load_tables",
            [](Solver& self, const Input& transitions, const OptionalInput& rewards, const OptionalInput& ends) {
                const ExclusiveLock use(self);
                const auto data = [](const OptionalInput& array) { return array ? array->data() : nullptr; };
                self.load_tables(transitions.data(), static_cast<std::int64_t>(transitions.shape(0)), data(rewards),
                                 data(ends));
            },
            "transitions"_a, "rewards"_a.none() = nb::none(), "ends"_a.none() = nb::none(),
            "Load dense models [K, S, A, S], to be solved as one; with their own expected rewards [K, S, A], and the "
            "part that ends the episode [K, S, A, S].")
        .def(
            "set_bonuses",
            [](Solver& self, const Input& bonuses) {
                const ExclusiveLock use(self);
                if (static_cast<std::int64_t>(bonuses.size()) != self.num_states() * self.num_actions() ||
                    self.num_active() < self.num_states())
                    throw std::invalid_argument("bonuses must be one for each state and action, after load_tables");
                self.set_table_bonuses(bonuses.data());
            },
            "bonuses"_a, "Add to the rewards of the table that is loaded, [S, A], until another model is.")
        .def("next_values", reading(&Solver::next_values),
             "The value of each state after the next step, where the steps left are known. [S]")
        .def("solve", running(&Solver::solve), "tolerance"_a, tick(),
             "Solve to within `tolerance`, starting from the last solution; returns the number of full backups.")
        .def("solve_steps", running(&Solver::solve_steps), "left"_a, tick(),
             "Solve for a known number of steps left, by backward induction.")
        .def(
            "set_leaf_layers",
            [](Solver& self, Search& search, const StepsLeft& left, std::int64_t depth, double tolerance,
               const nb::object& on_tick) {
                const ExclusiveLock solved(self), use(search);
                auto layers = responsive(on_tick, [&](Pause pause) { return self.solve_layers(pause, left, depth); });
                search.set_values({q_values_of(self), self.num_states(), 2 * tolerance, std::move(layers)});
            },
            "search"_a, "left"_a, "depth"_a, "tolerance"_a, tick(),
            "Solve with the steps left and set the leaf values of a search: there are fewer left at each depth, up to "
            "`depth`.")
        .def(
            "set_leaf_values",
            [](const Solver& self, Search& search, double tolerance) {
                const SharedLock solved(self);
                const ExclusiveLock use(search);
                search.set_values({q_values_of(self), self.num_states(), 2 * tolerance, {}});
            },
            "search"_a, "tolerance"_a, "Set the leaf values of a search to the solution, which has this tolerance.")
        .def("q_values", reading(static_cast<std::vector<double> (Solver::*)(std::int64_t) const>(&Solver::q_values)),
             "state"_a, "The value of each action in `state`. [A]")
        .def("q_table", reading(&Solver::q_table), "The value of each action in each state, [S · A].");
    module.def("index_units", &index_units, "u"_a,
               "A bonus for learning in standard deviations; see core/solve/exploration_bonus.hpp.");
    nb::class_<Bfs3Settings>(module, "Bfs3Settings", "Settings of BFS3; see bamdp.agents.BFS3.")
        .def(
            "__init__",
            [](Bfs3Settings* self, double discount, std::int32_t branching, std::int32_t depth,
               std::int64_t trajectories, double v_min, double v_max, bool shared, bool closed, bool by_lower,
               const std::vector<std::int64_t>& terminal, std::size_t memory) {
                new (self) Bfs3Settings{discount, branching, depth,  trajectories, v_min,
                                        v_max,    shared,    closed, by_lower,     TerminalStates(terminal),
                                        memory};
            },
            nb::kw_only(), "discount"_a, "branching"_a, "depth"_a, "trajectories"_a, "v_min"_a, "v_max"_a, "shared"_a,
            "closed"_a, "by_lower"_a, "terminal"_a, "memory"_a);
    nb::class_<Bfs3Plan>(module, "Bfs3Plan", "Bounds and visits of the actions at the root of BFS3.")
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
    module.def(
        "make_bfs3",
        [](const nb::args&) -> nb::object {  // any other belief
            throw Unsupported(
                "BFS3 draws successors one by one: that takes Dirichlet, SparseDirichlet or BetaArms as prior, and "
                "known rewards; "
                "BAMCP works with any model to search");
        },
        nb::sig("def make_bfs3(*parts: object) -> object"));
}

}  // namespace bamdp

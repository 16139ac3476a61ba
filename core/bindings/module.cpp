// Python bindings of the core. Arguments are checked in Python (src/bamdp); here they are only converted.
#include <exception>

#include "bindings/arrays.hpp"
#include "search/search.hpp"

namespace bamdp {

void bind_conjugate(nb::module_& module);
void bind_exact(nb::module_& module);
void bind_grid(nb::module_& module);
void bind_belief_tree(nb::module_& module);
void bind_bounds(nb::module_& module);
void bind_open_loop(nb::module_& module);
void bind_rewards(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_solver(nb::module_& module);
void bind_user(nb::module_& module);
void bind_worlds(nb::module_& module);

namespace {

std::vector<RootStatistics> search_trees(Search& search, std::int64_t state, std::optional<std::int64_t> simulations,
                                         std::optional<double> seconds, std::size_t threads, const nb::object& on_tick,
                                         std::size_t first, std::optional<std::size_t> all, const StepsLeft* left,
                                         bool even_root) {
    const ExclusiveLock use(search);
    Budget budget{simulations.value_or(std::numeric_limits<std::int64_t>::max() / 2), Clock::time_point::max()};
    if (seconds)
        budget.deadline =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    const Part part{
        first,
        all.value_or(search.trees().size())};  // before the search: a tree that is referenced elsewhere is not reused
    const Query query = search.query(state, left == nullptr ? StepsLeft{0} : *left, even_root);
    return responsive(on_tick, [&](Pause pause) { return search.search(query, budget, part, threads, pause); });
}

RootStatistics plan(Search& search, std::int64_t state, std::optional<std::int64_t> simulations,
                    std::optional<double> seconds, std::size_t threads, const nb::object& on_tick,
                    const StepsLeft* left, bool even_root) {
    const std::vector<RootStatistics> roots =
        search_trees(search, state, simulations, seconds, threads, on_tick, 0, std::nullopt, left, even_root);
    const ExclusiveLock use(search);
    return search.decide(roots);
}

// To have the same object in another process.
template <class T>
void make_picklable(nb::class_<T>& bound) {
    using State = std::pair<std::int32_t,
                            nb::object>;  // not nb::bytes: in the stub, that would be the property `bytes` of a tree
    bound.def("__getstate__", [](T& self) { return State(self.num_actions(), bytes_of(self)); });
    bound.def("__setstate__", [](T& self, const State& state) {
        new (&self) T(state.first);
        restore(self, nb::cast<nb::bytes>(state.second));
    });
}

// The top of a tree as arrays: nodes within `depth` of the root that have `min_visits`, parents before children.
auto top_of(const Tree& tree, std::int64_t depth, std::int64_t min_visits) {
    const auto A = static_cast<std::size_t>(tree.num_actions());
    std::vector<std::int64_t> shown(static_cast<std::size_t>(tree.size()), NO_NODE), depths, keys, parents, actions,
        visits, edge_visits;
    std::vector<double> values, squares;
    for (Node node = 0; node < tree.size(); ++node) {
        const State& state = tree.state(node);
        const bool is_root = state.parent == NO_PARENT;
        const std::int64_t above = is_root ? NO_NODE : shown[state.parent / A];
        if (!is_root &&
            (above == NO_NODE || depths[static_cast<std::size_t>(above)] >= depth || state.visits < min_visits))
            continue;
        shown[static_cast<std::size_t>(node)] = static_cast<std::int64_t>(keys.size());
        depths.push_back(is_root ? 0 : depths[static_cast<std::size_t>(above)] + 1);
        keys.push_back(state.key);
        parents.push_back(above);
        actions.push_back(is_root ? -1 : static_cast<std::int64_t>(state.parent % A));
        visits.push_back(state.visits);
        for (std::size_t a = 0; a < A; ++a) {
            edge_visits.push_back(tree.edges(node)[a].visits);
            values.push_back(tree.edges(node)[a].value);
            squares.push_back(tree.edges(node)[a].squares);
        }
    }
    const std::size_t n = keys.size();
    return std::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(parents)), to_numpy(std::move(actions)),
                           to_numpy(std::move(visits)), to_numpy(std::move(values), {n, A}),
                           to_numpy(std::move(squares), {n, A}), to_numpy(std::move(edge_visits), {n, A}));
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The native core of bamdp. Use it through the Python classes, which check their arguments.";
    nb::set_leak_warnings(false);  // a daemon thread that outlives Python keeps its objects alive; not a leak
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close_unlocked));
    const nb::module_ os = nb::module_::import_("os");
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Unsupported& error) {
            PyErr_SetString(PyExc_TypeError, error.what());
        }
    });
    if (nb::hasattr(os, "register_at_fork"))
        os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function(&forget_unlocked));

    bind_settings(module);

    auto root =
        nb::class_<RootStatistics>(module, "RootStatistics", "Statistics of the actions at the root of a search.")
            .def_ro("action", &RootStatistics::action)
            .def_ro("simulations", &RootStatistics::simulations)
            .def_ro("depth", &RootStatistics::depth)
            .def_ro("full", &RootStatistics::full)
            .def_prop_ro("values", array_of(&RootStatistics::values), nb::rv_policy::move)
            .def_prop_ro("visits", array_of(&RootStatistics::visits), nb::rv_policy::move)
            .def_prop_ro("standard_errors", array_of(&RootStatistics::errors), nb::rv_policy::move);
    make_picklable(root);

    auto tree = nb::class_<Tree>(module, "Tree", "A search tree.")
                    .def_prop_ro("num_nodes", &Tree::size)
                    .def_prop_ro("bytes", &Tree::bytes)
                    .def("top", &top_of, "depth"_a, "min_visits"_a,
                         "(keys, parents, actions, visits, values, squares, edge_visits) of the nodes near the root.");
    make_picklable(tree);

    nb::class_<Search> search(module, "Search", "A search over future histories.");
    bind_state(search);
    search
        .def("plan", &plan, "state"_a, "simulations"_a.none(), "seconds"_a.none(), "threads"_a, "on_tick"_a.none(),
             "left"_a.none() = nb::none(), "even_root"_a = false,
             "Search from `state` until the first budget is used up, and no further than the steps `left` of a run "
             "that ends; `even_root`: its "
             "actions are tried equally often.")
        .def("search", &search_trees, "state"_a, "simulations"_a.none(), "seconds"_a.none(), "threads"_a,
             "on_tick"_a.none(), "first"_a, "all"_a, "left"_a.none() = nb::none(), "even_root"_a = false,
             "Like `plan`, for the trees from number `first` on, out of `all`; returns the root statistics of each.")
        .def("decide", alone(&Search::decide), "roots"_a,
             "Choose an action from the root statistics of all trees, in order.")
        .def("observe", alone(&Search::observe), "state"_a, "action"_a, "reward"_a, "next_state"_a,
             "Update with one real step.")
        .def("observe_many", alone(&Search::observe_many), "states"_a, "actions"_a, "rewards"_a, "next_states"_a,
             "Update with many real steps.")
        .def_ro("rollouts", &Search::rollouts, "Name of the roll-outs or other leaf evaluator.")
        .def(
            "trees",
            [](const Search& search) {
                const ExclusiveLock use(search);
                std::vector<std::shared_ptr<Tree>> trees;
                for (auto& tree : search.trees()) trees.push_back(std::const_pointer_cast<Tree>(tree));
                return trees;
            },
            "The trees of the last search.");

    bind_conjugate(module);
    bind_worlds(module);
    bind_grid(module);
    bind_rewards(module);
    bind_user(module);
    bind_belief_tree(module);
    bind_bounds(module);
    bind_open_loop(module);
    bind_exact(module);
    bind_solver(module);
}

}  // namespace bamdp

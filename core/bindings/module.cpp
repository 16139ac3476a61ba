// The Python face of the core. Arguments are checked in Python (src/bamdp); here they are only converted.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/solver.hpp"
#include "models/collapsed.hpp"
#include "models/full.hpp"
#include "models/lazy.hpp"
#include "models/resampled.hpp"
#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"
#include "search/search.hpp"
#include "support/unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {

void bind_arms(nb::module_& module);
void bind_exact(nb::module_& module);
void bind_finite(nb::module_& module);
void bind_grid(nb::module_& module);
void bind_rewards(nb::module_& module);
void bind_user(nb::module_& module);

namespace {

template <class P>
std::unique_ptr<Search> make_search(std::shared_ptr<Belief<P>> belief, const Input& rewards, const std::string& sampling,
                                    const Settings& settings, const std::string& final_move, double epsilon, double learning_rate,
                                    const std::vector<Seed>& seeds) {
    const auto known = std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
    const auto make = [&]<class M>() -> std::unique_ptr<Search> {
        return std::make_unique<Trees<Belief<P>, M>>(belief, known, settings, final_move == "visits" ? FinalMove::visits : FinalMove::value,
                                                     epsilon, learning_rate, seeds);
    };
    if (sampling == "collapsed") return make.template operator()<Collapsed<P>>();
    if (sampling == "lazy") return make.template operator()<Lazy<P>>();
    if (sampling == "full") return make.template operator()<Full<P>>();
    if (sampling == "resampled") return make.template operator()<Resampled<P>>();
    throw std::invalid_argument("sampling: " + sampling);
}

// Counts of one pair as states, for the prior.
template <class P>
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> counts_of(const Belief<P>& belief, std::int64_t state, std::int32_t a) {
    const Counts& counts = belief.counts(belief.known().find(state), a);
    std::vector<std::int64_t> seen;
    for (const Handle h : counts.successors) seen.push_back(belief.known().state(h));
    return {seen, counts.n};
}

template <class P>
Output<double> predictive(Belief<P>& belief, std::int64_t state, std::int32_t a) {
    const Consulting use(belief);
    const auto [seen, n] = counts_of(belief, state, a);
    std::int64_t total = 0;
    for (const std::int64_t count : n) total += count;
    std::vector<double> row(static_cast<std::size_t>(belief.num_states));
    belief.prior.predictive(belief.pair(state, a), seen, n, total, row);
    return to_numpy(std::move(row));
}

template <class P>
Output<double> sample_mdp(Belief<P>& belief, const Seed& seed) {
    const Consulting use(belief);
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

template <class P>
nb::class_<Belief<P>> bind_belief(nb::module_& module, const char* name) {
    module.def("make_search", &make_search<P>, "belief"_a, "rewards"_a, "sampling"_a, "settings"_a, "final_move"_a, "epsilon"_a,
               "learning_rate"_a, "seeds"_a, "A search that plans with `belief`, one tree for each seed but the last.");
    nb::class_<Belief<P>> bound(module, name);
    bind_state(bound);
    return bound
        .def_ro("num_states", &Belief<P>::num_states)
        .def_ro("num_actions", &Belief<P>::num_actions)
        .def_prop_ro("tied", &Belief<P>::tied)
        .def_ro("observations", &Belief<P>::observations)
        .def("observe", alone(&Belief<P>::observe), "state"_a, "action"_a, "next_state"_a, "Take in one transition.")
        .def("possible", [](const Belief<P>& b, std::int64_t s, std::int32_t a, std::int64_t next) { return b.prior.possible(b.pair(s, a), next); },
             "state"_a, "action"_a, "next_state"_a, "Whether the prior allows the transition.")
        .def("counts", [](const Belief<P>& b, std::int64_t s, std::int32_t a) {
                const Reading use(b);
                auto [seen, n] = counts_of(b, s, a);
                return std::pair(to_numpy(std::move(seen)), to_numpy(std::move(n)));
            }, "state"_a, "action"_a, "Successors seen after (state, action), and how often each.")
        .def("predictive", &predictive<P>, "state"_a, "action"_a, "Probability of each next state. [S]")
        .def("sample_mdp", &sample_mdp<P>, "seed"_a, "Transition probabilities drawn from the posterior. [S, A, S]");
}

std::vector<RootStatistics> found(Search& search, std::int64_t state, std::optional<std::int64_t> simulations, std::optional<double> seconds,
                                  std::size_t threads, const nb::object& on_tick, std::size_t first, std::optional<std::size_t> all) {
    Budget budget{simulations.value_or(std::numeric_limits<std::int64_t>::max() / 2), Clock::time_point::max()};
    if (seconds) budget.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    const Part part{first, all.value_or(search.trees().size())};  // before the search: who holds a tree has it to keep
    return responsive(on_tick, [&](Pause pause) { return search.search(state, budget, part, threads, pause); });
}

std::vector<RootStatistics> search_trees(Search& search, std::int64_t state, std::optional<std::int64_t> simulations,
                                         std::optional<double> seconds, std::size_t threads, const nb::object& on_tick, std::size_t first,
                                         std::optional<std::size_t> all) {
    const Alone use(search);
    return found(search, state, simulations, seconds, threads, on_tick, first, all);
}

RootStatistics plan(Search& search, std::int64_t state, std::optional<std::int64_t> simulations, std::optional<double> seconds,
                    std::size_t threads, const nb::object& on_tick) {
    const Alone use(search);
    return search.decide(found(search, state, simulations, seconds, threads, on_tick, 0, std::nullopt));
}

using Memory = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

Output<std::uint8_t> to_memory(std::span<const std::byte> bytes) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return to_numpy(std::vector<std::uint8_t>(first, first + bytes.size()));
}

std::span<const std::byte> of_memory(const Memory& memory) { return {reinterpret_cast<const std::byte*>(memory.data()), memory.size()}; }

// What another process needs to have the same: for pickle.
using SettingsState = std::tuple<double, std::int32_t, double, std::int32_t, std::int32_t, bool, bool, bool, States, std::size_t>;
using RootState = std::tuple<std::vector<double>, std::vector<std::int64_t>, std::vector<double>, std::int64_t, std::int32_t, std::int32_t, bool>;
using TreeState = std::tuple<std::int32_t, Memory, Memory>;

SettingsState state_of(const Settings& s) {
    States terminal;
    for (Handle h = 0; h < s.ends.states().size(); ++h) terminal.push_back(s.ends.states().state(h));
    return {s.discount, s.horizon, s.exploration, s.log_offset, s.expand_after, s.first_action_random, s.lattice, s.reuse_tree, terminal,
            s.memory};
}

void set_state(Settings& self, const SettingsState& state) {
    const auto& [discount, horizon, exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree, terminal, memory] = state;
    new (&self) Settings{discount, horizon, exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree, Ends(terminal),
                         memory};
}

RootState state_of(const RootStatistics& r) { return {r.values, r.visits, r.errors, r.simulations, r.depth, r.action, r.full}; }

void set_state(RootStatistics& self, const RootState& state) {
    const auto& [values, visits, errors, simulations, depth, action, full] = state;
    new (&self) RootStatistics{values, visits, errors, simulations, depth, action, full};
}

auto state_of(const Tree& tree) { return std::tuple(tree.num_actions(), to_memory(tree.state_bytes()), to_memory(tree.edge_bytes())); }

void set_state(Tree& self, const TreeState& state) {
    const auto& [num_actions, states, edges] = state;
    new (&self) Tree(num_actions, of_memory(states), of_memory(edges));
}

template <class State, class T>
void make_picklable(nb::class_<T>& bound) {
    bound.def("__getstate__", [](const T& self) { return state_of(self); });
    bound.def("__setstate__", [](T& self, const State& state) { set_state(self, state); });
}

// The top of a tree as arrays: nodes within `depth` of the root that have `min_visits`, parents before children.
auto top_of(const Tree& tree, std::int64_t depth, std::int64_t min_visits) {
    const auto A = static_cast<std::size_t>(tree.num_actions());
    std::vector<std::int64_t> shown(static_cast<std::size_t>(tree.size()), NO_NODE), depths, keys, parents, actions, visits, edge_visits;
    std::vector<double> values, squares;
    for (Node node = 0; node < tree.size(); ++node) {
        const State& state = tree.state(node);
        const bool is_root = state.parent == NO_PARENT;
        const std::int64_t above = is_root ? NO_NODE : shown[state.parent / A];
        if (!is_root && (above == NO_NODE || depths[static_cast<std::size_t>(above)] >= depth || state.visits < min_visits)) continue;
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
    return std::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(parents)), to_numpy(std::move(actions)), to_numpy(std::move(visits)),
                          to_numpy(std::move(values), {n, A}), to_numpy(std::move(squares), {n, A}), to_numpy(std::move(edge_visits), {n, A}));
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The native core of bamdp. Use it through the Python classes, which check their arguments.";
    nb::set_leak_warnings(false);  // a daemon thread that Python leaves behind holds on to what it uses, which is no fault
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close_unlocked));
    const nb::module_ os = nb::module_::import_("os");
    if (nb::hasattr(os, "register_at_fork")) os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function(&forget_unlocked));

    auto settings = nb::class_<Settings>(module, "Settings", "What a search does; see bamdp.agents.BAMCP.")
        .def("__init__", [](Settings* self, double discount, std::int32_t horizon, double exploration, std::int32_t log_offset,
                            std::int32_t expand_after, bool first_action_random, bool lattice, bool reuse_tree,
                            const States& terminal) {
                new (self) Settings{discount, horizon, exploration, log_offset, expand_after, first_action_random, lattice, reuse_tree,
                                    Ends(terminal)};
            }, nb::kw_only(), "discount"_a, "horizon"_a, "exploration"_a, "log_offset"_a, "expand_after"_a, "first_action_random"_a,
             "lattice"_a, "reuse_tree"_a, "terminal"_a = States{})
        .def_rw("memory", &Settings::memory, "Bytes for each tree; as much as there is, if not set.");
    make_picklable<SettingsState>(settings);

    auto root = nb::class_<RootStatistics>(module, "RootStatistics", "What a search found out about the actions at the root.")
        .def_ro("action", &RootStatistics::action)
        .def_ro("simulations", &RootStatistics::simulations)
        .def_ro("depth", &RootStatistics::depth)
        .def_ro("full", &RootStatistics::full)
        .def_prop_ro("values", [](const RootStatistics& r) { return to_numpy(r.values); }, nb::rv_policy::move)
        .def_prop_ro("visits", [](const RootStatistics& r) { return to_numpy(r.visits); }, nb::rv_policy::move)
        .def_prop_ro("standard_errors", [](const RootStatistics& r) { return to_numpy(r.errors); }, nb::rv_policy::move);
    make_picklable<RootState>(root);

    auto tree = nb::class_<Tree>(module, "Tree", "A search tree.")
        .def_prop_ro("num_nodes", &Tree::size)
        .def_prop_ro("bytes", &Tree::bytes)
        .def("top", &top_of, "depth"_a, "min_visits"_a,
             "(keys, parents, actions, visits, values, squares, edge_visits) of the nodes near the root.");
    make_picklable<TreeState>(tree);

    nb::class_<Search> search(module, "Search", "A search over future histories.");
    bind_state(search);
    search
        .def("plan", &plan, "state"_a, "simulations"_a.none(), "seconds"_a.none(), "threads"_a, "on_tick"_a.none(),
             "Search from `state` until the first budget is used up.")
        .def("search", &search_trees, "state"_a, "simulations"_a.none(), "seconds"_a.none(), "threads"_a, "on_tick"_a.none(), "first"_a,
             "all"_a, "As `plan`, where these trees are those from number `first` on, of `all`: what each of them found out.")
        .def("decide", alone(&Search::decide), "found"_a, "The decision, from what all trees found out, in their order.")
        .def("observe", alone(&Search::observe), "state"_a, "action"_a, "reward"_a, "next_state"_a, "Take in one real step.")
        .def("rollout_values", [](const Search& s, std::int64_t state) {
                const Alone use(s);
                return to_numpy(s.rollout_values(state));
            }, "state"_a, "Learned Q-values of the roll-out policy. [A]")
        .def("trees", [](const Search& search) {
            const Alone use(search);
            std::vector<std::shared_ptr<Tree>> trees;
            for (auto& tree : search.trees()) trees.push_back(std::const_pointer_cast<Tree>(tree));
            return trees;
        }, "The trees of the last search.");

    bind_belief<Dirichlet>(module, "DirichletBelief")
        .def("__init__", [](Belief<Dirichlet>* self, std::int64_t S, std::int32_t A, double alpha, bool tied) {
                new (self) Belief<Dirichlet>(Dirichlet(S, alpha), S, A, tied);
            }, "num_states"_a, "num_actions"_a, "alpha"_a, "tied"_a = false)
        .def("__init__", [](Belief<Dirichlet>* self, std::int64_t S, std::int32_t A, const Input& alpha, bool tied) {
                new (self) Belief<Dirichlet>(Dirichlet(S, to_vector(alpha)), S, A, tied);
            }, "num_states"_a, "num_actions"_a, "alpha"_a, "tied"_a = false);

    bind_belief<SparseDirichlet>(module, "SparseDirichletBelief")
        .def("__init__", [](Belief<SparseDirichlet>* self, std::int64_t S, std::int32_t A, double alpha, double exponent) {
                new (self) Belief<SparseDirichlet>(SparseDirichlet(S, alpha, exponent), S, A, false);
            }, "num_states"_a, "num_actions"_a, "alpha"_a, "exponent"_a)
        .def("repeat_probability", [](Belief<SparseDirichlet>& b, std::int64_t K0, std::int64_t N) {
                const Alone tables(b.tables);
                return b.prior.repeat_probability(K0, N);
            }, "distinct"_a, "total"_a, "Probability that the next successor is a seen one.")
        .def("support_posterior", [](Belief<SparseDirichlet>& b, std::int64_t K0, std::int64_t N) {
                const Alone tables(b.tables);
                return to_numpy(b.prior.support_posterior(K0, N));
            }, "distinct"_a, "total"_a, "Probability of each support size, from max(1, distinct) on.");

    bind_arms(module);
    bind_finite(module);
    bind_grid(module);
    bind_rewards(module);
    bind_user(module);
    bind_exact(module);
    bind_solver(module);
}

}  // namespace bamdp

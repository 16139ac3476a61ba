// Python bindings of the exact solvers. Arguments are checked in Python (src/bamdp/exact).
#include "bindings/row_priors.hpp"
#include "exact/arms.hpp"
#include "exact/bayes_optimal.hpp"
#include "exact/gittins.hpp"
#include "exact/normal_gittins.hpp"
#include "exact/responses.hpp"

namespace bamdp {
namespace {

Output<double> gittins_indices(double a0, double b0, double discount, double tolerance, const IntegerInput& i,
                               const IntegerInput& j) {
    return to_numpy(responsive(nb::none(), [&](Pause pause) {
        return Gittins(a0, b0, discount, tolerance, {i.data(), i.size()}, {j.data(), j.size()}, pause).indices();
    }));
}

Output<double> normal_gittins_indices(double n0, std::int64_t count, double discount, double tolerance, double fine) {
    return to_numpy(responsive(
        nb::none(), [&](Pause pause) { return NormalGittins(n0, count, discount, tolerance, fine, pause).indices(); }));
}

Output<double> finite_gittins_indices(const Input& a, const Input& b, const IntegerInput& steps, double discount,
                                      double tolerance, std::size_t threads) {
    constexpr std::size_t PART = 256;  // arms, and the rise of the index with the steps left is used within
    std::vector<double> indices(a.size());
    const auto work = [&](std::size_t part, std::size_t, const Tick& tick) {
        FiniteGittins gittins(discount, tolerance);
        const std::size_t first = part * PART, end = std::min(first + PART, indices.size());
        for (std::size_t k = first; k < end; ++k, tick()) {
            const double *x = a.data() + k, *y = b.data() + k;
            const std::int64_t* left = steps.data() + k;
            const bool longer = k > first && x[0] == x[-1] && y[0] == y[-1] && left[0] >= left[-1];
            const double mean = *x / (*x + *y);
            indices[k] = gittins.index(*x, *y, *left, longer ? std::max(mean, indices[k - 1]) : mean);
        }
    };
    responsive(nb::none(), [&](Pause pause) { in_parallel((indices.size() + PART - 1) / PART, threads, pause, work); });
    return to_numpy(std::move(indices));
}

// `arms` [K, 4]: a, b, and what a failure and a success pay. `last` [states after the last step]: values at the end, 0
// if empty. `on_tick(states)` is called now and then with the number that are done. Returns values, masks and cuts
// [rows, 2]; without a policy both are empty, and cuts if the policy is none of cuts.
std::tuple<Output<double>, Output<std::uint8_t>, Output<std::uint16_t>> solve_arms(
    const Input& arms, double discount, std::size_t horizon, const std::string& keep, const Input& last,
    std::size_t threads, const nb::object& on_tick) {
    std::vector<Arm> each;
    for (const double* x = arms.data(); x != arms.data() + arms.size(); x += 4)
        each.push_back({x[0], x[1], x[2], x[3]});
    std::vector<double> values;
    std::vector<std::uint8_t> actions;
    std::vector<Cut> cuts;
    {
        const Unlocked no_lock;
        const Keep what = keep == "masks" ? Keep::MASKS : keep == "cuts" ? Keep::CUTS : Keep::NOTHING;
        ArmsRecursion solver(std::move(each), discount, horizon, what, {last.data(), last.size()});
        values = solver.solve(threads, Pause([&] {
                                  const nb::gil_scoped_acquire gil;
                                  check_locked();
                                  if (!on_tick.is_none()) on_tick(solver.done());
                              }));
        actions = solver.take_policy();
        if (solver.ordered()) cuts = solver.take_cuts();
    }
    auto* kept = new std::vector<Cut>(std::move(cuts));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Cut>*>(p); });
    const Output<std::uint16_t> rows(reinterpret_cast<std::uint16_t*>(kept->data()), {kept->size(), 2}, owner);
    return {to_numpy(std::move(values)), to_numpy(std::move(actions)), rows};
}

template <RowPrior P>
std::unique_ptr<Predictor> predictor_of(const Belief<P>& belief) {
    return std::make_unique<ConjugatePredictor<P>>(belief);
}
std::unique_ptr<Predictor> predictor_of(const WorldsBelief& belief) {
    return std::make_unique<WorldsPredictor>(
        std::make_shared<const WorldsBelief>(belief));  // later observations must not change the lattice
}

template <class B>
void bind_lattice(nb::module_& module) {
    module.def(
        "make_lattice",
        [](const B& belief, const Input& rewards, double discount, std::int32_t horizon, double leaf,
           const States& terminal, std::int64_t restart, std::int32_t time_limit) {
            const CacheLock use(belief);
            Rewards known(to_vector(rewards), belief.num_states, belief.num_actions);
            return std::make_unique<Lattice>(predictor_of(belief), std::move(known), discount, horizon, leaf,
                                             Episodes{TerminalStates(terminal), restart, time_limit});
        },
        "belief"_a, "rewards"_a, "discount"_a, "horizon"_a, "leaf"_a, "terminal"_a, "restart"_a = -1,
        "time_limit"_a = 0, "A lattice of future belief states, not yet expanded.");
}

using Changed = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

void add(const Changed& after, const Input& weights, const Input& allocation, std::size_t arm, std::size_t patients) {
    std::size_t outer = 1, inner = 1;
    for (std::size_t k = 0; k < weights.ndim(); ++k) (k < arm ? outer : inner) *= k == arm ? 1 : weights.shape(k);
    const std::size_t n = weights.shape(arm) - 1;
    const nb::gil_scoped_release no_lock;
    add_responses(after.data(), weights.data(), allocation.data(), outer, n, inner, patients);
}

void add_cut(const Changed& after, const Input& weights,
             const nb::ndarray<const std::uint16_t, nb::c_contig, nb::device::cpu>& cuts, std::size_t arm, double below,
             double between, double above) {
    const nb::gil_scoped_release no_lock;
    add_cut_responses(after.data(), weights.data(), cuts.data(), weights.shape(0) - 1, weights.shape(1) - 1, arm,
                      {below, between, above});
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.def("gittins_indices", &gittins_indices, "successes"_a, "failures"_a, "discount"_a, "tolerance"_a,
               "more_successes"_a, "more_failures"_a,
               "Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]");

    module.def("normal_gittins_indices", &normal_gittins_indices, "strength"_a, "count"_a, "discount"_a, "tolerance"_a,
               "fine"_a = 1.0,
               "Lower bounds, off by twice the tolerance at most, of the Gittins indices of normal arms with variance "
               "1 and posteriors "
               "N(0, 1 / strength), N(0, 1 / (strength + 1)), … [count]");

    module.def("finite_gittins_indices", &finite_gittins_indices, "successes"_a, "failures"_a, "steps"_a, "discount"_a,
               "tolerance"_a, "threads"_a,
               "Gittins indices of Beta(successes, failures) arms that can be pulled at most `steps` more times. [K]");
    module.def("solve_arms", &solve_arms, "arms"_a, "discount"_a, "horizon"_a, "keep"_a, "last"_a, "threads"_a,
               "on_tick"_a.none(),
               "(values, masks, cuts) of Beta arms, [K, 4]: successes, failures, rewards of a failure and a success.");
    nb::class_<Lattice>(module, "Lattice", "The belief states of a Bayes-adaptive MDP, step by step from the root.")
        .def("expand", running(&Lattice::expand), "state"_a, "limit"_a, tick(),
             "Enumerate the belief states; False if there are more than `limit`.")
        .def("solve", running(&Lattice::solve), tick(), "Compute all values.")
        .def("q_values", alone(&Lattice::q_values), "depth"_a, "position"_a,
             "The value of each action in a belief state. [A]")
        .def("outcomes", alone(&Lattice::outcomes), "depth"_a, "position"_a, "action"_a,
             "What may follow an action: next state, reward, whether the episode ends, the position of the next belief "
             "state in its layer, and the probability.")
        .def_prop_ro("num_cells", reading(&Lattice::num_cells), "Number of counts of a belief state.")
        .def_prop_ro("num_outcomes", reading(&Lattice::num_outcomes), "Number of outcomes of an action, at most.")
        .def_prop_ro("layer_sizes", reading(&Lattice::layer_sizes), nb::rv_policy::move,
                     "Number of belief states after 0, 1, … steps, as far as they were enumerated.");
    for_each_row_prior([&]<RowPrior P>(const char*) { bind_lattice<Belief<P>>(module); });
    bind_lattice<WorldsBelief>(module);
    module.def("add_responses", &add, "after"_a, "weights"_a, "allocation"_a, "arm"_a, "patients"_a,
               "Add to `after` the probabilities of the counts with so many more patients on an arm.");
    module.def("add_cut_responses", &add_cut, "after"_a, "weights"_a, "cuts"_a, "arm"_a, "below"_a, "between"_a,
               "above"_a,
               "Add to `after` the probabilities with one more patient on one of two arms, if the allocation is "
               "constant below, between and from two cuts of each row.");
}

}  // namespace bamdp

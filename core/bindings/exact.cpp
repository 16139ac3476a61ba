// Python bindings of the exact solvers. Arguments are checked in Python (src/bamdp/exact).
#include "bindings/row_priors.hpp"
#include "exact/arms.hpp"
#include "exact/bayes_optimal.hpp"
#include "exact/finite_gittins.hpp"
#include "exact/gittins.hpp"
#include "exact/normal_gittins.hpp"

namespace bamdp {
namespace {

Output<double> gittins_indices(double a0, double b0, double discount, double tolerance, const IntegerInput& i, const IntegerInput& j) {
    return to_numpy(responsive(nb::none(), [&](Pause pause) {
        return Gittins(a0, b0, discount, tolerance, {i.data(), i.size()}, {j.data(), j.size()}, pause).indices();
    }));
}

Output<double> normal_gittins_indices(double n0, std::int64_t count, double discount, double tolerance, double fine) {
    return to_numpy(responsive(nb::none(), [&](Pause pause) { return NormalGittins(n0, count, discount, tolerance, fine, pause).indices(); }));
}

Output<double> finite_gittins_indices(const Input& a, const Input& b, const IntegerInput& steps, double discount, double tolerance,
                                      std::size_t threads) {
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

// `arms` [K, 4]: a, b, and what a failure and a success pay. `on_tick(states)` is called now and then with the number that are done.
std::pair<Output<double>, Output<std::uint8_t>> solve_arms(const Input& arms, double discount, std::size_t horizon, bool policy, std::size_t threads,
                                                           const nb::object& on_tick) {
    std::vector<Arm> each;
    for (const double* x = arms.data(); x != arms.data() + arms.size(); x += 4) each.push_back({x[0], x[1], x[2], x[3]});
    std::vector<double> values;
    std::vector<std::uint8_t> actions;
    {
        const Unlocked no_lock;
        ArmsRecursion solver(std::move(each), discount, horizon, policy);
        values = solver.solve(threads, Pause([&] {
            const nb::gil_scoped_acquire gil;
            check_locked();
            if (!on_tick.is_none()) on_tick(solver.done());
        }));
        actions = solver.take_policy();
    }
    return {to_numpy(std::move(values)), to_numpy(std::move(actions))};
}

template <RowPrior P>
std::unique_ptr<Predictor> predictor_of(const Belief<P>& belief) {
    return std::make_unique<ConjugatePredictor<P>>(belief);
}
std::unique_ptr<Predictor> predictor_of(const FiniteBelief& belief) {
    return std::make_unique<WorldsPredictor>(std::make_shared<const FiniteBelief>(belief));  // later observations must not change the lattice
}

template <class B>
void bind_lattice(nb::module_& module) {
    module.def("make_lattice", [](const B& belief, const Input& rewards, double discount, std::int32_t horizon, double leaf, const States& terminal,
                                  std::int64_t restart, std::int32_t time_limit) {
            const CacheLock use(belief);
            Rewards known(to_vector(rewards), belief.num_states, belief.num_actions);
            return std::make_unique<Lattice>(predictor_of(belief), std::move(known), discount, horizon, leaf, Episodes{TerminalStates(terminal), restart, time_limit});
        }, "belief"_a, "rewards"_a, "discount"_a, "horizon"_a, "leaf"_a, "terminal"_a, "restart"_a = -1, "time_limit"_a = 0,
        "A lattice of future belief states, not yet expanded.");
}

std::vector<std::tuple<std::int64_t, double, bool, std::optional<Place>>> outcomes(Lattice& lattice, std::int32_t depth, Place place, std::int32_t a) {
    const ExclusiveLock use(lattice);
    std::vector<std::tuple<std::int64_t, double, bool, std::optional<Place>>> found;
    for (const Seen& seen : lattice.outcomes(depth, place, a))
        found.emplace_back(seen.next, seen.reward, seen.end, seen.child == NOWHERE ? std::nullopt : std::optional(seen.child));
    return found;
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.def("gittins_indices", &gittins_indices, "successes"_a, "failures"_a, "discount"_a, "tolerance"_a, "more_successes"_a,
               "more_failures"_a, "Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]");

    module.def("normal_gittins_indices", &normal_gittins_indices, "strength"_a, "count"_a, "discount"_a, "tolerance"_a, "fine"_a = 1.0,
               "Lower bounds, off by twice the tolerance at most, of the Gittins indices of normal arms with variance 1 and posteriors "
               "N(0, 1 / strength), N(0, 1 / (strength + 1)), … [count]");

    module.def("finite_gittins_indices", &finite_gittins_indices, "successes"_a, "failures"_a, "steps"_a, "discount"_a, "tolerance"_a, "threads"_a,
               "Gittins indices of Beta(successes, failures) arms that can be pulled at most `steps` more times. [K]");
    module.def("solve_arms", &solve_arms, "arms"_a, "discount"_a, "horizon"_a, "policy"_a, "threads"_a, "on_tick"_a.none(),
               "(values, policy) of Beta arms, [K, 4]: successes, failures, rewards of a failure and a success.");
    nb::class_<Lattice>(module, "Lattice", "The belief states of a Bayes-adaptive MDP, step by step from the root.")
        .def("expand", running(&Lattice::expand), "state"_a, "limit"_a, tick(), "Enumerate the belief states; False if there are more than `limit`.")
        .def("solve", running(&Lattice::solve), tick(), "Compute all values.")
        .def("q_values", alone(static_cast<std::vector<double> (Lattice::*)(std::int32_t, Place)>(&Lattice::q_values)), "depth"_a, "place"_a, "The value of each action in a belief state. [A]")
        .def("outcomes", &outcomes, "depth"_a, "place"_a, "action"_a,
             "What may follow an action: next state, reward, whether the episode ends, and the position of the next belief state in its layer.")
        .def_prop_ro("num_cells", reading(&Lattice::num_cells), "Number of counts of a belief state.")
        .def_prop_ro("num_outcomes", reading(&Lattice::num_outcomes), "Number of outcomes of an action, at most.")
        .def_prop_ro("layer_sizes", reading(&Lattice::layer_sizes), nb::rv_policy::move, "Number of belief states after 0, 1, … steps, as far as they were enumerated.");
    for_each_row_prior([&]<RowPrior P>(const char*) { bind_lattice<Belief<P>>(module); });
    bind_lattice<FiniteBelief>(module);
}

}  // namespace bamdp

// Python bindings of the search with bounds over weighted worlds.
#include "models/worlds.hpp"
#include "search/bounds.hpp"

#include "bindings/arrays.hpp"

namespace bamdp {
namespace {

// What the worlds are worth is computed at the first decision, and again when that doesn't cover a later one.
class BoundsPlanner : public InUse {
 public:
    BoundsPlanner(std::shared_ptr<const WorldsBelief> belief, double discount, double tolerance, std::size_t most_rows,
                  const nb::object& value)
        : belief_(std::move(belief)), tolerance_(tolerance),
          worlds_(belief_->rows(), {discount, tolerance, most_rows, value_from(value)}) {
        reads(*belief_);
    }

    auto plan(std::int64_t state, const StepsLeft* left, const BoundsBudget& budget, bool want_tree,
              const nb::object& on_tick) {
        const ExclusiveLock use(*this);
        BoundsDecision decision;
        std::shared_ptr<Tree> tree;
        responsive(on_tick, [&](Pause pause) {
            WorldRows& rows = worlds_.rows();
            rows.evict();
            const auto reading = rows.reading();
            const StepsLeft run = left == nullptr ? StepsLeft{0} : *left;
            const Index root = rows.base(state);
            const std::vector<double> possible = where_not_terminal(root, belief_->weights());
            worlds_.solve(root, run, possible, pause);
            BoundsSearch search(worlds_, user_policy());
            decision = search.plan(root, run.steps, possible, tolerance_, budget, pause);
            leave_out(decision, root);
            if (want_tree) tree = search.tree();
        });
        return std::make_tuple(decision, tree);
    }

 private:
    static std::function<double(std::size_t, std::int64_t)> value_from(const nb::object& value) {
        if (value.is_none()) return {};
        return [value](std::size_t m, std::int64_t state) {
            const nb::gil_scoped_acquire gil;
            return nb::cast<double>(value(m, state));
        };
    }

    BoundsSearch::Policy user_policy() const {
        if (!belief_->policy()) return {};
        return [belief = belief_, seen = std::make_shared<SimulatedBelief>(belief_)](std::vector<double> weights,
                                                                                     std::int64_t state) {
            seen->set_weights(std::move(weights));
            return belief->policy()(seen, state, 0);
        };
    }

    // Actions that are not considered were like the first one that is: they have no values, and are not taken.
    void leave_out(BoundsDecision& decision, Index root) const {
        WorldRows& rows = worlds_.rows();
        if (!rows.restricts_actions()) return;
        decision.action = rows.considered(root, decision.action);
        for (std::int32_t a = 0; a < rows.num_actions(); ++a) {
            if (rows.considered(root, a) == a) continue;
            const auto i = static_cast<std::size_t>(a);
            decision.lower[i] = decision.upper[i] = -std::numeric_limits<double>::infinity();
            if (!decision.estimates.empty()) decision.estimates[i] = decision.lower[i];
            decision.visits[i] = 0;
        }
    }

    // The weights of the worlds in which an action can be taken, if there are any.
    std::vector<double> where_not_terminal(Index root, const std::vector<double>& weights) const {
        std::vector<double> possible = weights;
        for (std::size_t m = 0; m < possible.size(); ++m)
            if (possible[m] > 0 && worlds_.rows().is_terminal(m, root)) possible[m] = 0;
        const double sum = std::accumulate(possible.begin(), possible.end(), 0.0);
        if (sum <= 0) return weights;
        if (sum < 1 - 1e-9)
            for (double& w : possible) w /= sum;
        return possible;
    }

    std::shared_ptr<const WorldsBelief> belief_;
    double tolerance_;
    KnownWorlds worlds_;
};

auto plan(BoundsPlanner& self, std::int64_t state, const StepsLeft* left,
          const std::optional<std::int64_t>& simulations, const std::optional<double>& seconds, std::size_t memory,
          bool even, bool want_tree, const nb::object& on_tick) {
    BoundsBudget budget{simulations.value_or(std::numeric_limits<std::int64_t>::max()), Clock::time_point::max(),
                        memory, even};
    if (seconds)
        budget.deadline =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    return self.plan(state, left, budget, want_tree, on_tick);
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
        .def_prop_ro("estimates", array_of(&BoundsDecision::estimates), nb::rv_policy::move)
        .def_prop_ro("visits", array_of(&BoundsDecision::visits), nb::rv_policy::move);
    nb::class_<BoundsPlanner>(module, "BoundsPlanner",
                              "Search with bounds over weighted worlds; see core/search/bounds.hpp.")
        .def(nb::init<std::shared_ptr<const WorldsBelief>, double, double, std::size_t, const nb::object&>(),
             "belief"_a, "discount"_a, "tolerance"_a, "most_rows"_a, "value"_a.none() = nb::none(),
             "`most_rows` are explored at most to solve the worlds; `value(world, state)`: what a world is worth to "
             "one who knows it, an upper bound, instead of solving it.")
        .def("plan", &plan, "state"_a, "left"_a.none(), "simulations"_a.none(), "seconds"_a.none(),
             "memory"_a, "even"_a, "want_tree"_a, tick(),
             "Plan with what is left of a run, None without an end: the decision and its tree.");
}

}  // namespace bamdp

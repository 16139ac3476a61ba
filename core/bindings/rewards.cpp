// The Python face of the shared slip probability and of unknown rewards. Arguments are checked in Python (priors/shared_slip.py,
// priors/unknown_rewards.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "models/collapsed.hpp"
#include "models/finite.hpp"
#include "models/lazy.hpp"
#include "models/resampled.hpp"
#include "models/shared_slip.hpp"
#include "models/unknown_rewards.hpp"
#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

using SeenRewards = std::shared_ptr<const RewardCounts>;

// What every kind of search is made of.
struct Common {
    const Settings& settings;
    FinalMove final_move;
    double epsilon, learning_rate;
    const std::vector<Seed>& seeds;
};

template <class M, class Belief, class... More>
std::unique_ptr<Search> trees(const std::shared_ptr<Belief>& belief, const Input& rewards, const Common& c, const More&... more) {
    const auto known = std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
    return std::make_unique<Trees<Belief, M>>(belief, known, c.settings, c.final_move, c.epsilon, c.learning_rate, c.seeds, more...);
}

// Rewards are drawn lazily where transitions are; else they are urns, which are what BA-UCT wants too.
template <class M, class Belief, class... More>
std::unique_ptr<Search> unknown(const std::shared_ptr<Belief>& b, const Input& rewards, const SeenRewards& seen, const std::string& sampling, const Common& c,
                                const More&... more) {
    if (sampling == "lazy") return trees<WithUnknownRewards<Belief, M, DrawnRewards>>(b, rewards, c, seen, more...);
    return trees<WithUnknownRewards<Belief, M, RewardUrns>>(b, rewards, c, seen, more...);
}

template <class P>
std::unique_ptr<Search> with_unknown(const std::shared_ptr<Belief<P>>& b, const Input& rewards, const SeenRewards& seen, const std::string& sampling, const Common& c) {
    if (sampling == "collapsed") return unknown<Collapsed<P>>(b, rewards, seen, sampling, c);
    if (sampling == "lazy") return unknown<Lazy<P>>(b, rewards, seen, sampling, c);
    if (sampling == "resampled") return unknown<Resampled<P>>(b, rewards, seen, sampling, c);
    throw std::invalid_argument("sampling: " + sampling);
}

std::unique_ptr<Search> with_unknown(const std::shared_ptr<FiniteBelief>& b, const Input& rewards, const SeenRewards& seen, const std::string& sampling, const Common& c) {
    return unknown<FiniteModel>(b, rewards, seen, sampling, c);
}

std::unique_ptr<Search> with_unknown(const std::shared_ptr<SharedSlipBelief>& b, const Input& rewards, const SeenRewards& seen, const std::string& sampling, const Common& c) {
    return unknown<SharedSlip>(b, rewards, seen, sampling, c, sampling != "lazy");
}

FinalMove final_move_of(const std::string& name) { return name == "visits" ? FinalMove::visits : FinalMove::value; }

template <class Belief>
void bind_unknown(nb::module_& module) {
    module.def("make_unknown_rewards_search", [](const std::shared_ptr<Belief>& belief, const Input& rewards, const std::shared_ptr<RewardCounts>& seen,
                                                 const std::string& sampling, const Settings& settings, const std::string& final_move, double epsilon,
                                                 double learning_rate, const std::vector<Seed>& seeds) {
            return with_unknown(belief, rewards, SeenRewards(seen), sampling, Common{settings, final_move_of(final_move), epsilon, learning_rate, seeds});
        }, "belief"_a, "rewards"_a, "seen"_a, "sampling"_a, "settings"_a, "final_move"_a, "epsilon"_a, "learning_rate"_a, "seeds"_a,
        "A search that plans with a belief over transitions and one over rewards.");
}

}  // namespace

void bind_rewards(nb::module_& module) {
    nb::class_<SharedSlipBelief> slip(module, "SharedSlipBelief");
    bind_state(slip);
    slip
        .def("__init__", [](SharedSlipBelief* self, const IntegerInput& intended, const IntegerInput& slipped, const Input& cumulative, double slips, double holds) {
                new (self) SharedSlipBelief({intended.data(), intended.data() + intended.size()}, {slipped.data(), slipped.data() + slipped.size()},
                                            to_vector(cumulative), slips, holds, static_cast<std::int64_t>(intended.shape(0)),
                                            static_cast<std::int32_t>(intended.shape(1)));
            }, "intended"_a, "slipped"_a, "cumulative"_a, "slips"_a, "holds"_a)
        .def_ro("slips", &SharedSlipBelief::slips)
        .def_ro("holds", &SharedSlipBelief::holds)
        .def_ro("observations", &SharedSlipBelief::observations)
        .def("observe", alone(&SharedSlipBelief::observe), "state"_a, "action"_a, "next_state"_a, "Take in one transition.");
    module.def("make_search", [](const std::shared_ptr<SharedSlipBelief>& belief, const Input& rewards, const std::string& sampling, const Settings& settings,
                                 const std::string& final_move, double epsilon, double learning_rate, const std::vector<Seed>& seeds) {
            return trees<SharedSlip>(belief, rewards, Common{settings, final_move_of(final_move), epsilon, learning_rate, seeds}, sampling == "collapsed");
        }, "belief"_a, "rewards"_a, "sampling"_a, "settings"_a, "final_move"_a, "epsilon"_a, "learning_rate"_a, "seeds"_a,
        "A search that plans with `belief`, one tree for each seed but the last.");

    nb::class_<RewardCounts> counts(module, "RewardCounts", "Rewards seen, and the prior over them.");
    bind_state(counts);
    counts
        .def("__init__", [](RewardCounts* self, const Input& values, const Input& alpha, bool deterministic, std::int32_t num_actions) {
                new (self) RewardCounts(to_vector(values), to_vector(alpha), deterministic, num_actions);
            }, "values"_a, "alpha"_a, "deterministic"_a, "num_actions"_a)
        .def("observe", [](RewardCounts& c, std::int64_t state, std::int32_t a, std::size_t value, const nb::object& first) {
                const Alone use(c);
                first();
                c.observe(state, a, value);
            }, "state"_a, "action"_a, "value"_a, "first"_a,
             "Take in one reward, by its place among the values, after calling `first`; if that raises, nothing is taken in.")
        .def("counts", [](const RewardCounts& c, std::int64_t state, std::int32_t a) {
                const Reading use(c);
                return to_numpy(c.counts(state, a));
            }, "state"_a, "action"_a,
             "How often each value was seen. [V]");
    bind_unknown<Belief<Dirichlet>>(module);
    bind_unknown<Belief<SparseDirichlet>>(module);
    bind_unknown<FiniteBelief>(module);
    bind_unknown<SharedSlipBelief>(module);
}

}  // namespace bamdp

// The Python face of the search on bandits. Arguments are checked in Python (src/bamdp/conjugate.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "models/arms.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

std::unique_ptr<Search> make_arms_search(std::shared_ptr<Belief<Dirichlet>> belief, const Input& rewards, const std::string& leaf,
                                         const Settings& settings, const std::string& final_move, double epsilon, double learning_rate,
                                         const std::vector<Seed>& seeds) {
    const auto known = std::make_shared<const Rewards>(to_vector(rewards), belief->num_states, belief->num_actions);
    const FinalMove move = final_move == "visits" ? FinalMove::visits : FinalMove::value;
    const LeafValue value = leaf == "hindsight" ? LeafValue::hindsight : LeafValue::best_arm;
    return std::make_unique<Trees<Belief<Dirichlet>, Arms>>(belief, known, settings, move, epsilon, learning_rate, seeds, settings.discount, value);
}

}  // namespace

void bind_arms(nb::module_& module) {
    module.def("make_arms_search", &make_arms_search, "belief"_a, "rewards"_a, "leaf"_a, "settings"_a, "final_move"_a, "epsilon"_a,
               "learning_rate"_a, "seeds"_a, "A search on a bandit, with leaf values instead of roll-outs.");
}

}  // namespace bamdp

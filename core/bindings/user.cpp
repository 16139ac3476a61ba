// The Python face of the models that run the user's own code. Arguments, and what the user's code returns, are checked in Python
// (priors/sampled.py, priors/lazy.py, priors/compiled.py). The lock is held only while Python runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "models/hooks.hpp"
#include "models/requested.hpp"
#include "models/sampled.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

extern "C" double bamdp_gamma(std::uint64_t* rng, double shape) {
    bamdp::Random random({rng[0], rng[1], rng[2], rng[3]});
    const double drawn = random.gamma(shape);
    for (int i = 0; i < 4; ++i) rng[i] = random.state()[i];
    return drawn;
}

namespace bamdp {
namespace {

template <class M, class More>
std::unique_ptr<Search> user_search(const std::shared_ptr<MetStates>& met, const Input& rewards, const More& more, const Settings& settings,
                                    const std::string& final_move, double epsilon, double learning_rate, const std::vector<Seed>& seeds) {
    const auto known = std::make_shared<const Rewards>(to_vector(rewards), met->num_states, met->num_actions);
    const FinalMove move = final_move == "visits" ? FinalMove::visits : FinalMove::value;
    return std::make_unique<Trees<MetStates, M>>(met, known, settings, move, epsilon, learning_rate, seeds, more);
}

void copy(const IntegerInput& from, std::vector<std::int64_t>& to) { to.assign(from.data(), from.data() + from.size()); }
void copy(const Input& from, std::vector<double>& to) { to.assign(from.data(), from.data() + from.size()); }

// `draw()` gives (cumulative [M, S, A, k], successors, perhaps empty).
DrawBatch batch_from(const nb::object& draw) {
    return [draw](Batch& batch) {
        const nb::gil_scoped_acquire gil;
        const auto [cumulative, successors] = nb::cast<std::pair<Input, IntegerInput>>(draw());
        copy(cumulative, batch.cumulative);
        copy(successors, batch.successors);
        batch.width = cumulative.shape(3);
        batch.models = cumulative.shape(0);
    };
}

// `source` is (begin or None, sample_row), where `sample_row(state, action)` gives (states, cumulative, rewards, perhaps empty).
RowSource rows_from(const nb::object& source) {
    const auto [begin, sample_row] = nb::cast<std::pair<nb::object, nb::object>>(source);
    RowSource rows;
    if (!begin.is_none())
        rows.begin = [begin] {
            const nb::gil_scoped_acquire gil;
            begin();
        };
    rows.sample_row = [sample_row](std::int64_t state, std::int32_t a, RequestedRow& row) {
        const nb::gil_scoped_acquire gil;
        const auto [states, cumulative, rewards] = nb::cast<std::tuple<IntegerInput, Input, Input>>(sample_row(state, a));
        copy(states, row.states);
        copy(cumulative, row.cumulative);
        copy(rewards, row.rewards);
    };
    return rows;
}

std::shared_ptr<const Hooks> hooks_from(std::uintptr_t begin, std::uintptr_t step, std::uintptr_t belief, const nb::bytes& scratch, const nb::object& failed) {
    const auto* bytes = reinterpret_cast<const std::byte*>(scratch.c_str());
    const auto on_failure = [failed, size = scratch.size()](const HookFailure& f) {
        const nb::gil_scoped_acquire gil;
        failed(f.hook, f.status, f.state, f.action, f.next_state, f.reward, std::vector<std::uint64_t>(f.rng, f.rng + 4),
               nb::bytes(reinterpret_cast<const char*>(f.scratch), size));
        throw std::runtime_error(std::string("the hook ") + f.hook + " failed");
    };
    return std::make_shared<const Hooks>(Hooks{reinterpret_cast<BeginHook*>(begin), reinterpret_cast<StepHook*>(step),
                                               reinterpret_cast<const void*>(belief), {bytes, bytes + scratch.size()}, on_failure});
}

}  // namespace

void bind_user(nb::module_& module) {
    nb::class_<MetStates> met(module, "MetStates", "Which states were met, for beliefs that are kept in Python.");
    bind_state(met);
    met
        .def(nb::init<std::int64_t, std::int32_t>(), "num_states"_a, "num_actions"_a)
        .def_ro("observations", &MetStates::observations)
        .def("observe", [](MetStates& met, std::int64_t state, std::int64_t next_state, const nb::object& first) {
                const Alone use(met);
                first();
                met.observe(state, next_state);
            }, "state"_a, "next_state"_a, "first"_a,
             "Take in one transition after calling `first`, which tells the rest of the belief; if that raises, nothing is taken in.");
    module.def("make_sampled_search", [](const std::shared_ptr<MetStates>& met, const Input& rewards, const nb::object& make_draw, const Settings& settings,
                                         const std::string& final_move, double epsilon, double learning_rate, const std::vector<Seed>& seeds) {
            const MakeDrawBatch make = [&] { return batch_from(make_draw()); };
            return user_search<SampledModel>(met, rewards, make, settings, final_move, epsilon, learning_rate, seeds);
        }, "met"_a, "rewards"_a, "make_draw"_a, "settings"_a, "final_move"_a, "epsilon"_a, "learning_rate"_a, "seeds"_a,
        "A search in batches of transition tables; `make_draw` is called once for each tree.");
    module.def("make_lazy_search", [](const std::shared_ptr<MetStates>& met, const Input& rewards, const nb::object& make_source, const Settings& settings,
                                      const std::string& final_move, double epsilon, double learning_rate, const std::vector<Seed>& seeds) {
            const MakeRowSource make = [&] { return rows_from(make_source()); };
            return user_search<RequestedRows>(met, rewards, make, settings, final_move, epsilon, learning_rate, seeds);
        }, "met"_a, "rewards"_a, "make_source"_a, "settings"_a, "final_move"_a, "epsilon"_a, "learning_rate"_a, "seeds"_a,
        "A search that asks for rows; `make_source` is called once for each tree.");
    module.def("make_hook_search", [](const std::shared_ptr<MetStates>& met, const Input& rewards, std::uintptr_t begin, std::uintptr_t step,
                                      std::uintptr_t belief, const nb::bytes& scratch, const nb::object& failed, const Settings& settings,
                                      const std::string& final_move, double epsilon, double learning_rate, const std::vector<Seed>& seeds) {
            return user_search<HookModel>(met, rewards, hooks_from(begin, step, belief, scratch, failed), settings, final_move, epsilon, learning_rate, seeds);
        }, "met"_a, "rewards"_a, "begin"_a, "step"_a, "belief"_a, "scratch"_a, "failed"_a, "settings"_a, "final_move"_a, "epsilon"_a,
        "learning_rate"_a, "seeds"_a, "A search in a model of two C functions, given by their addresses; see core/models/hooks.hpp.");
    module.def("gamma_address", [] { return reinterpret_cast<std::uintptr_t>(&bamdp_gamma); },
               "The address of `double gamma(uint64_t rng[4], double shape)`, for hooks.");
}

}  // namespace bamdp

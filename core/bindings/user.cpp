// Python bindings of the models that run the user's own code. Arguments, and what the user's code returns, are checked
// in Python (priors/sampled.py, priors/lazy.py, priors/compiled.py). The lock is held only while Python runs.
#include "models/user.hpp"

#include "bindings/search.hpp"

// For hooks: one draw with a generator in the user's memory.
template <class Draw>
static auto drawn(std::uint64_t* rng, Draw draw) {
    bamdp::Random random({rng[0], rng[1], rng[2], rng[3]});
    const auto value = draw(random);
    for (int i = 0; i < 4; ++i) rng[i] = random.state()[i];
    return value;
}

extern "C" {
double bamdp_gamma(std::uint64_t* rng, double shape) {
    return drawn(rng, [shape](bamdp::Random& random) { return random.gamma(shape); });
}
double bamdp_normal(std::uint64_t* rng) {
    return drawn(rng, [](bamdp::Random& random) { return random.normal(); });
}
std::int64_t bamdp_poisson(std::uint64_t* rng, double mean) {
    return drawn(rng, [mean](bamdp::Random& random) { return random.poisson(mean); });
}
}

namespace bamdp {
namespace {

void copy(const IntegerInput& from, std::vector<std::int64_t>& to) {
    to.assign(from.data(), from.data() + from.size());
}
void copy(const Input& from, std::vector<double>& to) { to.assign(from.data(), from.data() + from.size()); }

// `draw()` returns (cumulative [M, S, A, k], successors, perhaps empty).
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

// `sampler` is (begin or None, sample_row), where `sample_row(state, action)` returns (states, cumulative, rewards,
// perhaps empty).
RowSampler rows_from(const nb::object& sampler) {
    const auto [begin, sample_row] = nb::cast<std::pair<nb::object, nb::object>>(sampler);
    RowSampler rows;
    if (!begin.is_none())
        rows.begin = [begin = begin] {  // clang 15 and older capture no structured binding
            const nb::gil_scoped_acquire gil;
            begin();
        };
    rows.sample_row = [sample_row = sample_row](std::int64_t state, std::int32_t a, RequestedRow& row) {
        const nb::gil_scoped_acquire gil;
        const auto [states, cumulative, rewards] =
            nb::cast<std::tuple<IntegerInput, Input, Input>>(sample_row(state, a));
        copy(states, row.states);
        copy(cumulative, row.cumulative);
        copy(rewards, row.rewards);
    };
    return rows;
}

Hooks hooks_from(std::uintptr_t begin, std::uintptr_t step, std::uintptr_t policy, std::uintptr_t belief,
                 const nb::bytes& scratch, const nb::object& failed) {
    const auto* bytes = reinterpret_cast<const std::byte*>(scratch.c_str());
    const auto on_failure = [failed, size = scratch.size()](const HookFailure& f) {
        const nb::gil_scoped_acquire gil;
        failed(f.hook, f.status, f.state, f.action, f.next_state, f.reward,
               std::vector<std::uint64_t>(f.rng, f.rng + 4), nb::bytes(reinterpret_cast<const char*>(f.scratch), size));
        throw std::runtime_error(std::string("the hook ") + f.hook + " failed");
    };
    return {reinterpret_cast<BeginHook*>(begin),
            reinterpret_cast<StepHook*>(step),
            reinterpret_cast<PolicyHook*>(policy),
            reinterpret_cast<const void*>(belief),
            {bytes, bytes + scratch.size()},
            on_failure};
}

}  // namespace

void bind_user(nb::module_& module) {
    nb::class_<VisitedStates> visited(module, "VisitedStates",
                                      "Set of visited states, for beliefs that are kept in Python.");
    bind_state(visited);
    visited.def(nb::init<std::int64_t, std::int32_t>(), "num_states"_a, "num_actions"_a)
        .def(
            "observe",
            [](VisitedStates& self, std::int64_t state, std::int64_t next_state, const nb::object& first) {
                const ExclusiveLock use(self);
                first();
                self.visit(state, next_state);
            },
            "state"_a, "next_state"_a, "first"_a,
            "Update with one transition after calling `first`, which updates the rest of the belief; if that raises, "
            "nothing changes.");

    nb::class_<BatchSource>(module, "BatchSource", "Source of batches of transition tables for the trees of a search.")
        .def(
            "__init__",
            [](BatchSource* self, const nb::object& make) {
                new (self) BatchSource{[make] { return batch_from(make()); }};
            },
            "make"_a, "`make` is called once for each tree and returns its `draw()`.");
    nb::class_<RowSource>(module, "RowSource", "Source of single rows for the trees of a search.")
        .def(
            "__init__",
            [](RowSource* self, const nb::object& make) { new (self) RowSource{[make] { return rows_from(make()); }}; },
            "make"_a, "`make` is called once for each tree and returns its (begin or None, sample_row).");
    nb::class_<Hooks>(module, "Hooks", "A model defined by the addresses of C functions; see core/models/user.hpp.")
        .def(
            "__init__",
            [](Hooks* self, std::uintptr_t begin, std::uintptr_t step, std::uintptr_t policy, std::uintptr_t belief,
               const nb::bytes& scratch, const nb::object& failed) {
                new (self) Hooks(hooks_from(begin, step, policy, belief, scratch, failed));
            },
            "begin"_a, "step"_a, "policy"_a, "belief"_a, "scratch"_a, "failed"_a);
    bind_search<VisitedStates, BatchSource>(module, "source");
    bind_search<VisitedStates, RowSource>(module, "source");
    bind_search<VisitedStates, Hooks>(module, "hooks");
    module.def(
        "gamma_address", [] { return reinterpret_cast<std::uintptr_t>(&bamdp_gamma); },
        "The address of `double gamma(uint64_t rng[4], double shape)`, for hooks.");
    module.def(
        "normal_address", [] { return reinterpret_cast<std::uintptr_t>(&bamdp_normal); },
        "The address of `double normal(uint64_t rng[4])`, standard normal, for hooks.");
    module.def(
        "poisson_address", [] { return reinterpret_cast<std::uintptr_t>(&bamdp_poisson); },
        "The address of `int64_t poisson(uint64_t rng[4], double mean)`, for hooks.");
}

}  // namespace bamdp

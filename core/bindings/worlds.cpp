// Python bindings of the belief over listed worlds, and of that over a shared slip probability. Arguments are checked
// in Python (priors/finite.py, priors/parametric.py, priors/shared_slip.py).
#include "models/worlds.hpp"

#include "bindings/search.hpp"
#include "bindings/worlds.hpp"
#include "models/shared_slip.hpp"

namespace bamdp {
namespace {

// A row in Python: a list of (number, base, end, probability, reward).
std::vector<RequestedOutcome> row_from(const nb::handle& list) {
    std::vector<RequestedOutcome> row;
    for (const nb::handle outcome : list) {
        const auto [number, base, end, p, reward] =
            nb::cast<std::tuple<std::int64_t, std::int64_t, bool, double, double>>(outcome);
        row.push_back({number, base, end, p, reward});
    }
    return row;
}

// The row of one world, a list of such rows by world, or None if they were added already.
void add_answer(WorldRows& rows, std::size_t m, std::int64_t state, std::int32_t a, const nb::object& answer) {
    if (answer.is_none()) return;
    const auto list = nb::cast<nb::list>(answer);
    if (list.size() == 0 || !nb::isinstance<nb::list>(list[0])) return rows.add(m, state, a, row_from(list));
    for (std::size_t world = 0; world < list.size(); ++world) rows.add(world, state, a, row_from(list[world]));
}

// Tables of some states and actions, from `state` and `action` on: transitions [M, k, l, S], rewards [M or 1, k, l] or
// [M or 1, k, l, S], and where an episode ends after a step, 0 or 1 [M or 1, S]. With `conditional`, no action can be
// taken there.
void add_tables(PythonRows& rows, const Input& transitions, const Input& rewards, const Input& terminal,
                bool conditional, std::int64_t state, std::int32_t action) {
    const std::size_t M = transitions.shape(0), k = transitions.shape(1), l = transitions.shape(2),
                      S = transitions.shape(3);
    const bool by_next = rewards.ndim() == 4;
    std::vector<RequestedOutcome> row;
    for (std::size_t m = 0; m < M; ++m) {
        const double* paid = rewards.data() + (rewards.shape(0) == M ? m : 0) * k * l * (by_next ? S : 1);
        const double* over = terminal.data() + (terminal.shape(0) == M ? m : 0) * S;
        for (std::size_t i = 0; i < k * l; ++i) {
            const auto from = state + static_cast<std::int64_t>(i / l);
            const double* p = transitions.data() + (m * k * l + i) * S;
            row.clear();
            for (std::size_t s = 0; s < S; ++s) {
                const auto next = static_cast<std::int64_t>(s);
                if (p[s] > 0 && !(conditional && over[from] != 0))
                    row.push_back({next, next, over[s] != 0, p[s], paid[by_next ? i * S + s : i]});
            }
            rows.add(m, from, action + static_cast<std::int32_t>(i % l), row);
        }
    }
}

// So that Python's collector sees what the user's function refers to, perhaps the prior that has these rows.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
        Py_VISIT(nb::inst_ptr<PythonRows>(self)->request.ptr());
        Py_VISIT(nb::inst_ptr<PythonRows>(self)->python_actions_in.ptr());
    }
    return 0;
}
int clear(PyObject* self) {
    nb::inst_ptr<PythonRows>(self)->request.reset();
    nb::inst_ptr<PythonRows>(self)->python_actions_in.reset();
    return 0;
}
PyType_Slot collected[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                           {0, nullptr}};

using PythonOutcome = std::tuple<std::int64_t, std::int64_t, bool, double, double>;

std::vector<PythonOutcome> row_of(PythonRows& rows, std::size_t m, std::int64_t state, std::int32_t a) {
    const auto reading = rows.reading();
    std::vector<PythonOutcome> row;
    for (const WorldOutcome& o : rows.row(m, rows.base(state), a).outcomes)
        row.emplace_back(o.number, rows.number(o.base), o.end, o.p, o.reward);
    return row;
}

std::vector<PythonOutcome> mean_row(const WorldsBelief& belief, std::int64_t state, std::int32_t a) {
    const SharedLock use(belief);
    std::vector<PythonOutcome> row;
    for (const RequestedOutcome& o : belief.mean_row(state, a)) {
        row.emplace_back(o.number, o.base, o.end, o.p, o.reward);
    }
    return row;
}

auto predictive(const WorldsBelief& belief, std::int64_t state, std::int32_t a) {
    const SharedLock use(belief);
    std::vector<std::int64_t> numbers;
    std::vector<double> probabilities;
    for (const auto& [number, p] : belief.predictive(state, a)) {
        numbers.push_back(number);
        probabilities.push_back(p);
    }
    return std::make_pair(to_numpy(std::move(numbers)), to_numpy(std::move(probabilities)));
}

void bind_shared_slip(nb::module_& module) {
    nb::class_<SharedSlipBelief> slip(module, "SharedSlipBelief");
    bind_state(slip);
    slip.def(
            "__init__",
            [](SharedSlipBelief* self, const IntegerInput& intended, const IntegerInput& slipped,
               const Input& cumulative, double slips, double holds) {
                new (self) SharedSlipBelief(to_vector(intended), to_vector(slipped), to_vector(cumulative), slips,
                                            holds, static_cast<std::int64_t>(intended.shape(0)),
                                            static_cast<std::int32_t>(intended.shape(1)));
            },
            "intended"_a, "slipped"_a, "cumulative"_a, "slips"_a, "holds"_a)
        .def_ro("slips", &SharedSlipBelief::slips)
        .def_ro("holds", &SharedSlipBelief::holds)
        .def("observe", alone(&SharedSlipBelief::observe), "state"_a, "action"_a, "next_state"_a,
             "Update with one transition.");
    bind_search<SharedSlipBelief>(module);
}

}  // namespace

PythonRows::PythonRows(std::size_t worlds, std::int32_t actions, nb::object python_request, std::size_t most_bytes)
    : WorldRows(worlds, actions,
                python_request.is_none() ? Request() : Request([this](auto&, auto m, auto state, auto a) {
                    const nb::gil_scoped_acquire gil;
                    add_answer(*this, m, state, a, request(m, state, a));
                }),
                most_bytes),
      request(std::move(python_request)) {}

void bind_worlds(nb::module_& module) {
    nb::class_<PythonRows>(module, "WorldRows", nb::type_slots(collected),
                           "What may happen in each of some worlds; see core/beliefs/world_rows.hpp.")
        .def(nb::init<std::size_t, std::int32_t, nb::object, std::size_t>(), "num_worlds"_a, "num_actions"_a,
             "request"_a.none() = nb::none(), "most_bytes"_a = std::size_t{1} << 30,
             "`request(world, state, action)` returns the row of a world, a list of (number, base, end, probability, "
             "reward), or a list of such lists by world; or it adds them itself, and returns None.")
        .def("add_tables", &add_tables, "transitions"_a, "rewards"_a, "terminal"_a, "conditional"_a, "state"_a = 0,
             "action"_a = 0,
             "Add tables: transitions [M, k, l, S] of k states and l actions, from `state` and `action` on, rewards "
             "[M or 1, k, l] or [M or 1, k, l, S], terminal states, 0 or 1 [M or 1, S]; with `conditional`, no action "
             "can be taken there.")
        .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a, "Itself.")
        .def("row", &row_of, "world"_a, "state"_a, "action"_a,
             "The row of a world, a list of (number, base, end, probability, reward).")
        .def(
            "set_actions_in",
            [](PythonRows& self, const nb::object& actions_in) {
                self.python_actions_in = actions_in;
                self.set_actions_in([&self](std::int64_t state) {
                    const nb::gil_scoped_acquire gil;
                    return nb::cast<std::vector<std::int32_t>>(self.python_actions_in(state));
                });
            },
            "actions_in"_a,
            "`actions_in(state)` returns the actions that are considered there, in ascending order; before the first "
            "search.")
        .def(
            "actions",
            [](PythonRows& self, std::int64_t state) {
                const std::span<const std::int32_t> actions = self.actions(self.base(state));
                return std::vector<std::int32_t>(actions.begin(), actions.end());
            },
            "state"_a, "The actions that are considered in a state.")
        .def("forget", &PythonRows::forget, "world"_a, "Request the rows of a world again when they are needed.")
        .def_prop_ro("num_states", &PythonRows::num_states, "Number of states that were met.")
        .def_prop_ro("bytes", &PythonRows::bytes)
        .def_prop_ro("requests", &PythonRows::requests, "Number of calls of `request`.");

    nb::class_<SimulatedBelief>(module, "SimulatedBelief", "A belief that a policy sees.")
        .def_prop_ro(
            "weights", [](SimulatedBelief& b) { return to_numpy(std::vector<double>(b.weights())); },
            nb::rv_policy::move);
    nb::class_<WorldsBelief> bound(module, "WorldsBelief");
    bind_state(bound);
    bound
        .def(
            "__init__",
            [](WorldsBelief* self, const std::shared_ptr<PythonRows>& rows, const Input& weights,
               std::int64_t num_states, bool pays, bool ends) {
                new (self) WorldsBelief(rows, to_vector(weights), num_states, pays, ends);
            },
            "rows"_a, "weights"_a, "num_states"_a, "pays"_a, "ends"_a,
            "Weights [M] sum to one. `pays`: worlds have rewards of their own; `ends`: and ends of their own.")
        .def_prop_ro("weights", reading(&WorldsBelief::weights), nb::rv_policy::move)
        .def("set_weights", alone(&WorldsBelief::set_weights), "weights"_a,
             "Replace the posterior weights [M], which sum to one, after worlds were replaced.")
        .def_prop_ro("has_policy", [](const WorldsBelief& b) { return static_cast<bool>(b.policy()); })
        .def(
            "set_policy",
            [](WorldsBelief& b, const nb::object& policy) {
                b.set_policy([policy](const std::shared_ptr<SimulatedBelief>& seen, std::int64_t state,
                                      std::uint64_t bits) {
                    const nb::gil_scoped_acquire gil;
                    return nb::cast<std::int32_t>(policy(seen, state, bits));
                });
            },
            "policy"_a, "`policy(simulated, state, bits)` returns an action; for roll-outs, and as a base policy.")
        .def_prop_ro("has_value", [](const WorldsBelief& b) { return static_cast<bool>(b.value()); })
        .def(
            "set_value",
            [](WorldsBelief& b, const nb::object& value) {
                b.set_value([value](std::size_t world, std::int64_t state) {
                    const nb::gil_scoped_acquire gil;
                    return nb::cast<double>(value(world, state));
                });
            },
            "value"_a, "`value(world, state)`: what a world is worth to one who knows it; for leaves.")
        .def("observe", alone(&WorldsBelief::observe), "state"_a, "action"_a, "next_state"_a,
             "reward"_a = WorldsBelief::UNSEEN, "ended"_a = -1,
             "Update with one step; the reward may be NaN, `ended` -1: not observed. False, and nothing changes, if it "
             "is impossible.")
        .def(
            "observe_many", alone(&WorldsBelief::observe_many), "states"_a, "actions"_a, "rewards"_a, "next_states"_a,
            "ended"_a,
            "Update with many steps. The index of the first impossible one, and then nothing changes, or their number.")
        .def("possible", reading(&WorldsBelief::possible), "state"_a, "action"_a, "next_state"_a,
             "reward"_a = WorldsBelief::UNSEEN, "Whether some world allows the transition, and pays the reward.")
        .def("mean_row", &mean_row, "state"_a, "action"_a,
             "The average of the rows by their weights, a list of (number, base, end, probability, reward).")
        .def("predictive", &predictive, "state"_a, "action"_a,
             "What may be observed next, by number, and its probability: two arrays.")
        .def(
            "draw",
            [](const WorldsBelief& b, const Seed& seed) {
                const SharedLock use(b);
                Random rng(seed);
                return b.draw(rng);
            },
            "seed"_a, "Index of a world drawn from the posterior.");
    bind_search<WorldsBelief>(module);
    bind_shared_slip(module);
}

}  // namespace bamdp

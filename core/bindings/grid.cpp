// Python bindings of the infinite grid. Arguments are checked in Python (priors/grid_rewards.py).
#include "bindings/search.hpp"
#include "models/grid_bound.hpp"
#include "models/grid_rewards.hpp"

namespace bamdp {
namespace {

using Pair = std::pair<double, double>;

std::vector<std::int64_t> coordinates(const Lines& lines) {
    std::vector<std::int64_t> result;
    for (Index h = 0; h < lines.size(); ++h) result.push_back(lines.coordinate(h));
    return result;
}

// Samples of all parameters from a separate chain, with `thin` updates before each.
auto sample_parameters(const GridBelief& belief, std::size_t samples, std::int32_t thin, std::int32_t burn_in,
                       const Seed& seed) {
    const SharedLock use(belief);
    Random rng(seed);
    GridChain chain(belief.prior);
    for (std::size_t i = 0; i < belief.num_cells(); ++i) chain.add(belief.place(i), belief.reward(i), rng);
    const auto C = static_cast<std::size_t>(chain.columns.size()), R = static_cast<std::size_t>(chain.rows.size());
    std::vector<double> columns, rows;
    columns.reserve(samples * C);
    rows.reserve(samples * R);
    std::int64_t accepted = 0;
    if (chain.size() > 0) {
        responsive(nb::none(), [&](Pause pause) {
            chain.update(burn_in, rng);
            for (std::size_t i = 0; i < samples; ++i, pause()) {
                accepted += chain.update(thin, rng);
                columns.insert(columns.end(), chain.columns.values().begin(), chain.columns.values().end());
                rows.insert(rows.end(), chain.rows.values().begin(), chain.rows.values().end());
            }
        });
    }
    return std::make_tuple(to_numpy(coordinates(chain.columns)), to_numpy(coordinates(chain.rows)),
                           to_numpy(std::move(columns), {samples, C}), to_numpy(std::move(rows), {samples, R}),
                           accepted);
}

// What an agent that is told all parameters can earn from `state` on, at most, in worlds of a separate chain; with
// `steps` left, or without an end.
auto perfect_information_values(const GridBelief& belief, std::int64_t state, double discount, std::int64_t steps,
                                std::size_t worlds, const Seed& seed) {
    const SharedLock use(belief);
    Random rng(seed);
    GridChain chain(belief.prior);
    for (std::size_t i = 0; i < belief.num_cells(); ++i) chain.add(belief.place(i), belief.reward(i), rng);
    if (!belief.seen(state)) chain.add(Place::of(state), Place::content(state), rng);
    GridBound bound(belief, state, discount, steps);
    std::vector<double> values;
    responsive(nb::none(), [&](Pause pause) {
        const auto sweeps = static_cast<std::int32_t>(10 * chain.size());  // so that draws are all but independent
        chain.update(10 * sweeps, rng);
        for (std::size_t i = 0; i < worlds; ++i, pause()) {
            chain.update(sweeps, rng);
            values.push_back(bound.value(chain, rng));
        }
    });
    return to_numpy(std::move(values));
}

auto cells(const GridBelief& belief) {
    const SharedLock use(belief);
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> rewards;
    for (std::size_t i = 0; i < belief.num_cells(); ++i) {
        places.push_back(belief.place(i).x);
        places.push_back(belief.place(i).y);
        rewards.push_back(belief.reward(i) ? 1 : 0);
    }
    return std::make_pair(to_numpy(std::move(places), {belief.num_cells(), 2}), to_numpy(std::move(rewards)));
}

}  // namespace

void bind_grid(nb::module_& module) {
    nb::class_<GridBelief> bound(module, "GridBelief");
    bind_state(bound);
    bound
        .def(
            "__init__",
            [](GridBelief* self, const Pair& columns, const Pair& rows, bool gibbs, const Pair& factors, double cap,
               std::int32_t updates_per_simulation, std::int32_t updates_per_search) {
                new (self) GridBelief(GridPrior{{columns.first, columns.second},
                                                {rows.first, rows.second},
                                                gibbs,
                                                factors.first,
                                                factors.second,
                                                cap,
                                                updates_per_simulation,
                                                updates_per_search});
            },
            "columns"_a, "rows"_a, "gibbs"_a, "factors"_a, "cap"_a, "updates_per_simulation"_a, "updates_per_search"_a)
        .def_prop_ro("updates", [](const GridBelief& b) { return b.updates.load(); })
        .def_prop_ro("accepted", [](const GridBelief& b) { return b.accepted.load(); })
        .def("consistent", reading(&GridBelief::consistent), "state"_a,
             "Whether the content of the cell agrees with the observations.")
        .def("observe", alone(&GridBelief::observe), "state"_a, "next_state"_a, "Update with one transition.")
        .def("cells", &cells, "Observed cells [n, 2], and whether each held a reward [n].")
        .def(
            "sample_parameters", &sample_parameters, "samples"_a, "thin"_a, "burn_in"_a, "seed"_a,
            "(column coordinates, row coordinates, columns [n, C], rows [n, R], accepted updates) of a separate chain.")
        .def("perfect_information_values", &perfect_information_values, "state"_a, "discount"_a, "steps"_a, "worlds"_a,
             "seed"_a,
             "The most that an agent can earn that is told all parameters, in each of some worlds of a separate chain. "
             "[worlds]");
    bind_search<GridBelief>(module);
}

}  // namespace bamdp

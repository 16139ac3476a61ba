// A short episode of every kind of search, by the core's headers alone, to be run under sanitizers and valgrind (make sanitize,
// make valgrind). Four trees on four threads, beside the same on one thread: the results must be the same.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/grid_rewards.hpp"
#include "models/user.hpp"
#include "models/rows.hpp"
#include "models/unknown_rewards.hpp"
#include "models/worlds.hpp"
#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"
#include "search/bfs3.hpp"
#include "search/factory.hpp"
#include "solve/solver.hpp"

using namespace bamdp;

namespace {

constexpr std::int64_t S = 9;
constexpr std::int32_t A = 2;
constexpr std::size_t TREES = 4;

std::int64_t steps = 12, simulations = 400;

void require(bool what, const char* name) {
    if (what) return;
    std::fprintf(stderr, "failed: %s\n", name);
    std::exit(1);
}

std::vector<Seed> seeds() {
    std::vector<Seed> result;
    for (std::uint64_t i = 0; i <= TREES; ++i) result.push_back({mix(4 * i + 1), mix(4 * i + 2), mix(4 * i + 3), mix(4 * i + 4)});
    return result;
}

std::vector<double> table(std::size_t size) {
    Random rng({1, 2, 3, 4});
    std::vector<double> values(size);
    for (double& value : values) value = rng.uniform();
    return values;
}

std::shared_ptr<const Rewards> rewards() { return std::make_shared<const Rewards>(table(S * A), S, A); }

// Actions as decided; `tell` draws the next state and tells the belief.
template <class B, class Tell, class... More>
std::vector<std::int64_t> episode(const std::shared_ptr<B>& belief, const std::shared_ptr<const Rewards>& rewards, const Settings& settings,
                                  std::size_t threads, const Tell& tell, const std::shared_ptr<const More>&... more) {
    const auto search = make_search(std::shared_ptr<const B>(belief), rewards, settings, seeds(), more...);
    Random world({5, 6, 7, 8});
    std::vector<std::int64_t> history;
    std::int64_t state = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        if (settings.rollouts == "posterior-mean")
            search->set_values({[](std::int64_t s, double* q) { std::fill_n(q, A, static_cast<double>(s)); }, S, 0, {}});
        const auto found = search->search(search->query(state, {0}, false), {simulations, Clock::time_point::max()}, {0, TREES}, threads, Pause([] {}));
        const RootStatistics root = search->decide(found);
        require(root.simulations == simulations, "all simulations are done");
        const std::int64_t next_state = tell(*belief, state, root.action, world);
        search->observe(state, root.action, 0.5, next_state);
        history.insert(history.end(), {root.action, root.visits[0], next_state});
        state = next_state;
    }
    return history;
}

template <class Make, class Tell, class... More>
void both(const char* name, const Settings& given, const std::shared_ptr<const Rewards>& rewards, const Make& make, const Tell& tell,
          const std::shared_ptr<const More>&... more) {
    std::printf("%s\n", name);
    std::fflush(stdout);
    for (const bool reuse : {false, true}) {  // with kept trees, a lattice and a bound that is reached, or with none of them
        Settings settings = given;
        settings.depth = 30;
        settings.reuse_tree = settings.lattice = reuse;
        if (reuse) settings.memory = 4096;
        std::vector<std::int64_t> histories[2];
        for (const std::size_t threads : {1U, 4U}) histories[threads == 4] = episode(make(), rewards, settings, threads, tell, more...);
        require(histories[0] == histories[1], name);
    }
}

Settings by(Sampling sampling, const char* rollouts = "") {
    Settings settings;
    settings.sampling = sampling;
    settings.rollouts = rollouts;
    return settings;
}

// Any successor.
constexpr auto anywhere = [](auto& belief, std::int64_t s, std::int32_t a, Random& world) {
    const std::int64_t next = world.below(belief.num_states);
    belief.observe(s, a, next);
    return next;
};

template <class Make>
void conjugate(const std::string& name, const Make& make) {
    both((name + ", collapsed").c_str(), by(Sampling::collapsed), rewards(), make, anywhere);
    both((name + ", lazy").c_str(), by(Sampling::lazy), rewards(), make, anywhere);
    both((name + ", full").c_str(), by(Sampling::full), rewards(), make, anywhere);
    both((name + ", resampled").c_str(), by(Sampling::resampled), rewards(), make, anywhere);
    both((name + ", posterior mean").c_str(), by(Sampling::collapsed, "posterior-mean"), rewards(), make, anywhere);
    const auto seen = std::make_shared<const RewardCounts>(std::vector<double>{0, 1}, std::vector<double>{1, 1}, false, A);
    both((name + ", unknown rewards, collapsed").c_str(), by(Sampling::collapsed), rewards(), make, anywhere, seen);
    both((name + ", unknown rewards, lazy").c_str(), by(Sampling::lazy), rewards(), make, anywhere, seen);
}

void built_in() {
    conjugate("Dirichlet", [] { return std::make_shared<Belief<Dirichlet>>(Dirichlet(S, 1.0), S, A, false); });
    conjugate("sparse Dirichlet", [] { return std::make_shared<Belief<SparseDirichlet>>(SparseDirichlet(S, 0.5, 2.0), S, A, false); });
    both("tied rows", by(Sampling::collapsed), rewards(), [] { return std::make_shared<Belief<Dirichlet>>(Dirichlet(S, 1.0), S, A, true); }, anywhere);
    const auto outcomes = std::make_shared<const Rewards>(std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1}, 2, A);
    for (const char* formula : {"best-arm", "hindsight"})
        both(formula, by(Sampling::collapsed, formula), outcomes, [] { return std::make_shared<Belief<Dirichlet>>(Dirichlet(2, 1.0), 2, A, true); }, anywhere);
}

void others() {
    // Rows are requested by four threads, and all of them may go between searches.
    for (const std::size_t most_bytes : {std::size_t{0}, std::size_t{1} << 30})
        both("worlds", by(Sampling::collapsed), rewards(), [most_bytes] {
            const auto request = [](WorldRows& rows, std::size_t m, std::int64_t state, std::int32_t a) {
                std::vector<RequestedOutcome> row;
                for (std::int64_t s = 0; s < S; ++s) row.push_back({s, s, false, static_cast<double>((state + a + s * static_cast<std::int64_t>(m)) % 4 + 1), 0});
                double sum = 0;
                for (const RequestedOutcome& o : row) sum += o.p;
                for (RequestedOutcome& o : row) o.p /= sum;
                rows.add(m, state, a, row);
            };
            return std::make_shared<WorldsBelief>(std::make_shared<WorldRows>(2, A, request, most_bytes), std::vector<double>{0.5, 0.5}, S, false, false);
        }, anywhere);
    for (const bool gibbs : {true, false})
        for (const char* rollouts : {"straight", "learned"})
            both(gibbs ? "infinite grid, Gibbs" : "infinite grid, Metropolis–Hastings", by(Sampling::lazy, rollouts), rewards(), [gibbs] {
                return std::make_shared<GridBelief>(GridPrior{{1, 2}, {2, 1}, gibbs, 0.5, 0.5, 1e4, 3, 50});
            }, [](GridBelief& belief, std::int64_t s, std::int32_t, Random&) {
                belief.observe(s, s);
                return s;
            });
}

void bfs3() {
    std::printf("BFS3\n");
    for (const bool shared : {false, true}) {
        const auto belief = std::make_shared<Belief<SparseDirichlet>>(SparseDirichlet(S, 0.5, 2.0), S, A, false);
        Bfs3Settings settings;
        settings.shared = shared;
        settings.closed = true;
        settings.branching = 3;
        settings.depth = 6;
        settings.memory = shared ? 20000 : std::size_t{1} << 30;
        Bfs3<Collapsed<SparseDirichlet>> search(Collapsed<SparseDirichlet>(belief, rewards()), A, settings, Random({1, 2, 3, 4}));
        Random world({5, 6, 7, 8});
        std::int64_t state = 0;
        for (std::int64_t t = 0; t < steps; ++t) {
            const Bfs3Plan plan = search.plan(state, [] {});
            require(plan.bounds.size() == A && plan.trajectories > 0, "BFS3 plans");
            const std::int64_t next = world.below(S);
            belief->observe(state, plan.action, next);
            state = next;
        }
    }
}

// Nodes and edges have a number, whatever memory is allowed, and visits are counted without overflow.
void numbers() {
    constexpr std::size_t plenty = std::numeric_limits<std::size_t>::max();
    static_assert(Tree::nodes_within(plenty, 1) == 0x7fffffff);
    static_assert(Tree::nodes_within(plenty, 4) * 4 <= NO_PARENT);
    static_assert(Tree::nodes_within(plenty, 1000) * 1000 <= NO_PARENT);
    static_assert(Tree::nodes_within(std::size_t{1} << 30, 4) == 8259552);
    static_assert(Tree::nodes_within(0, 4) == 1);

    const auto belief = std::make_shared<Belief<Dirichlet>>(Dirichlet(S, 1.0), S, A, false);
    Settings settings;
    settings.reuse_tree = true;
    const auto search = make_search(std::shared_ptr<const Belief<Dirichlet>>(belief), rewards(), settings, seeds());
    const auto ask = [&] { return search->search(search->query(0, {0}, false), {simulations, Clock::time_point::max()}, {0, TREES}, 1, Pause([] {})); };
    ask();
    for (const auto& tree : search->trees()) const_cast<Tree&>(*tree).state(ROOT).visits = std::numeric_limits<std::int32_t>::max() - 6;
    for (const RootStatistics& root : ask()) require(root.simulations == 5, "visits are counted as far as they can be");
}

}  // namespace

// episodes [steps] [simulations]
int main(int count, char** words) {
    if (count > 1) steps = std::atoll(words[1]);
    if (count > 2) simulations = std::atoll(words[2]);
    numbers();
    built_in();
    others();
    bfs3();
    std::printf("done\n");
}

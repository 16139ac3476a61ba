// The limit: BAMCP on the Double-loop with every size a compile-time constant and nothing general. What a general engine takes
// beyond this program's time per simulation is its overhead.
//
//   c++ -O3 -std=c++20 limit.cpp -o limit && ./limit SIMULATIONS STEPS SEED      prints microseconds per simulation, total reward
//
// A measure of speed alone: roll-outs break ties towards the first action.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int num_states = 9, num_actions = 2, horizon = 89, pairs = num_states * num_actions;
constexpr double discount = 0.95, exploration = 3, epsilon = 0.5, learning_rate = 0.2, alpha = 1.0 / num_states;

struct Generator {
    std::uint64_t a, b, c, d;
    static std::uint64_t turn(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
    double operator()() {
        const std::uint64_t sum = turn(a + d, 23) + a, shifted = b << 17;
        c ^= a; d ^= b; b ^= c; a ^= d; c ^= shifted; d = turn(d, 45);
        return static_cast<double>(sum >> 11) * 0x1p-53;
    }
};

struct World {
    std::array<int, pairs> next{};
    std::array<double, pairs> reward{};
    World() {
        for (int s = 0; s < num_states; ++s)
            for (int a = 0; a < num_actions; ++a) {
                const bool last = s == 4 || s == 8;
                next[s * 2 + a] = s == 0 ? 1 + 4 * a : last || (s > 4 && a == 0) ? 0 : s + 1;
                reward[s * 2 + a] = s == 4 ? 1 : s == 8 ? 2 : 0;
            }
    }
};

// Past draws of a pair; a draw repeats one of them or, with weight one, is uniform over the states.
struct Urn {
    std::int32_t size = 0;
    std::int32_t* draws = nullptr;
};

struct Tree {
    std::vector<std::int64_t> visits, edge_visits, child, sibling, state;
    std::vector<double> value;
    std::int64_t size = 0;
    explicit Tree(int n) : visits(n), edge_visits(2 * n), child(2 * n), sibling(n), state(n), value(2 * n) {}
    std::int64_t add(std::int64_t s, std::int64_t next_sibling) {
        visits[size] = 0; state[size] = s; sibling[size] = next_sibling;
        for (int a = 0; a < 2; ++a) { edge_visits[2 * size + a] = 0; child[2 * size + a] = -1; value[2 * size + a] = 0; }
        return size++;
    }
};

}  // namespace

int main(int, char** argv) {
    const int K = std::atoi(argv[1]), steps = std::atoi(argv[2]);
    const auto seed = static_cast<std::uint64_t>(std::atoi(argv[3]));
    const World world;
    Generator uniform{seed + 1, 3 * seed + 7, 20121206, 42};
    const int room = steps + horizon + 1;
    std::vector<std::int32_t> pool(static_cast<std::size_t>(pairs * room));
    std::array<Urn, pairs> urns;
    for (int i = 0; i < pairs; ++i) urns[i].draws = &pool[i * room];
    std::array<std::uint8_t, horizon> touched{};
    int touches = 0;
    Tree tree(K + 2);
    std::vector<double> logarithm(K + 2);
    for (int n = 0; n < K + 2; ++n) logarithm[n] = std::log(n + 1.0);
    std::array<double, pairs> q{};
    std::array<std::int64_t, num_states> greedy{};
    std::array<std::int64_t, horizon> path{};
    std::array<double, horizon> earned{};
    const auto draw = [&](std::int64_t pair) -> std::int64_t {
        Urn& urn = urns[pair];
        const double u = uniform() * (urn.size + num_states * alpha);
        const auto k = static_cast<std::int32_t>(u);
        std::int64_t s;
        if (k < urn.size) s = urn.draws[k];
        else s = std::min<std::int64_t>(num_states - 1, static_cast<std::int64_t>((u - urn.size) / alpha));
        touched[touches++] = static_cast<std::uint8_t>(pair);
        urn.draws[urn.size++] = static_cast<std::int32_t>(s);
        return s;
    };
    const auto rollout_action = [&](std::int64_t s) {
        const double u = uniform();
        const auto any = static_cast<std::int64_t>(u * (num_actions / epsilon)), best = greedy[s];
        return u < epsilon ? any : best;
    };

    const std::clock_t start = std::clock();
    std::int64_t state = 0;
    double total = 0;
    for (int t = 0; t < steps; ++t) {
        tree.size = 0;
        tree.add(state, -1);
        for (int k = 0; k < K; ++k) {
            std::int64_t node = 0, s = state;
            int d = 0;
            double R = 0;
            for (bool leaf = false; !leaf && d < horizon;) {
                leaf = tree.visits[node] == 0;
                std::int64_t a = 0;
                if (leaf) {
                    a = rollout_action(s);
                } else {
                    std::array<double, 2> score{};
                    for (int b = 0; b < 2; ++b) {
                        const auto n = tree.edge_visits[2 * node + b];
                        score[b] = n == 0 ? 1e200 + uniform()
                                          : tree.value[2 * node + b] + exploration * std::sqrt(logarithm[tree.visits[node]] / n);
                    }
                    a = score[1] > score[0];
                }
                path[d] = 2 * node + a;
                earned[d++] = world.reward[2 * s + a];
                s = draw(2 * s + a);
                if (leaf) break;
                std::int64_t child = tree.child[2 * node + a];
                while (child >= 0 && tree.state[child] != s) child = tree.sibling[child];
                if (child < 0 && d < horizon) child = tree.child[2 * node + a] = tree.add(s, tree.child[2 * node + a]);
                node = child;
            }
            double weight = 1;
            for (int i = d; i < horizon; ++i) {
                const auto a = rollout_action(s);
                R += weight * world.reward[2 * s + a];
                weight *= discount;
                s = draw(2 * s + a);
            }
            while (touches > 0) --urns[touched[--touches]].size;
            while (d-- > 0) {
                R = earned[d] + discount * R;
                ++tree.visits[path[d] / 2];
                tree.value[path[d]] += (R - tree.value[path[d]]) / static_cast<double>(++tree.edge_visits[path[d]]);
            }
        }
        const std::int64_t a = tree.value[1] > tree.value[0], pair = 2 * state + a, next = world.next[pair];
        total += world.reward[pair];
        urns[pair].draws[urns[pair].size++] = static_cast<std::int32_t>(next);
        q[pair] += learning_rate * (world.reward[pair] + discount * std::max(q[2 * next], q[2 * next + 1]) - q[pair]);
        greedy[state] = q[2 * state + 1] > q[2 * state];
        state = next;
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%.4f %.0f\n", seconds / steps / K * 1e6, total);
}

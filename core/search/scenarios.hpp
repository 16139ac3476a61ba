// Playing policies in common scenarios. A scenario fixes the sampled world and the outcome of the k-th visit to every state and action,
// so that two policies differ only where they act differently.
#pragma once

#include "search/bamcp.hpp"
#include "search/comparison.hpp"
#include "support/random.hpp"

namespace bamdp {

// The random numbers of a scenario.
class Scenario {
 public:
    explicit Scenario(std::uint64_t seed) : seed_(seed) {}

    std::uint64_t name() const { return mix(seed_) | 1; }
    Random world() const { return random(seed_, 1); }
    Random choices() const { return random(seed_, 2); }
    BAMDP_INLINE Random outcome(std::int64_t state, std::int32_t a, std::uint32_t visit) const {
        return random(mix(seed_ ^ mix(static_cast<std::uint64_t>(state))), (static_cast<std::uint64_t>(visit) << 32 | static_cast<std::uint32_t>(a)) + 3);
    }

 private:
    BAMDP_INLINE static Random random(std::uint64_t seed, std::uint64_t purpose) {
        std::uint64_t x = mix(seed + purpose * GOLDEN);
        const auto next = [&] { return mix(x += GOLDEN); };
        return Random({next(), next(), next(), next()});
    }
    static constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15U;

    std::uint64_t seed_;
};

// How often each state and action was visited in a simulation.
struct Visits {
    std::vector<std::uint32_t> n, counted;  // [states, A] the number, and the simulation that it is of
    std::uint32_t simulation = 0;

    void begin() {
        if (++simulation != 0) return;
        std::fill(counted.begin(), counted.end(), 0U);
        simulation = 1;
    }
    std::uint32_t next(Index s, std::int32_t a, std::int32_t num_actions) {
        const std::size_t at = static_cast<std::size_t>(s) * static_cast<std::size_t>(num_actions) + static_cast<std::size_t>(a);
        if (at >= n.size()) n.resize(2 * at + 16), counted.resize(n.size(), 0U);
        if (std::exchange(counted[at], simulation) != simulation) n[at] = 0;
        return n[at]++;
    }
};

// A model that can fix a world by itself, whatever the order of its steps, and then knows what a step pays on average there.
template <class M>
concept FixesWorlds = requires(M model, std::uint64_t seed) { model.fix(seed); { model.expected_reward() } -> std::same_as<double>; };

// The policies of a tree, one for each action that it begins with, against the base policy: that of a leaf evaluator that learns.
template <class M, class L>
class PolicyComparison {
 public:
    explicit PolicyComparison(Bamcp<M, L>& search) : search_(search) {}

    // About `simulations` of them, as whole scenarios, and never more than `most`; returns how many. The base policy begins with the first
    // action of `base`.
    std::int64_t play(std::int64_t simulations, std::int64_t most, const Base& base, Comparison& compared) {
        if (compared.base.n == 0) compared.candidates = candidates(base, std::max<std::int64_t>(2, most / (2 * Comparison::MIN_SCENARIOS) - 1));
        std::int64_t played = 0;
        while (played < simulations) {
            const std::vector<std::int32_t> survivors = compared.survivors();
            if (played + 1 + static_cast<std::int64_t>(survivors.size()) > most) break;
            const std::int32_t leader = compared.leader(survivors);
            const Scenario scenario(search_.rng_.bits());
            const double to_beat = returned(scenario, base.front(), false);
            const bool same = tree_agrees_;
            compared.base.add(to_beat);
            if (leader == NONE) compared.add_fair(to_beat);
            for (const std::int32_t a : survivors) {
                const double R = same && a == base.front() ? to_beat : returned(scenario, a, true);
                compared.returns[static_cast<std::size_t>(a)].add(R);
                compared.gains[static_cast<std::size_t>(a)].add(R - to_beat);
                compared.bases[static_cast<std::size_t>(a)].add(to_beat);
                if (a == leader) compared.add_fair(R);
            }
            played += 1 + static_cast<std::int64_t>(survivors.size());
        }
        return played;
    }

 private:
    // The return of the policy that begins with action `a` and goes on by the tree, where that has something to say, else by the base
    // policy; or, without `by_tree`, by the base policy alone. Then `tree_agrees_` says whether the other would have acted alike, and it
    // needn't be played: a third of all simulations on Grid10.
    double returned(const Scenario& scenario, std::int32_t a, bool by_tree) {
        auto& [model, settings, query, leaf, tree, memory] = parts_;
        const typename Bamcp<M, L>::Ending ending{model};
        Random world = scenario.world(), choices = scenario.choices();
        if constexpr (FixesWorlds<M>) model.fix(scenario.name());
        std::int64_t state = tree->state(ROOT).key;
        Index s = model.begin(state, world);
        memory.begin();
        visits_.begin();
        Node node = ROOT;
        tree_agrees_ = true;
        const bool listed = !settings.terminal.none();
        double R = 0, weight = 1;
        for (std::int32_t d = 0; d < query.depth; ++d) {
            if (d > 0) {
                a = leaf.action(memory, model, s, a, choices);
                const std::int32_t better = node != NO_NODE ? improved(node, a) : a;
                if (by_tree) a = better;
                else if (better != a) tree_agrees_ = false, node = NO_NODE;
            }
            const Step step = played(scenario, s, state, a);
            R += weight * paid(step);
            const bool over = listed ? is_terminal<true>(model, settings, step) : is_terminal<false>(model, settings, step);
            const Index next = arrived(model, query, step, d + 1);
            leaf.learn(memory, model, s, a, step, next, over, d);
            if (over) break;
            if (node != NO_NODE) node = tree->find(search_.extend(node, a, step.key));
            weight *= settings.discount;
            s = next;
            state = query.left.ends_after(d + 1) ? query.left.start : state_after(model, step);
        }
        return R;
    }

    BAMDP_INLINE Step played(const Scenario& scenario, Index s, std::int64_t state, std::int32_t a) {
        if constexpr (FixesWorlds<M>) {
            Random unused = scenario.world();
            return parts_.model.step(s, a, unused);
        } else {
            Random outcome = scenario.outcome(state, a, visits_.next(s, a, parts_.tree->num_actions()));
            return parts_.model.step(s, a, outcome);
        }
    }

    // Rewards are replaced by their means where those are known: the return has the same expectation and less variance.
    double paid(const Step& step) const {
        if constexpr (FixesWorlds<M>) return parts_.model.expected_reward();
        else return step.reward;
    }

    // At most so many: those of the base policy, then those that are best by the tree.
    std::vector<std::int32_t> candidates(const Base& base, std::int64_t most) const {
        std::vector<std::int32_t> order = base;
        const Tree& tree = *search_.tree_;
        for (std::int32_t a = 0; a < tree.num_actions(); ++a)
            if (std::find(base.begin(), base.end(), a) == base.end()) order.push_back(a);
        const Edge* edges = tree.edges(ROOT);
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(base.size()), order.end(), [&](std::int32_t a, std::int32_t b) { return edges[a].value > edges[b].value; });
        if (static_cast<std::int64_t>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
        return order;
    }

    // The action of a node that is better than the base policy's: by two standard errors, or, where the search has all but given that one
    // up, by its bonus. The worse it is, the fewer visits it has. That of the base policy if there is none.
    std::int32_t improved(Node node, std::int32_t base) const {
        const Edge* edges = search_.tree_->edges(node);
        const Edge& from = edges[base];
        if (from.visits == 0) return base;
        const bool given_up = from.visits < Comparison::MIN_SCENARIOS;
        const double bonus = search_.scale_ * search_.ucb_.of_node(search_.tree_->state(node).visits) * search_.ucb_.of_edge(from.visits);
        double gain = 0;
        for (std::int32_t a = 0; a < search_.tree_->num_actions(); ++a) {
            const Edge& to = edges[a];
            if (a == base || to.visits < Comparison::MIN_SCENARIOS) continue;
            const double variance = to.squares / to.visits / to.visits + from.squares / from.visits / from.visits;
            const double sure = to.value - from.value - (given_up ? bonus : Comparison::ELIMINATION_Z * std::sqrt(variance));
            if (sure > gain) gain = sure, base = a;
        }
        return base;
    }

    struct Parts {
        M& model;
        const Settings& settings;
        const Query& query;
        const L& leaf;
        const std::shared_ptr<Tree>& tree;
        typename L::Memory& memory;
    };

    Bamcp<M, L>& search_;
    Parts parts_{search_.model_, search_.settings_, search_.query_, *search_.leaf_, search_.tree_, search_.memory_};
    Visits visits_;
    bool tree_agrees_ = true;
};

}  // namespace bamdp

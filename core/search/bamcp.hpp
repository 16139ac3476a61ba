// BAMCP, Algorithm 1 of Guez, Silver, Dayan (2012): UCT over future histories, one posterior sample per simulation.
//
//   <s, h>  node: a state and what happened before it      N(<s,h>)    visits of a node
//   a       action                                         N(<s,h>,a)  visits of its edge
//   s' r    next state and reward, from the sampled P      Q(<s,h>,a)  mean return of its edge
//   pi_ro   roll-out policy (leaves/)                      d           depth; at `horizon` gamma^d Rmax is negligible
//
// BA-UCT is the same search on a model that updates the belief at every step (models/resampled.hpp).
// Choices depend on the history alone, never on the sampled model: that is what makes root sampling exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "models/model.hpp"
#include "search/comparison.hpp"
#include "search/leaves/adaptive.hpp"
#include "search/leaves/leaf.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"
#include "search/ucb.hpp"
#include "support/archive.hpp"

namespace bamdp {

// A search of one tree, in any model.
class TreeSearch {
 public:
    virtual ~TreeSearch() = default;
    // With a `base`, the returns of simulations that begin with one of its actions are kept for a bound, where no policies are compared.
    virtual void root(std::int64_t state, std::size_t simulations, const Base& base) = 0;
    virtual void search(std::int64_t simulations) = 0;
    // Play the policies of the tree and the base policy, which begins with the first action of `base`, in common scenarios: about
    // `simulations` of them, as whole scenarios, and never more than `most`. Returns how many. Only with a leaf evaluator whose policy
    // learns, the base policy.
    virtual std::int64_t compare(std::int64_t simulations, std::int64_t most, const Base& base) = 0;
    virtual const Comparison& comparison() const = 0;
    virtual bool compares() const = 0;
    virtual void set_steps_left(std::int32_t horizon, const StepsLeft& left) = 0;
    virtual void set_even_root(bool even) = 0;
    virtual void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) = 0;
    virtual std::shared_ptr<const Tree> tree() const = 0;
    virtual std::int32_t depth_reached() const = 0;
    virtual std::int64_t countable() const = 0;
    virtual void archive(Writer& a) = 0;
    virtual void archive(Reader& a) = 0;
};

struct NoMemory {
    static void begin() {}
};
template <class L>
struct MemoryOf {
    using type = NoMemory;
};
template <Learns L>
struct MemoryOf<L> {
    using type = typename L::Memory;
};

template <Model M, LeafFor<M> L>
class Bamcp final : public TreeSearch {
 public:
    Bamcp(M model, const Settings& settings, std::shared_ptr<const L> leaf, Random rng)
        : model_(std::move(model)), settings_(settings), ucb_(settings.exploration, settings.log_offset),
          leaf_(std::move(leaf)), rng_(rng), tree_(new_tree()) {}

    // A new search from <state, h>: the model takes over the observations since the last one, the tree is cleared or kept in part.
    void root(std::int64_t state, std::size_t simulations, const Base& base) override {
        model_.sync();
        const Node kept = settings_.reuse_tree ? kept_root(state) : NO_NODE;
        if (kept == NO_NODE) {
            if (tree_.use_count() > 1) tree_ = new_tree();  // a plan still shows the old one
            tree_->clear(state);
        } else {
            if (tree_.use_count() > 1) tree_ = std::make_shared<Tree>(*tree_);
            tree_->reroot(kept);
        }
        tree_->reserve(static_cast<std::size_t>(tree_->size()) + simulations);
        played_.clear();
        depth_reached_ = 0;
        returns_ = {};
        comparison_ = Comparison(static_cast<std::size_t>(tree_->num_actions()));
        kept_ = Learns<L> ? Base{} : base;
    }

    // procedure Search: repeat { P ~ P(P | h); Simulate(<s,h>, P, 0) }
    void search(std::int64_t simulations) override {
        if (settings_.terminal.none()) repeat<false>(simulations);
        else repeat<true>(simulations);
    }

    std::int64_t compare(std::int64_t simulations, std::int64_t most, const Base& base) override {
        std::int64_t played = 0;
        if constexpr (Learns<L>) {
            if (comparison_.base.n == 0) comparison_.entrants = entrants(base, std::max<std::int64_t>(2, most / (2 * Comparison::FEW) - 1));
            while (played < simulations) {
                const std::vector<std::int32_t> runners = comparison_.runners();
                if (played + 1 + static_cast<std::int64_t>(runners.size()) > most) break;
                const std::int32_t leader = comparison_.leader(runners);
                const Scenario scenario(rng_.bits());
                const double to_beat = play(scenario, base.front(), false);
                comparison_.base.add(to_beat);
                if (leader == NONE) comparison_.add_fair(to_beat);
                for (const std::int32_t a : runners) {
                    const double R = play(scenario, a, true);
                    comparison_.returns[static_cast<std::size_t>(a)].add(R);
                    comparison_.gains[static_cast<std::size_t>(a)].add(R - to_beat);
                    comparison_.bases[static_cast<std::size_t>(a)].add(to_beat);
                    if (a == leader) comparison_.add_fair(R);
                }
                played += 1 + static_cast<std::int64_t>(runners.size());
            }
        } else {
            (void)simulations, (void)most, (void)base;
        }
        return played;
    }
    const Comparison& comparison() const override { return comparison_; }
    bool compares() const override { return Learns<L>; }
    // For the next searches, of a run that ends.
    void set_steps_left(std::int32_t horizon, const StepsLeft& left) override {
        if (left.length > 0 && !CanRestart<M>) throw Unsupported("episode_length must be None with this prior, whose model can't go on from a start state");
        settings_.horizon = horizon;
        settings_.left = left;
    }

    // For the next searches: whether the actions of the root are tried equally often, so that their values compare.
    void set_even_root(bool even) override { settings_.even_root = even; }

    // The real steps since the last search, so that `root` can find the subtree to keep.
    void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) override {
        if (!settings_.reuse_tree) return;
        if constexpr (requires { model_.key(next_state, reward); })
            played_.push_back({state, a, model_.key(next_state, reward)});
        else
            played_.push_back({state, a, next_state});
    }

    std::shared_ptr<const Tree> tree() const override { return tree_; }
    std::int32_t depth_reached() const override { return depth_reached_; }

    // How many simulations can still be counted.
    std::int64_t countable() const override { return std::numeric_limits<std::int32_t>::max() - 1 - tree_->state(ROOT).visits; }

    void archive(Writer& a) override { archive_all(a); }
    void archive(Reader& a) override { archive_all(a); }

 private:
    template <class Archive>
    void archive_all(Archive& a) {
        rng_.archive(a);
        if constexpr (requires { model_.archive(a); }) model_.archive(a);
        if (!settings_.reuse_tree) return;  // else the tree is cleared before anything looks at it
        tree_->archive(a);
        auto steps = static_cast<std::uint64_t>(played_.size());
        a(steps);
        if constexpr (Archive::reading) played_.clear();
        for (std::uint64_t i = 0; i < steps; ++i) {
            if constexpr (Archive::reading) played_.push_back({});
            a(played_[i].state, played_[i].action, played_[i].key);
        }
    }

    std::shared_ptr<Tree> new_tree() const { return std::make_shared<Tree>(leaf_->num_actions(), settings_.memory); }

    // LISTED: see is_terminal.
    template <bool LISTED>
    void repeat(std::int64_t simulations) {
        for (std::int64_t i = 0; i < simulations; ++i) {
            const Ending ending{model_};  // also if memory runs out
            const Index s = model_.begin(tree_->state(ROOT).key, rng_);
            Random rng = rng_;  // a local copy can live in registers
            memory_.begin();
            simulate<LISTED>(s, rng);
            rng_ = rng;
        }
    }

    // procedure Simulate(<s,h>, P, d), from the root down and back
    template <bool LISTED>
    BAMDP_INLINE void simulate(Index s, Random& rng) {
        Tree& tree = *tree_;
        Node node = ROOT;
        std::int32_t d = 0;
        bool over = false;
        path_.clear();
        while (d < settings_.horizon) {                                // if gamma^d Rmax < epsilon: return 0
            const bool is_new = tree.state(node).visits == 0;          // if N(<s,h>) = 0
            const std::int32_t a = node == ROOT && settings_.even_root ? least_tried() : is_new ? first_action(s, rng) : select(node, rng);
            tree.prefetch(std::max(ROOT, tree.edges(node)[a].recent));
            const Step step = model_.step(s, a, rng);                  // s' ~ P(s,a,.),  r <- R(s,a)
            path_.push_back({node, a, step.reward});
            over = is_terminal<LISTED>(model_, settings_, step);
            const Index next = arrived(model_, settings_, step, d + 1);
            if constexpr (Learns<L>) leaf_->learn(memory_, model_, s, a, step, next, over, d);
            s = next;
            ++d;
            if (over) break;
            Edge& edge = tree.edges(node)[a];
            const std::uint64_t fingerprint = extend(node, a, step.key);
            Node child = is_new ? NO_NODE : find(edge, fingerprint);
            if (child == NO_NODE) {
                if (is_new || edge.visits < settings_.expand_after || d == settings_.horizon || tree.full()) break;
                child = expand(node, a, settings_.left.ends_after(d) ? settings_.left.start : state_after(model_, step), fingerprint);
            }
            node = child;                                              // R <- r + gamma Simulate(<s',has'>, P, d + 1)
        }
        depth_reached_ = std::max(depth_reached_, static_cast<std::int32_t>(path_.size()));
        // R <- r + gamma Rollout(<s',has'>, P, d + 1)
        back_up(over ? 0 : value<LISTED>(s, d, rng));
    }

    // The policy that begins with action `a` and goes on by the tree, where that has something to say, else by the base policy; or,
    // without `by_tree`, by the base policy alone. Returns its return.
    double play(const Scenario& scenario, std::int32_t a, bool by_tree) requires Learns<L> {
        const Ending ending{model_};
        Random world = scenario.world(), choices = scenario.choices();
        std::int64_t state = tree_->state(ROOT).key;
        Index s = model_.begin(state, world);
        memory_.begin();
        visits_.begin();
        Node node = by_tree ? ROOT : NO_NODE;
        double R = 0, weight = 1;
        for (std::int32_t d = 0; d < settings_.horizon; ++d) {
            if (d > 0) {
                a = leaf_->action(memory_, model_, s, choices);
                if (node != NO_NODE) a = improved(node, a);
            }
            Random outcome = scenario.outcome(state, a, visits_.next(s, a, tree_->num_actions()));
            const Step step = model_.step(s, a, outcome);
            R += weight * step.reward;
            const bool over = is_terminal<true>(model_, settings_, step);
            const Index next = arrived(model_, settings_, step, d + 1);
            leaf_->learn(memory_, model_, s, a, step, next, over, d);
            if (over) break;
            if (node != NO_NODE) node = tree_->find(extend(node, a, step.key));
            weight *= settings_.discount;
            s = next;
            state = settings_.left.ends_after(d + 1) ? settings_.left.start : state_after(model_, step);
        }
        return R;
    }

    // The actions to compare, at most so many: those of the base policy, then those that are best by the tree.
    std::vector<std::int32_t> entrants(const Base& base, std::int64_t most) const {
        std::vector<std::int32_t> order = base;
        for (std::int32_t a = 0; a < tree_->num_actions(); ++a)
            if (std::find(base.begin(), base.end(), a) == base.end()) order.push_back(a);
        const Edge* edges = tree_->edges(ROOT);
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(base.size()), order.end(), [&](std::int32_t a, std::int32_t b) { return edges[a].value > edges[b].value; });
        if (static_cast<std::int64_t>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
        return order;
    }

    // The action of a node that is better than the base policy's beyond doubt; that of the base policy if there is none.
    std::int32_t improved(Node node, std::int32_t base) const {
        const Edge* edges = tree_->edges(node);
        const Edge& from = edges[base];
        if (from.visits < Comparison::FEW) return base;
        double gain = 0;
        for (std::int32_t a = 0; a < tree_->num_actions(); ++a) {
            const Edge& to = edges[a];
            if (a == base || to.visits < Comparison::FEW) continue;
            const double variance = to.squares / to.visits / to.visits + from.squares / from.visits / from.visits;
            const double sure = to.value - from.value - Comparison::WIDE * std::sqrt(variance);
            if (sure > gain) gain = sure, base = a;
        }
        return base;
    }

    template <bool LISTED>
    BAMDP_INLINE double value(Index s, std::int32_t d, Random& rng) {
        if constexpr (Learns<L>) return leaf_->template value<LISTED>(memory_, model_, settings_, s, d, rng);
        else return leaf_->template value<LISTED>(model_, settings_, s, path_.back().action, d, rng);
    }

    // a ~ pi_ro(<s,h>, .)
    std::int32_t first_action(Index s, Random& rng) {
        if (settings_.first_action_random) return static_cast<std::int32_t>(rng.below(tree_->num_actions()));
        if constexpr (Learns<L>) return leaf_->action(memory_, model_, s, rng);
        else return leaf_->action(s, path_.empty() ? NONE : path_.back().action, rng);
    }

    // The action of the root with the fewest visits, the first of them.
    std::int32_t least_tried() const {
        const Edge* edges = tree_->edges(ROOT);
        return static_cast<std::int32_t>(std::min_element(edges, edges + tree_->num_actions(), [](const Edge& x, const Edge& y) { return x.visits < y.visits; }) - edges);
    }

    // a <- argmax_b Q(<s,h>,b) + c sqrt(log N(<s,h>) / N(<s,h>,b)); untried actions first, ties at random
    BAMDP_INLINE std::int32_t select(Node node, Random& rng) const {
        const Edge* edges = tree_->edges(node);
        const double bonus = ucb_.of_node(tree_->state(node).visits) * returns_.scale;
        double best = -std::numeric_limits<double>::infinity();
        std::int32_t chosen = 0;
        std::int64_t ties = 0;
        for (std::int32_t b = 0; b < tree_->num_actions(); ++b) {
            const std::int32_t n = edges[b].visits;
            const double score = n == 0 ? std::numeric_limits<double>::infinity() : edges[b].value + bonus * ucb_.of_edge(n);
            if (score > best) {
                best = score;
                chosen = b;
                ties = 1;
            } else if (score == best && rng.below(++ties) == 0) {
                chosen = b;
            }
        }
        return chosen;
    }

    // The child's name: its history since the root in order, or as counts of transitions (a lattice: order does not matter).
    std::uint64_t extend(Node node, std::int32_t a, std::int64_t key) const {
        const State& from = tree_->state(node);
        const std::uint64_t event = (static_cast<std::uint64_t>(key) + 1) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(a);
        if (!settings_.lattice) return mix(from.fingerprint ^ event);
        if constexpr (requires { M::state_matters; })  // arms: the state says nothing that the counts don't
            if (!M::state_matters) return from.fingerprint + mix(event);
        return from.fingerprint + mix(event ^ mix(static_cast<std::uint64_t>(from.key)));
    }

    Node find(Edge& edge, std::uint64_t fingerprint) {
        if (edge.recent == NO_NODE && !settings_.lattice) return NO_NODE;  // no child yet
        if (edge.recent == NO_NODE || tree_->state(edge.recent).fingerprint != fingerprint) {
            const Node found = tree_->find(fingerprint);
            if (found == NO_NODE) return NO_NODE;
            edge.recent = found;
        }
        return edge.recent;
    }

    Node expand(Node node, std::int32_t a, std::int64_t state, std::uint64_t fingerprint) {
        const auto parent = static_cast<std::uint32_t>(node) * static_cast<std::uint32_t>(tree_->num_actions()) + static_cast<std::uint32_t>(a);
        const Node child = tree_->add({fingerprint, state, parent, 0});
        tree_->edges(node)[a].recent = child;
        return child;
    }

    // N(<s,h>) += 1, N(<s,h>,a) += 1, Q(<s,h>,a) += (R - Q(<s,h>,a)) / N(<s,h>,a)
    void back_up(double R) {
        for (std::size_t i = path_.size(); i-- > 0;) {
            R = path_[i].reward + settings_.discount * R;
            ++tree_->state(path_[i].node).visits;
            Edge& edge = tree_->edges(path_[i].node)[path_[i].action];
            ++edge.visits;
            const double off = R - edge.value;
            edge.value += off / edge.visits;
            edge.squares += off * (R - edge.value);
        }
        if (settings_.auto_exploration) returns_.add(R);
        if (!kept_.empty() && std::find(kept_.begin(), kept_.end(), path_.front().action) != kept_.end()) comparison_.add_fair(R);
    }

    // The node of the real history since the last root, if the tree has it.
    Node kept_root(std::int64_t state) const {
        if (tree_->size() == 0) return NO_NODE;
        Node node = ROOT;
        for (const auto& [from, a, key] : played_) {
            if (tree_->state(node).key != from) return NO_NODE;
            node = tree_->find(extend(node, a, key));
            if (node == NO_NODE) return NO_NODE;
        }
        return tree_->state(node).key == state ? node : NO_NODE;
    }

    struct Ending {
        M& model;
        ~Ending() { model.end(); }
    };
    struct Visit {
        Node node;
        std::int32_t action;
        double reward;
    };
    struct Played {
        std::int64_t state;
        std::int32_t action;
        std::int64_t key;
    };

    M model_;
    Settings settings_;
    Ucb ucb_;
    std::shared_ptr<const L> leaf_;
    Random rng_;
    std::shared_ptr<Tree> tree_;
    std::vector<Visit> path_;
    std::vector<Played> played_;
    std::int32_t depth_reached_ = 0;
    Returns returns_;
    typename MemoryOf<L>::type memory_;
    Comparison comparison_;
    Base kept_;
    Visits visits_;
};

}  // namespace bamdp

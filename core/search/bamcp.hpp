// BAMCP, Algorithm 1 of Guez, Silver, Dayan (2012): UCT over future histories, one posterior sample per simulation.
//
//   <s, h>  node: a state and what happened before it      N(<s,h>)    visits of a node
//   a       action                                         N(<s,h>,a)  visits of its edge
//   s' r    next state and reward, from the sampled P      Q(<s,h>,a)  mean return of its edge
//   pi_ro   roll-out policy (leaves/)                      d           depth; at `depth` gamma^d Rmax is negligible
//
// BA-UCT is the same search on a model that updates the belief at every step (models/rows.hpp).
// Choices depend on the history alone, never on the sampled model: that is what makes root sampling exact.
#pragma once

#include "models/model.hpp"
#include "search/comparison.hpp"
#include "search/leaves/rollout.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"
#include "search/ucb.hpp"

namespace bamdp {

template <class M, class L>
class PolicyComparison;  // scenarios.hpp

template <Model M, LeafFor<M> L>
class Bamcp {
 public:
    Bamcp(M model, std::int32_t num_actions, const Settings& settings, std::shared_ptr<const L> leaf, Random rng)
        : model_(std::move(model)), settings_(settings), ucb_(settings.exploration, settings.log_offset),
          leaf_(std::move(leaf)), rng_(rng), tree_(std::make_shared<Tree>(num_actions, settings.memory)) {}

    // A new search from <state, h>: the model takes over the observations since the last one, the tree is cleared or `kept` in part.
    void root(const Query& query, std::size_t simulations, Node kept) {
        query_ = query;
        model_.sync();
        if (tree_.use_count() > 1)  // a plan still shows the old one
            tree_ = kept == NO_NODE ? std::make_shared<Tree>(tree_->num_actions(), settings_.memory) : std::make_shared<Tree>(*tree_);
        if (kept == NO_NODE) tree_->clear(query.state);
        else tree_->reroot(kept);
        tree_->reserve(static_cast<std::size_t>(tree_->size()) + simulations);
        depth_reached_ = 0;
        scale_ = 1;
    }

    // procedure Search: repeat { P ~ P(P | h); Simulate(<s,h>, P, 0) }
    void search(std::int64_t simulations) {
        if (settings_.terminal.none()) repeat<false>(simulations);
        else repeat<true>(simulations);
    }

    // Also add the returns of simulations that begin with one of these actions to a sample.
    void keep_returns(const Base& actions, Comparison* sample) {
        kept_actions_ = actions;
        kept_returns_ = sample;
    }

    const std::shared_ptr<Tree>& tree() const { return tree_; }
    std::int32_t depth_reached() const { return depth_reached_; }

    // What the agent observes of a real step, as it names a child.
    std::int64_t key(std::int64_t next_state, [[maybe_unused]] double reward) const {
        if constexpr (requires { model_.key(next_state, reward); }) return model_.key(next_state, reward);
        else return next_state;
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

    template <class Archive>
    void archive(Archive& a) {
        rng_.archive(a);
        if constexpr (requires { model_.archive(a); }) model_.archive(a);
    }

 private:
    friend class PolicyComparison<M, L>;

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
        std::int32_t d = 0, a = NONE;
        bool over = false;
        path_.clear();
        while (d < query_.depth) {                                     // if gamma^d Rmax < epsilon: return 0
            const bool is_new = tree.state(node).visits == 0;          // if N(<s,h>) = 0
            a = node == ROOT && even_turn() ? least_tried() : is_new ? first_action(s, a, rng) : select(node, rng);
            tree.prefetch(std::max(ROOT, tree.edges(node)[a].recent));
            const Step step = model_.step(s, a, rng);                  // s' ~ P(s,a,.),  r <- R(s,a)
            path_.push_back({node, a, step.reward});
            over = is_terminal<LISTED>(model_, settings_, step);
            const Index next = arrived(model_, query_, step, d + 1);
            if constexpr (Learns<L>) leaf_->learn(memory_, model_, s, a, step, next, over, d);
            s = next;
            ++d;
            if (over) break;
            Edge& edge = tree.edges(node)[a];
            const std::uint64_t fingerprint = extend(node, a, step.key);
            Node child = is_new ? NO_NODE : find(edge, fingerprint);
            if (child == NO_NODE) {
                if (is_new || edge.visits < settings_.expand_after || d == query_.depth || tree.full()) break;
                child = expand(node, a, query_.left.ends_after(d) ? query_.left.start : state_after(model_, step), fingerprint);
            }
            node = child;                                              // R <- r + gamma Simulate(<s',has'>, P, d + 1)
        }
        depth_reached_ = std::max(depth_reached_, static_cast<std::int32_t>(path_.size()));
        // R <- r + gamma Rollout(<s',has'>, P, d + 1)
        back_up(over ? 0 : leaf_value<LISTED>(*leaf_, memory_, model_, settings_, query_, s, a, d, rng));
    }

    // a ~ pi_ro(<s,h>, .)
    std::int32_t first_action(Index s, std::int32_t last, Random& rng) {
        if (settings_.first_action_random) return static_cast<std::int32_t>(rng.below(tree_->num_actions()));
        return leaf_->action(memory_, model_, s, last, rng);
    }

    // Whether a simulation begins with the action that was tried least. Where policies are compared, one for each action of the root, every
    // other one does: each needs a subtree of its own, also the one whose value is low as long as that is not explored.
    bool even_turn() const { return query_.even_root || (Learns<L> && tree_->state(ROOT).visits % 2 == 1); }

    // The action of the root with the fewest visits, the first of them.
    std::int32_t least_tried() const {
        const Edge* edges = tree_->edges(ROOT);
        return static_cast<std::int32_t>(std::min_element(edges, edges + tree_->num_actions(), [](const Edge& x, const Edge& y) { return x.visits < y.visits; }) - edges);
    }

    // a <- argmax_b Q(<s,h>,b) + c sqrt(log N(<s,h>) / N(<s,h>,b)); untried actions first, ties at random
    BAMDP_INLINE std::int32_t select(Node node, Random& rng) const {
        const Edge* edges = tree_->edges(node);
        const double bonus = ucb_.of_node(tree_->state(node).visits) * scale_;
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
        if (settings_.auto_exploration) scale_ = deviation();
        if (kept_returns_ != nullptr && std::find(kept_actions_.begin(), kept_actions_.end(), path_.front().action) != kept_actions_.end()) kept_returns_->add_fair(R);
    }

    // The standard deviation of the returns at the root, of which those of an action count as MOST at most: if one that always pays the
    // same were taken ever more often, that of all would vanish, and the others never be tried again.
    double deviation() const {
        constexpr double MOST = 16;
        const Edge* edges = tree_->edges(ROOT);
        double n = 0, mean = 0, squares = 0;
        for (std::int32_t a = 0; a < tree_->num_actions(); ++a) {
            if (edges[a].visits == 0) continue;
            const double weight = std::min(MOST, static_cast<double>(edges[a].visits)), off = edges[a].value - mean;
            squares += off * off * n * weight / (n + weight) + edges[a].squares * weight / edges[a].visits;
            mean += off * weight / (n + weight);
            n += weight;
        }
        return std::sqrt(squares / n);
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

    M model_;
    const Settings settings_;
    Query query_;
    Ucb ucb_;
    std::shared_ptr<const L> leaf_;
    Random rng_;
    std::shared_ptr<Tree> tree_;
    std::vector<Visit> path_;
    std::int32_t depth_reached_ = 0;
    double scale_ = 1;  // of the exploration: the deviation of returns, if it is to be found
    typename L::Memory memory_;
    Base kept_actions_;
    Comparison* kept_returns_ = nullptr;
};

}  // namespace bamdp

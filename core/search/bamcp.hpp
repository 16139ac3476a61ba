// BAMCP, Algorithm 1 of Guez, Silver, Dayan (2012): UCT over future histories, one posterior sample per simulation.
//
//   <s, h>  node: a state and what happened before it      N(<s,h>)    visits of a node
//   a       action                                         N(<s,h>,a)  visits of its edge
//   s' r    next state and reward, from the sampled P      Q(<s,h>,a)  mean return of its edge
//   pi_ro   roll-out policy (leaves/)                      d           depth; at `depth` gamma^d Rmax is negligible
//
// BA-UCT is the same search on a model that updates the belief at every step (models/rows.hpp).
// Choices depend on the history alone, never on the sampled model: that is what makes root sampling exact. The rules
// that select an action, in the root and elsewhere, are an argument (selection.hpp).
#pragma once

#include "models/model.hpp"
#include "search/leaves/rollout.hpp"
#include "search/selection.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"

namespace bamdp {

template <Model M, LeafFor<M> L, class Rule = Selection>
class Bamcp {
 public:
    Bamcp(M model, std::int32_t num_actions, const Settings& settings, std::shared_ptr<const L> leaf, Random rng)
        : model_(std::move(model)), settings_(settings), rule_(settings), leaf_(std::move(leaf)), rng_(rng),
          tree_(std::make_shared<Tree>(num_actions, settings.memory)) {}

    // A new search from <state, h>: the model takes over the observations since the last one, the tree is cleared or
    // `kept` in part.
    void root(const Query& query, std::size_t simulations, Node kept) {
        query_ = query;
        model_.sync();
        if (tree_.use_count() > 1)  // a plan still shows the old one
            tree_ = kept == NO_NODE ? std::make_shared<Tree>(tree_->num_actions(), settings_.memory)
                                    : std::make_shared<Tree>(*tree_);
        if (kept == NO_NODE)
            tree_->clear(query.state);
        else
            tree_->reroot(kept);
        tree_->reserve(static_cast<std::size_t>(tree_->size()) + simulations);
        depth_reached_ = 0;
        rule_.begin(query.even_root);
    }

    // procedure Search: repeat { P ~ P(P | h); Simulate(<s,h>, P, 0) }
    void search(std::int64_t simulations) {
        if (settings_.terminal.none())
            repeat<false>(simulations);
        else
            repeat<true>(simulations);
    }

    const std::shared_ptr<Tree>& tree() const { return tree_; }
    std::int32_t depth_reached() const { return depth_reached_; }

    // What the agent observes of a real step, as it names a child.
    std::int64_t key(std::int64_t next_state, [[maybe_unused]] double reward) const {
        if constexpr (requires { model_.key(next_state, reward); })
            return model_.key(next_state, reward);
        else
            return next_state;
    }

    // The child's name: its history since the root in order, or as counts of transitions (a lattice: order does not
    // matter).
    std::uint64_t extend(Node node, std::int32_t a, std::int64_t key) const {
        const State& from = tree_->state(node);
        const std::uint64_t event =
            (static_cast<std::uint64_t>(key) + 1) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(a);
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
            a = select(tree, node, is_new, s, a, rng);
            tree.prefetch(std::max(ROOT, tree.edges(node)[a].recent));
            const Step step = model_.step(s, a, rng);                  // s' ~ P(s,a,.),  r <- R(s,a)
            path_.push_back({node, a, step.reward});
            over = is_terminal<LISTED>(model_, settings_, step);
            const Index next = next_index(model_, query_, step, d + 1);
            if constexpr (AdaptiveLeaf<L>) leaf_->learn(memory_, model_, s, a, step, next, over, d);
            s = next;
            ++d;
            if (over) break;
            Edge& edge = tree.edges(node)[a];
            const std::uint64_t fingerprint = extend(node, a, step.key);
            Node child = is_new ? NO_NODE : find(edge, fingerprint);
            if (child == NO_NODE) {
                if (is_new || edge.visits < settings_.expand_after || d == query_.depth || tree.full()) break;
                child = expand(node, a, query_.left.ends_after(d) ? query_.left.start : state_after(model_, step),
                               fingerprint);
            }
            node = child;  // R <- r + gamma Simulate(<s',has'>, P, d + 1)
        }
        depth_reached_ = std::max(depth_reached_, static_cast<std::int32_t>(path_.size()));
        // R <- r + gamma Rollout(<s',has'>, P, d + 1)
        back_up(over ? 0 : leaf_value<LISTED>(*leaf_, memory_, model_, settings_, query_, s, a, d, rng));
    }

    // By the rule, among the actions that are considered; in a new node by the roll-out policy.
    BAMDP_INLINE std::int32_t select(const Tree& tree, Node node, bool is_new, Index s, std::int32_t last,
                                     Random& rng) {
        if (is_new && !rule_.selects_first(node)) return considered(model_, s, first_action(s, last, rng), rng);
        if constexpr (RestrictsActions<M>)
            if (model_.restricts_actions()) [[unlikely]] return rule_(tree, node, rng, model_.actions(s));
        return rule_(tree, node, rng, AllActions(tree.num_actions()));
    }

    // a ~ pi_ro(<s,h>, .)
    std::int32_t first_action(Index s, std::int32_t last, Random& rng) {
        if (settings_.first_action_random) return static_cast<std::int32_t>(rng.below(tree_->num_actions()));
        return leaf_->action(memory_, model_, s, last, rng);
    }

    Node find(Edge& edge, std::uint64_t fingerprint) {
        if (edge.recent == NO_NODE && !settings_.lattice) return NO_NODE;  // no child yet
        if (edge.recent == NO_NODE || tree_->state(edge.recent).fingerprint != fingerprint) {
            const Node child = tree_->find(fingerprint);
            if (child == NO_NODE) return NO_NODE;
            edge.recent = child;
        }
        return edge.recent;
    }

    Node expand(Node node, std::int32_t a, std::int64_t state, std::uint64_t fingerprint) {
        const auto parent = static_cast<std::uint32_t>(node) * static_cast<std::uint32_t>(tree_->num_actions()) +
                            static_cast<std::uint32_t>(a);
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
        rule_.update(*tree_);
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
    Rule rule_;
    std::shared_ptr<const L> leaf_;
    Random rng_;
    std::shared_ptr<Tree> tree_;
    std::vector<Visit> path_;
    std::int32_t depth_reached_ = 0;
    typename L::Memory memory_;
};

}  // namespace bamdp

// Search over beliefs with counts: predictive probabilities and expected rewards are exact, nothing is sampled.
//
//   x       node: a state, the steps left, and the steps since the root as counts
//   p, r    probability and reward of an outcome o, which leads to the node x o
//   Q(x,a)  Σ_o p (r + gamma V(x o)),   V(x) = max_a Q(x,a)
//   E(x,a)  gamma Σ_o p e(x o),         e(x) = max_a (Q(x,a) + E(x,a)) − V(x)
//
// The value of a leaf is that of the posterior-mean MDP after the steps on the path (posterior_mean.hpp). E is what
// learning beyond the leaves may still add: a heuristic in units of return. A node is solved if nothing is left to
// expand; where all its outcomes are told apart, E is then 0. A trial goes from the root to a new node, by
//
//   a = argmax Q(x,a) + E(x,a) sqrt(log(n + 2) / (n_a + 1)),   o = argmax p e(x o) / (1 + n_o)
//
// among those that are not solved, expands it with all actions and outcomes, and backs up. Every other trial begins
// with the action of the root that was tried least: E may be too small, and the search would never look where it is. A
// tree that is solved has the Bayes-optimal values. Back-ups and solved nodes as in trial-based heuristic tree search
// (Keller, Helmert 2013).
#pragma once

#include "search/posterior_mean.hpp"
#include "search/tree.hpp"

namespace bamdp {

struct TreeBudget {
    std::int64_t simulations;  // trials, each of which expands a node
    Clock::time_point deadline;  // time_point::max(): none
    std::size_t memory;  // bytes
    double slack;  // values that differ by less are equal
    bool even = false;  // value all actions alike, not only those that may be the best
};

struct TreeDecision {
    std::int32_t action = 0;
    std::vector<double> values;  // [A]
    std::vector<double> uncertainties;  // [A] E(root, a)
    std::vector<std::int64_t> visits;  // [A] trials that began with each action, and the expansion of the root
    std::int64_t simulations = 1;  // that expansion, and the trials
    std::int32_t depth = 0;
    bool solved = false, full = false;
};

template <RowPrior P>
class BeliefTree {
 public:
    BeliefTree(PosteriorMean<P>& mean, std::int32_t num_actions, double discount)
        : mean_(mean), A_(num_actions), gamma_(discount) {}

    // Searches from `state`; the decision is one of the `base` actions unless another one's value is higher by MARGIN
    // of what both may gain. Where the run ends soon the tree sees that end, and the higher value decides.
    TreeDecision plan(std::int64_t state, const std::vector<std::int32_t>& base, const TreeBudget& budget,
                      Pause& pause) {
        slack_ = budget.slack;
        nodes_.push_back({mean_.slot(state), mean_.steps(), 0, 0, 0, NONE, NONE, NONE, false});
        expand(0);
        TreeDecision decision;
        for (int stuck = 0; decision.simulations < budget.simulations && !nodes_[0].solved && stuck < MOST_STUCK &&
                            (budget.even || !decided());) {
            if (decision.simulations % 16 == 15) {
                if (Clock::now() >= budget.deadline) break;
                pause();
            }
            if (bytes() > budget.memory) {
                decision.full = true;
                break;
            }
            stuck = trial(budget.even || decision.simulations % 2 == 0) ? 0 : stuck + 1;
            ++decision.simulations;
        }
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        for (std::int32_t a = 0; a < A_; ++a) {
            decision.values.push_back(root[a].q);
            decision.uncertainties.push_back(root[a].e);
            decision.visits.push_back(root[a].visits + 1);
        }
        decision.depth = depth_;
        decision.solved = nodes_[0].solved;
        decision.action = chosen_ = choose(base);
        return decision;
    }

    // The return of the policy of the tree, and beyond it of the greedy policy that learns, in a world drawn from the
    // belief; no more than `steps`. Where it leads to a state of which nothing is known, the rest pays `worst` in each
    // step.
    double simulate(std::int64_t steps, double worst, Random& rng) {
        double R = 0, weight = 1;
        std::int32_t x = 0;
        Index slot = nodes_[0].slot;
        std::int64_t left = nodes_[0].left, d = 0;
        for (; d < steps; ++d) {
            const bool inside = x != NONE && nodes_[static_cast<std::size_t>(x)].actions != NONE;
            const std::int32_t a = x == 0 ? chosen_ : inside ? best(x) : mean_.greedy(slot, left);
            std::int32_t next = NONE;
            const BeliefOutcome o = inside ? drawn_edge(x, a, rng, next) : drawn(slot, a, left, rng);
            R += weight * o.reward;
            weight *= gamma_;
            if (o.slot == NONE) break;
            x = next;
            mean_.observe(slot, a, o);
            slot = mean_.after(o.slot, left);
            if (left > 0) --left;
            if (mean_.is_over(slot) || (mean_.ends() && left == 0)) {
                mean_.undo_all();
                return R;
            }
        }
        mean_.undo_all();
        for (++d; d < steps; ++d, weight *= gamma_) R += weight * worst;
        return R;
    }

    // The nodes that were expanded, as a tree to look at.
    std::shared_ptr<Tree> tree() const {
        auto tree = std::make_shared<Tree>(A_);
        std::vector<Node> placed(nodes_.size(), NO_NODE);
        tree->clear(mean_.state(nodes_[0].slot));
        placed[0] = ROOT;
        for (std::size_t x = 0; x < nodes_.size(); ++x) {
            const BeliefNode& node = nodes_[x];
            if (node.actions == NONE) continue;
            if (x > 0) {
                const Node above = placed[static_cast<std::size_t>(node.parent)];
                if (above == NO_NODE) continue;
                placed[x] = tree->add({mix(x + 1), mean_.state(node.slot),
                                       static_cast<std::uint32_t>(above * A_ + node.parent_action), 0});
            }
            tree->state(placed[x]).visits = node.visits + (x == 0 ? 1 : 0);
            for (std::int32_t a = 0; a < A_; ++a) {
                const Action& action = actions_[static_cast<std::size_t>(node.actions + a)];
                tree->edges(placed[x])[a] = {action.q, 0, action.visits + (x == 0 ? 1 : 0), NO_NODE};
            }
        }
        return tree;
    }

 private:
    static constexpr double MARGIN = 0.1;  // 0.03, 0.1, 0.3 earn the same on BBRL's GC and Grid (2000 and 1000 worlds)
    static constexpr int MOST_STUCK = 50;  // trials in a row with nothing to expand
    static constexpr std::size_t MOST_DEPTH = 60;

    struct Edge {
        BeliefOutcome outcome;
        double value = 0, e = 0;
        std::int32_t child = NONE, visits = 0;  // child: NONE if not made yet
        bool solved = true;
    };
    struct Action {
        double q, e;
        std::int32_t visits, first, size;  // edges
        bool solved;
    };
    struct BeliefNode {
        Index slot;
        std::int64_t left;  // steps; 0 without an end
        double value, e;
        std::int32_t visits, actions;  // actions: the first of them, NONE if not expanded
        std::int32_t parent, parent_action;
        bool solved;
    };
    struct Visit {
        std::int32_t node, action;
    };

    std::int32_t best(std::int32_t x) const {
        const Action* actions = &actions_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(x)].actions)];
        return static_cast<std::int32_t>(
            std::max_element(actions, actions + A_, [](const Action& l, const Action& r) { return l.q < r.q; }) -
            actions);
    }

    // An outcome of an action in a node of the tree, with the node that follows; and one beyond the tree.
    BeliefOutcome drawn_edge(std::int32_t x, std::int32_t a, Random& rng, std::int32_t& next) {
        const Action& edges = action(x, a);
        double u = rng.uniform();
        std::int32_t k = edges.first;
        for (; k + 1 < edges.first + edges.size && u >= edges_[static_cast<std::size_t>(k)].outcome.p; ++k)
            u -= edges_[static_cast<std::size_t>(k)].outcome.p;
        next = edges_[static_cast<std::size_t>(k)].child;
        return edges_[static_cast<std::size_t>(k)].outcome;
    }
    BeliefOutcome drawn(Index slot, std::int32_t a, std::int64_t left, Random& rng) {
        mean_.outcomes(slot, a, left, outcomes_);
        double u = rng.uniform();
        std::size_t k = 0;
        for (; k + 1 < outcomes_.size() && u >= outcomes_[k].p; ++k) u -= outcomes_[k].p;
        return outcomes_[k];
    }

    std::int32_t choose(const std::vector<std::int32_t>& base) const {
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        std::int32_t chosen = base.empty() ? best(0) : base.front();
        for (const std::int32_t a : base)
            if (root[a].q > root[chosen].q + slack_) chosen = a;
        const std::int32_t first = best(0);
        const double margin = mean_.ends_soon() ? slack_ : MARGIN * (root[first].e + root[chosen].e) + slack_;
        return root[first].q > root[chosen].q + margin ? first : chosen;
    }

    // Whether no other action can be expected to become better than the best one; E alone may be too small before some
    // trials of each.
    bool decided() const {
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        const std::int32_t first = best(0);
        for (std::int32_t a = 0; a < A_; ++a)
            if (!root[a].solved && root[a].visits < FEWEST_TRIALS) return false;
        for (std::int32_t a = 0; a < A_; ++a)
            if (a != first && root[a].q + CERTAIN * root[a].e >= root[first].q - CERTAIN * root[first].e) return false;
        return true;
    }
    static constexpr double CERTAIN = 3;
    static constexpr std::int32_t FEWEST_TRIALS =
        32;  // with none, one of 300 random problems was lost by 12 % at any budget

    std::size_t bytes() const {
        return nodes_.size() * (sizeof(BeliefNode) + 16) + actions_.size() * sizeof(Action) +
               edges_.size() * sizeof(Edge);
    }

    // Whether a node was expanded.
    bool trial(bool even) {
        std::int32_t x = 0;
        std::uint64_t history = 0;
        bool grew = false;
        path_.clear();
        while (path_.size() < MOST_DEPTH && !at(x).solved) {
            if (at(x).actions == NONE) {
                expand(x);
                grew = true;
                break;
            }
            const std::int32_t a = even && x == 0 ? least_tried() : select(x),
                               k = a == NONE ? NONE : select_outcome(x, a);
            if (k == NONE) break;
            path_.push_back({x, a});
            const BeliefOutcome o = edges_[static_cast<std::size_t>(action(x, a).first + k)].outcome;
            mean_.observe(at(x).slot, a, o);
            history += mix(o.key + mix(static_cast<std::uint64_t>(at(x).slot) * static_cast<std::uint64_t>(A_) +
                                       static_cast<std::uint64_t>(a)));
            x = child(x, a, k, o, history);
        }
        depth_ = std::max(depth_, static_cast<std::int32_t>(path_.size()) + (grew ? 1 : 0));
        for (; !path_.empty(); path_.pop_back()) {
            const auto [node, a] = path_.back();
            mean_.undo();
            ++at(node).visits;
            ++action(node, a).visits;
            back_up(node, a);
            finish(node);
        }
        return grew;
    }

    // The action of the root that was tried least, of those not solved.
    std::int32_t least_tried() const {
        const Action* actions = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        std::int32_t chosen = NONE;
        for (std::int32_t a = 0; a < A_; ++a)
            if (!actions[a].solved && (chosen == NONE || actions[a].visits < actions[chosen].visits)) chosen = a;
        return chosen;
    }

    std::int32_t select(std::int32_t x) const {
        const BeliefNode& node = nodes_[static_cast<std::size_t>(x)];
        const Action* actions = &actions_[static_cast<std::size_t>(node.actions)];
        const double log_visits = std::log(node.visits + 2.0);
        std::int32_t chosen = NONE;
        double most = 0;
        for (std::int32_t a = 0; a < A_; ++a) {
            if (actions[a].solved) continue;
            const double score = actions[a].q + actions[a].e * std::sqrt(log_visits / (actions[a].visits + 1.0));
            if (chosen == NONE || score > most + slack_) most = score, chosen = a;
        }
        return chosen;
    }

    std::int32_t select_outcome(std::int32_t x, std::int32_t a) {
        const Action& edges = action(x, a);
        std::int32_t chosen = NONE;
        double most = 0;
        for (std::int32_t k = 0; k < edges.size; ++k) {
            const Edge& edge = edges_[static_cast<std::size_t>(edges.first + k)];
            if (edge.solved) continue;
            const double score = edge.outcome.p * edge.e / (1 + edge.visits);
            if (chosen == NONE || score > most * (1 + 1e-6)) most = score, chosen = k;
        }
        if (chosen != NONE) ++edges_[static_cast<std::size_t>(edges.first + chosen)].visits;
        return chosen;
    }

    // The node after outcome `k`: one for all histories with the same counts.
    std::int32_t child(std::int32_t x, std::int32_t a, std::int32_t k, const BeliefOutcome& o, std::uint64_t history) {
        const auto at_edge = static_cast<std::size_t>(action(x, a).first + k);
        if (edges_[at_edge].child != NONE) return edges_[at_edge].child;
        const std::int64_t left = std::max<std::int64_t>(0, at(x).left - 1);
        const Index slot = mean_.after(o.slot, at(x).left);
        const std::uint64_t name = mix(
            history ^ mix(static_cast<std::uint64_t>(slot) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(left)));
        const Index known = names_.find(static_cast<std::int64_t>(name));
        if (known != NONE) return edges_[at_edge].child = named_[static_cast<std::size_t>(known)];
        const auto made = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({slot, left, edges_[at_edge].value, edges_[at_edge].e, 0, NONE, x, a, false});
        names_.find_or_add(static_cast<std::int64_t>(name));
        named_.push_back(made);
        return edges_[at_edge].child = made;
    }

    void expand(std::int32_t x) {
        const Index slot = at(x).slot;
        const std::int64_t left = at(x).left;
        at(x).actions = static_cast<std::int32_t>(actions_.size());
        for (std::int32_t a = 0; a < A_; ++a) {
            mean_.outcomes(slot, a, left, outcomes_);
            actions_.push_back({0, 0, 0, static_cast<std::int32_t>(edges_.size()),
                                static_cast<std::int32_t>(outcomes_.size()), false});
            for (const BeliefOutcome& o : outcomes_) {
                Edge edge{o};
                if (o.slot == NONE) {
                    edge.value = o.value;
                    edge.e = mean_.mean_uncertainty(left - 1);
                } else if (const Index next = mean_.after(o.slot, left);
                           !mean_.is_over(next) && !(mean_.ends() && left == 1)) {
                    edge.value = mean_.value_after(slot, a, o, next, left - 1);
                    edge.e = mean_.uncertainty(next, left - 1);
                    edge.solved = mean_.is_exact(left - 1);
                }
                edges_.push_back(edge);
            }
        }
        for (std::int32_t a = 0; a < A_; ++a) back_up(x, a);
        finish(x);
    }

    void back_up(std::int32_t x, std::int32_t a) {
        Action& sum = action(x, a);
        sum.q = sum.e = 0;
        sum.solved = true;
        for (std::int32_t k = sum.first; k < sum.first + sum.size; ++k) {
            Edge& edge = edges_[static_cast<std::size_t>(k)];
            if (edge.child != NONE)
                edge.value = at(edge.child).value, edge.e = at(edge.child).e, edge.solved = at(edge.child).solved;
            sum.q += edge.outcome.p * (edge.outcome.reward + gamma_ * edge.value);
            sum.e += edge.outcome.p * gamma_ * edge.e;
            sum.solved = sum.solved && edge.solved;
        }
    }

    void finish(std::int32_t x) {
        BeliefNode& node = at(x);
        const Action* actions = &actions_[static_cast<std::size_t>(node.actions)];
        double top = actions[0].q + actions[0].e;
        node.value = actions[0].q;
        node.solved = actions[0].solved;
        for (std::int32_t a = 1; a < A_; ++a) {
            node.value = std::max(node.value, actions[a].q);
            top = std::max(top, actions[a].q + actions[a].e);
            node.solved = node.solved && actions[a].solved;
        }
        node.e = top - node.value;
    }

    BeliefNode& at(std::int32_t x) { return nodes_[static_cast<std::size_t>(x)]; }
    Action& action(std::int32_t x, std::int32_t a) { return actions_[static_cast<std::size_t>(at(x).actions + a)]; }

    PosteriorMean<P>& mean_;
    std::int32_t A_;
    double gamma_, slack_ = 0;
    std::vector<BeliefNode> nodes_;
    std::vector<Action> actions_;
    std::vector<Edge> edges_;
    StateIndex names_;  // of nodes, by what they are
    std::vector<std::int32_t> named_;  // [names]
    std::vector<Visit> path_;
    std::vector<BeliefOutcome> outcomes_;  // scratch
    std::int32_t depth_ = 0, chosen_ = 0;
};

}  // namespace bamdp

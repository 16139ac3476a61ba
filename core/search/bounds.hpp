// Search with bounds over beliefs that are weighted sets of worlds. Worlds are split exactly by what would be observed:
// nothing is sampled.
//
//   x          node: a state, the steps left, and the worlds that are possible with their weights; one for all
//   histories
//              that lead there
//   U(x)       at first Σ_m w_m V_m(s), then max_a U(x,a)        U(x,a) = Σ_o p (r + gamma U(x o))
//   L(x)       at first the best of some policies, then max_a L(x,a), likewise
//
// Policies of the first lower bound: one that is optimal in some world and doesn't learn; and two that learn, commit to
// the likeliest world or be greedy by Σ_m w_m Q_m, evaluated exactly by splitting, for as long as WORK allows and from
// there on by the first.
//
//   trial: from the root, a = argmax L(x,a) + kappa (U(x,a) − L(x,a)), o = argmax p (U(x o) − L(x o)), until the bounds
//   of a node are closer than epsilon / gamma^d; expand new nodes; back up both bounds along the path
//
// kappa takes the values of KAPPAS in turns: with 1 alone (heuristic search value iteration; Smith, Simmons 2004) more
// trials can take longer to find a good policy.
//
// The decision is the action with the highest lower bound. It is made when no other action can be better.
#pragma once

#include "search/tree.hpp"
#include "search/weighted_worlds.hpp"

namespace bamdp {

struct BoundsBudget {
    std::int64_t simulations;  // nodes to expand
    Clock::time_point deadline;  // time_point::max(): none
    std::size_t memory;  // bytes
    bool even = false;  // bounds of all actions, not only of those that may be the best
};

struct BoundsDecision {
    std::int32_t action = 0;
    std::vector<double> lower, upper;  // [A]
    std::vector<std::int64_t> visits;  // [A] trials that began with each action, and the expansion of the root
    std::int64_t simulations = 1;  // nodes expanded
    std::int32_t depth = 0;
    bool decided = false, full = false;
};

class BoundsSearch {
 public:
    explicit BoundsSearch(const WeightedWorlds& worlds)
        : worlds_(worlds), A_(static_cast<std::int32_t>(worlds.num_actions())), gamma_(worlds.discount()) {}

    // `weights` [M] sum to one; `left` steps are left, 0 without an end.
    BoundsDecision plan(std::int32_t state, std::int64_t left, std::span<const double> weights, double tolerance,
                        const BoundsBudget& budget, Pause& pause) {
        for (std::size_t m = 0; m < weights.size(); ++m)
            if (weights[m] > 0) stack_.push_back({static_cast<std::int32_t>(m), weights[m]});
        node(state, left, 0, stack_.size());
        expand(0);
        update(0);
        BoundsDecision decision;
        std::int64_t stuck = 0;
        for (std::size_t t = 0; decision.simulations < budget.simulations && stuck < MOST_STUCK &&
                                !(budget.even ? closed(tolerance) : decided(tolerance));
             ++t) {
            if (Clock::now() >= budget.deadline) break;
            if (bytes() > budget.memory) {
                decision.full = true;
                break;
            }
            const std::int64_t before = expanded_;
            const std::int32_t first = budget.even ? widest_action() : NONE;
            const std::int64_t most = before + budget.simulations - decision.simulations;
            const auto has_budget = [&] {
                pause();
                return expanded_ < most && Clock::now() < budget.deadline;
            };
            trial(KAPPAS[t % std::size(KAPPAS)], tolerance, first, has_budget);
            if (expanded_ == before) trial(1, tolerance, first, has_budget);
            stuck = expanded_ == before ? stuck + 1 : 0;
            decision.simulations += std::max<std::int64_t>(1, expanded_ - before);
        }
        decision.decided = decided(tolerance);
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        for (std::int32_t a = 0; a < A_; ++a) {
            decision.lower.push_back(root[a].lower);
            decision.upper.push_back(root[a].upper);
            decision.visits.push_back(root[a].visits + 1);
        }
        decision.depth = depth_;
        decision.action = best(0);
        return decision;
    }

    // The nodes that were expanded, as a tree to look at; values are lower bounds.
    std::shared_ptr<Tree> tree() const {
        auto tree = std::make_shared<Tree>(A_);
        std::vector<Node> placed(nodes_.size(), NO_NODE);
        for (std::size_t x = 0; x < nodes_.size(); ++x) {
            const BoundsNode& node = nodes_[x];
            if (node.actions == NONE) continue;
            if (x == 0) {
                tree->clear(node.state);
                placed[x] = ROOT;
            } else {
                const Node above = placed[static_cast<std::size_t>(node.parent)];
                if (above == NO_NODE) continue;
                placed[x] =
                    tree->add({mix(x + 1), node.state, static_cast<std::uint32_t>(above * A_ + node.parent_action), 0});
            }
            tree->state(placed[x]).visits = node.visits + (x == 0 ? 1 : 0);
            for (std::int32_t a = 0; a < A_; ++a) {
                const Action& action = actions_[static_cast<std::size_t>(node.actions + a)];
                tree->edges(placed[x])[a] = {action.lower, 0, action.visits + (x == 0 ? 1 : 0), NO_NODE};
            }
        }
        return tree;
    }

 private:
    static constexpr double KAPPAS[] = {1, 0.3, 0.1};
    static constexpr std::int64_t MOST_STUCK = 20;
    static constexpr std::size_t MOST_DEPTH = 200;
    // Rows that the evaluation of a policy reads at most: where outcomes are random each step branches, and it hardly
    // pays.
    static constexpr std::size_t WORK = 4096, WORK_OF_RANDOM = 64;
    static constexpr double NEGLIGIBLE = 1e-3;  // discount

    struct World {
        std::int32_t id;
        double weight;
    };
    struct Edge {
        std::int32_t child;  // NONE: the end
        double p, reward;
    };
    struct Action {
        double lower, upper;
        std::int32_t first, size, visits;
    };
    struct BoundsNode {
        std::int32_t state;
        std::int64_t left;
        std::size_t first, size;  // its worlds
        double lower, upper;
        std::int32_t actions = NONE, visits = 0, parent = NONE, parent_action = 0;
    };
    // Worlds with the same observation.
    struct Group {
        std::int32_t next;
        bool end;
        double reward, mass;
        std::size_t first, size;  // on the stack
    };

    // ---- splitting

    // The worlds stack[first, first + size) by what is observed after action `a`: groups in order of first sight, with
    // their worlds on top of the stack, weighed by the likelihood.
    void split(std::int32_t state, std::int64_t left, std::size_t a, std::size_t first, std::size_t size,
               std::vector<Group>& groups) {
        groups.clear();
        split_.clear();
        std::size_t last = 0;
        for (std::size_t i = first; i < first + size; ++i) {
            const World world = stack_[i];
            for (const WorldOutcome& o :
                 worlds_.row(static_cast<std::size_t>(world.id), static_cast<std::size_t>(state), a)) {
                if (o.p <= 0) continue;
                const auto same = [&](const Group& g) {
                    return g.next == o.next && g.end == o.end && g.reward == o.reward;
                };
                if (last >= groups.size() || !same(groups[last])) {
                    last = static_cast<std::size_t>(std::ranges::find_if(groups, same) - groups.begin());
                    if (last == groups.size()) groups.push_back({o.next, o.end, o.reward, 0, 0, 0});
                }
                groups[last].mass += world.weight * o.p;
                ++groups[last].size;
                split_.push_back({last, {world.id, world.weight * o.p}});
            }
        }
        std::size_t place = stack_.size();
        for (Group& group : groups) {
            group.first = place;
            place += std::exchange(group.size, 0);
        }
        stack_.resize(place);
        for (const auto& [group, world] : split_) stack_[groups[group].first + groups[group].size++] = world;
        for (Group& group : groups) group.next = worlds_.after(group.next, left);
    }

    // ---- the first bounds of a node; worlds as above, values times their mass

    double upper(std::int32_t state, std::int64_t left, std::size_t first, std::size_t size) const {
        double sum = 0;
        for (std::size_t i = first; i < first + size; ++i)
            sum += stack_[i].weight * worlds_.value(static_cast<std::size_t>(stack_[i].id), state, left);
        return sum;
    }

    // A lower bound where one world is left.
    double of_one_world(std::int32_t state, std::int64_t left, std::size_t first) const {
        return upper(state, left, first, 1) - stack_[first].weight * worlds_.error();
    }

    double without_learning(std::int32_t state, std::int64_t left, std::size_t first, std::size_t size) const {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < worlds_.num_policies(); ++k) {
            double sum = 0;
            for (std::size_t i = first; i < first + size; ++i)
                sum += stack_[i].weight * worlds_.fixed(k, static_cast<std::size_t>(stack_[i].id), state, left);
            most = std::max(most, sum);
        }
        return most;
    }

    std::size_t base_action(bool committed, std::int32_t state, std::int64_t left, std::size_t first,
                            std::size_t size) const {
        if (committed) {
            std::size_t likeliest = first;
            for (std::size_t i = first + 1; i < first + size; ++i)
                if (stack_[i].weight > stack_[likeliest].weight) likeliest = i;
            return worlds_.optimal(static_cast<std::size_t>(stack_[likeliest].id), state, left);
        }
        std::size_t best = 0;
        double most = 0;
        for (std::size_t a = 0; a < worlds_.num_actions(); ++a) {
            double sum = 0;
            for (std::size_t i = first; i < first + size; ++i)
                sum += stack_[i].weight * worlds_.q(static_cast<std::size_t>(stack_[i].id), state, a, left);
            if (a == 0 || sum > most + 1e-12 * std::abs(most)) most = sum, best = a;
        }
        return best;
    }

    // The value of a policy that learns; `weight` is the discount so far.
    double with_learning(bool committed, std::int32_t state, std::int64_t left, std::size_t first, std::size_t size,
                         double weight) {
        const std::size_t mark = stack_.size(), work = size * (committed ? 1 : worlds_.num_actions());
        std::vector<Group> groups;
        double sum = 0, discount = 1;
        for (;; discount *= gamma_, --left) {
            if (size == 1) {
                sum += discount * of_one_world(state, left, first);
                break;
            }
            if (work_left_ < work || weight * discount < NEGLIGIBLE) {
                sum += discount * without_learning(state, left, first, size);
                break;
            }
            work_left_ -= work;
            split(state, left, base_action(committed, state, left, first, size), first, size, groups);
            const bool last = worlds_.ends() && left == 1;
            if (groups.size() > 1) {
                for (const Group& g : groups) {
                    const double ahead = g.end || last ? 0
                                                       : with_learning(committed, g.next, left - 1, g.first, g.size,
                                                                       weight * discount * gamma_);
                    sum += discount * (g.mass * g.reward + gamma_ * ahead);
                }
                break;
            }
            sum += discount * groups[0].mass * groups[0].reward;
            if (groups[0].end || last) break;
            state = groups[0].next;
            std::copy_n(stack_.begin() + static_cast<std::ptrdiff_t>(groups[0].first), size,
                        stack_.begin() + static_cast<std::ptrdiff_t>(mark));
            first = mark;
            stack_.resize(mark + size);
        }
        stack_.resize(mark);
        return sum;
    }

    double lower(std::int32_t state, std::int64_t left, std::size_t first, std::size_t size) {
        double most = without_learning(state, left, first, size);
        for (const bool committed : {false, true}) {
            work_left_ = worlds_.deterministic() ? WORK : WORK_OF_RANDOM;
            most = std::max(most, with_learning(committed, state, left, first, size, 1));
        }
        return most;
    }

    // ---- the tree

    // The node of a belief on the stack, whose weights sum to one.
    std::int32_t node(std::int32_t state, std::int64_t left, std::size_t first, std::size_t size) {
        std::uint64_t name =
            mix(static_cast<std::uint64_t>(state) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(left));
        for (std::size_t i = first; i < first + size; ++i) {
            const auto rounded = static_cast<std::uint64_t>(std::llround(stack_[i].weight * 0x1p40));
            name = mix(name ^ (static_cast<std::uint64_t>(stack_[i].id) + 1) * 0xd1342543de82ef95U) +
                   rounded * 0x9e3779b97f4a7c15U;
        }
        const Index known = names_.find(static_cast<std::int64_t>(name));
        if (known != NONE) return known;
        names_.find_or_add(static_cast<std::int64_t>(name));
        const double high = upper(state, left, first, size),
                     low =
                         size == 1 ? of_one_world(state, left, first) : std::min(high, lower(state, left, first, size));
        nodes_.push_back({state, left, kept_.size(), size, low, high});
        kept_.insert(kept_.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first),
                     stack_.begin() + static_cast<std::ptrdiff_t>(first + size));
        return static_cast<std::int32_t>(nodes_.size()) - 1;
    }

    void expand(std::int32_t x) {
        const BoundsNode from = nodes_[static_cast<std::size_t>(x)];
        ++expanded_;
        const std::size_t mark = stack_.size();
        std::vector<Action> actions;
        for (std::int32_t a = 0; a < A_; ++a) {
            const std::size_t here = stack_.size();
            stack_.insert(stack_.end(), kept_.begin() + static_cast<std::ptrdiff_t>(from.first),
                          kept_.begin() + static_cast<std::ptrdiff_t>(from.first + from.size));
            split(from.state, from.left, static_cast<std::size_t>(a), here, from.size, groups_);
            actions.push_back(
                {0, 0, static_cast<std::int32_t>(edges_.size()), static_cast<std::int32_t>(groups_.size()), 0});
            for (const Group& g : groups_) {
                for (std::size_t i = g.first; i < g.first + g.size; ++i) stack_[i].weight /= g.mass;
                std::int32_t child = NONE;
                if (!g.end && !(worlds_.ends() && from.left == 1)) {
                    const std::size_t before = nodes_.size();
                    child = node(g.next, worlds_.ends() ? from.left - 1 : 0, g.first, g.size);
                    if (nodes_.size() > before) nodes_.back().parent = x, nodes_.back().parent_action = a;
                }
                edges_.push_back({child, g.mass, g.reward});
            }
            stack_.resize(mark);
        }
        nodes_[static_cast<std::size_t>(x)].actions = static_cast<std::int32_t>(actions_.size());
        actions_.insert(actions_.end(), actions.begin(), actions.end());
    }

    void update(std::int32_t x) {
        BoundsNode& node = nodes_[static_cast<std::size_t>(x)];
        double low = -std::numeric_limits<double>::infinity(), high = low;
        for (std::int32_t a = 0; a < A_; ++a) {
            Action& action = actions_[static_cast<std::size_t>(node.actions + a)];
            action.lower = action.upper = 0;
            for (std::int32_t e = action.first; e < action.first + action.size; ++e) {
                const Edge& edge = edges_[static_cast<std::size_t>(e)];
                const bool over = edge.child == NONE;
                action.lower +=
                    edge.p * (edge.reward + (over ? 0 : gamma_ * nodes_[static_cast<std::size_t>(edge.child)].lower));
                action.upper +=
                    edge.p * (edge.reward + (over ? 0 : gamma_ * nodes_[static_cast<std::size_t>(edge.child)].upper));
            }
            low = std::max(low, action.lower);
            high = std::max(high, action.upper);
        }
        node.lower = std::max(node.lower, low);
        node.upper = std::max(node.lower, std::min(node.upper, high));
    }

    double gap(std::int32_t x) const {
        return nodes_[static_cast<std::size_t>(x)].upper - nodes_[static_cast<std::size_t>(x)].lower;
    }

    // With a `first` action, or the one that is chosen at the root; for as long as the budget allows.
    template <class HasBudget>
    void trial(double kappa, double epsilon, std::int32_t first_action, HasBudget&& has_budget) {
        path_.clear();
        std::int32_t x = 0;
        while (path_.size() < MOST_DEPTH && (gap(x) > epsilon || (x == 0 && first_action != NONE))) {
            path_.push_back(x);
            const bool is_new = nodes_[static_cast<std::size_t>(x)].actions == NONE;
            if (is_new) expand(x);
            update(x);
            if (is_new && !has_budget()) break;
            const std::int32_t first = nodes_[static_cast<std::size_t>(x)].actions;
            ++nodes_[static_cast<std::size_t>(x)].visits;
            std::int32_t chosen = 0;
            double most = 0;
            for (std::int32_t a = 0; a < A_; ++a) {
                const Action& action = actions_[static_cast<std::size_t>(first + a)];
                const double score = action.lower + kappa * (action.upper - action.lower);
                if (a == 0 || score > most + 1e-12 * std::abs(most)) most = score, chosen = a;
            }
            if (x == 0 && first_action != NONE) chosen = first_action;
            Action& action = actions_[static_cast<std::size_t>(first + chosen)];
            ++action.visits;
            std::int32_t next = NONE;
            double widest = 1e-3 * epsilon;
            for (std::int32_t e = action.first; e < action.first + action.size; ++e) {
                const Edge& edge = edges_[static_cast<std::size_t>(e)];
                if (edge.child == NONE || edge.p * gap(edge.child) <= widest) continue;
                widest = edge.p * gap(edge.child);
                next = edge.child;
            }
            if (next == NONE) break;
            x = next;
            epsilon /= gamma_;
        }
        depth_ = std::max(depth_, static_cast<std::int32_t>(path_.size()));
        for (std::size_t i = path_.size(); i-- > 0;) update(path_[i]);
    }

    // By the lower bound, then the upper one.
    std::int32_t best(std::int32_t x) const {
        const Action* actions = &actions_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(x)].actions)];
        std::int32_t best = 0;
        for (std::int32_t a = 1; a < A_; ++a) {
            const double slack = 1e-9 * std::abs(actions[best].lower), more = actions[a].lower - actions[best].lower;
            if (more > slack || (more >= -slack && actions[a].upper > actions[best].upper + slack)) best = a;
        }
        return best;
    }

    std::int32_t widest_action() const {
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        return static_cast<std::int32_t>(
            std::max_element(root, root + A_,
                             [](const Action& l, const Action& r) { return l.upper - l.lower < r.upper - r.lower; }) -
            root);
    }
    bool closed(double tolerance) const {
        const Action& widest = actions_[static_cast<std::size_t>(nodes_[0].actions + widest_action())];
        return widest.upper - widest.lower <= tolerance;
    }

    bool decided(double tolerance) const {
        if (gap(0) <= tolerance) return true;
        const Action* root = &actions_[static_cast<std::size_t>(nodes_[0].actions)];
        const std::int32_t first = best(0);
        for (std::int32_t a = 0; a < A_; ++a)
            if (a != first && root[a].upper > root[first].lower + tolerance) return false;
        return true;
    }

    std::size_t bytes() const {
        return nodes_.size() * (sizeof(BoundsNode) + 24) + actions_.size() * sizeof(Action) +
               edges_.size() * sizeof(Edge) + kept_.size() * sizeof(World);
    }

    const WeightedWorlds& worlds_;
    std::int32_t A_;
    double gamma_;
    std::vector<BoundsNode> nodes_;
    std::vector<Action> actions_;  // of expanded nodes
    std::vector<Edge> edges_;
    std::vector<World> kept_;  // of all nodes
    StateIndex names_;  // [nodes] by state, steps left, worlds and weights
    std::vector<World> stack_;  // scratch
    std::vector<std::pair<std::size_t, World>> split_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> path_;
    std::size_t work_left_ = 0;
    std::int64_t expanded_ = 0;
    std::int32_t depth_ = 0;
};

}  // namespace bamdp

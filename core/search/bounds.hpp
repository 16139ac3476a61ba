// Search with bounds over beliefs that are weighted sets of worlds. Worlds are split exactly by what would be observed:
// nothing is sampled.
//
//   x          node: a state, the steps left, and the worlds that are possible with their weights; one for all
//   histories
//              that lead there
//   U(x)       at first Σ_m w_m V_m(s), then max_a U(x,a)        U(x,a) = Σ_o p (r + gamma U(x o))
//   L(x)       at first the best of some policies, then max_a L(x,a), likewise
//
// Policies of the first lower bound: one that is optimal in some world and doesn't learn; and some that learn, commit
// to the likeliest world, be greedy by Σ_m w_m Q_m, or the user's own, evaluated exactly by splitting, for as long as
// WORK allows and from there on by the first.
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
#include "search/known_worlds.hpp"

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
    // `policy`: a base policy of the user's, of the weights of all worlds and a state by its number; may be empty.
    using Policy = std::function<std::int32_t(std::vector<double> weights, std::int64_t state)>;

    explicit BoundsSearch(const KnownWorlds& worlds, Policy policy = {})
        : worlds_(worlds), policy_(std::move(policy)), A_(static_cast<std::int32_t>(worlds.num_actions())),
          gamma_(worlds.discount()) {}

    // `weights` [M] sum to one; `left` steps are left, 0 without an end.
    BoundsDecision plan(Index state, std::int64_t left, std::span<const double> weights, double tolerance,
                        const BoundsBudget& budget, Pause& pause) {
        for (std::size_t m = 0; m < weights.size(); ++m)
            if (weights[m] > 0) stack_.push_back(worlds_.local(m), weights[m]);
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
                tree->clear(worlds_.rows().number(node.state));
                placed[x] = ROOT;
            } else {
                const Node above = placed[static_cast<std::size_t>(node.parent)];
                if (above == NO_NODE) continue;
                const auto edge = static_cast<std::uint32_t>(above * A_ + node.parent_action);
                placed[x] = tree->add({mix(x + 1), worlds_.rows().number(node.state), edge, 0});
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
    // pays. A policy of the user is slow.
    static constexpr std::size_t WORK = 4096, WORK_OF_RANDOM = 64, CALLS = 64;
    static constexpr double NEGLIGIBLE = 1e-3;  // discount

    enum class Base { GREEDY, COMMITTED, OF_USER };

    // Worlds with weights, one set after another.
    struct Stack {
        std::vector<std::int32_t> ids;
        std::vector<double> weights;

        std::size_t size() const { return ids.size(); }
        void resize(std::size_t n) { ids.resize(n), weights.resize(n); }
        void push_back(std::int32_t id, double weight) { ids.push_back(id), weights.push_back(weight); }
        void append(const Stack& other, std::size_t first, std::size_t n) {
            const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(first + n);
            ids.insert(ids.end(), other.ids.begin() + from, other.ids.begin() + to);
            weights.insert(weights.end(), other.weights.begin() + from, other.weights.begin() + to);
        }
        WeightedWorlds at(std::size_t first, std::size_t n) const {
            return {std::span(ids).subspan(first, n), std::span(weights).subspan(first, n)};
        }
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
        Index state;
        std::int64_t left;
        std::size_t first, size;  // its worlds
        double lower, upper;
        std::int32_t actions = NONE, visits = 0, parent = NONE, parent_action = 0;
    };
    // Worlds with the same observation.
    struct Group {
        std::int64_t number;
        Index next;
        bool end;
        double reward, mass;
        std::size_t first, size;  // on the stack
    };

    // ---- splitting

    // Worlds that share a row, and the groups of its outcomes.
    struct Sharing {
        const WorldRow* row;
        std::vector<std::size_t> groups;
    };

    // The worlds stack[first, first + size) by what is observed after action `a`: groups in order of first sight, with
    // their worlds on top of the stack, weighed by the likelihood. Outcomes are compared once for each different row.
    void split(Index state, std::int64_t left, std::size_t a, std::size_t first, std::size_t size,
               std::vector<Group>& groups) {
        groups.clear();
        std::size_t different = 0;
        sharing_of_.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            const WorldRow& row = worlds_.row(static_cast<std::size_t>(stack_.ids[first + i]), state, a);
            if (row.index >= known_rows_.size()) known_rows_.resize(2 * row.index + 8);
            std::size_t& at = known_rows_[row.index];
            if (at >= different || sharings_[at].row != &row) {
                at = different++;
                if (at == sharings_.size()) sharings_.emplace_back();
                find_groups(row, groups, sharings_[at]);
            }
            sharing_of_[i] = at;
            for (std::size_t k = 0; k < row.outcomes.size(); ++k) {
                Group& group = groups[sharings_[at].groups[k]];
                group.mass += stack_.weights[first + i] * row.outcomes[k].p;
                ++group.size;
            }
        }
        std::size_t place = stack_.size();
        for (Group& group : groups) {
            group.first = place;
            group.next = worlds_.after(group.next, left);
            place += std::exchange(group.size, 0);
        }
        stack_.resize(place);
        for (std::size_t i = 0; i < size; ++i) {
            const Sharing& sharing = sharings_[sharing_of_[i]];
            for (std::size_t k = 0; k < sharing.groups.size(); ++k) {
                Group& group = groups[sharing.groups[k]];
                const std::size_t to = group.first + group.size++;
                stack_.ids[to] = stack_.ids[first + i];
                stack_.weights[to] = stack_.weights[first + i] * sharing.row->outcomes[k].p;
            }
        }
    }

    static void find_groups(const WorldRow& row, std::vector<Group>& groups, Sharing& sharing) {
        sharing.row = &row;
        sharing.groups.clear();
        for (const WorldOutcome& o : row.outcomes) {
            const auto same = [&](const Group& g) {
                return g.number == o.number && g.end == o.end && g.reward == o.reward;
            };
            const auto known = std::ranges::find_if(groups, same);
            sharing.groups.push_back(static_cast<std::size_t>(known - groups.begin()));
            if (known == groups.end()) groups.push_back({o.number, o.base, o.end, o.reward, 0, 0, 0});
        }
    }

    // What surely happens after action `a` in all worlds, if that is known.
    const WorldOutcome* certain(Index state, std::size_t a, const WeightedWorlds& worlds) const {
        const WorldRow* row = nullptr;
        for (const std::int32_t id : worlds.ids) {
            const WorldRow* own = &worlds_.row(static_cast<std::size_t>(id), state, a);
            if (row != nullptr && own != row) return nullptr;
            row = own;
        }
        return row->outcomes.size() == 1 ? &row->outcomes[0] : nullptr;
    }

    // ---- the first bounds of a node; worlds as above, values times their mass

    // One world is left, whose value is known.
    bool is_solved(std::size_t size) const { return size == 1 && worlds_.exact(); }
    double solved(const WeightedWorlds& world, Index state, std::int64_t left) const {
        return worlds_.value(world, state, left) - world.mass() * worlds_.error();
    }

    std::size_t base_action(Base base, Index state, std::int64_t left, const WeightedWorlds& worlds) {
        if (base == Base::OF_USER)
            return static_cast<std::size_t>(policy_(worlds_.all_weights(worlds), worlds_.rows().number(state)));
        if (base == Base::COMMITTED) {
            const auto likeliest = std::ranges::max_element(worlds.weights) - worlds.weights.begin();
            return worlds_.optimal(static_cast<std::size_t>(worlds.ids[static_cast<std::size_t>(likeliest)]), state,
                                   left);
        }
        std::size_t best = 0;
        double most = 0;
        for (std::size_t a = 0; a < worlds_.num_actions(); ++a) {
            const double sum = worlds_.q(worlds, state, a, left);
            if (a == 0 || sum > most + 1e-12 * std::abs(most)) most = sum, best = a;
        }
        return best;
    }

    // Of an evaluation of a policy.
    std::size_t work_of(Base base) const {
        if (base == Base::OF_USER) return CALLS;
        return worlds_.rows().deterministic() ? WORK : WORK_OF_RANDOM;
    }
    std::size_t work_of_step(Base base, std::size_t size) const {
        if (base == Base::OF_USER) return 1;
        return base == Base::COMMITTED ? size : size * worlds_.num_actions();
    }

    // The value of a policy that learns; `weight` is the discount so far.
    double with_learning(Base base, Index state, std::int64_t left, std::size_t first, std::size_t size,
                         double weight) {
        const std::size_t mark = stack_.size(), work = work_of_step(base, size);
        const double mass = stack_.at(first, size).mass();
        double sum = 0, discount = 1;
        for (;; discount *= gamma_, --left) {
            const WeightedWorlds worlds = stack_.at(first, size);
            if (is_solved(size)) return sum + discount * solved(worlds, state, left);
            if (work_left_ < work || weight * discount < NEGLIGIBLE)
                return sum + discount * worlds_.fixed(worlds, state, left);
            work_left_ -= work;
            const std::size_t action = base_action(base, state, left, worlds);
            const bool last = worlds_.ends() && left == 1;
            if (const WorldOutcome* o = certain(state, action, worlds)) {
                sum += discount * mass * o->reward;
                if (o->end || last) return sum;
                state = worlds_.after(o->base, left);
                continue;
            }
            std::vector<Group> groups;
            split(state, left, action, first, size, groups);
            for (const Group& g : groups) {
                const double ahead = g.end || last ? 0
                                                   : with_learning(base, g.next, left - 1, g.first, g.size,
                                                                   weight * discount * gamma_);
                sum += discount * (g.mass * g.reward + gamma_ * ahead);
            }
            stack_.resize(mark);
            return sum;
        }
    }

    double lower(Index state, std::int64_t left, std::size_t first, std::size_t size) {
        double most = worlds_.fixed(stack_.at(first, size), state, left);
        for (const Base base : {Base::GREEDY, Base::COMMITTED, Base::OF_USER}) {
            if (base == Base::OF_USER && !policy_) continue;
            work_left_ = work_of(base);
            most = std::max(most, with_learning(base, state, left, first, size, 1));
        }
        return most;
    }

    // ---- the tree

    // The node of a belief on the stack, whose weights sum to one.
    std::int32_t node(Index state, std::int64_t left, std::size_t first, std::size_t size) {
        std::uint64_t name =
            mix(static_cast<std::uint64_t>(state) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(left));
        for (std::size_t i = first; i < first + size; ++i) {
            const auto rounded = static_cast<std::uint64_t>(std::llround(stack_.weights[i] * 0x1p40));
            name = mix(name ^ (static_cast<std::uint64_t>(stack_.ids[i]) + 1) * 0xd1342543de82ef95U) +
                   rounded * 0x9e3779b97f4a7c15U;
        }
        const Index known = names_.find(static_cast<std::int64_t>(name));
        if (known != NONE) return known;
        names_.find_or_add(static_cast<std::int64_t>(name));
        const WeightedWorlds worlds = stack_.at(first, size);
        const double high = worlds_.value(worlds, state, left),
                     low = is_solved(size) ? solved(worlds, state, left)
                                           : std::min(high, lower(state, left, first, size));
        nodes_.push_back({state, left, kept_.size(), size, low, high});
        kept_.append(stack_, first, size);
        return static_cast<std::int32_t>(nodes_.size()) - 1;
    }

    void expand(std::int32_t x) {
        const BoundsNode from = nodes_[static_cast<std::size_t>(x)];
        ++expanded_;
        const std::size_t mark = stack_.size();
        std::vector<Action> actions;
        for (std::int32_t a = 0; a < A_; ++a) {
            const std::size_t here = stack_.size();
            stack_.append(kept_, from.first, from.size);
            split(from.state, from.left, static_cast<std::size_t>(a), here, from.size, groups_);
            actions.push_back(
                {0, 0, static_cast<std::int32_t>(edges_.size()), static_cast<std::int32_t>(groups_.size()), 0});
            for (const Group& g : groups_) {
                for (std::size_t i = g.first; i < g.first + g.size; ++i) stack_.weights[i] /= g.mass;
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
               edges_.size() * sizeof(Edge) + kept_.size() * (sizeof(double) + sizeof(std::int32_t));
    }

    const KnownWorlds& worlds_;
    const Policy policy_;
    std::int32_t A_;
    double gamma_;
    std::vector<BoundsNode> nodes_;
    std::vector<Action> actions_;  // of expanded nodes
    std::vector<Edge> edges_;
    Stack kept_;         // of all nodes
    StateIndex names_;   // [nodes] by state, steps left, worlds and weights
    Stack stack_;        // scratch
    std::vector<Sharing> sharings_;           // of the last split
    std::vector<std::size_t> sharing_of_;     // of its worlds
    std::vector<std::size_t> known_rows_;     // sharings by the index of a row, if they are of the last split
    std::vector<Group> groups_;
    std::vector<std::int32_t> path_;
    std::size_t work_left_ = 0;
    std::int64_t expanded_ = 0;
    std::int32_t depth_ = 0;
};

}  // namespace bamdp

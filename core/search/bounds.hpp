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
//
// With MANY actions those of a node are opened as they are needed, with bounds after one step until then; at the root
// most trials take the best few in turn and halve them. Where the outcomes of many worlds are random no policy that
// learns can be followed, and bounds may stay far apart: then estimates decide, see `estimate`.
#pragma once

#include <unordered_set>

#include "search/known_worlds.hpp"
#include "search/tree.hpp"

namespace bamdp {

struct BoundsBudget {
    std::int64_t simulations;    // nodes to expand
    Clock::time_point deadline;  // time_point::max(): none
    std::size_t memory;          // bytes
    bool even = false;           // bounds of all actions, not only of those that may be the best
};

struct BoundsDecision {
    std::int32_t action = 0;
    std::vector<double> lower, upper;  // [A]
    std::vector<double> estimates;     // [A] by which it was decided; empty if by the lower bounds
    std::vector<std::int64_t> visits;  // [A] trials that began with each action, and the expansion of the root
    std::int64_t simulations = 1;      // nodes expanded
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
        num_worlds_ = stack_.size();
        deadline_ = budget.deadline;
        cut_ = false;
        node(state, left, 0, stack_.size());
        const bool cut = cut_ && num_worlds_ > WORK_OF_RANDOM && !worlds_.rows().deterministic();
        if (cut) bound_by_searching();
        expand(0);
        update(0);
        const double first_gap = gap_of_policies();
        BoundsDecision decision;
        const Spent spent(budget);
        Halving halving(*this, spent);
        std::int64_t stuck = 0, look = FIRST_LOOK;
        for (std::size_t t = 0; decision.simulations < budget.simulations && stuck < MOST_STUCK &&
                                !(budget.even ? closed(tolerance) : decided(tolerance));
             ++t) {
            if (Clock::now() >= budget.deadline) break;
            if (cut && decision.simulations >= look) {
                look = 2 * decision.simulations;
                if ((first_gap - gap_of_policies()) / spent.share(decision.simulations) < 0.1 * first_gap) break;
            }
            if (bytes() > budget.memory) {
                decision.full = true;
                break;
            }
            const std::int64_t before = expanded_;
            const std::int64_t most = before + budget.simulations - decision.simulations;
            const auto has_budget = [&] {
                pause();
                return expanded_ < most && Clock::now() < budget.deadline;
            };
            Preference prefer{KAPPAS[(A_ > MANY ? t / 4 : t) % std::size(KAPPAS)], NONE, false};
            if (budget.even)
                prefer.first = widest_action();
            else if (A_ > MANY && t % 4 != 3)
                prefer = halving.next(decision.simulations);
            trial(prefer, tolerance, has_budget);
            if (expanded_ == before) trial({1, prefer.first, false}, tolerance, has_budget);
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
        if (cut && !decision.decided && gap_of_policies() > 0.9 * first_gap) estimate(decision);
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
    static constexpr double KAPPAS[] = {1, 0.3, 0.1}, SMALL_KAPPAS[] = {0, 0.03};
    static constexpr std::int64_t MOST_STUCK = 20;
    static constexpr std::size_t MOST_DEPTH = 200;
    // Rows that the evaluation of a policy reads at most: where outcomes are random each step branches, and it hardly
    // pays. A policy of the user is slow.
    static constexpr std::size_t WORK = 4096, WORK_OF_WORLD = 16, WORK_OF_RANDOM = 64, WORK_OF_SEARCHING = 1 << 17,
                                 CALLS = 64;
    // With MANY actions not all are opened at once, and not all that look alike are evaluated.
    static constexpr std::int32_t MANY = 16, MOST_OF_SHAPE = 8;
    static constexpr std::size_t MOST_OPENED = 16;
    static constexpr double NEGLIGIBLE = 1e-3;  // discount
    static constexpr double ONE[] = {1};
    static constexpr double PRICE = 2;  // of a likelier world; 1, 2 and 3 don't differ significantly
    static constexpr std::int64_t FIRST_LOOK = 32;  // simulations before bounds may be given up

    enum class Base { GREEDY, COMMITTED, OF_USER, SEARCHING };

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
        double lower = 0, upper = 0;
        std::int32_t first = NONE, size = 0;  // edges; first NONE: closed, its bounds are those after one step
        std::int32_t visits = 0;
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
    // If `blind`, only states, rewards and ends are observed.
    void split(Index state, std::int64_t left, std::size_t a, std::size_t first, std::size_t size,
               std::vector<Group>& groups, bool blind = false) {
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
                find_groups(row, groups, sharings_[at], blind);
            }
            sharing_of_[i] = at;
            const std::vector<WorldOutcome>& outcomes = blind ? row.moves() : row.outcomes;
            for (std::size_t k = 0; k < outcomes.size(); ++k) {
                Group& group = groups[sharings_[at].groups[k]];
                group.mass += stack_.weights[first + i] * outcomes[k].p;
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
            const std::vector<WorldOutcome>& outcomes = blind ? sharing.row->moves() : sharing.row->outcomes;
            for (std::size_t k = 0; k < sharing.groups.size(); ++k) {
                Group& group = groups[sharing.groups[k]];
                const std::size_t to = group.first + group.size++;
                stack_.ids[to] = stack_.ids[first + i];
                stack_.weights[to] = stack_.weights[first + i] * outcomes[k].p;
            }
        }
    }

    static void find_groups(const WorldRow& row, std::vector<Group>& groups, Sharing& sharing, bool blind) {
        sharing.row = &row;
        sharing.groups.clear();
        for (const WorldOutcome& o : blind ? row.moves() : row.outcomes) {
            const auto same = [&](const Group& g) {
                const bool same_state = blind ? g.next == o.base : g.number == o.number;
                return same_state && g.end == o.end && g.reward == o.reward;
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
        if (base == Base::SEARCHING) return worlds_.optimal(nearest_likely(state, left, worlds), state, left);
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

    // Of the worlds that are at least half as likely as any, the one that is worth most.
    std::size_t nearest_likely(Index state, std::int64_t left, const WeightedWorlds& worlds) const {
        const double likely = 0.5 * *std::ranges::max_element(worlds.weights);
        std::size_t best = worlds.size();
        double most = 0;
        for (std::size_t i = 0; i < worlds.size(); ++i) {
            if (worlds.weights[i] < likely) continue;
            const double value = worlds_.value({worlds.ids.subspan(i, 1), ONE}, state, left);
            if (best == worlds.size() || value > most) most = value, best = i;
        }
        return static_cast<std::size_t>(worlds.ids[best]);
    }

    // Of an evaluation of a policy.
    std::size_t work_of(Base base) const {
        if (base == Base::OF_USER) return CALLS;
        if (base == Base::SEARCHING) return WORK_OF_SEARCHING;
        return worlds_.rows().deterministic() ? std::max(WORK, WORK_OF_WORLD * num_worlds_) : WORK_OF_RANDOM;
    }
    std::size_t work_of_step(Base base, std::size_t size) const {
        if (base == Base::OF_USER) return 1;
        return base == Base::GREEDY ? size * worlds_.num_actions() : size;
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
            cut_ |= work_left_ < work;
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
            split(state, left, action, first, size, groups, base == Base::SEARCHING);
            for (const Group& g : groups) {
                const double ahead =
                    g.end || last ? 0
                                  : with_learning(base, g.next, left - 1, g.first, g.size, weight * discount * gamma_);
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
            if (base == Base::GREEDY && A_ > MANY && work_of_step(base, size) > WORK / 8) continue;
            work_left_ = work_of(base);
            most = std::max(most, with_learning(base, state, left, first, size, 1));
        }
        return most;
    }

    double first_lower(Index state, std::int64_t left, std::size_t first, std::size_t size) {
        return is_solved(size) ? solved(stack_.at(first, size), state, left) : lower(state, left, first, size);
    }

    // A policy that ignores what is seen, but for states, rewards and ends, can be followed far where outcomes are
    // random: that of the nearest likely world until it is ruled out.
    void bound_by_searching() {
        BoundsNode& root = nodes_[0];
        const std::size_t mark = stack_.size();
        stack_.append(kept_, root.first, root.size);
        floor_action_ =
            static_cast<std::int32_t>(base_action(Base::SEARCHING, root.state, root.left, stack_.at(mark, root.size)));
        work_left_ = work_of(Base::SEARCHING);
        floor_ = with_learning(Base::SEARCHING, root.state, root.left, mark, root.size, 1);
        stack_.resize(mark);
    }

    // ---- estimates, where bounds stay far apart

    // Between the upper bound and the best policy known; the decision doesn't look at that which ignores what is seen,
    // as it was evaluated for one action only.
    double gap_of_policies() const { return nodes_[0].upper - std::max(nodes_[0].lower, floor_); }

    // How many worlds are likelier than the true one, on average; those of about equal weight count half.
    static double expected_rank(std::span<const double> weights) {
        constexpr int PARTS = 4, OCTAVES = 64;
        std::array<double, PARTS * OCTAVES> masses{};
        std::array<double, PARTS * OCTAVES> counts{};
        const double most = *std::ranges::max_element(weights);
        for (const double w : weights) {
            int exponent = 0;
            const double fraction = std::frexp(w / most, &exponent);  // from 1/2 to 1
            const int part = PARTS * -exponent + static_cast<int>((1 - fraction) * 2 * PARTS) + PARTS;
            const auto at = static_cast<std::size_t>(std::clamp(part, 0, PARTS * OCTAVES - 1));
            masses[at] += w, counts[at] += 1;
        }
        double sum = 0, before = 0, mass = 0;
        for (std::size_t i = 0; i < masses.size(); ++i) {
            if (counts[i] > 0) sum += masses[i] * (before + (counts[i] - 1) / 2);
            before += counts[i], mass += masses[i];
        }
        return sum / mass;
    }

    // Decide by estimates of what follows the first step: U less a loss for each world that is likelier than the true
    // one, PRICE times what it costs the policy that ignores what is seen.
    void estimate(BoundsDecision& decision) const {
        const auto loss_and_rank = [&](std::int32_t x) {
            const BoundsNode& node = nodes_[static_cast<std::size_t>(x)];
            const WeightedWorlds worlds = kept_.at(node.first, node.size);
            return std::pair(worlds_.value(worlds, node.state, node.left), expected_rank(worlds.weights));
        };
        const auto [high, rank] = loss_and_rank(0);
        const double loss = rank > 0 ? PRICE * (high - std::max(nodes_[0].lower, floor_)) / rank : 0;
        decision.estimates.assign(static_cast<std::size_t>(A_), 0.0);
        for (std::int32_t a = 0; a < A_; ++a) {
            const Action& action = root(a);
            double& sum = decision.estimates[static_cast<std::size_t>(a)];
            if (action.first == NONE) {
                sum = action.lower;
                continue;
            }
            for (std::int32_t e = action.first; e < action.first + action.size; ++e) {
                const Edge& edge = edges_[static_cast<std::size_t>(e)];
                sum += edge.p * edge.reward;
                if (edge.child == NONE) continue;
                const BoundsNode& child = nodes_[static_cast<std::size_t>(edge.child)];
                const auto [most, likelier] = loss_and_rank(edge.child);
                sum += edge.p * gamma_ * std::clamp(most - loss * likelier, child.lower, child.upper);
            }
        }
        decision.action = 0;
        for (std::int32_t a = 1; a < A_; ++a) {
            const double known = decision.estimates[static_cast<std::size_t>(decision.action)];
            const double more = decision.estimates[static_cast<std::size_t>(a)] - known;
            if (more > 1e-9 * std::abs(known)) decision.action = a;
        }
        const auto of_floor = static_cast<std::size_t>(floor_action_);
        decision.lower[of_floor] = std::max(decision.lower[of_floor], std::min(floor_, decision.upper[of_floor]));
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
        const double high = worlds_.value(stack_.at(first, size), state, left),
                     low = std::min(high, first_lower(state, left, first, size));
        nodes_.push_back({state, left, kept_.size(), size, low, high});
        kept_.append(stack_, first, size);
        return static_cast<std::int32_t>(nodes_.size()) - 1;
    }

    void expand(std::int32_t x) {
        ++expanded_;
        nodes_[static_cast<std::size_t>(x)].actions = static_cast<std::int32_t>(actions_.size());
        actions_.resize(actions_.size() + static_cast<std::size_t>(A_));
        if (A_ <= MANY)
            for (std::int32_t a = 0; a < A_; ++a) open(x, a);
        else
            open_best(x);
    }

    bool is_last(std::int64_t left) const { return worlds_.ends() && left == 1; }

    // The outcomes of an action become nodes.
    void open(std::int32_t x, std::int32_t a) {
        const BoundsNode from = nodes_[static_cast<std::size_t>(x)];
        const std::size_t mark = stack_.size();
        stack_.append(kept_, from.first, from.size);
        split(from.state, from.left, static_cast<std::size_t>(a), mark, from.size, groups_);
        Action& action = actions_[static_cast<std::size_t>(from.actions + a)];
        action.first = static_cast<std::int32_t>(edges_.size());
        action.size = static_cast<std::int32_t>(groups_.size());
        for (const Group& g : groups_) {
            for (std::size_t i = g.first; i < g.first + g.size; ++i) stack_.weights[i] /= g.mass;
            std::int32_t child = NONE;
            if (!g.end && !is_last(from.left)) {
                const std::size_t before = nodes_.size();
                child = node(g.next, worlds_.ends() ? from.left - 1 : 0, g.first, g.size);
                if (nodes_.size() > before) nodes_.back().parent = x, nodes_.back().parent_action = a;
            }
            edges_.push_back({child, g.mass, g.reward});
        }
        stack_.resize(mark);
    }

    // Of many actions: bounds of all after one step, and the best few by the lower one are opened, one of each shape.
    void open_best(std::int32_t x) {
        const BoundsNode from = nodes_[static_cast<std::size_t>(x)];
        const std::size_t mark = stack_.size();
        std::unordered_map<std::uint64_t, std::int32_t> of_shape;
        std::vector<std::uint64_t> shapes;
        stack_.append(kept_, from.first, from.size);
        for (std::int32_t a = 0; a < A_; ++a) {
            Action& action = actions_[static_cast<std::size_t>(from.actions + a)];
            if (a > 0 && Clock::now() >= deadline_) {  // too late to look at the others
                action.lower = worlds_.least(from.left), action.upper = worlds_.most(from.left);
                shapes.push_back(static_cast<std::uint64_t>(a));
                continue;
            }
            const std::size_t here = stack_.size();
            split(from.state, from.left, static_cast<std::size_t>(a), mark, from.size, groups_);
            shapes.push_back(bound_above(from.left, action));
            const bool is_cheap = std::ranges::all_of(groups_, [&](const Group& g) { return is_solved(g.size); });
            if (++of_shape[shapes.back()] <= MOST_OF_SHAPE || is_cheap) bound_below(from.left, action);
            stack_.resize(here);
        }
        stack_.resize(mark);
        std::vector<std::int32_t> order(static_cast<std::size_t>(A_));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::greater(), [&](std::int32_t a) {
            return actions_[static_cast<std::size_t>(from.actions + a)].lower;
        });
        std::unordered_set<std::uint64_t> opened;
        for (std::size_t i = 0; i < order.size() && opened.size() < MOST_OPENED; ++i)
            if ((i == 0 || Clock::now() < deadline_) &&
                opened.insert(shapes[static_cast<std::size_t>(order[i])]).second)
                open(x, order[i]);
    }

    // The upper bound of an action after one step, of the groups of its split, and a name of its shape: what its
    // outcomes weigh, pay and promise. The lower bound is the least that can be earned.
    std::uint64_t bound_above(std::int64_t left, Action& action) {
        std::vector<std::uint64_t> parts;
        action.first = NONE;
        for (const Group& g : groups_) {
            const bool over = g.end || is_last(left);
            const std::int64_t later = worlds_.ends() ? left - 1 : 0;
            const double ahead = over ? 0 : gamma_ * worlds_.value(stack_.at(g.first, g.size), g.next, later);
            action.upper += g.mass * g.reward + ahead;
            action.lower += g.mass * (g.reward + (over ? 0 : gamma_ * worlds_.least(later)));
            const auto rounded = [](double y) { return static_cast<std::uint64_t>(std::llround(y * 0x1p30)); };
            parts.push_back(mix(rounded(g.mass) + 3 * mix(rounded(g.mass * g.reward) + 3 * mix(rounded(ahead)))));
        }
        std::ranges::sort(parts);
        std::uint64_t shape = parts.size();
        for (const std::uint64_t part : parts) shape = mix(shape ^ part) + 0x9e3779b97f4a7c15U;
        return shape;
    }
    void bound_below(std::int64_t left, Action& action) {
        double sum = 0;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const Group g = groups_[i];
            const std::int64_t later = worlds_.ends() ? left - 1 : 0;
            const bool over = g.end || is_last(left);
            sum += g.mass * g.reward + (over ? 0 : gamma_ * first_lower(g.next, later, g.first, g.size));
        }
        action.lower = std::min(action.upper, std::max(action.lower, sum));
    }

    void update(std::int32_t x) {
        BoundsNode& node = nodes_[static_cast<std::size_t>(x)];
        double low = -std::numeric_limits<double>::infinity(), high = low;
        for (std::int32_t a = 0; a < A_; ++a) {
            Action& action = actions_[static_cast<std::size_t>(node.actions + a)];
            if (action.first != NONE) action.lower = action.upper = 0;
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

    // What a trial prefers: L + kappa (U - L); a first action, or NONE; and whether it ends at its first new node and
    // takes outcomes in turn.
    struct Preference {
        double kappa;
        std::int32_t first;
        bool one_step;
    };

    // For as long as the budget allows.
    template <class HasBudget>
    void trial(const Preference& prefer, double epsilon, HasBudget&& has_budget) {
        path_.clear();
        std::int32_t x = 0;
        while (path_.size() < MOST_DEPTH && (gap(x) > epsilon || (x == 0 && prefer.first != NONE))) {
            path_.push_back(x);
            const bool is_new = nodes_[static_cast<std::size_t>(x)].actions == NONE;
            if (is_new) expand(x);
            update(x);
            if (is_new && (prefer.one_step || !has_budget())) break;
            const std::int32_t first = nodes_[static_cast<std::size_t>(x)].actions;
            ++nodes_[static_cast<std::size_t>(x)].visits;
            std::int32_t chosen = 0;
            double most = 0;
            for (std::int32_t a = 0; a < A_; ++a) {
                const Action& action = actions_[static_cast<std::size_t>(first + a)];
                const double score = action.lower + prefer.kappa * (action.upper - action.lower);
                if (a == 0 || score > most + 1e-12 * std::abs(most)) most = score, chosen = a;
            }
            if (x == 0 && prefer.first != NONE) chosen = prefer.first;
            if (actions_[static_cast<std::size_t>(first + chosen)].first == NONE) open(x, chosen);
            Action& action = actions_[static_cast<std::size_t>(first + chosen)];
            ++action.visits;
            std::int32_t next = NONE;
            double widest = 0;
            for (std::int32_t e = action.first; e < action.first + action.size; ++e) {
                const Edge& edge = edges_[static_cast<std::size_t>(e)];
                if (edge.child == NONE || edge.p * gap(edge.child) <= 1e-3 * epsilon) continue;
                const double turns = prefer.one_step ? 1 + nodes_[static_cast<std::size_t>(edge.child)].visits : 1;
                if (edge.p * gap(edge.child) / turns <= widest) continue;
                widest = edge.p * gap(edge.child) / turns;
                next = edge.child;
            }
            if (next == NONE) break;
            x = next;
            epsilon /= gamma_;
        }
        depth_ = std::max(depth_, static_cast<std::int32_t>(path_.size()));
        for (std::size_t i = path_.size(); i-- > 0;) update(path_[i]);
    }

    // How much of a budget is spent, from 0 to 1.
    class Spent {
     public:
        explicit Spent(const BoundsBudget& budget) : budget_(budget), started_(Clock::now()) {}

        double share(std::int64_t simulations) const {
            const double of_simulations = static_cast<double>(simulations) / static_cast<double>(budget_.simulations);
            if (budget_.deadline == Clock::time_point::max()) return of_simulations;
            const std::chrono::duration<double> time = Clock::now() - started_, all = budget_.deadline - started_;
            return std::max(of_simulations, time / all);
        }

     private:
        const BoundsBudget& budget_;
        Clock::time_point started_;
    };

    // Many actions at the root, where their upper bounds don't tell them apart: the opened ones in turn, and after each
    // part of the budget the better half of them by the lower bound (Karnin, Koren, Somekh 2013).
    class Halving {
     public:
        Halving(const BoundsSearch& search, const Spent& spent) : search_(search), spent_(spent) {
            for (std::int32_t a = 0; a < search.A_; ++a)
                if (search.root(a).first != NONE) left_.push_back(a);
            rounds_ = static_cast<int>(std::bit_width(left_.size()));
        }

        Preference next(std::int64_t simulations) {
            while (left_.size() > 2 && spent_.share(simulations) * rounds_ > round_ + 1) {
                ++round_;
                std::ranges::stable_sort(left_, std::greater(), [&](std::int32_t a) { return search_.root(a).lower; });
                left_.resize((left_.size() + 1) / 2);
            }
            const std::size_t place = turn_ % left_.size(), round = turn_++ / left_.size();
            return {SMALL_KAPPAS[round % std::size(SMALL_KAPPAS)], left_[place], true};
        }

     private:
        const BoundsSearch& search_;
        const Spent& spent_;
        std::vector<std::int32_t> left_;
        int rounds_ = 1, round_ = 0;
        std::size_t turn_ = 0;
    };

    const Action& root(std::int32_t a) const { return actions_[static_cast<std::size_t>(nodes_[0].actions + a)]; }

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
    Stack kept_;                           // of all nodes
    StateIndex names_;                     // [nodes] by state, steps left, worlds and weights
    Stack stack_;                          // scratch
    std::vector<Sharing> sharings_;        // of the last split
    std::vector<std::size_t> sharing_of_;  // of its worlds
    std::vector<std::size_t> known_rows_;  // sharings by the index of a row, if they are of the last split
    std::vector<Group> groups_;
    std::vector<std::int32_t> path_;
    std::size_t work_left_ = 0, num_worlds_ = 0;
    Clock::time_point deadline_;
    bool cut_ = false;  // some policy was not evaluated to its end
    double floor_ = -std::numeric_limits<double>::infinity();  // a lower bound of an action at the root
    std::int32_t floor_action_ = NONE;
    std::int64_t expanded_ = 0;
    std::int32_t depth_ = 0;
};

}  // namespace bamdp

// BFS3: forward-search sparse sampling over beliefs (Asmuth, Littman 2011; FSSS: Walsh, Goschin, Littman 2010).
//
//   <s, h>     node: a state and the planned history before it     U, L   upper and lower bound of its value
//   C          successors drawn of each action in each node        D      depth of the search
//   m(s')      how many of the C were s'
//
//   U(<s,h>, a) = Σ_s' m(s')/C (r + gamma U(<s', has'>)),   U(<s,h>) = max_a U(<s,h>, a);   L alike
//
// A trajectory goes from the root to depth D by the action of greatest U and the successor of greatest m(s') (U − L),
// opens the nodes on its way and backs up their bounds. Successors come from the predictive distribution given the real
// counts and those planned on the way. An unopened node has U = Vmax, L = Vmin. A tree that has used up its memory
// can't open any, and is done.
#pragma once

#include "support/in_use.hpp"
#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

struct Bfs3Settings {
    double discount = 0.95;
    std::int32_t branching = 10;  // C
    std::int32_t depth = 15;  // D
    std::int64_t trajectories = 100;  // per action and its C successors together, or of the one shared tree
    double v_min = 0, v_max = 1;
    bool shared = false;  // one tree from the current state; else, as the authors do, one for each successor drawn
    bool closed = false;  // at depth D: value 0; else, as the authors do, the interval stays open
    bool by_lower = false;  // the decision is by L instead of U
    TerminalStates terminal;  // U = L = 0 there
    std::size_t memory = std::numeric_limits<std::size_t>::max();  // bytes for a tree, of which there is one at a time
};

struct Bounds {
    double lower, upper;
};

struct Bfs3Plan {
    std::int32_t action = 0;
    std::vector<Bounds> bounds;  // [A]
    std::vector<std::int64_t> visits;  // [A] trajectories that began with each action
    std::int64_t trajectories = 0;
    std::int64_t nodes = 0;
    bool full = false;  // memory was used up before all trajectories were done
};

template <class M>
class Bfs3 : public InUse {
 public:
    Bfs3(M model, std::int32_t num_actions, Bfs3Settings settings, Random rng)
        : model_(std::move(model)), A_(num_actions), settings_(settings), rng_(rng) {
        reads(model_.belief());
    }
    Bfs3(const Bfs3&) = delete;

    // For the next searches, of a run that ends. `depth` is that of each tree: 0 if the separate ones have no step
    // left.
    void limit(std::int32_t depth, bool closed, double v_min, double v_max) {
        settings_.depth = depth;
        settings_.closed = closed;
        settings_.v_min = v_min;
        settings_.v_max = v_max;
    }

    template <class Pause>
    Bfs3Plan plan(std::int64_t state, Pause&& pause) {
        model_.sync();
        Bfs3Plan plan;
        try {
            if (settings_.shared)
                plan_shared(state, plan, pause);
            else
                plan_separately(state, plan, pause);
        } catch (...) {
            model_.end();
            throw;
        }
        plan.action = decide(plan.bounds);
        return plan;
    }

    template <class Archive>
    void archive(Archive& a) {
        rng_.archive(a);
        model_.archive(a);
    }

 private:
    static constexpr std::int32_t AT_DEPTH = -2, AT_END = -3;

    struct Group {  // equal ones among the C successors of an action
        std::int64_t state;
        double reward;
        std::int32_t count;
        std::int32_t child;  // or NONE: not opened yet; or AT_DEPTH, AT_END: never will be
    };
    struct Visit {
        std::int32_t node, action;
    };

    template <class Pause>
    void plan_shared(std::int64_t state, Bfs3Plan& plan, Pause& pause) {
        clear();
        plan.visits.assign(static_cast<std::size_t>(A_), 0);
        for (std::int64_t i = 0; i < settings_.trajectories && !(plan.full = full()); ++i) {
            trajectory(model_.begin(state, rng_));
            model_.end();
            ++plan.visits[static_cast<std::size_t>(path_.front().action)];
            ++plan.trajectories;
            pause();
        }
        plan.nodes = static_cast<std::int64_t>(nodes_.size());
        plan.bounds.assign(actions_.begin(), actions_.begin() + A_);
    }

    // For each action C successors, each with a tree of its own even if they are equal.
    template <class Pause>
    void plan_separately(std::int64_t state, Bfs3Plan& plan, Pause& pause) {
        for (std::int32_t a = 0; a < A_; ++a) {
            Bounds sum{0, 0};
            const std::int64_t before = plan.trajectories;
            for (std::int32_t c = 0; c < settings_.branching; ++c) {
                const Index h = model_.begin(state, rng_);
                const std::int64_t next_state = model_.state(model_.peek(h, a, rng_));
                model_.end();
                const Bounds ahead = settings_.depth == 0 || settings_.terminal.has(next_state)
                                         ? Bounds{0, 0}
                                         : plan_after(state, a, next_state, plan, pause);
                const double reward = model_.reward(state, a, next_state);
                sum.lower += reward + settings_.discount * ahead.lower;
                sum.upper += reward + settings_.discount * ahead.upper;
            }
            plan.bounds.push_back({sum.lower / settings_.branching, sum.upper / settings_.branching});
            plan.visits.push_back(plan.trajectories - before);
        }
    }

    // A tree from one successor, for its share of the trajectories.
    template <class Pause>
    Bounds plan_after(std::int64_t state, std::int32_t a, std::int64_t next_state, Bfs3Plan& plan, Pause& pause) {
        const std::int64_t share = std::max<std::int64_t>(1, settings_.trajectories / settings_.branching);
        clear();
        for (std::int64_t i = 0; i < share; ++i) {
            if (full()) {
                plan.full = true;
                break;
            }
            const Index h = model_.begin(state, rng_), next = model_.find_or_add(next_state);
            model_.keep(h, a, next);
            trajectory(next);
            model_.end();
            ++plan.trajectories;
            pause();
        }
        plan.nodes += static_cast<std::int64_t>(nodes_.size());
        return nodes_[0];
    }

    // Arrays grow by doubling: while one is moved, there may be twice as much as is in use.
    bool full() const {
        const std::size_t bytes = nodes_.size() * sizeof(Bounds) +
                                  actions_.size() * (sizeof(Bounds) + sizeof(std::size_t)) +
                                  groups_.size() * sizeof(Group);
        return bytes > settings_.memory / 2 ||
               nodes_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    }

    void clear() {
        nodes_.clear();
        actions_.clear();
        first_.assign(1, 0);
        groups_.clear();
    }

    // From the root down to depth D and back.
    void trajectory(Index h) {
        path_.clear();
        if (nodes_.empty()) open(h, 0);
        std::int32_t node = 0;
        for (std::int32_t depth = 1;; ++depth) {
            const std::int32_t a = select_action(node);
            const std::size_t chosen = select_group(node, a);
            path_.push_back({node, a});
            if (depth == settings_.depth || groups_[chosen].child == AT_END ||
                (groups_[chosen].child == NONE && full()))
                break;
            const Index next = model_.find_or_add(groups_[chosen].state);
            model_.keep(h, a, next);
            if (groups_[chosen].child == NONE) {
                groups_[chosen].child = static_cast<std::int32_t>(nodes_.size());
                open(next, depth);
            }
            node = groups_[chosen].child;
            h = next;
        }
        for (std::size_t i = path_.size(); i-- > 0;) {
            back_up_action(path_[i].node, path_[i].action);
            back_up_node(path_[i].node);
        }
    }

    // A new node: C successors of every action, equal ones counted together.
    void open(Index h, std::int32_t depth) {
        const auto node = static_cast<std::int32_t>(nodes_.size());
        const std::int64_t state = model_.state(h);
        nodes_.push_back({});
        for (std::int32_t a = 0; a < A_; ++a) {
            const auto first = static_cast<std::ptrdiff_t>(groups_.size());
            for (std::int32_t c = 0; c < settings_.branching; ++c) {
                const std::int64_t next_state = model_.state(model_.peek(h, a, rng_));
                const auto group = std::find_if(groups_.begin() + first, groups_.end(),
                                                [&](const Group& g) { return g.state == next_state; });
                if (group != groups_.end())
                    ++group->count;
                else
                    groups_.push_back(
                        {next_state, model_.reward(state, a, next_state), 1, unopened(next_state, depth + 1)});
            }
            first_.push_back(groups_.size());
            actions_.push_back({});
            back_up_action(node, a);
        }
        back_up_node(node);
    }

    std::int32_t unopened(std::int64_t state, std::int32_t depth) const {
        return settings_.terminal.has(state) ? AT_END : depth == settings_.depth ? AT_DEPTH : NONE;
    }

    // argmax_a U(<s,h>, a), ties at random
    std::int32_t select_action(std::int32_t node) {
        const Bounds* bounds = &actions_[index(node, 0)];
        return static_cast<std::int32_t>(
            best_of(static_cast<std::size_t>(A_), [&](std::size_t a) { return bounds[a].upper; }));
    }

    // argmax_s' m(s') (U − L), ties at random
    std::size_t select_group(std::int32_t node, std::int32_t a) {
        const std::size_t first = first_[index(node, a)], size = first_[index(node, a) + 1] - first;
        return first + best_of(size, [&](std::size_t i) {
                   const Group& group = groups_[first + i];
                   const Bounds ahead = bounds_of(group);
                   return (ahead.upper - ahead.lower) * group.count;
               });
    }

    void back_up_action(std::int32_t node, std::int32_t a) {
        Bounds sum{0, 0};
        for (std::size_t i = first_[index(node, a)]; i < first_[index(node, a) + 1]; ++i) {
            const Bounds ahead = bounds_of(groups_[i]);
            sum.lower += groups_[i].count * (groups_[i].reward + settings_.discount * ahead.lower);
            sum.upper += groups_[i].count * (groups_[i].reward + settings_.discount * ahead.upper);
        }
        actions_[index(node, a)] = {sum.lower / settings_.branching, sum.upper / settings_.branching};
    }

    void back_up_node(std::int32_t node) {
        Bounds best = actions_[index(node, 0)];
        for (std::int32_t a = 1; a < A_; ++a) {
            best.lower = std::max(best.lower, actions_[index(node, a)].lower);
            best.upper = std::max(best.upper, actions_[index(node, a)].upper);
        }
        nodes_[static_cast<std::size_t>(node)] = best;
    }

    Bounds bounds_of(const Group& group) const {
        if (group.child == AT_END || (group.child == AT_DEPTH && settings_.closed)) return {0, 0};
        if (group.child < 0) return {settings_.v_min, settings_.v_max};
        return nodes_[static_cast<std::size_t>(group.child)];
    }

    std::int32_t decide(const std::vector<Bounds>& bounds) {
        return static_cast<std::int32_t>(best_of(
            bounds.size(), [&](std::size_t a) { return settings_.by_lower ? bounds[a].lower : bounds[a].upper; }));
    }

    template <class Score>
    std::size_t best_of(std::size_t count, Score score) {
        double best = -std::numeric_limits<double>::infinity();
        std::size_t chosen = 0;
        std::int64_t ties = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = score(i);
            if (value > best) {
                best = value;
                chosen = i;
                ties = 1;
            } else if (value == best && rng_.below(++ties) == 0) {
                chosen = i;
            }
        }
        return chosen;
    }

    std::size_t index(std::int32_t node, std::int32_t a) const {
        return static_cast<std::size_t>(node) * static_cast<std::size_t>(A_) + static_cast<std::size_t>(a);
    }

    M model_;
    std::int32_t A_;
    Bfs3Settings settings_;
    Random rng_;
    std::vector<Bounds> nodes_;  // [nodes]
    std::vector<Bounds> actions_;  // [nodes, A]
    std::vector<std::size_t> first_;  // [nodes · A + 1] where the groups of an action begin
    std::vector<Group> groups_;
    std::vector<Visit> path_;
};

}  // namespace bamdp

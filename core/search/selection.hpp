// Rules by which a search selects an action in a node. `Selection` has one for the root and one for all other nodes; it
// is an argument of Bamcp (bamcp.hpp).
#pragma once

#include "search/settings.hpp"
#include "search/tree.hpp"
#include "search/ucb.hpp"

namespace bamdp {

// The actions 0 … count − 1 as a range; that of the standard library does not compile with clang 14.
class AllActions {
 public:
    explicit AllActions(std::int32_t count) : count_(count) {}

    class Iterator {
     public:
        explicit Iterator(std::int32_t a) : a_(a) {}
        std::int32_t operator*() const { return a_; }
        Iterator& operator++() {
            ++a_;
            return *this;
        }
        bool operator!=(Iterator other) const { return a_ != other.a_; }

     private:
        std::int32_t a_;
    };
    Iterator begin() const { return Iterator(0); }
    Iterator end() const { return Iterator(count_); }

 private:
    std::int32_t count_;
};

// argmax_b Q(<s,h>,b) + c sqrt(log N(<s,h>) / N(<s,h>,b)); untried actions first, ties at random.
//
// With automatic exploration c counts in standard deviations of the returns at the root, and each action of the root is
// tried at least log2 N times: one bad return of an action at first, and nothing else would bring it back where the
// deviation is small (10 or −9 against a sure 0).
class UcbRule {
 public:
    explicit UcbRule(const Settings& settings)
        : ucb_(settings.exploration, settings.log_offset), automatic_(settings.auto_exploration) {}

    // Before a search, and after each of its simulations.
    void begin() { scale_ = 1; }
    void update(const Tree& tree) {
        if (automatic_) scale_ = deviation(tree);
    }

    template <class Actions>
    BAMDP_INLINE std::int32_t operator()(const Tree& tree, Node node, Random& rng, const Actions& actions) const {
        const Edge* edges = tree.edges(node);
        const std::int32_t N = tree.state(node).visits,
                           least = automatic_ && node == ROOT
                                       ? static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(N)))
                                       : 1;
        const double bonus = ucb_.of_node(N) * scale_;
        double best = -std::numeric_limits<double>::infinity();
        std::int32_t chosen = 0;
        std::int64_t ties = 0;
        for (const std::int32_t b : actions) {
            const std::int32_t n = edges[b].visits;
            const double score =
                n < least ? std::numeric_limits<double>::infinity() : edges[b].value + bonus * ucb_.of_edge(n);
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

 private:
    // The standard deviation of the returns at the root, of which those of an action count as MOST at most: if one that
    // always pays the same were taken ever more often, that of all would vanish, and the others never be tried again.
    static double deviation(const Tree& tree) {
        constexpr double MOST = 16;
        const Edge* edges = tree.edges(ROOT);
        double n = 0, mean = 0, squares = 0;
        for (std::int32_t a = 0; a < tree.num_actions(); ++a) {
            if (edges[a].visits == 0) continue;
            const double weight = std::min(MOST, static_cast<double>(edges[a].visits)), off = edges[a].value - mean;
            squares += off * off * n * weight / (n + weight) + edges[a].squares * weight / edges[a].visits;
            mean += off * weight / (n + weight);
            n += weight;
        }
        return std::sqrt(squares / n);
    }

    Ucb ucb_;
    bool automatic_;
    double scale_ = 1;
};

// The action with the fewest visits, the first of them: all are tried equally often, and their values compare.
struct FewestVisits {
    template <class Actions>
    std::int32_t operator()(const Tree& tree, Node node, const Actions& actions) const {
        const Edge* edges = tree.edges(node);
        std::int32_t fewest = std::numeric_limits<std::int32_t>::max(), chosen = 0;
        for (const std::int32_t a : actions)
            if (edges[a].visits < fewest) {
                fewest = edges[a].visits;
                chosen = a;
            }
        return chosen;
    }
};

// UCT's rule, but in the root of an even search the action with the fewest visits.
class Selection {
 public:
    explicit Selection(const Settings& settings) : inner_(settings) {}

    // Before a search, and after each of its simulations.
    void begin(bool even_root) {
        even_root_ = even_root;
        inner_.begin();
    }
    void update(const Tree& tree) { inner_.update(tree); }

    // Whether the first action in a new node is selected here, too, and not by the roll-out policy.
    bool selects_first(Node node) const { return node == ROOT && even_root_; }

    template <class Actions>
    BAMDP_INLINE std::int32_t operator()(const Tree& tree, Node node, Random& rng, const Actions& actions) const {
        return node == ROOT && even_root_ ? FewestVisits{}(tree, node, actions) : inner_(tree, node, rng, actions);
    }

 private:
    UcbRule inner_;
    bool even_root_ = false;
};

}  // namespace bamdp

// The search tree: state nodes <s, h> with their action nodes <s, h>a inside ("edges"). Nodes are only ever added, and
// a child has a larger index than its parent. Children are found by a fingerprint of what happened since the root. A
// tree has room for what its bound of memory allows; who adds a node must have asked whether it is full.
#pragma once

#include <new>

#include "support/index.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bamdp {

using Node = std::int32_t;
inline constexpr Node ROOT = 0, NO_NODE = -1;
inline constexpr std::uint32_t NO_PARENT = 0xffffffffU;

// Requests huge pages for large arrays: random access in a tree of 80 MB is 15 % faster with them.
template <class T>
struct LargeAllocator {
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    explicit LargeAllocator(const LargeAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n * sizeof(T) < LARGE) return static_cast<T*>(::operator new(n * sizeof(T)));
        void* memory = ::operator new(n * sizeof(T), PAGE);
#if defined(__linux__)
        madvise(memory, n * sizeof(T), MADV_HUGEPAGE);  // advice: it may be ignored
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (n * sizeof(T) < LARGE) return ::operator delete(memory);
        ::operator delete(memory, PAGE);
    }
    friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

 private:
    static constexpr std::size_t LARGE = 4 << 20;
    static constexpr std::align_val_t PAGE{2 << 20};
};

struct Edge {
    double value = 0;     // Q(<s, h>, a): mean return
    double squares = 0;   // sum of squared deviations from the mean (Welford)
    std::int32_t visits = 0;
    Node recent = NO_NODE;  // the child last gone to
};

struct State {
    std::uint64_t fingerprint;  // of the history since the first root, or of the transition counts
    std::int64_t key;           // the state
    std::uint32_t parent;       // the edge this node was first reached by: node · A + a
    std::int32_t visits;        // N(<s, h>)
};

class Tree {
 public:
    // `memory`: bytes that it may take.
    explicit Tree(std::int32_t num_actions, std::size_t memory = std::numeric_limits<std::size_t>::max())
        : A_(static_cast<std::size_t>(num_actions)), limit_(nodes_within(memory, A_)) {}

    // How many nodes fit: by their size, and so that each node and each edge has a number.
    static constexpr std::size_t nodes_within(std::size_t memory, std::size_t A) {
        const std::size_t bytes =
            sizeof(State) + A * sizeof(Edge) + 3 * sizeof(Node) / 2 + sizeof(Node);  // the last, to be moved
        return std::max<std::size_t>(
            1, std::min({memory / bytes, static_cast<std::size_t>(std::numeric_limits<Node>::max()), NO_PARENT / A}));
    }

    Node size() const { return static_cast<Node>(states_.size()); }
    std::int32_t num_actions() const { return static_cast<std::int32_t>(A_); }
    State& state(Node node) { return states_[static_cast<std::size_t>(node)]; }
    const State& state(Node node) const { return states_[static_cast<std::size_t>(node)]; }
    Edge* edges(Node node) { return &edges_[static_cast<std::size_t>(node) * A_]; }
    const Edge* edges(Node node) const { return &edges_[static_cast<std::size_t>(node) * A_]; }

    void clear(std::int64_t root_state) {
        states_.clear();
        edges_.clear();
        std::fill(slots_.begin(), slots_.end(), NO_NODE);
        add({mix(static_cast<std::uint64_t>(root_state)), root_state, NO_PARENT, 0});
    }

    bool full() const { return states_.size() >= limit_; }

    // Room for `nodes` at least, if they are allowed. There is always room for half the limit at most or for all of it:
    // what is moved to larger arrays is then never more than half the limit, so that both copies together stay within
    // the bound.
    void reserve(std::size_t nodes) {
        nodes = nodes > limit_ / 2 ? limit_ : nodes;
        states_.reserve(nodes);
        edges_.reserve(nodes * A_);
        if (slots_for(nodes) > slots_.size()) place_all(slots_for(nodes));
    }

    Node find(std::uint64_t fingerprint) const {
        for (std::size_t slot = home(fingerprint);; slot = after(slot)) {
            const Node node = slots_[slot];
            if (node == NO_NODE || state(node).fingerprint == fingerprint) return node;
        }
    }

    Node add(const State& state) {
        if (states_.size() == states_.capacity() || slots_for(states_.size() + 1) > slots_.size()) [[unlikely]]
            reserve(2 * states_.size() + 1);
        states_.push_back(state);
        edges_.resize(edges_.size() + A_);
        place(size() - 1);
        return size() - 1;
    }

    // Keep the part of the tree below `new_root`, which becomes the root. One pass: parents come before children.
    void reroot(Node new_root) {
        std::vector<Node> moved(states_.size(), NO_NODE);
        moved[static_cast<std::size_t>(new_root)] = ROOT;
        Node kept = 1;
        states_[ROOT] = state(new_root);
        states_[ROOT].parent = NO_PARENT;
        std::copy(edges(new_root), edges(new_root) + A_, edges_.begin());
        for (Node node = new_root + 1; node < size(); ++node) {
            const std::size_t parent = state(node).parent;
            const Node above = moved[parent / A_];
            if (above == NO_NODE) continue;
            moved[static_cast<std::size_t>(node)] = kept;
            state(kept) = state(node);
            state(kept).parent = static_cast<std::uint32_t>(static_cast<std::size_t>(above) * A_ + parent % A_);
            std::copy(edges(node), edges(node) + A_, edges(kept));
            ++kept;
        }
        states_.resize(static_cast<std::size_t>(kept));
        edges_.resize(static_cast<std::size_t>(kept) * A_);
        for (Edge& edge : edges_)
            if (edge.recent != NO_NODE) edge.recent = moved[static_cast<std::size_t>(edge.recent)];
        std::fill(slots_.begin(), slots_.end(), NO_NODE);
        for (Node node = 0; node < kept; ++node) place(node);
    }

    template <class Archive>
    void archive(Archive& a) {
        std::int32_t nodes = size();
        a(nodes);
        a.check(nodes >= 0 && static_cast<std::size_t>(nodes) <= limit_, "the size of a tree is out of range");
        if constexpr (Archive::reading) {
            states_.clear();
            edges_.clear();
        }
        for (Node node = 0; node < nodes; ++node) {
            if constexpr (Archive::reading) {
                states_.push_back({});
                edges_.resize(edges_.size() + A_);
            }
            State& state = this->state(node);
            a(state.fingerprint, state.key, state.parent, state.visits);
            a.check(node == ROOT ? state.parent == NO_PARENT : state.parent / A_ < static_cast<std::size_t>(node),
                    "a node comes before its parent");
            a.check(state.visits >= 0, "visits are out of range");
            for (std::size_t i = 0; i < A_; ++i) {
                Edge& edge = edges(node)[i];
                a(edge.value, edge.squares, edge.visits, edge.recent);
                a.check(edge.visits >= 0 && NO_NODE <= edge.recent && edge.recent < nodes,
                        "an action of a node is out of range");
            }
        }
        if constexpr (Archive::reading) place_all(slots_for(states_.size()));
    }

    // Memory in use: what was reserved and never written costs address space only.
    std::size_t bytes() const {
        return states_.size() * (sizeof(State) + A_ * sizeof(Edge)) + slots_.size() * sizeof(Node);
    }

    // Fetch a node that is likely to be visited next.
    void prefetch(Node node) const {
#if defined(__GNUC__)
        __builtin_prefetch(&states_[static_cast<std::size_t>(node)]);
        __builtin_prefetch(edges(node));
#else
        (void)node;
#endif
    }

 private:
    // Any number of slots will do, so that memory is one and a half slots a node.
    std::size_t home(std::uint64_t fingerprint) const { return ((fingerprint >> 32) * slots_.size()) >> 32; }
    std::size_t after(std::size_t slot) const { return slot + 1 == slots_.size() ? 0 : slot + 1; }

    void place(Node node) {
        std::size_t slot = home(state(node).fingerprint);
        while (slots_[slot] != NO_NODE) slot = after(slot);
        slots_[slot] = node;
    }

    static std::size_t slots_for(std::size_t nodes) { return 3 * nodes / 2 + 1; }

    void place_all(std::size_t slots) {
        slots_.assign(slots, NO_NODE);
        for (Node node = 0; node < this->size(); ++node) place(node);
    }

    template <class T>
    using Array = std::vector<T, LargeAllocator<T>>;

    std::size_t A_, limit_;                         // actions; nodes at most
    Array<State> states_;                           // [nodes]
    Array<Edge> edges_;                             // [nodes, A]
    Array<Node> slots_ = Array<Node>(64, NO_NODE);  // open addressing by fingerprint, at most two thirds full
};

}  // namespace bamdp

// Visited states, numbered 0, 1, 2, … in the order they were first visited. Everything the core stores per state is
// indexed by this number ("index"), so memory and cache footprint grow with what was visited, never with S.
#pragma once

#include "support/common.hpp"

namespace bamdp {

using Index = std::int32_t;
inline constexpr Index NONE = -1;

// A good 64-bit mixer (the finaliser of splitmix64; Steele, Lea, Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

class StateIndex {
 public:
    Index size() const { return static_cast<Index>(entries_.size()); }
    std::int64_t state(Index h) const { return entries_[static_cast<std::size_t>(h)].state; }

    Index find(std::int64_t state) const { return slots_[slot_of(state)]; }

    BAMDP_INLINE Index find_or_add(std::int64_t state) {
        const std::size_t slot = slot_of(state);
        if (slots_[slot] != NONE) return slots_[slot];
        if (2 * (entries_.size() + 1) > slots_.size() || entries_.size() == entries_.capacity()) [[unlikely]]
            return grow_and_add(state);
        slots_[slot] = size();
        entries_.push_back({state, slot});
        return size() - 1;
    }

    // Forget all states but the first `n`. Linear probing allows it because the last in is the first out: no probe
    // sequence of an older state passes over a younger one.
    void truncate(Index n) {
        for (std::size_t i = entries_.size(); i > static_cast<std::size_t>(n);) slots_[entries_[--i].slot] = NONE;
        entries_.resize(static_cast<std::size_t>(n));
    }

    // All of them are below `num_states`, unless unbounded.
    template <class Archive>
    void archive(Archive& a, std::int64_t num_states) {
        std::vector<std::int64_t> states;
        for (const Entry& entry : entries_) states.push_back(entry.state);
        a(states);
        if constexpr (Archive::reading) {
            a.check(states.size() < std::numeric_limits<Index>::max(), "there are too many states");
            truncate(0);
            for (const std::int64_t state : states) {
                a.check(num_states == std::numeric_limits<std::int64_t>::max() || (0 <= state && state < num_states),
                        "a state is out of range");
                const Index before = size();
                a.check(find_or_add(state) == before, "a state is there twice");
            }
        }
    }

 private:
    struct Entry {
        std::int64_t state;
        std::size_t slot;
    };

    // Where `state` is, or where it would go. Fibonacci hashing: one multiplication, and neighbouring states spread
    // evenly.
    std::size_t slot_of(std::int64_t state) const {
        std::size_t slot = (static_cast<std::uint64_t>(state) * 0x9e3779b97f4a7c15U) >> shift_;
        while (slots_[slot] != NONE && this->state(slots_[slot]) != state) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    // Separate, so that the common path is short enough to be inlined.
    BAMDP_NOINLINE Index grow_and_add(std::int64_t state) {
        if (2 * (entries_.size() + 1) > slots_.size()) grow();
        entries_.reserve(2 * entries_.size() + 8);
        return find_or_add(state);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), NONE);
        --shift_;
        for (Index h = 0; h < size(); ++h) {
            Entry& entry = entries_[static_cast<std::size_t>(h)];
            entry.slot = slot_of(entry.state);
            slots_[entry.slot] = h;
        }
    }

    std::vector<Entry> entries_;                                 // [indices]
    std::vector<Index> slots_ = std::vector<Index>(64, NONE);  // open addressing, at most half full
    int shift_ = 64 - 6;
};

// The states in which an episode ends: their value is 0.
class TerminalStates {
 public:
    TerminalStates() = default;
    explicit TerminalStates(const std::vector<std::int64_t>& states) {
        for (const std::int64_t state : states) states_.find_or_add(state);
    }

    bool none() const { return states_.size() == 0; }
    bool has(std::int64_t state) const { return states_.find(state) != NONE; }
    const StateIndex& states() const { return states_; }

 private:
    StateIndex states_;
};

}  // namespace bamdp

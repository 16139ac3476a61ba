// States that matter, numbered 0, 1, 2, … in the order they were met. Everything the core stores per state is indexed by this
// number ("handle"), so memory and cache footprint grow with what was met, never with S.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bamdp {

using Handle = std::int32_t;
inline constexpr Handle NONE = -1;

// A good 64-bit mixer (the finaliser of splitmix64; Steele, Lea, Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

class StateIndex {
 public:
    Handle size() const { return static_cast<Handle>(states_.size()); }
    std::int64_t state(Handle h) const { return states_[static_cast<std::size_t>(h)]; }

    Handle find(std::int64_t state) const {
        for (std::size_t slot = home(state);; slot = (slot + 1) & mask_) {
            const Handle h = slots_[slot];
            if (h == NONE || states_[static_cast<std::size_t>(h)] == state) return h;
        }
    }

    Handle find_or_add(std::int64_t state) {
        const Handle found = find(state);
        if (found != NONE) return found;
        if (2 * (states_.size() + 1) > slots_.size()) grow();
        states_.push_back(state);
        places_.push_back(place(size() - 1));
        return size() - 1;
    }

    // Linear probing allows this because the last in is the first out: no probe sequence of an older state passes over it.
    void clear() {
        for (std::size_t i = places_.size(); i-- > 0;) slots_[places_[i]] = NONE;
        places_.clear();
        states_.clear();
    }

 private:
    std::size_t home(std::int64_t state) const { return mix(static_cast<std::uint64_t>(state)) & mask_; }

    std::size_t place(Handle h) {
        std::size_t slot = home(state(h));
        while (slots_[slot] != NONE) slot = (slot + 1) & mask_;
        slots_[slot] = h;
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), NONE);
        mask_ = slots_.size() - 1;
        for (Handle h = 0; h < size(); ++h) places_[static_cast<std::size_t>(h)] = place(h);
    }

    std::vector<std::int64_t> states_;                   // [handles]
    std::vector<std::size_t> places_;                    // [handles] slot of each
    std::vector<Handle> slots_ = std::vector<Handle>(64, NONE);  // open addressing, at most half full
    std::size_t mask_ = 63;
};

}  // namespace bamdp

// A belief with independent rows: transition counts of the state-action pairs visited so far, under one prior per row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "priors/row_prior.hpp"
#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/index.hpp"

namespace bamdp {

// Observed successors of one state-action pair.
struct Counts {
    std::vector<Index> successors;  // [K0] distinct, in the order they were first seen
    std::vector<std::int64_t> n;     // [K0] how often each was seen
    std::int64_t total = 0;          // N

    // `states` are known, and the row has no more observations than `most`.
    template <class Archive>
    void archive(Archive& a, Index states, std::int64_t most) {
        a(successors, n);
        if constexpr (Archive::reading) {
            a.check(successors.size() == n.size(), "a row has other successors than counts");
            total = 0;
            for (std::size_t i = 0; i < n.size(); ++i) {
                a.check(0 <= successors[i] && successors[i] < states, "a successor is not known");
                a.check(1 <= n[i] && n[i] <= most - total, "a count is out of range");
                total += n[i];
            }
            std::vector<Index> sorted = successors;
            std::sort(sorted.begin(), sorted.end());
            a.check(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "a row has a successor twice");
        }
    }
};

// Rows are one per (state, action), or with `tied` one per action, shared by all states (bandits).
template <RowPrior P>
class Belief : public InUse {
 public:
    using Prior = P;

    Belief(P prior, std::int64_t num_states, std::int32_t num_actions, bool tied)
        : prior(std::move(prior)), num_states(num_states), num_actions(num_actions), state_mask(tied ? 0 : NONE) {
        if (tied) counts_.resize(static_cast<std::size_t>(num_actions));
    }

    // Index of the row of (h, a) in everything stored per row.
    std::size_t row(Index h, std::int32_t a) const {
        return static_cast<std::size_t>(h & state_mask) * static_cast<std::size_t>(num_actions) + static_cast<std::size_t>(a);
    }

    bool tied() const { return state_mask == 0; }

    // Index of the row of (state, a) in tables over all S·A pairs.
    std::int64_t pair(std::int64_t state, std::int32_t a) const { return tied() ? a : state * num_actions + a; }

    const StateIndex& known() const { return known_; }

    // The counts of a pair; those of a state never visited are empty.
    const Counts& counts(Index h, std::int32_t a) const {
        static const Counts none;
        if (h == NONE && !tied()) return none;
        return counts_[row(h, a)];
    }

    void observe(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        const Index h = find_or_add(state), next = find_or_add(next_state);
        Counts& counts = counts_[row(h, a)];
        const std::size_t i = position(row(h, a), next);
        if (i == counts.successors.size()) {
            counts.successors.push_back(next);
            counts.n.push_back(0);
            place_last(row(h, a));
        }
        ++counts.n[i];
        ++counts.total;
        ++observations;
        last_row = row(h, a);
        last_successor = next;
    }

    // Many transitions, given by their columns; the index of the first that is impossible, and then none is counted, or their number.
    std::size_t observe_many(std::span<const std::int64_t> states, std::span<const std::int64_t> actions, std::span<const std::int64_t> next_states) {
        for (std::size_t i = 0; i < states.size(); ++i)
            if (!prior.possible(pair(states[i], static_cast<std::int32_t>(actions[i])), next_states[i])) return i;
        for (std::size_t i = 0; i < states.size(); ++i) observe(states[i], static_cast<std::int32_t>(actions[i]), next_states[i]);
        return states.size();
    }

    // Where `next` is among the successors of a row; their number if it isn't.
    std::size_t position(std::size_t row, Index next) const {
        const std::vector<Index>& successors = counts_[row].successors;
        if (successors.size() <= SHORT) return static_cast<std::size_t>(std::find(successors.begin(), successors.end(), next) - successors.begin());
        const Index found = placed_.find(key(row, next));
        return found == NONE ? successors.size() : static_cast<std::size_t>(places_[static_cast<std::size_t>(found)]);
    }

    const Counts& counts_at(std::size_t row) const { return counts_[row]; }
    std::size_t num_rows() const { return counts_.size(); }

    template <class Archive>
    void archive(Archive& a) {
        known_.archive(a, num_states);
        a(observations, last_row, last_successor);
        a.check(0 <= observations && observations <= MOST_COUNTED, "the number of observations is out of range");
        if constexpr (Archive::reading) {
            const std::size_t rows = static_cast<std::size_t>(tied() ? 1 : known_.size()) * static_cast<std::size_t>(num_actions);
            a.fits(rows, 2 * sizeof(std::uint64_t));
            counts_.assign(rows, {});
        }
        std::int64_t left = observations;
        for (Counts& counts : counts_) {
            counts.archive(a, known_.size(), left);
            left -= counts.total;
        }
        if constexpr (Archive::reading) place_all();
        a.check(left == 0, "counts don't add up to the observations");
        a.check(observations == 0 || (last_row < counts_.size() && 0 <= last_successor && last_successor < known_.size()), "the last observation is out of range");
    }

    P prior;
    InUse tables;  // of the prior, filled on demand; searches have their own copies
    const std::int64_t num_states;
    const std::int32_t num_actions;
    const Index state_mask;
    std::int64_t observations = 0;
    std::size_t last_row = 0;
    Index last_successor = NONE;

 private:
    Index find_or_add(std::int64_t state) {
        const Index h = known_.find_or_add(state);
        if (!tied()) counts_.resize(static_cast<std::size_t>(known_.size()) * static_cast<std::size_t>(num_actions));
        return h;
    }

    static constexpr std::size_t SHORT = 16;  // successors found by linear search: faster than the index, and less memory

    static std::int64_t key(std::size_t row, Index successor) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(successor));
    }

    // The last successor of a row into the index; all of them when the row stops being short.
    void place_last(std::size_t row) {
        const std::size_t size = counts_[row].successors.size();
        if (size > SHORT) place(row, size == SHORT + 1 ? 0 : size - 1);
    }

    void place(std::size_t row, std::size_t first) {
        const std::vector<Index>& successors = counts_[row].successors;
        for (std::size_t i = first; i < successors.size(); ++i) {
            placed_.find_or_add(key(row, successors[i]));
            places_.push_back(static_cast<Index>(i));
        }
    }

    void place_all() {
        placed_.truncate(0);
        places_.clear();
        for (std::size_t row = 0; row < counts_.size(); ++row)
            if (counts_[row].successors.size() > SHORT) place(row, 0);
    }

    StateIndex known_;
    std::vector<Counts> counts_;  // [rows]
    StateIndex placed_;           // (row, successor) of the rows that are not short
    std::vector<Index> places_;  // [placed] where each is in its row
};

}  // namespace bamdp

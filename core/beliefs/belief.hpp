// A belief with independent rows: transition counts of the state-action pairs visited so far, under one prior per row.
#pragma once

#include "beliefs/visited.hpp"
#include "priors/row_prior.hpp"

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
class Belief : public VisitedStates {
 public:
    using Prior = P;

    Belief(P prior, std::int64_t num_states, std::int32_t num_actions, bool tied)
        : VisitedStates(num_states, num_actions), prior(std::move(prior)), state_mask(tied ? 0 : NONE) {
        if (tied) counts_.resize(static_cast<std::size_t>(num_actions));
    }

    // Index of the row of (h, a) in everything stored per row.
    std::size_t row(Index h, std::int32_t a) const {
        return static_cast<std::size_t>(h & state_mask) * static_cast<std::size_t>(num_actions) +
               static_cast<std::size_t>(a);
    }

    bool tied() const { return state_mask == 0; }

    // Index of the row of (state, a) in tables over all S·A pairs.
    std::int64_t pair(std::int64_t state, std::int32_t a) const { return tied() ? a : state * num_actions + a; }

    // The counts of a pair; those of a state never visited are empty.
    const Counts& counts(Index h, std::int32_t a) const {
        static const Counts none;
        if (h == NONE && !tied()) return none;
        return counts_[row(h, a)];
    }

    // The counts of a pair by next state, into `out`. `h` may be NONE, or new in a simulation.
    void observed(Index h, std::int32_t a, Observed& out) const {
        const Counts& counts = this->counts(h < known_.size() ? h : NONE, a);
        out.clear();
        for (std::size_t i = 0; i < counts.n.size(); ++i) out.add(known_.state(counts.successors[i]), counts.n[i]);
    }

    void observe(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        const Index h = find_or_add(state), next = find_or_add(next_state);
        Counts& counts = counts_[row(h, a)];
        const std::size_t i = position(row(h, a), next);
        if (i == counts.successors.size()) {
            counts.successors.push_back(next);
            counts.n.push_back(0);
            place(row(h, a), i);
        }
        ++counts.n[i];
        ++counts.total;
        ++observations;
        last_row = row(h, a);
        last_successor = next;
    }

    // Many transitions, given by their columns; the index of the first that is impossible, and then none is counted, or
    // their number.
    std::size_t observe_many(std::span<const std::int64_t> states, std::span<const std::int64_t> actions,
                             std::span<const std::int64_t> next_states) {
        for (std::size_t i = 0; i < states.size(); ++i)
            if (!prior.possible(pair(states[i], static_cast<std::int32_t>(actions[i])), next_states[i])) return i;
        for (std::size_t i = 0; i < states.size(); ++i)
            observe(states[i], static_cast<std::int32_t>(actions[i]), next_states[i]);
        return states.size();
    }

    // Where `next` is among the successors of a row; their number if it isn't.
    std::size_t position(std::size_t row, Index next) const {
        const std::vector<Index>& successors = counts_[row].successors;
        if (successors.size() <= SHORT)
            return static_cast<std::size_t>(std::find(successors.begin(), successors.end(), next) - successors.begin());
        const Index entry = placed_.find(key(row, next));
        return entry == NONE ? successors.size() : static_cast<std::size_t>(places_[static_cast<std::size_t>(entry)]);
    }

    const Counts& counts_at(std::size_t row) const { return counts_[row]; }
    std::size_t num_rows() const { return counts_.size(); }

    template <class Archive>
    void archive(Archive& a) {
        VisitedStates::archive(a);
        a(last_row, last_successor);
        if constexpr (Archive::reading) {
            const std::size_t rows =
                static_cast<std::size_t>(tied() ? 1 : known_.size()) * static_cast<std::size_t>(num_actions);
            a.fits(rows, 2 * sizeof(std::uint64_t));
            counts_.assign(rows, {});
        }
        std::int64_t left = observations;
        for (Counts& counts : counts_) {
            counts.archive(a, known_.size(), left);
            left -= counts.total;
        }
        if constexpr (Archive::reading) {
            placed_.truncate(0);
            places_.clear();
            for (std::size_t row = 0; row < counts_.size(); ++row) place(row, 0);
        }
        a.check(left == 0, "counts don't add up to the observations");
        a.check(
            observations == 0 || (last_row < counts_.size() && 0 <= last_successor && last_successor < known_.size()),
            "the last observation is out of range");
    }

    P prior;
    InUse tables;  // of the prior, filled on demand; searches have their own copies
    const Index state_mask;
    std::size_t last_row = 0;
    Index last_successor = NONE;

 private:
    Index find_or_add(std::int64_t state) {
        const Index h = known_.find_or_add(state);
        if (!tied()) counts_.resize(static_cast<std::size_t>(known_.size()) * static_cast<std::size_t>(num_actions));
        return h;
    }

    static constexpr std::size_t SHORT =
        16;  // successors found by linear search: faster than the index, and less memory

    static std::int64_t key(std::size_t row, Index successor) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(successor));
    }

    // The successors of a row from `first` on into the index; all of them when it stops being short.
    void place(std::size_t row, std::size_t first) {
        const std::vector<Index>& successors = counts_[row].successors;
        if (successors.size() <= SHORT) return;
        for (std::size_t i = first == SHORT ? 0 : first; i < successors.size(); ++i) {
            placed_.find_or_add(key(row, successors[i]));
            places_.push_back(static_cast<Index>(i));
        }
    }

    std::vector<Counts> counts_;  // [rows]
    StateIndex placed_;           // (row, successor) of the rows that are not short
    std::vector<Index> places_;  // [placed] where each is in its row
};

}  // namespace bamdp

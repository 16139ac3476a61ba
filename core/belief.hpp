// What was really observed: transition counts of the state-action pairs met so far, under one prior per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index.hpp"

namespace bamdp {

// Observed successors of one state-action pair.
struct Counts {
    std::vector<Handle> successors;  // [K0] distinct, in the order they were first seen
    std::vector<std::int64_t> n;     // [K0] how often each was seen
    std::int64_t total = 0;          // N
};

// A row of transition probabilities drawn from the posterior: sparse, unnormalised, cumulative.
struct Row {
    std::vector<std::int64_t> states;
    std::vector<double> cumulative;

    void clear() {
        states.clear();
        cumulative.clear();
    }
    void add(std::int64_t state, double weight) {
        states.push_back(state);
        cumulative.push_back((cumulative.empty() ? 0.0 : cumulative.back()) + weight);
    }
    // Only entry `i` is left.
    void keep(std::size_t i) {
        states = {states[i]};
        cumulative = {1.0};
    }
};

// Rows are one per (state, action), or with `tied` one per action, shared by all states (bandits).
template <class P>
class Belief {
 public:
    using Prior = P;

    Belief(P prior, std::int64_t num_states, std::int32_t num_actions, bool tied)
        : prior(std::move(prior)), num_states(num_states), num_actions(num_actions), state_mask(tied ? 0 : NONE) {
        if (tied) counts_.resize(static_cast<std::size_t>(num_actions));
    }

    // Index of the row of (h, a) in everything stored per row.
    std::size_t row(Handle h, std::int32_t a) const {
        return static_cast<std::size_t>(h & state_mask) * static_cast<std::size_t>(num_actions) + static_cast<std::size_t>(a);
    }

    bool tied() const { return state_mask == 0; }

    // Index of the row of (state, a) in tables over all S·A pairs.
    std::int64_t pair(std::int64_t state, std::int32_t a) const { return tied() ? a : state * num_actions + a; }

    const StateIndex& known() const { return known_; }

    // The counts of a pair; those of a state never met are empty.
    const Counts& counts(Handle h, std::int32_t a) const {
        static const Counts none;
        if (h == NONE && !tied()) return none;
        return counts_[row(h, a)];
    }

    void observe(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        const Handle h = meet(state), next = meet(next_state);
        Counts& counts = counts_[row(h, a)];
        std::size_t i = 0;
        while (i < counts.successors.size() && counts.successors[i] != next) ++i;
        if (i == counts.successors.size()) {
            counts.successors.push_back(next);
            counts.n.push_back(0);
        }
        ++counts.n[i];
        ++counts.total;
        ++observations;
        last_row = row(h, a);
        last_successor = next;
    }

    const Counts& counts_at(std::size_t row) const { return counts_[row]; }
    std::size_t num_rows() const { return counts_.size(); }

    P prior;
    const std::int64_t num_states;
    const std::int32_t num_actions;
    const Handle state_mask;
    std::int64_t observations = 0;
    std::size_t last_row = 0;
    Handle last_successor = NONE;

 private:
    Handle meet(std::int64_t state) {
        const Handle h = known_.find_or_add(state);
        if (!tied()) counts_.resize(static_cast<std::size_t>(known_.size()) * static_cast<std::size_t>(num_actions));
        return h;
    }

    StateIndex known_;
    std::vector<Counts> counts_;  // [rows]
};

// The states of one simulation: the known ones, by the belief's handles, then those met in this simulation only.
class Visitors {
 public:
    explicit Visitors(const StateIndex& known) : known_(&known) { sync(); }

    Handle find(std::int64_t state) const { return all_.find(state); }
    Handle meet(std::int64_t state) { return all_.find_or_add(state); }
    std::int64_t state(Handle h) const { return all_.state(h); }
    Handle size() const { return all_.size(); }

    void forget() { all_.truncate(synced_); }

    // Take over the states that became known since the last search.
    void sync() {
        for (; synced_ < known_->size(); ++synced_) all_.find_or_add(known_->state(synced_));
    }

 private:
    const StateIndex* known_;
    StateIndex all_;
    Handle synced_ = 0;
};

}  // namespace bamdp

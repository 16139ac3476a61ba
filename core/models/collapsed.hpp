// Root sampling with the sampled model integrated out. The successors drawn from a lazily sampled row are, by themselves, the
// draws of an urn: a past draw again, or a fresh one. One uniform number and one look-up per step, whatever S is.
//
// Real and simulated draws share one array per row; a simulation appends, and forgetting it is shortening the arrays again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../belief.hpp"
#include "../model.hpp"

namespace bamdp {

// Weights: each of `drawn` one, what else the prior gives the rest of `total`.
struct Urn {
    double total = 0;
    std::int32_t size = 0;
    std::int32_t distinct = 0;  // drawn[0 … distinct) are different, the rest repeats
    std::unique_ptr<Handle[]> drawn;
    std::int32_t capacity = 0;

    bool has(Handle h) const { return std::find(drawn.get(), drawn.get() + distinct, h) != drawn.get() + distinct; }
};

class Urns {
 public:
    Urn* data() { return urns_.data(); }
    Urn& operator[](std::size_t row) { return urns_[row]; }
    std::size_t size() const { return urns_.size(); }
    void resize(std::size_t rows) { urns_.resize(rows); }

    BAMDP_INLINE void append(Urn& urn, Handle h, bool is_new) {
        if (urn.size == urn.capacity) grow(urn);
        if (is_new) {
            urn.drawn[urn.size] = urn.drawn[urn.distinct];
            urn.drawn[urn.distinct++] = h;
        } else {
            urn.drawn[urn.size] = h;
        }
        ++urn.size;
    }

 private:
    BAMDP_NOINLINE void grow(Urn& urn) {
        const std::int32_t capacity = 2 * urn.capacity + 4;
        auto larger = std::make_unique_for_overwrite<Handle[]>(static_cast<std::size_t>(capacity));
        std::copy_n(urn.drawn.get(), urn.size, larger.get());
        urn.drawn = std::move(larger);
        urn.capacity = capacity;
    }

    std::vector<Urn> urns_;  // [rows of known states, then of those met in this simulation; these keep their arrays]
};

template <class P>
class Collapsed {
 public:
    Collapsed(std::shared_ptr<const Belief<P>> belief, std::shared_ptr<const Rewards> rewards)
        : belief_(std::move(belief)), prior_(belief_->prior), visitors_(belief_->known()), rewards_(std::move(rewards)) {
        visitors_.sync();
        rebuild();
    }

    void sync() {
        const std::int64_t behind = belief_->observations - synced_;
        if (behind == 0) return;
        visitors_.sync();
        if (behind > 1) return rebuild();
        open_known();
        observe(belief_->last_row, belief_->last_successor);
        synced_ = belief_->observations;
    }

    Handle begin(std::int64_t state, Random&) { return meet(state); }

    // Inlined with the rare cases kept out: the chain from state to next state is then 6 loads and 2 multiplications.
    BAMDP_INLINE Step step(Handle h, std::int32_t a, Random& rng) {
        const std::size_t row = belief_->row(h, a);
        Urn& urn = urns_[row];
        const double v = rng.uniform() * urn.total;
        const auto k = static_cast<std::int64_t>(v);
        undo_.push_back({urn.total, static_cast<std::uint32_t>(row), urn.distinct});
        Handle next;
        if (k < urn.size) {
            next = urn.drawn[static_cast<std::size_t>(k)];
            urns_.append(urn, next, false);
            urn.total = prior_.urn_grown(urn);
        } else {
            Random escaping = rng;  // so that `rng` itself can live in registers
            next = fresh(row, h, a, v, escaping);
            rng = escaping;
        }
        const std::int64_t next_state = visitors_.state(next);
        return {next, (*rewards_)(visitors_.state(h), a, next_state), next_state};
    }

    // A draw that leaves no trace, and the keeping of one: for searches that try several successors and go on with one.
    Handle peek(Handle h, std::int32_t a, Random& rng) {
        const std::size_t row = belief_->row(h, a);
        const double v = rng.uniform() * urns_[row].total;
        const auto k = static_cast<std::int64_t>(v);
        if (k < urns_[row].size) return urns_[row].drawn[static_cast<std::size_t>(k)];
        return prior_.urn_fresh(belief_->pair(visitors_.state(h), a), urns_[row], v, rng, *this).first;
    }

    void keep(Handle h, std::int32_t a, Handle next) {
        const std::size_t row = belief_->row(h, a);
        Urn& urn = urns_[row];
        undo_.push_back({urn.total, static_cast<std::uint32_t>(row), urn.distinct});
        urns_.append(urn, next, !urn.has(next));
        urn.total = prior_.urn_grown(urn);
    }

    std::int64_t state(Handle h) const { return visitors_.state(h); }
    double reward(std::int64_t state, std::int32_t a, std::int64_t next_state) const { return (*rewards_)(state, a, next_state); }

    void end() {
        for (std::size_t i = undo_.size(); i-- > 0;) {
            Urn& urn = urns_[undo_[i].row];
            --urn.size;
            if (urn.distinct != undo_[i].distinct) urn.drawn[--urn.distinct] = urn.drawn[urn.size];
            urn.total = undo_[i].total;
        }
        undo_.clear();
        visitors_.forget();
    }

    // --- what a prior asks for when it draws a fresh successor
    Handle find(std::int64_t state) const { return visitors_.find(state); }

    Handle meet(std::int64_t state) {
        const Handle before = visitors_.size(), h = visitors_.meet(state);
        if (h == before && !belief_->tied()) {
            const std::size_t first = belief_->row(h, 0), A = static_cast<std::size_t>(belief_->num_actions);
            if (first + A > urns_.size()) urns_.resize(first + A);
            for (std::size_t a = 0; a < A; ++a) empty(first + a, belief_->pair(state, static_cast<std::int32_t>(a)));
        }
        return h;
    }

 private:
    struct Undo {
        double total;
        std::uint32_t row;
        std::int32_t distinct;
    };

    BAMDP_NOINLINE Handle fresh(std::size_t row, Handle h, std::int32_t a, double v, Random& rng) {
        const auto [next, is_new] = prior_.urn_fresh(belief_->pair(visitors_.state(h), a), urns_[row], v, rng, *this);
        Urn& urn = urns_[row];  // only now: a state met for the first time may have moved it
        urns_.append(urn, next, is_new);
        urn.total = prior_.urn_grown(urn);
        return next;
    }

    void empty(std::size_t row, std::int64_t pair) {
        Urn& urn = urns_[row];
        urn.size = urn.distinct = 0;
        urn.total = prior_.urn_total(pair, 0, 0);
    }

    // Empty urns for the states that became known since the last search.
    void open_known() {
        if (belief_->num_rows() > urns_.size()) urns_.resize(belief_->num_rows());
        for (; known_rows_ < belief_->num_rows(); ++known_rows_) empty(known_rows_, pair(known_rows_));
    }

    void observe(std::size_t row, Handle next) {
        Urn& urn = urns_[row];
        urns_.append(urn, next, !urn.has(next));
        urn.total = prior_.urn_total(pair(row), urn.distinct, urn.size);
    }

    // Everything anew, from the counts.
    void rebuild() {
        known_rows_ = 0;
        open_known();
        for (std::size_t row = 0; row < known_rows_; ++row) {
            const Counts& counts = belief_->counts_at(row);
            Urn& urn = urns_[row];
            for (std::size_t i = 0; i < counts.n.size(); ++i) urns_.append(urn, counts.successors[i], true);
            for (std::size_t i = 0; i < counts.n.size(); ++i)
                for (std::int64_t more = 1; more < counts.n[i]; ++more) urns_.append(urn, counts.successors[i], false);
            urn.total = prior_.urn_total(pair(row), urn.distinct, urn.size);
        }
        synced_ = belief_->observations;
    }

    std::int64_t pair(std::size_t row) const {
        const std::int32_t A = belief_->num_actions, a = static_cast<std::int32_t>(row) % A;
        return belief_->tied() ? a : belief_->pair(belief_->known().state(static_cast<Handle>(row) / A), a);
    }

    std::shared_ptr<const Belief<P>> belief_;
    P prior_;
    Visitors visitors_;
    std::shared_ptr<const Rewards> rewards_;
    Urns urns_;
    std::vector<Undo> undo_;
    std::size_t known_rows_ = 0;
    std::int64_t synced_ = 0;
};

}  // namespace bamdp

// Root sampling with the sampled model integrated out. The successors drawn from a lazily sampled row are, by
// themselves, the draws of an urn: a past draw again, or a fresh one. One uniform number and one look-up per step,
// whatever S is.
//
// Real and simulated draws share one array per row; a simulation appends, and forgetting it is shortening the arrays
// again. What was really seen beyond LONGEST times is counted instead ("folded"), so that memory doesn't grow with the
// length of a run.
#pragma once

#include "beliefs/belief.hpp"
#include "models/tabular.hpp"

namespace bamdp {

// The draws of one urn.
struct Draws {
    std::unique_ptr<Index[]> indices;
    std::int32_t capacity = 0;

    BAMDP_INLINE void append(Urn& urn, Index h, bool is_new) {
        if (urn.size == capacity) grow(urn);
        auto at = static_cast<std::size_t>(urn.size++);
        if (is_new) {
            const auto first_repeat = static_cast<std::size_t>(urn.distinct++);
            indices[at] = indices[first_repeat];
            at = first_repeat;
        }
        indices[at] = h;
    }

    // Takes the last draw back.
    BAMDP_INLINE void shorten(Urn& urn, std::int32_t distinct) {
        --urn.size;
        if (urn.distinct != distinct)
            indices[static_cast<std::size_t>(--urn.distinct)] = indices[static_cast<std::size_t>(urn.size)];
    }

 private:
    BAMDP_NOINLINE void grow(const Urn& urn) {
        capacity = 2 * capacity + 4;
        auto larger = std::make_unique_for_overwrite<Index[]>(static_cast<std::size_t>(capacity));
        std::copy_n(indices.get(), urn.size, larger.get());
        indices = std::move(larger);
    }
};

template <RowPrior P>
class Collapsed : public TabularModel<Belief<P>> {
 public:

    Collapsed(std::shared_ptr<const Belief<P>> belief, std::shared_ptr<const Rewards> rewards)
        : TabularModel<Belief<P>>(std::move(belief), std::move(rewards)), prior_(belief_->prior) {
        rebuild();
    }

    void sync() {
        const std::int64_t behind = belief_->observations - synced_;
        if (behind == 0) return;
        TabularModel<Belief<P>>::sync();
        if (behind > 1) return rebuild();
        open_known();
        observe(belief_->last_row, belief_->position(belief_->last_row, belief_->last_successor), 1);
        synced_ = belief_->observations;
    }

    const Belief<P>& belief() const { return *belief_; }

    Index begin(std::int64_t state, Random&) { return find_or_add(state); }
    Index enter(std::int64_t state) { return find_or_add(state); }

    // Inlined with the rare cases kept out: the chain from state to next state is then a few loads and two
    // multiplications.
    BAMDP_INLINE Step step(Index h, std::int32_t a, Random& rng) {
        const std::size_t row = belief_->row(h, a);
        Urn& urn = urns_[row];
        const double v = rng.uniform() * urn.total;
        const auto k = static_cast<std::int64_t>(v);
        remember(row, urn);
        Index next;
        if (k < urn.size) {
            next = draws_[row].indices[static_cast<std::size_t>(k)];
            draws_[row].append(urn, next, false);
            urn.total = prior_.urn_grown(urn);
        } else {
            Random escaping = rng;  // so that `rng` itself can live in registers
            next = fresh(row, h, a, v, escaping);
            rng = escaping;
        }
        const std::int64_t next_state = index_.state(next);
        return {next, (*rewards_)(index_.state(h), a, next_state), next_state};
    }

    // A draw that leaves no trace, and the keeping of one: for searches that try several successors and continue with
    // one.
    Index peek(Index h, std::int32_t a, Random& rng) {
        const std::size_t row = belief_->row(h, a);
        const double v = rng.uniform() * urns_[row].total;
        const auto k = static_cast<std::int64_t>(v);
        if (k < urns_[row].size) return draws_[row].indices[static_cast<std::size_t>(k)];
        return beyond(row, h, a, v, rng).first;
    }

    void keep(Index h, std::int32_t a, Index next) {
        const std::size_t row = belief_->row(h, a);
        Urn& urn = urns_[row];
        remember(row, urn);
        draws_[row].append(urn, next, !drawn(row, next));
        urn.total = prior_.urn_grown(urn);
    }

    double reward(std::int64_t state, std::int32_t a, std::int64_t next_state) const {
        return (*rewards_)(state, a, next_state);
    }

    void end() {
        while (undos_ > 0) {
            const Undo& undo = undo_[--undos_];
            Urn& urn = urns_[undo.row];
            draws_[undo.row].shorten(urn, undo.distinct);
            urn.total = undo.total;
        }
        TabularModel<Belief<P>>::end();
    }

    // The order of the draws: all else follows from the belief. An urn that is behind the belief stays so.
    template <class Archive>
    void archive(Archive& a) {
        a(synced_, known_rows_);
        if constexpr (Archive::reading) {
            a.check(known_rows_ <= belief_->num_rows() && (!belief_->tied() || known_rows_ == belief_->num_rows()),
                    "there are urns of states that are not known");
            TabularModel<Belief<P>>::sync();  // not left to `sync`, which has nothing to do if no observation is new
            reserve(known_rows_);
            folded_.resize(known_rows_);
        }
        std::int64_t left = synced_;
        for (std::size_t row = 0; row < known_rows_; ++row) left -= archive_urn(a, row);
        a.check(left == 0, "urns don't hold the observations");
    }

    // --- what a prior asks for when it draws a fresh successor
    Index distinct(std::size_t row, std::size_t i) const { return draws_[row].indices[i]; }

    // Whether `h` is in the urn of a row: really seen, or new in this simulation.
    bool drawn(std::size_t row, Index h) const {
        const std::size_t seen = row < known_rows_ ? belief_->counts_at(row).n.size() : 0;
        if (seen > 0 && belief_->position(row, h) < seen) return true;
        const Index *first = draws_[row].indices.get() + seen, *last = draws_[row].indices.get() + urns_[row].distinct;
        return std::find(first, last, h) != last;
    }

    Index find(std::int64_t state) const { return index_.find(state); }

    Index find_or_add(std::int64_t state) {
        const Index before = index_.size(), h = index_.find_or_add(state);
        if (h == before && !belief_->tied()) {
            const std::size_t first = belief_->row(h, 0);
            reserve(first + static_cast<std::size_t>(belief_->num_actions));
            for (std::int32_t a = 0; a < belief_->num_actions; ++a)
                urns_[first + static_cast<std::size_t>(a)] = {prior_.urn_empty(belief_->pair(state, a)), 0, 0};
        }
        return h;
    }

 private:
    static constexpr std::int32_t LONGEST = 4096;  // draws of a row that are kept one by one, 16 kB

    // Returns how many draws there are.
    template <class Archive>
    std::int64_t archive_urn(Archive& a, std::size_t row) {
        Urn& urn = urns_[row];
        std::int32_t distinct = urn.distinct;
        std::vector<Index> order(draws_[row].indices.get(), draws_[row].indices.get() + urn.size);
        std::vector<std::int64_t> folded(folded_[row].size());
        std::adjacent_difference(folded_[row].begin(), folded_[row].end(), folded.begin());
        a(distinct, order, folded);
        if constexpr (Archive::reading) fill(a, row, static_cast<std::size_t>(distinct), order, folded);
        return urn.draws();
    }

    void fill(Reader& a, std::size_t row, std::size_t distinct, const std::vector<Index>& order,
              const std::vector<std::int64_t>& folded) {
        const Counts& counts = belief_->counts_at(row);
        a.check(distinct <= counts.n.size() && distinct <= order.size() && (distinct > 0 || order.empty()),
                "an urn has successors that were not seen");
        a.check(order.size() <= static_cast<std::size_t>(LONGEST) + distinct && folded.size() <= distinct,
                "an urn is too large");
        std::vector<std::int64_t> n(counts.n.begin(), counts.n.begin() + static_cast<std::ptrdiff_t>(distinct));
        Urn& urn = urns_[row] = {prior_.urn_empty(pair(row)), 0, 0};
        for (std::size_t i = 0; i < order.size(); ++i) {
            a.check(i >= distinct || order[i] == counts.successors[i], "an urn has other successors than were seen");
            const std::size_t at = i < distinct ? i : belief_->position(row, order[i]);
            a.check(at < distinct && n[at]-- > 0, "an urn has more draws than were seen");
            draws_[row].append(urn, order[i], i < distinct);
        }
        for (std::size_t i = 0; i < folded.size(); ++i) {
            a.check(0 <= folded[i] && folded[i] <= n[i], "an urn has more draws than were seen");
            urn.folded += folded[i];
        }
        folded_[row].resize(folded.size());
        std::partial_sum(folded.begin(), folded.end(), folded_[row].begin());
        if (urn.size > 0) urn.total = prior_.urn_total(pair(row), urn.distinct, urn.draws());
    }

    struct Undo {
        double total;
        std::uint32_t row;
        std::int32_t distinct;
    };

    BAMDP_INLINE void remember(std::size_t row, const Urn& urn) {
        undo_[undos_] = {urn.total, static_cast<std::uint32_t>(row), urn.distinct};
        undos_ += row < known_rows_;  // rows of states new in this simulation are emptied when they are visited again
        if (undos_ == undo_.size()) undo_.resize(2 * undos_);
    }

    BAMDP_NOINLINE Index fresh(std::size_t row, Index h, std::int32_t a, double v, Random& rng) {
        const auto [next, is_new] = beyond(row, h, a, v, rng);
        Urn& urn = urns_[row];  // only now: a state visited for the first time may have moved it
        draws_[row].append(urn, next, is_new);
        urn.total = prior_.urn_grown(urn);
        return next;
    }

    // What `v`, beyond the array of draws, stands for: one that is only counted, or a fresh one; and whether it is new.
    std::pair<Index, bool> beyond(std::size_t row, Index h, std::int32_t a, double v, Random& rng) {
        const Urn& urn = urns_[row];
        const auto k = static_cast<std::int64_t>(v) - urn.size;
        if (k < urn.folded) {
            const auto at = std::upper_bound(folded_[row].begin(), folded_[row].end(), k);
            return {draws_[row].indices[static_cast<std::size_t>(at - folded_[row].begin())], false};
        }
        return prior_.urn_fresh(belief_->pair(index_.state(h), a), row, urn, v, rng, *this);
    }

    void reserve(std::size_t rows) {
        if (rows <= urns_.size()) return;
        urns_.resize(2 * rows);
        draws_.resize(2 * rows);
    }

    // Empty urns for the states that became known since the last search.
    void open_known() {
        reserve(belief_->num_rows());
        folded_.resize(belief_->num_rows());
        for (; known_rows_ < belief_->num_rows(); ++known_rows_) {
            urns_[known_rows_] = {prior_.urn_empty(pair(known_rows_)), 0, 0};
            folded_[known_rows_].clear();
        }
    }

    // The belief's successor `at` of a row was really seen `times` more. The distinct draws are in the belief's order.
    void observe(std::size_t row, std::size_t at, std::int64_t times) {
        Urn& urn = urns_[row];
        Draws& draws = draws_[row];
        const Index next = belief_->counts_at(row).successors[at];
        if (at == static_cast<std::size_t>(urn.distinct)) {
            draws.append(urn, next, true);
            --times;
        }
        for (; times > 0 && urn.size < LONGEST; --times) draws.append(urn, next, false);
        if (times > 0) fold(row, at, times);
        urn.total = prior_.urn_total(pair(row), urn.distinct, urn.draws());
    }

    void fold(std::size_t row, std::size_t at, std::int64_t times) {
        std::vector<std::int64_t>& folded = folded_[row];
        if (at >= folded.size()) folded.resize(at + 1, urns_[row].folded);
        for (std::size_t i = at; i < folded.size(); ++i) folded[i] += times;
        urns_[row].folded += times;
    }

    // Rebuild everything from the counts.
    void rebuild() {
        known_rows_ = 0;
        open_known();
        for (std::size_t row = 0; row < known_rows_; ++row) {
            const Counts& counts = belief_->counts_at(row);
            for (std::size_t i = 0; i < counts.n.size(); ++i) observe(row, i, counts.n[i]);
        }
        synced_ = belief_->observations;
    }

    std::int64_t pair(std::size_t row) const {
        const std::int32_t A = belief_->num_actions, a = static_cast<std::int32_t>(row) % A;
        return belief_->tied() ? a : belief_->pair(belief_->known().state(static_cast<Index>(row) / A), a);
    }

    using TabularModel<Belief<P>>::belief_;
    using TabularModel<Belief<P>>::index_;
    using TabularModel<Belief<P>>::rewards_;
    P prior_;
    std::vector<Urn> urns_;  // [rows] of known states, then of those visited in this simulation
    std::vector<Draws> draws_;  // [rows]; those of past simulations keep their memory
    std::vector<std::vector<std::int64_t>>
        folded_;  // [known rows] how often distinct ones 0 … i were seen beyond the array
    std::vector<Undo> undo_ = std::vector<Undo>(128);  // what `end` takes back
    std::size_t undos_ = 0;
    std::size_t known_rows_ = 0;
    std::int64_t synced_ = 0;
};

}  // namespace bamdp

// What may happen in each of M worlds: for a world, a state and an action, a row of outcomes with probabilities.
//
// A row is requested when it is first needed, and kept: a function of the user, slow as it may be, is called once for
// each row. Equal rows are stored once, so that worlds which share a row can be told by its address. Reading takes no
// lock: searches on other threads share the rows.
//
// An observation is what the agent sees after a step: the next state, and perhaps more. Each has a number of 64 bits,
// and a base: the number of its state, which has the rows. Inside this object states go by an index.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "models/model.hpp"
#include "support/index.hpp"

namespace bamdp {

struct WorldOutcome {
    std::int64_t number;  // of the observation
    Index base;           // index of its state
    bool end;             // no more rewards after this step
    double p, cumulative, reward;

    bool same(const WorldOutcome& o) const {
        return number == o.number && end == o.end && p == o.p && reward == o.reward;
    }
};

struct WorldRow {
    std::vector<WorldOutcome> outcomes;  // none has probability 0; empty in a terminal state
    std::size_t index = 0;               // of the stored rows

    // The outcomes for one who knows the world: those that differ only in what is seen are one.
    const std::vector<WorldOutcome>& moves() const { return merged_.empty() ? outcomes : merged_; }
    void merge() {
        if (outcomes.size() > MOST_MERGED) return;
        std::vector<WorldOutcome> merged;
        for (const WorldOutcome& o : outcomes) {
            const auto same = std::ranges::find_if(merged, [&](const WorldOutcome& known) {
                return known.base == o.base && known.end == o.end && known.reward == o.reward;
            });
            if (same == merged.end())
                merged.push_back(o);
            else
                same->p += o.p;
        }
        if (merged.size() < outcomes.size()) merged_ = std::move(merged);
    }

    const WorldOutcome& draw(double u) const {
        if (outcomes.size() > LINEAR)
            return *std::upper_bound(outcomes.begin(), outcomes.end() - 1, u,
                                     [](double x, const WorldOutcome& o) { return x < o.cumulative; });
        for (const WorldOutcome& o : outcomes)
            if (u < o.cumulative) return o;
        return outcomes.back();
    }

 private:
    static constexpr std::size_t LINEAR = 8, MOST_MERGED = 64;
    std::vector<WorldOutcome> merged_;  // empty if no outcomes differ only in what is seen
};

// An outcome as it is requested; of probability 0 it is left out.
struct RequestedOutcome {
    std::int64_t number, base;
    bool end;
    double p, reward;
};

class WorldRows {
 public:
    // Adds the row of world `m` in `state` for action `a`, and may add others.
    using Request = std::function<void(WorldRows& rows, std::size_t m, std::int64_t state, std::int32_t a)>;

    // `most_bytes`: what `evict` leaves at most.
    WorldRows(std::size_t worlds, std::int32_t actions, Request request, std::size_t most_bytes)
        : M_(worlds), A_(static_cast<std::size_t>(actions)), most_bytes_(most_bytes), request_(std::move(request)),
          all_actions_(A_) {
        std::iota(all_actions_.begin(), all_actions_.end(), 0);
    }
    WorldRows(const WorldRows&) = delete;

    std::size_t num_worlds() const { return M_; }
    std::int32_t num_actions() const { return static_cast<std::int32_t>(A_); }
    Index num_states() const { return size_.load(std::memory_order_acquire); }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    std::int64_t requests() const { return requests_.load(std::memory_order_relaxed); }

    // The actions that are considered in a state, in ascending order; all, if `set_actions_in` was not called. They are
    // requested once.
    using ActionsIn = std::function<std::vector<std::int32_t>(std::int64_t state)>;
    void set_actions_in(ActionsIn actions_in) { actions_in_ = std::move(actions_in); }
    bool restricts_actions() const { return static_cast<bool>(actions_in_); }
    std::span<const std::int32_t> actions(Index state) {
        if (!actions_in_) return all_actions_;
        StateTable& from = table(state);
        if (const auto* known = from.actions.load(std::memory_order_acquire)) return *known;
        auto actions = std::make_unique<std::vector<std::int32_t>>(actions_in_(from.number));
        const std::lock_guard lock(mutex_);
        if (const auto* known = from.actions.load(std::memory_order_acquire)) return *known;
        from.actions.store(actions.get(), std::memory_order_release);
        return *actions.release();
    }
    // `a`, or the first action that is considered, if `a` is not.
    std::int32_t considered(Index state, std::int32_t a) {
        if (!actions_in_) return a;
        const std::span<const std::int32_t> those = actions(state);
        return std::ranges::binary_search(those, a) ? a : those.front();
    }

    // What the rows that are known, or ever were, have in common.
    double lowest() const { return lowest_.load(std::memory_order_relaxed); }    // reward; at most 0, as after an end
    double highest() const { return highest_.load(std::memory_order_relaxed); }  // reward; at least 0
    bool deterministic() const { return deterministic_.load(std::memory_order_relaxed); }

    // The state that an observation was made in; the observation itself if nothing else is known.
    Index base(std::int64_t number) {
        const std::lock_guard lock(mutex_);
        const auto known = bases_.find(number);
        return known != bases_.end() ? known->second : enter(number);
    }
    std::int64_t number(Index state) const { return table(state).number; }

    // Valid as long as the caller holds `reading()`.
    const WorldRow& row(std::size_t m, Index state, std::int32_t a) {
        StateTable& from = table(state);
        const std::uint32_t now = now_.load(std::memory_order_relaxed);
        if (from.used.load(std::memory_order_relaxed) != now) from.used.store(now, std::memory_order_relaxed);
        const WorldRow* known = find(from, m, a);
        return known != nullptr ? *known : request(m, state, a);
    }

    // Whether no action can be taken; false where that was not requested.
    bool is_terminal(std::size_t m, Index state) const {
        const WorldRow* row = find(table(state), m, 0);
        return row != nullptr && row->outcomes.empty();
    }

    void add(std::size_t m, std::int64_t state, std::int32_t a, std::span<const RequestedOutcome> outcomes) {
        const std::lock_guard lock(mutex_);
        WorldRow row;
        double sum = 0;
        for (const RequestedOutcome& o : outcomes) {
            if (!(o.p > 0)) continue;
            const Index base = enter(o.base);
            if (o.number != o.base) bases_.try_emplace(o.number, base);
            row.outcomes.push_back({o.number, base, o.end, o.p, sum += o.p, o.reward + 0.0});  // not −0
            lowest_ = std::min(lowest_.load(), o.reward);
            highest_ = std::max(highest_.load(), o.reward);
        }
        if (row.outcomes.size() > 1) deterministic_ = false;
        StateTable& from = table(enter(state));
        if (from.rows.load(std::memory_order_relaxed) == nullptr) allocate(from);
        const Rows rows = from.rows.load(std::memory_order_relaxed);
        rows[static_cast<std::size_t>(a) * M_ + m].store(&stored(std::move(row)), std::memory_order_release);
    }

    // The rows of a world that has changed are requested again.
    void forget(std::size_t m) {
        const std::lock_guard lock(mutex_);
        for (Index state = 0; state < size_; ++state)
            if (const Rows rows = table(state).rows.load(std::memory_order_relaxed))
                for (std::size_t a = 0; a < A_; ++a) rows[a * M_ + m].store(nullptr, std::memory_order_release);
    }

    // While it is held no row goes.
    using Reading = std::shared_lock<std::shared_mutex>;
    Reading reading() const { return Reading(in_use_); }

    // If they take too much memory, the rows of the states that were least recently used go, half of all, to be
    // requested again when needed; not while they are read. Call it before a search.
    void evict() {
        now_.fetch_add(1, std::memory_order_relaxed);
        if (bytes() <= most_bytes_ || !request_) return;
        const std::unique_lock nobody_reads(in_use_, std::try_to_lock);
        if (!nobody_reads.owns_lock()) return;
        const std::lock_guard lock(mutex_);
        std::vector<StateTable*> tables;
        for (Index state = 0; state < size_; ++state)
            if (table(state).rows.load(std::memory_order_relaxed) != nullptr) tables.push_back(&table(state));
        std::ranges::stable_sort(tables, {}, [](const StateTable* t) { return t->used.load(); });
        tables.resize((tables.size() + 1) / 2);
        for (StateTable* t : tables) release(*t);
        drop_unused_rows();
    }

 private:
    using Rows = std::atomic<const WorldRow*>*;  // [A, M]

    struct StateTable {
        ~StateTable() {
            delete[] rows.load();
            delete actions.load();
        }
        std::int64_t number = 0;
        std::atomic<std::uint32_t> used{0};  // when, by `now_`
        std::atomic<Rows> rows{nullptr};
        std::atomic<const std::vector<std::int32_t>*> actions{nullptr};  // that are considered
    };

    // Chunk k holds the states from FIRST (2^k − 1) on, FIRST 2^k of them: they never move.
    static constexpr std::size_t FIRST = 64, LOG_FIRST = 6, MOST_CHUNKS = 25;

    static std::size_t chunk_of(std::size_t i) { return static_cast<std::size_t>(std::bit_width(i / FIRST + 1)) - 1; }
    StateTable& table(Index state) const {
        const auto i = static_cast<std::size_t>(state);
        const std::size_t chunk = chunk_of(i);
        return chunks_[chunk][i - FIRST * ((std::size_t{1} << chunk) - 1)];
    }

    const WorldRow* find(const StateTable& from, std::size_t m, std::int32_t a) const {
        const Rows rows = from.rows.load(std::memory_order_acquire);
        return rows == nullptr ? nullptr
                               : rows[static_cast<std::size_t>(a) * M_ + m].load(std::memory_order_acquire);
    }

    // Not under the lock while the user's code runs: that waits for Python's own.
    BAMDP_NOINLINE const WorldRow& request(std::size_t m, Index state, std::int32_t a) {
        ++requests_;
        if (request_) request_(*this, m, number(state), a);
        const WorldRow* known = find(table(state), m, a);
        if (known == nullptr) throw std::logic_error("a row of a world was requested and not added");
        return *known;
    }

    // ---- under the lock

    Index enter(std::int64_t number) {
        const Index known = index_.find(number);
        if (known != NONE) return known;
        const auto i = static_cast<std::size_t>(index_.size());
        const std::size_t chunk = chunk_of(i);
        if (chunk >= MOST_CHUNKS) throw std::length_error("there are too many states");
        if (!chunks_[chunk]) chunks_[chunk] = std::make_unique<StateTable[]>(FIRST << chunk);
        const Index state = index_.find_or_add(number);
        table(state).number = number;
        bytes_ += sizeof(StateTable) + 32;
        size_.store(state + 1, std::memory_order_release);
        return state;
    }

    void allocate(StateTable& t) {
        t.rows.store(new std::atomic<const WorldRow*>[M_ * A_]{}, std::memory_order_release);
        bytes_ += M_ * A_ * sizeof(void*);
    }
    void release(StateTable& t) {
        delete[] t.rows.exchange(nullptr);
        bytes_ -= M_ * A_ * sizeof(void*);
    }

    static std::size_t bytes_of(const WorldRow& row) {
        const std::size_t merged = row.moves().size() < row.outcomes.size() ? row.moves().size() : 0;
        return (row.outcomes.size() + merged) * sizeof(WorldOutcome) + sizeof(WorldRow) + 64;
    }

    // The stored row with these outcomes.
    const WorldRow& stored(WorldRow row) {
        std::uint64_t name = row.outcomes.size();
        const auto add = [&](std::uint64_t part) { name = mix(name ^ (part + 0x9e3779b97f4a7c15U)); };
        for (const WorldOutcome& o : row.outcomes) {
            add(static_cast<std::uint64_t>(o.number));
            add(std::bit_cast<std::uint64_t>(o.p));
            add(std::bit_cast<std::uint64_t>(o.reward) + (o.end ? 1 : 0));
        }
        const auto same = [](const WorldOutcome& l, const WorldOutcome& r) { return l.same(r); };
        for (;; ++name) {
            std::unique_ptr<const WorldRow>& known = rows_[name];
            if (known && !std::ranges::equal(known->outcomes, row.outcomes, same)) continue;
            if (!known) {
                row.outcomes.shrink_to_fit();
                row.merge();
                row.index = num_stored_++;
                bytes_ += bytes_of(row);
                known = std::make_unique<const WorldRow>(std::move(row));
            }
            return *known;
        }
    }

    void drop_unused_rows() {
        std::vector<const WorldRow*> used;
        for (Index state = 0; state < size_; ++state)
            if (const Rows rows = table(state).rows.load())
                for (std::size_t i = 0; i < M_ * A_; ++i)
                    if (const WorldRow* row = rows[i].load(); row != nullptr && (used.empty() || used.back() != row))
                        used.push_back(row);
        std::ranges::sort(used);
        std::erase_if(rows_, [&](const auto& named) {
            const bool goes = !std::ranges::binary_search(used, named.second.get());
            if (goes) bytes_ -= bytes_of(*named.second);
            return goes;
        });
    }

    const std::size_t M_, A_, most_bytes_;
    const Request request_;
    ActionsIn actions_in_;
    std::vector<std::int32_t> all_actions_;
    std::mutex mutex_;  // of all that is written but counters
    mutable std::shared_mutex in_use_;
    StateIndex index_;                               // of states, by number
    std::unordered_map<std::int64_t, Index> bases_;  // of observations that are more than a state, by number
    std::array<std::unique_ptr<StateTable[]>, MOST_CHUNKS> chunks_;
    std::unordered_map<std::uint64_t, std::unique_ptr<const WorldRow>> rows_;  // by a hash of their contents
    std::size_t num_stored_ = 0;                                               // rows, ever
    std::atomic<Index> size_{0};
    std::atomic<std::uint32_t> now_{0};
    std::atomic<std::size_t> bytes_{0};
    std::atomic<std::int64_t> requests_{0};
    std::atomic<double> lowest_{0}, highest_{0};
    std::atomic<bool> deterministic_{true};
};

}  // namespace bamdp

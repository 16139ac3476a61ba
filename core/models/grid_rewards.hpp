// The infinite grid of rewards: its belief, and its model for searches.
//
// A reward is paid on leaving its cell, which is empty from then on; whether a cell holds one is seen on arrival.
// Root sampling: the parameters of lines that cross cells seen come from a chain (grid_chain.hpp), one chain for each
// tree, moved on by a few updates before every simulation. All else is drawn when a simulation first needs it.
#pragma once

#include "beliefs/visited.hpp"
#include "models/grid_chain.hpp"
#include "models/grid_paths.hpp"
#include "models/model.hpp"
#include "models/sampling.hpp"

namespace bamdp {

class GridBelief : public VisitedStates {
 public:
    explicit GridBelief(const GridPrior& prior)
        : VisitedStates(std::numeric_limits<std::int64_t>::max(), 4), prior(prior), lines_(prior.columns, prior.rows) {}

    const StateIndex& cells() const { return cells_; }  // that were seen, as empty states
    const LineBeliefs& lines() const { return lines_; }
    std::size_t num_cells() const { return rewards_.size(); }
    Place place(std::size_t cell) const { return Place::of(cells_.state(static_cast<Index>(cell))); }
    bool reward(std::size_t cell) const { return rewards_[cell]; }
    const std::vector<std::int64_t>& remaining() const { return remaining_; }
    bool seen(std::int64_t state) const { return cells_.find(state & ~std::int64_t{1}) != NONE; }

    // Whether the content of `state` agrees with what was seen: a cell is as it was when last seen, and empty once
    // left.
    bool consistent(std::int64_t state) const { return !seen(state) || Place::content(state) == remains(state); }

    void observe(std::int64_t state, std::int64_t next_state) {
        see(state);
        std::erase(remaining_, state & ~std::int64_t{1});
        see(next_state);
        ++observations;
    }

    template <class Archive>
    void archive(Archive& a) {
        std::vector<std::uint8_t> rewards(rewards_.begin(), rewards_.end());
        std::int64_t updated = updates, taken = accepted;
        known_.archive(a, num_states);
        cells_.archive(a, num_states);
        a(rewards, remaining_, observations, updated, taken);
        if constexpr (Archive::reading) {
            a.check(rewards.size() == static_cast<std::size_t>(cells_.size()), "there are other cells than contents");
            rewards_.assign(rewards.begin(), rewards.end());
            lines_ = LineBeliefs(prior.columns, prior.rows);
            for (std::size_t i = 0; i < num_cells(); ++i) lines_.observe(place(i), reward(i));
            for (Index h = 0; h < cells_.size(); ++h)
                a.check(!Place::content(cells_.state(h)), "a cell is out of range");
            for (const std::int64_t cell : remaining_)
                a.check(cells_.find(cell) != NONE, "a reward is in a cell that was not seen");
            a.check(observations >= 0 && 0 <= taken && taken <= updated, "a count is out of range");
            updates = updated;
            accepted = taken;
        }
    }

    const GridPrior prior;
    mutable std::atomic<std::int64_t> updates{0},
        accepted{0};  // of all searches; sums, so that the order of threads doesn't matter

 private:
    bool remains(std::int64_t state) const {
        return std::find(remaining_.begin(), remaining_.end(), state & ~std::int64_t{1}) != remaining_.end();
    }

    void see(std::int64_t state) {
        known_.find_or_add(state);
        if (seen(state)) return;
        const std::int64_t cell = state & ~std::int64_t{1};
        cells_.find_or_add(cell);
        rewards_.push_back(Place::content(state));
        lines_.observe(Place::of(state), Place::content(state));
        if (Place::content(state)) remaining_.push_back(cell);
    }

    StateIndex cells_;                     // cells, as empty states
    LineBeliefs lines_;
    std::vector<bool> rewards_;            // [cells] what was there at first
    std::vector<std::int64_t>
        remaining_;  // cells that hold a reward and were not left yet: mostly the agent's own or none
};

class GridModel {
 public:
    static constexpr bool four_directions = true;                 // actions, numbered clockwise
    static constexpr const char* default_rollouts = "straight";  // the authors' program's

    GridModel(std::shared_ptr<const GridBelief> belief, const std::shared_ptr<const Rewards>&)
        : belief_(std::move(belief)), chain_(belief_->prior) {}

    void sync() {
        stale_ = true;
        world_ = 0;
    }

    // The next simulation is in world `seed`, not 0: the same seed twice in a row is the same world, wherever the
    // simulation goes.
    void fix(std::uint64_t seed) {
        repeated_ = seed == world_;
        world_ = seed;
        fixed_ = true;
    }

    Index begin(std::int64_t state, Random& rng) {
        std::int32_t updates = repeated_ ? 0 : belief_->prior.updates_per_simulation;
        if (stale_) {
            take_in(state, rng);
            updates += belief_->prior.updates_per_search;
        }
        belief_->accepted += chain_.update(updates, rng);
        belief_->updates += updates;
        here_ = Place::of(state);
        content_ = Place::content(state);
        columns_.begin(here_.x);
        rows_.begin(here_.y);
        p_ = line(columns_, here_.x, chain_.columns, 1, rng);
        q_ = line(rows_, here_.y, chain_.rows, 2, rng);
        mean_ = content_ ? 1 : 0;
        cells_.find_or_add(here_.state(false));
        remaining_ = belief_->remaining();
        std::erase(remaining_, here_.state(false));
        return belief_->known().find(state);
    }

    BAMDP_INLINE Step step(Index, std::int32_t a, Random& rng) {
        const double reward = content_ ? 1 : 0;
        paid_ = mean_;
        here_ = here_.moved(a);
        if (a & 1)
            p_ = line(columns_, here_.x, chain_.columns, 1, rng);
        else
            q_ = line(rows_, here_.y, chain_.rows, 2, rng);
        const std::int64_t cell = here_.state(false);
        const Index before = cells_.size(), h = cells_.find_or_add(cell);
        const bool is_new = h == before;
        content_ = is_new ? (fixed_ ? of_world(static_cast<std::uint64_t>(cell), 3).uniform() : rng.uniform()) < p_ * q_
                          : !remaining_.empty() && take(cell);
        mean_ = is_new ? p_ * q_ : content_ ? 1 : 0;
        const std::int64_t next_state = cell | (content_ ? 1 : 0);
        return {h < seen_ ? belief_->known().find(next_state) : NONE, reward, next_state};
    }

    // The mean of the last step's reward in this world: cells that were entered in it hold one with probability p q.
    double expected_reward() const { return paid_; }

    void end() {
        cells_.truncate(seen_);
        fixed_ = repeated_ = false;
    }

    // Which cells the chain knows follows from the belief, but for the root of the last search; only its values are its
    // own.
    template <class Archive>
    void archive(Archive& a) {
        bool has_root = chain_.size() > taken_;
        std::int64_t root = has_root ? chain_.last() : 0;
        a(taken_, has_root, root);
        if constexpr (Archive::reading) {
            a.check(taken_ <= belief_->num_cells(), "the chain knows cells that were not seen");
            Random unused({1, 2, 3, 4});
            for (std::size_t i = 0; i < taken_; ++i) take_in_cell(i, unused);
            seen_ = cells_.size();
            if (has_root) chain_.add(Place::of(root), Place::content(root), unused);
        }
        chain_.columns.archive(a);
        chain_.rows.archive(a);
    }

 private:
    void take_in_cell(std::size_t cell, Random& rng) {
        cells_.find_or_add(belief_->place(cell).state(false));
        chain_.add(belief_->place(cell), belief_->reward(cell), rng);
    }

    // The first simulation of a search: what was observed since the last one, and what is seen at the root.
    void take_in(std::int64_t root, Random& rng) {
        if (chain_.size() > taken_) chain_.remove_last();  // the root of the last search, if it was not really observed
        for (; taken_ < belief_->num_cells(); ++taken_) take_in_cell(taken_, rng);
        seen_ = cells_.size();
        if (!belief_->seen(root)) chain_.add(Place::of(root), Place::content(root), rng);
        stale_ = false;
    }

    // The random numbers of world `world_` for one line or cell.
    Random of_world(std::uint64_t at, std::uint64_t kind) const {
        std::uint64_t key = mix(world_ ^ mix(at + kind * 0x9e3779b97f4a7c15U));
        const auto next = [&] { return mix(key += 0x9e3779b97f4a7c15U); };
        return Random({next(), next(), next(), next()});
    }

    BAMDP_INLINE double line(Stretch& stretch, std::int64_t x, const Lines& lines, std::uint64_t kind,
                             Random& rng) const {
        if (!fixed_) return stretch.at(x, lines, rng);
        Random own = of_world(static_cast<std::uint64_t>(x), kind);
        return stretch.at(x, lines, own);
    }

    bool take(std::int64_t cell) { return std::erase(remaining_, cell) > 0; }

    std::shared_ptr<const GridBelief> belief_;
    bool stale_ = true;
    GridChain chain_;
    std::size_t taken_ = 0;  // cells of the belief that the chain knows
    Index seen_ = 0;  // the same, as the first indices of `cells_`
    StateIndex cells_;  // cells seen, then those of this simulation
    std::vector<std::int64_t> remaining_;  // of this simulation
    Stretch columns_, rows_;
    Place here_{0, 0};
    bool content_ = false;
    double p_ = 0, q_ = 0;  // of the column and the row of `here_`
    double mean_ = 0, paid_ = 0;  // expected content of `here_`, and of the cell before
    std::uint64_t world_ = 0;  // see `fix`
    bool fixed_ = false, repeated_ = false;
};

template <Sampling S>
struct ModelOf<S, GridBelief> {
    using type = GridModel;  // columns, rows and cells are drawn when first needed in any case
    static constexpr const char* unsupported =
        S == Sampling::full ? "sampling=\"full\" needs finitely many parameters, an infinite grid has no end of them; "
                              "\"collapsed\" and \"lazy\" work there"
        : S == Sampling::resampled ? "sampling=\"resampled\" needs finitely many parameters, an infinite grid has no "
                                     "end of them; \"collapsed\" works there"
                                   : nullptr;
};

}  // namespace bamdp

// Roll-outs by a policy that learns on the way, so that the value of a leaf counts what is still to be learned.
//
// It depends on the history of the simulation alone, never on the sampled model, and forgets it when the simulation ends. It is greedy by
// values Q that are set at the root and repaired after each step:
//
//     Q(s,a) += (r + gamma V(s') − Q(s,a)) / n(s,a),   V(s) = max_a Q(s,a)
//
// with n the pseudo-counts and observations of the row, the new one included: for Dirichlet rows that is the posterior mean after the
// step, exactly, for V as it is. Changes of V are not carried back to earlier states: over up to six steps back that took 1.7 times as
// long, for values that differed by less than their errors on GC, GDL and Grid.
#pragma once

#include "search/leaves/rollout.hpp"

namespace bamdp {

// Models of searches that have such policies; no more, as each is another search to compile.
template <class M>
concept HasUrns = requires { requires M::has_urns; };

// Calls `f` with the number of actions; with four of them, as in most grids, known to the compiler: loops are unrolled.
template <class F>
BAMDP_INLINE auto with_actions(std::size_t A, F&& f) {
    return A == 4 ? f(std::integral_constant<std::size_t, 4>{}) : f(A);
}

BAMDP_INLINE double largest(const double* q, std::size_t A) {
    return with_actions(A, [&](auto n) {
        double best = q[0];
        for (std::size_t a = 1; a < n; ++a) best = std::max(best, q[a]);
        return best;
    });
}

// An action whose value is `enough`; of several, one at random.
BAMDP_INLINE std::int32_t any_of(const double* q, std::size_t A, double enough, Random& rng) {
    return with_actions(A, [&](auto n) {
        std::int32_t chosen = 0;
        std::int64_t ties = 0;
        for (std::size_t a = 0; a < n; ++a) {
            if (q[a] < enough) continue;
            const bool taken = ++ties == 1 || rng.below(ties) == 0;
            chosen += (static_cast<std::int32_t>(a) - chosen) * taken;  // without a branch: it would be mispredicted every other time
        }
        return chosen;
    });
}

// An action of the best value; those within `slack` of it are equally good, one of them at random.
BAMDP_INLINE std::int32_t greedy_action(const double* q, std::size_t A, double slack, Random& rng) { return any_of(q, A, largest(q, A) - slack, rng); }

class AdaptiveRows final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<HasUrns<M>, M, void>;
    static constexpr const char* NEEDED = "is for rows with counts, and sampling=\"collapsed\"";

    struct Memory {
        std::vector<double> rows;           // [states, 2, A] values and n of the states visited in this simulation
        std::vector<std::uint32_t> copied;  // [states] the simulation in which the rows were copied from the root's
        std::uint32_t simulation = 0;
        Index arrived = NONE;               // the state of the last step, if the best of its values is known
        double best = 0;

        void begin() {
            arrived = NONE;
            if (++simulation != 0) return;
            std::fill(copied.begin(), copied.end(), 0U);
            simulation = 1;
        }
    };

    AdaptiveRows(std::int32_t num_actions, const Settings& settings) : A_(static_cast<std::size_t>(num_actions)), discount_(settings.discount), unknown_rows_(2 * A_, 1.0) {
        std::fill_n(unknown_rows_.begin(), A_, 0.0);
    }

    // n of the rows of a belief: of a known state, and of one that is new.
    struct Rows {
        std::function<double(Index, std::int32_t)> total;
        double fresh = 1;
        bool tied = false;  // one row for each action, whatever the state
    };
    void set_rows(Rows rows) {
        rows_ = std::move(rows);
        state_mask_ = rows_.tied ? 0 : NONE;
    }

    // Values are those of the root's time. What states lose of it by depth d, if the run ends: all the same, in proportion to the steps.
    void prepare(const Query& query) override {
        lost_.clear();
        if (query.left.steps == 0) return;
        Annuity ones(discount_);
        ones.set_steps(query.left.steps);
        for (std::int32_t d = 0; d <= query.left.steps; ++d) lost_.push_back(typical_ * (ones.from(d) / ones.from(0) - 1));
    }

    bool set_values(const RootValues& root, const StateIndex& known) override {
        known_ = known.size();
        slack_ = root.slack;
        known_rows_.resize(2 * static_cast<std::size_t>(known_) * A_);
        const double unknown = set_unknown(root, known);
        typical_ = known_ == 0 ? unknown : 0;
        for (Index h = 0; h < known_; ++h) {
            double *q = &known_rows_[2 * static_cast<std::size_t>(h) * A_], *n = q + A_;
            root.q_values(known.state(h), q);
            for (std::size_t a = 0; a < A_; ++a) n[a] = rows_.total ? rows_.total(h, static_cast<std::int32_t>(a)) : 1;
            typical_ += largest(q, A_) / static_cast<double>(known_);
        }
        return true;
    }

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory& memory, const M& model, Index s, std::int32_t, Random& rng) const {
        const double* q = row_of(memory, model, s);
        return any_of(q, A_, (s == memory.arrived ? memory.best : largest(q, A_)) - slack_, rng);
    }

    template <Model M>
    BAMDP_INLINE void learn(Memory& memory, const M& model, Index s, std::int32_t a, const Step& step, Index next, bool over, std::int32_t d) const {
        double ahead = 0;
        memory.arrived = NONE;
        if (!over) {
            memory.best = largest(row_of(memory, model, next), A_);
            if (((next ^ s) & state_mask_) != 0) memory.arrived = next;
            ahead = memory.best + lost(d + 1);
        }
        double *q = row_of(memory, model, s) + a, *n = q + A_;
        *q += (step.reward + discount_ * ahead - lost(d) - *q) / ++*n;
    }

 private:
    double lost(std::int32_t d) const { return lost_.empty() ? 0 : lost_[static_cast<std::size_t>(d)]; }

    // Values [A], then n [A].
    template <Model M>
    BAMDP_INLINE double* row_of(Memory& memory, const M& model, Index s) const {
        const auto at = static_cast<std::size_t>(s & state_mask_);
        if (at >= memory.copied.size() || memory.copied[at] != memory.simulation) [[unlikely]] copy(memory, model, s, at);
        return &memory.rows[2 * at * A_];
    }

    template <Model M>
    BAMDP_NOINLINE void copy(Memory& memory, const M& model, Index s, std::size_t at) const {
        if (at >= memory.copied.size()) {
            memory.copied.resize(2 * at + 16, 0U);
            memory.rows.resize(2 * memory.copied.size() * A_);
        }
        memory.copied[at] = memory.simulation;
        const std::size_t row = s < known_ ? static_cast<std::size_t>(s) : listed_ ? static_cast<std::size_t>(model.state(s)) : 0;
        const std::vector<double>& from = s < known_ ? known_rows_ : unknown_rows_;
        with_actions(A_, [&](auto A) { std::copy_n(&from[2 * row * A], 2 * A, &memory.rows[2 * at * A]); });
    }

    // Of states that are not known: values of their own in a small world, else one value for all of them. Returns the best of the last.
    double set_unknown(const RootValues& root, const StateIndex& known) {
        listed_ = root.num_states <= LISTED_STATES;
        unknown_rows_.assign(2 * A_ * (listed_ ? static_cast<std::size_t>(root.num_states) : 1), rows_.fresh);
        double best = 0;
        for (std::int64_t s = 0; s < root.num_states; ++s) {
            if (known.find(s) != NONE) continue;
            double* q = &unknown_rows_[listed_ ? 2 * static_cast<std::size_t>(s) * A_ : 0];
            root.q_values(s, q);
            best = largest(q, A_);
            if (listed_) continue;
            std::fill(q, q + A_, best);
            break;
        }
        return best;
    }
    static constexpr std::int64_t LISTED_STATES = 1024;

    std::size_t A_;
    double discount_;
    Rows rows_;
    Index state_mask_ = NONE;           // 0: one row for each action, whatever the state
    Index known_ = 0;
    std::vector<double> known_rows_;    // [known, 2, A] values and n
    std::vector<double> unknown_rows_;  // the same of states that are not known, [S, 2, A] in a small world, else [1, 2, A]
    bool listed_ = false;               // in a small world
    std::vector<double> lost_;          // [steps left + 1], empty if the run has no end
    double slack_ = 0, typical_ = 0;    // typical: value of a known state
};

}  // namespace bamdp

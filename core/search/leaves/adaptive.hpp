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

BAMDP_INLINE double largest(const double* q, std::size_t A) {
    if (A == 4) return std::max({q[0], q[1], q[2], q[3]});  // as in most grids: without a loop
    return *std::max_element(q, q + A);
}

// An action whose value is `enough`; of several, one at random.
BAMDP_INLINE std::int32_t any_of(const double* q, std::size_t A, double enough, Random& rng) {
    std::int32_t chosen = 0;
    std::int64_t ties = 0;
    for (std::size_t a = 0; a < A; ++a) {
        if (q[a] < enough) continue;
        const bool taken = ++ties == 1 || rng.below(ties) == 0;
        chosen += (static_cast<std::int32_t>(a) - chosen) * taken;  // without a branch: it would be mispredicted every other time
    }
    return chosen;
}

// An action of the best value; those within `slack` of it are equally good, one of them at random.
BAMDP_INLINE std::int32_t greedy_action(const double* q, std::size_t A, double slack, Random& rng) { return any_of(q, A, largest(q, A) - slack, rng); }

class AdaptiveRows final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<HasUrns<M>, M, void>;
    static constexpr const char* NEEDED = "is for rows with counts, and sampling=\"collapsed\"";

    struct Memory {
        std::vector<double> q, n;           // [states, A], of states visited in this simulation
        std::vector<std::uint32_t> copied;  // [states] the simulation in which the values above were copied from the root's
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

    AdaptiveRows(std::int32_t num_actions, const Settings& settings) : A_(static_cast<std::size_t>(num_actions)), discount_(settings.discount), ones_(settings.discount) {}

    // n of the rows of a belief: of a known state, and of one that is new.
    struct Rows {
        std::function<double(Index, std::int32_t)> total;
        double fresh = 1;
        bool tied = false;  // one row for each action, whatever the state
    };
    void set_rows(Rows rows) { rows_ = std::move(rows); }

    void prepare(const Query& query) override { ones_.set_steps(query.left.steps); }

    bool set_values(const RootValues& root, const StateIndex& known) override {
        known_ = known.size();
        slack_ = root.slack;
        q_.resize(static_cast<std::size_t>(known_) * A_);
        n_.resize(q_.size());
        for (Index h = 0; h < known_; ++h) {
            const std::size_t row = static_cast<std::size_t>(h) * A_;
            root.q_values(known.state(h), &q_[row]);
            for (std::size_t a = 0; a < A_; ++a) n_[row + a] = rows_.total ? rows_.total(h, static_cast<std::int32_t>(a)) : 1;
        }
        set_unknown(root, known);
        typical_ = known_ == 0 ? fallback_ : 0;
        for (Index h = 0; h < known_; ++h) typical_ += best(&q_[static_cast<std::size_t>(h) * A_]) / static_cast<double>(known_);
        return true;
    }

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory& memory, const M& model, Index s, std::int32_t, Random& rng) const {
        const double* q = values_of(memory, model, s);
        return any_of(q, A_, (s == memory.arrived ? memory.best : best(q)) - slack_, rng);
    }

    template <Model M>
    BAMDP_INLINE void learn(Memory& memory, const M& model, Index s, std::int32_t a, const Step& step, Index next, bool over, std::int32_t d) const {
        double ahead = 0;
        memory.arrived = NONE;
        if (!over) {
            memory.best = best(values_of(memory, model, next));
            if (next != s && !rows_.tied) memory.arrived = next;
            ahead = memory.best + lost(d + 1);
        }
        double* q = values_of(memory, model, s);
        q[a] += (step.reward + discount_ * ahead - lost(d) - q[a]) / ++memory.n[place(s, a)];
    }

    template <bool LISTED, Model M>
    BAMDP_INLINE double value(Memory& memory, M& model, const Settings& settings, const Query& query, Index s, std::int32_t last, std::int32_t d, Random& rng) const {
        return roll_out<LISTED>(*this, memory, model, settings, query, s, last, d, rng);
    }

 private:
    // Values are those of the root's time. What states lose of it by depth d, if the run ends: all the same, in proportion to the steps.
    double lost(std::int32_t d) const { return ones_.ends() ? typical_ * (ones_.from(d) / ones_.from(0) - 1) : 0; }

    BAMDP_INLINE double best(const double* q) const { return largest(q, A_); }
    std::size_t place(Index s, std::int32_t a) const { return (rows_.tied ? 0 : static_cast<std::size_t>(s)) * A_ + static_cast<std::size_t>(a); }

    template <Model M>
    BAMDP_INLINE double* values_of(Memory& memory, const M& model, Index s) const {
        const std::size_t at = rows_.tied ? 0 : static_cast<std::size_t>(s);
        if (at >= memory.copied.size() || memory.copied[at] != memory.simulation) [[unlikely]] copy(memory, model, s, at);
        return &memory.q[at * A_];
    }

    template <Model M>
    BAMDP_NOINLINE void copy(Memory& memory, const M& model, Index s, std::size_t at) const {
        if (at >= memory.copied.size()) {
            memory.copied.resize(2 * at + 16, 0U);
            memory.q.resize(memory.copied.size() * A_);
            memory.n.resize(memory.copied.size() * A_);
        }
        memory.copied[at] = memory.simulation;
        double *q = &memory.q[at * A_], *n = &memory.n[at * A_];
        if (s < known_) {
            std::copy_n(&q_[static_cast<std::size_t>(s) * A_], A_, q);
            std::copy_n(&n_[static_cast<std::size_t>(s) * A_], A_, n);
            return;
        }
        std::fill(n, n + A_, rows_.fresh);
        const auto state = static_cast<std::size_t>(model.state(s));
        if (state * A_ < unknown_.size()) std::copy_n(&unknown_[state * A_], A_, q);
        else std::fill(q, q + A_, fallback_);
    }

    // Of states that are not known: values of their own in a small world, else one value for all of them.
    void set_unknown(const RootValues& root, const StateIndex& known) {
        const bool listed = root.num_states <= LISTED_STATES;
        std::vector<double> q(A_);
        unknown_.assign(listed ? static_cast<std::size_t>(root.num_states) * A_ : 0, 0.0);
        fallback_ = 0;
        for (std::int64_t s = 0; s < root.num_states; ++s) {
            if (known.find(s) != NONE) continue;
            root.q_values(s, q.data());
            fallback_ = best(q.data());
            if (!listed) break;
            std::copy(q.begin(), q.end(), &unknown_[static_cast<std::size_t>(s) * A_]);
        }
    }
    static constexpr std::int64_t LISTED_STATES = 1024;

    std::size_t A_;
    double discount_;
    Rows rows_;
    Annuity ones_;
    Index known_ = 0;
    std::vector<double> q_, n_;                      // [known, A]
    std::vector<double> unknown_;                    // [S, A] of states that are not known, in a small world
    double fallback_ = 0, slack_ = 0, typical_ = 0;  // typical: value of a known state
};

}  // namespace bamdp

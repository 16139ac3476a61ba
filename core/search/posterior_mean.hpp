// The posterior-mean MDP of a belief with counts, after steps that a search imagines: its rows, and the values of its
// states.
//
// A step changes one row. The values of the last states on the path are repaired for it: where the run has no end by
// SWEEPS Bellman back-ups of each, with an end by backward induction over the last WINDOW steps. Values of other states
// stay as they were at the root.
#pragma once

#include "solve/solver.hpp"

namespace bamdp {

// What may follow an action in the mean. `slot` is a state's number in the Bellman equations; NONE: one of many that
// are not told apart.
struct BeliefOutcome {
    Index slot;
    double p, reward;
    std::uint64_t key = 0;  // tells outcomes of a row apart
    double observed = 0;    // the reward as it would be observed, where rewards are unknown
    double value = 0;       // of those not told apart: the mean of their values
    bool informs = true;    // whether the reward was told apart from others
};

template <RowPrior P>
class PosteriorMean {
 public:
    // `left`: what is left of a run that ends, or null. The mean of `belief` is loaded in `solver` and solved.
    PosteriorMean(Solver& solver, Belief<P>& belief, std::shared_ptr<const RewardBelief> learned, const StepsLeft* left,
                  Pause& pause)
        : belief_(belief), learned_(std::move(learned)), mean_(solver.mean(belief.num_states <= MOST_LISTED)),
          bellman_(mean_.bellman), S_(belief.num_states), A_(belief.num_actions), gamma_(bellman_.discount()),
          n_(static_cast<std::size_t>(bellman_.active().size())), left_(left == nullptr ? StepsLeft{0} : *left),
          changed_(n_ * static_cast<std::size_t>(A_), NONE) {
        if (left_.length > 0) start_ = bellman_.find(left_.start);
        set_values(pause);
        set_uncertainties();
        root_ = values_;
    }

    Index slot(std::int64_t state) const { return bellman_.find(state); }
    std::int64_t state(Index slot) const { return bellman_.active().state(slot); }
    std::int64_t steps() const { return left_.steps; }
    bool ends() const { return left_.steps > 0; }
    bool ends_soon() const { return ends() && left_.steps <= SOON; }
    bool is_over(Index slot) const { return mean_.terminal.has(state(slot)); }

    // The state that follows a step to `slot` with `left` steps left before it: there the next episode may begin.
    Index after(Index slot, std::int64_t left) const {
        return left_.length > 0 && left_.ends_after(left_.steps - left + 1) && !is_over(slot) ? start_ : slot;
    }

    // What may follow action `a` with `left` steps left.
    void outcomes(Index slot, std::int32_t a, std::int64_t left, std::vector<BeliefOutcome>& out) {
        const BellmanRow& row = this->row(slot, a);
        const double* by_next = mean_.rewards.by_next_state(state(slot), a);
        out.clear();
        for (const auto& [next, p] : row.successors) {
            if (p <= 0) continue;
            const auto known = std::ranges::find(out, next, &BeliefOutcome::slot);
            if (known != out.end())
                known->p += p;
            else
                out.push_back({next, p, by_next == nullptr ? row.reward : by_next[state(next)],
                               static_cast<std::uint64_t>(next) + 1});
        }
        if (row.rest > 0 && S_ <= MOST_LISTED) spread(row, by_next, out);
        if (out.size() > MOST_OUTCOMES) merge(left, out);
        if (row.rest > 0 && S_ > MOST_LISTED) add_rest(row, by_next != nullptr, left, out);
        if (learned_) pay(slot, a, out);
    }

    // Adds one step; `undo` takes the last one back.
    void observe(Index slot, std::int32_t a, const BeliefOutcome& o) {
        path_.push_back({slot, static_cast<std::int32_t>(top_)});
        if (belief_.tied())
            for (std::size_t s = 0; s < n_; ++s) change(static_cast<Index>(s), a, o);
        else
            change(slot, a, o);
    }
    void undo() {
        const auto first = static_cast<std::size_t>(path_.back().first);
        path_.pop_back();
        while (top_ > first) --top_, changed_[rows_[top_]->at] = rows_[top_]->before;
    }
    void undo_all() {
        while (!path_.empty()) undo();
    }

    // The value of a state with `left` steps left, or without an end, after the steps on the path.
    double value(Index slot, std::int64_t left) {
        repair(left);
        const double result = layer(left)[slot];
        forget(left);
        return result;
    }
    // The value of the state that follows one more step, with `left` steps left after it. Only states of the path are
    // repaired: the value of any other one is that at the root.
    double value_after(Index slot, std::int32_t a, const BeliefOutcome& o, Index next, std::int64_t left) {
        path_.push_back({slot, static_cast<std::int32_t>(top_)});
        recent();
        path_.pop_back();
        if (std::ranges::find(recent_, next) == recent_.end()) return layer(left)[next];
        observe(slot, a, o);
        const double result = value(next, left);
        undo();
        return result;
    }
    // Whether the last `value_after` with so many steps left was Bayes-optimal: nothing is learned for the last step.
    bool is_exact(std::int64_t left) const {
        return ends() && left == 1 && (belief_.tied() || recent_.size() < MOST_REPAIRED);
    }

    std::int32_t greedy(Index slot, std::int64_t left) {
        if (!path_.empty()) repair(left);
        std::int32_t best = 0;
        double most = 0;
        for (std::int32_t a = 0; a < A_; ++a) {
            const double q = back_up(row(slot, a), left - 1);
            if (a == 0 || q > most) most = q, best = a;
        }
        if (!path_.empty()) forget(left);
        return best;
    }
    // What learning may add to the value of a state: E = max_a sd(s,a) + gamma Σ p E, with sd the posterior deviation
    // of r + gamma V.
    double uncertainty(Index slot, std::int64_t left) const {
        if (ends() && left <= 1) return 0;
        return uncertainties_[(layered_ ? offset(left) : 0) + static_cast<std::size_t>(slot)];
    }
    // The uncertainty of a state that is not told apart from others: their mean.
    double mean_uncertainty(std::int64_t left) const {
        return ends() && left <= 1 ? 0 : mean_uncertainties_[layered_ ? offset(left) / n_ : 0];
    }

 private:
    static constexpr std::int64_t MOST_LISTED = 16;  // states of a world in which each possible successor is told apart
    static constexpr std::size_t MOST_OUTCOMES = 16;  // of an action that are told apart
    static constexpr std::size_t MOST_REPAIRED = 8;  // states of the path
    static constexpr int SWEEPS = 2;
    static constexpr std::int64_t WINDOW = 8, DEEPEST = 64, SOON = 32;
    static constexpr int UNCERTAINTY_SWEEPS = 10;
    static constexpr std::size_t MOST_LAYERED = 1 << 16;  // uncertainties by steps left

    struct Changed {
        BellmanRow row;
        Observed seen;
        std::vector<double> rewards;  // observed on the path
        std::size_t at;  // the row: slot · A + a
        std::int32_t before;  // of the same row, or NONE
    };
    struct PathStep {
        Index slot;
        std::int32_t first;  // of the rows that it changed
    };

    std::size_t place(Index slot, std::int32_t a) const {
        return static_cast<std::size_t>(slot) * static_cast<std::size_t>(A_) + static_cast<std::size_t>(a);
    }
    const BellmanRow& row(Index slot, std::int32_t a) const {
        const std::int32_t changed = changed_[place(slot, a)];
        return changed == NONE ? bellman_.row(slot, static_cast<std::size_t>(a))
                               : rows_[static_cast<std::size_t>(changed)]->row;
    }

    void change(Index slot, std::int32_t a, const BeliefOutcome& o) {
        if (top_ == rows_.size()) rows_.push_back(std::make_unique<Changed>());
        Changed& changed = *rows_[top_];
        changed.at = place(slot, a);
        changed.before = std::exchange(changed_[changed.at], static_cast<std::int32_t>(top_++));
        if (changed.before != NONE) {
            const Changed& last = *rows_[static_cast<std::size_t>(changed.before)];
            changed.seen = last.seen;
            changed.rewards = last.rewards;
        } else {
            belief_.observed(belief_.known().find(state(slot)), a, changed.seen);
            changed.rewards.clear();
        }
        const std::int64_t next = state(o.slot);
        const auto known = std::ranges::find(changed.seen.states, next);
        if (known == changed.seen.states.end())
            changed.seen.add(next, 1);
        else
            ++changed.seen.n[static_cast<std::size_t>(known - changed.seen.states.begin())], ++changed.seen.total;
        if (learned_ && o.informs) changed.rewards.push_back(o.observed);
        set_row(slot, a, changed);
    }

    void set_row(Index slot, std::int32_t a, Changed& changed) {
        entries_.clear();
        const double rest = belief_.prior.mean_row(belief_.pair(state(slot), a), changed.seen, entries_);
        changed.row.successors.clear();
        for (const auto& [next, p] : entries_) changed.row.successors.push_back({bellman_.find(next), p});
        const double reward =
            learned_ ? learned_->mean_after(state(slot), a, changed.rewards)
                     : mean_.rewards.expected(state(slot), a, changed.row.successors, rest, bellman_.active());
        changed.row.rest = rest;
        changed.row.reward = reward;
    }

    // In a small world: the rest of a row, spread over its states.
    void spread(const BellmanRow& row, const double* by_next, std::vector<BeliefOutcome>& out) const {
        for (std::int64_t s = 0; s < S_; ++s) {
            const double p = row.rest * bellman_.weight(s);
            if (p <= 0) continue;
            const Index next = bellman_.find(s);
            const auto known = std::ranges::find(out, next, &BeliefOutcome::slot);
            if (known != out.end())
                known->p += p;
            else
                out.push_back(
                    {next, p, by_next == nullptr ? row.reward : by_next[s], static_cast<std::uint64_t>(next) + 1});
        }
    }

    // In a large one, it is one outcome.
    void add_rest(const BellmanRow& row, bool by_next, std::int64_t left, std::vector<BeliefOutcome>& out) const {
        double paid = row.reward;
        for (const BeliefOutcome& o : out) paid -= o.p * o.reward;
        out.push_back({NONE, row.rest, by_next ? paid / row.rest : row.reward, 0, 0,
                       ends() && left == 1 ? 0 : mean_value(left - 1)});
    }

    // The least likely of many outcomes become one.
    void merge(std::int64_t left, std::vector<BeliefOutcome>& out) const {
        std::ranges::stable_sort(out, std::greater{}, &BeliefOutcome::p);
        BeliefOutcome others{NONE, 0, 0};
        for (std::size_t i = MOST_OUTCOMES - 1; i < out.size(); ++i) {
            others.p += out[i].p;
            others.reward += out[i].p * out[i].reward;
            others.value += out[i].p * (ends() && left == 1 ? 0 : layer(left - 1)[after(out[i].slot, left)]);
        }
        others.reward /= others.p;
        others.value /= others.p;
        out.resize(MOST_OUTCOMES - 1);
        out.push_back(others);
    }

    // Outcomes by what they pay, where rewards are unknown.
    void pay(Index slot, std::int32_t a, std::vector<BeliefOutcome>& out) {
        const std::int32_t changed = changed_[place(slot, a)];
        static const std::vector<double> none;
        const std::vector<double>& seen = changed == NONE ? none : rows_[static_cast<std::size_t>(changed)]->rewards;
        paid_.clear();
        learned_->predictive(state(slot), a, seen, paid_);
        const std::size_t n = out.size();
        if (n * paid_.size() > MOST_OUTCOMES) {  // then by the mean, which tells nothing new
            for (BeliefOutcome& o : out) o.reward = learned_->mean_after(state(slot), a, seen), o.informs = false;
            return;
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 1; k < paid_.size(); ++k) {
                BeliefOutcome o = out[i];
                o.p *= paid_[k].probability;
                o.reward = o.observed = paid_[k].reward;
                o.key = mix(o.key * 1024 + k);
                out.push_back(o);
            }
        for (std::size_t i = 0; i < n; ++i)
            out[i].p *= paid_[0].probability, out[i].reward = out[i].observed = paid_[0].reward;
    }

    // ---- values

    std::size_t offset(std::int64_t left) const {
        return ends() ? static_cast<std::size_t>(std::max<std::int64_t>(0, left - lowest_)) * n_ : 0;
    }
    double* layer(std::int64_t left) { return &values_[offset(left)]; }
    const double* layer(std::int64_t left) const { return &values_[offset(left)]; }
    double mean_value(std::int64_t left) const { return ends() ? means_[offset(left) / n_] : bellman_.mean(); }

    // The value of a row whose next state has `left` steps left.
    double back_up(const BellmanRow& row, std::int64_t left) const {
        if (ends() && left == 0) return row.reward;
        const double* values = layer(left);
        if (left_.length > 0 && left_.ends_after(left_.steps - left)) return row.reward + gamma_ * values[start_];
        double sum = row.rest == 0 ? 0 : row.rest * mean_value(left);
        for (const auto& [slot, p] : row.successors) sum += p * values[slot];
        return row.reward + gamma_ * sum;
    }

    double best(Index slot, std::int64_t left) const {
        double most = back_up(row(slot, 0), left);
        for (std::int32_t a = 1; a < A_; ++a) most = std::max(most, back_up(row(slot, a), left));
        return most;
    }

    // The last states of the path, each once; all states where one row serves them all.
    void recent() {
        recent_.clear();
        if (belief_.tied()) {
            for (std::size_t s = 0; s < n_; ++s) recent_.push_back(static_cast<Index>(s));
            return;
        }
        for (std::size_t i = path_.size(); i-- > 0 && recent_.size() < MOST_REPAIRED;)
            if (std::ranges::find(recent_, path_[i].slot) == recent_.end()) recent_.push_back(path_[i].slot);
    }

    void repair(std::int64_t left) {
        recent();
        if (!ends()) {
            for (int sweep = 0; sweep < SWEEPS; ++sweep)
                for (const Index s : recent_) values_[static_cast<std::size_t>(s)] = best(s, 0);
            return;
        }
        for (std::int64_t k = first_repaired(left); k <= left; ++k)
            for (const Index s : recent_) layer(k)[s] = best(s, k - 1);
    }
    void forget(std::int64_t left) {
        for (std::int64_t k = ends() ? first_repaired(left) : left; k <= left; ++k)
            for (const Index s : recent_) layer(k)[s] = root_[offset(k) + static_cast<std::size_t>(s)];
    }
    std::int64_t first_repaired(std::int64_t left) const {
        return std::max({std::int64_t{1}, left - WINDOW + 1, lowest_ + 1});
    }

    // Values of the mean, and the mean over the base distribution, by steps left down to the deepest that a search
    // sees.
    void set_values(Pause& pause) {
        if (!ends()) {
            values_ = bellman_.values();
            return;
        }
        lowest_ = std::max<std::int64_t>(0, left_.steps - DEEPEST - WINDOW);
        const auto keep = [&](std::int64_t k) {
            if (k < lowest_) return;
            values_.insert(values_.end(), bellman_.values().begin(), bellman_.values().end());
            means_.push_back(bellman_.mean());
        };
        bellman_.induct(left_.steps, pause, [&](std::int64_t k) {
            keep(k - 1);
            if (left_.length > 0 && left_.ends_after(left_.steps - (k - 1)))
                bellman_.restart(bellman_.values()[static_cast<std::size_t>(start_)]);
        });
        keep(left_.steps);
    }

    // ---- uncertainties

    void set_uncertainties() {
        layered_ = ends() && values_.size() <= MOST_LAYERED;
        if (layered_) {
            uncertainties_.assign(values_.size(), 0.0);
            for (std::int64_t k = std::max<std::int64_t>(lowest_ + 1, 2); k <= left_.steps; ++k)
                sweep(k - 1, &uncertainties_[offset(k - 1)], &uncertainties_[offset(k)]);
            average_uncertainties();
            return;
        }
        uncertainties_.assign(n_, 0.0);
        for (int i = 0; i < UNCERTAINTY_SWEEPS; ++i)
            sweep(ends() ? left_.steps - 1 : 0, uncertainties_.data(), uncertainties_.data());
        average_uncertainties();
    }
    void average_uncertainties() {
        double weight = 0;
        for (std::size_t s = 0; s < n_; ++s) weight += bellman_.weight_of(static_cast<Index>(s));
        for (std::size_t first = 0; first < uncertainties_.size(); first += n_) {
            double sum = 0;
            for (std::size_t s = 0; s < n_; ++s)
                sum += bellman_.weight_of(static_cast<Index>(s)) * uncertainties_[first + s];
            mean_uncertainties_.push_back(weight > 0 ? sum / weight : 0);
        }
    }

    void sweep(std::int64_t left, const double* later, double* result) {
        double sum = 0, weight = 0, square = 0;
        const double* values = layer(left);
        for (std::size_t s = 0; s < n_; ++s) {
            const double w = bellman_.weight_of(static_cast<Index>(s));
            sum += w * later[s], weight += w, square += w * values[s] * values[s];
        }
        const double mean_later = weight > 0 ? sum / weight : 0, passive = bellman_.passive_value();
        square += bellman_.passive_weight() * passive * passive;
        for (std::size_t s = 0; s < n_; ++s) {
            const auto slot = static_cast<Index>(s);
            if (is_over(slot)) continue;
            double most = 0;
            for (std::int32_t a = 0; a < A_; ++a) {
                const BellmanRow& row = bellman_.row(slot, static_cast<std::size_t>(a));
                double ahead = row.rest * mean_later;
                for (const auto& [next, p] : row.successors) ahead += p * later[next];
                if (left_.length > 0 && left_.ends_after(left_.steps - left)) ahead = later[start_];
                most = std::max(most, deviation(slot, a, row, values, mean_value(left), square) + gamma_ * ahead);
            }
            result[s] = most;
        }
    }

    // The posterior standard deviation of E[r + gamma V(s')].
    double deviation(Index slot, std::int32_t a, const BellmanRow& row, const double* values, double mean,
                     double square) const {
        const double* by_next = mean_.rewards.by_next_state(state(slot), a);
        double first = 0, second = 0;
        if (row.rest > 0 && by_next == nullptr)
            first = row.rest * gamma_ * mean, second = row.rest * gamma_ * gamma_ * square;
        for (std::int64_t s = 0; row.rest > 0 && by_next != nullptr && s < S_; ++s) {
            const Index next = bellman_.find(s);
            const double p = row.rest * bellman_.weight(s),
                         y = by_next[s] + gamma_ * (next == NONE ? mean : values[next]);
            first += p * y, second += p * y * y;
        }
        for (const auto& [next, p] : row.successors) {
            const double y = (by_next == nullptr ? 0 : by_next[state(next)]) + gamma_ * values[next];
            first += p * y, second += p * y * y;
        }
        const double n0 = belief_.prior.mass(belief_.pair(state(slot), a)) +
                          static_cast<double>(belief_.counts(belief_.known().find(state(slot)), a).total);
        double variance = std::max(0.0, second - first * first) / (n0 + 1);
        if (learned_) variance += learned_->uncertainty(state(slot), a).second;
        return std::sqrt(variance);
    }

    Belief<P>& belief_;
    std::shared_ptr<const RewardBelief> learned_;
    Solver::Mean mean_;
    Bellman& bellman_;
    std::int64_t S_;
    std::int32_t A_;
    double gamma_;
    std::size_t n_;  // states with their own equation
    StepsLeft left_;  // 0 steps: without an end
    Index start_ = NONE;  // of an episode
    std::vector<std::int32_t> changed_;  // [n, A] the row as it is now, among `rows_`; NONE: as at the root
    std::vector<std::unique_ptr<Changed>> rows_;  // the first `top_` are in use
    std::size_t top_ = 0;
    std::vector<PathStep> path_;
    std::int64_t lowest_ = 0;  // steps left of the first layer
    std::vector<double> values_, root_;  // [layers, n] as repaired, and at the root; one layer without an end
    std::vector<double> means_;  // [layers] over the base distribution
    bool layered_ = false;
    std::vector<double> uncertainties_;  // [layers, n] or [n]
    std::vector<double> mean_uncertainties_;  // [layers] or [1]
    std::vector<Index> recent_;  // scratch
    SparseRow entries_;
    std::vector<RewardOutcome> paid_;
};

}  // namespace bamdp

// Bernoulli arms with Beta priors over a finite horizon, solved exactly: the recursion over the counts, in place.
//
//   V_t(n, s) = max_k e_k + gamma (p_k V_{t+1}(n + 1_k, s + 1_k) + (1 − p_k) V_{t+1}(n + 1_k, s)),   V_T = 0
//   p_k = (a_k + s_k) / (a_k + b_k + n_k),   e_k = low_k + p_k (high_k − low_k)
//
// n_k pulls and s_k successes of arm k; layer t has n_1 + … + n_K = t. A state is addressed by n_1 … n_{K−1} (its
// slab), s_1 … s_{K−1} (its row in the slab) and s_K; n_K follows from t. A pull of the last arm stays in the row, one
// of another arm leads to a later slab: in ascending order layer t overwrites layer t + 1, and no state is looked up.
//
// A plate, the slabs with the same n_1, needs itself and the next plate of layer t + 1. So layers follow each other at
// a distance of one plate: `DEEP` layers are worked on at a time by each thread, while their plates are in its cache.
// Memory is read once for all of them.
//
// Two arms: the more successes of the second, the better it is beside the first. A row of the policy is then two
// numbers, from how many successes s_2 on the second arm is optimal (`from`) and below how many the first one is
// (`below`): 4 bytes instead of n_2 + 1.
#pragma once

#include "support/parallel.hpp"

namespace bamdp {

inline constexpr std::size_t MOST_ARMS = 6;  // beyond, hardly a horizon fits into memory
inline constexpr double SAME_VALUE = 1e-9;  // difference of values, in units of the largest reward, that is rounding

// A Beta prior, and what a failure and a success pay.
struct Arm {
    double a, b, low, high;

    double mean(std::size_t n, std::size_t s) const {
        return (a + static_cast<double>(s)) / (a + b + static_cast<double>(n));
    }
    double pays(double p) const { return low + p * (high - low); }
};

// Number of states of `arms` arms after t pulls: (t + 2K − 1 choose 2K − 1), or the largest number if that is too
// large.
inline std::size_t states_of(std::size_t arms, std::size_t t) {
    double exact = 1;
    std::size_t count = 1;
    for (std::size_t i = 1; i < 2 * arms; ++i) {
        exact = exact * static_cast<double>(t + i) / static_cast<double>(i);
        if (exact > 1e15) return std::numeric_limits<std::size_t>::max();
        count = count * (t + i) / i;
    }
    return count;
}

// Optimal arms in a row of two arms: the second from `from` successes of it on, the first below `below`.
struct Cut {
    std::uint16_t from, below;
};

enum class Keep { NOTHING, MASKS, CUTS };  // cuts: of two arms, and at most 65534 steps

class ArmsRecursion {
 public:
    // `keep`: remember which arms are optimal in every state. `last` is V_T by state, slab by slab; 0 if empty.
    ArmsRecursion(std::vector<Arm> arms, double discount, std::size_t horizon, Keep keep,
                  std::span<const double> last = {})
        : arms_(std::move(arms)), gamma_(discount), T_(horizon), J_(arms_.size() - 1), keep_(keep == Keep::MASKS),
          cut_(keep == Keep::CUTS) {
        std::size_t slabs = 1;
        for (std::size_t k = 0; k < J_; ++k) slabs *= T_ + 1;
        bases_.assign(slabs, 0);
        values_.assign(lay_out(), 0.0);
        std::copy(last.begin(), last.end(), values_.begin());
        double scale = 0;
        for (const Arm& arm : arms_) scale = std::max({scale, std::abs(arm.low), std::abs(arm.high)});
        for (const double value : last) scale = std::max(scale, std::abs(value) / static_cast<double>(T_));
        slack_ = SAME_VALUE * scale;
        if (keep_) lay_out_policy();
        if (cut_) cuts_.resize(T_ * (T_ + 1) * (T_ + 2) / 6);
    }

    // The value of each arm at the start. `pause` may throw.
    std::vector<double> solve(std::size_t threads, Pause pause) {
        const std::size_t strips = (T_ - 1 + DEEP - 1) / DEEP;  // layers T − 1 to 1; the last one is the root
        std::vector<std::atomic<std::size_t>> done(strips);  // plates of the last layer of each strip
        std::vector<Scratch> scratch(std::max<std::size_t>(threads, 1),
                                     Scratch(T_ + 1, keep_ || cut_ ? arms_.size() : 1));
        in_parallel(strips, threads, std::move(pause), [&](std::size_t strip, std::size_t thread, const Tick& tick) {
            const std::size_t top = T_ - 1 - strip * DEEP, layers = std::min(DEEP, top);
            for (std::size_t wave = 0; wave <= top; ++wave)
                for (std::size_t d = 0; d < layers && d <= wave; ++d) {
                    if (d == 0 && strip > 0)
                        for (tick(); done[strip - 1].load(std::memory_order_acquire) < wave + 2; tick())
                            std::this_thread::yield();
                    plate(top - d, wave - d, scratch[thread], tick);
                    if (d + 1 == layers) done[strip].store(wave - d + 1, std::memory_order_release);
                }
        });
        return root();
    }

    // One bit for each optimal arm, layer by layer, slab by slab, [n_1 + 1, …, n_K + 1] each; empty unless kept.
    std::vector<std::uint8_t> take_policy() { return std::move(policy_); }

    // Layer by layer, n_1 by n_1, s_1 by s_1; empty unless kept.
    std::vector<Cut> take_cuts() { return std::move(cuts_); }

    // Whether all rows were cuts; if not, those returned are of no use.
    bool ordered() const { return ordered_; }

    std::size_t done() const { return states_done_; }

 private:
    static constexpr std::size_t DEEP = 4;
    using Counts = std::array<std::size_t, MOST_ARMS>;

    struct Scratch {
        Scratch(std::size_t length, std::size_t arms)
            : best(length), pays(length), up(length), down(length), q(arms, std::vector<double>(length)) {}
        std::vector<double> best;  // of all arms but the last [s_K]
        std::vector<double> pays, up, down;  // of the last arm: e, gamma p, gamma (1 − p) [s_K]
        std::vector<std::vector<double>> q;  // of each arm, to compare [K, s_K]
    };

    // Where each slab begins; returns the size of all. Rows have room for the last layer, t = T.
    std::size_t lay_out() {
        std::size_t base = 0;
        Counts n{};
        do {
            bases_[slab(n)] = base;
            std::size_t rows = 1;
            for (std::size_t k = 0; k < J_; ++k) rows *= n[k] + 1;
            base += rows * row_length(n);
        } while (next(n, 0, T_));
        return base;
    }

    // The next slab with at most t pulls, of those with the same pulls of the arms before `fixed`; false if there is
    // none.
    bool next(Counts& n, std::size_t fixed, std::size_t t) const {
        for (std::size_t k = J_; k-- > fixed;) {
            if (pulls(n) < t) {
                ++n[k];
                return true;
            }
            n[k] = 0;
        }
        return false;
    }

    void lay_out_policy() {
        std::size_t size = 0;
        for (std::size_t t = 0; t < T_; ++t) {
            layers_.push_back(size);
            size += states_of(J_ + 1, t);
        }
        policy_.resize(size);
    }

    // Pulls of all arms but the last.
    static std::size_t pulls(const Counts& n) { return std::accumulate(n.begin(), n.end(), std::size_t{0}); }

    std::size_t row_length(const Counts& n) const { return T_ - pulls(n) + 1; }

    std::size_t slab(const Counts& n) const {
        std::size_t number = 0;
        for (std::size_t k = 0; k < J_; ++k) number = number * (T_ + 1) + n[k];
        return number;
    }

    // The slabs of layer t with n_1 pulls of the first arm, in ascending order.
    void plate(std::size_t t, std::size_t n_1, Scratch& scratch, const Tick& tick) {
        Counts n{};
        std::uint8_t* masks = nullptr;
        if (keep_) {
            masks = &policy_[layers_[t]];
            for (std::size_t i = 0; J_ > 0 && i < n_1; ++i) masks += (i + 1) * states_of(J_, t - i);
        }
        if (J_ == 0 && n_1 > 0) return;
        n[0] = n_1;
        do {
            one_slab(t, n, masks, scratch);
            tick();
        } while (next(n, 1, t));
    }

    void one_slab(std::size_t t, const Counts& n, std::uint8_t*& masks, Scratch& scratch) {
        const std::size_t m = t - pulls(n), length = row_length(n);
        const Arm& last = arms_[J_];
        for (std::size_t s = 0; s <= m; ++s) {
            const double p = last.mean(m, s);
            scratch.pays[s] = last.pays(p), scratch.up[s] = gamma_ * p, scratch.down[s] = gamma_ * (1 - p);
        }
        std::size_t rows = 1;
        std::array<double*, MOST_ARMS> after{};  // the slab with one more pull of arm k
        std::array<std::size_t, MOST_ARMS> stride{};  // rows of this slab between successes of arm k
        for (std::size_t k = J_; k-- > 0;) {
            stride[k] = rows;
            rows *= n[k] + 1;
            Counts more = n;
            ++more[k];
            after[k] = &values_[bases_[slab(more)]];
        }
        double* v = &values_[bases_[slab(n)]];
        for (std::size_t row = 0; row < rows; ++row, v += length) {
            for (std::size_t k = 0; k < J_; ++k) {
                const std::size_t s = row / stride[k] % (n[k] + 1), above = row / (stride[k] * (n[k] + 1));
                const double* down = after[k] + (row + above * stride[k]) * (length - 1);
                const double* up = down + stride[k] * (length - 1);
                const double p = arms_[k].mean(n[k], s);
                const Pull pull{arms_[k].pays(p), gamma_ * p, gamma_ * (1 - p)};
                if (keep_) pull_other(scratch.q[k].data(), up, down, pull, m + 1);
                if (k == 0)
                    pull_other(scratch.best.data(), up, down, pull, m + 1);
                else
                    pull_better(scratch.best.data(), up, down, pull, m + 1);
            }
            if (keep_ || cut_) pull_last(scratch.q[J_].data(), v, scratch, m + 1);
            if (cut_)
                cuts_[t * (t + 1) * (t + 2) / 6 + n[0] * (n[0] + 1) / 2 + row] =
                    cut(scratch.best.data(), scratch.q[J_].data(), m + 1);
            if (J_ == 0)
                pull_last(v, v, scratch, m + 1);
            else
                pull_last_or(v, scratch.best.data(), scratch, m + 1);
            if (keep_) masks = mark(masks, v, scratch, m + 1);
        }
        states_done_.fetch_add(rows * (m + 1), std::memory_order_relaxed);
    }

    struct Pull {
        double pays, up, down;
    };

    static void pull_other(double* BAMDP_RESTRICT best, const double* BAMDP_RESTRICT up,
                           const double* BAMDP_RESTRICT down, Pull p, std::size_t size) {
        for (std::size_t s = 0; s < size; ++s) best[s] = p.pays + p.up * up[s] + p.down * down[s];
    }

    static void pull_better(double* BAMDP_RESTRICT best, const double* BAMDP_RESTRICT up,
                            const double* BAMDP_RESTRICT down, Pull p, std::size_t size) {
        for (std::size_t s = 0; s < size; ++s) best[s] = std::max(best[s], p.pays + p.up * up[s] + p.down * down[s]);
    }

    static void pull_last(double* q, const double* v, const Scratch& scratch, std::size_t size) {
        for (std::size_t s = 0; s < size; ++s)
            q[s] = scratch.pays[s] + scratch.up[s] * v[s + 1] + scratch.down[s] * v[s];
    }

    static void pull_last_or(double* v, const double* BAMDP_RESTRICT other, const Scratch& scratch, std::size_t size) {
        const double* BAMDP_RESTRICT pays = scratch.pays.data();
        const double* BAMDP_RESTRICT up = scratch.up.data();
        const double* BAMDP_RESTRICT down = scratch.down.data();
        for (std::size_t s = 0; s < size; ++s) v[s] = std::max(other[s], pays[s] + up[s] * v[s + 1] + down[s] * v[s]);
    }

    std::uint8_t* mark(std::uint8_t* masks, const double* best, const Scratch& scratch, std::size_t size) const {
        for (std::size_t s = 0; s < size; ++s) masks[s] = 0;
        for (std::size_t k = 0; k <= J_; ++k)
            for (std::size_t s = 0; s < size; ++s)
                masks[s] = static_cast<std::uint8_t>(masks[s] | (scratch.q[k][s] >= best[s] - slack_) << k);
        return masks + size;
    }

    // Sums of places tell whether those where one arm is better are the first, or the last, of the row.
    Cut cut(const double* BAMDP_RESTRICT first, const double* BAMDP_RESTRICT second, std::size_t size) {
        std::int64_t lower = 0, upper = 0, lower_places = 0, upper_places = 0;
        for (std::size_t s = 0; s < size; ++s) {
            const double ahead = second[s] - first[s];
            const std::int64_t place = static_cast<std::int64_t>(s), behind = ahead<-slack_, better = ahead> slack_;
            lower += behind, upper += better, lower_places += behind * place, upper_places += better * place;
        }
        const std::int64_t below = static_cast<std::int64_t>(size) - upper;
        if (lower_places != lower * (lower - 1) / 2 ||
            upper_places != upper * (below + static_cast<std::int64_t>(size) - 1) / 2)
            ordered_ = false;
        return {static_cast<std::uint16_t>(lower), static_cast<std::uint16_t>(below)};
    }

    std::vector<double> root() {
        std::vector<double> q;
        for (std::size_t k = 0; k <= J_; ++k) {
            Counts more{};
            if (k < J_) more[k] = 1;
            const double* v = &values_[bases_[slab(more)]];
            const double p = arms_[k].mean(0, 0), yes = v[k < J_ ? row_length(more) : 1], no = v[0];
            q.push_back(arms_[k].pays(p) + gamma_ * p * yes + gamma_ * (1 - p) * no);
        }
        if (keep_) {
            const double best = *std::max_element(q.begin(), q.end());
            for (std::size_t k = 0; k <= J_; ++k)
                policy_[0] = static_cast<std::uint8_t>(policy_[0] | (q[k] >= best - slack_) << k);
        }
        if (cut_) cuts_[0] = cut(&q[0], &q[1], 1);
        return q;
    }

    std::vector<Arm> arms_;
    double gamma_;
    std::size_t T_, J_;  // steps; arms without the last one
    bool keep_, cut_;
    std::atomic<bool> ordered_{true};
    double slack_ = 0;  // values this close are equal
    std::vector<std::size_t> bases_;  // [(T + 1)^J] first state of each slab
    std::vector<double> values_;  // of the layer in work, and of the next one where it is still needed
    std::vector<std::size_t> layers_;  // [T] first state of each layer in `policy_`
    std::vector<std::uint8_t> policy_;
    std::vector<Cut> cuts_;  // [T (T + 1) (T + 2) / 6]
    std::atomic<std::size_t> states_done_{0};
};

}  // namespace bamdp

// Sparse Dirichlet rows (Friedman, Singer 1999): most successors are impossible, but which ones is unknown.
//
//   k ~ P(k) ∝ k^-exponent on 1 … S;  V uniform among the sets of k states;  theta ~ Dirichlet(alpha on V)
//
// With N observations of K0 distinct successors:
//   P(k | n) ∝ P(k) k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N),            k = max(1, K0) … S
//   C        = Σ_k P(k | n) (K0 alpha + N)/(k alpha + N)               the next successor is a seen one
//   P(s' | n) = C (alpha + n_s')/(K0 alpha + N) if seen, else (1 − C)/(S − K0)
//
// As an urn: past draws weigh one each, each distinct one alpha more, and "something new" the rest of (N + K0 alpha) / C.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "beliefs/belief.hpp"
#include "models/model.hpp"
#include "support/random.hpp"
#include "priors/dirichlet.hpp"

namespace bamdp {

class SparseDirichlet {
 public:
    SparseDirichlet(std::int64_t num_states, double alpha, double exponent) : S_(num_states), alpha_(alpha), exponent_(exponent) {}

    // C(K0, N): the probability that the next successor is one of the K0 seen in N observations.
    double repeat_probability(std::int64_t K0, std::int64_t N) {
        if (N == 0) return 0;
        const std::vector<double>& weights = support_weights(K0, N);
        double sum = 0, fresh = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const auto extra = static_cast<double>(i) * alpha_;
            sum += weights[i];
            fresh += weights[i] * extra / (static_cast<double>(K0) * alpha_ + extra + static_cast<double>(N));
        }
        return 1 - fresh / sum;
    }

    // P(k | n) for k = max(1, K0), max(1, K0) + 1, …; sums to one, cut off where the rest is below 1e-18.
    std::vector<double> support_posterior(std::int64_t K0, std::int64_t N) {
        std::vector<double> weights = support_weights(K0, N);
        double sum = 0;
        for (const double w : weights) sum += w;
        for (double& w : weights) w /= sum;
        return weights;
    }

    // --- the urn: see models/collapsed.hpp
    static double urn_empty(std::int64_t) { return 1; }
    BAMDP_INLINE double urn_total(std::int64_t, std::int64_t K0, std::int64_t N) {
        const auto row = static_cast<std::size_t>(K0), column = static_cast<std::size_t>(N - K0);
        if (row < totals_.size() && column < totals_[row].size() && totals_[row][column] != UNKNOWN) return totals_[row][column];
        return compute_total(K0, N);
    }

    // The total after a draw was appended.
    template <class Urn>
    double urn_grown(const Urn& urn) {
        return urn_total(0, urn.distinct, urn.draws());
    }

    // A seen successor by the weight of its alpha, or a new one; `v` is the urn's number, N … urn_total.
    template <class Urn, class Draws, class States>
    std::pair<Handle, bool> urn_fresh(std::int64_t, const Urn& urn, const Draws& draws, double v, Random& rng, States& states) const {
        const double above = v - static_cast<double>(urn.draws()), K0 = static_cast<double>(urn.distinct);
        if (above < K0 * alpha_ || urn.distinct == S_) {
            const auto i = std::min<std::int64_t>(static_cast<std::int64_t>(above / alpha_), urn.distinct - 1);
            return {draws.handles[static_cast<std::size_t>(i)], false};
        }
        for (;;) {  // at most two tries on average as long as half the states are unseen
            const std::int64_t state = rng.below(S_);
            const Handle h = urn.distinct == 0 ? NONE : states.find(state);
            if (h == NONE || !draws.has(urn, h)) return {states.meet(state), true};
        }
    }

    // --- whole rows
    void draw_row(std::int64_t, std::span<const std::int64_t> seen, std::span<const std::int64_t> n, Random& rng, Row& row) {
        std::int64_t N = 0;
        for (const std::int64_t count : n) N += count;
        const auto K0 = static_cast<std::int64_t>(seen.size());
        std::int64_t fresh = draw_support_size(K0, N, rng) - K0;
        RowDraw draw(row, rng);
        for (std::size_t i = 0; i < seen.size(); ++i) draw.add(seen[i], alpha_ + static_cast<double>(n[i]));

        // A uniform subset of the unseen: rejection while most states are free, else a sweep over all of them.
        mark_.resize(static_cast<std::size_t>(S_), 0);
        if (++stamp_ == 0) {  // after 2^32 rows old marks would look new
            std::fill(mark_.begin(), mark_.end(), 0);
            stamp_ = 1;
        }
        for (const std::int64_t s : seen) mark_[static_cast<std::size_t>(s)] = stamp_;
        if (K0 + 2 * fresh < S_) {
            while (fresh > 0) {
                const std::int64_t s = rng.below(S_);
                if (std::exchange(mark_[static_cast<std::size_t>(s)], stamp_) == stamp_) continue;
                draw.add(s, alpha_);
                --fresh;
            }
        } else {
            std::int64_t free = S_ - K0;
            for (std::int64_t s = 0; fresh > 0; ++s) {
                if (mark_[static_cast<std::size_t>(s)] == stamp_) continue;
                if (rng.below(free--) < fresh) {
                    draw.add(s, alpha_);
                    --fresh;
                }
            }
        }
        draw.finish([&](std::int64_t) { return alpha_; });  // a seen state has a shape above one: no underflow
    }

    void predictive(std::int64_t, std::span<const std::int64_t> seen, std::span<const std::int64_t> n, std::int64_t total, std::span<double> out) {
        const double K0 = static_cast<double>(seen.size());
        const double repeat = repeat_probability(static_cast<std::int64_t>(seen.size()), total);
        const double unseen = static_cast<std::int64_t>(seen.size()) == S_ ? 0 : (1 - repeat) / (static_cast<double>(S_) - K0);
        std::fill(out.begin(), out.end(), unseen);
        const double scale = repeat / (K0 * alpha_ + static_cast<double>(total));
        for (std::size_t i = 0; i < seen.size(); ++i) out[static_cast<std::size_t>(seen[i])] = scale * (alpha_ + static_cast<double>(n[i]));
    }

    // --- the posterior mean, sparsely; see Dirichlet. A seen successor is never less probable than an unseen one.
    bool one_base() const { return true; }
    std::vector<double> base() const { return {}; }
    double mean_row(std::int64_t, std::span<const std::int64_t> seen, std::span<const std::int64_t> n, std::int64_t total,
                    std::vector<std::pair<std::int64_t, double>>& out) {
        const auto K0 = static_cast<std::int64_t>(seen.size());
        if (total == 0) return 1;
        const double weight = urn_total(0, K0, total);  // from a table: computing C takes time S
        const double unseen = K0 == S_ ? 0 : (1 - (static_cast<double>(K0) * alpha_ + static_cast<double>(total)) / weight) / static_cast<double>(S_ - K0);
        for (std::size_t i = 0; i < seen.size(); ++i) out.push_back({seen[i], (alpha_ + static_cast<double>(n[i])) / weight - unseen});
        return unseen * static_cast<double>(S_);
    }

    // The pseudo-counts that a row is expected to have: alpha for each of k successors.
    double mass(std::int64_t) {
        if (mass_ < 0) {
            const std::vector<double> prior = support_posterior(0, 0);
            mass_ = 0;
            for (std::size_t i = 0; i < prior.size(); ++i) mass_ += alpha_ * static_cast<double>(i + 1) * prior[i];
        }
        return mass_;
    }

    bool possible(std::int64_t, std::int64_t) const { return true; }

 private:
    static constexpr double UNKNOWN = -1;
    static constexpr std::size_t TABLE = 1 << 14, RECENT = 1 << 14;

    struct Recent {
        std::int64_t K0 = -1, N = -1;
        double total = 0;
    };

    BAMDP_NOINLINE double compute_total(std::int64_t K0, std::int64_t N) {
        if (N == 0) return urn_empty(0);
        const auto row = static_cast<std::size_t>(K0), column = static_cast<std::size_t>(N - K0);
        if (column >= TABLE) return recent_total(K0, N);
        if (row >= totals_.size()) totals_.resize(row + 1);
        std::vector<double>& totals = totals_[row];
        if (column >= totals.size()) totals.resize(2 * column + 16, UNKNOWN);
        return totals[column] = (static_cast<double>(N) + static_cast<double>(K0) * alpha_) / repeat_probability(K0, N);
    }

    // Of rows observed very often: a table would grow with the length of a run, and only a few totals are in use at a time.
    double recent_total(std::int64_t K0, std::int64_t N) {
        recent_.resize(RECENT);
        Recent& found = recent_[static_cast<std::size_t>(N + 61 * K0) % RECENT];
        if (found.K0 != K0 || found.N != N) found = {K0, N, (static_cast<double>(N) + static_cast<double>(K0) * alpha_) / repeat_probability(K0, N)};
        return found.total;
    }

    // P(k | n) up to a factor, for k = max(1, K0) …; see support_posterior. The weights have one peak.
    const std::vector<double>& support_weights(std::int64_t K0, std::int64_t N) {
        for (auto k = static_cast<double>(size_prior_.size()); size_prior_.size() <= static_cast<std::size_t>(S_); ++k)
            size_prior_.push_back(std::pow(k, -exponent_));
        const std::int64_t first = std::max<std::int64_t>(1, K0);
        weights_.clear();
        if (N <= 16) {  // as products: no overflow for so few, and 20 times faster than log-gamma, which matters for large S
            double peak = 0;
            for (std::int64_t k = first; k <= S_; ++k) {
                const double weight = size_prior_[static_cast<std::size_t>(k)] * product(static_cast<double>(k), K0, N);
                if (weight < 1e-26 * peak && weight < weights_.back()) break;
                peak = std::max(peak, weight);
                weights_.push_back(weight);
            }
        } else {
            double peak = -std::numeric_limits<double>::infinity();
            for (std::int64_t k = first; k <= S_; ++k) {
                const double weight = log_product(static_cast<double>(k), K0, N) - exponent_ * std::log(static_cast<double>(k));
                if (weight < peak - 60 && weight < weights_.back()) break;
                peak = std::max(peak, weight);
                weights_.push_back(weight);
            }
            for (double& weight : weights_) weight = std::exp(weight - peak);
        }
        return weights_;
    }

    // k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N)
    double product(double k, std::int64_t K0, std::int64_t N) const {
        double above = 1, below = 1;
        for (std::int64_t j = 0; j < K0; ++j) above *= k - static_cast<double>(j);
        for (std::int64_t j = 0; j < N; ++j) below *= k * alpha_ + static_cast<double>(j);
        return above / below;
    }
    double log_product(double k, std::int64_t K0, std::int64_t N) const {
        return random_loggam(k + 1) - random_loggam(k - static_cast<double>(K0) + 1) + random_loggam(k * alpha_) -
               random_loggam(k * alpha_ + static_cast<double>(N));
    }

    std::int64_t draw_support_size(std::int64_t K0, std::int64_t N, Random& rng) {
        const std::uint64_t key = (static_cast<std::uint64_t>(K0) << 40) ^ static_cast<std::uint64_t>(N);
        auto found = posteriors_.find(key);
        if (found == posteriors_.end()) {
            if (posteriors_.size() > 4096) posteriors_.clear();
            found = posteriors_.emplace(key, support_posterior(K0, N)).first;
        }
        const std::vector<double>& posterior = found->second;
        double u = rng.uniform();
        std::size_t i = 0;
        while (i + 1 < posterior.size() && u >= posterior[i]) u -= posterior[i++];
        return std::max<std::int64_t>(1, K0) + static_cast<std::int64_t>(i);
    }

    std::int64_t S_;
    double alpha_, exponent_;
    double mass_ = -1;                                                 // computed when first needed
    std::vector<std::vector<double>> totals_;                          // [K0, N − K0] urn totals, filled when first needed
    std::vector<Recent> recent_;                                       // totals beyond the table, by (K0, N)
    std::unordered_map<std::uint64_t, std::vector<double>> posteriors_;  // of the support size, by (K0, N)
    std::vector<double> size_prior_{0.0};                              // [1 + S] k^-exponent
    std::vector<double> weights_;                                      // scratch
    std::vector<std::uint32_t> mark_;                                  // [S] == stamp_: already in the row
    std::uint32_t stamp_ = 0;
};

}  // namespace bamdp

// How many next states are possible, under a sparse Dirichlet prior, after N observations of K0 distinct ones:
//
//   P(k | n) ∝ w(k) = k^-exponent k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N),            k = max(1, K0) … S
//
// k d/dk log w = −exponent + K0 + Σ_{j<K0} j/(k − j) − Σ_{j<N} k alpha/(k alpha + j) falls in k, so that w has one
// peak. Sums over k are sums over pieces: terms one by one where they are few, and elsewhere as many as there are until
// w has changed by e^3 or k has doubled, which a quadrature of NODES terms sums to 1e-13. Time and memory so grow with
// log S. What is below 1e-20 is left out.
#pragma once

#include <numbers>

#include "priors/row_prior.hpp"

namespace bamdp {

// Σ_{i<n} f(i) = Σ_j weight[j] f(node[j]), exact for polynomials of degree 2·NODES − 1: Gauss quadrature by the
// discrete Chebyshev polynomials, p_{j+1}(t) = t p_j − c_j p_{j−1}, c_j = j² (1 − j²/n²)/(4j² − 1), t = (2i + 1 − n)/n.
// For n above NODES²/2.
struct SumQuadrature {
    static constexpr int NODES = 10;

    explicit SumQuadrature(double n) {
        double norm = n;
        for (int j = 1; j < NODES; ++j) norm *= c(j, n);
        for (int i = 0; i < NODES; ++i) {
            double t =
                std::cos(std::numbers::pi * (i + 0.75) / (NODES + 0.5));  // near the zero, as those of Legendre's are
            for (int iteration = 0; iteration < 10; ++iteration) {
                const auto [p, slope, before] = evaluate(t, n);
                t -= p / slope;
                weight[static_cast<std::size_t>(i)] = norm / (slope * before);
                if (std::abs(p / slope) < 1e-14) break;
            }
            node[static_cast<std::size_t>(i)] = (n * (1 + t) - 1) / 2;
        }
    }

    std::array<double, NODES> node, weight;

 private:
    struct Polynomial {
        double p, slope, before;  // p_NODES, its derivative, p_{NODES − 1}
    };

    static double c(double j, double n) { return j * j * (1 - j * j / (n * n)) / (4 * j * j - 1); }

    static Polynomial evaluate(double t, double n) {
        double p = t, slope = 1, before = 1, slope_before = 0;
        for (int j = 1; j < NODES; ++j) {
            const double next = t * p - c(j, n) * before, next_slope = p + t * slope - c(j, n) * slope_before;
            before = std::exchange(p, next);
            slope_before = std::exchange(slope, next_slope);
        }
        return {p, slope, before};
    }
};

class SupportSizes {
 public:
    SupportSizes(std::int64_t num_states, double alpha, double exponent, std::int64_t K0, std::int64_t N)
        : S_(num_states), first_(std::max<std::int64_t>(1, K0)), alpha_(alpha), exponent_(exponent),
          K0_(static_cast<double>(K0)), N_(static_cast<double>(N)) {
        std::int64_t low = first_, high = S_;
        while (low < high) {
            const std::int64_t k = low + (high - low) / 2;
            if (log_weight(k) < log_weight(k + 1))
                low = k + 1;
            else
                high = k;
        }
        peak_ = low;
        top_ = log_weight(peak_);
        greatest_ = weight(static_cast<double>(peak_));
    }

    // w(k) up to a factor.
    double weight(double k) const {
        return N_ <= 16 ? std::pow(k, -exponent_) * product(k) : std::exp(log_weight(k) - top_);
    }

    // Calls term(first, last, k, w) with Σ w f(k) = Σ_k w(k) f(k) for smooth f, piece by piece in the order of k.
    template <class Term>
    void for_each(Term&& term) const {
        if (peak_ > first_) cut(first_, peak_ - 1, term);
        cut(peak_, S_, term);
    }

 private:
    static constexpr std::int64_t FEW = 64;
    static constexpr double NEGLIGIBLE = 1e-20;

    double log_weight(std::int64_t k) const { return log_weight(static_cast<double>(k)); }
    double log_weight(double k) const {
        if (S_ <= SMALL_WORLD)
            return random_loggam(k + 1) - random_loggam(k - K0_ + 1) + log_gamma(k * alpha_, 1e-6) -
                   log_gamma(k * alpha_ + N_, 1e-6) - exponent_ * std::log(k);
        double sum = -exponent_ * std::log(k);
        if (K0_ > 0) sum -= log_beta(k - K0_ + 1, K0_);
        if (N_ > 0) sum += log_beta(k * alpha_, N_);
        return sum;
    }

    // k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N): no overflow for so few, and faster than logarithms.
    double product(double k) const {
        double above = 1, below = 1;
        for (double j = 0; j < K0_; ++j) above *= k - j;
        for (double j = 0; j < N_; ++j) below *= k * alpha_ + j;
        return above / below;
    }

    // log Γ(a)Γ(b)/Γ(a + b), with Stirling's series for the ratio of what is large: of the log-gammas few digits would
    // be left.
    static double log_beta(double a, double b) {
        if (a > b) std::swap(a, b);
        const double small = log_gamma(a, 0.5);
        if (b < 64) return small + random_loggam(b) - random_loggam(a + b);
        return small - (a * std::log(b) + (a + b - 0.5) * std::log1p(a / b) - a + stirling(a + b) - stirling(b));
    }
    // NumPy's has few digits near zero, and none below 1e-16: it adds 7 first.
    static double log_gamma(double x, double near_zero) {
        return x < near_zero ? random_loggam(1 + x) - std::log(x) : random_loggam(x);
    }
    static double stirling(double x) { return (1.0 / 12 - (1.0 / 360 - 1 / (1260 * x * x)) / (x * x)) / x; }

    // Terms first … last, on one side of the peak.
    template <class Term>
    void cut(std::int64_t first, std::int64_t last, Term& term) const {
        const double at_first = log_weight(first), at_last = log_weight(last),
                     n = static_cast<double>(last - first + 1);
        if (std::exp(std::max(at_first, at_last) - top_) * n < NEGLIGIBLE) return;
        if (last - first < FEW || S_ <= SMALL_WORLD) return one_by_one(first, last, term);
        if (last < 2 * first && std::abs(at_first - at_last) < 3) {
            const SumQuadrature sum(n);
            for (std::size_t i = 0; i < SumQuadrature::NODES; ++i) {
                const double k = static_cast<double>(first) + sum.node[i];
                term(first, last, k, sum.weight[i] * weight(k));
            }
            return;
        }
        const auto middle =
            last < 2 * first
                ? first + (last - first) / 2
                : static_cast<std::int64_t>(std::sqrt(static_cast<double>(first) * static_cast<double>(last)));
        cut(first, middle, term);
        cut(middle + 1, last, term);
    }

    template <class Term>
    void one_by_one(std::int64_t first, std::int64_t last, Term& term) const {
        for (std::int64_t k = first; k <= last; ++k) {
            const double w = weight(static_cast<double>(k));
            if (w < 1e-26 * greatest_ && k > peak_) return;
            term(k, k, static_cast<double>(k), w);
        }
    }

    std::int64_t S_, first_, peak_;
    double alpha_, exponent_, K0_, N_, top_, greatest_;
};

}  // namespace bamdp

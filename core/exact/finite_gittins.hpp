// The Gittins index of a Bernoulli arm that can be pulled at most h more times: the largest lambda with f(lambda) >= 0,
//
//   f = max over stopping times 1 <= tau <= h of E[Σ_{t < tau} gamma^t (r_t − lambda)]
//
// v_j(i), after j pulls with i successes, is what the option to go on is worth; d_j(i) the discounted number of pulls that follow.
//   v_j = max(0, p − lambda + gamma (p v_{j+1}(i + 1) + (1 − p) v_{j+1}(i))),   v_h = 0
// f is convex with slope −d, d >= 1: the root of its tangent, lambda + f/d, is a lower bound and lambda + f an upper one (Newton's method,
// here Dinkelbach's for the ratio of rewards to pulls). From below, it rises to the index and reaches it in a few rounds.
#pragma once

#include "support/common.hpp"

namespace bamdp {

class FiniteGittins {
 public:
    FiniteGittins(double discount, double tolerance) : gamma_(discount), tolerance_(tolerance) {}

    // The index of Beta(a, b) with h pulls left, to the tolerance; `below` is a lower bound, the mean is one.
    double index(double a, double b, std::int64_t h, double below) {
        double lambda = below;
        for (int round = 0; round < ROUNDS; ++round) {
            const auto [f, d] = evaluate(a, a + b, static_cast<std::size_t>(h), lambda);
            if (f <= tolerance_) return lambda + std::max(0.0, f) / d;
            lambda += f / d;
        }
        return lambda;
    }

 private:
    static constexpr int ROUNDS = 100;  // far more than are needed: each at least squares the error, once it is small

    // f and d at the root. States below `first` stop: with more successes the arm is better, and where it is stopped after a success, it is
    // stopped here.
    std::pair<double, double> evaluate(double a, double n, std::size_t h, double lambda) {
        v_.assign(h + 1, 0.0);
        d_.assign(h + 1, 0.0);
        std::size_t first = 0;
        for (std::size_t j = h; j-- > 1;) {
            const double per_pull = 1 / (n + static_cast<double>(j));
            std::size_t i = first == 0 ? 0 : first - 1;
            for (; i <= j && excess(a, per_pull, i, lambda) <= 0; ++i) v_[i] = d_[i] = 0;
            first = i;
            for (; i <= j; ++i) {
                const double p = (a + static_cast<double>(i)) * per_pull, q = 1 - p;
                v_[i] = p - lambda + gamma_ * (p * v_[i + 1] + q * v_[i]);
                d_[i] = 1 + gamma_ * (p * d_[i + 1] + q * d_[i]);
            }
        }
        const double p = a / n;
        return {p - lambda + gamma_ * (p * v_[1] + (1 - p) * v_[0]), 1 + gamma_ * (p * d_[1] + (1 - p) * d_[0])};
    }

    double excess(double a, double per_pull, std::size_t i, double lambda) const {
        const double p = (a + static_cast<double>(i)) * per_pull;
        return p - lambda + gamma_ * (p * v_[i + 1] + (1 - p) * v_[i]);
    }

    double gamma_, tolerance_;
    std::vector<double> v_, d_;  // [i]
};

}  // namespace bamdp

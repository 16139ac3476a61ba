// Probabilities of counts, one step on: patients who are allocated to an arm respond.
//
// u(n, s) is the probability of n_k patients and s_k successes on each arm if the success probabilities are drawn from
// uniform priors. With c more patients on an arm that has n and s, j of them respond with the beta-binomial probability
//
//   C(c, j) B(1 + s + j, 1 + n − s + c − j) / B(1 + s, 1 + n − s)
#pragma once

#include "support/common.hpp"

namespace bamdp {

// The beta-binomial probabilities of j = 0 … c successes after s = 0 … n. [c + 1, n + 1]
inline std::vector<std::vector<double>> response_probabilities(std::size_t n, std::size_t c) {
    std::vector<std::vector<double>> probabilities(c + 1, std::vector<double>(n + 1));
    std::vector<double> row(c + 1);
    for (std::size_t s = 0; s <= n; ++s) {
        row.assign(c + 1, 0.0);
        row[0] = 1;
        for (std::size_t m = 0; m < c; ++m)  // one patient after the other
            for (std::size_t j = m + 1; j-- > 0;) {
                const double p = static_cast<double>(1 + s + j) / static_cast<double>(2 + n + m);
                row[j + 1] += p * row[j];
                row[j] *= 1 - p;
            }
        for (std::size_t j = 0; j <= c; ++j) probabilities[j][s] = row[j];
    }
    return probabilities;
}

// after[o, s + j, i] += P(j | s) weights[o, s, i] allocation[o, s, i], for an arm along the middle axis: [outer, n + 1,
// inner] in, n + 1 + c out.
inline void add_responses(double* BAMDP_RESTRICT after, const double* BAMDP_RESTRICT weights,
                          const double* BAMDP_RESTRICT allocation, std::size_t outer, std::size_t n, std::size_t inner,
                          std::size_t c) {
    const auto responses = response_probabilities(n, c);
    std::vector<double> row(inner > 1 ? inner : n + 1);
    double* BAMDP_RESTRICT mass = row.data();
    if (inner == 1) {
        for (std::size_t o = 0; o < outer; ++o, weights += n + 1, allocation += n + 1, after += n + 1 + c) {
            for (std::size_t s = 0; s <= n; ++s) mass[s] = weights[s] * allocation[s];
            for (std::size_t j = 0; j <= c; ++j) {
                const double* BAMDP_RESTRICT p = responses[j].data();
                for (std::size_t s = 0; s <= n; ++s) after[s + j] += p[s] * mass[s];
            }
        }
        return;
    }
    for (std::size_t o = 0; o < outer; ++o, after += c * inner)
        for (std::size_t s = 0; s <= n; ++s, weights += inner, allocation += inner, after += inner) {
            for (std::size_t i = 0; i < inner; ++i) mass[i] = weights[i] * allocation[i];
            for (std::size_t j = 0; j <= c; ++j) {
                const double p = responses[j][s];
                double* BAMDP_RESTRICT to = after + j * inner;
                for (std::size_t i = 0; i < inner; ++i) to[i] += p * mass[i];
            }
        }
}

// One more patient on arm 0 or 1 of two, [n_1 + 1, n_2 + 1] in. Its probability is constant in three parts of each row:
// before cuts[row][0] successes of the second arm, from there to cuts[row][1], and after it.
inline void add_cut_responses(double* BAMDP_RESTRICT after, const double* BAMDP_RESTRICT weights,
                              const std::uint16_t* cuts, std::size_t n_1, std::size_t n_2, std::size_t arm,
                              const std::array<double, 3>& allocation) {
    const std::size_t width = n_2 + 1;
    const auto responses = response_probabilities(n_2, 1);
    const double *BAMDP_RESTRICT no = responses[0].data(), *BAMDP_RESTRICT yes = responses[1].data();
    for (std::size_t s_1 = 0; s_1 <= n_1; ++s_1, weights += width, after += width + arm) {
        const std::array<std::size_t, 4> ends{0, cuts[2 * s_1], cuts[2 * s_1 + 1], width};
        const double p = static_cast<double>(1 + s_1) / static_cast<double>(2 + n_1);
        for (std::size_t part = 0; part < 3; ++part) {
            const double share = allocation[part];
            if (share == 0) continue;
            if (arm == 0) {
                const double up = share * p, down = share * (1 - p);
                double* BAMDP_RESTRICT more = after + width;
                for (std::size_t s = ends[part]; s < ends[part + 1]; ++s) after[s] += down * weights[s];
                for (std::size_t s = ends[part]; s < ends[part + 1]; ++s) more[s] += up * weights[s];
            } else {
                for (std::size_t s = ends[part]; s < ends[part + 1]; ++s) after[s] += share * no[s] * weights[s];
                for (std::size_t s = ends[part]; s < ends[part + 1]; ++s) after[s + 1] += share * yes[s] * weights[s];
            }
        }
    }
}

}  // namespace bamdp

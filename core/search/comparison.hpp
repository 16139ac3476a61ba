// Policies compared by their returns in the same scenarios: a base policy and, for each action, a policy that begins with it.
//
// Scenarios (scenarios.hpp) are independent and the policies are fixed before the first one: means of returns and of differences are
// unbiased, and their standard errors honest.
#pragma once

#include "support/index.hpp"

namespace bamdp {

// Number, mean and sum of squared deviations.
struct Sample {
    std::int64_t n = 0;
    double mean = 0, squares = 0;

    void add(double x) {
        ++n;
        const double off = x - mean;
        mean += off / static_cast<double>(n);
        squares += off * (x - mean);
    }

    void add(const Sample& other) {
        if (other.n == 0) return;
        const auto both = static_cast<double>(n + other.n);
        const double off = other.mean - mean;
        squares += other.squares + off * off * static_cast<double>(n) * static_cast<double>(other.n) / both;
        mean += off * static_cast<double>(other.n) / both;
        n += other.n;
    }

    template <class Archive>
    void archive(Archive& a) {
        a(n, mean, squares);
    }

    double deviation() const { return n < 2 ? std::numeric_limits<double>::infinity() : std::sqrt(squares / static_cast<double>(n - 1)); }
    double standard_error() const { return n < 2 ? deviation() : deviation() / std::sqrt(static_cast<double>(n)); }
};

struct Comparison {
    Sample base;                   // returns of the base policy
    std::vector<Sample> returns;   // [A] of the policies that begin with each action
    std::vector<Sample> gains;     // [A] their differences to the base policy in the same scenarios
    std::vector<Sample> bases;     // [A] returns of the base policy in these scenarios
    std::vector<double> fair;      // of each scenario, or simulation, the return of a policy that was chosen before it: its mean is at most V*
    std::vector<std::int32_t> candidates;  // the actions that are compared

    explicit Comparison(std::size_t num_actions = 0) : returns(num_actions), gains(num_actions), bases(num_actions) {}

    void add(const Comparison& other) {
        base.add(other.base);
        for (std::size_t a = 0; a < gains.size(); ++a) returns[a].add(other.returns[a]), gains[a].add(other.gains[a]), bases[a].add(other.bases[a]);
        fair.insert(fair.end(), other.fair.begin(), other.fair.end());
    }

    // All but the candidates, which only the search asks for.
    template <class Archive>
    void archive(Archive& a) {
        a(fair);
        base.archive(a);
        for (std::size_t i = 0; i < gains.size(); ++i) returns[i].archive(a), gains[i].archive(a), bases[i].archive(a);
    }

    void add_fair(double R) {
        if (fair.size() < MOST_RETURNS) fair.push_back(R);
    }

    // The policy that surely earned most so far, of some; NONE for the base.
    std::int32_t leader(const std::vector<std::int32_t>& survivors) const {
        std::int32_t best = NONE;
        double most = 0;
        for (const std::int32_t a : survivors) {
            const Sample& gain = gains[static_cast<std::size_t>(a)];
            const double sure = gain.mean - gain.standard_error();
            if (gain.n >= MIN_SCENARIOS && sure > most) most = sure, best = a;
        }
        return best;
    }

    // The standard error of base.mean + gains[a].mean, of which the second is of some of the scenarios of the first: with the regression
    // gain = slope * base + rest, it is base.mean + slope * bases[a].mean + rest.mean.
    double standard_error(std::size_t a) const {
        const Sample &gain = gains[a], &paired = bases[a];
        if (gain.n < 2) return std::numeric_limits<double>::infinity();
        const double slope = paired.squares > 0 ? (returns[a].squares - gain.squares - paired.squares) / 2 / paired.squares : 0;
        const auto n = static_cast<double>(gain.n), N = static_cast<double>(base.n);
        const double rest = std::max(0.0, gain.squares - slope * slope * paired.squares) / (n - 1), variance = base.squares / (N - 1);
        return std::sqrt(rest / n + variance * ((1 + slope) * (1 + slope) / N + slope * slope * (1 / n - 1 / N)));
    }

    // Policies that can still turn out to be the best; the others are eliminated for good.
    std::vector<std::int32_t> survivors() const {
        double sure = 0;  // a gain that one of them has, beyond doubt; the base has 0
        for (const Sample& gain : gains)
            if (gain.n >= MIN_SCENARIOS) sure = std::max(sure, gain.mean - ELIMINATION_Z * gain.standard_error());
        std::vector<std::int32_t> left;
        for (const std::int32_t a : candidates) {
            const Sample& gain = gains[static_cast<std::size_t>(a)];
            if (gain.n < MIN_SCENARIOS || gain.mean + ELIMINATION_Z * gain.standard_error() > sure) left.push_back(a);
        }
        return left;
    }

    static constexpr std::int64_t MIN_SCENARIOS = 16;  // scenarios before anything is concluded
    static constexpr double ELIMINATION_Z = 2;        // standard errors
    static constexpr std::size_t MOST_RETURNS = 1 << 16;  // returns of a tree for a bound; with more it would hardly be tighter
};

// The actions of a base policy, equally good by it; the first of them is the one that it would take. Empty: there is no base policy.
using Base = std::vector<std::int32_t>;

}  // namespace bamdp

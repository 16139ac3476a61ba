// Policies compared by their returns in the same scenarios: a base policy and, for each action, a policy that begins with it.
//
// A scenario fixes the sampled world and the outcome of the k-th visit to every state and action, so that two policies differ only
// where they act differently. Scenarios are independent and the policies are fixed before the first one: means of returns and of
// differences are unbiased, and their standard errors honest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/index.hpp"
#include "support/random.hpp"

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

    double deviation() const { return n < 2 ? std::numeric_limits<double>::infinity() : std::sqrt(squares / static_cast<double>(n - 1)); }
    double standard_error() const { return n < 2 ? deviation() : deviation() / std::sqrt(static_cast<double>(n)); }
};

struct Comparison {
    Sample base;                   // returns of the base policy
    std::vector<Sample> returns;   // [A] of the policies that begin with each action
    std::vector<Sample> gains;     // [A] their differences to the base policy in the same scenarios
    std::vector<Sample> bases;     // [A] returns of the base policy in these scenarios
    std::vector<double> fair;      // of each scenario, or simulation, the return of a policy that was chosen before it: its mean is at most V*
    std::vector<std::int32_t> entrants;  // the actions that are compared

    explicit Comparison(std::size_t num_actions = 0) : returns(num_actions), gains(num_actions), bases(num_actions) {}

    void add(const Comparison& other) {
        base.add(other.base);
        for (std::size_t a = 0; a < gains.size(); ++a) returns[a].add(other.returns[a]), gains[a].add(other.gains[a]), bases[a].add(other.bases[a]);
        fair.insert(fair.end(), other.fair.begin(), other.fair.end());
    }

    void add_fair(double R) {
        if (fair.size() < MOST) fair.push_back(R);
    }

    // The policy that surely earned most so far, of some; NONE for the base.
    std::int32_t leader(const std::vector<std::int32_t>& runners) const {
        std::int32_t best = NONE;
        double most = 0;
        for (const std::int32_t a : runners) {
            const Sample& gain = gains[static_cast<std::size_t>(a)];
            const double sure = gain.mean - gain.standard_error();
            if (gain.n >= FEW && sure > most) most = sure, best = a;
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

    // Policies that can still turn out to be the best: a race in which the others drop out for good.
    std::vector<std::int32_t> runners() const {
        double sure = 0;  // a gain that one of them has, beyond doubt; the base has 0
        for (const Sample& gain : gains)
            if (gain.n >= FEW) sure = std::max(sure, gain.mean - WIDE * gain.standard_error());
        std::vector<std::int32_t> left;
        for (const std::int32_t a : entrants) {
            const Sample& gain = gains[static_cast<std::size_t>(a)];
            if (gain.n < FEW || gain.mean + WIDE * gain.standard_error() > sure) left.push_back(a);
        }
        return left;
    }

    static constexpr std::int64_t FEW = 16;  // scenarios before anything is concluded
    static constexpr double WIDE = 2;        // standard errors
    static constexpr std::size_t MOST = 1 << 16;  // returns of a tree for a bound; with more it would hardly be tighter
};

// The actions of a base policy, equally good by it; the first of them is the one that it would take. Empty: there is no base policy.
using Base = std::vector<std::int32_t>;

// The random numbers of a scenario.
class Scenario {
 public:
    explicit Scenario(std::uint64_t seed) : seed_(seed) {}

    Random world() const { return random(seed_, 1); }
    Random choices() const { return random(seed_, 2); }
    Random outcome(std::int64_t state, std::int32_t a, std::uint32_t visit) const {
        return random(mix(seed_ ^ mix(static_cast<std::uint64_t>(state))), (static_cast<std::uint64_t>(visit) << 32 | static_cast<std::uint32_t>(a)) + 3);
    }

 private:
    static Random random(std::uint64_t seed, std::uint64_t purpose) {
        std::uint64_t x = mix(seed + purpose * GOLDEN);
        const auto next = [&] { return mix(x += GOLDEN); };
        return Random({next(), next(), next(), next()});
    }
    static constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15U;

    std::uint64_t seed_;
};

// How often each state and action was visited in a simulation.
struct Visits {
    std::vector<std::uint32_t> n, counted;  // [states, A] the number, and the simulation that it is of
    std::uint32_t simulation = 0;

    void begin() {
        if (++simulation != 0) return;
        std::fill(counted.begin(), counted.end(), 0U);
        simulation = 1;
    }
    std::uint32_t next(Index s, std::int32_t a, std::int32_t num_actions) {
        const std::size_t at = static_cast<std::size_t>(s) * static_cast<std::size_t>(num_actions) + static_cast<std::size_t>(a);
        if (at >= n.size()) n.resize(2 * at + 16), counted.resize(n.size(), 0U);
        if (std::exchange(counted[at], simulation) != simulation) n[at] = 0;
        return n[at]++;
    }
};

}  // namespace bamdp

// Rows of transition probabilities drawn from the posterior: sparse, unnormalised, cumulative.
#pragma once

#include "support/common.hpp"
#include "support/random.hpp"

namespace bamdp {

// In domains as small as this rows are drawn whole, and sums of SupportSizes go term by term, so that seeds give to the last digit
// what they gave in stored results.
inline constexpr std::int64_t SMALL_WORLD = 512;

// The place of a draw from cumulative weights.
inline std::size_t draw_from(std::span<const double> cumulative, Random& rng) {
    const double u = rng.uniform() * cumulative.back();
    const auto i = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
    return std::min(i, cumulative.size() - 1);
}

// The distinct successors of a state and action that were observed, and how often each was.
struct Observed {
    std::vector<std::int64_t> states, n;
    std::int64_t total = 0;

    std::int64_t distinct() const { return static_cast<std::int64_t>(states.size()); }
    void clear() {
        states.clear();
        n.clear();
        total = 0;
    }
    void add(std::int64_t state, std::int64_t times) {
        states.push_back(state);
        n.push_back(times);
        total += times;
    }
};

struct Row {
    std::vector<std::int64_t> states;
    std::vector<double> cumulative;

    void clear() {
        states.clear();
        cumulative.clear();
    }
    void add(std::int64_t state, double weight) {
        states.push_back(state);
        cumulative.push_back((cumulative.empty() ? 0.0 : cumulative.back()) + weight);
    }
    double weight(std::size_t i) const { return cumulative[i] - (i == 0 ? 0 : cumulative[i - 1]); }
    // Only entry `i` is left.
    void keep(std::size_t i) {
        states = {states[i]};
        cumulative = {1.0};
    }
};

// A row drawn only as far as a simulation needs it: successors that were reached have their weights, of the others only the number and
// the total weight are known.
//
// `hidden` successors of pseudo-count alpha each are a symmetric Dirichlet vector. The one that a uniform point of their weight
// falls into is any of them, its share is Beta(1 + alpha, (hidden − 1) alpha), and the others are such a vector again, independent
// of that share (size-biased order; McCloskey 1965). So a row costs as much as its successors, seen and gone to, whatever S is.
struct OpenRow : Row {
    std::int64_t hidden = 0;
    double hidden_weight = 0;

    double listed() const { return cumulative.empty() ? 0.0 : cumulative.back(); }

    // The seen successors, and `others` beside them.
    void open(const Observed& seen, std::int64_t others, double alpha, Random& rng) {
        clear();
        for (std::size_t i = 0; i < seen.n.size(); ++i) add(seen.states[i], rng.gamma(alpha + static_cast<double>(seen.n[i])));
        hidden = others;
        hidden_weight = hidden == 0 ? 0 : seen.n.empty() ? 1 : rng.gamma(static_cast<double>(hidden) * alpha);
    }

    // One of the hidden successors, among all `num_states` that are not listed, goes to the end of the list.
    void reveal(std::int64_t num_states, double alpha, Random& rng) {
        std::int64_t state = rng.below(num_states);
        while (std::find(states.begin(), states.end(), state) != states.end()) state = rng.below(num_states);
        --hidden;
        const double own = std::max(rng.gamma(1 + alpha), 1e-300), rest = hidden == 0 ? 0 : rng.gamma(static_cast<double>(hidden) * alpha);
        add(state, hidden_weight * own / (own + rest));
        hidden_weight *= rest / (own + rest);
    }
};

}  // namespace bamdp

// The concept of a prior of independent rows, and rows drawn from the posterior: sparse, unnormalised, cumulative. A
// row is the unknown distribution of the successors of one state and action; `pair` numbers it.
#pragma once

#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

// In domains as small as this rows are drawn whole, and sums of SupportSizes go term by term, so that seeds give to the
// last digit what they gave in stored results.
inline constexpr std::int64_t SMALL_WORLD = 512;

// The place of a draw from cumulative weights.
inline std::size_t draw_from(std::span<const double> cumulative, Random& rng) {
    const double u = rng.uniform() * cumulative.back();
    const auto i =
        static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
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

// A row drawn only as far as a simulation needs it: successors that were reached have their weights, of the others only
// the number and the total weight are known.
//
// `hidden` successors of pseudo-count alpha each are a symmetric Dirichlet vector. The one that a uniform point of
// their weight falls into is any of them, its share is Beta(1 + alpha, (hidden − 1) alpha), and the others are such a
// vector again, independent of that share (size-biased order; McCloskey 1965). So a row costs as much as its
// successors, seen and gone to, whatever S is.
struct OpenRow : Row {
    std::int64_t hidden = 0;
    double hidden_weight = 0;

    double listed() const { return cumulative.empty() ? 0.0 : cumulative.back(); }

    // The seen successors, and `others` beside them.
    void open(const Observed& seen, std::int64_t others, double alpha, Random& rng) {
        clear();
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            add(seen.states[i], rng.gamma(alpha + static_cast<double>(seen.n[i])));
        hidden = others;
        hidden_weight = hidden == 0 ? 0 : seen.n.empty() ? 1 : rng.gamma(static_cast<double>(hidden) * alpha);
    }

    // One of the hidden successors, among all `num_states` that are not listed, goes to the end of the list.
    void reveal(std::int64_t num_states, double alpha, Random& rng) {
        std::int64_t state = rng.below(num_states);
        while (std::find(states.begin(), states.end(), state) != states.end()) state = rng.below(num_states);
        --hidden;
        const double own = std::max(rng.gamma(1 + alpha), 1e-300),
                     rest = hidden == 0 ? 0 : rng.gamma(static_cast<double>(hidden) * alpha);
        add(state, hidden_weight * own / (own + rest));
        hidden_weight *= rest / (own + rest);
    }
};

// A row with its probabilities integrated out (models/collapsed.hpp): each draw weighs one, what else the prior gives
// the rest of `total`.
struct Urn {
    double total;
    std::int32_t size;        // of the array of draws
    std::int32_t distinct;    // K0: the first ones are different, the rest repeats
    std::int64_t folded = 0;  // draws that are only counted; they repeat some of the first ones

    std::int64_t draws() const { return size + folded; }  // N
};

// The methods of a model that `urn_fresh` may use; only declared, for the concept.
struct UrnModel {
    Index distinct(std::size_t row, std::size_t i) const;  // distinct draw `i` of a row
    bool drawn(std::size_t row, Index h) const;            // whether `h` is among the draws of a row
    Index find(std::int64_t state) const;
    Index find_or_add(std::int64_t state);
};

using SparseRow = std::vector<std::pair<std::int64_t, double>>;

template <class P>
concept RowPrior = std::copy_constructible<P> && requires(P prior, const P& fixed, std::int64_t pair,
                                                          std::int64_t state, const Observed& seen, Random& rng) {
    { fixed.possible(pair, state) } -> std::same_as<bool>;

    // Probabilities: all of them, or (mean_row) what each successor has beyond its share of the rest, which `base`
    // spreads and whose weight is returned; `mass` is the sum of the pseudo-counts.
    requires requires(std::span<double> out, SparseRow& sparse) {
        prior.predictive(pair, seen, out);
        { prior.mean_row(pair, seen, sparse) } -> std::convertible_to<double>;
        { fixed.one_base() } -> std::same_as<bool>;  // of all rows alike
        { fixed.base() } -> std::same_as<std::vector<double>>;  // [S], or empty: uniform
        { prior.mass(pair) } -> std::convertible_to<double>;
    };

    // Rows drawn from the posterior: whole, or as far as they are needed.
    requires requires(Row& row, OpenRow& open) {
        prior.draw_row(pair, seen, rng, row);
        prior.open_row(pair, seen, rng, open);
        prior.reveal(open, rng);
    };

    // The urn: its total when empty, after `total` draws, `distinct` of them different, and after one more draw; and
    // what a number `v` beyond the past draws stands for: the successor, and whether it is new.
    requires requires(std::int64_t distinct, std::int64_t total, const Urn& urn, std::size_t row, double v,
                      UrnModel& model) {
        { prior.urn_empty(pair) } -> std::convertible_to<double>;
        { prior.urn_total(pair, distinct, total) } -> std::convertible_to<double>;
        { prior.urn_grown(urn) } -> std::convertible_to<double>;
        { prior.urn_fresh(pair, row, urn, v, rng, model) } -> std::same_as<std::pair<Index, bool>>;
    };
};

}  // namespace bamdp

// The concept of a prior of independent rows. A row is the unknown distribution of the successors of one state and action; `pair`
// numbers it.
#pragma once

#include "priors/row.hpp"
#include "support/index.hpp"

namespace bamdp {

// A row with its probabilities integrated out (models/collapsed.hpp): each draw weighs one, what else the prior gives the rest of
// `total`.
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
concept RowPrior = std::copy_constructible<P> &&
    requires(P prior, const P& fixed, std::int64_t pair, std::int64_t state, const Observed& seen, Random& rng) {
        { fixed.possible(pair, state) } -> std::same_as<bool>;

        // Probabilities: all of them, or (mean_row) what each successor has beyond its share of the rest, which `base` spreads and
        // whose weight is returned; `mass` is the sum of the pseudo-counts.
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

        // The urn: its total when empty, after `total` draws, `distinct` of them different, and after one more draw; and what a number
        // `v` beyond the past draws stands for: the successor, and whether it is new.
        requires requires(std::int64_t distinct, std::int64_t total, const Urn& urn, std::size_t row, double v, UrnModel& model) {
            { prior.urn_empty(pair) } -> std::convertible_to<double>;
            { prior.urn_total(pair, distinct, total) } -> std::convertible_to<double>;
            { prior.urn_grown(urn) } -> std::convertible_to<double>;
            { prior.urn_fresh(pair, row, urn, v, rng, model) } -> std::same_as<std::pair<Index, bool>>;
        };
    };

}  // namespace bamdp

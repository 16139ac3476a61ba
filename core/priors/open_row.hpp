// A row drawn from the posterior only as far as a simulation needs it: successors that were reached have their weights, of the
// others only the number and the total weight are known.
//
// `hidden` successors of pseudo-count alpha each are a symmetric Dirichlet vector. The one that a uniform point of their weight
// falls into is any of them, its share is Beta(1 + alpha, (hidden − 1) alpha), and the others are such a vector again, independent
// of that share (size-biased order; McCloskey 1965). So a row costs as much as its successors, seen and gone to, whatever S is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "priors/row.hpp"
#include "support/random.hpp"

namespace bamdp {

// In domains as small as this rows are drawn whole, and sums of SupportSizes go term by term, so that seeds give to the last digit
// what they gave in stored results.
inline constexpr std::int64_t SMALL_WORLD = 512;

struct OpenRow : Row {
    std::int64_t hidden = 0;
    double hidden_weight = 0;

    double listed() const { return cumulative.empty() ? 0.0 : cumulative.back(); }

    // The seen successors, and `hidden` ones beside them.
    void open(std::span<const std::int64_t> seen, std::span<const std::int64_t> n, std::int64_t others, double alpha, Random& rng) {
        clear();
        for (std::size_t i = 0; i < seen.size(); ++i) add(seen[i], rng.gamma(alpha + static_cast<double>(n[i])));
        hidden = others;
        hidden_weight = hidden == 0 ? 0 : seen.empty() ? 1 : rng.gamma(static_cast<double>(hidden) * alpha);
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

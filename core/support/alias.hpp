// Alias tables (Walker 1977, Vose 1991): a draw from a fixed distribution over 0 … n − 1 in one look-up, whatever n is.
#pragma once

#include "support/common.hpp"

namespace bamdp {

// Column j keeps its own outcome with probability keep / 2^32, and gives `other` otherwise.
struct AliasColumn {
    std::uint32_t keep;
    std::int32_t other;
};

inline std::int32_t draw(const AliasColumn* columns, std::uint32_t n, std::uint64_t bits) {
    const auto j = static_cast<std::uint32_t>(((bits >> 32) * n) >> 32);
    const AliasColumn column = columns[j];
    return static_cast<std::uint32_t>(bits) < column.keep ? static_cast<std::int32_t>(j) : column.other;
}

// Fills `columns` so that outcome j has probability weights[j] / sum; resolution 2^-32 per column.
inline void fill_alias(std::span<const double> weights, std::span<AliasColumn> columns) {
    const std::size_t n = weights.size();
    double sum = 0;
    for (const double w : weights) sum += w;
    std::vector<double> share(n);
    std::vector<std::size_t> small, large;
    for (std::size_t j = 0; j < n; ++j) {
        share[j] = weights[j] / sum * static_cast<double>(n);
        columns[j] = {0xffffffffU, static_cast<std::int32_t>(j)};
        (share[j] < 1 ? small : large).push_back(j);
    }
    while (!small.empty() && !large.empty()) {
        const std::size_t poor = small.back(), rich = large.back();
        small.pop_back();
        columns[poor] = {static_cast<std::uint32_t>(share[poor] * 0x1p32), static_cast<std::int32_t>(rich)};
        share[rich] -= 1 - share[poor];
        if (share[rich] < 1) {
            large.pop_back();
            small.push_back(rich);
        }
    }
}

}  // namespace bamdp

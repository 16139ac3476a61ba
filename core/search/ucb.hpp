// The bonus of UCT, c sqrt(log N / n), from tables: one square root per node instead of one per action.
#pragma once

#include "support/logarithm.hpp"

namespace bamdp {

// log(n) of whole numbers, to 14 digits.
class IntegerLog {
 public:
    IntegerLog() {
        table_[0] = table_[1] = 0;
        for (std::size_t n = 2; n < SIZE; ++n)
            table_[n] = table_[n - 1] + portable_log1p(1.0 / static_cast<double>(n - 1));
    }

    double operator()(std::uint32_t n) const {
        if (n < SIZE) return table_[n];
        const int shift = static_cast<int>(std::bit_width(n)) - BITS;  // unsigned in older libraries
        const std::uint32_t top = n >> shift;  // SIZE / 2 … SIZE − 1
        const double rest = static_cast<double>(n - (top << shift)) / static_cast<double>(top << shift);
        return table_[top] + shift * table_[2] + (rest - rest * rest * (0.5 - rest * (1.0 / 3 - rest * 0.25)));
    }

 private:
    static constexpr int BITS = 10;
    static constexpr std::size_t SIZE = 1 << BITS;

    std::array<double, SIZE> table_;
};

class Ucb {
 public:
    // `offset` is added to N in the logarithm: 0 in the paper, 1 in the authors' program.
    Ucb(double exploration, std::int32_t offset) : exploration_(exploration), offset_(offset) {
        for (std::int32_t n = 0; n < TABLE; ++n) {
            node_.push_back(of_node_exactly(n));
            edge_.push_back(of_edge_exactly(n));
        }
    }

    // bonus = of_node(N) · of_edge(n)
    double of_node(std::int32_t N) const { return N < TABLE ? node_[static_cast<std::size_t>(N)] : of_node_exactly(N); }
    double of_edge(std::int32_t n) const { return n < TABLE ? edge_[static_cast<std::size_t>(n)] : of_edge_exactly(n); }

 private:
    static constexpr std::int32_t TABLE = 1024;  // 16 kB: leaves room for the tree in the first-level cache

    double of_node_exactly(std::int32_t N) const {
        return exploration_ * std::sqrt(log_(static_cast<std::uint32_t>(N + offset_)));
    }
    static double of_edge_exactly(std::int32_t n) { return n < 1 ? 0 : 1 / std::sqrt(static_cast<double>(n)); }

    IntegerLog log_;
    double exploration_;
    std::int32_t offset_;
    std::vector<double> node_, edge_;  // [TABLE]
};

}  // namespace bamdp

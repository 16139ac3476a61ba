// The bonus of UCT, c sqrt(log N / n), from tables: one square root per node instead of one per action.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bamdp {

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
        const std::int32_t visits = N + offset_;
        return visits < 1 ? 0 : exploration_ * std::sqrt(std::log(static_cast<double>(visits)));
    }
    static double of_edge_exactly(std::int32_t n) { return n < 1 ? 0 : 1 / std::sqrt(static_cast<double>(n)); }

    double exploration_;
    std::int32_t offset_;
    std::vector<double> node_, edge_;  // [TABLE]
};

}  // namespace bamdp

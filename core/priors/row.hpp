// A row of transition probabilities drawn from the posterior: sparse, unnormalised, cumulative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bamdp {

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
    // Only entry `i` is left.
    void keep(std::size_t i) {
        states = {states[i]};
        cumulative = {1.0};
    }
};

}  // namespace bamdp

// Common random numbers: a scenario fixes the sampled world and the outcome of the k-th visit to every state and
// action, so that two sequences of actions differ only where they act differently.
#pragma once

#include "models/model.hpp"
#include "support/random.hpp"

namespace bamdp {

// The random numbers of a scenario.
class Scenario {
 public:
    explicit Scenario(std::uint64_t seed) : seed_(seed) {}

    std::uint64_t name() const { return mix(seed_) | 1; }
    Random world() const { return random(seed_, 1); }
    BAMDP_INLINE Random outcome(std::int64_t state, std::int32_t a, std::uint32_t visit) const {
        return random(mix(seed_ ^ mix(static_cast<std::uint64_t>(state))),
                      (static_cast<std::uint64_t>(visit) << 32 | static_cast<std::uint32_t>(a)) + 3);
    }

 private:
    BAMDP_INLINE static Random random(std::uint64_t seed, std::uint64_t purpose) {
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
        const std::size_t at =
            static_cast<std::size_t>(s) * static_cast<std::size_t>(num_actions) + static_cast<std::size_t>(a);
        if (at >= n.size()) n.resize(2 * at + 16), counted.resize(n.size(), 0U);
        if (std::exchange(counted[at], simulation) != simulation) n[at] = 0;
        return n[at]++;
    }
};

}  // namespace bamdp

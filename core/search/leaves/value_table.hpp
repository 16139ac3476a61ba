// A value for each state, from elsewhere (the posterior mean, solved), instead of a roll-out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/leaves/epsilon_greedy.hpp"
#include "search/leaves/leaf.hpp"

namespace bamdp {

template <class M>
concept HasMean = requires { requires M::has_mean; };

class ValueTable : public EpsilonGreedy {
 public:
    template <class M>
    using ModelFor = std::conditional_t<HasMean<M>, M, void>;
    static constexpr const char* NEEDED = "needs the posterior mean of the transitions, which this prior can't give";

    using EpsilonGreedy::EpsilonGreedy;

    // Not saved: it is set again before each search.
    // `states` is 0 for one value of each state, at any depth; else the values of all `states` at each depth, one after the other.
    void set_table(std::vector<double> values, std::size_t states = 0) {
        table_ = std::move(values);
        stride_ = states;
    }

    template <bool LISTED, Model M>
    BAMDP_INLINE double value(const M& model, const Settings& settings, Index s, std::int32_t, std::int32_t d, Random&) const {
        const auto state = static_cast<std::size_t>(model.state(s));
        if (stride_ > 0) return table_[static_cast<std::size_t>(d) * stride_ + state];
        return d < settings.horizon && state < table_.size() ? table_[state] : 0;
    }

 private:
    std::vector<double> table_;  // [S] or [horizon + 1, S], empty before it is set
    std::size_t stride_ = 0;
};

}  // namespace bamdp

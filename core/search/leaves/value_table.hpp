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
    void set_table(std::vector<double> values) { table_ = std::move(values); }

    template <bool LISTED, Model M>
    BAMDP_INLINE double value(const M& model, const Settings& settings, Index s, std::int32_t, std::int32_t d, Random&) const {
        const auto state = static_cast<std::size_t>(model.state(s));
        return d < settings.horizon && state < table_.size() ? table_[state] : 0;
    }

 private:
    std::vector<double> table_;  // [S], empty before it is set
};

}  // namespace bamdp

// A value for each state, from elsewhere (the posterior mean, solved), instead of a roll-out.
#pragma once

#include "search/leaves/rollout.hpp"

namespace bamdp {

template <class M>
concept HasMean = requires { requires M::has_mean; };

class ValueTable final : public Rollout {
 public:
    template <class M>
    using ModelFor = std::conditional_t<HasMean<M>, M, void>;
    static constexpr const char* NEEDED = "needs the posterior mean of the transitions, which this prior can't give";

    ValueTable(std::int32_t num_actions, const Settings& settings)
        : Rollout(num_actions, settings), A_(static_cast<std::size_t>(num_actions)) {}

    // Not saved: they are set again before each search. `table_` has one value of each state, at any depth, or those of
    // each depth.
    bool set_values(const RootValues& root, const StateIndex& known) override {
        std::vector<double> q(A_);
        table_.resize(static_cast<std::size_t>(root.num_states));
        for (std::int64_t s = 0; s < root.num_states; ++s) {
            root.q_values(s, q.data());
            table_[static_cast<std::size_t>(s)] = *std::max_element(q.begin(), q.end());
            const Index h = known.find(s);
            if (h != NONE) policy_.set_values(h, q, root.slack);
        }
        stride_ = root.layers.empty() ? 0 : static_cast<std::size_t>(root.num_states);
        if (stride_ > 0) table_ = root.layers;
        return true;
    }

    template <Model M>
    BAMDP_INLINE double value(const M& model, const Query& query, Index s, std::int32_t d, Random&) const {
        const auto state = static_cast<std::size_t>(model.state(s));
        if (stride_ > 0) return table_[static_cast<std::size_t>(d) * stride_ + state];
        return d < query.depth && state < table_.size() ? table_[state] : 0;
    }

 private:
    std::size_t A_;
    std::vector<double> table_;  // [S] or [depth + 1, S], empty before it is set
    std::size_t stride_ = 0;     // S, where it has the values of each depth
};

}  // namespace bamdp

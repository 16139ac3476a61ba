// One slip probability for all states and actions: a step goes where it was meant to with probability 1 − p, and slips
// with p.
//
//   p ~ Beta(slips, holds);  p | data ~ Beta(slips + slips seen, holds + holds seen)
#pragma once

#include "models/sampling.hpp"
#include "models/tabular.hpp"
#include "priors/row_prior.hpp"

namespace bamdp {

class SharedSlipBelief : public VisitedStates {
 public:
    // `intended` [S, A]; `slipped` and `cumulative` [S, A, k]; slips never lead to the intended state, or (not
    // `informative`) always.
    SharedSlipBelief(std::vector<std::int64_t> intended, std::vector<std::int64_t> slipped,
                     std::vector<double> cumulative, double slips, double holds, std::int64_t num_states,
                     std::int32_t num_actions)
        : VisitedStates(num_states, num_actions), slips(slips), holds(holds), intended_(std::move(intended)),
          slipped_(std::move(slipped)), cumulative_(std::move(cumulative)), width_(slipped_.size() / intended_.size()) {
    }

    std::size_t pair(std::int64_t state, std::int32_t a) const {
        return static_cast<std::size_t>(state * num_actions + a);
    }
    std::int64_t intended(std::size_t pair) const { return intended_[pair]; }
    bool informative(std::size_t pair) const { return slipped_[pair * width_] != intended_[pair]; }
    std::int64_t slipped(std::size_t pair, Random& rng) const {
        return slipped_[pair * width_ + draw_from({&cumulative_[pair * width_], width_}, rng)];
    }

    void observe(std::int64_t state, std::int32_t a, std::int64_t next_state) {
        visit(state, next_state);
        if (informative(pair(state, a))) (next_state == intended(pair(state, a)) ? holds : slips) += 1;
    }

    template <class Archive>
    void archive(Archive& a) {
        VisitedStates::archive(a);
        a(slips, holds);
        a.check(slips > 0 && slips < 1e18 && holds > 0 && holds < 1e18, "a count is out of range");
    }

    double slips, holds;

 private:
    std::vector<std::int64_t> intended_, slipped_;
    std::vector<double> cumulative_;
    std::size_t width_;
};

// Drawn: p is drawn when a simulation begins. Collapsed: p is integrated out, and each slip makes the next more likely.
template <bool COLLAPSED>
class SharedSlip : public TabularModel<SharedSlipBelief> {
 public:
    using TabularModel<SharedSlipBelief>::TabularModel;

    Index begin(std::int64_t state, Random& rng) {
        slips_ = COLLAPSED ? belief_->slips : rng.gamma(belief_->slips);
        total_ = slips_ + (COLLAPSED ? belief_->holds : rng.gamma(belief_->holds));
        if (total_ == 0) {  // both underflow (tiny counts): p is 0 or 1, as good as always
            total_ = 1;
            slips_ = rng.uniform() * (belief_->slips + belief_->holds) < belief_->slips ? 1 : 0;
        }
        return index_.find_or_add(state);
    }

    BAMDP_INLINE Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        const std::size_t pair = belief_->pair(state, a);
        std::int64_t next_state = belief_->intended(pair);
        if (belief_->informative(pair)) {
            const bool slip = rng.uniform() * total_ < slips_;
            if (COLLAPSED) {
                slips_ += slip ? 1 : 0;
                total_ += 1;
            }
            if (slip) next_state = belief_->slipped(pair, rng);
        }
        return arrive(state, a, next_state);
    }

 private:
    double slips_ = 0, total_ = 1;  // a slip has probability slips / total
};

template <Sampling S>
struct ModelOf<S, SharedSlipBelief> : Supported {
    using type =
        SharedSlip<S == Sampling::collapsed || S == Sampling::resampled>;  // p drawn at every step is p integrated out
};

}  // namespace bamdp

// The return of a roll-out: steps by a policy, in the sampled model, to the horizon.
#pragma once

#include <cstdint>

#include "search/leaves/leaf.hpp"

namespace bamdp {

template <class Policy>
class Rollout : public Policy {
 public:
    using Policy::Policy;

    // procedure Rollout(<s,h>, P, d)
    template <bool LISTED, Model M>
    BAMDP_INLINE double value(M& model, const Settings& settings, Index s, std::int32_t last, std::int32_t d, Random& rng) const {
        double R = 0, weight = 1;
        for (; d < settings.horizon; ++d) {
            last = this->action(s, last, rng);
            const Step step = model.step(s, last, rng);
            R += weight * step.reward;
            if (is_terminal<LISTED>(model, settings, step)) break;
            weight *= settings.discount;
            s = arrived(model, settings, step, d + 1);
        }
        return R;
    }
};

}  // namespace bamdp

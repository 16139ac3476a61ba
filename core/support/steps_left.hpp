// The rest of a run that ends.
#pragma once

#include "support/common.hpp"

namespace bamdp {

// How many steps are left and, where the run consists of episodes of one length, when the next of them start.
struct StepsLeft {
    std::int64_t steps;       // until the horizon
    std::int64_t until = 0;   // the end of the episode
    std::int64_t length = 0;  // of an episode; 0: there are none
    std::int64_t start = 0;   // the state that each of them starts in

    // Whether an episode ends with the last of the next `taken` steps: the run goes on from `start`.
    bool ends_after(std::int64_t taken) const { return length > 0 && taken >= until && (taken - until) % length == 0; }
};

// The discounted sum of a reward of 1 in every step that is left, by depth.
class Annuity {
 public:
    explicit Annuity(double discount) : discount_(discount) {}

    // `steps` left at depth 0; 0: without an end.
    void set_steps(std::int64_t steps) {
        sums_.clear();
        if (steps > 0) sums_.push_back(0);
        for (std::int64_t k = 1; k <= steps; ++k) sums_.push_back(1 + discount_ * sums_.back());
    }

    bool ends() const { return !sums_.empty(); }
    double from(std::int32_t d) const {
        return sums_.empty() ? 1 / (1 - discount_) : sums_[sums_.size() - 1 - static_cast<std::size_t>(d)];
    }

 private:
    double discount_;
    std::vector<double> sums_;  // [steps + 1]
};

}  // namespace bamdp

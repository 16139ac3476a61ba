// The discounted sum of a reward of 1 in every step that is left, by depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bamdp {

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
    double from(std::int32_t d) const { return sums_.empty() ? 1 / (1 - discount_) : sums_[sums_.size() - 1 - static_cast<std::size_t>(d)]; }

 private:
    double discount_;
    std::vector<double> sums_;  // [steps + 1]
};

}  // namespace bamdp

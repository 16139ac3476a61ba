// What an agent that is told p and q of all columns and rows can earn on the infinite grid, at most.
//
// A cell that was not seen pays p_i q_j on average, and cells say nothing about each other any more: what is left is to
// find the best path. A path that may collect each cell once is hard to optimise. Here a cell pays each time it is
// entered, except from the cell that was entered from it: states are places and last moves, and dynamic programming
// gives no less than the best path. After LONGEST moves each step pays 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/grid_rewards.hpp"

namespace bamdp {

class GridBound {
 public:
    static constexpr std::int64_t LONGEST = 120;

    // `steps` are left, or NO_END of them.
    GridBound(const GridBelief& belief, std::int64_t state, double discount, std::int64_t steps)
        : T_(steps == NO_END ? LONGEST : std::min(LONGEST, steps - 1)), size_(2 * T_ + 1), root_(Place::of(state)),
          content_(Place::content(state) ? 1 : 0), discount_(discount),
          tail_(steps == NO_END ? later_steps(discount, NO_END) : later_steps(discount, steps - T_)),
          pays_(static_cast<std::size_t>(size_ * size_)), value_(pays_.size()) {
        std::fill(pays_.begin(), pays_.end(), UNSEEN);
        for (std::size_t i = 0; i < belief.num_cells(); ++i) set(belief.place(i), 0);
        for (const std::int64_t cell : belief.remaining()) set(Place::of(cell), 1);
        set(root_, 0);
    }

    // In the world that the values of a chain and draws from the prior make.
    double value(const GridChain& chain, Random& rng) {
        std::vector<double> p, q;
        for (std::int64_t d = -T_; d <= T_; ++d) {
            p.push_back(chain.columns.draw(root_.x + d, rng));
            q.push_back(chain.rows.draw(root_.y + d, rng));
        }
        for (auto& values : value_) values.fill(tail_);
        for (std::int64_t t = T_ - 1; t >= 0; --t)  // after t moves: places of the same parity, at most t away
            for (std::int64_t x = -t; x <= t; ++x)
                for (std::int64_t y = std::abs(x) - t; y <= t - std::abs(x); y += 2) update(x, y, p, q);
        return content_ + (T_ > 0 ? *std::max_element(value_[at(0, 0)].begin(), value_[at(0, 0)].end()) : tail_);
    }

 private:
    static constexpr double UNSEEN = -1;

    std::size_t at(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>((x + T_) * size_ + y + T_); }

    void set(Place place, double pays) {
        const std::int64_t x = place.x - root_.x, y = place.y - root_.y;
        if (std::abs(x) <= T_ && std::abs(y) <= T_) pays_[at(x, y)] = pays;
    }

    void update(std::int64_t x, std::int64_t y, const std::vector<double>& p, const std::vector<double>& q) {
        std::array<double, 4> paid, unpaid;  // by the next move
        for (std::int32_t a = 0; a < 4; ++a) {
            const Place next = Place{x, y}.moved(a);
            const std::size_t n = at(next.x, next.y), i = static_cast<std::size_t>(a);
            const double pays =
                pays_[n] == UNSEEN ? p[static_cast<std::size_t>(next.x + T_)] * q[static_cast<std::size_t>(next.y + T_)]
                                   : pays_[n];
            unpaid[i] = discount_ * value_[n][i];
            paid[i] = unpaid[i] + discount_ * pays;
        }
        for (std::size_t last = 0; last < 4; ++last) {
            const std::size_t back = (last + 2) % 4;
            double best = unpaid[back];
            for (std::size_t a = 0; a < 4; ++a)
                if (a != back) best = std::max(best, paid[a]);
            value_[at(x, y)][last] = best;
        }
    }

    std::int64_t T_, size_;
    Place root_;
    double content_, discount_, tail_;
    std::vector<double> pays_;  // what is known of a cell, or UNSEEN
    std::vector<std::array<double, 4>> value_;  // [places] of being there, by the last move
};

}  // namespace bamdp

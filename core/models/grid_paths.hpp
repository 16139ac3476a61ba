// Paths on the infinite grid by what is believed of its columns and rows: a policy that needs no search and no
// sampling.
//
//   p_i ~ Beta(a, b)   belief about each column, and likewise each row, filtered cell by cell: a reward adds 1 to a of
//                      both lines; an empty cell adds q (1 − p) / (1 − p q) to b of its column, p and q the means: the
//                      posterior of p_i given q is a mixture of Beta(a, b + 1), with that weight, and Beta(a, b)
//   value of a path    Σ (kappa gamma)^d p_i q_j over its cells that were not seen yet; it is planned again after each
//                      step
//   paths              up to TURN cells along one axis, then RAY cells along the other, or RAY cells straight on
//
// With a bonus, p_i is raised by the index of solve/exploration_bonus.hpp: a line is an arm, to be pulled about USES
// times. Filtered means are used rather than those of the chain: sampling noise makes the agent go to and fro
// (docs/infinite_grid.md).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/grid_chain.hpp"
#include "solve/exploration_bonus.hpp"
#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

// The beliefs about all columns and rows.
class LineBeliefs {
 public:
    LineBeliefs(const Beta& columns, const Beta& rows) : prior_{columns, rows} {}

    Beta column(std::int64_t x) const { return at(0, x); }
    Beta row(std::int64_t y) const { return at(1, y); }

    void observe(Place place, bool reward) {
        Beta &column = line(0, place.x), &row = line(1, place.y);
        update(column, row, reward);
    }

    // What a cell tells about its column and row.
    template <class Line>
    static void update(Line& column, Line& row, bool reward) {
        if (reward) {
            column.a += 1;
            row.a += 1;
            return;
        }
        const auto p = column.a / (column.a + column.b), q = row.a / (row.a + row.b), either = 1 - p * q;
        if (!(either > 0)) return;
        column.b += q * (1 - p) / either;
        row.b += p * (1 - q) / either;
    }

 private:
    Beta at(std::size_t axis, std::int64_t x) const {
        const Index h = index_[axis].find(x);
        return h == NONE ? prior_[axis] : lines_[axis][static_cast<std::size_t>(h)];
    }
    Beta& line(std::size_t axis, std::int64_t x) {
        const auto h = static_cast<std::size_t>(index_[axis].find_or_add(x));
        if (h == lines_[axis].size()) lines_[axis].push_back(prior_[axis]);
        return lines_[axis][h];
    }

    std::array<Beta, 2> prior_;
    std::array<StateIndex, 2> index_;
    std::array<std::vector<Beta>, 2> lines_;  // as seen, in order
};

// What is believed of the lines and cells around a place, RADIUS in each direction, and the best paths there.
template <int RADIUS>
class GridWindow {
 public:
    static constexpr int RAY = 8, TURN = 3,
                         MARGIN = RAY + TURN;  // paths from within MARGIN of the edge would leave the window
    static constexpr double REPLANNED = 0.9;  // kappa: paths are planned again, so far ends count less
    static constexpr double USES = 10;
    static constexpr double SLACK = 1e-5;  // paths within it of the best are equally good

    GridWindow(double discount, double bonus) : bonus_(bonus) {
        float weight = 1;
        for (std::size_t l = 0; l <= RAY; ++l, weight *= static_cast<float>(REPLANNED * discount)) {
            weights_[l] = weight;
            if (l > 0) ahead_[l - 1] = behind_[RAY - l] = weight;
        }
    }

    // Take over a belief: `lines`, and the cells of `seen`, states of any content.
    void fill(const LineBeliefs& lines, const StateIndex& seen, Place centre) {
        centre_ = centre;
        changes_.clear();
        for (std::size_t i = 0; i < SIZE; ++i) {
            const std::int64_t off = static_cast<std::int64_t>(i) - RADIUS;
            const Beta column = lines.column(centre.x + off), row = lines.row(centre.y + off);
            set(0, i, column.a, column.b);
            set(1, i, row.a, row.b);
        }
        for (auto& open : open_)
            for (auto& line : open) line.fill(1);
        for (Index h = 0; h < seen.size(); ++h) {
            const Place place = Place::of(seen.state(h));
            if (contains(place)) close(column(place), row(place));
        }
    }

    // Replace the means of the lines within reach of the centre by draws, each determined by `seed` and its coordinate.
    void sample(std::uint64_t seed, const LineBeliefs& lines) {
        for (std::size_t axis = 0; axis < 2; ++axis)
            for (std::size_t i = 0; i < SIZE; ++i) {
                const std::int64_t x = (axis == 0 ? centre_.x : centre_.y) + static_cast<std::int64_t>(i) - RADIUS;
                std::uint64_t key = mix(seed ^ mix(2 * static_cast<std::uint64_t>(x) + axis));
                const auto next = [&] { return mix(key += 0x9e3779b97f4a7c15U); };
                Random rng({next(), next(), next(), next()});
                means_[axis][i] = static_cast<float>((axis == 0 ? lines.column(x) : lines.row(x)).draw(rng));
            }
    }

    bool contains(Place place) const {
        return std::abs(place.x - centre_.x) <= RADIUS && std::abs(place.y - centre_.y) <= RADIUS;
    }
    bool can_plan(Place place) const {
        return std::abs(place.x - centre_.x) <= RADIUS - MARGIN && std::abs(place.y - centre_.y) <= RADIUS - MARGIN;
    }

    // A cell of the window is seen for the first time or again; `undo` takes back all since `keep`.
    void observe(Place place, bool reward) {
        const std::size_t x = column(place), y = row(place);
        if (open_[0][x][y] == 0) return;
        Line &column = lines_[0][x], &row = lines_[1][y];
        changes_.push_back({x, y, column, row, means_[0][x], means_[1][y]});
        LineBeliefs::update(column, row, reward);
        set(0, x, column.a, column.b);
        set(1, y, row.a, row.b);
        close(x, y);
    }
    void keep() { changes_.clear(); }  // what was observed so far stays
    void undo() {
        for (; !changes_.empty(); changes_.pop_back()) {
            const Change& change = changes_.back();
            lines_[0][change.x] = change.column;
            lines_[1][change.y] = change.row;
            means_[0][change.x] = change.p;
            means_[1][change.y] = change.q;
            open_[0][change.x][change.y] = open_[1][change.y][change.x] = 1;
        }
    }

    // The value of the best path that begins with each action.
    std::array<float, 4> q_values(Place place) const {
        const std::size_t x = column(place), y = row(place);
        std::array<float, 4> q{straight(0, x, y, true), straight(1, y, x, true), straight(0, x, y, false),
                               straight(1, y, x, false)};
        q[0] = std::max(q[0], turning(1, y, x, true));
        q[1] = std::max(q[1], turning(0, x, y, true));
        q[2] = std::max(q[2], turning(1, y, x, false));
        q[3] = std::max(q[3], turning(0, x, y, false));
        return q;
    }

 private:
    static constexpr std::size_t SIZE = 2 * RADIUS + 1;
    struct Line {
        float a, b;
    };
    struct Change {
        std::size_t x, y;
        Line column, row;
        float p, q;
    };

    std::size_t column(Place place) const { return static_cast<std::size_t>(place.x - centre_.x + RADIUS); }
    std::size_t row(Place place) const { return static_cast<std::size_t>(place.y - centre_.y + RADIUS); }
    void close(std::size_t x, std::size_t y) { open_[0][x][y] = open_[1][y][x] = 0; }

    void set(std::size_t axis, std::size_t i, double a, double b) {
        const double n = a + b, mean = a / n;
        lines_[axis][i] = {static_cast<float>(a), static_cast<float>(b)};
        means_[axis][i] = static_cast<float>(
            bonus_ > 0 ? mean + bonus_ * index_units(USES / (n + 2)) * std::sqrt(mean * (1 - mean) / (n + 1)) : mean);
    }

    // Along line `i` of an axis from its crossing with line `j` of the other, which is left out: RAY cells.
    float straight(std::size_t axis, std::size_t i, std::size_t j, bool up) const {
        const std::size_t first = up ? j + 1 : j - RAY;
        const float* others = &means_[1 - axis][first];
        const float* open = &open_[axis][i][first];
        const auto& weights = up ? ahead_ : behind_;
        float sum[4] = {0, 0, 0, 0};
        for (std::size_t l = 0; l < RAY; l += 4)
            for (std::size_t k = 0; k < 4; ++k) sum[k] += weights[l + k] * others[l + k] * open[l + k];
        return means_[axis][i] * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }

    // Across lines i ± 1 … TURN of an axis, then along one of them.
    float turning(std::size_t axis, std::size_t i, std::size_t j, bool up) const {
        float across = 0, best = 0;
        for (std::size_t k = 1; k <= TURN; ++k) {
            const std::size_t at = up ? i + k : i - k;
            across += weights_[k] * means_[axis][at] * means_[1 - axis][j] * open_[axis][at][j];
            best = std::max(best,
                            across + weights_[k] * std::max(straight(axis, at, j, true), straight(axis, at, j, false)));
        }
        return best;
    }

    double bonus_;
    std::array<float, RAY + 1> weights_{};  // (kappa gamma)^d
    std::array<float, RAY> ahead_{}, behind_{};  // from 1 on, and the same in reverse
    Place centre_{0, 0};
    std::array<std::array<Line, SIZE>, 2> lines_{};  // columns, rows
    std::array<std::array<float, SIZE>, 2> means_{};  // with the bonus, or draws
    std::array<std::array<std::array<float, SIZE>, SIZE>, 2> open_{};  // [x][y] and [y][x]: 1 if not seen, else 0
    std::vector<Change> changes_;
};

}  // namespace bamdp

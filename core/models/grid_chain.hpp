// Column and row parameters of the infinite grid given the cells seen: a Markov chain, by one of two kinds of updates.
// Each is of the column and the row of a cell seen, chosen uniformly.
//
//   p_i ~ Beta(a1, b1), q_j ~ Beta(a2, b2),  P(cell (i, j) holds a reward) = p_i q_j
//
// Gibbs sampling with hidden coins (data augmentation; Tanner, Wong 1987), first the column, then the row:
//   coins       of a cell: u ~ Bernoulli(p_i), v ~ Bernoulli(q_j); it holds a reward if both are 1
//   u | empty   1 with probability p (1 − q) / (1 − p q)
//   p | coins   Beta(a1 + Σ u, b1 + Σ (1 − u)): positive everywhere, however the coins fell, so that no state holds the
//               chain
//
// Metropolis–Hastings (the supplement's "Inference details"):
//   proposal    p_i' ~ Beta(a1 + m1, b1 + n1), q_j' ~ Beta(a2 + m2, b2 + n2), accepted together
//   m, n        ones of the line, and its zeros times a factor; both scaled down where m + n > cap
//   acceptance  the prior cancels against the proposal; what is left of the ones is p^(ones − m), of the zeros a
//               product
//   With n > 0 the proposal's tail at 1 is lighter than the target's: near 1 the chain can stay for millions of
//   updates.
//
// One update costs as much as there are zeros in the touched column and row.
#pragma once

#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

// A state: a cell and whether it holds a reward. x + y and x − y are both even or both odd, so that the last bit of one
// of them is free for the content: 64 bits hold every cell within 2^31 − 1 steps of (0, 0).
struct Place {
    std::int64_t x, y;

    static Place of(std::int64_t state) {
        const std::int64_t u = state >> 32, v = (static_cast<std::int32_t>(state) & ~std::int64_t{1}) | (u & 1);
        return {(u + v) >> 1, (u - v) >> 1};
    }
    static bool content(std::int64_t state) { return (state & 1) != 0; }

    std::int64_t state(bool content) const {
        const auto u = static_cast<std::uint64_t>(x + y), v = static_cast<std::uint64_t>(x - y);
        return static_cast<std::int64_t>(u << 32 | (v & 0xfffffffeU) | (content ? 1U : 0U));
    }
    // actions 0: y + 1, 1: x + 1, 2: y − 1, 3: x − 1
    Place moved(std::int32_t a) const { return a & 1 ? Place{x + 2 - a, y} : Place{x, y + 1 - a}; }
};

// Beta(a, b), kept away from 0 and 1 so that logarithms stay finite.
struct Beta {
    double a, b;

    double draw(Random& rng) const { return std::clamp(draw_anywhere(rng), 1e-300, 1 - 0x1p-53); }

 private:
    double draw_anywhere(Random& rng) const {
        if (a == 1) return 1 - power(1 - rng.uniform(), b);  // inverse distribution functions, several times faster
        if (b == 1) return power(1 - rng.uniform(), a);
        const double x = rng.gamma(a), y = rng.gamma(b);
        return x + y > 0 ? x / (x + y) : (rng.uniform() * (a + b) < a ? 1 : 0);
    }
    static double power(double u, double n) { return n == 1 ? u : n == 2 ? std::sqrt(u) : std::pow(u, 1 / n); }
};

// A product of positive numbers, log_part for what would leave the range of a double.
struct Ratio {
    double log_part, part = 1;

    void multiply(double factor) {
        part *= factor;
        if (part < 1e-100 || part > 1e100) [[unlikely]] {
            log_part += std::log(part);
            part = 1;
        }
    }
    bool accepts(double u) const { return u < std::exp(std::min(log_part, 500.0)) * part; }
};

struct GridPrior {
    Beta columns, rows;
    bool gibbs;
    double column_factor, row_factor;  // of the zeros of a column or a row in the proposal of Metropolis–Hastings
    double cap;  // of m + n there
    std::int32_t updates_per_simulation, updates_per_search;
};

// All columns, or all rows, that cross cells seen.
class Lines {
 public:
    Lines(const Beta& prior, double factor, double cap) : prior_(prior), factor_(factor), cap_(cap) {}

    // The parameter at coordinate `x`, from the prior where nothing is known.
    double draw(std::int64_t x, Random& rng) const {
        const Index h = find(x);
        return h == NONE ? prior_.draw(rng) : value(h);
    }

    Index size() const { return index_.size(); }
    Index find(std::int64_t x) const { return index_.find(x); }
    std::int64_t coordinate(Index h) const { return index_.state(h); }
    double value(Index h) const { return value_[static_cast<std::size_t>(h)]; }
    const std::vector<double>& values() const { return value_; }
    void set_value(Index h, double value) { value_[static_cast<std::size_t>(h)] = value; }
    const Beta& prior() const { return prior_; }

    Index add(std::int64_t x, double value) {
        const Index h = index_.find_or_add(x);
        value_.push_back(value);
        evidence_.emplace_back();
        return h;
    }
    void pop() {
        evidence_.pop_back();
        value_.pop_back();
        index_.truncate(size() - 1);
    }

    // The line has a cell that crosses line `other` of the other kind.
    void count(Index h, bool reward, Index other) {
        Evidence& line = evidence(h);
        if (reward)
            ++line.ones;
        else
            line.zeros.push_back(other);
        propose_from(line, value(h));
    }
    void uncount(Index h, bool reward) {
        Evidence& line = evidence(h);
        if (reward)
            --line.ones;
        else
            line.zeros.pop_back();
        propose_from(line, value(h));
    }

    // The values of all lines, which are there already.
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t lines = value_.size();
        a(value_);
        a.check(value_.size() == lines, "it is of another number of columns or rows");
        if constexpr (Archive::reading)
            for (std::size_t i = 0; i < lines; ++i) {
                a.check(0 < value_[i] && value_[i] < 1, "the parameter of a column or row is out of range");
                propose_from(evidence_[i], value_[i]);
            }
    }

    // A draw of line h's value, given the coins that its cells may have shown.
    void redraw(Index h, const Lines& others, Random& rng) {
        const Evidence& line = evidence(h);
        const double p = value(h);
        double heads = line.ones, tails = 0;
        for (const Index other : line.zeros) {
            const double q = others.value(other);
            if (rng.uniform() * (1 - p * q) < p * (1 - q))
                ++heads;
            else
                ++tails;
        }
        set_value(h, Beta{prior_.a + heads, prior_.b + tails}.draw(rng));
    }

    // A proposal for one line: its value, and the logarithm of what it adds to the acceptance ratio beside the zeros.
    struct Proposal {
        double value, log_value, log_rest, log_weight;
    };
    Proposal propose(Index h, Random& rng) const {
        const Evidence& line = evidence_[static_cast<std::size_t>(h)];
        const double value = line.proposal.draw(rng), log_value = line.ones_left > 0 ? std::log(value) : 0,
                     log_rest = std::log(1 - value);
        return {value, log_value, log_rest,
                line.ones_left * (log_value - line.log_value) - line.n * (log_rest - line.log_rest)};
    }
    void accept(Index h, const Proposal& proposal) {
        Evidence& line = evidence(h);
        value_[static_cast<std::size_t>(h)] = proposal.value;
        line.log_value = proposal.log_value;
        line.log_rest = proposal.log_rest;
    }

    // Multiplies `ratio` by Π (1 − fresh x) / (1 − old x) over the zeros of line h, x the parameter of the other line.
    void multiply_zeros(Index h, const Lines& others, double fresh, double old, Ratio& ratio) const {
        const std::vector<Index>& zeros = evidence_[static_cast<std::size_t>(h)].zeros;
        const double* x = others.value_.data();
        for (std::size_t i = 0; i < zeros.size();) {
            double above = 1, below = 1;
            for (const std::size_t end = std::min(i + BLOCK, zeros.size()); i < end; ++i) {
                const double other = x[static_cast<std::size_t>(zeros[i])];
                above *= 1 - fresh * other;
                below *= 1 - old * other;
            }
            ratio.multiply(above / below);
        }
    }

 private:
    static constexpr std::size_t BLOCK = 16;  // 1 − p q is 2^-53 or more: so many factors can't underflow

    struct Evidence {
        std::vector<Index> zeros;  // the other lines of the cells that were empty
        std::int32_t ones = 0;
        Beta proposal{1, 1};
        double ones_left = 0, n = 0;  // ones − m, and n
        double log_value = 0, log_rest = 0;  // log p (where ones are left), log (1 − p)
    };

    Evidence& evidence(Index h) { return evidence_[static_cast<std::size_t>(h)]; }

    void propose_from(Evidence& line, double value) const {
        double m = line.ones, n = factor_ * static_cast<double>(line.zeros.size());
        const double scale = m + n > cap_ ? cap_ / (m + n) : 1;
        m *= scale;
        n *= scale;
        line.proposal = {prior_.a + m, prior_.b + n};
        line.ones_left = line.ones - m;
        line.n = n;
        line.log_value = line.ones_left > 0 ? std::log(value) : 0;
        line.log_rest = std::log(1 - value);
    }

    Beta prior_;
    double factor_, cap_;
    StateIndex index_;
    std::vector<double> value_;  // [lines]
    std::vector<Evidence> evidence_;  // [lines]
};

// The parameters of one simulation along one axis. A walk goes on by single steps: all it has visited is one stretch.
class Stretch {
 public:
    void begin(std::int64_t origin) {
        origin_ = origin;
        ahead_.clear();
        behind_.clear();
    }

    BAMDP_INLINE double at(std::int64_t x, const Lines& lines, Random& rng) {
        const std::int64_t offset = x - origin_;
        std::vector<double>& side = offset < 0 ? behind_ : ahead_;
        const auto i = static_cast<std::size_t>(offset < 0 ? -1 - offset : offset);
        if (i == side.size()) {
            Random copy = rng;  // so that `rng` itself can live in registers
            extend(side, x, lines, copy);
            rng = copy;
        }
        return side[i];
    }

 private:
    BAMDP_NOINLINE static void extend(std::vector<double>& side, std::int64_t x, const Lines& lines, Random& rng) {
        side.push_back(lines.draw(x, rng));
    }

    std::int64_t origin_ = 0;
    std::vector<double> ahead_, behind_;  // from the origin on, and before it
};

class GridChain {
 public:
    explicit GridChain(const GridPrior& prior)
        : columns(prior.columns, prior.column_factor, prior.cap), rows(prior.rows, prior.row_factor, prior.cap),
          gibbs_(prior.gibbs) {}

    std::size_t size() const { return cells_.size(); }

    // One more cell was seen. A new line starts from its exact conditional given the line it crosses, so that the chain
    // is as near to its target as before.
    void add(Place place, bool reward, Random& rng) {
        Index column = columns.find(place.x), row = rows.find(place.y);
        const bool new_column = column == NONE, new_row = row == NONE;
        if (new_column || new_row) {
            double p = new_column ? 0 : columns.value(column), q = new_row ? 0 : rows.value(row);
            for (int tries = 0; tries < 1000; ++tries) {
                if (new_column) p = Beta{columns.prior().a + (reward ? 1 : 0), columns.prior().b}.draw(rng);
                if (new_row) q = Beta{rows.prior().a + (reward ? 1 : 0), rows.prior().b}.draw(rng);
                if (reward || rng.uniform() < 1 - p * q) break;
            }
            if (new_column) column = columns.add(place.x, p);
            if (new_row) row = rows.add(place.y, q);
        }
        columns.count(column, reward, row);
        rows.count(row, reward, column);
        cells_.push_back({column, row, reward, new_column, new_row});
    }

    void remove_last() {
        const Cell cell = cells_.back();
        cells_.pop_back();
        columns.uncount(cell.column, cell.reward);
        rows.uncount(cell.row, cell.reward);
        if (cell.new_column) columns.pop();
        if (cell.new_row) rows.pop();
    }

    // The cell that was added last, as a state.
    std::int64_t last() const {
        const Cell& cell = cells_.back();
        return Place{columns.coordinate(cell.column), rows.coordinate(cell.row)}.state(cell.reward);
    }

    // Whether anything was accepted, as it always is by Gibbs sampling.
    bool update(Random& rng) {
        const Cell& cell = cells_[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(cells_.size())))];
        if (!gibbs_) return propose(cell, rng);
        columns.redraw(cell.column, rows, rng);
        rows.redraw(cell.row, columns, rng);
        return true;
    }

    std::int64_t update(std::int32_t times, Random& rng) {
        std::int64_t accepted = 0;
        for (std::int32_t i = 0; i < times; ++i) accepted += update(rng);
        return accepted;
    }

    Lines columns, rows;

 private:
    struct Cell {
        Index column, row;
        bool reward, new_column, new_row;
    };

    bool propose(const Cell& cell, Random& rng) {
        const double p = columns.value(cell.column), q = rows.value(cell.row);
        const Lines::Proposal column = columns.propose(cell.column, rng), row = rows.propose(cell.row, rng);
        Ratio ratio{column.log_weight + row.log_weight};
        columns.multiply_zeros(cell.column, rows, column.value, p, ratio);
        columns.set_value(cell.column,
                          column.value);  // the row's product sees the new column: their common cell counts once
        rows.multiply_zeros(cell.row, columns, row.value, q, ratio);
        if (!ratio.accepts(rng.uniform())) {
            columns.set_value(cell.column, p);
            return false;
        }
        columns.accept(cell.column, column);
        rows.accept(cell.row, row);
        return true;
    }

    bool gibbs_;
    std::vector<Cell> cells_;  // seen, in order
};

}  // namespace bamdp

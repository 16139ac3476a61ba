// Gittins indices of Bernoulli arms with Beta posteriors, for many posteriors of one lattice (a0 + i, b0 + j) at once.
//
// v(a,b) is what pulling is worth above retiring for lambda a step, p = a/(a+b):
//   v = max(0, f),   f = p − lambda + gamma (p v(a+1,b) + (1−p) v(a,b+1)),   index = the lambda with f = 0.
// d is the discounted number of pulls before retirement, −df/dlambda. Where v is cut off, the arm is pulled forever or
// never. The proof of the error bound is in src/bamdp/exact/gittins.py.
#pragma once

#include "support/parallel.hpp"

namespace bamdp {

class Gittins {
 public:
    // `i`, `j` [K]: the posteriors to calibrate, none negative. Call `pause` now and then; it may throw.
    Gittins(double a0, double b0, double discount, double tolerance, std::span<const std::int64_t> i,
            std::span<const std::int64_t> j, Pause pause)
        : a0_(a0), n0_(a0 + b0), gamma_(discount), tolerance_(tolerance), for_ever_(1 / (1 - discount)),
          pause_(std::move(pause)) {
        for (std::size_t k = 0; k < i.size(); ++k) cells_.push_back(cell(i[k], i[k] + j[k]));
        band_ = std::max(1.0, std::sqrt(std::log(for_ever_ / (2 * tolerance))));
        while (std::pow(gamma_, static_cast<double>(horizon_)) * for_ever_ /
                   (4 * std::sqrt(static_cast<double>(horizon_ + 1))) >
               tolerance)
            ++horizon_;
    }

    std::vector<double> indices() {
        std::vector<std::vector<std::size_t>> open(1);
        for (std::size_t k = 0; k < cells_.size(); ++k) open[0].push_back(k);
        while (!open.empty()) {
            std::vector<std::size_t> group = std::move(open.back());
            open.pop_back();
            std::erase_if(group, [&](std::size_t k) { return bracket(cells_[k]); });
            if (group.empty()) continue;
            const double lambda = pivot(group);
            evaluate(lambda, group);
            const auto right = std::partition(group.begin(), group.end(),
                                              [&](std::size_t k) { return cells_[k].right.lambda == lambda; });
            open.emplace_back(group.begin(), right);
            open.emplace_back(right, group.end());
        }
        std::vector<double> result;
        for (const Cell& cell : cells_) result.push_back((cell.low + cell.high) / 2);
        return result;
    }

 private:
    struct Point {
        double lambda, f, d;
    };
    struct Cell {
        std::int64_t i, m;  // successes, and pulls, after (a0, b0)
        Point left, right;  // f was positive at the one and not at the other
        double low = 0, high = 1;
    };

    Cell cell(std::int64_t i, std::int64_t m) const {
        const double p = probability(i, m);
        return {i, m, {0, p * for_ever_, for_ever_}, {1, p - 1, 1}};
    }

    double probability(std::int64_t i, std::int64_t m) const {
        return (a0_ + static_cast<double>(i)) / (n0_ + static_cast<double>(m));
    }

    // Whether the index is known well enough. Below: the tangents, each the worth of one stopping rule. Above: the
    // chord.
    bool bracket(Cell& cell) const {
        const auto [left, right] = std::pair(cell.left, cell.right);
        const double above = left.f + tolerance_, below = right.f + tolerance_;  // at least the true f
        cell.low = std::max(left.lambda + left.f / left.d, right.lambda + right.f / right.d);
        cell.high = std::min(right.lambda + std::max(0.0, below), left.lambda + above);
        if (below < 0)
            cell.high = std::min(cell.high, left.lambda + (right.lambda - left.lambda) * above / (above - below));
        return cell.high - cell.low <= 2 * tolerance_ || right.lambda - left.lambda <= tolerance_;
    }

    double pivot(std::vector<std::size_t>& group) const {
        const auto middle = [&](std::size_t k) { return cells_[k].low + cells_[k].high; };
        const auto median = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
        std::nth_element(group.begin(), median, group.end(),
                         [&](std::size_t x, std::size_t y) { return middle(x) < middle(y); });
        return middle(*median) / 2;
    }

    // f and d of the cells in `group` at lambda: the stopping problem on the whole lattice, from the far end back.
    void evaluate(double lambda, std::vector<std::size_t>& group) {
        std::sort(group.begin(), group.end(), [&](std::size_t x, std::size_t y) { return cells_[x].m > cells_[y].m; });
        start(lambda, cells_[group.front()].m + horizon_);
        auto next = group.begin();
        for (std::int64_t m = m_ - 1;; --m) {
            for (; next != group.end() && cells_[*next].m == m; ++next) record(cells_[*next], lambda);
            if (next == group.end()) return;
            step_back(lambda);
            if (m % 256 == 0) pause_();
        }
    }

    // The last diagonal: from now on the arm is pulled forever, or never.
    void start(double lambda, std::int64_t m) {
        m_ = m;
        first_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(lambda * n() - a0_)), 0, m + 1);
        last_ = std::max(first_, top(lambda, m));
        v_.assign(static_cast<std::size_t>(last_ + 2), 0);
        d_.assign(static_cast<std::size_t>(last_ + 2), 0);
        for (std::int64_t i = first_; i <= last_; ++i) pull_for_ever(lambda, i);
    }

    // From the diagonal m + 1 to m. An arm that is retired here is retired after a failure, one that is pulled here is
    // pulled after a success: so the first arm that is pulled has as many successes on both diagonals, or one less
    // here.
    void step_back(double lambda) {
        --m_;
        if (first_ > m_ + 1)
            first_ = m_ + 1;  // none is pulled
        else if (first_ > 0 && excess(first_ - 1, lambda) > 0)
            --first_;
        last_ = std::max(first_, std::min(last_, top(lambda, m_)));
        const double per_pull = 1 / n();
        double *v = &v_[1], *d = &d_[1];
        for (std::int64_t i = first_; i < last_; ++i) {
            const double p = (a0_ + static_cast<double>(i)) * per_pull, q = 1 - p;
            v[i] = std::max(0.0, p - lambda + gamma_ * (p * v[i + 1] + q * v[i]));
            d[i] = 1 + gamma_ * (p * d[i + 1] + q * d[i]);
        }
        pull_for_ever(lambda, last_);
    }

    // f of state i on this diagonal, from the values of the next one, which are still in v_.
    double excess(std::int64_t i, double lambda) const {
        const double p = probability(i, m_);
        return p - lambda + gamma_ * (p * v_[at(i + 1)] + (1 - p) * v_[at(i)]);
    }

    void record(Cell& cell, double lambda) const {
        const double p = probability(cell.i, cell.m);
        const Point yes = after(cell.i + 1, lambda), no = after(cell.i, lambda);
        const Point here{lambda, p - lambda + gamma_ * (p * yes.f + (1 - p) * no.f),
                         1 + gamma_ * (p * yes.d + (1 - p) * no.d)};
        (here.f > 0 ? cell.left : cell.right) = here;
    }

    // v and d on the diagonal that was worked out last.
    Point after(std::int64_t i, double lambda) const {
        if (i < first_) return {lambda, 0, 0};
        if (i > last_) return {lambda, (probability(i, m_) - lambda) * for_ever_, for_ever_};
        return {lambda, v_[at(i)], d_[at(i)]};
    }

    void pull_for_ever(double lambda, std::int64_t i) {
        v_[at(i)] = std::max(0.0, probability(i, m_) - lambda) * for_ever_;
        d_[at(i)] = for_ever_;
    }

    // From this number of successes on, the arm is as good as known to be better than lambda; see the proof.
    std::int64_t top(double lambda, std::int64_t m) const {
        const double n = n0_ + static_cast<double>(m);
        return std::min(m + 1,
                        static_cast<std::int64_t>(std::ceil(n * (lambda + band_ / std::sqrt(2 * (n + 1))) - a0_)));
    }

    double n() const { return n0_ + static_cast<double>(m_); }
    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i + 1); }

    double a0_, n0_, gamma_, tolerance_, for_ever_;
    Pause pause_;
    double band_ = 1;
    std::int64_t horizon_ = 1;
    std::vector<Cell> cells_;

    std::int64_t m_ = 0, first_ = 0,
                 last_ = 0;  // the diagonal in v_; states below `first_` retire, from `last_` on never
    std::vector<double> v_, d_;  // [1 + i]
};

// The Gittins index of a Bernoulli arm that can be pulled at most h more times: the largest lambda with f(lambda) >= 0,
//
//   f = max over stopping times 1 <= tau <= h of E[Σ_{t < tau} gamma^t (r_t − lambda)]
//
// v_j(i), after j pulls with i successes, is what the option to go on is worth; d_j(i) the discounted number of pulls
// that follow.
//   v_j = max(0, p − lambda + gamma (p v_{j+1}(i + 1) + (1 − p) v_{j+1}(i))),   v_h = 0
// f is convex with slope −d, d >= 1: the root of its tangent, lambda + f/d, is a lower bound and lambda + f an upper
// one (Newton's method, here Dinkelbach's for the ratio of rewards to pulls). From below, it rises to the index and
// reaches it in a few rounds.
class FiniteGittins {
 public:
    FiniteGittins(double discount, double tolerance) : gamma_(discount), tolerance_(tolerance) {}

    // The index of Beta(a, b) with h pulls left, to the tolerance; `below` is a lower bound, the mean is one.
    double index(double a, double b, std::int64_t h, double below) {
        double lambda = below;
        for (int round = 0; round < ROUNDS; ++round) {
            const auto [f, d] = evaluate(a, a + b, static_cast<std::size_t>(h), lambda);
            if (f <= tolerance_) return lambda + std::max(0.0, f) / d;
            lambda += f / d;
        }
        return lambda;
    }

 private:
    static constexpr int ROUNDS = 100;  // far more than are needed: each at least squares the error, once it is small

    // f and d at the root. States below `first` stop: with more successes the arm is better, and where it is stopped
    // after a success, it is stopped here.
    std::pair<double, double> evaluate(double a, double n, std::size_t h, double lambda) {
        v_.assign(h + 1, 0.0);
        d_.assign(h + 1, 0.0);
        std::size_t first = 0;
        for (std::size_t j = h; j-- > 1;) {
            const double per_pull = 1 / (n + static_cast<double>(j));
            std::size_t i = first == 0 ? 0 : first - 1;
            for (; i <= j && excess(a, per_pull, i, lambda) <= 0; ++i) v_[i] = d_[i] = 0;
            first = i;
            for (; i <= j; ++i) {
                const double p = (a + static_cast<double>(i)) * per_pull, q = 1 - p;
                v_[i] = p - lambda + gamma_ * (p * v_[i + 1] + q * v_[i]);
                d_[i] = 1 + gamma_ * (p * d_[i + 1] + q * d_[i]);
            }
        }
        const double p = a / n;
        return {p - lambda + gamma_ * (p * v_[1] + (1 - p) * v_[0]), 1 + gamma_ * (p * d_[1] + (1 - p) * d_[0])};
    }

    double excess(double a, double per_pull, std::size_t i, double lambda) const {
        const double p = (a + static_cast<double>(i)) * per_pull;
        return p - lambda + gamma_ * (p * v_[i + 1] + (1 - p) * v_[i]);
    }

    double gamma_, tolerance_;
    std::vector<double> v_, d_;  // [i]
};

}  // namespace bamdp

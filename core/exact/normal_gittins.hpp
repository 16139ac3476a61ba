// Gittins indices of normal arms with known variance 1: mean + nu(n), if the mean has the posterior N(mean, 1/n).
//
// x is the posterior mean less the pension lambda. Pulling is worth f above retiring, v = max(0, f):
//   f_n(x) = x + gamma E v_{n+1}(x + sigma Z),   sigma = 1 / sqrt(n (n + 1)),   Z ~ N(0, 1)
//   nu(n) = −(the root of f_n)
// The error bound is proved in src/bamdp/exact/normal_gittins.py.
//
// f_n is analytic, so the integral over the pulling region is a sum over Gauss–Legendre nodes on panels of a few sigma,
// where f_{n+1} is known; nothing is interpolated. From `top` on the arm is pulled for ever, and the integral has a
// closed form.
#pragma once

#include <numbers>

#include "support/parallel.hpp"

namespace bamdp {

class NormalGittins {
 public:
    // Solver for nu(n0), nu(n0 + 1), …, `count` of them. Nodes are `fine` times as dense. `pause`, called now and then,
    // may throw.
    NormalGittins(double n0, std::int64_t count, double discount, double tolerance, double fine, Pause pause)
        : n0_(n0), count_(count), gamma_(discount), tolerance_(tolerance), panel_(PANEL / fine),
          for_ever_(1 / (1 - discount)), pause_(std::move(pause)) {
        find_rule();
        last_ = count;
        while (std::pow(gamma_, static_cast<double>(last_ - count + 1)) * for_ever_ * PHI0 / std::sqrt(n(last_)) >
               tolerance)
            ++last_;
    }

    std::vector<double> indices() {
        std::vector<double> result(static_cast<std::size_t>(count_));
        bottom_ = top_ = 0;  // of the last stage: retire for ever or never
        for (std::int64_t j = last_ - 1; j >= 0; --j) {
            step_ = 1 / std::sqrt(n(j) * (n(j) + 1));
            const double root = find_root();
            if (j < count_) result[static_cast<std::size_t>(j)] = -root;
            if (j > 0) place_nodes(root, j);
            if (j % 64 == 0) pause_();
        }
        return result;
    }

 private:
    static constexpr std::size_t POINTS = 20;  // of a panel
    static constexpr double PANEL = 6;  // its width in steps; with half of that, results change by less than 1e-11
    static constexpr double REACH = 8.5;  // steps beyond which the normal density is nothing
    static constexpr double PHI0 = 0.3989422804014327;

    struct Value {
        double f, slope;
    };
    struct Node {
        double x, weight_f;  // weight of the rule times f
    };

    double n(std::int64_t j) const { return n0_ + static_cast<double>(j); }

    // f and df/dx of this stage, from the nodes of the next one.
    Value value(double x) const {
        const auto from = std::partition_point(nodes_.begin(), nodes_.end(),
                                               [&](const Node& node) { return node.x < x - REACH * step_; });
        double sum = 0, slope = 0;
        for (auto node = from; node != nodes_.end() && node->x < x + REACH * step_; ++node) {
            const double z = (node->x - x) / step_, density = node->weight_f * std::exp(-z * z / 2);
            sum += density;
            slope += density * z;
        }
        const double scale = PHI0 / step_, z = (top_ - x) / step_, phi = PHI0 * std::exp(-z * z / 2),
                     beyond = std::erfc(z / std::numbers::sqrt2) / 2;
        return {x + gamma_ * (sum * scale + (x * beyond + step_ * phi) * for_ever_),
                1 + gamma_ * (slope * scale / step_ + (beyond + phi * top_ / step_) * for_ever_)};
    }

    // f is convex and increasing, and the root is left of the next stage's: Newton's method comes down to it from the
    // right.
    double find_root() const {
        double x = bottom_;
        for (int i = 0; i < 100; ++i) {
            const Value here = value(x);
            const double move = here.f / here.slope;
            x -= move;
            if (std::abs(move) <= 1e-15 * (std::abs(x) + step_)) break;
        }
        return x;
    }

    // The nodes of this stage, from its root to where pulling for ever costs less than the tolerance.
    void place_nodes(double root, std::int64_t j) {
        const double spread = std::sqrt(1 / n(j) - 1 / n(last_));
        const double units = std::sqrt(2 * std::max(0.5, std::log(spread * PHI0 * for_ever_ / tolerance_)));
        const double top = units * spread;
        const auto panels = static_cast<std::size_t>(std::ceil((top - root) / (panel_ * step_)));
        const double half = (top - root) / (2 * static_cast<double>(panels));
        std::vector<Node> nodes;
        nodes.reserve(panels * POINTS);
        for (std::size_t p = 0; p < panels; ++p)
            for (std::size_t i = 0; i < POINTS; ++i) {
                const double x = root + half * (2 * static_cast<double>(p) + 1 + abscissas_[i]);
                nodes.push_back({x, half * weights_[i] * value(x).f});
            }
        nodes_ = std::move(nodes);
        bottom_ = root;
        top_ = top;
    }

    // The Gauss–Legendre rule on [−1, 1]: roots of the Legendre polynomial, by Newton's method.
    void find_rule() {
        for (std::size_t i = 0; i < POINTS; ++i) {
            double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (POINTS + 0.5)), slope = 1;
            for (int round = 0; round < 20; ++round) {
                double before = 1, p = x;
                for (std::size_t k = 2; k <= POINTS; ++k) {
                    const auto d = static_cast<double>(k);
                    before = std::exchange(p, ((2 * d - 1) * x * p - (d - 1) * before) / d);
                }
                slope = static_cast<double>(POINTS) * (x * p - before) / (x * x - 1);
                x -= p / slope;
            }
            abscissas_[i] = x;
            weights_[i] = 2 / ((1 - x * x) * slope * slope);
        }
    }

    double n0_;
    std::int64_t count_, last_ = 0;  // stages: last_ is the one at which all is decided
    double gamma_, tolerance_, panel_, for_ever_;
    Pause pause_;
    std::array<double, POINTS> abscissas_{}, weights_{};

    std::vector<Node> nodes_;  // of the next stage, from left to right; none at the last
    double bottom_ = 0, top_ = 0, step_ = 0;
};

}  // namespace bamdp

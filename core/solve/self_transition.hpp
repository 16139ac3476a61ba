// Self-transition correction: the posterior-mean model retries a row that failed without updating.
//
//   c(s,a) = gamma p(s | s,a) (W(s; a) − W(s))
//
//   W(s)     value of s for an agent that learns about the rows of s for as long as it stays there; values elsewhere as
//            they are
//   W(s; a)  the same after one more stay with a
//
// In V(s) = max_a r(s,a) + c(s,a) + gamma Σ p V(s') it makes V(s) the value W(s). After k stays a row with n0
// pseudo-counts and observations stays with probability (n0 p + k) / (n0 + k), exact for Dirichlet rows. The agent is
// greedy: it takes the row that is best if taken until the state is left, and after REMEMBERED stays it does just that.
#pragma once

#include "support/common.hpp"

namespace bamdp {

class SelfTransition {
 public:
    struct Row {
        double n0;  // pseudo-counts and observations
        double stay;  // probability to stay
        double paid;  // reward of staying
        double left;  // reward and discounted value of leaving, times its probability
    };

    explicit SelfTransition(double discount) : discount_(discount) {}

    // c(s,a) of all rows of a state; the rows are those of its actions.
    const std::vector<double>& corrections(const std::vector<Row>& rows) {
        result_.assign(rows.size(), 0.0);
        const auto uncertain = [](const Row& row) { return row.stay > 0 && row.stay < 1; };
        if (std::none_of(rows.begin(), rows.end(), uncertain)) return result_;
        fresh_.clear();
        for (const Row& row : rows) fresh_.push_back(until_left(row, 0));
        const double now = stay_value(rows, rows.size()), lowest = lowest_;
        taken_now_ = taken_;
        for (std::size_t a = 0; a < rows.size(); ++a) {
            if (!uncertain(rows[a])) continue;
            if (!taken_now_[a] && until_left(rows[a], 1) < lowest) continue;  // not taken after a stay either: c = 0
            result_[a] = discount_ * rows[a].stay * (stay_value(rows, a) - now);
        }
        return result_;
    }

 private:
    static constexpr int REMEMBERED = 4;  // 8 change nothing: BBRL's Grid and GC, 1000 worlds

    static double stays(const Row& row, double k) { return (row.n0 * row.stay + k) / (row.n0 + k); }
    double once(const Row& row, double k) const { return row.left * row.n0 / (row.n0 + k) + stays(row, k) * row.paid; }
    double until_left(const Row& row, double k) const { return once(row, k) / (1 - discount_ * stays(row, k)); }

    // W(s; `tried`), or W(s) if there is no such row; which rows it takes, and the lowest value of one when it is
    // taken.
    double stay_value(const std::vector<Row>& rows, std::size_t tried) {
        k_.assign(rows.size(), 0.0);
        taken_.assign(rows.size(), 0);
        lowest_ = std::numeric_limits<double>::infinity();
        until_left_ = fresh_;
        if (tried < rows.size()) learn(rows, tried);
        double value = 0, weight = 1;
        for (int stay = 0;; ++stay) {
            const auto a = static_cast<std::size_t>(std::max_element(until_left_.begin(), until_left_.end()) -
                                                    until_left_.begin());
            taken_[a] = 1;
            lowest_ = std::min(lowest_, until_left_[a]);
            if (stay == REMEMBERED) return value + weight * until_left_[a];
            value += weight * once(rows[a], k_[a]);
            weight *= discount_ * stays(rows[a], k_[a]);
            if (weight == 0) return value;
            learn(rows, a);
        }
    }

    void learn(const std::vector<Row>& rows, std::size_t a) {
        k_[a] += 1;
        until_left_[a] = until_left(rows[a], k_[a]);
    }

    double discount_;
    double lowest_ = 0;
    std::vector<double> fresh_, until_left_, k_, result_;  // [A]
    std::vector<char> taken_, taken_now_;  // [A]
};

}  // namespace bamdp

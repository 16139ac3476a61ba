// The learned roll-out policy: epsilon-greedy on Q-values learned by Q-learning from the real steps (the paper's
// section 3.4). Ties are broken at random at every step. epsilon = 1 is the uniform policy.
#pragma once

#include "search/settings.hpp"
#include "support/alias.hpp"

namespace bamdp {

class EpsilonGreedy {
 public:
    EpsilonGreedy(std::int32_t num_actions, const Settings& settings)
        : A_(static_cast<std::size_t>(num_actions)), discount_(settings.discount), epsilon_(settings.epsilon),
          learning_rate_(settings.learning_rate) {
        know(-1);
    }

    std::int32_t action(Index h, Random& rng) const {
        const auto line = static_cast<std::size_t>(h < known_ ? h + 1 : 0);
        return draw(&columns_[line * A_], static_cast<std::uint32_t>(A_), rng.bits());
    }

    void observe(Index h, std::int32_t a, double reward, Index next) {
        know(std::max(h, next));
        const std::span<const double> next_q(&q_[static_cast<std::size_t>(next) * A_], A_);
        double& q = q_[static_cast<std::size_t>(h) * A_ + static_cast<std::size_t>(a)];
        q += learning_rate_ * (reward + discount_ * *std::max_element(next_q.begin(), next_q.end()) - q);
        refresh(h);
    }

    // Values from elsewhere of the actions in a state; those within `slack` of the best are equally good.
    void set_values(Index h, std::span<const double> values, double slack) {
        know(h);
        std::copy(values.begin(), values.end(),
                  q_.begin() + static_cast<std::ptrdiff_t>(h) * static_cast<std::ptrdiff_t>(A_));
        refresh(h, slack);
    }

    std::span<const double> values(Index h) const { return {&q_[static_cast<std::size_t>(h) * A_], A_}; }

    template <class Archive>
    void archive(Archive& a) {
        std::vector<std::uint32_t> keep;
        std::vector<std::int32_t> other;
        for (const AliasColumn& column : columns_) {
            keep.push_back(column.keep);
            other.push_back(column.other);
        }
        a(known_, q_, keep, other);
        if constexpr (Archive::reading) {
            a.check(known_ >= 0 && q_.size() == static_cast<std::size_t>(known_) * A_,
                    "roll-out values are for other states or actions");
            a.check(keep.size() == q_.size() + A_ && other.size() == keep.size(),
                    "the roll-out policy is for other states or actions");
            columns_.resize(keep.size());
            for (std::size_t i = 0; i < keep.size(); ++i) {
                a.check(0 <= other[i] && static_cast<std::size_t>(other[i]) < A_,
                        "action out of range in the roll-out policy");
                columns_[i] = {keep[i], other[i]};
            }
        }
    }

 private:
    void know(Index h) {
        if (h < known_ && !columns_.empty()) return;
        const std::size_t lines = static_cast<std::size_t>(h) + 2, before = columns_.size() / A_;
        q_.resize((lines - 1) * A_);
        columns_.resize(lines * A_);
        const std::vector<double> uniform(A_, 1.0);
        for (std::size_t line = before; line < lines; ++line) fill_alias(uniform, {&columns_[line * A_], A_});
        known_ = h + 1;
    }

    void refresh(Index h, double slack = 0) {
        const std::span<const double> q = values(h);
        const double enough = *std::max_element(q.begin(), q.end()) - slack;
        const auto greedy =
            static_cast<double>(std::count_if(q.begin(), q.end(), [&](double x) { return x >= enough; }));
        std::vector<double> weights(A_);
        for (std::size_t a = 0; a < A_; ++a)
            weights[a] = epsilon_ / static_cast<double>(A_) + (q[a] >= enough ? (1 - epsilon_) / greedy : 0);
        fill_alias(weights, {&columns_[(static_cast<std::size_t>(h) + 1) * A_], A_});
    }

    std::size_t A_;
    double discount_, epsilon_, learning_rate_;
    Index known_ = 0;
    std::vector<double> q_;             // [known, A]
    std::vector<AliasColumn> columns_;  // [1 + known, A]; the first line is for states never visited
};

}  // namespace bamdp

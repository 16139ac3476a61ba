// What a solver asks of a belief over rewards, and what all of them store: some numbers for each visited state and
// action.
#pragma once

#include "support/in_use.hpp"
#include "support/index.hpp"
#include "support/random.hpp"

namespace bamdp {

// A reward that may be paid next, or an interval of them by its mean.
struct RewardOutcome {
    double reward, probability;
};

class RewardBelief : public InUse {
 public:
    virtual ~RewardBelief() = default;

    // E r(s, a), and the same where nothing was seen.
    virtual double mean(std::int64_t state, std::int32_t a) const = 0;
    virtual double prior_mean(std::int64_t state, std::int32_t a) const = 0;

    // E r(s, a) under parameters drawn from the posterior.
    virtual double draw_mean(std::int64_t state, std::int32_t a, Random& rng) const = 0;

    // The sum of pseudo-counts and observations of r(s, a), and the variance of E r(s, a) under the posterior.
    virtual std::pair<double, double> uncertainty(std::int64_t state, std::int32_t a) const = 0;

    // After `more` rewards of the same pair: E r(s, a), and what may be paid next.
    virtual double mean_after(std::int64_t state, std::int32_t a, std::span<const double> more) const = 0;
    virtual void predictive(std::int64_t state, std::int32_t a, std::span<const double> more,
                            std::vector<RewardOutcome>& out) const = 0;

    std::int64_t observations = 0;

 protected:
    RewardBelief() = default;
    RewardBelief(const RewardBelief&) = default;
    RewardBelief& operator=(const RewardBelief&) = default;
};

// `width` numbers for each action of each visited state, zero at first.
class PairTable {
 public:
    PairTable(std::int32_t num_actions, std::size_t width)
        : num_actions_(static_cast<std::size_t>(num_actions)), width_(width) {}

    // Empty where nothing was stored.
    std::span<const double> find(std::int64_t state, std::int32_t a) const {
        const Index h = visited_.find(state);
        return h == NONE ? std::span<const double>{} : std::span(&cells_[first(h, a)], width_);
    }

    std::span<double> find_or_add(std::int64_t state, std::int32_t a) {
        const Index h = visited_.find_or_add(state);
        cells_.resize(static_cast<std::size_t>(visited_.size()) * line());
        return {&cells_[first(h, a)], width_};
    }

    // All numbers, lines in the order of another index; of states that it doesn't have there is no line. [index, A,
    // width]
    std::vector<double> in_order_of(const StateIndex& index) const {
        std::vector<double> ordered(static_cast<std::size_t>(index.size()) * line(), 0.0);
        for (Index h = 0; h < visited_.size(); ++h) {
            const Index at = index.find(visited_.state(h));
            if (at == NONE) continue;
            const auto from = cells_.begin() + static_cast<std::ptrdiff_t>(first(h, 0));
            std::copy_n(from, line(),
                        ordered.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(at) * line()));
        }
        return ordered;
    }

    template <class Archive>
    void archive(Archive& a, std::int64_t& observations) {
        visited_.archive(a, std::numeric_limits<std::int64_t>::max());
        a(observations, cells_);
        a.check(observations >= 0 && cells_.size() == static_cast<std::size_t>(visited_.size()) * line(),
                "rewards are of other states or actions");
    }

    const std::vector<double>& cells() const { return cells_; }

 private:
    std::size_t line() const { return num_actions_ * width_; }
    std::size_t first(Index h, std::int32_t a) const {
        return static_cast<std::size_t>(h) * line() + static_cast<std::size_t>(a) * width_;
    }

    std::size_t num_actions_, width_;
    StateIndex visited_;
    std::vector<double> cells_;  // [visited, A, width]
};

}  // namespace bamdp

// Sparse Dirichlet rows (Friedman, Singer 1999): most successors are impossible, but which ones is unknown.
//
//   k ~ P(k) ∝ k^-exponent on 1 … S;  V uniform among the sets of k states;  theta ~ Dirichlet(alpha on V)
//
// With N observations of K0 distinct successors:
//   P(k | n) ∝ P(k) k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N),            k = max(1, K0) … S
//   C        = Σ_k P(k | n) (K0 alpha + N)/(k alpha + N)               the next successor is a seen one
//   P(s' | n) = C (alpha + n_s')/(K0 alpha + N) if seen, else (1 − C)/(S − K0)
//
// As an urn: past draws weigh one each, each distinct one alpha more, and "something new" the rest of (N + K0 alpha) /
// C.
#pragma once

#include <unordered_map>

#include "priors/dirichlet.hpp"
#include "priors/support_sizes.hpp"

namespace bamdp {

class SparseDirichlet {
 public:
    SparseDirichlet(std::int64_t num_states, double alpha, double exponent)
        : S_(num_states), alpha_(alpha), exponent_(exponent) {}

    // C(K0, N): the probability that the next successor is one of the K0 seen in N observations.
    double repeat_probability(std::int64_t K0, std::int64_t N) const {
        if (N == 0) return 0;
        double sum = 0, fresh = 0;
        sizes(K0, N).for_each([&](std::int64_t, std::int64_t, double k, double w) {
            const double extra = (k - static_cast<double>(K0)) * alpha_;
            sum += w;
            fresh += w * extra / (static_cast<double>(K0) * alpha_ + extra + static_cast<double>(N));
        });
        return 1 - fresh / sum;
    }

    // P(k | n) for k = max(1, K0) … S; sums to one.
    std::vector<double> support_posterior(std::int64_t K0, std::int64_t N) const {
        const SupportSizes of = sizes(K0, N);
        std::vector<double> weights;
        for (std::int64_t k = std::max<std::int64_t>(1, K0); k <= S_; ++k)
            weights.push_back(of.weight(static_cast<double>(k)));
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (double& w : weights) w /= sum;
        return weights;
    }

    // --- the urn: see models/collapsed.hpp
    static double urn_empty(std::int64_t) { return 1; }
    BAMDP_INLINE double urn_total(std::int64_t, std::int64_t K0, std::int64_t N) {
        const auto row = static_cast<std::size_t>(K0), column = static_cast<std::size_t>(N - K0);
        if (row < totals_.size() && column < totals_[row].size() && totals_[row][column] != UNKNOWN)
            return totals_[row][column];
        return compute_total(K0, N);
    }

    // The total after a draw was appended.
    BAMDP_INLINE double urn_grown(const Urn& urn) { return urn_total(0, urn.distinct, urn.draws()); }

    // A seen successor by the weight of its alpha, or a new one; `v` is the urn's number, N … urn_total.
    template <class Model>
    std::pair<Index, bool> urn_fresh(std::int64_t, std::size_t row, const Urn& urn, double v, Random& rng,
                                     Model& model) const {
        const double above = v - static_cast<double>(urn.draws()), K0 = static_cast<double>(urn.distinct);
        if (above < K0 * alpha_ || urn.distinct == S_) {
            const auto i = std::min<std::int64_t>(static_cast<std::int64_t>(above / alpha_), urn.distinct - 1);
            return {model.distinct(row, static_cast<std::size_t>(i)), false};
        }
        for (;;) {  // at most two tries on average as long as half the states are unseen
            const std::int64_t state = rng.below(S_);
            const Index h = urn.distinct == 0 ? NONE : model.find(state);
            if (h == NONE) return {model.find_or_add(state), true};
            if (!model.drawn(row, h)) return {h, true};
        }
    }

    // --- rows, as far as they are needed; see Dirichlet
    void open_row(std::int64_t pair, const Observed& seen, Random& rng, OpenRow& row) {
        if (S_ <= SMALL_WORLD)
            draw_row(pair, seen, rng, row);
        else
            row.open(seen, draw_support_size(seen.distinct(), seen.total, rng) - seen.distinct(), alpha_, rng);
    }
    void reveal(OpenRow& row, Random& rng) const { row.reveal(S_, alpha_, rng); }

    // --- whole rows
    void draw_row(std::int64_t, const Observed& seen, Random& rng, Row& row) {
        const std::int64_t K0 = seen.distinct();
        std::int64_t fresh = draw_support_size(K0, seen.total, rng) - K0;
        RowDraw draw(row, rng);
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            draw.add(seen.states[i], alpha_ + static_cast<double>(seen.n[i]));

        // A uniform subset of the unseen: rejection while most states are free, else a sweep over all of them.
        mark_.resize(static_cast<std::size_t>(S_), 0);
        if (++stamp_ == 0) {  // after 2^32 rows old marks would look new
            std::fill(mark_.begin(), mark_.end(), 0);
            stamp_ = 1;
        }
        for (const std::int64_t s : seen.states) mark_[static_cast<std::size_t>(s)] = stamp_;
        if (K0 + 2 * fresh < S_) {
            while (fresh > 0) {
                const std::int64_t s = rng.below(S_);
                if (std::exchange(mark_[static_cast<std::size_t>(s)], stamp_) == stamp_) continue;
                draw.add(s, alpha_);
                --fresh;
            }
        } else {
            std::int64_t free = S_ - K0;
            for (std::int64_t s = 0; fresh > 0; ++s) {
                if (mark_[static_cast<std::size_t>(s)] == stamp_) continue;
                if (rng.below(free--) < fresh) {
                    draw.add(s, alpha_);
                    --fresh;
                }
            }
        }
        draw.finish([&](std::int64_t) { return alpha_; });  // a seen state has a shape above one: no underflow
    }

    void predictive(std::int64_t, const Observed& seen, std::span<double> out) {
        const auto K0 = static_cast<double>(seen.distinct());
        const double repeat = repeat_probability(seen.distinct(), seen.total);
        std::fill(out.begin(), out.end(), seen.distinct() == S_ ? 0 : (1 - repeat) / (static_cast<double>(S_) - K0));
        const double scale = repeat / (K0 * alpha_ + static_cast<double>(seen.total));
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            out[static_cast<std::size_t>(seen.states[i])] = scale * (alpha_ + static_cast<double>(seen.n[i]));
    }

    // --- the posterior mean, sparsely; see Dirichlet. A seen successor is never less probable than an unseen one.
    bool one_base() const { return true; }
    std::vector<double> base() const { return {}; }
    double mean_row(std::int64_t, const Observed& seen, SparseRow& out) {
        if (seen.total == 0) return 1;
        const std::int64_t K0 = seen.distinct();
        const double weight = urn_total(0, K0, seen.total);
        const double unseen =
            K0 == S_ ? 0
                     : (1 - (static_cast<double>(K0) * alpha_ + static_cast<double>(seen.total)) / weight) /
                           static_cast<double>(S_ - K0);
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            out.push_back({seen.states[i], (alpha_ + static_cast<double>(seen.n[i])) / weight - unseen});
        return unseen * static_cast<double>(S_);
    }

    // The pseudo-counts that a row is expected to have: alpha for each of k successors.
    double mass(std::int64_t) {
        if (mass_ < 0) {
            double sum = 0, mean = 0;
            sizes(0, 0).for_each([&](std::int64_t, std::int64_t, double k, double w) {
                sum += w;
                mean += w * k;
            });
            mass_ = alpha_ * mean / sum;
        }
        return mass_;
    }

    bool possible(std::int64_t, std::int64_t) const { return true; }

 private:
    static constexpr double UNKNOWN = -1;
    static constexpr std::size_t TABLE_ROWS = 64, TABLE = 1 << 14, RECENT = 1 << 14, MOST_PIECES = 1 << 18;

    struct Recent {
        std::int64_t K0 = -1, N = -1;
        double total = 0;
    };

    BAMDP_NOINLINE double compute_total(std::int64_t K0, std::int64_t N) {
        if (N == 0) return urn_empty(0);
        const auto row = static_cast<std::size_t>(K0), column = static_cast<std::size_t>(N - K0);
        if (row >= TABLE_ROWS || column >= TABLE) return recent_total(K0, N);
        if (row >= totals_.size()) totals_.resize(row + 1);
        std::vector<double>& totals = totals_[row];
        if (column >= totals.size()) totals.resize(2 * column + 16, UNKNOWN);
        return totals[column] = (static_cast<double>(N) + static_cast<double>(K0) * alpha_) / repeat_probability(K0, N);
    }

    // The total of a row observed very often, or with many successors. A table would grow with the length of a run, and
    // only a few totals are in use at a time.
    double recent_total(std::int64_t K0, std::int64_t N) {
        recent_.resize(RECENT);
        Recent& recent = recent_[static_cast<std::size_t>(N + 61 * K0) % RECENT];
        if (recent.K0 != K0 || recent.N != N)
            recent = {K0, N, (static_cast<double>(N) + static_cast<double>(K0) * alpha_) / repeat_probability(K0, N)};
        return recent.total;
    }

    SupportSizes sizes(std::int64_t K0, std::int64_t N) const { return {S_, alpha_, exponent_, K0, N}; }

    // The support sizes from `first` to `last`, with probability `mass` in all; none of them weighs more than `top`.
    struct Piece {
        std::int64_t first, last;
        double mass, top;
    };

    const std::vector<Piece>& pieces(std::int64_t K0, std::int64_t N) {
        const std::uint64_t key = (static_cast<std::uint64_t>(K0) << 40) ^ static_cast<std::uint64_t>(N);
        const auto known = pieces_.find(key);
        if (known != pieces_.end()) return known->second;
        std::vector<Piece> made;
        double sum = 0;
        const SupportSizes of = sizes(K0, N);
        of.for_each([&](std::int64_t first, std::int64_t last, double, double w) {
            if (made.empty() || made.back().first != first)
                made.push_back({first, last, 0,
                                std::max(of.weight(static_cast<double>(first)), of.weight(static_cast<double>(last)))});
            made.back().mass += w;
            sum += w;
        });
        for (Piece& piece : made) piece.mass /= sum;
        num_pieces_ += made.size();
        if (num_pieces_ > MOST_PIECES) {
            pieces_.clear();
            num_pieces_ = made.size();
        }
        return pieces_[key] = std::move(made);
    }

    std::int64_t draw_support_size(std::int64_t K0, std::int64_t N, Random& rng) {
        const std::vector<Piece>& all = pieces(K0, N);
        double u = rng.uniform();
        std::size_t i = 0;
        while (i + 1 < all.size() && u >= all[i].mass) u -= all[i++].mass;
        const Piece& piece = all[i];
        if (piece.first == piece.last) return piece.first;
        const SupportSizes of = sizes(K0, N);
        for (;;) {  // a few tries: weights of a piece are alike
            const std::int64_t k = piece.first + rng.below(piece.last - piece.first + 1);
            if (rng.uniform() * piece.top < of.weight(static_cast<double>(k))) return k;
        }
    }

    std::int64_t S_;
    double alpha_, exponent_;
    double mass_ = -1;                                                 // computed when first needed
    std::vector<std::vector<double>> totals_;  // [K0, N − K0] urn totals, filled when first needed
    std::vector<Recent> recent_;  // totals beyond the table, by (K0, N)
    std::unordered_map<std::uint64_t, std::vector<Piece>> pieces_;  // of the support size, by (K0, N)
    std::size_t num_pieces_ = 0;  // in all of them
    std::vector<std::uint32_t> mark_;  // [S] == stamp_: already in the row
    std::uint32_t stamp_ = 0;
};

static_assert(RowPrior<SparseDirichlet>);

}  // namespace bamdp

// Independent Dirichlet rows: theta ~ Dirichlet(alpha), symmetric or with any pseudo-counts; zero means impossible.
//
//   posterior   theta | n ~ Dirichlet(alpha + n)
//   predictive  P(s' | n) = (alpha_s' + n_s') / (sum alpha + N)
//
// As an urn (Blackwell, MacQueen 1973): the N past draws weigh one each and the base measure sum alpha together.
#pragma once

#include "priors/row_prior.hpp"
#include "support/alias.hpp"

namespace bamdp {

// Adds gamma variates to `row`. If all underflow (tiny alpha, nothing observed) one state has all the mass, chosen by
// the weight of its shape: log X of a tiny shape is minus an exponential of that rate, and exponentials have no memory
// of the underflow.
class RowDraw {
 public:
    RowDraw(Row& row, Random& rng) : row_(row), rng_(rng) { row.clear(); }
    void add(std::int64_t state, double shape) { row_.add(state, rng_.gamma(shape)); }
    template <class Shape>
    void finish(Shape shape_of_state) {
        if (row_.cumulative.back() > 0) return;
        double sum = 0;
        for (const std::int64_t s : row_.states) sum += shape_of_state(s);
        double u = rng_.uniform() * sum;
        std::size_t lucky = 0;
        while (lucky + 1 < row_.states.size() && u >= shape_of_state(row_.states[lucky]))
            u -= shape_of_state(row_.states[lucky++]);
        for (std::size_t i = lucky; i < row_.cumulative.size(); ++i) row_.cumulative[i] = 1;
    }

 private:
    Row& row_;
    Random& rng_;
};

class Dirichlet {
 public:
    Dirichlet(std::int64_t num_states, double alpha)
        : S_(num_states), alpha_(alpha), masses_{alpha * static_cast<double>(num_states)} {}

    // `pseudo_counts` [R, S]: R = 1 (all rows alike), A (tied rows) or S·A.
    Dirichlet(std::int64_t num_states, std::vector<double> pseudo_counts)
        : S_(num_states), alpha_(0), alphas_(std::move(pseudo_counts)), columns_(alphas_.size()) {
        const auto S = static_cast<std::size_t>(S_);
        for (std::size_t start = 0; start < alphas_.size(); start += S) {
            const std::span weights(&alphas_[start], S);
            fill_alias(weights, {&columns_[start], S});
            double mass = 0;
            for (const double w : weights) mass += w;
            masses_.push_back(mass);
        }
    }

    double alpha(std::int64_t pair, std::int64_t state) const {
        return alphas_.empty() ? alpha_
                               : alphas_[line(pair) * static_cast<std::size_t>(S_) + static_cast<std::size_t>(state)];
    }
    double mass(std::int64_t pair) const { return masses_[line(pair)]; }

    // --- the urn: see models/collapsed.hpp
    double urn_empty(std::int64_t pair) const { return mass(pair); }
    double urn_total(std::int64_t pair, std::int64_t, std::int64_t n) const {
        return static_cast<double>(n) + mass(pair);
    }

    // The total after a draw was appended.
    static double urn_grown(const Urn& urn) { return urn.total + 1; }

    // A draw from the base measure; it may repeat a seen successor. `v` is the urn's number, n … n + mass.
    template <class Model>
    std::pair<Index, bool> urn_fresh(std::int64_t pair, std::size_t, const Urn& urn, double v, Random& rng,
                                     Model& model) const {
        if (alphas_.empty()) {
            const auto state = static_cast<std::int64_t>((v - static_cast<double>(urn.draws())) / alpha_);
            return {model.find_or_add(std::min(state, S_ - 1)), false};
        }
        return {model.find_or_add(bamdp::draw(&columns_[line(pair) * static_cast<std::size_t>(S_)],
                                              static_cast<std::uint32_t>(S_), rng.bits())),
                false};
    }

    // --- rows, as far as they are needed: see models/rows.hpp
    void open_row(std::int64_t pair, const Observed& seen, Random& rng, OpenRow& row) {
        if (alphas_.empty() && S_ > SMALL_WORLD)
            row.open(seen, S_ - seen.distinct(), alpha_, rng);
        else
            draw_row(pair, seen, rng, row);
    }
    void reveal(OpenRow& row, Random& rng) const { row.reveal(S_, alpha_, rng); }

    // --- whole rows; where few successors have all the mass but for a rounding error, only these.
    void draw_row(std::int64_t pair, const Observed& seen, Random& rng, Row& row) {
        if (alphas_.empty() && S_ > SMALL_WORLD &&
            MOST_OF_MASS * mass(pair) + static_cast<double>(seen.distinct()) < static_cast<double>(S_))
            return draw_heavy(seen, rng, row);
        shape_.resize(static_cast<std::size_t>(S_));
        for (std::int64_t s = 0; s < S_; ++s) shape_[static_cast<std::size_t>(s)] = alpha(pair, s);
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            shape_[static_cast<std::size_t>(seen.states[i])] += static_cast<double>(seen.n[i]);
        RowDraw draw(row, rng);
        for (std::int64_t s = 0; s < S_; ++s) {
            const double shape = shape_[static_cast<std::size_t>(s)];
            if (shape > 0) draw.add(s, shape);
        }
        draw.finish([&](std::int64_t s) { return shape_[static_cast<std::size_t>(s)]; });
    }

    void predictive(std::int64_t pair, const Observed& seen, std::span<double> out) {
        const double sum = mass(pair) + static_cast<double>(seen.total);
        for (std::int64_t s = 0; s < S_; ++s) out[static_cast<std::size_t>(s)] = alpha(pair, s) / sum;
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            out[static_cast<std::size_t>(seen.states[i])] += static_cast<double>(seen.n[i]) / sum;
    }

    // --- the posterior mean, sparsely: what each successor has beyond its share of the rest, which `base` spreads; see
    // solver.hpp
    bool one_base() const { return masses_.size() == 1; }
    std::vector<double> base() const {
        if (alphas_.empty() || !one_base()) return {};
        std::vector<double> shares = alphas_;
        for (double& share : shares) share /= masses_[0];
        return shares;
    }
    double mean_row(std::int64_t pair, const Observed& seen, SparseRow& out) const {
        const double sum = mass(pair) + static_cast<double>(seen.total);
        for (std::size_t i = 0; i < seen.n.size(); ++i)
            out.push_back({seen.states[i], static_cast<double>(seen.n[i]) / sum});
        if (one_base()) return mass(pair) / sum;
        for (std::int64_t s = 0; s < S_; ++s)
            if (alpha(pair, s) > 0) out.push_back({s, alpha(pair, s) / sum});
        return 0;
    }

    bool possible(std::int64_t pair, std::int64_t state) const { return alpha(pair, state) > 0; }

 private:
    static constexpr double MOST_OF_MASS =
        100;  // times sum alpha: about twice the successors that `draw_heavy` expects

    // -log of the rest grows by an Exp(sum alpha) with each one revealed: 40 sum alpha of them are expected.
    void draw_heavy(const Observed& seen, Random& rng, Row& row) {
        open_.open(seen, S_ - seen.distinct(), alpha_, rng);
        while (open_.hidden_weight > 1e-17 * open_.listed()) reveal(open_, rng);
        std::swap(row, static_cast<Row&>(open_));
    }

    std::size_t line(std::int64_t pair) const {
        return masses_.size() == 1 ? 0 : static_cast<std::size_t>(pair) % masses_.size();
    }

    std::int64_t S_;
    double alpha_;
    std::vector<double> alphas_;        // [R, S], empty if symmetric
    std::vector<AliasColumn> columns_;  // [R, S]
    std::vector<double> masses_;        // [R] sum of alpha
    std::vector<double> shape_;         // [S] scratch
    OpenRow open_;                      // scratch
};

static_assert(RowPrior<Dirichlet>);

}  // namespace bamdp

// Roll-outs for a belief over whole models, a few of which stand for it: greedy by their mean, solved again when their weights change.
//
// The weights w follow the likelihood of what happens. The policy of a belief is that of the mean model Σ_m w_m P_m, until the run ends;
// it is kept for the other simulations of the search. Solving may take some multiple of the time of simulating; where that is used up, or
// where one model is left, the policy is greedy by Σ_m w_m Q_m(s,a), the models' own values (QMDP). That alone is optimistic, as it assumes
// that the next step will tell which model is true: on GridNavi decisions by it earned 2.0 ± 2.3 less than the posterior mean.
#pragma once

#include <unordered_map>

#include "search/leaves/adaptive.hpp"

namespace bamdp {

// A model that is one of finitely many.
template <class M>
concept FiniteModelSet = requires(const M& model, Index h) { model.state(h); requires !M::has_rows; };

class Mixture final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<FiniteModelSet<M>, M, void>;
    static constexpr const char* NEEDED = "is for beliefs over whole models";

    // Greedy in the mean model of one belief. [steps left + 1, S], or [S] if the run has no end
    using Policy = std::vector<std::int32_t>;

    struct Memory {
        std::vector<double> weights, q;  // [M], [A]
        const Policy* policy = nullptr;  // of these weights, if it was looked up
        std::int32_t d = 0;
        bool fresh = true;
        bool looked_up = false;
        std::uint64_t search = 0;                         // that the following are of
        std::unordered_map<std::uint64_t, Policy> known;  // by the weights
        double credit = 0;                                // operations that may be spent on solving

        void begin() { fresh = true; }
    };

    Mixture(std::int32_t num_actions, const Settings& settings)
        : A_(static_cast<std::size_t>(num_actions)), discount_(settings.discount), ends_(settings.terminal) {}

    bool set_models(WeightedModels models) override {
        models_ = std::move(models);
        ++search_;
        list_successors();
        return true;
    }
    void prepare(const Query& query) override { left_ = query.left; }

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory& memory, const M& model, Index s, std::int32_t, Random& rng) const {
        begin(memory);
        const auto state = static_cast<std::size_t>(model.state(s));
        if (!memory.looked_up) look_up(memory, rng);
        if (memory.policy != nullptr) return (*memory.policy)[(left_.steps > 0 ? static_cast<std::size_t>(left_.steps - memory.d) * models_.S : 0) + state];
        memory.q.assign(A_, 0.0);
        for (std::size_t m = 0; m < memory.weights.size(); ++m) {
            if (memory.weights[m] == 0) continue;
            const double* q = &models_.values[(m * models_.S + state) * A_];
            for (std::size_t a = 0; a < A_; ++a) memory.q[a] += memory.weights[m] * q[a];
        }
        return greedy_action(memory.q.data(), A_, models_.slack, rng);
    }

    template <Model M>
    BAMDP_INLINE void learn(Memory& memory, const M& model, Index s, std::int32_t a, const Step& step, Index, bool over, std::int32_t d) const {
        begin(memory);
        const std::size_t S = models_.S, next = static_cast<std::size_t>(state_after(model, step));
        const std::size_t pair = static_cast<std::size_t>(model.state(s)) * A_ + static_cast<std::size_t>(a);
        double sum = 0, first = -1;
        bool same = true;  // all models say the same of this step
        for (std::size_t m = 0; m < memory.weights.size(); ++m) {
            if (memory.weights[m] == 0) continue;
            const std::size_t row = m * S * A_ + pair;
            double likelihood = models_.transitions[row * S + next];
            if (!models_.paid.empty() && models_.paid[models_.paid.size() == models_.transitions.size() ? row * S + next : row] != step.reward) likelihood = 0;
            if (!models_.terminal.empty() && !over && models_.terminal[m * S + next] != 0) likelihood = 0;
            if (first < 0) first = likelihood;
            same = same && likelihood == first;
            sum += memory.weights[m] *= likelihood;
        }
        if (sum > 0)
            for (double& w : memory.weights) w /= sum;
        else memory.weights = models_.weights;  // the world that is simulated is none of the models
        if (!same || sum <= 0) memory.looked_up = false;
        memory.d = d + 1;
        memory.credit += SHARE * (STEP + WEIGH * static_cast<double>(memory.weights.size()));
    }

 private:
    static constexpr double SHARE = 3;               // of the time of simulating, for solving
    static constexpr double STEP = 100, WEIGH = 6;   // operations of a simulated step, and for each model
    static constexpr double HEAD_START = 1 << 18;    // operations of a search for solving at first
    static constexpr double ROUGH = 1e-4;            // of the range of values: precision of a policy without an end
    static constexpr int SWEEPS = 200;               // at most

    void begin(Memory& memory) const {
        if (!memory.fresh) return;
        memory.fresh = false;
        memory.weights = models_.weights;
        memory.d = 0;
        memory.looked_up = false;
        if (memory.search == search_) return;
        memory.search = search_;
        memory.known.clear();
        memory.credit = HEAD_START;
    }

    // The successors of each row in any of the models, so that means and sweeps take no more time than there are.
    void list_successors() {
        const std::size_t S = models_.S, M = models_.weights.size(), rows = S * A_;
        starts_.assign(1, 0);
        next_.clear();
        goes_on_.clear();
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t next = 0; next < S; ++next) {
                const auto going_on = [&](std::size_t m) {
                    const std::size_t at = (m * rows + row) * S + next;
                    return models_.transitions[at] - (models_.ends.empty() ? 0 : models_.ends[at]);
                };
                bool any = false;
                for (std::size_t m = 0; m < M && !any; ++m) any = going_on(m) > 0;
                if (!any) continue;
                next_.push_back(static_cast<std::uint32_t>(next));
                for (std::size_t m = 0; m < M; ++m) goes_on_.push_back(going_on(m));
            }
            starts_.push_back(next_.size());
        }
    }

    void look_up(Memory& memory, Random& rng) const {
        memory.looked_up = true;
        memory.policy = nullptr;
        std::uint64_t name = 0;
        int left = 0;
        for (const double w : memory.weights) {
            left += w > 0;
            name = mix(name ^ static_cast<std::uint64_t>(w * 0x1p40));
        }
        if (left < 2 && left_.steps == 0) return;  // its own values are exact
        const auto found = memory.known.find(name);
        if (found != memory.known.end()) return void(memory.policy = &found->second);
        if (memory.credit < 0) return;
        memory.policy = &memory.known.emplace(name, solved(memory, rng)).first->second;
    }

    Policy solved(Memory& memory, Random& rng) const {
        const std::size_t S = models_.S, M = models_.weights.size();
        Mean mean{std::vector<double>(S * A_), std::vector<double>(next_.size()), {}};
        std::vector<double> w(M);
        for (std::size_t s = 0; s < S; ++s) {
            double sum = 0;
            for (std::size_t m = 0; m < M; ++m) sum += w[m] = models_.terminal.empty() || models_.terminal[m * S + s] == 0 ? memory.weights[m] : 0;
            if (sum == 0 || ends_.has(static_cast<std::int64_t>(s))) continue;
            mean.states.push_back(s);
            for (std::size_t row = s * A_; row < (s + 1) * A_; ++row) {
                for (std::size_t m = 0; m < M; ++m) mean.rewards[row] += w[m] / sum * models_.rewards[m * S * A_ + row];
                for (std::size_t i = starts_[row]; i < starts_[row + 1]; ++i)
                    for (std::size_t m = 0; m < M; ++m) mean.goes_on[i] += w[m] / sum * goes_on_[i * M + m];
            }
        }
        double sweeps = 0;
        Policy policy = left_.steps > 0 ? until_the_end(mean, rng, sweeps) : without_an_end(mean, rng, sweeps);
        memory.credit -= static_cast<double>(next_.size()) * (static_cast<double>(M) + sweeps);
        return policy;
    }

    struct Mean {
        std::vector<double> rewards;      // [S, A]
        std::vector<double> goes_on;      // [successors]
        std::vector<std::size_t> states;  // that are not terminal
    };

    // max_a R(s,a) + gamma Σ P(s'|s,a) V(s'), and an action that has it.
    double back_up(const Mean& mean, std::size_t s, const std::vector<double>& V, std::vector<double>& q) const {
        for (std::size_t a = 0; a < A_; ++a) {
            const std::size_t row = s * A_ + a;
            double ahead = 0;
            for (std::size_t i = starts_[row]; i < starts_[row + 1]; ++i) ahead += mean.goes_on[i] * V[next_[i]];
            q[a] = mean.rewards[row] + discount_ * ahead;
        }
        return *std::max_element(q.begin(), q.end());
    }

    Policy until_the_end(const Mean& mean, Random& rng, double& sweeps) const {
        const std::size_t S = models_.S;
        const auto steps = static_cast<std::size_t>(left_.steps);
        Policy policy((steps + 1) * S, 0);
        std::vector<double> V(S, 0.0), before(S, 0.0), q(A_);
        for (std::size_t k = 1; k <= steps; ++k) {
            if (left_.ends_after(left_.steps - static_cast<std::int64_t>(k) + 1)) std::fill(before.begin(), before.end(), before[static_cast<std::size_t>(left_.start)]);
            for (const std::size_t s : mean.states) {
                V[s] = back_up(mean, s, before, q);
                policy[k * S + s] = greedy_action(q.data(), A_, models_.slack, rng);
            }
            std::swap(V, before);
        }
        sweeps = static_cast<double>(steps);
        return policy;
    }

    Policy without_an_end(const Mean& mean, Random& rng, double& sweeps) const {
        Policy policy(models_.S, 0);
        std::vector<double> V(models_.S, 0.0), q(A_);
        for (double changed = 1, range = 0; sweeps < SWEEPS && changed > ROUGH * range; ++sweeps) {
            changed = 0;
            for (const std::size_t s : mean.states) {
                const double v = back_up(mean, s, V, q);
                changed = std::max(changed, std::abs(v - V[s]));
                V[s] = v;
            }
            const auto [low, high] = std::minmax_element(V.begin(), V.end());
            range = *high - *low;
        }
        for (const std::size_t s : mean.states) {
            back_up(mean, s, V, q);
            policy[s] = greedy_action(q.data(), A_, models_.slack, rng);
        }
        return policy;
    }

    std::size_t A_;
    double discount_;
    TerminalStates ends_;
    WeightedModels models_;
    StepsLeft left_{0};
    std::uint64_t search_ = 0;
    std::vector<std::size_t> starts_;  // [S·A + 1] where the successors of a row are in the following
    std::vector<std::uint32_t> next_;  // [successors]
    std::vector<double> goes_on_;      // [successors, M] probabilities
};

}  // namespace bamdp

// Open-loop search in models that can only be stepped: the best sequence of actions, fixed in advance, by its return in
// some models.
//
// On the infinite grid, where moves are known, that is the best path (models/grid_paths.hpp). Elsewhere models are
// drawn once for all sequences, with common random numbers, and a beam extends the best sequences that begin with each
// action.
//
//   mean       the mean over many models: what an agent expects that will not learn
//   samples    the mean over outcomes in one model drawn from the posterior, or the best of several models
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "models/grid_rewards.hpp"
#include "search/scenarios.hpp"
#include "search/settings.hpp"
#include "support/archive.hpp"
#include "support/in_use.hpp"

namespace bamdp {

class OpenLoop : public InUse {
 public:
    virtual ~OpenLoop() = default;

    // Plan in the mean, or, with `samples`, in so many models drawn from the posterior; both by the random numbers of
    // `seed`.
    void load(std::int64_t samples, std::uint64_t seed) {
        samples_ = samples;
        seed_ = seed;
        loaded();
    }

    // The return of the best sequence that begins with each action, in `steps` steps at most.
    virtual std::vector<double> q_values(std::int64_t state, std::int64_t steps) = 0;

    template <class Archive>
    void archive(Archive& a) {
        a(samples_, seed_, seen_);
        a.check(samples_ >= 0, "the number of models is out of range");
        if constexpr (Archive::reading) restored(a);
    }

 protected:
    virtual void loaded() {}
    virtual void restored(Reader&) {}

    std::int64_t samples_ = 0;
    std::uint64_t seed_ = 1;
    std::uint64_t seen_ = 0;  // cells of a grid when its models were drawn
};

class GridPaths final : public OpenLoop {
 public:
    GridPaths(std::shared_ptr<const GridBelief> belief, double discount, double bonus)
        : belief_(std::move(belief)), window_(discount, bonus), drawn_(belief_->lines()) {
        reads(*belief_);
    }

    std::vector<double> q_values(std::int64_t state, std::int64_t) override {
        const Place here = Place::of(state);
        std::vector<double> best(4, -std::numeric_limits<double>::infinity());
        window_.fill(belief_->lines(), belief_->cells(), here);
        window_.observe(here, Place::content(state));
        for (std::int64_t k = 0; k < std::max<std::int64_t>(samples_, 1); ++k) {
            if (samples_ > 0) window_.sample(mix(seed_ + static_cast<std::uint64_t>(k)), drawn_);
            const std::array<float, 4> q = window_.q_values(here);
            for (std::size_t a = 0; a < 4; ++a) best[a] = std::max(best[a], static_cast<double>(q[a]));
        }
        return best;
    }

 private:
    void loaded() override {
        drawn_ = belief_->lines();
        seen_ = belief_->num_cells();
    }
    void restored(Reader& a) override {
        a.check(seen_ <= belief_->num_cells(), "models were drawn after cells that were not seen");
        drawn_ = LineBeliefs(belief_->prior.columns, belief_->prior.rows);
        for (std::size_t i = 0; i < seen_; ++i) drawn_.observe(belief_->place(i), belief_->reward(i));
    }

    std::shared_ptr<const GridBelief> belief_;
    GridWindow<GridWindow<0>::MARGIN> window_;
    LineBeliefs drawn_;  // what models are drawn from
};

// The mean return of the best paths with a bonus in `worlds` worlds drawn from a prior, each of PLAYED steps.
inline double simulated_return(const GridPrior& prior, double discount, double bonus, std::int64_t worlds,
                               std::uint64_t seed) {
    constexpr int PLAYED = 80;
    using Window = GridWindow<PLAYED + GridWindow<0>::MARGIN>;
    GridModel model(std::make_shared<const GridBelief>(prior), nullptr);
    const auto window = std::make_unique<Window>(discount, bonus);
    Random rng({seed, 1, 2, 3});
    window->fill({prior.columns, prior.rows}, {}, {0, 0});
    double sum = 0;
    for (std::int64_t w = 0; w < worlds; ++w) {
        Place here{0, 0};
        model.fix(mix(seed + static_cast<std::uint64_t>(w)) | 1);
        Index s = model.begin(here.state(false), rng);
        window->undo();
        window->observe(here, false);
        double weight = 1;
        for (int d = 0; d < PLAYED; ++d, weight *= discount) {
            const std::array<float, 4> q = window->q_values(here);
            const Step step =
                model.step(s, static_cast<std::int32_t>(std::max_element(q.begin(), q.end()) - q.begin()), rng);
            sum += weight * model.expected_reward();
            here = Place::of(step.key);
            window->observe(here, Place::content(step.key));
            s = step.next;
        }
        model.end();
    }
    return sum / static_cast<double>(worlds);
}

// A beam of action sequences in any model. Each is played from the start in each scenario.
template <Model M>
class ActionSequences final : public OpenLoop {
 public:
    static constexpr std::int64_t DEPTH = 12, WIDTH = 3, OUTCOMES = 24;

    template <class Belief, class... More>
    ActionSequences(const std::shared_ptr<const Belief>& belief, const std::shared_ptr<const Rewards>& rewards,
                    const Settings& settings, const std::shared_ptr<const More>&... more)
        : model_(belief, rewards, more...), A_(belief->num_actions), settings_(settings), belief_(belief) {
        reads(*belief);
    }

    std::vector<double> q_values(std::int64_t state, std::int64_t steps) override {
        model_.sync();
        const std::int64_t depth = std::min(DEPTH, steps);
        std::vector<double> best(static_cast<std::size_t>(A_));
        for (std::int32_t first = 0; first < A_; ++first) {
            std::vector<Sequence> beam{{{first}, 0}};
            beam.front().value = value(state, beam.front().actions);
            for (std::int64_t d = 1; d < depth; ++d) {
                std::vector<Sequence> longer;
                for (const Sequence& sequence : beam)
                    for (std::int32_t a = 0; a < A_; ++a) {
                        longer.push_back(sequence);
                        longer.back().actions.push_back(a);
                        longer.back().value = value(state, longer.back().actions);
                    }
                std::stable_sort(longer.begin(), longer.end(),
                                 [](const Sequence& x, const Sequence& y) { return x.value > y.value; });
                if (longer.size() > WIDTH) longer.resize(WIDTH);
                beam = std::move(longer);
            }
            best[static_cast<std::size_t>(first)] = beam.front().value;
        }
        return best;
    }

 private:
    struct Sequence {
        std::vector<std::int32_t> actions;
        double value;
    };
    struct Ending {
        M& model;
        ~Ending() { model.end(); }
    };

    // The mean return over the models, or the best mean of any of them.
    double value(std::int64_t state, const std::vector<std::int32_t>& actions) {
        double best = -std::numeric_limits<double>::infinity();
        for (std::int64_t k = 0; k < std::max<std::int64_t>(samples_, 1); ++k) {
            double sum = 0;
            for (std::int64_t i = 0; i < OUTCOMES; ++i) {
                const Scenario outcomes(mix(seed_ + static_cast<std::uint64_t>(k * OUTCOMES + i)));
                const Scenario world(samples_ > 0 ? mix(seed_ + static_cast<std::uint64_t>(k))
                                                  : mix(seed_ + static_cast<std::uint64_t>(i)));
                sum += returned(world, outcomes, state, actions);
            }
            best = std::max(best, sum / OUTCOMES);
        }
        return best;
    }

    double returned(const Scenario& world, const Scenario& outcomes, std::int64_t state,
                    const std::vector<std::int32_t>& actions) {
        const Ending ending{model_};
        Random rng = world.world();
        Index s = model_.begin(state, rng);
        visits_.begin();
        double R = 0, weight = 1;
        for (const std::int32_t a : actions) {
            Random outcome = outcomes.outcome(state, a, visits_.next(s, a, A_));
            const Step step = model_.step(s, a, outcome);
            R += weight * step.reward;
            if (is_terminal<true>(model_, settings_, step)) break;
            weight *= settings_.discount;
            s = step.next;
            state = state_after(model_, step);
        }
        return R;
    }

    M model_;
    std::int32_t A_;
    Settings settings_;
    std::shared_ptr<const InUse> belief_;
    Visits visits_;
};

}  // namespace bamdp

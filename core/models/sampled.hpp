// Root sampling from the user's own posterior: whole transition tables, drawn in batches, one for each simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "beliefs/visited.hpp"
#include "models/rows.hpp"
#include "models/sampling.hpp"
#include "models/tabular.hpp"

namespace bamdp {

// Rows of `width` successors, cumulative and unnormalised.
struct Batch {
    std::size_t models = 0, width = 0;
    std::vector<double> cumulative;        // [models, S, A, width]
    std::vector<std::int64_t> successors;  // the same, or [S, A, width] for all models alike, or empty: 0 … S − 1
};

using DrawBatch = std::function<void(Batch&)>;
struct BatchSource {
    std::function<DrawBatch()> make;  // each tree has its own sampler, so that threads can't change the result
};

class SampledModel : public TabularModel<VisitedStates> {
 public:
    SampledModel(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> rewards, const std::shared_ptr<const BatchSource>& source)
        : TabularModel(std::move(visited), std::move(rewards)), draw_batch_(source->make()) {}

    void sync() {
        index_.sync();
        if (synced_ != belief_->observations) batch_.models = 0;  // drawn before the last observation
        synced_ = belief_->observations;
    }

    Index begin(std::int64_t state, Random&) {
        if (++model_ >= batch_.models) {
            batch_.models = 0;  // if the user's code fails
            draw_batch_(batch_);
            model_ = 0;
        }
        return index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const std::int64_t state = this->state(h);
        const std::size_t pair = static_cast<std::size_t>(state * belief_->num_actions + a);
        const std::size_t pairs = static_cast<std::size_t>(belief_->num_states * belief_->num_actions), row = model_ * pairs + pair;
        const std::size_t i = draw_from(std::span(batch_.cumulative).subspan(row * batch_.width, batch_.width), rng);
        return arrive(state, a, successor(pair, row, i));
    }

    // The unused worlds of the last batch; none if they were drawn before the last observation.
    template <class Archive>
    void archive(Archive& a) {
        if (synced_ != belief_->observations || model_ + 1 >= batch_.models) batch_.models = 0;
        a(synced_, model_, batch_.models);
        if (batch_.models == 0) return;
        a(batch_.width, batch_.cumulative, batch_.successors);
        if constexpr (Archive::reading) check(a);
    }

 private:
    void check(Reader& a) const {
        const auto S = static_cast<std::size_t>(belief_->num_states), pairs = S * static_cast<std::size_t>(belief_->num_actions);
        const std::size_t width = batch_.width, all = batch_.cumulative.size(), listed = batch_.successors.size();
        a.check(width > 0 && all % width == 0 && all / width % pairs == 0 && all / width / pairs == batch_.models, "a batch of worlds has another size");
        a.check(listed == 0 ? width == S : listed == all || listed == pairs * width, "successors are of another number of worlds");
        for (const std::int64_t s : batch_.successors) a.check(0 <= s && s < belief_->num_states, "a successor is out of range");
        for (std::size_t i = 0; i < all; ++i) {
            const double before = i % width == 0 ? 0 : batch_.cumulative[i - 1];
            a.check(before <= batch_.cumulative[i] && batch_.cumulative[i] < 1e300, "probabilities are out of range");
            a.check((i + 1) % width != 0 || batch_.cumulative[i] > 0, "probabilities are out of range");
        }
    }

    std::int64_t successor(std::size_t pair, std::size_t row, std::size_t i) const {
        if (batch_.successors.empty()) return static_cast<std::int64_t>(i);
        const bool shared = batch_.successors.size() < batch_.cumulative.size();
        return batch_.successors[(shared ? pair : row) * batch_.width + i];
    }

    DrawBatch draw_batch_;
    Batch batch_;
    std::size_t model_ = 0;
    std::int64_t synced_ = 0;
};

template <Sampling S>
struct ModelOf<S, VisitedStates, BatchSource> {
    using type = SampledModel;
};
template <>
struct ModelOf<Sampling::resampled, VisitedStates, BatchSource> {
    static constexpr const char* unsupported =
        "a sampled posterior can't be updated within simulations, as BA-UCT does; use BAMCP, which draws models at the root";
};

}  // namespace bamdp

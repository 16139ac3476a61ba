// The Bayes-adaptive MDP, solved exactly: dynamic programming over belief states (s, n), n the counts of future transitions.
//
//   V_d(s, n) = max_a Σ_s' P(s' | s, a, n) (R(s, a, s') + gamma V_{d+1}(s', n + (s, a, s'))),   V_H = the leaf value
//
// V = 0 in a terminal state. Forward, layer by layer, to find the belief states; then backward. Histories that end in the same counts share one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/terminal_states.hpp"
#include "support/in_use.hpp"
#include "support/index.hpp"
#include "models/model.hpp"
#include "exact/predictor.hpp"

namespace bamdp {

using Place = std::uint32_t;  // of a belief state in its layer
inline constexpr Place NOWHERE = 0xffffffffU;

// The belief states after equally many steps.
struct Layer {
    std::vector<std::int32_t> states;  // [N]
    std::vector<Count> counts;         // [N, cells]
    std::vector<Place> children;       // [N, A, S] in the next layer; NOWHERE: impossible or the end. Empty in the last layer
    std::vector<double> values;        // [N]

    Place size() const { return static_cast<Place>(states.size()); }
};

// Finds a belief state of a layer, or adds it.
class LayerIndex {
 public:
    LayerIndex(Layer& layer, std::size_t num_cells) : layer_(layer), C_(num_cells) {}

    std::uint64_t hash(Place place) const { return hashes_[place]; }

    Place find_or_add(std::int32_t state, std::span<const Count> counts, std::uint64_t hash) {
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot] != NOWHERE; slot = (slot + 1) & (slots_.size() - 1))
            if (same(slots_[slot], state, counts, hash)) return slots_[slot];
        const Place place = layer_.size();
        slots_[slot] = place;
        layer_.states.push_back(state);
        layer_.counts.insert(layer_.counts.end(), counts.begin(), counts.end());
        hashes_.push_back(hash);
        if (2 * hashes_.size() > slots_.size()) grow();
        return place;
    }

 private:
    bool same(Place place, std::int32_t state, std::span<const Count> counts, std::uint64_t hash) const {
        return hashes_[place] == hash && layer_.states[place] == state && std::equal(counts.begin(), counts.end(), &layer_.counts[place * C_]);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), NOWHERE);
        for (Place place = 0; place < hashes_.size(); ++place) {
            std::size_t slot = hashes_[place] & (slots_.size() - 1);
            while (slots_[slot] != NOWHERE) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = place;
        }
    }

    Layer& layer_;
    std::size_t C_;
    std::vector<std::uint64_t> hashes_;  // [N]
    std::vector<Place> slots_ = std::vector<Place>(64, NOWHERE);
};

class Lattice : public InUse {
 public:
    Lattice(std::unique_ptr<Predictor> predictor, Rewards rewards, double discount, std::int32_t horizon, double leaf, TerminalStates terminal)
        : predictor_(std::move(predictor)), rewards_(std::move(rewards)), discount_(discount), horizon_(horizon), leaf_(leaf), terminal_(std::move(terminal)),
          S_(static_cast<std::size_t>(predictor_->num_states)), A_(static_cast<std::size_t>(predictor_->num_actions)),
          C_(predictor_->num_cells()), row_(S_) {
        for (std::size_t s = 0; s < S_; ++s) same_as_.push_back(representative(static_cast<std::int32_t>(s)));
    }

    // Finds the belief states, `limit` at most: false if there are more. Call `pause` now and then; it may throw.
    bool expand(std::int64_t state, std::int64_t limit, const std::function<void()>& pause) {
        layers_.reserve(static_cast<std::size_t>(horizon_));  // an index holds on to its layer
        layers_.assign(1, {});
        auto index = std::make_unique<LayerIndex>(layers_[0], C_);
        index->find_or_add(same_as_[static_cast<std::size_t>(state)], std::vector<Count>(C_, 0), 0);
        while (static_cast<std::int32_t>(layers_.size()) < horizon_) {
            std::int64_t room = limit - belief_states();
            layers_.emplace_back();
            Layer& from = layers_[layers_.size() - 2];
            auto next = std::make_unique<LayerIndex>(layers_.back(), C_);
            for (Place place = 0; place < from.size(); ++place) {
                expand(from, place, index->hash(place), *next);
                if (static_cast<std::int64_t>(layers_.back().size()) > room) return false;
                if (place % 4096 == 0) pause();
            }
            index = std::move(next);
        }
        return belief_states() <= limit;
    }

    void solve(const std::function<void()>& pause) {
        std::vector<double> q(A_);
        for (std::size_t depth = layers_.size(); depth-- > 0;) {
            Layer& layer = layers_[depth];
            layer.values.resize(layer.size());
            for (Place place = 0; place < layer.size(); ++place) {
                q_values(static_cast<std::int32_t>(depth), place, q);
                layer.values[place] = *std::max_element(q.begin(), q.end());
                if (place % 4096 == 0) pause();
            }
        }
    }

    // The value of each action in a belief state, `depth` steps from the root. [A]
    void q_values(std::int32_t depth, Place place, std::span<double> q) {
        const Layer& layer = layers_[static_cast<std::size_t>(depth)];
        predictor_->at(counts(layer, place));
        const std::int64_t state = layer.states[place];
        for (std::size_t a = 0; a < A_; ++a) {
            predictor_->predict(state, static_cast<std::int32_t>(a), row_);
            q[a] = 0;
            for (std::size_t s = 0; s < S_; ++s) {
                if (row_[s] <= 0) continue;
                const double later = terminal_.has(static_cast<std::int64_t>(s)) ? 0 : value_after(depth, place, a, s);
                q[a] += row_[s] * (rewards_(state, static_cast<std::int32_t>(a), static_cast<std::int64_t>(s)) + discount_ * later);
            }
        }
    }

    Place child(std::int32_t depth, Place place, std::size_t a, std::size_t next_state) const {
        const Layer& layer = layers_[static_cast<std::size_t>(depth)];
        return layer.children.empty() ? NOWHERE : layer.children[(place * A_ + a) * S_ + next_state];
    }

    std::vector<std::int64_t> layer_sizes() const {
        std::vector<std::int64_t> sizes;
        for (const Layer& layer : layers_) sizes.push_back(layer.size());
        return sizes;
    }

    std::int64_t belief_states() const {
        std::int64_t sum = 0;
        for (const Layer& layer : layers_) sum += layer.size();
        return sum;
    }

    std::int32_t horizon() const { return horizon_; }
    std::int64_t num_actions() const { return static_cast<std::int64_t>(A_); }

 private:
    double value_after(std::int32_t depth, Place place, std::size_t a, std::size_t next_state) const {
        const auto d = static_cast<std::size_t>(depth);
        return layers_[d].children.empty() ? leaf_ : layers_[d + 1].values[child(depth, place, a, next_state)];
    }

    std::span<const Count> counts(const Layer& layer, Place place) const { return {layer.counts.data() + place * C_, C_}; }

    void expand(Layer& from, Place place, std::uint64_t hash, LayerIndex& next) {
        scratch_.assign(counts(from, place).begin(), counts(from, place).end());
        predictor_->at(scratch_);
        const std::int64_t state = from.states[place];
        for (std::size_t a = 0; a < A_; ++a) {
            predictor_->predict(state, static_cast<std::int32_t>(a), row_);
            for (std::size_t s = 0; s < S_; ++s)
                from.children.push_back(row_[s] > 0 && !terminal_.has(static_cast<std::int64_t>(s)) ? reach(state, a, s, hash, next) : NOWHERE);
        }
    }

    Place reach(std::int64_t state, std::size_t a, std::size_t s, std::uint64_t hash, LayerIndex& next) {
        const std::int32_t cell = predictor_->cell(state, static_cast<std::int32_t>(a), static_cast<std::int64_t>(s)), arrived = same_as_[s];
        const std::uint64_t place_of_state = mix(static_cast<std::uint64_t>(arrived) + 0x1000000U);
        const std::uint64_t moved = hash - mix(static_cast<std::uint64_t>(state) + 0x1000000U) + place_of_state;
        if (cell == NO_CELL) return next.find_or_add(arrived, scratch_, moved);
        const auto c = static_cast<std::size_t>(cell);
        ++scratch_[c];
        const Place place = next.find_or_add(arrived, scratch_, moved + mix(c + 1));
        --scratch_[c];
        return place;
    }

    // The first state with the same future: for bandits, where the last outcome is of no consequence.
    std::int32_t representative(std::int32_t state) const {
        for (std::int32_t other = 0; other < state && predictor_->tied; ++other)
            if (same_rewards(state, other)) return other;
        return state;
    }

    bool same_rewards(std::int32_t state, std::int32_t other) const {
        for (std::int32_t a = 0; a < predictor_->num_actions; ++a)
            for (std::int64_t s = 0; s < predictor_->num_states; ++s)
                if (rewards_(state, a, s) != rewards_(other, a, s)) return false;
        return true;
    }

    std::unique_ptr<Predictor> predictor_;
    Rewards rewards_;
    double discount_;
    std::int32_t horizon_;
    double leaf_;
    TerminalStates terminal_;
    std::size_t S_, A_, C_;
    std::vector<std::int32_t> same_as_;  // [S]
    std::vector<Layer> layers_;          // [H]
    std::vector<double> row_;            // [S] scratch
    std::vector<Count> scratch_;         // [cells]
};

}  // namespace bamdp

// The Bayes-adaptive MDP, solved exactly: dynamic programming over belief states (s, n), n the counts of future
// transitions.
//
//   V_d(s, n) = max_a Σ_s' P(s' | s, a, n) (R(s, a, s') + gamma V_{d+1}(s', n + (s, a, s'))),   V_H = the leaf value
//
// V = 0 in a terminal state, or the run goes on with the next episode. Forward, layer by layer, to find the belief
// states; then backward. Histories that end in the same counts share one.
#pragma once

#include "exact/predictor.hpp"
#include "models/model.hpp"
#include "support/parallel.hpp"

namespace bamdp {

using Position = std::uint32_t;  // of a belief state in its layer
inline constexpr Position NOWHERE = 0xffffffffU;  // after an outcome that is impossible, or the end

// The belief states after equally many steps.
struct Layer {
    std::vector<std::int32_t> states;  // [N] s + S · (steps since the start of the episode; 0 without a time limit)
    std::vector<Count> counts;         // [N, cells]
    std::vector<Position> children;  // [N, A, outcomes] in the next layer, NOWHERE for none; empty in the last layer
    std::vector<double> values;  // [N]

    Position size() const { return static_cast<Position>(states.size()); }
};

// Finds a belief state of a layer by its hash, or adds it.
class LayerIndex {
 public:
    LayerIndex(Layer& layer, std::size_t num_cells) : layer_(layer), C_(num_cells) {}

    std::uint64_t hash(Position position) const {
        return static_cast<std::uint64_t>(index_.state(static_cast<Index>(position)));
    }

    Position find_or_add(std::int32_t state, std::span<const Count> counts, std::uint64_t hash) {
        const auto position = static_cast<Position>(index_.find_or_add(static_cast<std::int64_t>(hash)));
        if (position == layer_.size()) {
            layer_.states.push_back(state);
            layer_.counts.insert(layer_.counts.end(), counts.begin(), counts.end());
        } else if (layer_.states[position] != state ||
                   !std::equal(counts.begin(), counts.end(), layer_.counts.data() + position * C_)) {
            throw std::runtime_error("two belief states have the same hash: solve for another number of steps");
        }
        return position;
    }

 private:
    Layer& layer_;
    std::size_t C_;
    StateIndex index_;
};

// An outcome of an action in a belief state: next state, reward, whether the episode ends, the belief state that
// follows, if there is one, and the probability.
using Seen = std::tuple<std::int64_t, double, bool, std::optional<Position>, double>;

// Where episodes end, and what follows.
struct Episodes {
    TerminalStates terminal;
    std::int64_t restart = -1;  // state in which the next episode starts; -1: V = 0 after the end
    std::int32_t time_limit = 0;  // steps of an episode; 0: any number

    bool ends(const Outcome& outcome) const { return outcome.end || terminal.has(outcome.next); }
    bool is_end(const Outcome& outcome) const { return restart < 0 && ends(outcome); }
};

class Lattice : public InUse {
 public:
    Lattice(std::unique_ptr<Predictor> predictor, Rewards rewards, double discount, std::int32_t horizon, double leaf,
            Episodes episodes)
        : predictor_(std::move(predictor)), rewards_(std::move(rewards)), discount_(discount), horizon_(horizon),
          leaf_(leaf), episodes_(std::move(episodes)), S_(static_cast<std::size_t>(predictor_->num_states)),
          A_(static_cast<std::size_t>(predictor_->num_actions)), C_(predictor_->num_cells),
          K_(predictor_->num_outcomes), row_(K_) {
        for (std::size_t s = 0; s < S_; ++s) same_as_.push_back(representative(static_cast<std::int32_t>(s)));
    }

    // Finds the belief states, `limit` at most: false if there are more. Call `pause` now and then; it may throw.
    bool expand(Pause pause, std::int64_t state, std::int64_t limit) {
        layers_.reserve(static_cast<std::size_t>(horizon_));  // an index refers to its layer
        layers_.assign(1, {});
        auto index = std::make_unique<LayerIndex>(layers_[0], C_);
        index->find_or_add(same_as_[static_cast<std::size_t>(state)], std::vector<Count>(C_, 0), 0);
        while (static_cast<std::int32_t>(layers_.size()) < horizon_) {
            std::int64_t room = limit - belief_states();
            layers_.emplace_back();
            Layer& from = layers_[layers_.size() - 2];
            auto next = std::make_unique<LayerIndex>(layers_.back(), C_);
            for (Position position = 0; position < from.size(); ++position) {
                expand(from, position, index->hash(position), *next);
                if (static_cast<std::int64_t>(layers_.back().size()) > room) return false;
                if (position % 4096 == 0) pause();
            }
            index = std::move(next);
        }
        return belief_states() <= limit;
    }

    void solve(Pause pause) {
        std::vector<double> q(A_);
        for (std::size_t depth = layers_.size(); depth-- > 0;) {
            Layer& layer = layers_[depth];
            layer.values.resize(layer.size());
            for (Position position = 0; position < layer.size(); ++position) {
                back_up(static_cast<std::int32_t>(depth), position, q);
                layer.values[position] = *std::max_element(q.begin(), q.end());
                if (position % 4096 == 0) pause();
            }
        }
    }

    // The value of each action in a belief state, `depth` steps from the root, into `q`. [A]
    void back_up(std::int32_t depth, Position position, std::span<double> q) {
        const Layer& layer = layers_[static_cast<std::size_t>(depth)];
        predictor_->at(counts(layer, position));
        const std::int64_t state = layer.states[position] % static_cast<std::int64_t>(S_);
        for (std::size_t a = 0; a < A_; ++a) {
            predictor_->predict(state, static_cast<std::int32_t>(a), row_);
            q[a] = 0;
            for (std::size_t k = 0; k < K_; ++k) {
                if (row_[k] <= 0) continue;
                const Outcome outcome = predictor_->outcome(state, static_cast<std::int32_t>(a), k);
                const double later = episodes_.is_end(outcome) ? 0 : value_after(depth, position, a, k);
                q[a] += row_[k] * (reward_of(state, static_cast<std::int32_t>(a), outcome) + discount_ * later);
            }
        }
    }
    std::vector<double> q_values(std::int32_t depth, Position position) {
        std::vector<double> q(A_);
        back_up(depth, position, q);
        return q;
    }

    Position child(std::int32_t depth, Position position, std::size_t a, std::size_t k) const {
        const Layer& layer = layers_[static_cast<std::size_t>(depth)];
        return layer.children.empty() ? NOWHERE : layer.children[(position * A_ + a) * K_ + k];
    }

    // What may be seen after an action in a belief state.
    std::vector<Seen> outcomes(std::int32_t depth, Position position, std::int32_t a) {
        const Layer& layer = layers_[static_cast<std::size_t>(depth)];
        const std::int64_t state = layer.states[position] % static_cast<std::int64_t>(S_);
        predictor_->at(counts(layer, position));
        predictor_->predict(state, a, row_);
        std::vector<Seen> seen;
        for (std::size_t k = 0; k < K_; ++k) {
            if (row_[k] <= 0) continue;
            const Outcome outcome = predictor_->outcome(state, a, k);
            const Position after = child(depth, position, static_cast<std::size_t>(a), k);
            seen.emplace_back(outcome.next, reward_of(state, a, outcome), episodes_.ends(outcome),
                              after == NOWHERE ? std::nullopt : std::optional(after), row_[k]);
        }
        return seen;
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

    std::int64_t num_cells() const { return static_cast<std::int64_t>(C_); }
    std::int64_t num_outcomes() const { return static_cast<std::int64_t>(K_); }

 private:
    double value_after(std::int32_t depth, Position position, std::size_t a, std::size_t k) const {
        const auto d = static_cast<std::size_t>(depth);
        return layers_[d].children.empty() ? leaf_ : layers_[d + 1].values[child(depth, position, a, k)];
    }

    double reward_of(std::int64_t state, std::int32_t a, const Outcome& outcome) const {
        return std::isnan(outcome.reward) ? rewards_(state, a, outcome.next) : outcome.reward;
    }

    std::span<const Count> counts(const Layer& layer, Position position) const {
        return {layer.counts.data() + position * C_, C_};
    }

    void expand(Layer& from, Position position, std::uint64_t hash, LayerIndex& next) {
        scratch_.assign(counts(from, position).begin(), counts(from, position).end());
        predictor_->at(scratch_);
        const std::int32_t label = from.states[position];
        const std::int64_t state = label % static_cast<std::int64_t>(S_);
        for (std::size_t a = 0; a < A_; ++a) {
            predictor_->predict(state, static_cast<std::int32_t>(a), row_);
            for (std::size_t k = 0; k < K_; ++k) {
                const bool continues =
                    row_[k] > 0 && !episodes_.is_end(predictor_->outcome(state, static_cast<std::int32_t>(a), k));
                from.children.push_back(continues ? reach(label, a, k, hash, next) : NOWHERE);
            }
        }
    }

    Position reach(std::int32_t label, std::size_t a, std::size_t k, std::uint64_t hash, LayerIndex& next) {
        const auto S = static_cast<std::int32_t>(S_);
        const std::int32_t arrived = arrive(label / S, predictor_->outcome(label % S, static_cast<std::int32_t>(a), k));
        const std::uint64_t code_of_state = mix(static_cast<std::uint64_t>(arrived) + 0x1000000U);
        std::uint64_t moved = hash - mix(static_cast<std::uint64_t>(label) + 0x1000000U) + code_of_state;
        counted_.clear();
        predictor_->count(label % S, static_cast<std::int32_t>(a), k, scratch_, counted_);
        for (const std::size_t c : counted_) {
            ++scratch_[c];
            moved += mix(c + 1);
        }
        const Position position = next.find_or_add(arrived, scratch_, moved);
        for (const std::size_t c : counted_) --scratch_[c];
        return position;
    }

    // The state, with the steps of its episode, after an outcome.
    std::int32_t arrive(std::int32_t steps, const Outcome& outcome) const {
        const std::int32_t now = episodes_.time_limit > 0 ? steps + 1 : 0;
        const bool over = (now > 0 && now == episodes_.time_limit) || episodes_.ends(outcome);
        return over ? same_as_[static_cast<std::size_t>(episodes_.restart)]
                    : same_as_[static_cast<std::size_t>(outcome.next)] + static_cast<std::int32_t>(S_) * now;
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
    Episodes episodes_;
    std::size_t S_, A_, C_, K_;
    std::vector<std::int32_t> same_as_;  // [S]
    std::vector<Layer> layers_;  // [H]
    std::vector<double> row_;  // [outcomes] scratch
    std::vector<Count> scratch_;  // [cells]
    std::vector<std::size_t> counted_;  // cells that an outcome increases
};

}  // namespace bamdp

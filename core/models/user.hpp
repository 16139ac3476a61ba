// Root sampling from the user's own posterior, in three ways:
//
//   SampledModel   whole transition tables, drawn in batches, one for each simulation
//   RequestedRows  lazily: a row is requested when a simulation first needs it, and kept till its end
//   HookModel      two functions with C linkage, compiled by Numba, by a C compiler or not at all
//
//   int32_t begin(const void* belief, void* scratch, uint64_t rng[4]);
//   int32_t step(const void* belief, void* scratch, int64_t state, int64_t action, uint64_t rng[4],
//                int64_t* next_state, double* reward, int64_t* key);
//   int64_t policy(const void* belief, const void* scratch, int64_t state, uint64_t rng[4]);
//
// `belief` is what was learned from real steps and must not be written to; `scratch` is for this tree alone and keeps
// what the last simulation left there; `rng` is the state of a xoshiro256++ generator. Both return GOES_ON, `step` also
// ENDS, and anything negative is a failure. `key` may be left alone: the agent then tells histories apart by next
// states and rewards. `policy`, for roll-outs, returns an action, or something negative.
#pragma once

#include <cstring>

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

template <class M, class Sampler>
struct Source {
    using Model = M;

    std::function<Sampler()> make;  // each tree has its own sampler, so that threads can't change the result
};

using BatchSource = Source<class SampledModel, DrawBatch>;

class SampledModel : public TabularModel<VisitedStates> {
 public:
    SampledModel(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> rewards,
                 const std::shared_ptr<const BatchSource>& source)
        : TabularModel(std::move(visited), std::move(rewards)), draw_batch_(source->make()) {}

    void sync() {
        TabularModel::sync();
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
        const std::size_t pairs = static_cast<std::size_t>(belief_->num_states * belief_->num_actions),
                          row = model_ * pairs + pair;
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
        const auto S = static_cast<std::size_t>(belief_->num_states),
                   pairs = S * static_cast<std::size_t>(belief_->num_actions);
        const std::size_t width = batch_.width, all = batch_.cumulative.size(), listed = batch_.successors.size();
        a.check(width > 0 && all % width == 0 && all / width % pairs == 0 && all / width / pairs == batch_.models,
                "a batch of worlds has another size");
        a.check(listed == 0 ? width == S : listed == all || listed == pairs * width,
                "successors are of another number of worlds");
        for (const std::int64_t s : batch_.successors)
            a.check(0 <= s && s < belief_->num_states, "a successor is out of range");
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

struct RequestedRow {
    std::vector<std::int64_t> states;
    std::vector<double> cumulative;  // unnormalised
    std::vector<double> rewards;     // empty: from the table
};

struct RowSampler {
    std::function<void()> begin;  // may be empty
    std::function<void(std::int64_t, std::int32_t, RequestedRow&)> sample_row;
};

using RowSource = Source<class RequestedRows, RowSampler>;

class RequestedRows : public TabularModel<VisitedStates> {
 public:
    RequestedRows(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> rewards,
                  const std::shared_ptr<const RowSource>& source)
        : TabularModel(std::move(visited), std::move(rewards)), sampler_(source->make()) {}

    Index begin(std::int64_t state, Random&) {
        if (sampler_.begin) sampler_.begin();
        return index_.find_or_add(state);
    }

    Step step(Index h, std::int32_t a, Random& rng) {
        const auto at =
            static_cast<std::size_t>(h) * static_cast<std::size_t>(belief_->num_actions) + static_cast<std::size_t>(a);
        const std::int64_t state = this->state(h);
        const RequestedRow& row = rows_.get(at, [&](RequestedRow& fresh) { sampler_.sample_row(state, a, fresh); });
        const std::size_t i = draw_from(row.cumulative, rng);
        const std::int64_t next_state = row.states[i];
        const double reward = row.rewards.empty() ? (*rewards_)(state, a, next_state) : row.rewards[i];
        return {index_.find_or_add(next_state), reward, key(next_state, reward)};
    }

    void end() {
        rows_.forget();
        TabularModel::end();
    }

    // The reward of a row is as unknown as the row: the agent learns from seeing it.
    static std::int64_t key(std::int64_t next_state, double reward) { return key_of(next_state, reward); }

 private:
    RowSampler sampler_;
    DrawnRows<RequestedRow> rows_;
};

extern "C" {
using BeginHook = std::int32_t(const void* belief, void* scratch, std::uint64_t* rng);
using StepHook = std::int32_t(const void* belief, void* scratch, std::int64_t state, std::int64_t action,
                              std::uint64_t* rng, std::int64_t* next_state, double* reward, std::int64_t* key);
using PolicyHook = std::int64_t(const void* belief, const void* scratch, std::int64_t state, std::uint64_t* rng);
}

inline constexpr std::int32_t GOES_ON = 0, ENDS = 1;
inline constexpr double LARGEST_REWARD = 1e130;  // as in validation.py
inline constexpr std::int64_t NO_KEY = std::numeric_limits<std::int64_t>::min();

// A failed call, for the error message.
struct HookFailure {
    const char* hook;
    std::int32_t status;
    std::int64_t state, action, next_state;
    double reward;
    const std::uint64_t* rng;  // [4] before the call
    const std::byte* scratch;
};

class HookModel;
struct Hooks {
    using Model = HookModel;
    BeginHook* begin;  // may be null: nothing to draw
    StepHook* step;
    PolicyHook* policy;  // may be null: there is none
    const void* belief;
    std::vector<std::byte> scratch;                   // every tree starts with a copy
    std::function<void(const HookFailure&)> failed;   // throws
};

class HookModel : public TabularModel<VisitedStates> {
 public:
    static constexpr bool has_user_policy = true;

    HookModel(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> unused,
              const std::shared_ptr<const Hooks>& hooks)
        : TabularModel(std::move(visited), std::move(unused)), hooks_(hooks), begin_(hooks->begin), step_(hooks->step),
          data_(hooks->belief), bounded_(belief_->num_states < std::numeric_limits<std::int64_t>::max()),
          scratch_(hooks->scratch.size() / sizeof(std::max_align_t) + 1) {
        std::memcpy(scratch_.data(), hooks->scratch.data(), hooks->scratch.size());
    }

    Index begin(std::int64_t state, Random& rng) {
        Random before = rng;
        const std::int32_t status = begin_ == nullptr ? GOES_ON : begin_(data_, scratch_.data(), rng.state());
        if (status != GOES_ON) fail({"begin", status, state, 0, 0, 0, before.state(), bytes()});
        return index_.find_or_add(state);
    }

    BAMDP_INLINE Step step(Index h, std::int32_t a, Random& rng) {
        Random escaping = rng;  // so that `rng` itself can live in registers
        const std::int64_t state = this->state(h);
        std::int64_t next_state = 0, key = NO_KEY;
        double reward = 0;
        const std::int32_t status =
            step_(data_, scratch_.data(), state, a, escaping.state(), &next_state, &reward, &key);
        const bool outside =
            bounded_ && static_cast<std::uint64_t>(next_state) >= static_cast<std::uint64_t>(belief_->num_states);
        if ((status != GOES_ON && status != ENDS) || outside || !(std::abs(reward) <= LARGEST_REWARD)) [[unlikely]]
            fail({"step", status, state, a, next_state, reward, rng.state(), bytes()});
        rng = escaping;
        if (key == NO_KEY)
            key = this->key(next_state, reward);
        else if (tree_kept_) [[unlikely]]
            reject_key();
        return {index_.find_or_add(next_state), reward, key, status == ENDS};
    }

    bool has_policy() const { return hooks_->policy != nullptr; }

    // The action of the user's policy.
    std::int32_t policy(Index h, Random& rng) const {
        Random escaping = rng;
        const std::int64_t state = this->state(h), a = hooks_->policy(data_, scratch_.data(), state, escaping.state());
        if (a < 0 || a >= belief_->num_actions) [[unlikely]]
            fail({"policy", a < 0 ? -1 : GOES_ON, state, a, 0, 0, rng.state(), bytes()});
        rng = escaping;
        return static_cast<std::int32_t>(a);
    }

    // The tree is kept from one decision to the next: keys must be known of real steps too.
    void keep_tree() { tree_kept_ = true; }

    // The agent's observation of a step, if the hooks give no key.
    static std::int64_t key(std::int64_t next_state, double reward) { return key_of(next_state, reward); }

    // What the last simulation left in `scratch`.
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t size = hooks_->scratch.size();
        std::vector<std::uint8_t> left(size);
        std::memcpy(left.data(), scratch_.data(), size);
        a(left);
        a.check(left.size() == size, "scratch has another size");
        std::memcpy(scratch_.data(), left.data(), size);
    }

 private:
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(scratch_.data()); }

    BAMDP_NOINLINE void fail(const HookFailure& failure) const { hooks_->failed(failure); }

    [[noreturn]] BAMDP_NOINLINE static void reject_key() {
        throw Unsupported(
            "reuse_tree must be False where step returns a key: that of a real step, which the part of the tree to "
            "keep depends on, is not known");
    }

    std::shared_ptr<const Hooks> hooks_;
    BeginHook* begin_;
    StepHook* step_;
    const void* data_;
    bool bounded_, tree_kept_ = false;
    std::vector<std::max_align_t> scratch_;
};

template <Sampling S, class Source>
    requires requires { typename Source::Model; }
struct ModelOf<S, VisitedStates, Source> {
    using type = typename Source::Model;
    static constexpr const char* unsupported = S == Sampling::resampled
                                                   ? "your own posterior can't be updated within simulations, as "
                                                     "BA-UCT does; use BAMCP, which draws models at the root"
                                                   : nullptr;
};

}  // namespace bamdp

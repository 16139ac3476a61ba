// A model that is the user's own code: two functions with C linkage, compiled by Numba, by a C compiler or not at all.
//
//   int32_t begin(const void* belief, void* scratch, uint64_t rng[4]);
//   int32_t step(const void* belief, void* scratch, int64_t state, int64_t action, uint64_t rng[4],
//                int64_t* next_state, double* reward, int64_t* key);
//
// `belief` is what was learned from real steps and must not be written to; `scratch` is for this tree alone and keeps what the
// last simulation left there; `rng` is the state of a xoshiro256++ generator. Both return GOES_ON, `step` also ENDS, and anything
// negative is a failure. `key` may be left alone: the agent then tells histories apart by next states and rewards.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "beliefs/visited.hpp"
#include "models/sampling.hpp"
#include "models/tabular.hpp"

namespace bamdp {

extern "C" {
using BeginHook = std::int32_t(const void* belief, void* scratch, std::uint64_t* rng);
using StepHook = std::int32_t(const void* belief, void* scratch, std::int64_t state, std::int64_t action, std::uint64_t* rng,
                              std::int64_t* next_state, double* reward, std::int64_t* key);
}

inline constexpr std::int32_t GOES_ON = 0, ENDS = 1;
inline constexpr double LARGEST_REWARD = 1e130;  // as in _validation.py
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

struct Hooks {
    BeginHook* begin;  // may be null: nothing to draw
    StepHook* step;
    const void* belief;
    std::vector<std::byte> scratch;                   // every tree starts with a copy
    std::function<void(const HookFailure&)> failed;   // throws
};

class HookModel : public TabularModel<VisitedStates> {
 public:
    HookModel(std::shared_ptr<const VisitedStates> visited, std::shared_ptr<const Rewards> unused, const std::shared_ptr<const Hooks>& hooks)
        : TabularModel(std::move(visited), std::move(unused)), hooks_(hooks), begin_(hooks->begin), step_(hooks->step), data_(hooks->belief),
          bounded_(belief_->num_states < std::numeric_limits<std::int64_t>::max()), scratch_(hooks->scratch.size() / sizeof(std::max_align_t) + 1) {
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
        const std::int32_t status = step_(data_, scratch_.data(), state, a, escaping.state(), &next_state, &reward, &key);
        const bool outside = bounded_ && static_cast<std::uint64_t>(next_state) >= static_cast<std::uint64_t>(belief_->num_states);
        if ((status != GOES_ON && status != ENDS) || outside || !(std::abs(reward) <= LARGEST_REWARD)) [[unlikely]]
            fail({"step", status, state, a, next_state, reward, rng.state(), bytes()});
        rng = escaping;
        return {index_.find_or_add(next_state), reward, key == NO_KEY ? this->key(next_state, reward) : key, status == ENDS};
    }

    // The agent's observation of a step, if the hooks give no key.
    std::int64_t key(std::int64_t next_state, double reward) const {
        return key_of(next_state, reward);
    }

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

    std::shared_ptr<const Hooks> hooks_;
    BeginHook* begin_;
    StepHook* step_;
    const void* data_;
    bool bounded_;
    std::vector<std::max_align_t> scratch_;
};

template <Sampling S>
struct ModelOf<S, VisitedStates, Hooks> {
    using type = HookModel;
};
template <>
struct ModelOf<Sampling::resampled, VisitedStates, Hooks> {
    static constexpr const char* unsupported =
        "a compiled prior can't be updated within simulations, as BA-UCT does; use BAMCP, which draws models at the root";
};

}  // namespace bamdp

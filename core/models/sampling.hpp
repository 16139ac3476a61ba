// How models are drawn from a belief, and the model of each belief and sampling.
#pragma once

#include "support/common.hpp"

namespace bamdp {

enum class Sampling { collapsed, lazy, full, resampled };

// An unsupported combination; the message names supported ones. A TypeError in Python.
class Unsupported : public std::invalid_argument {
 public:
    using std::invalid_argument::invalid_argument;
};

// Specialised in each model's header: `type` is the model, and `unsupported` null or a sentence. `More` are arguments
// of the model beside the belief.
template <Sampling S, class Belief, class... More>
struct ModelOf;

struct Supported {
    static constexpr const char* unsupported = nullptr;
};

}  // namespace bamdp

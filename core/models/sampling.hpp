// How models are drawn from a belief, and in which model a search of a belief plays then.
#pragma once

#include <stdexcept>

namespace bamdp {

enum class Sampling { collapsed, lazy, full, resampled };

// Two parts that don't go together; the message says what would. A TypeError in Python.
class Unsupported : public std::invalid_argument {
 public:
    using std::invalid_argument::invalid_argument;
};

// Each model's header says for what it is: `type` is the model, or `unsupported` a sentence. `More` is what a model is made of beside
// the belief.
template <Sampling S, class Belief, class... More>
struct ModelOf;

}  // namespace bamdp

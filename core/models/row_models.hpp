// The models of beliefs with independent rows, one for each way to sample.
#pragma once

#include "models/collapsed.hpp"
#include "models/full.hpp"
#include "models/lazy.hpp"
#include "models/resampled.hpp"
#include "models/sampling.hpp"

namespace bamdp {

template <RowPrior P>
struct ModelOf<Sampling::collapsed, Belief<P>> {
    using type = Collapsed<P>;
};
template <RowPrior P>
struct ModelOf<Sampling::lazy, Belief<P>> {
    using type = Lazy<P>;
};
template <RowPrior P>
struct ModelOf<Sampling::full, Belief<P>> {
    using type = Full<P>;
};
template <RowPrior P>
struct ModelOf<Sampling::resampled, Belief<P>> {
    using type = Resampled<P>;
};

}  // namespace bamdp

// All priors of independent rows, by their names in Python. A new one is a header in priors/, and its lines here.
#pragma once

#include "beliefs/belief.hpp"
#include "bindings/arrays.hpp"
#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"

namespace bamdp {

template <class Bind>
void for_each_row_prior(Bind&& bind) {
    bind.template operator()<Dirichlet>("Dirichlet");
    bind.template operator()<SparseDirichlet>("SparseDirichlet");
}

// Specific to one prior: the constructor of its belief, and further methods.
inline void bind_own(nb::class_<Belief<Dirichlet>>& bound) {
    bound
        .def(
            "__init__",
            [](Belief<Dirichlet>* self, std::int64_t S, std::int32_t A, double alpha, bool tied) {
                new (self) Belief<Dirichlet>(Dirichlet(S, alpha), S, A, tied);
            },
            "num_states"_a, "num_actions"_a, "alpha"_a, "tied"_a = false)
        .def(
            "__init__",
            [](Belief<Dirichlet>* self, std::int64_t S, std::int32_t A, const Input& alpha, bool tied) {
                new (self) Belief<Dirichlet>(Dirichlet(S, to_vector(alpha)), S, A, tied);
            },
            "num_states"_a, "num_actions"_a, "alpha"_a, "tied"_a = false);
}

inline void bind_own(nb::class_<Belief<SparseDirichlet>>& bound) {
    bound
        .def(
            "__init__",
            [](Belief<SparseDirichlet>* self, std::int64_t S, std::int32_t A, double alpha, double exponent) {
                new (self) Belief<SparseDirichlet>(SparseDirichlet(S, alpha, exponent), S, A, false);
            },
            "num_states"_a, "num_actions"_a, "alpha"_a, "exponent"_a)
        .def(
            "repeat_probability",
            [](Belief<SparseDirichlet>& b, std::int64_t K0, std::int64_t N) {
                const ExclusiveLock tables(b.tables);
                return b.prior.repeat_probability(K0, N);
            },
            "distinct"_a, "total"_a, "Probability that the next successor has been observed before.")
        .def(
            "support_posterior",
            [](Belief<SparseDirichlet>& b, std::int64_t K0, std::int64_t N) {
                const ExclusiveLock tables(b.tables);
                return to_numpy(b.prior.support_posterior(K0, N));
            },
            "distinct"_a, "total"_a, "Probability of each support size, from max(1, distinct) on.");
}

}  // namespace bamdp

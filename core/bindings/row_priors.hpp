// All priors of independent rows, by their names in Python. A new one is a header in priors/, a line here, and the constructor of its
// belief in conjugate.cpp.
#pragma once

#include "priors/dirichlet.hpp"
#include "priors/sparse_dirichlet.hpp"

namespace bamdp {

template <class Bind>
void for_each_row_prior(Bind&& bind) {
    bind.template operator()<Dirichlet>("Dirichlet");
    bind.template operator()<SparseDirichlet>("SparseDirichlet");
}

}  // namespace bamdp

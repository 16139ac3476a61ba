// The Python face of what is computed exactly. Arguments are checked in Python (src/bamdp/exact).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "exact/gittins.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

Output<double> gittins_indices(double a0, double b0, double discount, double tolerance, const IntegerInput& i, const IntegerInput& j) {
    std::vector<double> indices;
    {
        const nb::gil_scoped_release no_gil;
        indices = Gittins(a0, b0, discount, tolerance, {i.data(), i.size()}, {j.data(), j.size()}, check_signals).indices();
    }
    return to_numpy(std::move(indices));
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.def("gittins_indices", &gittins_indices, "successes"_a, "failures"_a, "discount"_a, "tolerance"_a, "more_successes"_a,
               "more_failures"_a, "Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]");
}

}  // namespace bamdp

// Python bindings of the recursion over counts. Arguments are checked in Python (src/bamdp/exact/responses.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

#include "bindings/arrays.hpp"
#include "exact/responses.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bamdp {
namespace {

using Changed = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

void add(const Changed& after, const Input& weights, const Input& chances, std::size_t arm, std::size_t patients) {
    std::size_t outer = 1, inner = 1;
    for (std::size_t k = 0; k < weights.ndim(); ++k) (k < arm ? outer : inner) *= k == arm ? 1 : weights.shape(k);
    const std::size_t n = weights.shape(arm) - 1;
    const nb::gil_scoped_release no_lock;
    add_responses(after.data(), weights.data(), chances.data(), outer, n, inner, patients);
}

void add_cut(const Changed& after, const Input& weights, const nb::ndarray<const std::uint16_t, nb::c_contig, nb::device::cpu>& cuts,
             std::size_t arm, double below, double between, double above) {
    const nb::gil_scoped_release no_lock;
    add_cut_responses(after.data(), weights.data(), cuts.data(), weights.shape(0) - 1, weights.shape(1) - 1, arm, {below, between, above});
}

}  // namespace

void bind_trials(nb::module_& module) {
    module.def("add_responses", &add, "after"_a, "weights"_a, "chances"_a, "arm"_a, "patients"_a,
               "Add to `after` the probabilities of the counts with so many more patients on an arm.");
    module.def("add_cut_responses", &add_cut, "after"_a, "weights"_a, "cuts"_a, "arm"_a, "below"_a, "between"_a, "above"_a,
               "The same of one patient and two arms, with chances that are the same below, between and from two cuts of each row.");
}

}  // namespace bamdp

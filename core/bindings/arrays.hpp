// NumPy arrays in and out of the core, for the files that bind it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "support/archive.hpp"

namespace bamdp {

using Input = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using IntegerInput = nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu>;
using Seed = std::array<std::uint64_t, 4>;
using States = std::vector<std::int64_t>;
template <class T>
using Output = nanobind::ndarray<nanobind::numpy, T>;

inline std::vector<double> to_vector(const Input& array) { return {array.data(), array.data() + array.size()}; }

template <class T>
Output<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Output<T>(owned->data(), shape, owner);
}

template <class T>
Output<T> to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// What an object has learned goes out as bytes, and into a new one made with the same settings.
template <class T>
void bind_state(nanobind::class_<T>& bound) {
    bound.def("state", [](T& self) {
        Writer out;
        self.archive(out);
        return nanobind::bytes(out.bytes().data(), out.bytes().size());
    }, "What it has learned, for `restore`.");
    bound.def("restore", [](T& self, const nanobind::bytes& state) {
        Reader in(std::string_view(state.c_str(), state.size()));
        self.archive(in);
        in.finish();
    }, nanobind::arg("state"), "Take over what another one has learned that was made alike. One that refuses must not be used any more.");
}

}  // namespace bamdp

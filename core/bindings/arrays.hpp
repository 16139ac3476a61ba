// NumPy arrays in and out of the core, for the files that bind it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/random.hpp"

namespace bamdp {

using Input = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using IntegerInput = nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu>;
using States = std::vector<std::int64_t>;
template <class T>
using Output = nanobind::ndarray<nanobind::numpy, T>;

inline std::vector<double> to_vector(const Input& array) { return {array.data(), array.data() + array.size()}; }

inline std::span<const std::int64_t> to_span(const IntegerInput& array) { return {array.data(), array.size()}; }
inline std::span<const double> to_span(const Input& array) { return {array.data(), array.size()}; }

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

// The state of an object as bytes, to be restored into a new one made with the same settings. A belief can be copied.
template <class T, class... Bases>
void bind_state(nanobind::class_<T, Bases...>& bound) {
    bound.def("state", [](T& self) {
        const ExclusiveLock use(self);
        Writer out;
        self.archive(out);
        return nanobind::bytes(out.bytes().data(), out.bytes().size());
    }, "The learned state as bytes, for `restore`.");
    bound.def("restore", [](T& self, const nanobind::bytes& state) {
        const ExclusiveLock use(self);
        Reader in(std::string_view(state.c_str(), state.size()));
        self.archive(in);
        in.finish();
    }, nanobind::arg("state"), "Restore the state of an object made with the same settings. If this raises, discard the object.");
    bound.def("__reduce__", [](const T&) -> nanobind::typed<nanobind::tuple, nanobind::any, nanobind::ellipsis> {
        throw nanobind::type_error("this part of an agent can't be pickled or copied by itself: copy the whole agent, or save it, "
                                   "agent.save(path), and load it, bamdp.load(path)");
    });
    if constexpr (std::is_copy_constructible_v<T>)
        bound.def("__deepcopy__", [](const T& self, const nanobind::object&) {
            const CacheLock use(self);
            return T(self);
        }, nanobind::arg("memo"));
}

}  // namespace bamdp

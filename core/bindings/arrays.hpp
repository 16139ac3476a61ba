// For the files that bind the core: nanobind, NumPy arrays in and out, and methods as functions of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <variant>

#include "support/archive.hpp"
#include "support/in_use.hpp"
#include "support/random.hpp"
#include "support/unlocked.hpp"

namespace bamdp {

namespace nb = nanobind;
using namespace nb::literals;

using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using IntegerInput = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
using OptionalInput = std::optional<Input>;
using States = std::vector<std::int64_t>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;

inline std::vector<double> to_vector(const Input& array) { return {array.data(), array.data() + array.size()}; }
inline States to_vector(const IntegerInput& array) { return {array.data(), array.data() + array.size()}; }
inline std::vector<double> to_vector(const OptionalInput& array) {
    return array ? to_vector(*array) : std::vector<double>{};
}

template <class T>
Output<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Output<T>(owned->data(), shape, owner);
}

template <class T>
Output<T> to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// The type of an argument in Python: arrays for spans. What is returned: arrays for vectors of numbers.
template <class T>
struct InPython {
    static constexpr bool is_array = false;
    using type = T;
};
template <class T>
struct InPython<std::span<const T>> {
    static constexpr bool is_array = true;
    using type = const nb::ndarray<const T, nb::c_contig, nb::device::cpu>&;
};
template <class T>
using Argument = typename InPython<T>::type;

template <class To, class From>
To given(From& argument) {
    if constexpr (InPython<To>::is_array)
        return {argument.data(), argument.size()};
    else
        return argument;
}

template <class T>
auto returned(T&& result) {
    if constexpr (requires { requires Number<typename std::decay_t<T>::value_type>; })
        return to_numpy(std::forward<T>(result));
    else
        return std::forward<T>(result);
}

// A method with an exclusive lock; those that take arrays run without Python's.
template <class T, class Result, class... Arguments>
auto alone(Result (T::*method)(Arguments...)) {
    return [method](T& self, Argument<Arguments>... arguments) {
        const ExclusiveLock use(self);
        const auto call = [&]() -> Result {
            [[maybe_unused]] const std::conditional_t<(InPython<Arguments>::is_array || ...), Unlocked, std::monostate>
                lock{};
            return (self.*method)(given<Arguments>(arguments)...);
        };
        if constexpr (std::is_void_v<Result>)
            call();
        else
            return returned(call());
    };
}

// A method with a shared lock.
template <class T, class Result, class... Arguments>
auto reading(Result (T::*method)(Arguments...) const) {
    return [method](const T& self, Argument<Arguments>... arguments) {
        const CacheLock use(self);
        return returned((self.*method)(given<Arguments>(arguments)...));
    };
}

// A long method, which takes `pause` first: without Python's lock, and it calls `on_tick` now and then.
template <class T, class Result, class... Arguments>
auto running(Result (T::*method)(Pause, Arguments...)) {
    return [method](T& self, Arguments... arguments, const nb::object& on_tick) {
        const ExclusiveLock use(self);
        return responsive(on_tick, [&](Pause pause) { return (self.*method)(pause, arguments...); });
    };
}

inline auto tick() { return nb::arg("on_tick").none() = nb::none(); }

// A member that is a vector, as an array.
template <class T, class Element>
auto array_of(std::vector<Element> T::* member) {
    return [member](const T& self) { return to_numpy(self.*member); };
}

template <class T>
nb::bytes bytes_of(T& object) {
    Writer out;
    object.archive(out);
    return nb::bytes(out.bytes().data(), out.bytes().size());
}

template <class T>
void restore(T& object, const nb::bytes& state) {
    Reader in(std::string_view(state.c_str(), state.size()));
    object.archive(in);
    in.finish();
}

// The state of an object as bytes, to be restored into a new one made with the same settings. A belief can be copied.
template <class T, class... Bases>
void bind_state(nb::class_<T, Bases...>& bound) {
    bound.def(
        "state",
        [](T& self) {
            const ExclusiveLock use(self);
            return bytes_of(self);
        },
        "The learned state as bytes, for `restore`.");
    bound.def(
        "restore",
        [](T& self, const nb::bytes& state) {
            const ExclusiveLock use(self);
            restore(self, state);
        },
        "state"_a, "Restore the state of an object made with the same settings. If this raises, discard the object.");
    bound.def("__reduce__", [](const T&) -> nb::typed<nb::tuple, nb::any, nb::ellipsis> {
        throw nb::type_error(
            "this part of an agent can't be pickled or copied by itself: copy the whole agent, or save it, "
            "agent.save(path), and load it, bamdp.load(path)");
    });
    if constexpr (std::is_copy_constructible_v<T>)
        bound.def(
            "__deepcopy__",
            [](const T& self, const nb::object&) {
                const CacheLock use(self);
                return T(self);
            },
            "memo"_a);
    if constexpr (requires(const T& self) { self.known(); })
        bound.def_ro("observations", &T::observations, "Number of transitions observed.");
}

}  // namespace bamdp

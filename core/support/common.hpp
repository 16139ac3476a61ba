// What every file of the core uses: the standard library, and by name what compilers spell differently (GCC and clang,
// MSVC, others).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#define BAMDP_INLINE [[gnu::always_inline]] inline
#define BAMDP_NOINLINE [[gnu::noinline]]
#define BAMDP_RESTRICT __restrict
#elif defined(_MSC_VER)
#define BAMDP_INLINE __forceinline
#define BAMDP_NOINLINE __declspec(noinline)
#define BAMDP_RESTRICT __restrict
#else
#define BAMDP_INLINE inline
#define BAMDP_NOINLINE
#define BAMDP_RESTRICT
#endif

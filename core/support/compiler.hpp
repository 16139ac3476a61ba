// What compilers spell differently, by name: GCC and clang, MSVC, others.
#pragma once

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

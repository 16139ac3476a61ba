// The generator of the core: xoshiro256++ (Blackman, Vigna 2019), inlined. Gamma, normal and Poisson variates come from
// NumPy's C library.
#pragma once

#include "numpy/random/distributions.h"
#include "support/common.hpp"

#if !defined(__SIZEOF_INT128__)
#include <intrin.h>
#endif

namespace bamdp {

// The upper half of a product of 128 bits.
inline std::uint64_t multiply_high(std::uint64_t x, std::uint64_t y) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(x) * y) >> 64);
#else
    return __umulh(x, y);  // of MSVC
#endif
}

using Seed = std::array<std::uint64_t, 4>;

class Random {
 public:
    explicit Random(const Seed& state) : s_(state) {}

    std::uint64_t bits() {
        const std::uint64_t result = rotate(s_[0] + s_[3], 23) + s_[0], t = s_[1] << 17;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = rotate(s_[3], 45);
        return result;
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    // Uniform in 0 … n − 1; off by less than n / 2^64.
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(multiply_high(bits(), static_cast<std::uint64_t>(n)));
    }

    // For user code that draws by itself.
    std::uint64_t* state() { return s_.data(); }

    template <class Archive>
    void archive(Archive& a) {
        a(s_[0], s_[1], s_[2], s_[3]);
        a.check((s_[0] | s_[1] | s_[2] | s_[3]) != 0, "a generator is in a state that it can't leave");
    }

    double gamma(double shape) {
        bitgen_t generator = for_numpy();
        return random_standard_gamma(&generator, shape);
    }

    // Standard normal.
    double normal() {
        bitgen_t generator = for_numpy();
        return random_standard_normal(&generator);
    }

    std::int64_t poisson(double mean) {
        bitgen_t generator = for_numpy();
        return random_poisson(&generator, mean);
    }

 private:
    bitgen_t for_numpy() { return {this, next64, next32, next_double, next64}; }
    static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    static std::uint64_t next64(void* self) { return static_cast<Random*>(self)->bits(); }
    static std::uint32_t next32(void* self) { return static_cast<std::uint32_t>(next64(self) >> 32); }
    static double next_double(void* self) { return static_cast<Random*>(self)->uniform(); }

    Seed s_;
};

}  // namespace bamdp

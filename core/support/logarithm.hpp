// Logarithms without the library's, whose last bit depends on the processor: one seed gives one result everywhere.
#pragma once

#include "support/common.hpp"

namespace bamdp {

// log(1 + x) = 2 artanh(x / (2 + x)), for 0 <= x <= 1
inline double portable_log1p(double x) {
    static constexpr double TERMS[]{1.0 / 41, 1.0 / 39, 1.0 / 37, 1.0 / 35, 1.0 / 33, 1.0 / 31, 1.0 / 29,
                                    1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                                    1.0 / 13, 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    const double y = x / (2 + x), square = y * y;
    double sum = 0;
    for (const double term : TERMS) sum = sum * square + term;
    return 2 * y * sum;
}

// log(x), for x >= 1
inline double portable_log(double x) {
    int exponent;
    const double mantissa = 2 * std::frexp(x, &exponent);  // 1 … 2
    static const double log_of_2 = portable_log1p(1);
    return portable_log1p(mantissa - 1) + (exponent - 1) * log_of_2;
}

}  // namespace bamdp

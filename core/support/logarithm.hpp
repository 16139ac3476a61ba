// Logarithms without the library's, whose last bit depends on the processor: one seed gives one result everywhere.
#pragma once

#include "support/common.hpp"

namespace bamdp {

// log(1 + x) = 2 artanh(x / (2 + x)), for 0 <= x <= 1
inline double portable_log1p(double x) {
    const double y = x / (2 + x), square = y * y;
    double sum = 0;
    for (int k = 41; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
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

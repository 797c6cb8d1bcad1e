// SPDX-License-Identifier: Apache-2.0
// exp(x) = 2^n exp(r) with n = round(x / ln 2), r = x - n ln 2 in two parts, |r| <= ln(2)/2, and
// exp(r) by its Taylor polynomial: the first term left out is below 2^-27 (float, degree 7) and
// 2^-57 (double, degree 13). 2^n is applied in two factors, so that subnormal results and
// overflow need no branch. Straight-line code: the loops over it become vector code.
#include "kernel/tiles/fast_exp.hpp"

#include <bit>

#include "core/vector_clones.hpp"
#include "kernel/tiles/exp_format.hpp"

namespace maxmargin {

namespace {

template <class Format>
MAXMARGIN_INLINE void exp_all(typename Format::Value* values, std::size_t count) {
  using Value = typename Format::Value;
  using Bits = typename Format::Bits;
  using Signed = typename Format::Signed;
  for (std::size_t i = 0; i < count; ++i) {
    // Comparisons in this direction keep NaN.
    Value x = values[i];
    x = x < Format::lowest ? Format::lowest : x;
    x = x > Format::highest ? Format::highest : x;
    const Value shifted = x * Format::inverse_ln2 + Format::rounder;
    const Value n = shifted - Format::rounder;
    const Value r = (x - n * Format::ln2_high) - n * Format::ln2_low;
    Value polynomial = Format::taylor[0];
    for (std::size_t k = 1; k < std::size(Format::taylor); ++k) {
      polynomial = polynomial * r + Format::taylor[k];
    }
    const auto exponent =
        static_cast<Signed>(std::bit_cast<Bits>(shifted) - std::bit_cast<Bits>(Format::rounder));
    const Signed half = exponent >> 1;
    const auto first = static_cast<Bits>(half + Format::bias) << Format::mantissa;
    const auto second = static_cast<Bits>(exponent - half + Format::bias) << Format::mantissa;
    values[i] = polynomial * std::bit_cast<Value>(first) * std::bit_cast<Value>(second);
  }
}

MAXMARGIN_VECTOR_CLONES void exp_float(float* values, std::size_t count) {
  exp_all<FloatFormat>(values, count);
}
MAXMARGIN_VECTOR_CLONES void exp_double(double* values, std::size_t count) {
  exp_all<DoubleFormat>(values, count);
}
}  // namespace

void exp_in_place(std::span<float> values) { exp_float(values.data(), values.size()); }
void exp_in_place(std::span<double> values) { exp_double(values.data(), values.size()); }

}  // namespace maxmargin

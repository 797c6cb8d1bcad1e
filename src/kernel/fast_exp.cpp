// SPDX-License-Identifier: Apache-2.0
// exp(x) = 2^n exp(r) with n = round(x / ln 2), r = x - n ln 2 in two parts, |r| <= ln(2)/2, and
// exp(r) by its Taylor polynomial: the first term left out is below 2^-27 (float, degree 7) and
// 2^-57 (double, degree 13). 2^n is applied in two factors, so that subnormal results and
// overflow need no branch. Straight-line code: the loops over it become vector code.
#include "maxmargin/kernel/fast_exp.hpp"

#include <bit>
#include <cstdint>

#include "kernel/decay.hpp"
#include "maxmargin/core/vector_clones.hpp"

namespace maxmargin {

namespace {

struct FloatFormat {
  using Value = float;
  using Bits = std::uint32_t;
  using Signed = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr Signed bias = 127;
  /// Below, the result is 0; above, infinity.
  static constexpr float lowest = -104.0f;
  static constexpr float highest = 89.0f;
  /// Adding 1.5 * 2^mantissa leaves the rounded number in the low bits of the sum.
  static constexpr float rounder = 12582912.0f;
  static constexpr float inverse_ln2 = 1.44269504088896341f;
  /// ln 2 in two parts, the first with so few bits that n times it is exact.
  static constexpr float ln2_high = 0.693359375f;
  static constexpr float ln2_low = -2.12194440054690583e-4f;
  static constexpr float taylor[] = {
      1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
};

struct DoubleFormat {
  using Value = double;
  using Bits = std::uint64_t;
  using Signed = std::int64_t;
  static constexpr int mantissa = 52;
  static constexpr Signed bias = 1023;
  static constexpr double lowest = -746.0;
  static constexpr double highest = 710.0;
  static constexpr double rounder = 6755399441055744.0;
  static constexpr double inverse_ln2 = 1.44269504088896340736;
  static constexpr double ln2_high = 6.93147180369123816490e-01;
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr double taylor[] = {1.0 / 6227020800,
                                      1.0 / 479001600,
                                      1.0 / 39916800,
                                      1.0 / 3628800,
                                      1.0 / 362880,
                                      1.0 / 40320,
                                      1.0 / 5040,
                                      1.0 / 720,
                                      1.0 / 120,
                                      1.0 / 24,
                                      1.0 / 6,
                                      0.5,
                                      1.0,
                                      1.0};
};

/// values = exp(argument(values)).
template <class Format, class Argument>
MAXMARGIN_INLINE void exp_all(typename Format::Value* values,
                              std::size_t count,
                              const Argument& argument) {
  using Value = typename Format::Value;
  using Bits = typename Format::Bits;
  using Signed = typename Format::Signed;
  for (std::size_t i = 0; i < count; ++i) {
    // Comparisons in this direction keep NaN.
    Value x = argument(values[i]);
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

/// values = exp(rate max(values, 0))
template <class Format>
MAXMARGIN_INLINE void decay_all(typename Format::Value rate,
                                typename Format::Value* values,
                                std::size_t count) {
  using Value = typename Format::Value;
  exp_all<Format>(
      values, count, [rate](Value value) { return rate * (value < 0 ? Value{0} : value); });
}

MAXMARGIN_VECTOR_CLONES void exp_float(float* values, std::size_t count) {
  exp_all<FloatFormat>(values, count, [](float value) { return value; });
}
MAXMARGIN_VECTOR_CLONES void exp_double(double* values, std::size_t count) {
  exp_all<DoubleFormat>(values, count, [](double value) { return value; });
}
MAXMARGIN_VECTOR_CLONES void decay_float(float rate, float* values, std::size_t count) {
  decay_all<FloatFormat>(rate, values, count);
}
MAXMARGIN_VECTOR_CLONES void decay_double(double rate, double* values, std::size_t count) {
  decay_all<DoubleFormat>(rate, values, count);
}

}  // namespace

void exp_in_place(std::span<float> values) { exp_float(values.data(), values.size()); }
void exp_in_place(std::span<double> values) { exp_double(values.data(), values.size()); }

void decay_in_place(double gamma, std::span<float> values) {
  decay_float(static_cast<float>(-gamma), values.data(), values.size());
}
void decay_in_place(double gamma, std::span<double> values) {
  decay_double(-gamma, values.data(), values.size());
}

}  // namespace maxmargin

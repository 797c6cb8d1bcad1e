// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The numbers that exponentials in float and double need; fast_exp.cpp says how they are used.
namespace maxmargin {

struct FloatFormat {
  using Value = float;
  using Bits = std::uint32_t;
  using Signed = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr Signed bias = 127;
  /// Below, the result is 0; above, infinity.
  static constexpr float lowest = -104.0f;
  static constexpr float highest = 89.0f;
  /// Below, the result is no normal number.
  static constexpr float lowest_normal = -87.336544f;
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
  static constexpr double lowest_normal = -708.39641853226408;
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

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

/// Sums over columns put together from what each example has on its own and what the two share:
/// |x|^2 + |z|^2 - 2 x.z, and its like on sparse data.
namespace maxmargin {

/// Sums below this share of the two own parts have lost too many digits in the cancellation; they
/// are computed again from differences.
template <class T>
inline constexpr T closeness = std::is_same_v<T, float> ? T{0x1p-10} : T{0x1p-20};

/// values[j] = own + owns[j] + factor values[j]. Tells whether one of the results is below
/// closeness (own + owns[j]) or not a number.
[[nodiscard]] bool add_own_parts(
    float own, const float* owns, float factor, float* values, std::size_t count);
[[nodiscard]] bool add_own_parts(
    double own, const double* owns, double factor, double* values, std::size_t count);

/// Whether one of values[j] is below share (own + owns[j]) or not a number.
[[nodiscard]] bool any_below_share(
    float share, float own, const float* owns, const float* values, std::size_t count);
[[nodiscard]] bool any_below_share(
    double share, double own, const double* owns, const double* values, std::size_t count);

}  // namespace maxmargin

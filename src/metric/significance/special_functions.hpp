// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The few special functions behind the significance tests. Probabilities, small tails included,
/// have about twelve right digits for parameters up to 1e6. Arguments outside a function's domain,
/// NaN included, throw InvalidArgument.
namespace maxmargin {

/// Logarithm of the gamma function, x > 0. Unlike std::lgamma it writes no global variable, so it
/// may be called from several threads.
[[nodiscard]] double log_gamma(double x);

/// Regularised incomplete beta function I_x(a, b), a > 0, b > 0, 0 <= x <= 1: the distribution
/// function of Beta(a, b).
[[nodiscard]] double incomplete_beta(double a, double b, double x);

/// P(|T| >= |t|) for Student's t with `degrees` > 0 degrees of freedom.
[[nodiscard]] double student_t_two_sided(double t, double degrees);

/// The t with P(|T| <= t) = confidence, 0 < confidence < 1.
[[nodiscard]] double student_t_quantile(double confidence, double degrees);

/// P(|Z| >= |z|) for the standard normal.
[[nodiscard]] double normal_two_sided(double z);

/// The z with P(|Z| <= z) = confidence, 0 < confidence < 1: 1.959964 for 0.95.
[[nodiscard]] double normal_quantile(double confidence);

/// The z >= 0 with P(|Z| >= z) = tail, 0 < tail <= 1, exact however small it is.
[[nodiscard]] double normal_tail_quantile(double tail);

/// P(X >= x) for chi-square with one degree of freedom, x >= 0.
[[nodiscard]] double chi_square_1_tail(double x);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"

/// How far a measured difference, mean or share may be trusted. All p values are two-sided.
namespace maxmargin {

/// A range around an estimate.
struct Interval {
  double low = 0;
  double high = 0;
};

// One sample --------------------------------------------------------------------------------

/// Mean of repeated measurements and how well it is known.
struct MeanEstimate {
  std::size_t count = 0;
  double mean = 0;                ///< NaN without values
  double standard_deviation = 0;  ///< divisor count - 1; NaN for fewer than two values
  double standard_error = 0;      ///< standard_deviation / sqrt(count)
};
/// Throws InvalidArgument for a value that is not finite.
[[nodiscard]] MAXMARGIN_EXPORT MeanEstimate estimate_mean(std::span<const double> values);

/// mean -+ 1.96 standard errors: the usual 95 % interval, too narrow for few values.
[[nodiscard]] MAXMARGIN_EXPORT Interval normal_interval_95(const MeanEstimate& estimate);
/// mean -+ t standard errors, t the quantile of Student's t with count - 1 degrees of freedom:
/// right for any count when the values are normal. NaN ends for fewer than two values.
[[nodiscard]] MAXMARGIN_EXPORT Interval student_interval(const MeanEstimate& estimate,
                                                         double confidence = 0.95);

/// Wilson's interval for a share seen as `successes` of `trials`. Stays within [0, 1] and behaves
/// at 0 and 1, where the normal interval collapses. [0, 1] for no trials. Throws InvalidArgument
/// unless 0 <= successes <= trials and 0 < confidence < 1.
[[nodiscard]] MAXMARGIN_EXPORT Interval wilson_interval(std::size_t successes,
                                                        std::size_t trials,
                                                        double confidence = 0.95);

// Two classifiers on the same rows ----------------------------------------------------------

/// McNemar's test: do two classifiers err at different rates? Only rows that exactly one of them
/// gets wrong count.
struct McNemarTest {
  std::size_t only_first_wrong = 0;
  std::size_t only_second_wrong = 0;
  /// (|b - c| - 1)^2 / (b + c), with Edwards' continuity correction; 0 for b = c.
  double chi_squared = 0;
  double chi_squared_p = 1;  ///< from chi-square with one degree of freedom
  double exact_p = 1;        ///< from the binomial distribution with 1/2
  /// exact_p below 25 discordant rows, where chi-square is a poor guide; else chi_squared_p.
  double p_value = 1;

  [[nodiscard]] bool significant(double level = 0.05) const noexcept { return p_value < level; }
};
[[nodiscard]] MAXMARGIN_EXPORT McNemarTest mcnemar(std::size_t only_first_wrong,
                                                   std::size_t only_second_wrong);
/// From predictions. Rows of truth -1 are left out. Throws InvalidArgument for lengths that differ.
[[nodiscard]] MAXMARGIN_EXPORT McNemarTest mcnemar(std::span<const std::int32_t> truth,
                                                   std::span<const std::int32_t> first,
                                                   std::span<const std::int32_t> second);

/// Student's paired t test: is the mean of first[i] - second[i] zero? Values of the folds of one
/// cross-validation are not independent (their training sets overlap), which makes the p value too
/// small; repeats on fresh splits have the same flaw in a milder form.
struct PairedTTest {
  MeanEstimate difference = {};
  double t = 0;  ///< +-inf when all differences are equal and not 0; 0 when all are 0
  double degrees = 0;
  double p_value = 1;
};
/// Throws InvalidArgument for lengths that differ, fewer than two pairs, or a value that is not
/// finite.
[[nodiscard]] MAXMARGIN_EXPORT PairedTTest paired_t_test(std::span<const double> first,
                                                         std::span<const double> second);

}  // namespace maxmargin

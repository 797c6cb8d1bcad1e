// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/significance/significance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metric/check.hpp"
#include "metric/ratio.hpp"
#include "metric/significance/special_functions.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t few_discordant_rows = 25;

Interval around(double centre, double half_width) {
  return {.low = centre - half_width, .high = centre + half_width};
}

/// min(1, 2 P(X <= least)) for X binomial(trials, 1/2), by P(X <= k) = I_{1/2}(n - k, k + 1).
double two_sided_sign_test(std::size_t least, std::size_t trials) {
  if (2 * least >= trials) return 1;
  const double below =
      incomplete_beta(static_cast<double>(trials - least), static_cast<double>(least) + 1, 0.5);
  return std::min(1.0, 2 * below);
}

}  // namespace

MeanEstimate estimate_mean(std::span<const double> values) {
  for (const double value : values) {
    require_field(std::isfinite(value), "estimate_mean: a value", value, "finite");
  }
  MeanEstimate estimate{.count = values.size(),
                        .mean = undefined,
                        .standard_deviation = undefined,
                        .standard_error = undefined};
  if (values.empty()) return estimate;
  const auto count = static_cast<double>(values.size());
  // Differences to the first value: equal values get exactly their value and deviation 0.
  double sum = 0;
  for (const double value : values) sum += value - values[0];
  estimate.mean = values[0] + sum / count;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.standard_deviation = std::sqrt(squares / (count - 1));
  estimate.standard_error = estimate.standard_deviation / std::sqrt(count);
  return estimate;
}

Interval normal_interval_95(const MeanEstimate& estimate) {
  return around(estimate.mean, 1.96 * estimate.standard_error);
}

Interval student_interval(const MeanEstimate& estimate, double confidence) {
  require_field(confidence > 0 && confidence < 1, "confidence", confidence, "> 0 and < 1");
  if (estimate.count < 2) return {.low = undefined, .high = undefined};
  const auto degrees = static_cast<double>(estimate.count - 1);
  return around(estimate.mean, student_t_quantile(confidence, degrees) * estimate.standard_error);
}

Interval wilson_interval(std::size_t successes, std::size_t trials, double confidence) {
  require_field(successes <= trials,
                "wilson_interval: successes",
                static_cast<double>(successes),
                "<= trials");
  const double z = normal_quantile(confidence);
  if (trials == 0) return {.low = 0, .high = 1};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double shrink = 1 / (1 + z * z / n);
  const double centre = shrink * (share + z * z / (2 * n));
  const double half_width = shrink * z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const Interval interval = around(centre, half_width);
  // The ends at 0 and n successes are exactly 0 and 1; rounding need not know.
  return {.low = successes == 0 ? 0 : std::max(0.0, interval.low),
          .high = successes == trials ? 1 : std::min(1.0, interval.high)};
}

McNemarTest mcnemar(std::size_t only_first_wrong, std::size_t only_second_wrong) {
  McNemarTest test{.only_first_wrong = only_first_wrong, .only_second_wrong = only_second_wrong};
  const std::size_t least = std::min(only_first_wrong, only_second_wrong);
  const std::size_t most = std::max(only_first_wrong, only_second_wrong);
  if (least == most) return test;  // no difference: statistic 0, p value 1
  const double distance = static_cast<double>(most - least) - 1;
  const std::size_t discordant = least + most;
  test.chi_squared = distance * distance / static_cast<double>(discordant);
  test.chi_squared_p = chi_square_1_tail(test.chi_squared);
  test.exact_p = two_sided_sign_test(least, discordant);
  test.p_value = discordant < few_discordant_rows ? test.exact_p : test.chi_squared_p;
  return test;
}

McNemarTest mcnemar(std::span<const std::int32_t> truth,
                    std::span<const std::int32_t> first,
                    std::span<const std::int32_t> second) {
  check_same_length("mcnemar", "first predictions", first.size(), truth.size());
  check_same_length("mcnemar", "second predictions", second.size(), truth.size());
  std::size_t only_first_wrong = 0;
  std::size_t only_second_wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    const bool first_right = first[i] == truth[i];
    const bool second_right = second[i] == truth[i];
    if (!first_right && second_right) ++only_first_wrong;
    if (first_right && !second_right) ++only_second_wrong;
  }
  return mcnemar(only_first_wrong, only_second_wrong);
}

PairedTTest paired_t_test(std::span<const double> first, std::span<const double> second) {
  check_same_length("paired_t_test", "second values", second.size(), first.size());
  require_field(
      first.size() >= 2, "paired_t_test: pairs", static_cast<double>(first.size()), ">= 2");
  std::vector<double> differences;
  differences.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) differences.push_back(first[i] - second[i]);
  PairedTTest test{.difference = estimate_mean(differences),
                   .degrees = static_cast<double>(first.size() - 1)};
  if (test.difference.mean == 0) return test;
  if (test.difference.standard_error == 0) {
    test.t = std::copysign(std::numeric_limits<double>::infinity(), test.difference.mean);
  } else {
    test.t = test.difference.mean / test.difference.standard_error;
  }
  test.p_value = student_t_two_sided(test.t, test.degrees);
  return test;
}

}  // namespace maxmargin

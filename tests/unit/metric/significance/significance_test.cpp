// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/significance/significance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "metric/significance/special_functions.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;
using Values = std::vector<double>;

TEST(LogGamma, EqualsFactorialsAndHalfIntegerValues) {
  double factorial = 1;
  for (int n = 1; n <= 20; ++n) {
    factorial *= n;
    EXPECT_NEAR(log_gamma(n + 1), std::log(factorial), 4e-15 * (1 + std::log(factorial)));
  }
  EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(M_PI), 4e-15);
  EXPECT_NEAR(log_gamma(1e6 + 1) - log_gamma(1e6), std::log(1e6), 1e-8);
  for (const double x : {1e-8, 0.1, 1.5, 3.7, 25.0, 1e4}) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-14 * (1 + std::abs(std::lgamma(x))));
  }
  EXPECT_THROW((void)log_gamma(0), InvalidArgument);
}

/// P(X >= k) of binomial(n, p), summed from the small end: I_p(k, n - k + 1).
double binomial_tail(int n, int k, double p) {
  double sum = 0;
  for (int j = n; j >= k; --j) {
    double term = 1;
    for (int i = 1; i <= j; ++i) term *= static_cast<double>(n - j + i) / i * p;
    sum += term * std::pow(1 - p, n - j);
  }
  return sum;
}

TEST(IncompleteBeta, EqualsBinomialTailsForWholeNumbers) {
  for (const int n : {1, 2, 5, 20, 60}) {
    for (int k = 1; k <= n; k += 1 + n / 7) {
      for (const double p : {0.01, 0.3, 0.5, 0.9}) {
        const double expected = binomial_tail(n, k, p);
        EXPECT_NEAR(incomplete_beta(k, n - k + 1, p), expected, 1e-12 * expected + 1e-300)
            << n << " " << k << " " << p;
      }
    }
  }
}

TEST(IncompleteBeta, SymmetryRecurrenceAndEnds) {
  Rng rng(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const double a = std::exp(rng.uniform(-3, 6));
    const double b = std::exp(rng.uniform(-3, 6));
    const double x = rng.uniform();
    const double value = incomplete_beta(a, b, x);
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
    EXPECT_NEAR(value, 1 - incomplete_beta(b, a, 1 - x), 1e-12);
    // I_x(a, b) - I_x(a + 1, b) = x^a (1-x)^b / (a B(a, b)).
    const double step = std::exp(a * std::log(x) + b * std::log1p(-x) - std::log(a) +
                                 std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b));
    EXPECT_NEAR(value - incomplete_beta(a + 1, b, x), step, 1e-11);
  }
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
  EXPECT_NEAR(incomplete_beta(1e6, 1e6, 0.5), 0.5, 1e-10);
  EXPECT_THROW((void)incomplete_beta(0, 1, 0.5), InvalidArgument);
  EXPECT_THROW((void)incomplete_beta(1, 1, 1.5), InvalidArgument);
  EXPECT_THROW((void)incomplete_beta(1, 1, NAN), InvalidArgument);
}

TEST(StudentT, ClosedFormsOfSmallDegrees) {
  for (const double t : {0.0, 0.1, 1.0, 2.5, 40.0, 1e5}) {
    const double one = 2 / M_PI * std::atan2(1, t);
    EXPECT_NEAR(student_t_two_sided(t, 1), one, 1e-12 * one);
    // 1 - t / sqrt(2 + t^2), rewritten without the cancellation.
    const double root = std::sqrt(2 + t * t);
    const double two = 2 / (root * (root + t));
    EXPECT_NEAR(student_t_two_sided(-t, 2), two, 1e-12 * two);
  }
  EXPECT_EQ(student_t_two_sided(std::numeric_limits<double>::infinity(), 3), 0);
  EXPECT_EQ(student_t_two_sided(1e200, 3), 0);
}

TEST(StudentT, TableValues) {
  // Roots of the finite trigonometric forms of the distribution for whole degrees of freedom.
  EXPECT_NEAR(student_t_quantile(0.95, 1), std::tan(0.475 * M_PI), 1e-11);
  EXPECT_NEAR(student_t_quantile(0.95, 7), 2.364624251592783, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.95, 10), 2.2281388519862735, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.95, 29), 2.0452296421327056, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.99, 5), 4.032142983555212, 1e-13);
  EXPECT_NEAR(normal_quantile(0.95), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.99), 2.5758293035489004, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.95, 1e6), normal_quantile(0.95), 1e-5);
  EXPECT_EQ(normal_tail_quantile(1), 0);
  for (const double tail : {1e-300, 1e-20, 0.05, 0.7}) {
    // Bisection ends at neighbouring numbers; the tail is as steep there as z is large.
    EXPECT_NEAR(normal_two_sided(normal_tail_quantile(tail)) / tail, 1, 1e-12) << tail;
  }
  EXPECT_THROW((void)normal_tail_quantile(0), InvalidArgument);
  EXPECT_THROW((void)student_t_quantile(1, 5), InvalidArgument);
  EXPECT_THROW((void)student_t_quantile(0.5, 0), InvalidArgument);
}

TEST(StudentT, QuantileInvertsTheTail) {
  for (const double degrees : {0.5, 1.0, 3.0, 17.0, 1e5}) {
    for (const double confidence : {0.01, 0.5, 0.9, 0.999}) {
      const double t = student_t_quantile(confidence, degrees);
      EXPECT_NEAR(student_t_two_sided(t, degrees), 1 - confidence, 1e-12);
    }
  }
}

TEST(StudentT, LargeDegreesApproachTheNormalLaw) {
  // The error of the limit is about (t^3 + t) phi(t) / (2 degrees).
  for (const double t : {0.5, 2.0, 4.0}) {
    EXPECT_NEAR(student_t_two_sided(t, 1e6), normal_two_sided(t), 2e-6);
  }
}

TEST(ChiSquare, NinetyFivePercentPoint) {
  EXPECT_NEAR(chi_square_1_tail(3.841458820694124), 0.05, 1e-13);
  EXPECT_EQ(chi_square_1_tail(0), 1);
}

TEST(MeanEstimate, KnownValues) {
  const MeanEstimate estimate = estimate_mean(Values{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(estimate.mean, 5);
  EXPECT_DOUBLE_EQ(estimate.standard_deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(estimate.standard_error, std::sqrt(32.0 / 56));
  const Interval normal = normal_interval_95(estimate);
  EXPECT_DOUBLE_EQ(normal.high - estimate.mean, 1.96 * estimate.standard_error);
  EXPECT_DOUBLE_EQ(estimate.mean - normal.low, 1.96 * estimate.standard_error);
  const Interval student = student_interval(estimate);
  EXPECT_NEAR(student.high - 5, 2.364624251592783 * estimate.standard_error, 1e-12);
}

TEST(MeanEstimate, FewValues) {
  EXPECT_TRUE(std::isnan(estimate_mean(Values{}).mean));
  const MeanEstimate one = estimate_mean(Values{3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.standard_error));
  EXPECT_TRUE(std::isnan(student_interval(one).low));
  const MeanEstimate same = estimate_mean(Values(7, 0.1));
  EXPECT_EQ(same.mean, 0.1);
  EXPECT_EQ(same.standard_error, 0);
  EXPECT_THROW((void)estimate_mean(Values{NAN}), InvalidArgument);
}

TEST(StudentInterval, CoversTheMeanAtItsConfidence) {
  Rng rng(2);
  int covered = 0;
  constexpr int repeats = 2000;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Values values(5);
    for (double& value : values) value = rng.normal(1, 2);
    const Interval interval = student_interval(estimate_mean(values), 0.9);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  // 0.9 with a standard error of 0.0067; four of them either way.
  EXPECT_NEAR(static_cast<double>(covered) / repeats, 0.9, 0.027);
}

TEST(Wilson, SolvesItsQuadraticEquation) {
  // Its ends are the p with |share - p| = z sqrt(p (1 - p) / n).
  const double z = normal_quantile(0.95);
  for (const std::size_t successes : {1u, 5u, 16u, 19u}) {
    const Interval interval = wilson_interval(successes, 20);
    const double share = static_cast<double>(successes) / 20;
    for (const double p : {interval.low, interval.high}) {
      EXPECT_NEAR(std::abs(share - p), z * std::sqrt(p * (1 - p) / 20), 1e-14);
    }
    EXPECT_LT(interval.low, share);
    EXPECT_GT(interval.high, share);
  }
}

TEST(Wilson, EndsAndMirrorImage) {
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_GT(wilson_interval(0, 10).high, 0.2);
  EXPECT_EQ(wilson_interval(10, 10).high, 1);
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
  EXPECT_NEAR(wilson_interval(3, 10).low, 1 - wilson_interval(7, 10).high, 1e-15);
  EXPECT_LT(wilson_interval(3, 10, 0.5).high, wilson_interval(3, 10, 0.99).high);
  EXPECT_THROW((void)wilson_interval(3, 2), InvalidArgument);
  EXPECT_THROW((void)wilson_interval(1, 2, 1), InvalidArgument);
}

// seed-xu fact 67.
TEST(McNemar, IsSymmetricAndNoDisagreementIsNotSignificant) {
  for (std::size_t b = 0; b < 40; b += 3) {
    for (std::size_t c = 0; c < 40; c += 5) {
      const McNemarTest one = mcnemar(b, c);
      const McNemarTest two = mcnemar(c, b);
      EXPECT_EQ(one.chi_squared, two.chi_squared);
      EXPECT_EQ(one.p_value, two.p_value);
      EXPECT_EQ(one.exact_p, two.exact_p);
    }
  }
  const McNemarTest none = mcnemar(0, 0);
  EXPECT_EQ(none.chi_squared, 0);
  EXPECT_EQ(none.p_value, 1);
  EXPECT_FALSE(none.significant());
  EXPECT_EQ(mcnemar(9, 9).p_value, 1);
}

TEST(McNemar, KnownValues) {
  const McNemarTest test = mcnemar(121, 59);
  EXPECT_NEAR(test.chi_squared, 61.0 * 61 / 180, 1e-12);
  EXPECT_EQ(test.p_value, test.chi_squared_p);
  EXPECT_TRUE(test.significant());
  // 3.84 is the border at 95 %.
  EXPECT_LT(mcnemar(35, 20).chi_squared, 3.84);
  EXPECT_FALSE(mcnemar(35, 20).significant());
  EXPECT_GT(mcnemar(36, 20).chi_squared, 3.84);
  EXPECT_TRUE(mcnemar(36, 20).significant());
}

TEST(McNemar, FewDiscordantRowsUseTheExactBinomial) {
  for (std::size_t b = 0; b <= 24; ++b) {
    for (std::size_t c = 0; b + c <= 24; ++c) {
      const int n = static_cast<int>(b + c);
      const int most = static_cast<int>(std::max(b, c));
      const double expected = n == 0 ? 1 : std::min(1.0, 2 * binomial_tail(n, most, 0.5));
      const McNemarTest test = mcnemar(b, c);
      EXPECT_NEAR(test.exact_p, expected, 1e-13);
      EXPECT_EQ(test.p_value, test.exact_p);
    }
  }
  EXPECT_DOUBLE_EQ(mcnemar(0, 5).p_value, 0.0625);
}

TEST(McNemar, CountsDiscordantRowsOfPredictions) {
  const McNemarTest test =
      mcnemar(Labels{0, 0, 1, 1, 2, -1}, Labels{0, 1, 1, 0, 0, 1}, Labels{1, 0, 1, 1, 1, 0});
  EXPECT_EQ(test.only_first_wrong, 2u);
  EXPECT_EQ(test.only_second_wrong, 1u);
  EXPECT_THROW((void)mcnemar(Labels{0}, Labels{0}, Labels{}), InvalidArgument);
}

TEST(PairedT, KnownValue) {
  // Differences 1, 2, 3, 4: mean 2.5, deviation sqrt(5/3), t = 2.5 / sqrt(5/12).
  const PairedTTest test = paired_t_test(Values{2, 4, 6, 8}, Values{1, 2, 3, 4});
  EXPECT_NEAR(test.t, 2.5 / std::sqrt(5.0 / 12), 1e-14);
  EXPECT_EQ(test.degrees, 3);
  // Closed form for three degrees: 1 - (2/pi) (atan(u) + u / (1 + u^2)), u = t / sqrt(3).
  const double u = test.t / std::sqrt(3.0);
  EXPECT_NEAR(test.p_value, 1 - 2 / M_PI * (std::atan(u) + u / (1 + u * u)), 1e-14);
}

TEST(PairedT, SwappingSidesFlipsTheSignAndEqualSidesShowNothing) {
  const Values a = {0.91, 0.88, 0.95, 0.90};
  const Values b = {0.89, 0.89, 0.93, 0.86};
  EXPECT_EQ(paired_t_test(a, b).t, -paired_t_test(b, a).t);
  EXPECT_EQ(paired_t_test(a, b).p_value, paired_t_test(b, a).p_value);
  EXPECT_EQ(paired_t_test(a, a).t, 0);
  EXPECT_EQ(paired_t_test(a, a).p_value, 1);
  EXPECT_EQ(paired_t_test(Values{2, 3}, Values{1, 2}).p_value, 0);
  EXPECT_THROW((void)paired_t_test(Values{1}, Values{2}), InvalidArgument);
  EXPECT_THROW((void)paired_t_test(Values{1, 2}, Values{2}), InvalidArgument);
}

TEST(PairedT, PValuesAreUniformWhenNothingDiffers) {
  Rng rng(3);
  int small = 0;
  constexpr int repeats = 2000;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Values a(6);
    Values b(6);
    for (double& value : a) value = rng.normal();
    for (double& value : b) value = rng.normal();
    small += paired_t_test(a, b).p_value < 0.1;
  }
  EXPECT_NEAR(static_cast<double>(small) / repeats, 0.1, 0.027);
}

}  // namespace
}  // namespace maxmargin

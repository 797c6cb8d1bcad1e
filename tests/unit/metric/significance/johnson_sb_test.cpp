// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/significance/johnson_sb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

/// The thesis' fit to the hairpin data.
constexpr JohnsonSb thesis = {.gamma = -5.5405, .delta = 1.8197, .xi = 168.46, .lambda = 2.7483};

std::vector<double> samples_of(const JohnsonSb& law, std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(count);
  for (double& value : values) value = law.sample(rng);
  return values;
}

double log_likelihood(const JohnsonSb& law, std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += law.log_density(value);
  return sum;
}

// seed-merat fact 41
TEST(JohnsonSb, ThesisParametersGiveTheKnownTailAndMedian) {
  EXPECT_NEAR(thesis.cdf(170.5), 1.49853e-4, 5e-10);
  EXPECT_NEAR(thesis.quantile(0.5), 171.083402, 5e-7);
}

// seed-merat fact 41
TEST(JohnsonSb, DensityIntegratesToOneAndToTheDistributionFunction) {
  for (const JohnsonSb& law :
       {thesis, JohnsonSb{}, JohnsonSb{.gamma = 1, .delta = 0.7, .xi = -3}}) {
    // The trapezoid rule on a smooth function that vanishes with all derivatives at both ends.
    constexpr std::size_t steps = 200000;
    const double h = law.lambda / steps;
    double sum = 0;
    double until = 0;
    for (std::size_t i = 1; i < steps; ++i) {
      sum += h * law.density(law.xi + h * static_cast<double>(i));
      if (i == steps / 4) until = sum;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(until, law.cdf(law.xi + law.lambda / 4), h * law.density(law.xi + law.lambda / 4));
  }
}

TEST(JohnsonSb, QuantileInvertsTheDistributionFunctionInBothTails) {
  const JohnsonSb law{.gamma = 0.4, .delta = 1.3, .xi = 2, .lambda = 5};
  for (const double p : {1e-12, 1e-4, 0.3, 0.5, 0.7, 0.9999}) {
    EXPECT_NEAR(law.cdf(law.quantile(p)) / p, 1, 1e-9) << p;
  }
  EXPECT_EQ(law.quantile(0), 2);
  EXPECT_EQ(law.quantile(1), 7);
  EXPECT_THROW(static_cast<void>(law.quantile(-0.1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(law.quantile(std::nan(""))), InvalidArgument);
}

TEST(JohnsonSb, NothingLiesBeyondTheEnds) {
  const JohnsonSb law{.xi = 2, .lambda = 5};
  EXPECT_EQ(law.cdf(2), 0);
  EXPECT_EQ(law.cdf(-1e300), 0);
  EXPECT_EQ(law.cdf(7), 1);
  EXPECT_EQ(law.cdf(8), 1);
  EXPECT_EQ(law.density(1.9), 0);
  EXPECT_EQ(law.density(7), 0);
}

// seed-merat fact 41
TEST(JohnsonSb, LogitOfSamplesHasTheMeanAndVarianceOfTheParameters) {
  const JohnsonSb law{.gamma = -1.2, .delta = 0.8, .xi = 10, .lambda = 3};
  constexpr std::size_t count = 20000;
  double mean = 0;
  double squares = 0;
  for (const double x : samples_of(law, count, 1)) {
    const double y = std::log((x - law.xi) / (law.xi + law.lambda - x));
    mean += y / count;
    squares += y * y / count;
  }
  const double variance = squares - mean * mean;
  const double sd = 1 / law.delta;
  // Five standard errors of a mean and of a variance of normal numbers.
  EXPECT_NEAR(mean, -law.gamma / law.delta, 5 * sd / std::sqrt(count));
  EXPECT_NEAR(variance, sd * sd, 5 * sd * sd * std::sqrt(2.0 / count));
}

// seed-merat fact 41
TEST(JohnsonSbFit, RecoversTheLawThatWasSampled) {
  for (const JohnsonSb& law : {JohnsonSb{.gamma = 0.5, .delta = 0.9, .xi = -2, .lambda = 7},
                               JohnsonSb{.gamma = -1, .delta = 1.2, .xi = 100, .lambda = 0.5}}) {
    const std::vector<double> values = samples_of(law, 5000, 3);
    const JohnsonSbFit fit = fit_johnson_sb(values);
    EXPECT_TRUE(fit.converged);
    // The law is what counts: the largest distance of two distribution functions that were fitted
    // to n values is of the order of 1/sqrt(n) (Kolmogorov); four parameters only lower it.
    for (double p = 0.01; p < 1; p += 0.01) {
      EXPECT_NEAR(fit.law.cdf(law.quantile(p)), p, 1.36 / std::sqrt(5000.0)) << p;
    }
    EXPECT_NEAR(fit.law.xi, law.xi, 0.1 * law.lambda);
    EXPECT_NEAR(fit.law.lambda, law.lambda, 0.1 * law.lambda);
    EXPECT_NEAR(fit.law.delta, law.delta, 0.15 * law.delta);
    EXPECT_NEAR(fit.law.gamma, law.gamma, 0.15);  // standard errors 0.023 and 0.057
  }
}

TEST(JohnsonSbFit, NoNeighbourIsMoreLikely) {
  const std::vector<double> values = samples_of(thesis, 3000, 7);
  const JohnsonSbFit fit = fit_johnson_sb(values);
  const double best = log_likelihood(fit.law, values);
  EXPECT_NEAR(best, fit.log_likelihood, 1e-8 * std::abs(best));
  EXPECT_GE(best, log_likelihood(thesis, values));
  for (const double s : {-1e-3, 1e-3}) {
    for (const JohnsonSb& step : {JohnsonSb{.gamma = s, .delta = 0, .xi = 0, .lambda = 0},
                                  JohnsonSb{.gamma = 0, .delta = s, .xi = 0, .lambda = 0},
                                  JohnsonSb{.gamma = 0, .delta = 0, .xi = s, .lambda = 0},
                                  JohnsonSb{.gamma = 0, .delta = 0, .xi = 0, .lambda = s}}) {
      const JohnsonSb near{.gamma = fit.law.gamma + step.gamma,
                           .delta = fit.law.delta + step.delta,
                           .xi = fit.law.xi + step.xi,
                           .lambda = fit.law.lambda + step.lambda};
      EXPECT_LE(log_likelihood(near, values), best);
    }
  }
}

TEST(JohnsonSbFit, UpperEndStaysWithinItsBound) {
  const JohnsonSb law{.gamma = 0.5, .delta = 0.9, .xi = 0, .lambda = 10};
  const std::vector<double> values = samples_of(law, 500, 5);
  const double largest = *std::ranges::max_element(values);
  const double bound = largest + 0.01;
  const JohnsonSbFit fit = fit_johnson_sb(values, {.largest_upper_end = bound});
  EXPECT_LE(fit.law.xi + fit.law.lambda, bound * (1 + 1e-15));
  EXPECT_GT(fit.law.xi + fit.law.lambda, largest);
  EXPECT_LT(fit.law.xi, *std::ranges::min_element(values));
}

TEST(JohnsonSbFit, ShiftingAndScalingTheValuesDoesThatToTheLaw) {
  const std::vector<double> values = samples_of({.gamma = 0.3, .delta = 1.1}, 2000, 9);
  std::vector<double> moved;
  for (const double value : values) moved.push_back(1000 + 8 * value);
  const JohnsonSb a = fit_johnson_sb(values).law;
  const JohnsonSb b = fit_johnson_sb(moved).law;
  for (double p = 0.05; p < 1; p += 0.1) {
    EXPECT_NEAR(b.quantile(p), 1000 + 8 * a.quantile(p), 1e-4) << p;
  }
}

TEST(JohnsonSbFit, RefusesWhatCannotBeFitted) {
  const std::vector<double> three = {1, 2, 3};
  const std::vector<double> equal(10, 4.0);
  const std::vector<double> infinite = {1, 2, 3, std::numeric_limits<double>::infinity()};
  const std::vector<double> good = {1, 2, 3, 4};
  EXPECT_THROW(static_cast<void>(fit_johnson_sb(three)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(fit_johnson_sb(equal)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(fit_johnson_sb(infinite)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(fit_johnson_sb(good, {.largest_upper_end = 4})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(fit_johnson_sb(good, {.max_evaluations = 0})), InvalidArgument);
  EXPECT_NO_THROW(static_cast<void>(fit_johnson_sb(good)));
  EXPECT_FALSE(fit_johnson_sb(samples_of({}, 100, 1), {.max_evaluations = 5}).converged);
}

TEST(JohnsonSb, ValidateNamesTheParameter) {
  EXPECT_THROW(validate(JohnsonSb{.delta = 0}), InvalidArgument);
  EXPECT_THROW(validate(JohnsonSb{.lambda = -1}), InvalidArgument);
  EXPECT_THROW(validate(JohnsonSb{.gamma = std::nan("")}), InvalidArgument);
  EXPECT_NO_THROW(validate(thesis));
}

TEST(QuantilePairs, LieOnTheDiagonalForTheLawsOwnQuantiles) {
  std::vector<double> values;
  for (const double p : {0.9, 0.1, 0.5, 0.7, 0.3}) values.push_back(thesis.quantile(p));
  const auto pairs = quantile_pairs(thesis, values);
  ASSERT_EQ(pairs.size(), 5u);
  for (const auto& [expected, found] : pairs) EXPECT_NEAR(expected, found, 1e-9);
  EXPECT_TRUE(std::ranges::is_sorted(pairs));
}

}  // namespace
}  // namespace maxmargin

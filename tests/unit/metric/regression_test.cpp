// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Values = std::vector<double>;

TEST(Regression, KnownValues) {
  const Values target = {3, -0.5, 2, 7};
  const Values prediction = {2.5, 0, 2, 8};
  EXPECT_DOUBLE_EQ(mean_squared_error(target, prediction), 0.375);
  EXPECT_DOUBLE_EQ(mean_absolute_error(target, prediction), 0.5);
  EXPECT_DOUBLE_EQ(r_squared(target, prediction), 1 - 1.5 / 29.1875);
}

TEST(Regression, SquaredCorrelationIsBlindToShiftAndScale) {
  Rng rng(1);
  Values target;
  Values prediction;
  Values moved;
  for (int i = 0; i < 40; ++i) {
    target.push_back(rng.normal());
    prediction.push_back(target.back() + rng.normal());
    moved.push_back(5 - 3 * prediction.back());
  }
  const double once = squared_correlation(target, prediction);
  EXPECT_GT(once, 0);
  EXPECT_LT(once, 1);
  EXPECT_NEAR(squared_correlation(target, moved), once, 1e-14);
  EXPECT_NEAR(squared_correlation(prediction, target), once, 1e-15);
  EXPECT_NEAR(squared_correlation(target, target), 1, 1e-15);
}

TEST(Regression, LeastSquaresLineHasR2EqualToSquaredCorrelation) {
  Rng rng(2);
  Values x;
  Values target;
  for (int i = 0; i < 50; ++i) {
    x.push_back(rng.normal());
    target.push_back(2 * x.back() + 1 + rng.normal());
  }
  double mean_x = 0;
  double mean_t = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / 50;
    mean_t += target[i] / 50;
  }
  double xx = 0;
  double xt = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xt += (x[i] - mean_x) * (target[i] - mean_t);
  }
  Values line;
  for (const double value : x) line.push_back(mean_t + xt / xx * (value - mean_x));
  EXPECT_NEAR(r_squared(target, line), squared_correlation(target, line), 1e-13);
}

TEST(Regression, WeightTwoIsTheSameAsTheRowTwice) {
  const Values target = {1, 2, 4};
  const Values prediction = {1.5, 1, 5};
  const Values weights = {1, 2, 1};
  const Values target_twice = {1, 2, 2, 4};
  const Values prediction_twice = {1.5, 1, 1, 5};
  EXPECT_DOUBLE_EQ(mean_squared_error(target, prediction, weights),
                   mean_squared_error(target_twice, prediction_twice));
  EXPECT_DOUBLE_EQ(r_squared(target, prediction, weights),
                   r_squared(target_twice, prediction_twice));
  EXPECT_DOUBLE_EQ(squared_correlation(target, prediction, weights),
                   squared_correlation(target_twice, prediction_twice));
}

TEST(Regression, ALargeOffsetCostsNoDigits) {
  Values target = {1, 2, 4, 7};
  Values prediction = {1, 3, 4, 6};
  const double r2 = r_squared(target, prediction);
  const double correlation = squared_correlation(target, prediction);
  for (double& value : target) value += 1e12;
  for (double& value : prediction) value += 1e12;
  EXPECT_NEAR(r_squared(target, prediction), r2, 1e-12);
  EXPECT_NEAR(squared_correlation(target, prediction), correlation, 1e-12);
}

TEST(Regression, ConstantSidesAreUndefined) {
  const Values constant(7, 0.1);
  const Values varying = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_TRUE(std::isnan(r_squared(constant, varying)));
  EXPECT_TRUE(std::isnan(squared_correlation(constant, varying)));
  EXPECT_TRUE(std::isnan(squared_correlation(varying, constant)));
  EXPECT_TRUE(std::isnan(mean_squared_error(Values{}, Values{})));
}

TEST(Regression, NanTargetsAreUnlabelled) {
  EXPECT_EQ(mean_absolute_error(Values{1, NAN, 3}, Values{2, 100, 3}), 0.5);
  EXPECT_THROW((void)mean_absolute_error(Values{1}, Values{NAN}), InvalidArgument);
  EXPECT_THROW((void)mean_absolute_error(Values{1}, Values{1, 2}), InvalidArgument);
}

TEST(Regression, HugeSpreadsDoNotOverflowTheCorrelation) {
  const Values target = {1e100, 2e100, 4e100};
  const Values prediction = {1e100, 2e100, 3e100};
  EXPECT_NEAR(squared_correlation(target, prediction), 27.0 / 28, 1e-14);
}

}  // namespace
}  // namespace maxmargin

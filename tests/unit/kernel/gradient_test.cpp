// SPDX-License-Identifier: Apache-2.0
#include "kernel/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_cases.hpp"

namespace maxmargin {
namespace {

bool is_rank_one(const Kernel& kernel) {
  const auto* combined = std::get_if<Combined>(&kernel);
  return combined && std::holds_alternative<RankOneRule>(combined->node().rule);
}

Row row_of(const std::vector<double>& values) { return Row(std::span(values)); }

std::vector<double> log_gradient(const Kernel& kernel,
                                 const std::vector<double>& x,
                                 const std::vector<double>& z) {
  std::vector<double> out(x.size());
  log_kernel_gradient(kernel, row_of(x), row_of(z), out);
  return out;
}

TEST(Gradient, OfTheCosineSurvivesTinyAndHugeRows) {
  const std::vector<double> x = {3, 4};
  const std::vector<double> z = {1, 0};
  std::vector<double> expected(2);
  kernel_gradient(Cosine{}, row_of(x), row_of(z), expected);
  // cos(s x, t z) does not depend on s and t, so its gradient in s x is 1/s times as large.
  for (const double s : {0x1p-560, 0x1p-100, 0x1p500}) {
    for (const double t : {0x1p-560, 1.0, 0x1p560}) {
      const std::vector<double> small_x = {3 * s, 4 * s};
      const std::vector<double> small_z = {t, 0};
      std::vector<double> gradient(2);
      kernel_gradient(Cosine{}, row_of(small_x), row_of(small_z), gradient);
      for (std::size_t j = 0; j < 2; ++j) EXPECT_DOUBLE_EQ(gradient[j] * s, expected[j]);
    }
  }
  std::vector<double> at_zero(2, 7.0);
  kernel_gradient(Cosine{}, row_of({0, 0}), row_of(z), at_zero);
  EXPECT_EQ(at_zero, (std::vector<double>{0, 0}));
}

TEST(Gradient, OfTheLogarithmAllowsNegativeFactorsOfAPositiveProduct) {
  const std::vector<double> x = {1, 2};
  const std::vector<double> z = {1, -1};  // x.z = -1, and d ln (x.z)^2 / dx = 2 z / (x.z)
  const std::vector<double> expected = {-2, 2};
  EXPECT_EQ(log_gradient(power_of(Linear{}, 2), x, z), expected);
  EXPECT_EQ(log_gradient(product_of(Linear{}, Linear{}), x, z), expected);
  EXPECT_EQ(log_gradient(scaled(power_of(power_of(Linear{}, 2), 1), 3), x, z), expected);
  EXPECT_THROW(log_gradient(power_of(Linear{}, 3), x, z), InvalidArgument);
}

// seed-merat fact 25: by central differences, for every kernel and rule.
TEST(Gradient, MatchesFiniteDifferencesForEveryKernel) {
  constexpr double step = 1e-5;
  Rng rng(1);
  for (const auto& c : testing::kernel_cases()) {
    if (is_rank_one(c.kernel)) continue;
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<double> x(4);
      std::vector<double> z(4);
      for (std::size_t j = 0; j < 4; ++j) {
        // Entries apart, so that no kink lies between the two evaluations; K stays positive.
        x[j] = rng.uniform(0.2, 1.0);
        z[j] = x[j] + (rng.bernoulli(0.5) ? 0.15 : -0.15);
      }
      std::vector<double> gradient(4);
      kernel_gradient(c.kernel, row_of(x), row_of(z), gradient);
      const double value = evaluate(c.kernel, row_of(x), row_of(z));
      for (std::size_t j = 0; j < 4; ++j) {
        std::vector<double> up = x;
        std::vector<double> down = x;
        up[j] += step;
        down[j] -= step;
        const double high = evaluate(c.kernel, row_of(up), row_of(z));
        const double low = evaluate(c.kernel, row_of(down), row_of(z));
        // Third derivatives times step^2 / 6, and rounding eps / step.
        const double tolerance = 1e-8 * (1 + std::abs(value));
        EXPECT_NEAR(gradient[j], (high - low) / (2 * step), tolerance) << kernel_name(c.kernel);
        if (value <= 0) continue;
        EXPECT_NEAR(log_gradient(c.kernel, x, z)[j],
                    (std::log(high) - std::log(low)) / (2 * step),
                    1e-8 * (1 + 1 / value))
            << kernel_name(c.kernel);
      }
    }
  }
}

// seed-merat fact 25 with the constants of FC-34 and FC-35, in terms of sigma.
TEST(Gradient, PolarizationsHaveTheCorrectedConstants) {
  const double sigma = 1.7;
  const std::vector<double> x = {0.7, 0.2, 0.4};
  const std::vector<double> y = {0.5, 0.3, 0.9};
  const double l1 = 0.2 + 0.1 + 0.5;
  const double signs[] = {1, -1, -1};
  const auto gaussian = log_gradient(Rbf{1 / (2 * sigma * sigma)}, x, y);
  const auto laplace = log_gradient(Laplace{1 / (2 * sigma * sigma)}, x, y);
  const auto absdiff = log_gradient(Absdiff{1 / (2 * sigma * sigma)}, x, y);
  const auto absdiff_swapped = log_gradient(Absdiff{1 / (2 * sigma * sigma)}, y, x);
  const auto sentropic = log_gradient(Sentropic{1 / (sigma * sigma)}, x, y);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(gaussian[i], -(x[i] - y[i]) / (sigma * sigma), 1e-15);
    EXPECT_NEAR(laplace[i], -signs[i] / (2 * sigma * sigma), 1e-15);
    EXPECT_NEAR(absdiff[i], -signs[i] / (4 * sigma * sigma * std::sqrt(l1)), 1e-15);
    EXPECT_NEAR(absdiff_swapped[i], -absdiff[i], 1e-15);
    EXPECT_NEAR(sentropic[i], -(1 - y[i] / x[i] + std::log(x[i] / y[i])) / (sigma * sigma), 1e-15);
  }
}

TEST(Gradient, SurvivesBetweenFarPointsWhereTheKernelUnderflows) {
  const std::vector<double> x = {100, 0};
  const std::vector<double> z = {-100, 0};
  EXPECT_EQ(evaluate(Rbf{}, row_of(x), row_of(z)), 0);
  EXPECT_EQ(log_gradient(Rbf{}, x, z)[0], -400);
  EXPECT_EQ(log_gradient(product_of(Rbf{}, Laplace{}), x, z)[0], -401);
  EXPECT_EQ(log_gradient(power_of(scaled(Rbf{}, 2), 3), x, z)[0], -1200);
}

TEST(Gradient, KinksAndCuspsGetTheDocumentedValue) {
  const std::vector<double> x = {1, 2};
  const std::vector<double> z = {1, 3};
  EXPECT_EQ(log_gradient(Laplace{}, x, z)[0], 0);
  EXPECT_EQ(log_gradient(Absdiff{}, x, x), (std::vector<double>{0, 0}));
  EXPECT_EQ(log_gradient(ChiSquare{}, {0, 1}, {0, 1}), (std::vector<double>{0, 0}));
  std::vector<double> out(2);
  kernel_gradient(HistogramIntersection{}, row_of(x), row_of(z), out);
  EXPECT_EQ(out, (std::vector<double>{0.5, 1}));
}

TEST(Gradient, SparseRowsGiveTheDenseAnswer) {
  for (const auto& c : testing::kernel_cases()) {
    if (is_rank_one(c.kernel)) continue;
    const DenseMatrix data = testing::data_for(c, 7, 2, 6, 0.4);
    const Examples sparse = testing::as_sparse(data);
    std::vector<double> a(6);
    std::vector<double> b(6);
    kernel_gradient(c.kernel, Row(data.row(0)), Row(data.row(1)), a);
    kernel_gradient(c.kernel, sparse.row(0), sparse.row(1), b);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(a[j], b[j], 1e-14 * (1 + std::abs(a[j]))) << kernel_name(c.kernel);
    }
  }
}

TEST(Gradient, WhereThereIsNoneItSaysSo) {
  const std::vector<double> x = {1};
  const std::vector<double> z = {-1};
  std::vector<double> out(1);
  std::vector<double> none;
  EXPECT_THROW(log_kernel_gradient(Linear{}, row_of(x), row_of(z), out), InvalidArgument);
  EXPECT_THROW(kernel_gradient(Precomputed{}, row_of(x), row_of(z), out), InvalidArgument);
  EXPECT_THROW(
      kernel_gradient(rank_one("f", [](const Row&) { return 1.0; }), row_of(x), row_of(z), out),
      InvalidArgument);
  EXPECT_THROW(kernel_gradient(Linear{}, row_of(x), row_of(z), none), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/kernel_machines.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "point_sets.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::gram_by_formula;
using testing::least_of_convex;
using testing::random_feasible;
using testing::random_signs;
using testing::random_weights;

/// A linear machine written out: points, the vector w of a dual point, and w.x_i.
struct Explicit {
  DenseMatrix x;
  HeldMatrix matrix;
  std::vector<std::int8_t> signs;
  std::vector<double> targets;
  std::vector<double> weights;

  explicit Explicit(std::uint64_t seed, std::size_t n = 13, std::size_t d = 3)
      : x(gaussian_points(n, d, seed)), matrix(gram_by_formula(Linear{}, x)) {
    Rng rng(seed, "explicit");
    signs = random_signs(n, rng);
    weights = random_weights(n, rng);
    weights[3] = 0;
    for (std::size_t i = 0; i < n; ++i) targets.push_back(rng.normal());
  }
  [[nodiscard]] std::size_t size() const { return x.rows(); }
  [[nodiscard]] double total() const {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  [[nodiscard]] std::vector<double> w(const SvmDual& problem, std::span<const double> b) const {
    std::vector<double> result(x.cols(), 0.0);
    for (std::size_t v = 0; v < b.size(); ++v) {
      for (std::size_t j = 0; j < x.cols(); ++j) result[j] += b[v] * x(problem.row_of(v), j);
    }
    return result;
  }
  [[nodiscard]] double dot(std::span<const double> w, std::size_t i) const {
    return std::inner_product(w.begin(), w.end(), x.row(i).begin(), 0.0);
  }
};

double square(std::span<const double> w) {
  return std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
}

class TextbookPrimal : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  Explicit data{GetParam()};
  Rng rng{GetParam(), "dual points"};

  /// `primal(w, t)` for the problem's own offsets and no other is the residuals' primal.
  void expect_primal(const SvmDual& problem,
                     const std::function<double(std::span<const double> w,
                                                std::span<const double> offsets)>& primal) {
    for (int draw = 0; draw < 5; ++draw) {
      const std::vector<double> b = random_feasible(problem, rng);
      const SvmDualResiduals found = residuals(problem, b);
      const std::vector<double> w = data.w(problem, b);
      const double expected = primal(w, found.offsets);
      EXPECT_NEAR(found.primal, expected, 1e-10 * (1 + std::abs(expected)));
      std::vector<double> other = found.offsets;
      for (double& t : other) t += rng.normal();
      EXPECT_LE(found.primal, primal(w, other) + 1e-10);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, TextbookPrimal, ::testing::Values(1, 2, 3));

TEST_P(TextbookPrimal, OfCSvcIsTheHinge) {
  for (const bool bias : {true, false}) {
    for (const double c : {0.1, 3.0}) {
      const SvmDual problem =
          c_svc_dual(data.matrix, data.signs, data.weights, {.c = c, .bias = bias});
      EXPECT_EQ(problem.group.empty(), !bias);
      expect_primal(problem, [&](auto w, auto t) {
        double value = 0.5 * square(w);
        for (std::size_t i = 0; i < data.size(); ++i) {
          const double f = data.dot(w, i) + (bias ? t[0] : 0.0);
          value += c * data.weights[i] * std::max(0.0, 1 - data.signs[i] * f);
        }
        return value;
      });
    }
  }
}

TEST_P(TextbookPrimal, OfSquaredSlacksIsTheSquaredHinge) {
  for (const bool bias : {true, false}) {
    const double c = 0.8;
    const SvmDual problem = c_svc_dual(
        data.matrix, data.signs, data.weights, {.c = c, .slacks = SlackPower::two, .bias = bias});
    expect_primal(problem, [&](auto w, auto t) {
      double value = 0.5 * square(w);
      for (std::size_t i = 0; i < data.size(); ++i) {
        const double f = data.dot(w, i) + (bias ? t[0] : 0.0);
        const double slack = std::max(0.0, 1 - data.signs[i] * f);
        value += c * data.weights[i] * slack * slack;
      }
      return value;
    });
  }
}

TEST_P(TextbookPrimal, OfNuSvcHasItsOffsetsAroundTheStreet) {
  const double nu = 0.2;
  const SvmDual problem = nu_svc_dual(data.matrix, data.signs, data.weights, nu);
  expect_primal(problem, [&](auto w, auto t) {
    const double b = 0.5 * (t[0] + t[1]);
    const double rho = 0.5 * (t[1] - t[0]);
    double value = 0.5 * square(w) - nu * data.total() * rho;
    for (std::size_t i = 0; i < data.size(); ++i) {
      value += data.weights[i] * std::max(0.0, rho - data.signs[i] * (data.dot(w, i) + b));
    }
    return value;
  });
}

TEST_P(TextbookPrimal, OfSvrIsTheTube) {
  const double c = 1.7;
  for (const double epsilon : {0.0, 0.3}) {
    for (const bool bias : {true, false}) {
      const SvmDual problem = svr_dual(data.matrix, data.targets, data.weights, c, epsilon, bias);
      expect_primal(problem, [&](auto w, auto t) {
        double value = 0.5 * square(w);
        for (std::size_t i = 0; i < data.size(); ++i) {
          const double f = data.dot(w, i) + (bias ? t[0] : 0.0);
          value += c * data.weights[i] * std::max(0.0, std::abs(data.targets[i] - f) - epsilon);
        }
        return value;
      });
    }
  }
}

TEST_P(TextbookPrimal, OfNuSvrPaysForTheTube) {
  const double c = 0.6;
  const double nu = 0.5;
  const SvmDual problem = nu_svr_dual(data.matrix, data.targets, data.weights, c, nu);
  expect_primal(problem, [&](auto w, auto t) {
    const double b = 0.5 * (t[0] + t[1]);
    const double epsilon = 0.5 * (t[0] - t[1]);
    double value = 0.5 * square(w) + c * nu * data.total() * epsilon;
    for (std::size_t i = 0; i < data.size(); ++i) {
      // One slack for each side: with epsilon < 0 both may be positive.
      const double residual = data.targets[i] - data.dot(w, i) - b;
      value += c * data.weights[i] *
               (std::max(0.0, residual - epsilon) + std::max(0.0, -residual - epsilon));
    }
    return value;
  });
}

TEST_P(TextbookPrimal, OfOneClassPushesTheDataFromTheOrigin) {
  const double nu = 0.3;
  const SvmDual problem = one_class_dual(data.matrix, data.weights, nu);
  expect_primal(problem, [&](auto w, auto t) {
    const double rho = -t[0];
    double value = 0.5 * square(w) - nu * data.total() * rho;
    for (std::size_t i = 0; i < data.size(); ++i) {
      value += data.weights[i] * std::max(0.0, rho - data.dot(w, i));
    }
    return value;
  });
}

TEST_P(TextbookPrimal, OfTheSphereIsHalfItsSquaredRadiusAndSlacks) {
  for (const double nu : {0.25, 0.6}) {
    const SvmDual problem = svdd_dual(data.matrix, data.weights, nu);
    expect_primal(problem, [&](auto centre, auto t) {
      const double squared_radius = square(centre) + 2 * t[0];
      double value = squared_radius;
      for (std::size_t i = 0; i < data.size(); ++i) {
        const double cost = std::min(1.0, data.weights[i] / (nu * data.total()));
        const double distance = squared_distance(data.x.row(i), centre);
        value += cost * std::max(0.0, distance - squared_radius);
      }
      return 0.5 * value;
    });
  }
}

TEST(KernelMachines, AWeightOfTwoIsTheExampleTwice) {
  const DenseMatrix x = gaussian_points(6, 2, 8);
  const HeldMatrix once(gram_by_formula(Linear{}, x));
  const std::vector<std::size_t> rows = {0, 1, 2, 3, 4, 5, 2};
  const HeldMatrix twice(gram_by_formula(Linear{}, Examples(DenseMatrix(x)).select(rows)));
  const std::vector<std::int8_t> signs = {1, -1, 1, -1, 1, -1};
  const std::vector<std::int8_t> more_signs = {1, -1, 1, -1, 1, -1, 1};
  const std::vector<double> weights = {1, 1, 2, 1, 1, 1};
  const std::vector<double> ones(7, 1.0);
  for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
    const SvmDual heavy = c_svc_dual(once, signs, weights, {.c = 0.5, .slacks = slacks});
    const SvmDual many = c_svc_dual(twice, more_signs, ones, {.c = 0.5, .slacks = slacks});
    const SvmDualResiduals a =
        residuals(heavy, std::vector<double>{0.1, -0.3, 0.6, -0.5, 0.3, -0.2});
    const SvmDualResiduals b =
        residuals(many, std::vector<double>{0.1, -0.3, 0.3, -0.5, 0.3, -0.2, 0.3});
    EXPECT_NEAR(a.primal, b.primal, 1e-12);
    EXPECT_NEAR(a.dual, b.dual, 1e-12);
  }
}

TEST(KernelMachines, TellTheLargestNuThatTheClassesAllow) {
  const HeldMatrix held(matrix(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  const std::vector<std::int8_t> signs = {1, -1, -1};
  const std::vector<double> weights = {1, 2, 1};
  EXPECT_NO_THROW(static_cast<void>(nu_svc_dual(held, signs, weights, 0.5)));
  try {
    static_cast<void>(nu_svc_dual(held, signs, weights, 0.6));
    FAIL() << "nu = 0.6 needs a weight of 1.2 in a class of weight 1";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("--nu 0.6: must be at most"), std::string::npos) << message;
    EXPECT_NE(message.find("0.5"), std::string::npos) << message;
  }
  const std::vector<std::int8_t> one_class = {1, 1, 1};
  EXPECT_THROW(static_cast<void>(nu_svc_dual(held, one_class, weights, 0.1)), InvalidArgument);
}

TEST(KernelMachines, RejectSettingsOutsideTheirRange) {
  const HeldMatrix held(matrix(2, {1, 0, 0, 1}));
  const std::vector<std::int8_t> signs = {1, -1};
  const std::vector<double> ones = {1, 1};
  const std::vector<double> one = {1};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double c : {0.0, -1.0, nan}) {
    EXPECT_THROW(static_cast<void>(c_svc_dual(held, signs, ones, {.c = c})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(svr_dual(held, ones, ones, c, 0.1, true)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(nu_svr_dual(held, ones, ones, c, 0.1)), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(svr_dual(held, ones, ones, infinity, 0.1, true)), InvalidArgument);
  for (const double nu : {0.0, -0.1, 1.1, nan}) {
    EXPECT_THROW(static_cast<void>(nu_svc_dual(held, signs, ones, nu)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(nu_svr_dual(held, ones, ones, 1, nu)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(one_class_dual(held, ones, nu)), InvalidArgument);
  }
  for (const double nu : {-0.1, 1.0, nan}) {
    EXPECT_THROW(static_cast<void>(svdd_dual(held, ones, nu)), InvalidArgument);
  }
  for (const double epsilon : {-0.1, nan, infinity}) {
    EXPECT_THROW(static_cast<void>(svr_dual(held, ones, ones, 1, epsilon, true)), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(c_svc_dual(held, signs, one, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(svr_dual(held, one, ones, 1, 0.1, true)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(one_class_dual(held, one, 0.5)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(svdd_dual(held, one, 0.5)), InvalidArgument);
}

TEST(KernelMachines, AZeroWeightTakesAnExampleOut) {
  const HeldMatrix held(gram_by_formula(Linear{}, gaussian_points(4, 2, 1)));
  const std::vector<std::int8_t> signs = {1, -1, 1, -1};
  const std::vector<double> weights = {1, 1, 0, 1};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double c : {1.0, infinity}) {
    for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
      const SvmDual problem = c_svc_dual(held, signs, weights, {.c = c, .slacks = slacks});
      EXPECT_NO_THROW(validate(problem));
      EXPECT_EQ(problem.lower[2], 0);
      EXPECT_EQ(problem.upper[2], 0);
    }
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/unit_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// f(V) = <A, V V'> + 1/4 sum of (row sums)^4: quadratic and not, with Hessian on demand.
class TestFunction final : public UnitRowsFunction {
 public:
  explicit TestFunction(DenseMatrix a, double quartic = 0) : a_(std::move(a)), quartic_(quartic) {}

  double evaluate(DenseView v, MutableDenseView gradient) override {
    ++evaluations;
    v_ = DenseMatrix(v.rows, v.cols);
    for (std::size_t i = 0; i < v.rows; ++i) std::ranges::copy(v.row(i), v_.row(i).begin());
    gemm(Transpose::no, Transpose::no, 2.0, a_.view(), v, 0.0, gradient);
    double value = 0;
    for (std::size_t i = 0; i < v.rows; ++i) {
      value += 0.5 * dot(gradient.row(i), v.row(i));
      const double sum = row_sum(v, i);
      value += quartic_ / 4 * std::pow(sum, 4);
      for (double& g : gradient.row(i)) g += quartic_ * std::pow(sum, 3);
    }
    return value;
  }
  void hessian_product(DenseView direction, MutableDenseView product) override {
    gemm(Transpose::no, Transpose::no, 2.0, a_.view(), direction, 0.0, product);
    for (std::size_t i = 0; i < v_.rows(); ++i) {
      const double sum = row_sum(v_.view(), i);
      const double moved = row_sum(direction, i);
      for (double& p : product.row(i)) p += 3 * quartic_ * sum * sum * moved;
    }
  }
  [[nodiscard]] const DenseMatrix& last() const { return v_; }
  std::size_t evaluations = 0;

 private:
  static double row_sum(DenseView v, std::size_t i) {
    double sum = 0;
    for (const double x : v.row(i)) sum += x;
    return sum;
  }
  DenseMatrix a_;
  double quartic_;
  DenseMatrix v_;
};

/// Adjacency of the cycle of five points over 2: <A, M> = sum over edges of M_ij.
DenseMatrix five_cycle() {
  DenseMatrix a(5, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t j = (i + 1) % 5;
    a(i, j) = a(j, i) = 0.5;
  }
  return a;
}

DenseMatrix random_matrix(std::size_t n, std::size_t r, std::uint64_t seed) {
  Rng rng(seed, "unit rows test");
  DenseMatrix v(n, r);
  for (double& x : v.values()) x = rng.normal();
  return v;
}

DenseMatrix random_symmetric(std::size_t n, std::uint64_t seed) {
  DenseMatrix a = random_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
  }
  return a;
}

// seed-xu fact 27: the max-cut relaxation of the cycle of five, (25 + 5 sqrt 5) / 8, is 1/4 <L, M>
// = 1/4 (10 - 2 sum over edges of M_ij), so the sum over edges is 5 cos(4 pi / 5) at its least.
TEST(UnitRows, FiveCycleReachesTheKnownRelaxation) {
  TestFunction f(five_cycle());
  const UnitRowsSolution found =
      minimize_over_unit_rows(f, random_matrix(5, 3, 1), {.gradient_tolerance = 1e-9});
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_NEAR(0.25 * (10 - 2 * found.value), (25 + 5 * std::sqrt(5)) / 8, 1e-9);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(dot(found.v.row(i), found.v.row(i)), 1, 1e-12);
  }
}

TEST(UnitRows, GradientIsSmallAndValueNeverRises) {
  TestFunction f(random_symmetric(30, 2), 0.1);
  double last = std::numeric_limits<double>::infinity();
  const UnitRowsSolution found = minimize_over_unit_rows(
      f,
      random_matrix(30, 9, 3),
      {.gradient_tolerance = 1e-5, .context = {.on_progress = [&](const Progress& progress) {
                                     EXPECT_LE(*progress.primal_objective, last + 1e-9);
                                     last = *progress.primal_objective;
                                     return Continue::yes;
                                   }}});
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_LE(found.gradient_norm, 1e-5);
  // The last evaluation was at the answer.
  for (std::size_t k = 0; k < found.v.values().size(); ++k) {
    EXPECT_EQ(found.v.values()[k], f.last().values()[k]);
  }
  EXPECT_EQ(found.evaluations, f.evaluations);
}

TEST(UnitRows, SameForAnyNumberOfThreads) {
  const auto solve = [&](std::size_t threads) {
    TestFunction f(random_symmetric(200, 4), 0.05);
    return minimize_over_unit_rows(
        f, random_matrix(200, 21, 5), {.max_iterations = 6, .context = {.threads = threads}});
  };
  const UnitRowsSolution one = solve(1);
  for (const std::size_t threads : {2U, 4U}) {
    const UnitRowsSolution other = solve(threads);
    EXPECT_EQ(one.value, other.value);
    EXPECT_TRUE(std::ranges::equal(one.v.values(), other.v.values()));
  }
}

TEST(UnitRows, CallbackEndsTheRunWithTheBestSoFar) {
  TestFunction f(random_symmetric(20, 6));
  const UnitRowsSolution found = minimize_over_unit_rows(
      f,
      random_matrix(20, 7, 7),
      {.context = {.on_progress = [](const Progress&) { return Continue::time_is_up; }}});
  EXPECT_EQ(found.status, Status::time_limit);
  EXPECT_LE(found.iterations, 1U);
}

TEST(UnitRows, TwoStartsFindTheSameMinimum) {
  TestFunction f(random_symmetric(25, 8));
  const UnitRowsOptions options{.gradient_tolerance = 1e-7};
  const double first = minimize_over_unit_rows(f, random_matrix(25, 8, 9), options).value;
  const double second = minimize_over_unit_rows(f, random_matrix(25, 8, 10), options).value;
  EXPECT_NEAR(first, second, 1e-9 * std::abs(first));
}

TEST(UnitRows, OneColumnLeavesNothingToDo) {
  TestFunction f(five_cycle());
  const UnitRowsSolution found = minimize_over_unit_rows(f, DenseMatrix(5, 1, 2.0));
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_EQ(found.iterations, 0U);
  EXPECT_NEAR(found.value, 5, 1e-12);
}

TEST(UnitRows, WrongCallsAreRefused) {
  TestFunction f(five_cycle());
  EXPECT_THROW((void)minimize_over_unit_rows(f, DenseMatrix(5, 0)), InvalidArgument);
  EXPECT_THROW((void)minimize_over_unit_rows(f, DenseMatrix(5, 2, std::nan(""))), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.gradient_tolerance = -1}), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.value_tolerance = -1}), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.max_inner_iterations = 0}), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.radius = 0.0}), InvalidArgument);
  EXPECT_THROW(validate(UnitRowsOptions{.context = {.threads = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

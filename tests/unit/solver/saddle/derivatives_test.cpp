// SPDX-License-Identifier: Apache-2.0
//
// Gradients and Hessian products of all forms of saddles against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/saddle/label_saddle.hpp"
#include "solver/saddle/weight_saddle.hpp"
#include "weight_cases.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t n = 7;
constexpr std::size_t columns = 3;

DenseMatrix random_rows(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed, "derivatives");
  DenseMatrix v(rows, columns);
  for (double& x : v.values()) x = rng.normal();
  return v;
}

void normalize(DenseMatrix& v) {
  for (std::size_t i = 0; i < v.rows(); ++i) {
    const double length = std::sqrt(dot(v.row(i), v.row(i)));
    for (double& x : v.row(i)) x /= length;
  }
}

/// V + t X with its rows scaled to length 1: a curve in the matrices with unit rows.
DenseMatrix moved(const DenseMatrix& v, const DenseMatrix& x, double t) {
  DenseMatrix result = v;
  for (std::size_t k = 0; k < v.values().size(); ++k) result.values()[k] += t * x.values()[k];
  normalize(result);
  return result;
}

double inner(const DenseMatrix& a, const DenseMatrix& b) { return dot(a.values(), b.values()); }

/// A direction along the rows' spheres.
DenseMatrix tangent(const DenseMatrix& v, std::uint64_t seed) {
  DenseMatrix x = random_rows(v.rows(), seed);
  for (std::size_t i = 0; i < v.rows(); ++i) {
    axpy(-dot(x.row(i), v.row(i)), v.row(i), x.row(i));
  }
  return x;
}

/// Along the curve through V in the direction X: f' = <g, X>, and f'' = <X, H X> - sum_i |X_i|^2
/// g_i.V_i, the curve's own curvature being -|X_i|^2 V_i.
void expect_derivatives(UnitRowsFunction& f, std::size_t rows, const std::string& name) {
  DenseMatrix v = random_rows(rows, 1);
  normalize(v);
  const DenseMatrix x = tangent(v, 2);
  DenseMatrix gradient(rows, columns);
  DenseMatrix other(rows, columns);
  const double step = 1e-4;
  const double up = f.evaluate(moved(v, x, step).view(), other.view());
  const double down = f.evaluate(moved(v, x, -step).view(), other.view());
  const double value = f.evaluate(v.view(), gradient.view());
  const double slope = inner(gradient, x);
  EXPECT_NEAR((up - down) / (2 * step), slope, 1e-5 * (1 + std::abs(slope))) << name;

  DenseMatrix product(rows, columns);
  f.hessian_product(x.view(), product.view());
  double bend = inner(product, x);
  for (std::size_t i = 0; i < rows; ++i) {
    bend -= dot(x.row(i), x.row(i)) * dot(gradient.row(i), v.row(i));
  }
  EXPECT_NEAR((up - 2 * value + down) / (step * step), bend, 1e-4 * (1 + std::abs(bend))) << name;

  // The Hessian is symmetric.
  const DenseMatrix y = tangent(v, 3);
  DenseMatrix second(rows, columns);
  f.hessian_product(y.view(), second.view());
  EXPECT_NEAR(inner(product, y), inner(second, x), 1e-6 * (1 + std::abs(inner(second, x)))) << name;
}

TEST(SaddleDerivatives, OfLabelsMatchDifferences) {
  const DenseMatrix gram = rbf_gram(normal_points(n, 2, 4), 0.5);
  const std::vector<signed char> some = {0, 1, 0, 0, -1, 1, 0};
  for (const LabelBalance balance : {LabelBalance::none, LabelBalance::rows, LabelBalance::total}) {
    for (const bool with_labels_given : {false, true}) {
      for (const double centre : {0.0, 1.5}) {
        if (centre != 0 && !with_labels_given) continue;
        LabelSaddle problem{
            .matrix = gram.view(), .c = 3, .balance = balance, .imbalance = 0.5, .centre = centre};
        if (with_labels_given) problem.labels = some;
        const auto f = smooth_label_saddle(problem, {.barrier = 0.02, .penalty = 0.3});
        expect_derivatives(*f,
                           label_rows(problem),
                           std::string(to_string(balance)) + (with_labels_given ? " given " : " ") +
                               std::to_string(centre));
      }
    }
  }
}

TEST(SaddleDerivatives, OfWeightsMatchDifferences) {
  const DenseMatrix q = noisy_examples(n, 3, false);
  for (const std::optional<double> kept :
       {std::optional<double>(), std::optional<double>(0.1), std::optional<double>(0.95)}) {
    const WeightSaddle problem{.matrix = q.view(), .c = 3, .kept = kept};
    const auto f = smooth_weight_saddle(problem, {.barrier = 0.02, .penalty = 0.7});
    expect_derivatives(*f, n + 1, kept ? "kept " + std::to_string(*kept) : "robust hinge");
  }
}

// Without a balance in the way the smooth function tends to omega as the barrier falls.
TEST(SaddleDerivatives, SmoothValuesTendToOmega) {
  const DenseMatrix gram = rbf_gram(normal_points(n, 2, 4), 0.5);
  DenseMatrix v = random_rows(n, 5);
  normalize(v);
  DenseMatrix m(n, n);
  gemm(Transpose::no, Transpose::yes, 1.0, v.view(), v.view(), 0.0, m.view());
  const double omega = plain_omega(gram.view(), 3, m.view());
  DenseMatrix gradient(n, columns);
  const auto f = smooth_label_saddle({.matrix = gram.view(), .c = 3}, {.barrier = 1e-8});
  EXPECT_NEAR(f->evaluate(v.view(), gradient.view()), omega, 1e-5);
}

TEST(SaddleDerivatives, WrongOptionsAreRefused) {
  const DenseMatrix gram = golden_a();
  const LabelSaddle problem{.matrix = gram.view()};
  EXPECT_THROW((void)smooth_label_saddle(problem, {.barrier = 0}), InvalidArgument);
  EXPECT_THROW((void)smooth_label_saddle(problem, {.penalty = -1}), InvalidArgument);
  EXPECT_THROW((void)smooth_label_saddle({}), InvalidArgument);
  EXPECT_THROW((void)smooth_weight_saddle({}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

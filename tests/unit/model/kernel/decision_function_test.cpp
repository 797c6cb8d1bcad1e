// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/decision_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

const DecisionOptions exact{.precision = ValuePrecision::exact};

/// A matrix whose entries are there with probability `share`.
SparseMatrix scattered(std::size_t n, std::size_t d, double share, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix dense(n, d, 0.0);
  for (double& x : dense.values()) {
    if (rng.bernoulli(share)) x = rng.uniform(0.1, 1);
  }
  return to_sparse(dense.view());
}

DenseMatrix positive_points(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, d);
  for (double& x : points.values()) x = rng.uniform(0.1, 1);
  return points;
}

KernelExpansion expansion_of(Kernel kernel,
                             Examples vectors,
                             std::size_t functions,
                             std::uint64_t seed) {
  KernelExpansion expansion{.kernel = std::move(kernel), .vectors = std::move(vectors)};
  expansion.coefficients = gaussian_points(expansion.vectors.rows(), functions, seed);
  Rng rng(seed + 1);
  for (std::size_t f = 0; f < functions; ++f) expansion.offsets.push_back(rng.normal());
  return expansion;
}

/// The coefficients of all pairs of k classes: vector i is of class i % k, and some are 0.
DenseMatrix pairwise_coefficients(std::size_t n, std::size_t k, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix coefficients(n, k * (k - 1) / 2, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t f = 0;
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = a + 1; b < k; ++b, ++f) {
        if (i % k != a && i % k != b) continue;
        if (rng.bernoulli(0.7)) continue;
        coefficients(i, f) = (i % k == a ? 1 : -1) * rng.uniform(0, 3);
      }
    }
  }
  return coefficients;
}

/// Straight from the definition.
DenseMatrix plain_values(const KernelExpansion& expansion, const Examples& examples) {
  DenseMatrix values(examples.rows(), expansion.coefficients.cols(), 0.0);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const Row x = examples.row(i);
    for (std::size_t f = 0; f < values.cols(); ++f) {
      double sum = expansion.offsets[f];
      for (std::size_t v = 0; v < expansion.vectors.rows(); ++v) {
        sum +=
            expansion.coefficients(v, f) * evaluate(expansion.kernel, x, expansion.vectors.row(v));
      }
      if (expansion.minus_self) sum -= evaluate(expansion.kernel, x, x);
      values(i, f) = sum;
    }
  }
  return values;
}

/// Sum over the vectors of |coefficient| |K|, the scale on which sums are rounded.
double scale_of(const KernelExpansion& expansion, const Examples& examples) {
  double largest = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (std::size_t f = 0; f < expansion.coefficients.cols(); ++f) {
      double sum = std::abs(expansion.offsets[f]);
      for (std::size_t v = 0; v < expansion.vectors.rows(); ++v) {
        sum += std::abs(expansion.coefficients(v, f) *
                        evaluate(expansion.kernel, examples.row(i), expansion.vectors.row(v)));
      }
      largest = std::max(largest, sum);
    }
  }
  return largest;
}

void expect_near(const DenseMatrix& values, const DenseMatrix& expected, double tolerance) {
  ASSERT_EQ(values.rows(), expected.rows());
  ASSERT_EQ(values.cols(), expected.cols());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t f = 0; f < values.cols(); ++f) {
      EXPECT_NEAR(values(i, f), expected(i, f), tolerance) << "row " << i << ", function " << f;
    }
  }
}

std::vector<Kernel> kernels() {
  return {Linear{},
          Polynomial{.gamma = 0.5, .coef0 = 1, .degree = 3},
          Rbf{.gamma = 0.7},
          Laplace{.gamma = 0.3},
          Absdiff{},
          Sentropic{.gamma = 0.2},
          Sigmoid{.gamma = 0.1},
          Cosine{},
          HistogramIntersection{},
          ChiSquare{},
          sum_of(Rbf{.gamma = 0.1}, Linear{})};
}

TEST(DecisionFunction, ExactValuesAreTheSumsOfKernels) {
  const Examples dense = positive_points(40, 6, 1);
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(kernel_name(kernel));
    const KernelExpansion expansion = expansion_of(kernel, positive_points(30, 6, 2), 3, 3);
    const double tolerance = 1e-13 * scale_of(expansion, dense);
    expect_near(
        decision_values(expansion, dense, exact), plain_values(expansion, dense), tolerance);
  }
}

TEST(DecisionFunction, FastValuesAreWithinTheirBounds) {
  const Examples dense = positive_points(150, 6, 1);
  const Examples sparse = scattered(150, 60, 0.1, 2);
  for (const bool is_dense : {true, false}) {
    const Examples& examples = is_dense ? dense : sparse;
    for (const Kernel& kernel : kernels()) {
      if (!is_dense && std::holds_alternative<Sentropic>(kernel)) continue;
      SCOPED_TRACE(kernel_name(kernel) + (is_dense ? " dense" : " sparse"));
      const Examples vectors =
          is_dense ? Examples(positive_points(90, 6, 3)) : Examples(scattered(90, 60, 0.1, 4));
      const KernelExpansion expansion = expansion_of(kernel, vectors, 2, 5);
      const BoundedValues bounded = bounded_decision_values(expansion, examples);
      const DenseMatrix expected = decision_values(expansion, examples, exact);
      if (bounded.errors.values().empty()) {
        expect_near(bounded.values, expected, 0.0);
        continue;
      }
      double widest = 0;
      for (std::size_t i = 0; i < expected.rows(); ++i) {
        for (std::size_t f = 0; f < 2; ++f) {
          EXPECT_LE(std::abs(bounded.values(i, f) - expected(i, f)), bounded.errors(i, f));
          widest = std::max(widest, bounded.errors(i, f));
        }
      }
      EXPECT_LT(widest, 1e-4 * scale_of(expansion, examples));
    }
  }
}

/// Far from the origin, wide and narrow: where rounding is at its worst.
TEST(DecisionFunction, BoundsHoldForUncomfortableData) {
  for (const double gamma : {1e-4, 1.0, 300.0}) {
    for (const double shift : {0.0, 1000.0}) {
      DenseMatrix points = gaussian_points(80, 40, 6);
      for (double& x : points.values()) x = 3 * x + shift;
      DenseMatrix near = gaussian_points(60, 40, 7);
      for (std::size_t i = 0; i < near.rows(); ++i) {
        for (std::size_t j = 0; j < 40; ++j) near(i, j) = points(i, j) + 0.01 * near(i, j);
      }
      const KernelExpansion expansion = expansion_of(Rbf{.gamma = gamma}, points, 1, 8);
      for (const DenseMatrix& examples : {points, near}) {
        const BoundedValues bounded = bounded_decision_values(expansion, examples);
        const DenseMatrix expected = plain_values(expansion, examples);
        for (std::size_t i = 0; i < examples.rows(); ++i) {
          EXPECT_LE(std::abs(bounded.values(i, 0) - expected(i, 0)),
                    bounded.errors(i, 0) + 1e-12 * (1 + std::abs(expected(i, 0))));
        }
      }
    }
  }
}

TEST(DecisionFunction, AllPairsAreSummedOverTheirOwnVectors) {
  // More vectors than a block holds, in an order that mixes the classes.
  const std::size_t k = 5;
  KernelExpansion expansion{.kernel = Rbf{.gamma = 0.4}, .vectors = gaussian_points(1500, 3, 9)};
  expansion.coefficients = pairwise_coefficients(1500, k, 10);
  expansion.offsets.assign(k * (k - 1) / 2, 0.25);
  const Examples examples = gaussian_points(40, 3, 11);
  const DenseMatrix expected = plain_values(expansion, examples);
  expect_near(decision_values(expansion, examples, exact), expected, 1e-11);
  const BoundedValues bounded = bounded_decision_values(expansion, examples);
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    for (std::size_t f = 0; f < expected.cols(); ++f) {
      EXPECT_LE(std::abs(bounded.values(i, f) - expected(i, f)), bounded.errors(i, f) + 1e-11);
      EXPECT_LT(bounded.errors(i, f), 0.01);
    }
  }
}

TEST(DecisionFunction, IsTheSameForAnyThreadCount) {
  const Examples dense = gaussian_points(700, 5, 12);
  const KernelExpansion expansion =
      expansion_of(Rbf{.gamma = 0.4}, gaussian_points(300, 5, 13), 3, 14);
  const LinearFunctions linear{gaussian_points(3, 5, 15), {1, 2, 3}};
  for (const ValuePrecision precision : {ValuePrecision::fast, ValuePrecision::exact}) {
    for (const DecisionFunction& functions :
         {DecisionFunction(expansion), DecisionFunction(linear)}) {
      const BoundedValues one = bounded_decision_values(
          functions, dense, {.context = {.threads = 1}, .precision = precision});
      for (const std::size_t threads : {2u, 4u}) {
        const BoundedValues several = bounded_decision_values(
            functions, dense, {.context = {.threads = threads}, .precision = precision});
        EXPECT_TRUE(std::ranges::equal(one.values.values(), several.values.values()));
        EXPECT_TRUE(std::ranges::equal(one.errors.values(), several.errors.values()));
      }
    }
  }
}

TEST(DecisionFunction, LinearFunctionsAreDotProducts) {
  const DenseMatrix points = gaussian_points(300, 4, 16);
  const LinearFunctions functions{gaussian_points(2, 4, 17), {0.5, -1}};
  const LinearFunctions single{gaussian_points(1, 4, 17), {0.5}};
  for (const Examples& examples : {Examples(points), Examples(to_sparse(points.view()))}) {
    const DenseMatrix values = decision_values(functions, examples);
    const DenseMatrix first = decision_values(single, examples);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      EXPECT_NEAR(first(i, 0), values(i, 0), 1e-13);
      for (std::size_t f = 0; f < 2; ++f) {
        const double expected =
            examples.row(i).dot(functions.weights.row(f)) + functions.offsets[f];
        EXPECT_NEAR(values(i, f), expected, 1e-13);
      }
    }
  }
  EXPECT_TRUE(bounded_decision_values(functions, points).errors.values().empty());
}

TEST(DecisionFunction, MissingFeaturesAreZeroAndExtraOnesAreIgnored) {
  const SparseMatrix wide = scattered(50, 60, 0.15, 18);
  DenseMatrix cut(50, 40, 0.0);
  DenseMatrix narrow(50, 60, 0.0);  // as wide with the last features gone
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 40; ++j) cut(i, j) = narrow(i, j) = Row(wide.row(i)).at(j);
  }
  for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{}), Kernel(Polynomial{})}) {
    SCOPED_TRACE(kernel_name(kernel));
    const KernelExpansion forty = expansion_of(kernel, scattered(30, 40, 0.15, 19), 2, 20);
    expect_near(
        decision_values(forty, wide, exact), plain_values(forty, to_sparse(cut.view())), 1e-12);
    const KernelExpansion sixty = expansion_of(kernel, scattered(30, 60, 0.15, 21), 2, 22);
    expect_near(decision_values(sixty, to_sparse(cut.view()), exact),
                plain_values(sixty, to_sparse(narrow.view())),
                1e-12);
    EXPECT_THROW(static_cast<void>(decision_values(sixty, cut)), InvalidArgument);
  }
  const LinearFunctions linear{gaussian_points(2, 40, 23), {0, 0}};
  expect_near(decision_values(linear, wide), decision_values(linear, cut), 1e-13);
  EXPECT_THROW(static_cast<void>(decision_values(linear, narrow)), InvalidArgument);
}

TEST(DecisionFunction, ASphereSubtractsTheOwnKernelValue) {
  const Examples examples = gaussian_points(20, 3, 24);
  for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{}), Kernel(Polynomial{})}) {
    KernelExpansion expansion = expansion_of(kernel, gaussian_points(10, 3, 25), 1, 26);
    expansion.minus_self = true;
    const double tolerance = 1e-12 * (1 + scale_of(expansion, examples));
    expect_near(
        decision_values(expansion, examples, exact), plain_values(expansion, examples), tolerance);
  }
}

TEST(DecisionFunction, PrecomputedKernelsReadNewRowsAgainstOldColumns) {
  const Examples old_points = gaussian_points(12, 2, 27);
  const Examples new_points = gaussian_points(7, 2, 28);
  const std::vector<std::size_t> support = {1, 4, 5, 11};
  const KernelExpansion direct = expansion_of(Rbf{}, old_points.select(support), 2, 29);
  KernelExpansion looked_up = direct;
  looked_up.kernel =
      Precomputed{std::make_shared<const DenseMatrix>(cross_gram(Rbf{}, new_points, old_points))};
  looked_up.vectors = index_examples(12).select(support);
  expect_near(decision_values(looked_up, index_examples(7)),
              decision_values(direct, new_points, exact),
              1e-13);
  EXPECT_THROW(static_cast<void>(decision_values(looked_up, index_examples(8))), InvalidArgument);
  looked_up.minus_self = true;
  EXPECT_THROW(static_cast<void>(decision_values(looked_up, index_examples(7))), InvalidArgument);
}

TEST(DecisionFunction, NoVectorsLeaveTheOffset) {
  const KernelExpansion expansion{.kernel = Rbf{},
                                  .vectors = DenseMatrix(0, 3),
                                  .coefficients = DenseMatrix(0, 1),
                                  .offsets = {-2}};
  for (const auto precision : {ValuePrecision::fast, ValuePrecision::exact}) {
    const DenseMatrix values =
        decision_values(expansion, gaussian_points(4, 3, 30), {.precision = precision});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values(i, 0), -2);
    EXPECT_EQ(decision_values(expansion, DenseMatrix(0, 3), {.precision = precision}).rows(), 0u);
  }
}

TEST(DecisionFunction, BadPartsAndExamplesAreRefused) {
  KernelExpansion expansion = expansion_of(Rbf{}, gaussian_points(5, 2, 31), 2, 32);
  DenseMatrix bad = gaussian_points(3, 2, 33);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(decision_values(expansion, bad)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(decision_values(LinearFunctions{DenseMatrix(1, 2), {0}}, bad)),
               InvalidArgument);
  EXPECT_THROW(validate(LinearFunctions{DenseMatrix(2, 2), {0}}), InvalidArgument);
  expansion.offsets.pop_back();
  EXPECT_THROW(validate(expansion), InvalidArgument);
  expansion.offsets = {0, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(validate(expansion), InvalidArgument);
  expansion.offsets = {0, 0};
  expansion.training_rows = {1, 2};
  EXPECT_THROW(validate(expansion), InvalidArgument);
  expansion.training_rows.clear();
  expansion.coefficients = DenseMatrix(4, 2);
  EXPECT_THROW(validate(expansion), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/label_alternation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/saddle/label_saddle.hpp"
#include "solver/saddle/unit_box_qp.hpp"

namespace maxmargin {
namespace {

/// The maximiser of omega, by coordinate ascent.
std::vector<double> plain_maximiser(DenseView kernel, double c, DenseView v) {
  const std::size_t n = kernel.rows;
  std::vector<double> l(n, 0.0);
  for (std::size_t pass = 0; pass < 20000; ++pass) {
    for (std::size_t i = 0; i < n; ++i) {
      double rest = 1;
      double own = 0;
      for (std::size_t j = 0; j < n; ++j) {
        double m = 0;
        for (std::size_t k = 0; k < v.cols; ++k) m += v(i, k) * v(j, k);
        if (j == i) {
          own = c * kernel(i, i) * m;
        } else {
          rest -= c * kernel(i, j) * m * l[j];
        }
      }
      l[i] = std::clamp(rest / own, 0.0, 1.0);
    }
  }
  return l;
}

DenseMatrix unit_rows(std::size_t n, std::size_t r, std::uint64_t seed) {
  DenseMatrix v(n, r);
  Rng rng(seed, "rows");
  for (std::size_t i = 0; i < n; ++i) {
    double square = 0;
    for (double& x : v.row(i)) {
      x = rng.normal();
      square += x * x;
    }
    for (double& x : v.row(i)) x /= std::sqrt(square);
  }
  return v;
}

// Proposition 1 of Xu's section 5.4: the least of the joint form over l is omega(M), for labellings
// and for any other M.
TEST(LabelAlternation, MinimumAndMaximumFormAgree) {
  const DenseMatrix gram = rbf_gram(normal_points(8, 2, 1), 0.7);
  const LabelSaddle problem{.matrix = gram.view(), .c = 3};
  for (const std::size_t columns : {1U, 3U}) {
    const DenseMatrix v = unit_rows(8, columns, 2);
    DenseMatrix m(8, 8);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        for (std::size_t k = 0; k < columns; ++k) m(i, j) += v(i, k) * v(j, k);
      }
    }
    const double omega = plain_omega(gram.view(), 3, m.view());
    const std::vector<double> best = plain_maximiser(gram.view(), 3, v.view());
    EXPECT_NEAR(joint_label_value(problem, v.view(), best), omega, 1e-9);
    // No other point of the box is below.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Rng rng(seed, "box");
      std::vector<double> l(8);
      for (double& x : l) x = rng.uniform();
      EXPECT_GE(joint_label_value(problem, v.view(), l), omega - 1e-12);
    }
  }
}

TEST(LabelAlternation, ValueNeverRisesAndStaysAboveTheRelaxation) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(20, 2, seed), 1);
    const LabelSaddle problem{.matrix = gram.view(), .c = 5};
    const LabelAlternation found = alternate_label_matrix(problem, {.context = {.seed = seed}});
    ASSERT_FALSE(found.values.empty());
    for (std::size_t i = 1; i < found.values.size(); ++i) {
      EXPECT_LE(found.values[i], found.values[i - 1]);
    }
    const LabelSaddleSolution relaxed = solve_label_saddle(problem);
    EXPECT_GE(found.values.back(), relaxed.lower_bound * (1 - 1e-9));
    EXPECT_LE(found.lower_bound, relaxed.value * (1 + 1e-9));
    EXPECT_EQ(found.lower_bound, std::max(0.0, label_saddle_bound(problem, found.certificate)));
    EXPECT_NEAR(joint_label_value(problem, found.v.view(), found.lambda),
                found.values.back(),
                1e-2 * found.values.back());
  }
}

// Values far below the number of points: the barrier must follow them down.
TEST(LabelAlternation, NarrowKernelsAndLargeCAreSolved) {
  const DenseMatrix gram = rbf_gram(normal_points(40, 2, 5), 6);
  const LabelSaddle problem{.matrix = gram.view(), .c = 100};
  const LabelAlternation found = alternate_label_matrix(problem);
  const double relaxed = solve_label_saddle(problem).value;
  EXPECT_GE(found.values.back(), 0.99 * relaxed);
  EXPECT_LE(found.values.back(), 1.2 * relaxed);
}

TEST(LabelAlternation, SameForAnyNumberOfThreads) {
  const DenseMatrix gram = rbf_gram(normal_points(15, 2, 4), 1);
  const LabelSaddle problem{.matrix = gram.view(), .c = 2};
  const LabelAlternation one = alternate_label_matrix(problem, {.context = {.threads = 1}});
  const LabelAlternation two = alternate_label_matrix(problem, {.context = {.threads = 3}});
  EXPECT_EQ(one.values, two.values);
}

TEST(LabelAlternation, RefusesWrongArguments) {
  const DenseMatrix gram(2, 2, 1.0);
  const LabelSaddle problem{.matrix = gram.view()};
  EXPECT_THROW((void)alternate_label_matrix(problem, {.columns = 0}), InvalidArgument);
  EXPECT_THROW((void)alternate_label_matrix(problem, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)alternate_label_matrix({.matrix = DenseMatrix(1, 2).view()}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

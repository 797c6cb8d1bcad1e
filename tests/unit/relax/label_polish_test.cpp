// SPDX-License-Identifier: Apache-2.0
#include "relax/label_polish.hpp"

#include <gtest/gtest.h>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "problem/borrowed_matrix.hpp"

namespace maxmargin {
namespace {

TEST(FitLabels, HasTheObjectiveOfThePlainTwin) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(9, 2, seed), 1);
    const BorrowedMatrix matrix(gram.view());
    const Signs signs = {1, -1, 1, -1, 1, -1, 1, -1, 1};
    for (const double c : {0.5, 10.0}) {
      const FittedLabels fit = fit_labels(matrix, signs, {.c = c, .tolerance = 1e-9});
      const double omega = plain_omega(gram.view(), c, outer_product(signs).view());
      EXPECT_NEAR(fit.objective, c * omega, 1e-7 * c * omega);
    }
  }
}

// Labels that a machine in the plane cannot explain, at a C that makes it try: the limit ends it.
TEST(FitLabels, TakesNoMoreStepsThanAllowed) {
  const DenseMatrix gram = linear_gram(normal_points(30, 2, 3));
  const BorrowedMatrix matrix(gram.view());
  Signs signs(30, 1);
  for (std::size_t i = 0; i < 30; i += 2) signs[i] = -1;
  const FittedLabels limited = fit_labels(matrix, signs, {.c = 1e6, .steps_a_point = 10});
  EXPECT_EQ(limited.status, Status::iteration_limit);
  EXPECT_EQ(fit_labels(matrix, signs, {.c = 1, .steps_a_point = 1000}).status, Status::solved);
  EXPECT_THROW((void)polish_labels(matrix, signs, {.steps_a_point = 0}), InvalidArgument);
}

// seed-xu fact 55 (two-class): train and relabel never raise the objective, and at the fixed point
// of an inactive balance every point is on its own side.
TEST(PolishLabels, NeverWorseThanTheStartAndConsistentAtTheEnd) {
  std::size_t inactive = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const DenseMatrix gram = linear_gram(normal_points(20, 3, seed));
    const BorrowedMatrix matrix(gram.view());
    Rng rng(seed);
    std::vector<double> scores(20);
    for (double& score : scores) score = rng.normal();
    const Signs start = balanced_signs(scores, 2);
    const LabelPolishOptions options{.c = 5, .least = 2, .tolerance = 1e-8};
    const double before = fit_labels(matrix, start, options).objective;
    const FittedLabels end = polish_labels(matrix, start, options);
    EXPECT_LE(end.objective, before * (1 + 1e-7));
    EXPECT_TRUE(is_balanced(end.signs, 2));
    if (is_balanced(end.signs, 3)) {
      ++inactive;
      for (std::size_t i = 0; i < 20; ++i) EXPECT_GE(end.signs[i] * end.values[i], -1e-6);
    }
  }
  EXPECT_GT(inactive, 0U);
}

// On few points the search ends where no single flip and no swap of a pair is better, by brute
// force over all of them.
TEST(ExchangeLabels, EndsWhereNoFlipOrSwapIsBetter) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(10, 2, seed), 1.5);
    const BorrowedMatrix matrix(gram.view());
    const LabelPolishOptions options{.c = 10, .least = 4, .tolerance = 1e-9, .exchanges = 1000};
    Signs start(10, 1);
    for (std::size_t i = 0; i < 10; i += 2) start[i] = -1;
    FittedLabels labels = fit_labels(matrix, start, options);
    const double before = labels.objective;
    const bool changed = exchange_labels(matrix, labels, options);
    EXPECT_EQ(changed, labels.signs != start);
    EXPECT_LE(labels.objective, before);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Signs other = labels.signs;
        other[i] = static_cast<std::int8_t>(-other[i]);
        if (j != i) {
          if (other[j] != other[i]) continue;  // a swap is between opposite labels
          other[j] = static_cast<std::int8_t>(-other[j]);
        }
        if (!is_balanced(other, 4)) continue;
        const double omega = plain_omega(gram.view(), 10, outer_product(other).view());
        EXPECT_GE(10 * omega, labels.objective * (1 - 2e-6));
      }
    }
  }
}

// Two trainings to a gap of 1e-2 may differ by that on the same labels: no gain.
TEST(ExchangeLabels, TakesNoGainThatTheTrainingMayHide) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(20, 2, seed), 1.5);
    const BorrowedMatrix matrix(gram.view());
    const LabelPolishOptions options{.c = 100, .least = 8, .tolerance = 1e-2};
    Signs start(20, 1);
    for (std::size_t i = 0; i < 20; i += 2) start[i] = -1;
    FittedLabels labels = fit_labels(matrix, start, options);
    const double before = labels.objective;
    if (exchange_labels(matrix, labels, options)) {
      EXPECT_LT(labels.objective, before * (1 - 1e-2));
    }
  }
}

TEST(PolishLabels, OptionsAreChecked) {
  EXPECT_THROW(validate(LabelPolishOptions{.c = 0}), InvalidArgument);
  EXPECT_THROW(validate(LabelPolishOptions{.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(validate(LabelPolishOptions{.max_rounds = 0}), InvalidArgument);
  EXPECT_THROW(validate(LabelPolishOptions{.context = {.threads = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

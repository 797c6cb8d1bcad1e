// SPDX-License-Identifier: Apache-2.0
//
// Rounding and polishing with labels that are given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "problem/borrowed_matrix.hpp"
#include "relax/label_rounding.hpp"
#include "relax/label_search.hpp"

namespace maxmargin {
namespace {

std::vector<Signs> all_allowed(std::size_t n, const LabelRule& rule) {
  std::vector<Signs> all;
  for (unsigned bits = 0; bits < (1U << n); ++bits) {
    Signs signs(n);
    for (std::size_t i = 0; i < n; ++i) signs[i] = ((bits >> i) & 1U) != 0 ? 1 : -1;
    if (is_allowed(signs, rule)) all.push_back(std::move(signs));
  }
  return all;
}

// Least hinge loss for fixed values, over all labellings that follow the rule.
TEST(LabelRule, SignsHaveTheLeastHingeLossOfAllThatFollowIt) {
  Rng rng(5);
  const Signs given = {0, 1, 0, -1, 0, 0, 1, 0};
  for (int k = 0; k < 40; ++k) {
    std::vector<double> values(8);
    for (double& value : values) value = rng.normal(k % 3 - 1.0, 1.5);
    const auto loss = [&](const Signs& signs) {
      double sum = 0;
      for (std::size_t i = 0; i < 8; ++i) sum += std::max(0.0, 1 - signs[i] * values[i]);
      return sum;
    };
    for (const auto& [least, most] : {std::pair{0U, 8U}, std::pair{3U, 4U}, std::pair{6U, 7U}}) {
      const LabelRule rule{.least_positive = least, .most_positive = most, .given = given};
      double best = std::numeric_limits<double>::infinity();
      for (const Signs& signs : all_allowed(8, rule)) best = std::min(best, loss(signs));
      const Signs found = balanced_signs(values, rule);
      EXPECT_TRUE(is_allowed(found, rule));
      EXPECT_NEAR(loss(found), best, 1e-12);
    }
  }
}

TEST(LabelRule, WhatNoLabellingFollowsIsRefused) {
  const std::vector<double> scores = {1, 2, 3};
  const Signs given = {1, 1, 0};
  EXPECT_THROW((void)balanced_signs(scores, LabelRule{.most_positive = 1, .given = given}),
               InvalidArgument);
  EXPECT_THROW((void)balanced_signs(scores, LabelRule{.least_positive = 4}), InvalidArgument);
  const Signs few = {1};
  EXPECT_THROW((void)balanced_signs(scores, LabelRule{.given = few}), InvalidArgument);
}

// M = y y' gives y back, turned to agree with the labels given, from every rounding.
TEST(LabelRule, RoundingsAgreeWithTheLabelsGiven) {
  const Signs truth = {-1, 1, 1, -1, -1, 1, -1, 1};
  const Signs given = {0, 1, 0, -1, 0, 0, 0, 0};
  DenseMatrix v(8, 2);
  for (std::size_t i = 0; i < 8; ++i) v(i, 0) = truth[i];
  const LabelRule rule{.given = given};
  const std::vector<LabelCandidate> found =
      round_label_matrix(v.view(), {.rule = rule, .eigenvectors = 1, .restarts = 3});
  EXPECT_EQ(found.front().origin, "labels");
  for (const LabelCandidate& candidate : found) EXPECT_EQ(candidate.signs, truth);
}

TEST(LabelRule, PolishingAndExchangesKeepWhatIsGiven) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const std::size_t n = 10;
    const DenseMatrix gram = rbf_gram(normal_points(n, 2, seed), 0.7);
    const BorrowedMatrix matrix(gram.view());
    const Signs given = {1, 0, 0, -1, 0, 0, 1, 0, 0, -1};
    const LabelRule rule{.least_positive = 4, .most_positive = 6, .given = given};
    const LabelPolishOptions options{.c = 10, .rule = rule, .tolerance = 1e-7};
    const Signs start = balanced_signs(std::vector<double>(n, 0.0), rule);
    const FittedLabels first = fit_labels(matrix, start, options);
    FittedLabels polished = polish_labels(matrix, start, options);
    EXPECT_TRUE(is_allowed(polished.signs, rule));
    EXPECT_LE(polished.objective, first.objective * (1 + 1e-6));
    const double before = polished.objective;
    (void)exchange_labels(matrix, polished, options);
    EXPECT_TRUE(is_allowed(polished.signs, rule));
    EXPECT_LE(polished.objective, before);
  }
}

TEST(LabelSearch, FindsTheBestOfAllLabellingsThatFollowTheRule) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const std::size_t n = 9;
    const double c = 5;
    const DenseMatrix gram = rbf_gram(normal_points(n, 2, seed), 0.7);
    const Signs given = {1, 0, 0, -1, 0, 0, 0, 0, 0};
    const LabelRule rule{.least_positive = 4, .most_positive = 5, .given = given};
    double best = std::numeric_limits<double>::infinity();
    for (const Signs& signs : all_allowed(n, rule)) {
      best = std::min(best, c * plain_omega(gram.view(), c, outer_product(signs).view()));
    }
    DenseMatrix v(n, 3);
    Rng rng(seed, "rows");
    for (double& x : v.values()) x = rng.normal();
    const LabelSearchAnswer found =
        search_roundings(gram, v.view(), {}, {.c = c, .rule = rule, .restarts = 10});
    EXPECT_TRUE(is_allowed(found.best.signs, rule));
    EXPECT_NEAR(found.best.objective, best, 1e-6 * best) << seed;
    EXPECT_GE(found.tried, 1U);
  }
}

TEST(LabelSearch, RefusesCandidatesAgainstTheRule) {
  const DenseMatrix gram = golden_a();
  const DenseMatrix v(6, 1, 1.0);
  const Signs given = {1, 0, 0, 0, 0, -1};
  const std::vector<LabelCandidate> wrong = {{"mine", Signs{-1, 1, 1, 1, 1, 1}}};
  EXPECT_THROW((void)search_roundings(gram, v.view(), wrong, {.rule = {.given = given}}),
               InvalidArgument);
}

// Columns of very different size and labels at random: a training of many steps. A stop ends it
// after some, and what there is then is an answer.
TEST(LabelSearch, AStopEndsTheFirstTraining) {
  const std::size_t n = 60;
  auto points = normal_points(n, 3, 4);
  for (auto& point : points) point[0] *= 1e3;
  const DenseMatrix gram = linear_gram(points);
  const auto search = [&](const ProgressCallback& on_progress) {
    return search_roundings(gram,
                            DenseMatrix(n, 1, 1.0).view(),
                            {},
                            {.c = 100,
                             .rule = {.least_positive = 28, .most_positive = 32},
                             .restarts = 1,
                             .context = {.on_progress = on_progress}});
  };
  const LabelSearchAnswer found = search([&](const Progress&) { return Continue::time_is_up; });
  EXPECT_EQ(found.answer, Continue::time_is_up);
  EXPECT_EQ(found.best.status, Status::time_limit);
  double square = 0;
  double hinges = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double value = 0;
    for (std::size_t j = 0; j < n; ++j) value += gram(i, j) * found.best.coefficients[j];
    square += value * found.best.coefficients[i];
    hinges += std::max(0.0, 1 - found.best.signs[i] * value);
  }
  const double objective = 0.5 * square + 100 * hinges;
  EXPECT_NEAR(found.best.objective, objective, 1e-6 * objective);
  EXPECT_LE(objective, 100.0 * n) << "that of w = 0";
}

}  // namespace
}  // namespace maxmargin

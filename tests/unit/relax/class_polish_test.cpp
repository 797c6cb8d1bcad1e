// SPDX-License-Identifier: Apache-2.0
#include "relax/class_polish.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

ClassRules any_sizes(std::size_t classes, std::size_t n) {
  return {.least = std::vector<std::size_t>(classes, 1),
          .most = std::vector<std::size_t>(classes, n)};
}

// Golden MC: the machine of labels 001122, in our units C omega.
TEST(FitClasses, GoldenMachine) {
  const DenseMatrix gram = golden_mc();
  const FittedClasses fit =
      fit_classes(gram.view(), 3, {0, 0, 1, 1, 2, 2}, {.c = 2, .tolerance = 1e-9});
  EXPECT_NEAR(fit.objective, 2 * 0.549347642, 1e-7);
  EXPECT_NEAR(fit.dual, 2 * 0.549347642, 1e-7);
  EXPECT_LE(fit.dual, fit.objective);
  const FittedClasses other =
      fit_classes(gram.view(), 3, {0, 0, 1, 1, 2, 2}, {.c = 0.2, .tolerance = 1e-9});
  EXPECT_NEAR(other.objective, 0.2 * 4.357366069, 1e-7);
  // From another machine the answer is the same.
  const FittedClasses restarted =
      fit_classes(gram.view(), 3, {0, 0, 1, 1, 2, 2}, {.c = 0.2, .tolerance = 1e-9}, &fit);
  EXPECT_NEAR(restarted.objective, other.objective, 1e-8);
}

TEST(ClassLosses, ByHand) {
  DenseMatrix values(1, 3);
  values(0, 0) = 2;
  values(0, 1) = 1.5;
  values(0, 2) = -1;
  const DenseMatrix losses = class_losses(values.view());
  EXPECT_DOUBLE_EQ(losses(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(losses(0, 1), 1.5);
  EXPECT_DOUBLE_EQ(losses(0, 2), 4);
}

TEST(ClassLosses, AreThoseOfCrammerAndSinger) {
  DenseMatrix values(10, 4);
  Rng rng(3, "costs");
  for (double& x : values.values()) x = rng.normal();
  const DenseMatrix losses = class_losses(values.view());
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t r = 0; r < 4; ++r) {
      double loss = 0;
      for (std::size_t s = 0; s < 4; ++s) {
        loss = std::max(loss, (s == r ? 0.0 : 1.0) + values(i, s) - values(i, r));
      }
      EXPECT_DOUBLE_EQ(losses(i, r), loss);
    }
  }
}

// seed-xu fact 55, the multi-class half: train and relabel never raises the objective, and at its
// end every point has the largest value in its own class.
TEST(PolishClasses, NeverWorseThanTheStartAndSettled) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(12, 2, seed), 0.5);
    Rng rng(seed, "start");
    ClassLabels start = {0, 1, 2};
    while (start.size() < 12) start.push_back(static_cast<std::int32_t>(rng.index(3)));
    const ClassPolishOptions options{.c = 5, .tolerance = 1e-6};
    const ClassRules rules = any_sizes(3, 12);
    const double before = fit_classes(gram.view(), 3, start, options).objective;
    const FittedClasses after = polish_classes(gram.view(), rules, start, options);
    EXPECT_LE(after.objective, before * (1 + 1e-6));
    EXPECT_TRUE(rules.allow(after.labels));
    for (std::size_t i = 0; i < 12; ++i) {
      const std::span<const double> f = after.values.row(i);
      const double own = f[static_cast<std::size_t>(after.labels[i])];
      EXPECT_GE(own, *std::ranges::max_element(f) - 1e-6);
    }
  }
}

// On few points the search ends at the best of all labellings nearly always; here it does.
TEST(SearchClasses, FindsTheBestLabellingOfFewPoints) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(6, 2, seed), 1);
    const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.01);
    ClassRules rules = any_sizes(3, 6);
    rules.least = rules.most = {2, 2, 2};
    const ClassSearch found = search_classes(
        gram.view(), rules, {{"a", {0, 1, 2, 0, 1, 2}}, {"b", {0, 0, 1, 1, 2, 2}}}, {.c = 2});
    EXPECT_EQ(found.tried, 2U);
    EXPECT_NEAR(found.best.objective, 2 * best_labelling_omega(problem, 600), 1e-4);
  }
}

TEST(SearchClasses, KeepsKnownClassesAndNames) {
  const DenseMatrix gram = rbf_gram(normal_points(8, 2, 3), 1);
  ClassRules rules = any_sizes(3, 8);
  rules.known = {2, -1, 0, -1, -1, 1, -1, -1};
  const ClassLabels start = {2, 0, 0, 1, 2, 1, 0, 1};
  const ClassSearch found = search_classes(gram.view(), rules, {{"a", start}}, {.c = 2});
  EXPECT_TRUE(rules.allow(found.best.labels));
  EXPECT_EQ(found.winner, "a");
  EXPECT_THROW(
      (void)search_classes(gram.view(), rules, {{"wrong", {0, 0, 0, 1, 2, 1, 0, 1}}}, {.c = 2}),
      InvalidArgument);
  EXPECT_THROW((void)search_classes(gram.view(), rules, {}, {.c = 2}), InvalidArgument);
}

TEST(SearchClasses, AStopStillHasAnAnswer) {
  const DenseMatrix gram = rbf_gram(normal_points(8, 2, 3), 1);
  const ClassSearch found = search_classes(
      gram.view(),
      any_sizes(2, 8),
      {{"a", {0, 0, 0, 0, 1, 1, 1, 1}}, {"b", {0, 1, 0, 1, 0, 1, 0, 1}}},
      {.c = 2, .context = {.on_progress = [](const Progress&) { return Continue::time_is_up; }}});
  EXPECT_EQ(found.answer, Continue::time_is_up);
  EXPECT_EQ(found.best.labels.size(), 8U);
  EXPECT_GT(found.best.objective, 0);
}

TEST(SearchClasses, SameForAnyNumberOfThreads) {
  const DenseMatrix gram = rbf_gram(normal_points(40, 2, 4), 1);
  std::vector<ClassCandidate> candidates;
  Rng rng(1);
  for (std::size_t k = 0; k < 6; ++k) {
    ClassLabels labels;
    for (std::size_t i = 0; i < 40; ++i) {
      labels.push_back(i < 3 ? static_cast<std::int32_t>(i)
                             : static_cast<std::int32_t>(rng.index(3)));
    }
    candidates.push_back({std::to_string(k), labels});
  }
  const ClassSearch one = search_classes(
      gram.view(), any_sizes(3, 40), candidates, {.c = 1, .context = {.threads = 1}});
  const ClassSearch three = search_classes(
      gram.view(), any_sizes(3, 40), candidates, {.c = 1, .context = {.threads = 3}});
  EXPECT_EQ(one.best.objective, three.best.objective);
  EXPECT_EQ(one.best.labels, three.best.labels);
  EXPECT_EQ(one.winner, three.winner);
}

}  // namespace
}  // namespace maxmargin

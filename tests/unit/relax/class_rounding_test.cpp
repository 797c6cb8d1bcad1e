// SPDX-License-Identifier: Apache-2.0
#include "relax/class_rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

ClassRules equal_rules(std::size_t classes, std::size_t least, std::size_t most) {
  return {.least = std::vector<std::size_t>(classes, least),
          .most = std::vector<std::size_t>(classes, most)};
}

double total(DenseView scores, const ClassLabels& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += scores(i, static_cast<std::size_t>(labels[i]));
  }
  return sum;
}

/// The largest total of all allowed labellings.
double best_total(DenseView scores, const ClassRules& rules) {
  double best = -std::numeric_limits<double>::infinity();
  ClassLabels labels(scores.rows, 0);
  for (;;) {
    if (rules.allow(labels)) best = std::max(best, total(scores, labels));
    std::size_t place = 0;
    while (place < labels.size() && ++labels[place] == static_cast<std::int32_t>(scores.cols)) {
      labels[place++] = 0;
    }
    if (place == labels.size()) return best;
  }
}

// Random scores, sizes (different ones a class) and known points against all labellings.
TEST(BestAllowedClasses, EqualsEnumeration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, "assignment");
    const std::size_t n = 3 + rng.index(4);
    const std::size_t classes = 2 + rng.index(3);
    DenseMatrix scores(n, classes);
    for (double& x : scores.values()) x = rng.normal() + (rng.bernoulli(0.3) ? 2 : 0);
    // All points like class 0 best in some, so that sizes matter.
    for (std::size_t i = 0; i < n; ++i) scores(i, 0) += rng.uniform(0, 2);
    ClassRules rules;
    for (std::size_t r = 0; r < classes; ++r) {
      rules.least.push_back(rng.index(2));
      rules.most.push_back(rules.least.back() + rng.index(n));
    }
    rules.known.assign(n, -1);
    if (rng.bernoulli(0.5)) {
      rules.known[rng.index(n)] = static_cast<std::int32_t>(rng.index(classes));
    }
    const double best = best_total(scores.view(), rules);
    if (!std::isfinite(best)) {
      EXPECT_THROW((void)best_allowed_classes(scores.view(), rules), InvalidArgument) << seed;
      continue;
    }
    const ClassLabels labels = best_allowed_classes(scores.view(), rules);
    EXPECT_TRUE(rules.allow(labels)) << seed;
    EXPECT_NEAR(total(scores.view(), labels), best, 1e-12) << seed;
  }
}

TEST(BestAllowedClasses, WithoutPressureIsTheLargestScore) {
  const DenseMatrix scores(3, 2, 0.0);
  EXPECT_EQ(best_allowed_classes(scores.view(), equal_rules(2, 0, 3)), (ClassLabels{0, 0, 0}));
  EXPECT_EQ(best_allowed_classes(scores.view(), equal_rules(2, 1, 2)), (ClassLabels{1, 0, 0}));
}

TEST(BestAllowedClasses, RefusesWhatCannotBe) {
  DenseMatrix scores(3, 2, 0.0);
  EXPECT_THROW((void)best_allowed_classes(scores.view(), equal_rules(2, 2, 3)), InvalidArgument);
  EXPECT_THROW((void)best_allowed_classes(scores.view(), equal_rules(2, 0, 1)), InvalidArgument);
  EXPECT_THROW((void)best_allowed_classes(scores.view(), equal_rules(3, 0, 3)), InvalidArgument);
  ClassRules known = equal_rules(2, 0, 3);
  known.known = {0, 2, -1};
  EXPECT_THROW((void)best_allowed_classes(scores.view(), known), InvalidArgument);
  scores(1, 1) = std::nan("");
  EXPECT_THROW((void)best_allowed_classes(scores.view(), equal_rules(2, 0, 3)), InvalidArgument);
}

TEST(CanonicalLabels, NamesAreByFirstUse) {
  EXPECT_EQ(canonical_labels(ClassLabels{2, 0, 2, 1}), (ClassLabels{0, 1, 0, 2}));
  EXPECT_EQ(canonical_labels(ClassLabels{}), ClassLabels{});
}

// A label matrix of a clustering is rounded to that clustering, whatever the rounding.
TEST(RoundClassMatrix, HardLabelsComeBack) {
  const ClassLabels truth = {0, 1, 2, 1, 0, 2, 2, 1, 0};
  const DenseMatrix m = equivalence(indicator(truth, 3));
  const std::vector<ClassCandidate> found =
      round_class_matrix(m.view(), equal_rules(3, 3, 3), {.restarts = 5});
  // k-means on 2 of 3 equal eigenvalues may mix; the others may not.
  EXPECT_EQ(canonical_labels(found.front().labels), canonical_labels(truth));
  EXPECT_EQ(found.size(), 7U);
  for (const ClassCandidate& candidate : found) {
    EXPECT_TRUE(equal_rules(3, 3, 3).allow(candidate.labels)) << candidate.origin;
  }
}

// Known points name the clusters.
TEST(RoundClassMatrix, KnownPointsGiveTheNames) {
  const ClassLabels truth = {2, 0, 1, 0, 2, 1, 1, 0, 2};
  const DenseMatrix d = indicator(truth, 3);
  ClassRules rules = equal_rules(3, 2, 4);
  rules.known = {2, 0, 1, -1, -1, -1, -1, -1, -1};
  const std::vector<ClassCandidate> found =
      round_class_matrix(equivalence(d).view(), rules, {.restarts = 0});
  EXPECT_EQ(found.front().labels, truth);
  EXPECT_EQ(round_memberships(d.view(), rules).labels, truth);
}

TEST(RoundClassComponents, FindsFarGroups) {
  std::vector<std::vector<double>> points;
  ClassLabels truth;
  for (std::size_t i = 0; i < 12; ++i) {
    const double angle = 2.1 * static_cast<double>(i % 3);
    points.push_back({10 * std::cos(angle) + 0.1 * static_cast<double>(i), 10 * std::sin(angle)});
    truth.push_back(static_cast<std::int32_t>(i % 3));
  }
  const DenseMatrix gram = linear_gram(points);
  for (const ClassCandidate& candidate :
       round_class_components(gram.view(), equal_rules(3, 4, 4), {})) {
    EXPECT_EQ(canonical_labels(candidate.labels), canonical_labels(truth)) << candidate.origin;
  }
  const ClassCandidate spectral =
      round_class_spectral(rbf_gram(points, 0.05), "spectral", equal_rules(3, 4, 4), {});
  EXPECT_EQ(canonical_labels(spectral.labels), canonical_labels(truth));
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "metric/learning_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

// seed-merat fact 61.
TEST(LearningBounds, VcConfidenceOfTheSlides) {
  EXPECT_NEAR(vc_confidence(10, 1000, 0.05), 0.2595481, 5e-8);
  for (const double h : {1.0, 5.0, 20.0, 400.0}) {
    EXPECT_LT(vc_confidence(h, 1000, 0.05), vc_confidence(2 * h, 1000, 0.05));
    EXPECT_GT(vc_confidence(h, 1000, 0.05), vc_confidence(h, 2000, 0.05));
    EXPECT_GT(vc_confidence(h, 1000, 0.01), vc_confidence(h, 1000, 0.05));
  }
}

TEST(LearningBounds, RejectWhatHasNoMeaning) {
  EXPECT_THROW((void)vc_confidence(0, 10, 0.05), InvalidArgument);
  EXPECT_THROW((void)vc_confidence(10, 10, 0.05), InvalidArgument);
  EXPECT_THROW((void)vc_confidence(1, 10, 0), InvalidArgument);
  EXPECT_THROW((void)vc_confidence(NAN, 10, 0.1), InvalidArgument);
  EXPECT_THROW((void)leave_one_out_bound(3, 2), InvalidArgument);
  EXPECT_THROW((void)radius_margin(-1, 1), InvalidArgument);
  EXPECT_THROW((void)radius_margin_bound(1, 1, 0), InvalidArgument);
}

TEST(LearningBounds, RadiusMarginOfTwoPoints) {
  // Two points at distance d: R = d/2 and |w| = 2/d (seed-merat fact 4).
  for (const double d : {0.5, 2.0, 10.0}) {
    const double squared_radius = d * d / 4;
    const double squared_norm = 4 / (d * d);
    EXPECT_NEAR(radius_margin(squared_radius, squared_norm), 1, 1e-15);
    EXPECT_NEAR(radius_margin_bound(squared_radius, squared_norm, 8), 0.5, 1e-15);
    EXPECT_NEAR(margin_vc_dimension(squared_radius, squared_norm), 2, 1e-15);
  }
}

/// The hard-margin machine on the line: the middle between the largest negative and the smallest
/// positive point. Points are positive beyond it.
double threshold(std::vector<double> negative, std::vector<double> positive) {
  return (*std::ranges::max_element(negative) + *std::ranges::min_element(positive)) / 2;
}

// seed-xu fact 9: #SV/n bounds the leave-one-out error (hard margin, separable). On the line there
// are two support vectors.
TEST(LearningBounds, SupportVectorsBoundTheLeaveOneOutError) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    std::vector<double> negative;
    std::vector<double> positive;
    for (int i = 0; i < 5; ++i) {
      negative.push_back(-rng.exponential());
      positive.push_back(rng.exponential());
    }
    std::size_t errors = 0;
    for (std::size_t out = 0; out < 5; ++out) {
      std::vector<double> rest = negative;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
      if (negative[out] >= threshold(rest, positive)) ++errors;
      rest = positive;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
      if (positive[out] < threshold(negative, rest)) ++errors;
    }
    EXPECT_LE(static_cast<double>(errors) / 10, leave_one_out_bound(2, 10)) << seed;
  }
  EXPECT_EQ(leave_one_out_bound(0, 0), 0);
}

// seed-merat fact 62.
TEST(LearningBounds, Q3IsAPercentage) {
  const std::vector<std::int32_t> truth = {0, 1, 2, 2};
  EXPECT_EQ(q3(truth, truth), 100);
  EXPECT_EQ(q3(truth, std::vector<std::int32_t>{0, 1, 2, 0}), 75);
  EXPECT_TRUE(std::isnan(q3({}, {})));
  EXPECT_THROW((void)q3(truth, std::vector<std::int32_t>{0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

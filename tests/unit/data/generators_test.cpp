// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

double coordinate(const Dataset& data, std::size_t i, std::size_t j) {
  return data.examples.dense()(i, j);
}
double x_of(const Dataset& data, std::size_t i) { return coordinate(data, i, 0); }
double y_of(const Dataset& data, std::size_t i) { return coordinate(data, i, 1); }
double label_of(const Dataset& data, std::size_t i) { return data.labels.numbers()[i]; }

/// Every generator with its row count, number of classes, and seed as arguments.
struct Generator {
  const char* name;
  std::size_t classes;
  std::function<Dataset(std::size_t n, std::uint64_t seed)> make;
};

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = {
      {"circles", 2, [](auto n, auto seed) { return generate_circles({.n = n, .seed = seed}); }},
      {"joined_circles",
       2,
       [](auto n, auto seed) { return generate_joined_circles({.n = n, .seed = seed}); }},
      {"three_circles",
       3,
       [](auto n, auto seed) {
         return generate_joined_circles({.n = n, .circles = 3, .seed = seed});
       }},
      {"circle_and_balls",
       3,
       [](auto n, auto seed) { return generate_circle_and_balls({.n = n, .seed = seed}); }},
      {"moons", 2, [](auto n, auto seed) { return generate_moons({.n = n, .seed = seed}); }},
      {"squiggles",
       3,
       [](auto n, auto seed) { return generate_squiggles({.n = n, .seed = seed}); }},
      {"ai", 2, [](auto n, auto seed) { return generate_letters({.n = n, .seed = seed}); }},
      {"aaai",
       4,
       [](auto n, auto seed) { return generate_letters({.n = n, .word = "aaai", .seed = seed}); }},
      {"gaussians",
       4,
       [](auto n, auto seed) {
         return generate_gaussians({.n = n, .k = 4, .d = 3, .seed = seed});
       }},
      {"checkers", 2, [](auto n, auto seed) { return generate_checkers({.n = n, .seed = seed}); }},
      {"sphere",
       3,
       [](auto n, auto seed) {
         return generate_sphere({.n = n, .classes = 3, .d = 4, .seed = seed}).data;
       }},
      {"ring_outliers",
       2,
       [](auto n, auto seed) {
         return generate_ring_outliers({.n = n, .outliers = 0, .seed = seed}).data;
       }},
  };
  return all;
}

class EveryGenerator : public ::testing::TestWithParam<Generator> {};

TEST_P(EveryGenerator, GivesNValidRowsInClassesOfEqualSize) {
  for (const std::size_t n : {GetParam().classes, std::size_t{60}, std::size_t{61}}) {
    const Dataset data = GetParam().make(n, 5);
    data.validate();
    EXPECT_EQ(data.size(), n);
    const Classes classes = classes_of(data.labels);
    ASSERT_EQ(classes.count(), GetParam().classes);
    for (std::size_t c = 0; c < classes.count(); ++c) {
      EXPECT_EQ(classes.names[c], Label(static_cast<double>(c + 1)));
    }
    const std::vector<std::size_t> sizes = classes.sizes();
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) -
                  *std::min_element(sizes.begin(), sizes.end()),
              1u);
    EXPECT_TRUE(data.source.starts_with("builtin:"));
  }
}

TEST_P(EveryGenerator, RepeatsWithTheSeedAndChangesWithIt) {
  const Dataset a = GetParam().make(50, 1);
  const Dataset b = GetParam().make(50, 1);
  const Dataset c = GetParam().make(50, 2);
  EXPECT_TRUE(std::ranges::equal(a.examples.to_dense().values(), b.examples.to_dense().values()));
  EXPECT_TRUE(std::ranges::equal(a.labels.numbers(), b.labels.numbers()));
  EXPECT_FALSE(std::ranges::equal(a.examples.to_dense().values(), c.examples.to_dense().values()));
}

TEST_P(EveryGenerator, ShufflesItsRows) {
  // 100 rows class by class change label classes - 1 times; a random order at least 40 times
  // (expected 50 or more, deviation 5) unless one in ten thousand seeds is hit.
  const Dataset data = GetParam().make(100, 3);
  int changes = 0;
  for (std::size_t i = 1; i < data.size(); ++i) {
    changes += label_of(data, i) != label_of(data, i - 1) ? 1 : 0;
  }
  EXPECT_GT(changes, 30);
}

TEST_P(EveryGenerator, RefusesFewerRowsThanClasses) {
  EXPECT_THROW((void)GetParam().make(GetParam().classes - 1, 0), InvalidArgument);
  EXPECT_THROW((void)GetParam().make(0, 0), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Generators,
                         EveryGenerator,
                         ::testing::ValuesIn(generators()),
                         [](const auto& test) { return test.param.name; });

TEST(Circles, TheInnerRingMayBeShifted) {
  const Dataset plain = generate_circles({.n = 60, .noise = 0.05, .seed = 3});
  const Dataset data = generate_circles({.n = 60, .shift = 0.75, .noise = 0.05, .seed = 3});
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double moved = label_of(data, i) == 1 ? 0.75 : 0.0;
    EXPECT_NEAR(x_of(data, i), x_of(plain, i) + moved, 1e-15);
    EXPECT_EQ(y_of(data, i), y_of(plain, i));
  }
  EXPECT_THROW((void)generate_circles({.shift = std::nan("")}), InvalidArgument);
}

TEST(Circles, LieOnTheirRadiiWithoutNoise) {
  const Dataset data = generate_circles({.n = 100, .inner = 0.5, .outer = 3, .noise = 0});
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(
        std::hypot(x_of(data, i), y_of(data, i)), label_of(data, i) == 1 ? 0.5 : 3.0, 1e-15 * 4);
  }
}

TEST(Circles, NoiseHasTheGivenDeviation) {
  const std::size_t n = 20000;
  const Dataset data = generate_circles({.n = n, .noise = 0.05});
  // To first order only the radial part of the noise changes the radius.
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double radius = std::hypot(x_of(data, i), y_of(data, i));
    squares += std::pow(radius - label_of(data, i), 2);
  }
  // Relative deviation of a variance over n draws: sqrt(2/n) = 1 %; second order terms: 0.1 %.
  EXPECT_NEAR(squares / static_cast<double>(n), 0.0025, 0.05 * 0.0025);
}

TEST(Circles, AnglesCoverTheRingEvenly) {
  const Dataset data = generate_circles({.n = 8000, .noise = 0});
  std::array<int, 8> sectors = {};
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double turn = std::atan2(y_of(data, i), x_of(data, i)) / (2 * std::numbers::pi) + 0.5;
    ++sectors[std::min<std::size_t>(7, static_cast<std::size_t>(turn * 8))];
  }
  for (const int count : sectors) EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000.0 * 7 / 8));
}

TEST(JoinedCircles, TwoAreUnitCirclesAtPlusMinusNineTenths) {
  const Dataset data = generate_joined_circles({.n = 80, .noise = 0});
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double centre = label_of(data, i) == 1 ? -0.9 : 0.9;
    EXPECT_NEAR(std::hypot(x_of(data, i) - centre, y_of(data, i)), 1, 1e-14);
  }
}

TEST(JoinedCircles, ThreeHaveTheirCentresAtEqualDistances) {
  const Dataset data = generate_joined_circles({.n = 30000, .circles = 3, .noise = 0});
  std::array<double, 6> mean = {};
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<std::size_t>(label_of(data, i)) - 1;
    mean[2 * c] += x_of(data, i) / 10000;
    mean[2 * c + 1] += y_of(data, i) / 10000;
  }
  // A coordinate of a unit ring has variance 1/2: the mean's deviation is 0.007.
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t e = (c + 1) % 3;
    EXPECT_NEAR(
        std::hypot(mean[2 * c] - mean[2 * e], mean[2 * c + 1] - mean[2 * e + 1]), 1.8, 0.05);
  }
}

TEST(CircleAndBalls, HasARingAroundTwoBalls) {
  const Dataset data = generate_circle_and_balls({.n = 300, .ball = 0.2, .noise = 0});
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double label = label_of(data, i);
    if (label == 1) {
      EXPECT_NEAR(std::hypot(x_of(data, i), y_of(data, i)), 3, 1e-14);
    } else {
      // Six deviations of the balls.
      EXPECT_LT(std::hypot(x_of(data, i) - (label == 2 ? -1 : 1), y_of(data, i)), 1.2);
    }
  }
}

TEST(Moons, AreTheEvenlySpacedHalfCircles) {
  const std::size_t n = 9;  // four points above, five below
  const Dataset data = generate_moons({.n = n, .noise = 0});
  std::vector<std::pair<double, double>> upper;
  std::vector<std::pair<double, double>> lower;
  for (std::size_t i = 0; i < n; ++i) {
    (label_of(data, i) == 1 ? upper : lower).emplace_back(x_of(data, i), y_of(data, i));
  }
  ASSERT_EQ(upper.size(), 4u);
  ASSERT_EQ(lower.size(), 5u);
  std::sort(upper.begin(), upper.end());
  std::sort(lower.begin(), lower.end());
  for (std::size_t k = 0; k < 4; ++k) {
    const double t = std::numbers::pi * static_cast<double>(3 - k) / 3;
    EXPECT_NEAR(upper[k].first, std::cos(t), 1e-15);
    EXPECT_NEAR(upper[k].second, std::sin(t), 1e-15);
  }
  for (std::size_t k = 0; k < 5; ++k) {
    const double t = std::numbers::pi * static_cast<double>(k) / 4;
    EXPECT_NEAR(lower[k].first, 1 - std::cos(t), 1e-15);
    EXPECT_NEAR(lower[k].second, 1 - std::sin(t) - 0.5, 1e-15);
  }
}

TEST(Squiggles, FollowTheirWaves) {
  const Dataset data = generate_squiggles({.n = 90, .noise = 0});
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double x = x_of(data, i);
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 6);
    EXPECT_NEAR(y_of(data, i), label_of(data, i) - 1 + 0.4 * std::sin(std::numbers::pi * x), 1e-14);
  }
}

/// Whether (x, y) is on the capital A that stands on [left, left + 1] with the given height.
bool is_on_a(double x, double y, double left, double height) {
  const double u = x - left;
  const double v = y / height;
  const bool on_leg = std::abs(v - 2 * std::min(u, 1 - u)) < 1e-12;
  const bool on_bar = std::abs(v - 0.4) < 1e-12 && u >= 0.2 - 1e-12 && u <= 0.8 + 1e-12;
  return u >= -1e-12 && u <= 1 + 1e-12 && (on_leg || on_bar);
}

bool is_on_i(double x, double y, double left, double height) {
  const double u = x - left;
  const double v = y / height;
  const bool on_stem = std::abs(u - 0.25) < 1e-12 && v >= 0 && v <= 1;
  const bool on_serif =
      (std::abs(v) < 1e-12 || std::abs(v - 1) < 1e-12) && u > -1e-12 && u < 0.5 + 1e-12;
  return on_stem || on_serif;
}

TEST(Letters, PointsLieOnTheStrokesOfTheirLetter) {
  const Dataset ai = generate_letters({.n = 200, .noise = 0});
  for (std::size_t i = 0; i < ai.size(); ++i) {
    EXPECT_TRUE(label_of(ai, i) == 1 ? is_on_a(x_of(ai, i), y_of(ai, i), 0, 2)
                                     : is_on_i(x_of(ai, i), y_of(ai, i), 1.3, 2));
  }
  const Dataset aaai =
      generate_letters({.n = 200, .word = "aaai", .height = 1, .gap = 1, .noise = 0});
  for (std::size_t i = 0; i < aaai.size(); ++i) {
    const double left = 2 * (label_of(aaai, i) - 1);
    EXPECT_TRUE(label_of(aaai, i) < 4 ? is_on_a(x_of(aaai, i), y_of(aaai, i), left, 1)
                                      : is_on_i(x_of(aaai, i), y_of(aaai, i), left, 1));
  }
}

TEST(Letters, PointsAreUniformInLength) {
  // Height 1: legs sqrt(5)/2 each, bar 0.6.
  const std::size_t n = 20000;
  const Dataset data = generate_letters({.n = n, .word = "a", .height = 1, .noise = 0});
  double on_bar = 0;
  for (std::size_t i = 0; i < n; ++i) on_bar += y_of(data, i) == 0.4 ? 1 : 0;
  const double share = 0.6 / (0.6 + std::sqrt(5.0));
  EXPECT_NEAR(on_bar / static_cast<double>(n),
              share,
              5 * std::sqrt(share * (1 - share) / static_cast<double>(n)));
}

TEST(Gaussians, TwoClassesHaveMeansAtPlusMinusOnePointSeven) {
  const std::size_t n = 40000;
  const Dataset data = generate_gaussians({.n = n, .d = 3});
  std::array<double, 3> sum = {};
  std::array<double, 3> squares = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double mean = j > 0 ? 0 : label_of(data, i) == 1 ? -1.7 : 1.7;
      const double z = coordinate(data, i, j) - mean;
      sum[j] += z;
      squares[j] += z * z;
    }
  }
  const auto count = static_cast<double>(n);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(sum[j] / count, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(squares[j] / count, 1, 5 * std::sqrt(2 / count));
  }
}

TEST(Gaussians, OnALineTheMeansAreEvenlySpaced) {
  const std::size_t n = 30000;
  const Dataset data = generate_gaussians({.n = n, .k = 3, .d = 1, .separation = 10});
  std::array<double, 3> mean = {};
  for (std::size_t i = 0; i < n; ++i) {
    mean[static_cast<std::size_t>(label_of(data, i)) - 1] += x_of(data, i) / 10000;
  }
  EXPECT_NEAR(mean[0], -10, 0.05);
  EXPECT_NEAR(mean[1], 0, 0.05);
  EXPECT_NEAR(mean[2], 10, 0.05);
}

TEST(Checkers, WithoutJitterTheSquareTellsTheClass) {
  const Dataset data = generate_checkers({.n = 500, .jitter = 0});
  std::set<std::pair<int, int>> squares;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double x = x_of(data, i);
    const double y = y_of(data, i);
    ASSERT_TRUE(x >= 0 && x < 4 && y >= 0 && y < 4);
    const int column = static_cast<int>(x);
    const int row = static_cast<int>(y);
    squares.emplace(column, row);
    EXPECT_EQ(label_of(data, i), 1 + (column + row) % 2);
  }
  EXPECT_EQ(squares.size(), 16u);
}

TEST(Checkers, JitterCarriesTheExpectedShareOverABorder) {
  const std::size_t n = 40000;
  const Dataset data = generate_checkers({.n = n});
  double wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int column = std::clamp(static_cast<int>(std::floor(x_of(data, i))), 0, 3);
    const int row = std::clamp(static_cast<int>(std::floor(y_of(data, i))), 0, 3);
    wrong += label_of(data, i) != 1 + (column + row) % 2 ? 1 : 0;
  }
  // Each of the three inner borders of a coordinate is crossed by E|0.02 z| / 4 of the points;
  // crossing in both coordinates leads back to the same colour.
  const double crossing = 3 * 0.02 * std::sqrt(2 / std::numbers::pi) / 4;
  const double expected = 2 * crossing * (1 - crossing);
  EXPECT_NEAR(
      wrong / static_cast<double>(n), expected, 5 * std::sqrt(expected / static_cast<double>(n)));
}

TEST(Sphere, AllButTheOutliersHaveNormOne) {
  const DataWithOutliers made =
      generate_sphere({.n = 60, .classes = 3, .d = 5, .outliers = 4, .radius = 7, .seed = 2});
  ASSERT_EQ(made.outliers.size(), 4u);
  EXPECT_TRUE(std::is_sorted(made.outliers.begin(), made.outliers.end()));
  std::array<int, 3> outliers_of_class = {};
  for (std::size_t i = 0; i < 60; ++i) {
    const bool outlier = std::ranges::count(made.outliers, i) > 0;
    EXPECT_NEAR(std::sqrt(made.data.examples.row(i).squared_norm()), outlier ? 7 : 1, 1e-14);
    if (outlier) ++outliers_of_class[static_cast<std::size_t>(label_of(made.data, i)) - 1];
  }
  EXPECT_EQ(outliers_of_class, (std::array{2, 1, 1}));
}

TEST(Sphere, ANarrowSpreadKeepsPointsNearTheirClassDirection) {
  const DataWithOutliers made = generate_sphere({.n = 40, .classes = 4, .spread = 0.01});
  for (std::size_t i = 0; i < 40; ++i) {
    const double angle = std::numbers::pi / 2 * label_of(made.data, i);
    const std::array<double, 2> direction = {std::cos(angle), std::sin(angle)};
    const double cosine = made.data.examples.row(i).dot(direction) /
                          std::sqrt(made.data.examples.row(i).squared_norm());
    EXPECT_GT(cosine, std::cos(0.06)) << "six deviations";
  }
}

// seed-xu fact 69: the best rule sign(x1 - x2) errs on 1.69 % of clean draws.
TEST(RingOutliers, BayesRuleErrsOnOnePointSixNinePercentOfTheCleanDraws) {
  const std::size_t n = 100000;
  const DataWithOutliers made = generate_ring_outliers({.n = n, .outliers = 0, .seed = 1});
  EXPECT_TRUE(made.outliers.empty());
  double errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double predicted = x_of(made.data, i) >= y_of(made.data, i) ? 2 : 1;
    errors += predicted != label_of(made.data, i) ? 1 : 0;
  }
  EXPECT_NEAR(100 * errors / static_cast<double>(n), 1.69, 0.13);
}

TEST(RingOutliers, ClassesHaveTheStatedMomentsAndOutliersTheStatedRing) {
  const std::size_t n = 40000;
  const DataWithOutliers made =
      generate_ring_outliers({.n = n, .outliers = n / 2, .radius = 35, .seed = 3});
  ASSERT_EQ(made.outliers.size(), n / 2);
  std::vector<bool> is_outlier(n, false);
  for (const std::size_t row : made.outliers) is_outlier[row] = true;
  std::array<double, 5> sums = {};
  double ring_radius = 0;
  double ring_of_class_two = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double sign = label_of(made.data, i) == 2 ? 1 : -1;
    const double x = x_of(made.data, i);
    const double y = y_of(made.data, i);
    if (is_outlier[i]) {
      const double radius = std::hypot(x, y);
      EXPECT_GE(radius, 35 - 1e-12);
      EXPECT_LE(radius, 36 + 1e-12);
      ring_radius += radius;
      ring_of_class_two += sign > 0 ? 1 : 0;
      continue;
    }
    const double u = x - 3 * sign;
    const double v = y + 3 * sign;
    const std::array<double, 5> terms = {u, v, u * u, u * v, v * v};
    for (std::size_t t = 0; t < 5; ++t) sums[t] += terms[t];
  }
  const double half = static_cast<double>(n) / 2;
  const std::array<double, 5> expected = {0, 0, 20, 16, 20};
  // Deviations of the terms: sqrt(20), sqrt(2) 20, sqrt(20^2 + 16^2); five of each over sqrt(n/2).
  const std::array<double, 5> deviation = {4.48, 4.48, 28.3, 25.7, 28.3};
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_NEAR(sums[t] / half, expected[t], 5 * deviation[t] / std::sqrt(half)) << t;
  }
  EXPECT_NEAR(ring_radius / half, 35.5, 5 * 0.29 / std::sqrt(half));
  EXPECT_NEAR(ring_of_class_two / half, 0.5, 5 * 0.5 / std::sqrt(half));
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Generators, NameTheOptionThatBreaksItsRule) {
  EXPECT_EQ(message_of([] { (void)generate_circles({.noise = -1}); }),
            "--noise -1: must be a finite number >= 0");
  EXPECT_EQ(message_of([] { (void)generate_circles({.inner = 3}); }),
            "outer = 2, must be at least inner = 3");
  EXPECT_EQ(message_of([] { (void)generate_gaussians({.n = 3, .k = 5}); }),
            "n = 3, must be at least the number of classes, 5");
}

TEST(Generators, RefuseEveryIllegalOption) {
  const double nan = std::nan("");
  const double infinity = HUGE_VAL;
  for (const double bad : {-0.5, nan, infinity}) {
    EXPECT_THROW((validate(CirclesOptions{.inner = bad})), InvalidArgument);
    EXPECT_THROW((validate(CirclesOptions{.outer = bad})), InvalidArgument);
    EXPECT_THROW((validate(CirclesOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(JoinedCirclesOptions{.radius = bad})), InvalidArgument);
    EXPECT_THROW((validate(JoinedCirclesOptions{.distance = bad})), InvalidArgument);
    EXPECT_THROW((validate(JoinedCirclesOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(CircleAndBallsOptions{.radius = bad})), InvalidArgument);
    EXPECT_THROW((validate(CircleAndBallsOptions{.distance = bad})), InvalidArgument);
    EXPECT_THROW((validate(CircleAndBallsOptions{.ball = bad})), InvalidArgument);
    EXPECT_THROW((validate(CircleAndBallsOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(MoonsOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(SquigglesOptions{.length = bad})), InvalidArgument);
    EXPECT_THROW((validate(SquigglesOptions{.period = bad})), InvalidArgument);
    EXPECT_THROW((validate(SquigglesOptions{.amplitude = bad})), InvalidArgument);
    EXPECT_THROW((validate(SquigglesOptions{.gap = bad})), InvalidArgument);
    EXPECT_THROW((validate(SquigglesOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(LettersOptions{.height = bad})), InvalidArgument);
    EXPECT_THROW((validate(LettersOptions{.gap = bad})), InvalidArgument);
    EXPECT_THROW((validate(LettersOptions{.noise = bad})), InvalidArgument);
    EXPECT_THROW((validate(GaussiansOptions{.separation = bad})), InvalidArgument);
    EXPECT_THROW((validate(CheckersOptions{.jitter = bad})), InvalidArgument);
    EXPECT_THROW((validate(SphereOptions{.spread = bad})), InvalidArgument);
    EXPECT_THROW((validate(SphereOptions{.radius = bad})), InvalidArgument);
    EXPECT_THROW((validate(RingOutliersOptions{.radius = bad})), InvalidArgument);
    EXPECT_THROW((validate(RingOutliersOptions{.width = bad})), InvalidArgument);
  }
  EXPECT_THROW((validate(JoinedCirclesOptions{.circles = 0})), InvalidArgument);
  EXPECT_THROW((validate(SquigglesOptions{.curves = 0})), InvalidArgument);
  EXPECT_THROW((validate(LettersOptions{.word = ""})), InvalidArgument);
  EXPECT_THROW((validate(LettersOptions{.word = "abi"})), InvalidArgument);
  EXPECT_THROW((validate(GaussiansOptions{.k = 0})), InvalidArgument);
  EXPECT_THROW((validate(GaussiansOptions{.d = 0})), InvalidArgument);
  EXPECT_THROW((validate(CheckersOptions{.cells = 1})), InvalidArgument);
  EXPECT_THROW((validate(SphereOptions{.classes = 0})), InvalidArgument);
  EXPECT_THROW((validate(SphereOptions{.d = 1})), InvalidArgument);
  EXPECT_THROW((validate(SphereOptions{.outliers = 41})), InvalidArgument);
  EXPECT_THROW((validate(RingOutliersOptions{.n = 11})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/kmeans/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "exhaustive_kmeans.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "point_sets.hpp"
#include "solver/kmeans/bound.hpp"

namespace maxmargin {
namespace {

/// `groups` normal clouds with centres about 6 apart.
DenseMatrix clouds(std::size_t n, std::size_t d, std::size_t groups, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix centres(groups, d);
  for (double& x : centres.values()) x = 6 * rng.normal();
  DenseMatrix points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) points(i, j) = centres(i % groups, j) + rng.normal();
  }
  return points;
}

/// Sum of squares around given centres in extended precision, straight from the definition.
double recomputed_inertia(DenseView points,
                          const KmeansSolution& solution,
                          std::span<const double> weights = {}) {
  long double sum = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto c = static_cast<std::size_t>(solution.labels[i]);
    long double squared = 0;
    for (std::size_t j = 0; j < points.cols; ++j) {
      const long double difference =
          static_cast<long double>(points(i, j)) - solution.centres(c, j);
      squared += difference * difference;
    }
    sum += squared * (weights.empty() ? 1.0L : weights[i]);
  }
  return static_cast<double>(sum);
}

/// Checks what every solved k-means answer promises; returns what is wrong.
[[nodiscard]] std::vector<std::string> violations(DenseView points,
                                                  const KmeansSolution& solution) {
  std::vector<std::string> wrong;
  const std::size_t k = solution.centres.rows();
  std::vector<std::size_t> sizes(k, 0);
  std::vector<std::size_t> first(k, points.rows);
  DenseMatrix sums(k, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto c = static_cast<std::size_t>(solution.labels[i]);
    if (c >= k) return {"a label out of range"};
    first[c] = std::min(first[c], i);
    ++sizes[c];
    for (std::size_t j = 0; j < points.cols; ++j) sums(c, j) += points(i, j);
    const double own = squared_distance(points.row(i), solution.centres.row(c));
    for (std::size_t other = 0; other < k; ++other) {
      const double distance = squared_distance(points.row(i), solution.centres.row(other));
      if (distance < own * (1 - 1e-12) - 1e-13) wrong.emplace_back("not the nearest centre");
    }
  }
  if (sizes != solution.sizes) wrong.emplace_back("sizes are not the counts of labels");
  for (std::size_t c = 0; c < k; ++c) {
    if (sizes[c] == 0) wrong.emplace_back("an empty cluster");
    for (std::size_t j = 0; j < points.cols; ++j) {
      const double mean = sums(c, j) / static_cast<double>(sizes[c]);
      if (std::abs(mean - solution.centres(c, j)) > 1e-12 * (1 + std::abs(mean))) {
        wrong.emplace_back("a centre is not the mean of its cluster");
      }
    }
    if (c > 0 && (sizes[c] > sizes[c - 1] || (sizes[c] == sizes[c - 1] && first[c] < first[c - 1])))
      wrong.emplace_back("clusters are not numbered by size, then first member");
  }
  return wrong;
}

bool same_bits(const KmeansSolution& a, const KmeansSolution& b) {
  return a.labels == b.labels && a.inertia == b.inertia && a.best_restart == b.best_restart &&
         a.report.iterations == b.report.iterations &&
         a.report.lower_bound == b.report.lower_bound && a.report.warnings == b.report.warnings &&
         std::ranges::equal(a.centres.values(), b.centres.values());
}

TEST(Kmeans, CheckerRejectsWrongAnswers) {
  const DenseMatrix points = matrix(1, {0, 1, 10, 11, 12});
  KmeansSolution solution = solve_kmeans(points.view(), {.k = 2});
  ASSERT_TRUE(violations(points.view(), solution).empty());
  KmeansSolution moved = solution;
  moved.centres(0, 0) += 0.01;
  EXPECT_FALSE(violations(points.view(), moved).empty());
  KmeansSolution relabelled = solution;
  relabelled.labels[0] = relabelled.labels[4];
  EXPECT_FALSE(violations(points.view(), relabelled).empty());
}

// seed-merat fact 34.
TEST(Kmeans, IrisReachesTheKnownBestSumsOfSquares) {
  const Dataset data = iris();
  const DenseView points = data.examples.dense();
  const KmeansSolution two = solve_kmeans(points, {.k = 2, .context = {.seed = 1}});
  EXPECT_NEAR(two.inertia, 152.347952, 5e-7);
  EXPECT_EQ(two.sizes, (std::vector<std::size_t>{97, 53}));
  const KmeansSolution three = solve_kmeans(points, {.k = 3, .context = {.seed = 1}});
  EXPECT_NEAR(three.inertia, 78.851441, 5e-7);
  EXPECT_EQ(three.sizes, (std::vector<std::size_t>{62, 50, 38}));
  const Classes flowers = classes_of(data.labels);
  EXPECT_DOUBLE_EQ(purity(Contingency(flowers.of_row, three.labels)), 134.0 / 150);
  const KmeansSolution four =
      solve_kmeans(points, {.k = 4, .restarts = 50, .context = {.seed = 1}});
  EXPECT_NEAR(four.inertia, 57.228473, 5e-7);
  for (const auto* solution : {&two, &three, &four}) {
    EXPECT_TRUE(violations(points, *solution).empty());
    EXPECT_EQ(solution->report.status, Status::solved);
    EXPECT_EQ(solution->report.primal_objective, solution->inertia);
    EXPECT_LE(*solution->report.lower_bound, solution->inertia);
    EXPECT_GT(*solution->report.lower_bound, 0);
  }
}

TEST(Kmeans, TenRestartsReachTheIrisOptimumForNearlyAllSeeds) {
  const Dataset data = iris();
  int misses = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const KmeansSolution solution = solve_kmeans(
        data.examples.dense(), {.k = 3, .context = {.seed = seed}, .lower_bound_limit = 0});
    misses += solution.inertia > 78.8515 ? 1 : 0;
  }
  EXPECT_LE(misses, 1);
}

// seed-merat fact 32, seed-xu fact 16: the sum of squares never increases, and the run stops at a
// fixed point.
class KmeansProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(KmeansProperty, SumOfSquaresNeverIncreasesAndTheEndIsAFixedPoint) {
  for (const KmeansStart start : {KmeansStart::plus_plus, KmeansStart::random}) {
    const DenseMatrix points = gaussian_points(400, 3, GetParam());
    std::vector<double> trace;
    KmeansOptions options{.k = 12, .start = start, .restarts = 1, .context = {.seed = GetParam()}};
    options.context.on_progress = [&](const Progress& progress) {
      trace.push_back(*progress.primal_objective);
      return Continue::yes;
    };
    const KmeansSolution solution = solve_kmeans(points.view(), options);
    ASSERT_EQ(solution.report.status, Status::solved);
    EXPECT_TRUE(violations(points.view(), solution).empty());
    trace.push_back(solution.inertia);
    for (std::size_t t = 1; t < trace.size(); ++t) EXPECT_LE(trace[t], trace[t - 1] * (1 + 1e-13));
    // From its own answer the method makes one pass and changes nothing.
    const KmeansSolution again =
        solve_kmeans(points.view(), {.k = 12, .start_centres = solution.centres});
    EXPECT_EQ(again.labels, solution.labels);
    EXPECT_LE(again.report.iterations, 2u);
  }
}

// seed-xu fact 16: no run ends below the best of all partitions, and some end above it.
TEST_P(KmeansProperty, NoSingleRunIsBetterThanTheExhaustiveOptimum) {
  std::size_t worse = 0;
  for (std::size_t n = 3; n <= 12; ++n) {
    const DenseMatrix points = gaussian_points(n, 2, 200 + GetParam());
    for (const std::size_t k : {2u, 3u}) {
      const test::ExhaustiveKmeans best = test::solve_kmeans_exhaustive(points.view(), k);
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const KmeansSolution run = solve_kmeans(points.view(),
                                                {.k = k,
                                                 .start = KmeansStart::random,
                                                 .restarts = 1,
                                                 .context = {.threads = 1, .seed = seed}});
        EXPECT_LE(best.inertia, run.inertia * (1 + 1e-13)) << n << ' ' << k << ' ' << seed;
        worse += best.inertia < run.inertia * (1 - 1e-6) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(worse, 0u);
}

// seed-xu fact 16
TEST_P(KmeansProperty, ManyRestartsFindTheExhaustiveOptimum) {
  const DenseMatrix points = gaussian_points(10, 2, 100 + GetParam());
  for (const std::size_t k : {1u, 2u, 3u, 4u}) {
    const test::ExhaustiveKmeans best = test::solve_kmeans_exhaustive(points.view(), k);
    const KmeansSolution found =
        solve_kmeans(points.view(), {.k = k, .restarts = 200, .context = {.seed = GetParam()}});
    EXPECT_NEAR(found.inertia, best.inertia, 1e-12 * (1 + best.inertia)) << "k = " << k;
    EXPECT_LE(*found.report.lower_bound, best.inertia);
  }
}

TEST_P(KmeansProperty, AnswerIsTheSameForAnyThreadCount) {
  // Small points share out the restarts, many points the rows: both ways.
  const DenseMatrix small = clouds(300, 4, 5, GetParam());
  const DenseMatrix large = clouds(9000, 16, 9, GetParam());
  for (const DenseMatrix* points : {&small, &large}) {
    KmeansOptions options{
        .k = 15, .restarts = 2, .max_iterations = 3, .context = {.seed = GetParam()}};
    options.context.threads = 1;
    const KmeansSolution one = solve_kmeans(points->view(), options);
    for (const std::size_t threads : {2u, 4u}) {
      options.context.threads = threads;
      EXPECT_TRUE(same_bits(one, solve_kmeans(points->view(), options))) << threads;
    }
  }
}

TEST_P(KmeansProperty, SparseAndDensePointsGiveTheSameClusters) {
  Rng rng(GetParam());
  DenseMatrix points(200, 30);
  for (double& x : points.values()) x = rng.bernoulli(0.1) ? rng.normal() : 0.0;
  const SparseMatrix sparse = to_sparse(points.view());
  const DenseMatrix start = [&] {
    DenseMatrix rows(6, 30);
    for (std::size_t c = 0; c < 6; ++c) std::ranges::copy(points.row(20 * c), rows.row(c).begin());
    return rows;
  }();
  const KmeansOptions options{.k = 6, .start_centres = start};
  const KmeansSolution a = solve_kmeans(points.view(), options);
  const KmeansSolution b = solve_kmeans(sparse.view(), options);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_NEAR(a.inertia, b.inertia, 1e-12 * a.inertia);
  EXPECT_NEAR(*a.report.lower_bound, *b.report.lower_bound, 1e-11 * a.inertia);
  EXPECT_NEAR(b.inertia, recomputed_inertia(points.view(), b), 1e-12 * a.inertia);
}

TEST_P(KmeansProperty, AWeightOfTwoIsTheSameAsTheRowTwice) {
  const DenseMatrix points = clouds(60, 2, 4, GetParam());
  Rng rng(GetParam());
  std::vector<double> weights(60);
  std::vector<double> repeated;
  for (std::size_t i = 0; i < 60; ++i) {
    weights[i] = static_cast<double>(rng.index(3));
    for (double w = 0; w < weights[i]; ++w) {
      repeated.insert(repeated.end(), points.row(i).begin(), points.row(i).end());
    }
  }
  DenseMatrix start(4, 2);
  for (double& x : start.values()) x = 6 * rng.normal();
  const KmeansOptions options{.k = 4, .start_centres = start};
  const KmeansSolution weighted = solve_kmeans(points.view(), options, weights);
  const KmeansSolution copied = solve_kmeans(matrix(2, repeated).view(), options);
  EXPECT_NEAR(weighted.inertia, copied.inertia, 1e-11 * copied.inertia);
  EXPECT_NEAR(*weighted.report.lower_bound, *copied.report.lower_bound, 1e-11 * copied.inertia);
  EXPECT_NEAR(weighted.inertia,
              recomputed_inertia(points.view(), weighted, weights),
              1e-12 * weighted.inertia);
}

TEST_P(KmeansProperty, AHugeCommonOffsetChangesNothing) {
  // Multiples of 2^-10 below 2^6: adding 2^40 is exact, so the shifted problem is the same one.
  Rng rng(GetParam());
  DenseMatrix points(150, 3);
  for (double& x : points.values()) x = std::round(8 * 1024 * rng.normal()) / 1024;
  DenseMatrix shifted = points;
  for (double& x : shifted.values()) x += 0x1p40;
  const KmeansOptions options{.k = 5, .context = {.seed = GetParam()}};
  const KmeansSolution here = solve_kmeans(points.view(), options);
  const KmeansSolution there = solve_kmeans(shifted.view(), options);
  EXPECT_EQ(here.labels, there.labels);
  EXPECT_NEAR(here.inertia, there.inertia, 1e-9 * here.inertia);
  EXPECT_NEAR(*here.report.lower_bound, *there.report.lower_bound, 1e-9 * here.inertia);
  EXPECT_LE(*there.report.lower_bound, here.inertia);
}

TEST_P(KmeansProperty, ScalingByAPowerOfTwoScalesTheAnswerExactly) {
  const DenseMatrix points = clouds(120, 3, 4, GetParam());
  DenseMatrix scaled = points;
  for (double& x : scaled.values()) x *= 0x1p-300;
  const KmeansOptions options{.k = 4, .context = {.seed = GetParam()}, .lower_bound_limit = 0};
  const KmeansSolution a = solve_kmeans(points.view(), options);
  const KmeansSolution b = solve_kmeans(scaled.view(), options);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.inertia * 0x1p-600, b.inertia);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KmeansProperty, ::testing::Range<std::uint64_t>(1, 7));

TEST(Kmeans, ReportedInertiaIsTheSumOfSquaresOfItsCentres) {
  const DenseMatrix points = clouds(2000, 7, 5, 3);
  const KmeansSolution solution = solve_kmeans(points.view(), {.k = 5, .context = {.seed = 3}});
  EXPECT_NEAR(
      solution.inertia, recomputed_inertia(points.view(), solution), 1e-13 * solution.inertia * 10);
}

TEST(Kmeans, EqualDistancesGoToTheLowestIndex) {
  // The middle point is as far from either centre; from these starts it belongs to the first.
  const DenseMatrix points = matrix(1, {-1, 0, 1});
  const DenseMatrix start = matrix(1, {-1, 1});
  const KmeansSolution solution =
      solve_kmeans(points.view(), {.k = 2, .start_centres = start, .max_iterations = 1});
  EXPECT_EQ(solution.labels, (std::vector<std::int32_t>{0, 0, 1}));
  const KmeansSolution mirrored = solve_kmeans(
      points.view(), {.k = 2, .start_centres = matrix(1, {1, -1}), .max_iterations = 1});
  EXPECT_EQ(mirrored.labels, (std::vector<std::int32_t>{1, 0, 0}));
}

TEST(Kmeans, AnEmptyClusterTakesTheFarthestPointAndSaysSo) {
  const DenseMatrix points = matrix(1, {0, 1, 2, 50});
  // Nobody is near the third centre.
  const KmeansSolution solution =
      solve_kmeans(points.view(), {.k = 3, .start_centres = matrix(1, {0, 2, 1e6})});
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_EQ(solution.labels[3], 2);
  EXPECT_DOUBLE_EQ(solution.inertia, 0.5);
  ASSERT_EQ(solution.report.warnings.size(), 1u);
  EXPECT_NE(solution.report.warnings[0].find("lost all its points"), std::string::npos);
}

TEST(Kmeans, SeveralEmptyClustersAreFilledWithDifferentPoints) {
  const DenseMatrix points = clouds(50, 2, 5, 9);
  const DenseMatrix start(5, 2, 1e4);
  const KmeansSolution solution = solve_kmeans(points.view(), {.k = 5, .start_centres = start});
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_TRUE(violations(points.view(), solution).empty());
}

TEST(Kmeans, DegenerateInputGivesTheObviousAnswer) {
  const DenseMatrix one = matrix(2, {3, 4});
  const KmeansSolution single = solve_kmeans(one.view(), {.k = 1});
  EXPECT_EQ(single.labels, std::vector<std::int32_t>{0});
  EXPECT_EQ(single.inertia, 0);
  EXPECT_EQ(single.centres(0, 1), 4);

  const DenseMatrix same = matrix(1, {2, 2, 2, 5, 5});
  const KmeansSolution pairs = solve_kmeans(same.view(), {.k = 2});
  EXPECT_EQ(pairs.labels, (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(pairs.inertia, 0);

  const DenseMatrix points = clouds(40, 3, 2, 1);
  const KmeansSolution whole = solve_kmeans(points.view(), {.k = 1});
  EXPECT_EQ(whole.restarts, 10u);
  EXPECT_NEAR(whole.inertia, *whole.report.lower_bound, 1e-12 * whole.inertia);

  const DenseMatrix featureless(1, 0);
  EXPECT_EQ(solve_kmeans(featureless.view(), {.k = 1}).inertia, 0);
}

TEST(Kmeans, KUpToTheNumberOfDistinctPointsIsAllowedAndNoMore) {
  const DenseMatrix points = matrix(1, {1, 1, 2, 2, 3});
  for (const KmeansStart start : {KmeansStart::plus_plus, KmeansStart::random}) {
    const KmeansSolution solution = solve_kmeans(points.view(), {.k = 3, .start = start});
    EXPECT_EQ(solution.inertia, 0);
    EXPECT_EQ(solution.sizes, (std::vector<std::size_t>{2, 2, 1}));
    EXPECT_THROW((void)solve_kmeans(points.view(), {.k = 4, .start = start}), InvalidArgument);
  }
  const std::vector<double> weights = {1, 1, 1, 1, 0};
  EXPECT_THROW((void)solve_kmeans(points.view(), {.k = 3}, weights), InvalidArgument);
  const SparseMatrix sparse = to_sparse(points.view());
  EXPECT_EQ(solve_kmeans(sparse.view(), {.k = 3}).inertia, 0);
  EXPECT_THROW((void)solve_kmeans(sparse.view(), {.k = 4}), InvalidArgument);
}

TEST(Kmeans, TinyDifferencesWhoseSquaresVanishStillSeparate) {
  using Labels = std::vector<std::int32_t>;
  constexpr double tiniest = std::numeric_limits<double>::denorm_min();
  for (const double unit : {1e-200, 1e-300, tiniest}) {
    const DenseMatrix points = matrix(1, {0, unit, 2 * unit, 90 * unit, 93 * unit});
    const SparseMatrix sparse = to_sparse(points.view());
    for (const bool is_dense : {true, false}) {
      const auto solve = [&](const KmeansOptions& options) {
        return is_dense ? solve_kmeans(points.view(), options)
                        : solve_kmeans(sparse.view(), options);
      };
      const KmeansSolution two = solve({.k = 2});
      EXPECT_EQ(two.report.status, Status::solved);
      EXPECT_EQ(two.labels, (Labels{0, 0, 0, 1, 1}));
      EXPECT_EQ(two.centres(0, 0), unit);
      EXPECT_EQ(two.inertia, 0);  // 6.5 unit^2 has no other double
      const KmeansSolution five = solve({.k = 5});
      EXPECT_EQ(five.report.status, Status::solved);
      EXPECT_EQ(five.labels, (Labels{0, 1, 2, 3, 4}));
      for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(five.centres(c, 0), points(c, 0));
      const KmeansSolution from = solve({.k = 2, .start_centres = matrix(1, {1, 0})});
      EXPECT_EQ(from.labels, (Labels{0, 0, 0, 1, 1}));
    }
  }
}

TEST(Kmeans, PointsThatCentringWouldMakeEqualStayApart) {
  const DenseMatrix points = matrix(1, {0.3, 0.7, 1e17});
  for (const KmeansStart start : {KmeansStart::plus_plus, KmeansStart::random}) {
    const KmeansSolution solution = solve_kmeans(points.view(), {.k = 3, .start = start});
    EXPECT_EQ(solution.report.status, Status::solved);
    EXPECT_EQ(solution.labels, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(solution.inertia, 0);
  }
}

TEST(Kmeans, IterationLimitReturnsLabelsOfTheNearestCentre) {
  const DenseMatrix points = gaussian_points(500, 2, 5);
  const KmeansSolution solution =
      solve_kmeans(points.view(), {.k = 20, .restarts = 2, .max_iterations = 1});
  EXPECT_EQ(solution.report.status, Status::iteration_limit);
  EXPECT_EQ(solution.report.iterations, 1u);
  ASSERT_EQ(solution.report.warnings.size(), 1u);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto own = static_cast<std::size_t>(solution.labels[i]);
    for (std::size_t c = 0; c < 20; ++c) {
      EXPECT_LE(squared_distance(points.row(i), solution.centres.row(own)),
                squared_distance(points.row(i), solution.centres.row(c)) + 1e-13);
    }
  }
}

TEST(Kmeans, CallbackEndsTheSolveWithTheBestSoFar) {
  const DenseMatrix points = gaussian_points(500, 2, 5);
  for (const Continue answer : {Continue::stop, Continue::time_is_up}) {
    KmeansOptions options{.k = 20, .context = {.threads = 1}};
    options.context.on_progress = [&](const Progress&) { return answer; };
    const KmeansSolution solution = solve_kmeans(points.view(), options);
    EXPECT_EQ(solution.report.status, status_of(answer));
    EXPECT_EQ(solution.restarts, 1u);
    EXPECT_EQ(solution.labels.size(), 500u);
    EXPECT_NEAR(solution.inertia, recomputed_inertia(points.view(), solution), 1e-10);
  }
}

TEST(Kmeans, RejectsWhatItCannotCluster) {
  const DenseMatrix points = matrix(1, {1, 2, 3});
  const auto run = [&](const KmeansOptions& options, std::vector<double> weights = {}) {
    (void)solve_kmeans(points.view(), options, weights);
  };
  EXPECT_THROW(run({.k = 0}), InvalidArgument);
  EXPECT_THROW(run({.restarts = 0}), InvalidArgument);
  EXPECT_THROW(run({.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(run({.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW(run({.k = 2, .start_centres = matrix(1, {1})}), InvalidArgument);
  EXPECT_THROW(run({.k = 2, .start_centres = matrix(1, {1, NAN})}), InvalidArgument);
  EXPECT_THROW(run({}, {1, 2}), InvalidArgument);
  EXPECT_THROW(run({}, {1, -1, 1}), InvalidArgument);
  EXPECT_THROW(run({}, {0, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)solve_kmeans(DenseMatrix().view(), {.k = 1}), InvalidArgument);
  EXPECT_THROW((void)solve_kmeans(matrix(1, {1, NAN}).view(), {.k = 1}), InvalidArgument);
  EXPECT_THROW((void)solve_kmeans(matrix(1, {-1e200, 1e200}).view(), {.k = 1}), InvalidArgument);
  try {
    run({.k = 4});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "-k 4: must be at most the number of distinct points of positive "
                 "weight, 3");
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "cluster/relabeler/iterator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cluster/relabeler/annealing.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/problem/kernel_machines.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

const DenseMatrix& iris_gram() {
  static const DenseMatrix matrix = gram(Rbf{.gamma = 0.125}, iris().examples);
  return matrix;
}

/// Every third flower.
const DenseMatrix& small_gram() {
  static const DenseMatrix matrix = [] {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 150; i += 3) rows.push_back(i);
    return gram(Rbf{.gamma = 0.125}, iris().examples.select(rows));
  }();
  return matrix;
}

/// The thesis' Iris experiment: sigma = 2, C = 1.5.
RelabelerOptions iris_options(double fraction = 0.5) {
  return {.machine = {.c = 1.5}, .relabel_fraction = fraction};
}

Labels start_of(std::size_t n, std::size_t k, std::uint64_t seed) {
  Rng rng(seed, "test start");
  return draw_labels(n, k, rng);
}

/// The primal objective of the iterator's machine under the labels it was fitted to, straight from
/// the formula.
double plain_objective(const RelabelerIterator& run,
                       DenseView gram,
                       const Labels& labels,
                       double c) {
  double norm = 0;
  double losses = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double value = 0;
    for (std::size_t j = 0; j < labels.size(); ++j) value += run.coefficients()(j, 0) * gram(i, j);
    norm += run.coefficients()(i, 0) * value;
    const double sign = labels[i] == 1 ? 1 : -1;
    losses += std::max(0.0, 1 - sign * (value + run.offsets()[0]));
  }
  return 0.5 * norm + c * losses;
}

class RelabelerRun : public ::testing::TestWithParam<std::uint64_t> {};

// seed-merat fact 54
TEST_P(RelabelerRun, ObjectiveFallsAtEveryStepAndTheEndMakesNoError) {
  const DenseView matrix = iris_gram().view();
  for (const double fraction : {0.15, 0.5, 1.0}) {
    RelabelerIterator run(matrix, start_of(150, 2, GetParam()), iris_options(fraction));
    double before = std::numeric_limits<double>::infinity();
    RelabelStep step;
    while (run.has_next()) {
      const Labels labels(run.labels().begin(), run.labels().end());
      step = run.iterate();
      EXPECT_LT(step.objective, before);
      // The report's objective is the machine's: 150^2 terms, each rounded once.
      const double plain = plain_objective(run, matrix, labels, 1.5);
      EXPECT_NEAR(step.objective, plain, 1e-9 * plain);
      EXPECT_NEAR(step.kernel_sse, kernel_sum_of_squares(matrix, labels).total, 1e-12);
      before = step.objective;
      ASSERT_LT(run.fits(), 200u);
    }
    const std::set<std::int32_t> classes(run.labels().begin(), run.labels().end());
    EXPECT_TRUE(run.is_fixed_point() || classes.size() == 1);
    EXPECT_EQ(run.inexact_fits(), 0u);
    if (run.is_fixed_point()) {
      EXPECT_EQ(step.errors, 0u);
      EXPECT_TRUE(std::ranges::equal(run.labels(), run.predicted()));
    }
  }
}

// seed-merat fact 58 and FC-40
TEST_P(RelabelerRun, EveryClassWithErrorsMovesItsWorstAndNoMoreThanItsShare) {
  constexpr double fraction = 0.15;
  RelabelerIterator run(iris_gram().view(), start_of(150, 2, GetParam()), iris_options(fraction));
  while (run.has_next()) {
    const Labels before(run.labels().begin(), run.labels().end());
    const RelabelStep step = run.iterate();
    std::size_t flipped = 0;
    for (const std::int32_t c : {0, 1}) {
      std::size_t errors = 0;
      std::size_t moved = 0;
      double mildest_moved = std::numeric_limits<double>::infinity();
      double worst_kept = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != c || run.predicted()[i] == c) continue;
        ++errors;
        const bool is_moved = run.labels()[i] != before[i];
        moved += is_moved ? 1 : 0;
        if (is_moved) mildest_moved = std::min(mildest_moved, run.badness()[i]);
        if (!is_moved) worst_kept = std::max(worst_kept, run.badness()[i]);
      }
      const auto share =
          static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(errors) - 1e-9));
      EXPECT_EQ(moved, errors == 0 ? 0 : std::max<std::size_t>(1, share));
      EXPECT_GE(mildest_moved, worst_kept);
      flipped += moved;
    }
    EXPECT_EQ(step.flipped, flipped);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(run.labels()[i] == before[i] || run.predicted()[i] == run.labels()[i]);
    }
  }
}

TEST_P(RelabelerRun, FixedPointsAreThoseOfTheTrainedClassifier) {
  RelabelerIterator run(iris_gram().view(), start_of(150, 2, GetParam()), iris_options());
  while (run.has_next()) static_cast<void>(run.iterate());
  if (!run.is_fixed_point()) return;
  Dataset data = iris();
  data.labels = {};
  for (const std::int32_t label : run.labels()) data.labels.push_back_number(label);
  const TrainedClassifier trained =
      train_svc(data, {.c = 1.5, .kernel = Rbf{.gamma = 0.125}, .control = {.tolerance = 1e-6}});
  const std::vector<Label> predicted = trained.model.predict(data);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    EXPECT_EQ(predicted[i].number(), run.labels()[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RelabelerRun, ::testing::Range<std::uint64_t>(1, 5));

// seed-merat fact 55
TEST(RelabelerIterator, SeparableStartComesBackAfterOneFit) {
  Labels setosa(150, 0);
  std::fill(setosa.begin(), setosa.begin() + 50, 1);
  RelabelerIterator run(iris_gram().view(), setosa, iris_options());
  const RelabelStep step = run.iterate();
  EXPECT_FALSE(run.has_next());
  EXPECT_TRUE(run.is_fixed_point());
  EXPECT_EQ(step.errors, 0u);
  EXPECT_EQ(step.flipped, 0u);
  EXPECT_TRUE(std::ranges::equal(run.labels(), setosa));
  EXPECT_NEAR(step.kernel_sse, 28.558999, 5e-7);
  // The table of golden values: P = 3.56498145 at C = 1.5; ours within its relative gap of 1e-3.
  EXPECT_NEAR(step.objective, 3.56498145, 1e-3 * 3.57);
  EXPECT_THROW(run.iterate(), InvalidArgument);
}

// seed-merat fact 58: the only error of a class is put right.
TEST(RelabelerIterator, ASingleErrorIsFlipped) {
  Labels setosa(150, 0);
  std::fill(setosa.begin(), setosa.begin() + 50, 1);
  for (const std::size_t wrong : {0u, 41u, 98u, 149u}) {
    Labels start = setosa;
    start[wrong] = 1 - start[wrong];
    RelabelerIterator run(iris_gram().view(), start, iris_options(0.15));
    const RelabelStep step = run.iterate();
    EXPECT_EQ(step.errors, 1u) << wrong;
    EXPECT_EQ(step.flipped, 1u) << wrong;
    EXPECT_TRUE(std::ranges::equal(run.labels(), setosa)) << wrong;
  }
}

// seed-merat fact 56
TEST(RelabelerIterator, HugeCostFitsAnyLabelsOfDistinctPoints) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 150; ++i) {
    if (i != 142) rows.push_back(i);  // equal to row 101
  }
  const DenseMatrix matrix = gram(Rbf{.gamma = 2}, iris().examples.select(rows));
  const Labels start = start_of(149, 2, 5);
  RelabelerIterator run(matrix.view(), start, {.machine = {.c = 1e6}});
  static_cast<void>(run.iterate());
  EXPECT_TRUE(run.is_fixed_point());
  EXPECT_TRUE(std::ranges::equal(run.labels(), start));
}

// seed-merat fact 59
TEST(RelabelerIterator, SwappedLabelsOfAFixedPointAreOne) {
  std::size_t fixed_points = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    RelabelerIterator run(iris_gram().view(), start_of(150, 2, seed), iris_options());
    RelabelStep last;
    while (run.has_next()) last = run.iterate();
    if (!run.is_fixed_point()) continue;
    ++fixed_points;
    Labels swapped(run.labels().begin(), run.labels().end());
    Rng rng(1);
    perturb_labels(swapped, 2, 1, rng);
    for (std::size_t i = 0; i < 150; ++i) ASSERT_EQ(swapped[i], 1 - run.labels()[i]);
    RelabelerIterator again(iris_gram().view(), swapped, iris_options());
    const RelabelStep step = again.iterate();
    EXPECT_TRUE(again.is_fixed_point());
    EXPECT_TRUE(std::ranges::equal(again.labels(), swapped));
    EXPECT_NEAR(step.kernel_sse, last.kernel_sse, 1e-12 * last.kernel_sse);
  }
  EXPECT_GE(fixed_points, 2u);
}

TEST(RelabelerIterator, OneClassAloneHasNothingToFit) {
  const RelabelerIterator run(iris_gram().view(), Labels(150, 1), iris_options());
  EXPECT_FALSE(run.has_next());
  EXPECT_FALSE(run.is_fixed_point());
}

TEST(RelabelerIterator, NuEndsARunBeforeAClassIsTooLight) {
  Labels labels(150, 0);
  std::fill(labels.begin(), labels.begin() + 37, 1);
  const RelabelerOptions options{.machine = {.engine = RelabelerEngine::nu_svm, .nu = 0.5}};
  EXPECT_FALSE(RelabelerIterator(iris_gram().view(), labels, options).has_next());
  labels[37] = 1;  // 38 of 150 are above a quarter
  EXPECT_TRUE(RelabelerIterator(iris_gram().view(), labels, options).has_next());
}

TEST(RelabelerIterator, NuMachineIsThatOfTheTrainedClassifier) {
  // Setosa and the rest with every tenth label wrong.
  Labels start(150, 0);
  for (std::size_t i = 0; i < 150; ++i) start[i] = (i < 50) == (i % 10 != 0) ? 1 : 0;
  const RelabelerOptions options{
      .machine = {.engine = RelabelerEngine::nu_svm, .nu = 0.4, .tolerance = 1e-5}};
  RelabelerIterator run(iris_gram().view(), start, options);
  double before = std::numeric_limits<double>::infinity();
  while (run.has_next()) {
    Dataset data = iris();
    data.labels = {};
    for (const std::int32_t label : run.labels()) data.labels.push_back_number(label);
    const RelabelStep found = run.iterate();
    const TrainedClassifier trained = train_nu_svc(
        data, {.nu = 0.4, .kernel = Rbf{.gamma = 0.125}, .control = {.tolerance = 1e-6}});
    // Both are near the optimum, as their dual objectives' distance says of one of them.
    EXPECT_NEAR(found.objective,
                *trained.report.primal_objective,
                1e-3 * std::abs(*trained.report.primal_objective));
    EXPECT_LT(found.objective, before);
    before = found.objective;
  }
  EXPECT_TRUE(run.is_fixed_point());
  for (std::size_t i = 0; i < 150; ++i) EXPECT_EQ(run.labels()[i], i < 50 ? 1 : 0) << i;
}

TEST(RelabelerIterator, DirectMachineFallsTooAndEndsWithoutErrors) {
  for (std::uint64_t seed = 1; seed < 3; ++seed) {
    RelabelerOptions options = iris_options();
    options.k = 3;
    RelabelerIterator run(small_gram().view(), start_of(50, 3, seed), options);
    double before = std::numeric_limits<double>::infinity();
    while (run.has_next()) {
      const Labels labels(run.labels().begin(), run.labels().end());
      const RelabelStep step = run.iterate();
      EXPECT_LT(step.objective, before);
      before = step.objective;
      // Every class with errors moves at least one point, to where the machine puts it.
      std::set<std::int32_t> wrong;
      std::set<std::int32_t> moved;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (run.predicted()[i] != labels[i]) wrong.insert(labels[i]);
        if (run.labels()[i] != labels[i]) {
          moved.insert(labels[i]);
          EXPECT_EQ(run.labels()[i], run.predicted()[i]);
        }
      }
      EXPECT_EQ(wrong, moved);
      ASSERT_LT(run.fits(), 200u);
    }
    const std::set<std::int32_t> classes(run.labels().begin(), run.labels().end());
    EXPECT_TRUE(run.is_fixed_point() || classes.size() == 1);
  }
}

TEST(RelabelerIterator, StoppedFitIsNotSolvedAgain) {
  for (const RelabelerMulticlass way :
       {RelabelerMulticlass::recursive, RelabelerMulticlass::direct}) {
    bool stop = false;
    std::size_t refusals = 0;
    RelabelerOptions options = iris_options();
    options.multiclass = way;
    options.context.on_progress = [&](const Progress&) {
      refusals += stop ? 1 : 0;
      return stop ? Continue::stop : Continue::yes;
    };
    RelabelerIterator run(iris_gram().view(), start_of(150, 2, 1), options);
    static_cast<void>(run.iterate());
    stop = true;
    // Fits of points that the callback leaves where they were are worse than the machine before.
    static_cast<void>(run.iterate());
    EXPECT_EQ(refusals, 1u);
    EXPECT_EQ(run.inexact_fits(), 1u);
  }
}

TEST(RelabelerIterator, PurityIsReportedForKnownClasses) {
  RelabelerOptions options = iris_options();
  options.known_classes = classes_of(iris().labels).of_row;
  Labels setosa(150, 0);
  std::fill(setosa.begin(), setosa.begin() + 50, 1);
  RelabelerIterator run(iris_gram().view(), setosa, options);
  EXPECT_DOUBLE_EQ(run.iterate().purity.value(), 100.0 / 150);
}

TEST(RelabelerIterator, RefusesWrongCalls) {
  const DenseView matrix = iris_gram().view();
  EXPECT_THROW(RelabelerIterator(matrix, Labels(149, 0)), InvalidArgument);
  EXPECT_THROW(RelabelerIterator(matrix, Labels(150, 2)), InvalidArgument);
  EXPECT_THROW(RelabelerIterator(matrix, Labels(150, -1)), InvalidArgument);
  EXPECT_THROW(RelabelerIterator(matrix.middle_rows(0, 10), Labels(10, 0)), InvalidArgument);
  EXPECT_THROW(RelabelerIterator(matrix, Labels(150, 0), {.relabel_fraction = 0}), InvalidArgument);
  EXPECT_THROW(RelabelerIterator(matrix, Labels(150, 0), {.known_classes = {1, 2}}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/multilabel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

struct LabelledRows {
  DenseMatrix dense = {};
  SparseMatrix sparse = {};
  std::vector<LabelFlags> labels = {};

  [[nodiscard]] std::vector<Row> rows(bool as_sparse = true) const {
    std::vector<Row> result;
    for (std::size_t i = 0; i < dense.rows(); ++i) {
      result.push_back(as_sparse ? Row(sparse.row(i)) : Row(dense.row(i)));
    }
    return result;
  }
};

LabelledRows random_rows(std::size_t n, std::size_t d, std::size_t labels, std::uint64_t seed) {
  Rng rng(seed, "multilabel");
  LabelledRows result;
  result.dense = DenseMatrix(n, d);
  for (double& value : result.dense.values()) value = rng.bernoulli(0.7) ? rng.normal() : 0.0;
  result.sparse = to_sparse(result.dense.view());
  for (std::size_t i = 0; i < n; ++i) {
    LabelFlags flags(labels);
    for (std::size_t l = 0; l < labels; ++l) {
      flags[l] = result.dense(i, l % d) + 0.5 * rng.normal() > 0.3 ? 1 : 0;
    }
    result.labels.push_back(flags);
  }
  return result;
}

class MultilabelSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MultilabelSeeds, ArgmaxesEqualBruteForce) {
  for (const bool interactions : {false, true}) {
    for (const double bias : {0.0, 1.0}) {
      const LabelledRows data = random_rows(6, 3, 5, GetParam());
      const MultilabelTask task(3, 5, {.bias = bias, .interactions = interactions});
      std::vector<std::pair<Row, LabelFlags>> samples;
      const std::vector<Row> rows = data.rows(GetParam() % 2 == 0);
      for (std::size_t i = 0; i < 6; ++i) samples.emplace_back(rows[i], data.labels[i]);
      Rng rng(GetParam());
      const TaskCheck check = check_task<MultilabelTask>(task, samples, rng);
      EXPECT_EQ(check.compared, 6u * 5u * 3u);
      EXPECT_EQ(check.missed, 0u);
      EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    }
  }
}

/// Independent labels are one machine each at the same C.
TEST_P(MultilabelSeeds, WithoutInteractionsItIsALinearMachineForEachLabel) {
  const LabelledRows data = random_rows(25, 4, 3, GetParam());
  const MultilabelTask task(4, 3);
  const std::vector<Row> rows = data.rows();
  const StructuralHinge<MultilabelTask> risk(task, rows, data.labels);
  const double c = 0.5;
  const StructuralSolution solution =
      solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-4, .max_passes = 100000});
  ASSERT_EQ(solution.report.status, Status::solved);
  EXPECT_EQ(risk.misses(), 0u);
  double primal = 0;
  double dual = 0;
  for (std::size_t l = 0; l < 3; ++l) {
    std::vector<double> targets;
    for (const LabelFlags& flags : data.labels) targets.push_back(flags[l] != 0 ? 1 : -1);
    const LinearSolution linear = solve_dual_coordinate(
        {.examples = data.sparse.view(), .targets = targets, .c = c, .bias = 1},
        {.tolerance = 1e-5});
    primal += *linear.report.primal_objective;
    dual += *linear.report.dual_objective;
  }
  EXPECT_LE(dual, *solution.report.primal_objective * (1 + 1e-10));
  EXPECT_LE(*solution.report.dual_objective, primal * (1 + 1e-10));
}

INSTANTIATE_TEST_SUITE_P(Seeds, MultilabelSeeds, ::testing::Range<std::uint64_t>(1, 7));

/// Three labels along a line, one for each row: the middle one is no half-line, so that only labels
/// which know of each other can be right.
TEST(Multilabel, InteractionsLearnWhatSingleLabelsCannot) {
  LabelledRows data;
  data.dense = DenseMatrix(3, 1);
  data.dense(0, 0) = -1;
  data.dense(2, 0) = 1;
  data.sparse = to_sparse(data.dense.view());
  data.labels = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Row> rows = data.rows(false);
  const auto errors = [&](bool interactions) {
    const MultilabelTask task(1, 3, {.interactions = interactions});
    const StructuralHinge<MultilabelTask> risk(task, rows, data.labels);
    const StructuralSolution solution =
        solve_block_frank_wolfe(risk, {.c = 100, .tolerance = 1e-3, .max_passes = 100000});
    EXPECT_EQ(solution.report.status, Status::solved);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      sum += task.loss(data.labels[i], task.predict(rows[i], solution.w));
    }
    return sum;
  };
  EXPECT_EQ(errors(true), 0);
  EXPECT_GT(errors(false), 0);
}

TEST(Multilabel, IndicesAreThoseOfThePage) {
  const MultilabelTask task(2, 3, {.bias = 0.5, .interactions = true});
  EXPECT_EQ(task.dimension(), 3u * 3u + 3u);
  DenseMatrix x(1, 2);
  x(0, 0) = 7;
  x(0, 1) = 8;
  FeatureVector psi;
  task.joint_features(Row(x.row(0)), {1, 0, 1}, psi);
  psi.settle();
  std::vector<double> dense(task.dimension(), 0.0);
  psi.add_to(1, dense);
  EXPECT_EQ(dense, (std::vector<double>{7, 8, 0.5, 0, 0, 0, 7, 8, 0.5, 0, 1, 0}));
}

TEST(Multilabel, TiesAndEdges) {
  const MultilabelTask task(1, 2);
  const DenseMatrix x(1, 1);
  const std::vector<double> zero(task.dimension(), 0.0);
  EXPECT_EQ(task.predict(Row(x.row(0)), zero), (LabelFlags{1, 1}));  // sign(0) is +1
  EXPECT_EQ(task.loss({1, 0}, {0, 1}), 2);
  const MultilabelTask none(1, 0, {.interactions = true});
  EXPECT_EQ(none.dimension(), 0u);
  EXPECT_EQ(none.predict(Row(x.row(0)), {}), LabelFlags{});
}

TEST(Multilabel, WrongCallsAreRefused) {
  EXPECT_NO_THROW(MultilabelTask(1, 20, {.interactions = true}));
  EXPECT_THROW(MultilabelTask(1, 21, {.interactions = true}), InvalidArgument);
  EXPECT_NO_THROW(MultilabelTask(1, 21));
  EXPECT_THROW(MultilabelTask(1, 2, {.bias = std::numeric_limits<double>::quiet_NaN()}),
               InvalidArgument);
  const MultilabelTask task(1, 2);
  EXPECT_THROW(static_cast<void>(task.loss({1}, {1, 0})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "structured/tasks/hierarchy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

Label node(std::size_t number) { return Label(static_cast<double>(number)); }

/// Every node hangs on an earlier one or is at the top.
Taxonomy random_tree(std::size_t nodes, Rng& rng) {
  std::vector<TaxonomyLink> links;
  for (std::size_t v = 0; v < nodes; ++v) {
    TaxonomyLink link = {.node = node(v)};
    if (v > 0 && !rng.bernoulli(0.2)) link.parent = node(rng.index(v));
    links.push_back(link);
  }
  return Taxonomy(links);
}

Taxonomy flat_tree(std::size_t classes) {
  std::vector<TaxonomyLink> links;
  for (std::size_t v = 0; v < classes; ++v) {
    links.push_back({.node = node(v), .parent = Label(std::string("all"))});
  }
  return Taxonomy(links);
}

struct ClassRows {
  DenseMatrix dense = {};
  std::vector<std::int32_t> classes = {};
  std::vector<Row> rows = {};
};

ClassRows random_rows(std::size_t n, std::size_t d, std::size_t classes, std::uint64_t seed) {
  Rng rng(seed, "hierarchy");
  ClassRows result;
  result.dense = DenseMatrix(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t own = rng.index(classes);
    result.classes.push_back(static_cast<std::int32_t>(own));
    for (std::size_t j = 0; j < d; ++j) result.dense(i, j) = rng.normal();
    result.dense(i, own % d) += 1;
  }
  for (std::size_t i = 0; i < n; ++i) result.rows.emplace_back(result.dense.row(i));
  return result;
}

std::vector<std::uint32_t> outputs_of(const ClassRows& data, const Taxonomy& tree) {
  std::vector<std::uint32_t> outputs;
  for (const std::int32_t each : data.classes) {
    outputs.push_back(tree.find(node(static_cast<std::size_t>(each))).value());
  }
  return outputs;
}

StructuralSolution train(const StructuralRisk& risk, double c) {
  return solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-4, .max_passes = 100000});
}

class HierarchySeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(HierarchySeeds, ArgmaxesEqualBruteForce) {
  Rng rng(GetParam());
  for (const bool inner_nodes : {false, true}) {
    for (const double bias : {0.0, 1.0}) {
      const Taxonomy tree = random_tree(12, rng);
      const HierarchyTask task(tree, 3, {.bias = bias, .inner_nodes = inner_nodes});
      const ClassRows data = random_rows(8, 3, 12, GetParam());
      std::vector<std::uint32_t> classes;
      task.for_each_output(data.rows[0], [&](const std::uint32_t& y) { classes.push_back(y); });
      EXPECT_EQ(classes.size() == tree.size(), inner_nodes);
      std::vector<std::pair<Row, std::uint32_t>> samples;
      for (const Row& row : data.rows) {
        samples.emplace_back(row, classes[rng.index(classes.size())]);
      }
      const TaskCheck check = check_task<HierarchyTask>(task, samples, rng);
      EXPECT_EQ(check.compared, 8u * 5u * 3u);
      EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    }
  }
}

/// One level of classes: the machine of Crammer and Singer, by its own solver.
TEST_P(HierarchySeeds, TheFlatTreeIsCrammerAndSinger) {
  const ClassRows data = random_rows(30, 4, 3, GetParam());
  const Taxonomy tree = flat_tree(3);
  const HierarchyTask task(tree, 4);
  const std::vector<std::uint32_t> outputs = outputs_of(data, tree);
  const StructuralHinge<HierarchyTask> risk(task, data.rows, outputs);
  const StructuralSolution solution = train(risk, 0.3);
  const CrammerSinger problem = {.points = PointRows(data.dense.view()),
                                 .class_count = 3,
                                 .classes = data.classes,
                                 .costs = std::vector<double>(30, 0.3),
                                 .bias = 1};
  const CrammerSingerSolution direct = solve_crammer_singer(problem, {.tolerance = 1e-5});
  ASSERT_EQ(solution.report.status, Status::solved);
  ASSERT_EQ(direct.report.status, Status::solved);
  EXPECT_LE(*direct.report.dual_objective, *solution.report.primal_objective * (1 + 1e-10));
  EXPECT_LE(*solution.report.dual_objective, *direct.report.primal_objective * (1 + 1e-10));
}

/// seed-yu fact 21: two classes at C are the binary machine at 2C, the objective half.
TEST_P(HierarchySeeds, TwoLeavesAreTheBinaryMachine) {
  const ClassRows data = random_rows(30, 3, 2, GetParam());
  const Taxonomy tree = flat_tree(2);
  const HierarchyTask task(tree, 3, {.bias = 0});
  const std::vector<std::uint32_t> outputs = outputs_of(data, tree);
  const StructuralHinge<HierarchyTask> risk(task, data.rows, outputs);
  const StructuralSolution solution = train(risk, 0.3);
  std::vector<double> targets;
  for (const std::int32_t each : data.classes) targets.push_back(each == 1 ? 1 : -1);
  const LinearSolution linear = solve_dual_coordinate(
      {.examples = data.dense.view(), .targets = targets, .c = 0.6}, {.tolerance = 1e-5});
  EXPECT_LE(*linear.report.dual_objective / 2, *solution.report.primal_objective * (1 + 1e-10));
  EXPECT_LE(*solution.report.dual_objective, *linear.report.primal_objective / 2 * (1 + 1e-10));
}

/// Weights above all classes cancel in every difference.
TEST_P(HierarchySeeds, ARootOverAllChangesNothing) {
  const ClassRows data = random_rows(20, 3, 4, GetParam());
  const std::vector<TaxonomyLink> links = {{node(0), Label(std::string("a"))},
                                           {node(1), Label(std::string("a"))},
                                           {node(2), Label(std::string("b"))},
                                           {node(3), Label(std::string("b"))}};
  std::vector<TaxonomyLink> rooted = links;
  rooted.push_back({Label(std::string("a")), Label(std::string("root"))});
  rooted.push_back({Label(std::string("b")), Label(std::string("root"))});
  const auto solve = [&](const Taxonomy& tree) {
    const HierarchyTask task(tree, 3);
    const std::vector<std::uint32_t> outputs = outputs_of(data, tree);
    const StructuralHinge<HierarchyTask> risk(task, data.rows, outputs);
    return train(risk, 0.5).report;
  };
  const SolveReport without = solve(Taxonomy(links));
  const SolveReport with = solve(Taxonomy(rooted));
  EXPECT_LE(*without.dual_objective, *with.primal_objective * (1 + 1e-10));
  EXPECT_LE(*with.dual_objective, *without.primal_objective * (1 + 1e-10));
}

INSTANTIATE_TEST_SUITE_P(Seeds, HierarchySeeds, ::testing::Range<std::uint64_t>(1, 7));

TEST(Hierarchy, WrongCallsAreRefused) {
  const Taxonomy tree = flat_tree(2);
  const HierarchyTask task(tree, 1);
  const std::uint32_t top = tree.find(Label(std::string("all"))).value();
  EXPECT_THROW(static_cast<void>(task.loss(top, top)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(task.loss(1, 99)), InvalidArgument);
  EXPECT_EQ(task.loss(1, 2), 1);
  const Taxonomy nothing = {};
  EXPECT_THROW(HierarchyTask(nothing, 1), InvalidArgument);
  EXPECT_THROW(HierarchyTask(tree, 1, {.bias = std::numeric_limits<double>::infinity()}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "relax/class_bound.hpp"

#include <gtest/gtest.h>

#include <set>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/saddle/class_saddle.hpp"

namespace maxmargin {
namespace {

// Numbers of set partitions: Bell numbers, and Stirling sums where classes are few.
TEST(Partitions, AreAllAndDifferent) {
  const auto count = [](std::size_t points, std::size_t classes) {
    const auto all = partitions(points, classes);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
    return all.size();
  };
  EXPECT_EQ(count(0, 3), 1U);
  EXPECT_EQ(count(3, 3), 5U);
  EXPECT_EQ(count(4, 4), 15U);
  EXPECT_EQ(count(4, 2), 8U);
  EXPECT_EQ(count(5, 3), 41U);
  EXPECT_EQ(partitions(3, 3).front(), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(FarPoints, AreFar) {
  const DenseMatrix gram = linear_gram({{0, 0}, {10, 0}, {10, 1}, {0, 9}, {0, 8}, {-11, 0}});
  EXPECT_EQ(far_points(gram.view(), 3), (std::vector<std::size_t>{5, 2, 3}));
  EXPECT_TRUE(far_points(gram.view(), 0).empty());
  EXPECT_THROW((void)far_points(gram.view(), 7), InvalidArgument);
}

// Proofs for all partitions bound every labelling; with one missing they prove nothing.
TEST(ProvenClassBound, NeedsAllPartitions) {
  const DenseMatrix gram = rbf_gram(normal_points(6, 2, 2), 0.6);
  const ClassSaddle problem = class_problem(gram, 2, 3, 0.2);
  const std::vector<std::size_t> anchors = far_points(gram.view(), 3);
  std::vector<ClassProof> proofs;
  for (const auto& classes : partitions(3, 3)) {
    ClassSaddle told = problem;
    told.labels.assign(6, -1);
    for (std::size_t k = 0; k < 3; ++k) told.labels[anchors[k]] = classes[k];
    proofs.push_back({told.labels, solve_class_saddle(told).certificate});
  }
  const double bound = proven_class_bound(problem, anchors, proofs);
  EXPECT_GT(bound, 0);
  EXPECT_LE(bound, best_labelling_omega(problem, 150));
  const ClassSaddleSolution plain = solve_class_saddle(problem);
  EXPECT_GE(bound, plain.lower_bound);
  proofs.pop_back();
  EXPECT_EQ(proven_class_bound(problem, anchors, proofs), 0);
  EXPECT_EQ(proven_class_bound(problem, anchors, {}), 0);
  const std::vector<ClassProof> alone = {{.certificate = plain.certificate}};
  EXPECT_EQ(proven_class_bound(problem, {}, alone), std::max(0.0, plain.lower_bound));
}

// Partitions up to names speak for all labellings only if names do not matter. Here the best
// labelling has the far point alone, in the class of one; {0} of `partitions` puts it into the
// class of two.
TEST(ProvenClassBound, RefusesClassesOfDifferentRanges) {
  const DenseMatrix gram = linear_gram({{4, 0}, {-2, 0.1}, {-2, -0.1}});
  ClassSaddle problem{
      .matrix = gram.view(), .c = 0.1, .classes = 2, .least = {2, 1}, .most = {2, 1}};
  const std::vector<std::size_t> anchors = {0};
  ClassSaddle told = problem;
  told.labels = {0, -1, -1};
  const std::vector<ClassProof> proofs = {{told.labels, solve_class_saddle(told).certificate}};
  // It would prove more than is true.
  EXPECT_GT(class_saddle_bound(told, proofs.front().certificate),
            labelling_omega(problem, {1, 0, 0}));
  EXPECT_THROW((void)proven_class_bound(problem, anchors, proofs), InvalidArgument);
  problem.least = {1, 1};
  problem.most = {2, 2};
  EXPECT_NO_THROW((void)told_apart(problem, anchors));
}

// No labelling to speak of: no bound, least of all an infinite one.
TEST(ProvenClassBound, SizesThatAllowNothingProveNothing) {
  const DenseMatrix gram = rbf_gram(normal_points(9, 2, 2), 0.6);
  ClassSaddle problem = class_problem(gram, 2, 3, 0.2);
  const std::vector<std::size_t> anchors = {0, 1, 2};
  const std::vector<ClassProof> proofs(2);
  problem.least = {4, 4, 4};
  EXPECT_THROW((void)proven_class_bound(problem, anchors, proofs), InvalidArgument);
  // Sizes that add up to n but for rounding are no error, yet no labelling has them.
  problem.least.assign(3, 3 * (1 + 1e-15));
  problem.most.assign(3, 3.5);
  EXPECT_EQ(proven_class_bound(problem, anchors, proofs), 0);
  problem.least.assign(3, 2);
  EXPECT_THROW((void)told_apart(problem, std::vector<std::size_t>{1, 1}), InvalidArgument);
  EXPECT_THROW((void)told_apart(problem, std::vector<std::size_t>{9}), InvalidArgument);
}

// The guess agrees with what solving says, far on both sides.
TEST(LooksVacuous, AgreesWithTheRelaxation) {
  const DenseMatrix gram = rbf_gram(normal_points(12, 2, 2), 0.6);
  const std::vector<std::size_t> anchors = far_points(gram.view(), 3);
  for (const double beta : {0.01, 5.0}) {
    const ClassSaddle problem = class_problem(gram, beta, 3, 0.1);
    const ClassSaddleSolution plain = solve_class_saddle(problem);
    ClassSaddle told = problem;
    told.labels.assign(12, -1);
    for (std::size_t k = 0; k < 3; ++k) told.labels[anchors[k]] = static_cast<std::int32_t>(k);
    EXPECT_EQ(looks_vacuous(problem, plain.m.view(), anchors),
              solve_class_saddle(told).lower_bound <= 0);
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/precision_at_k.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "ranking_cases.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

using testing::normal_weights;
using testing::random_ranking;
using testing::RankingCase;

struct RowsOfQueries {
  RankingCase data = {};
  std::vector<std::vector<Row>> rows = {};
  std::vector<std::vector<std::uint8_t>> relevant = {};
};

RowsOfQueries random_queries(const std::vector<std::size_t>& lengths,
                             std::size_t features,
                             std::uint64_t seed) {
  RowsOfQueries result = {.data = random_ranking(lengths, features, 2, seed)};
  for (std::size_t q = 0; q < lengths.size(); ++q) {
    result.rows.emplace_back();
    result.relevant.emplace_back();
    for (std::size_t i = result.data.queries.begins[q]; i < result.data.queries.begins[q + 1];
         ++i) {
      result.rows.back().emplace_back(result.data.sparse.row(i));
      result.relevant.back().push_back(result.data.queries.grades[i] > 0 ? 1 : 0);
    }
  }
  return result;
}

double score(const PrecisionAtKTask& task,
             const std::vector<Row>& x,
             const TopRows& y,
             const std::vector<double>& w) {
  FeatureVector psi;
  task.joint_features(x, y, psi);
  psi.settle();
  return psi.dot(w);
}

class PrecisionAtKSeeds : public ::testing::TestWithParam<std::uint64_t> {};

/// seed-yu fact 49, first and last part; queries shorter than k as well.
TEST_P(PrecisionAtKSeeds, ArgmaxEqualsEnumerationAndLossesAreNotNegative) {
  const RowsOfQueries queries = random_queries({7, 5, 2, 8}, 3, GetParam());
  Rng rng(GetParam());
  for (const std::size_t k : {1U, 3U, 6U}) {
    const PrecisionAtKTask task(3, k);
    std::vector<std::pair<std::vector<Row>, TopRows>> samples;
    for (std::size_t q = 0; q < 4; ++q) {
      samples.emplace_back(
          queries.rows[q],
          task.complete(
              queries.rows[q], task.truth_of(queries.relevant[q]), normal_weights(3, rng)));
    }
    const TaskCheck check = check_task<PrecisionAtKTask>(task, samples, rng);
    EXPECT_EQ(check.compared, 4u * 5u * 3u);
    EXPECT_TRUE(check.faults.empty()) << check.faults.front();
  }
}

/// seed-yu fact 49, second part.
TEST_P(PrecisionAtKSeeds, CompletionHasNoLossAndTheHighestScoreOfSuchLists) {
  const RowsOfQueries queries = random_queries({7, 5, 2, 8}, 3, GetParam());
  Rng rng(GetParam());
  for (const std::size_t k : {1U, 3U, 6U}) {
    const PrecisionAtKTask task(3, k);
    for (std::size_t q = 0; q < 4; ++q) {
      const std::vector<double> w = normal_weights(3, rng);
      const TopRows completed =
          task.complete(queries.rows[q], task.truth_of(queries.relevant[q]), w);
      EXPECT_EQ(task.loss(completed, completed), 0);
      double best = -std::numeric_limits<double>::infinity();
      task.for_each_output(queries.rows[q], [&](const TopRows& y) {
        if (task.loss(completed, y) == 0) best = std::max(best, score(task, queries.rows[q], y, w));
      });
      EXPECT_NEAR(score(task, queries.rows[q], completed, w), best, 1e-12);
    }
  }
}

/// Unlike the table with another k than positives, this loss is a bound for every k (fact 42).
TEST_P(PrecisionAtKSeeds, LossBoundsThatOfThePrediction) {
  const RowsOfQueries queries = random_queries({7, 5, 8}, 3, GetParam());
  Rng rng(GetParam());
  for (const std::size_t k : {1U, 3U, 6U}) {
    const PrecisionAtKTask task(3, k);
    const std::vector<double> w = normal_weights(3, rng);
    std::vector<TopRows> truths;
    for (std::size_t q = 0; q < 3; ++q) {
      truths.push_back(task.complete(queries.rows[q], task.truth_of(queries.relevant[q]), w));
    }
    const StructuralHinge<PrecisionAtKTask> risk(task, queries.rows, truths);
    for (std::size_t q = 0; q < 3; ++q) {
      StructuralPlane plane;
      risk.largest_plane(q, w, plane);
      EXPECT_GE(plane.offset - plane.slope.dot(w),
                task.loss(truths[q], task.predict(queries.rows[q], w)) - 1e-12);
    }
  }
}

/// 1/2 |w|^2 + C sum over queries, the truth completed at w itself.
double latent_objective(const PrecisionAtKTask& task,
                        const RowsOfQueries& queries,
                        double c,
                        const std::vector<double>& w) {
  std::vector<TopRows> truths;
  for (std::size_t q = 0; q < queries.rows.size(); ++q) {
    truths.push_back(task.complete(queries.rows[q], task.truth_of(queries.relevant[q]), w));
  }
  return structural_primal(StructuralHinge<PrecisionAtKTask>(task, queries.rows, truths), c, w);
}

/// seed-yu fact 50: alternating completion and training from the query-weighted classifier, and
/// from w = 0 where all scores tie, never raises the objective by more than the inner gap.
TEST_P(PrecisionAtKSeeds, AlternatingNeverEndsAboveItsStart) {
  const std::vector<std::size_t> lengths = {9, 12, 7, 10, 8};
  const RowsOfQueries queries = random_queries(lengths, 4, GetParam());
  std::vector<double> targets;
  std::vector<double> weights;
  for (std::size_t q = 0; q < lengths.size(); ++q) {
    for (const std::uint8_t flag : queries.relevant[q]) {
      targets.push_back(flag != 0 ? 1 : -1);
      weights.push_back(1 / static_cast<double>(lengths[q]));
    }
  }
  const LinearSolution classifier = solve_dual_coordinate(
      {.examples = queries.data.sparse.view(), .targets = targets, .weights = weights, .c = 1});
  const PrecisionAtKTask task(4, 3);
  const double c = 5;
  for (const std::vector<double>& start : {classifier.w, std::vector<double>(4, 0.0)}) {
    std::vector<double> w = start;
    const double first = latent_objective(task, queries, c, w);
    double before = first;
    for (int round = 0; round < 5; ++round) {
      std::vector<TopRows> truths;
      for (std::size_t q = 0; q < queries.rows.size(); ++q) {
        truths.push_back(task.complete(queries.rows[q], task.truth_of(queries.relevant[q]), w));
      }
      const StructuralHinge<PrecisionAtKTask> risk(task, queries.rows, truths);
      const StructuralSolution solution =
          solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-5, .max_passes = 100000});
      ASSERT_EQ(solution.report.status, Status::solved);
      w = solution.w;
      const double after = latent_objective(task, queries, c, w);
      EXPECT_LE(after, before + *solution.report.gap() + 1e-10 * before);
      before = after;
    }
    EXPECT_LE(before, first * (1 + 1e-4));
  }
}

/// What two outputs share says nothing of their difference, whichever rows they put first.
TEST_P(PrecisionAtKSeeds, DifferencesOfAllPairsOfOutputs) {
  const RowsOfQueries queries = random_queries({6, 2}, 3, GetParam());
  const PrecisionAtKTask task(3, 3);
  for (std::size_t q = 0; q < 2; ++q) {
    const std::vector<Row>& x = queries.rows[q];
    task.for_each_output(x, [&](const TopRows& y) {
      task.for_each_output(x, [&](const TopRows& rival) {
        FeatureVector plain;
        task.joint_features(x, y, plain);
        FeatureVector other;
        task.joint_features(x, rival, other);
        plain.add(other, -1);
        FeatureVector difference;
        task.feature_difference(x, y, rival, difference);
        plain.add(difference, -1);
        plain.settle();
        for (const FeatureVector::Entry& entry : plain.entries()) {
          EXPECT_NEAR(entry.value, 0, 1e-12);
        }
        if (y == rival) {
          difference.settle();
          EXPECT_TRUE(difference.empty());
        }
      });
    });
  }
}

/// Every list of loss 0 is drawn about as often as any other: of 3 relevant rows and k = 2 there
/// are 3, and 3000 draws of each one deviate from 1000 by 26 on the average.
TEST(PrecisionAtK, RandomCompletionsAreEven) {
  const DenseMatrix matrix(5, 1, 1.0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < 5; ++i) rows.emplace_back(matrix.row(i));
  const PrecisionAtKTask task(1, 2);
  const std::vector<std::uint8_t> relevant = {1, 0, 1, 0, 1};
  const TopRows truth = task.truth_of(relevant);
  EXPECT_EQ(truth.top, (std::vector<std::size_t>{0, 2}));
  EXPECT_FALSE(task.has_one_completion(rows, truth));
  EXPECT_TRUE(PrecisionAtKTask(1, 3).has_one_completion(rows, truth));
  EXPECT_TRUE(PrecisionAtKTask(1, 9).has_one_completion(rows, truth));
  std::map<std::vector<std::size_t>, int> drawn;
  Rng rng(7);
  for (int k = 0; k < 3000; ++k) ++drawn[task.random_completion(rows, truth, rng).top];
  ASSERT_EQ(drawn.size(), 3U);
  for (const auto& [top, count] : drawn) EXPECT_NEAR(count, 1000, 5 * 26);
}

/// Fact 50 with the library's search, which raises nothing at all.
TEST_P(PrecisionAtKSeeds, SearchFromWeightsNeverEndsAboveThem) {
  const RowsOfQueries queries = random_queries({9, 12, 7, 10, 8}, 4, GetParam());
  const PrecisionAtKTask task(4, 3);
  std::vector<TopRows> truths;
  for (const std::vector<std::uint8_t>& flags : queries.relevant) {
    truths.push_back(task.truth_of(flags));
  }
  Rng rng(GetParam());
  for (const std::vector<double>& start : {normal_weights(4, rng), std::vector<double>(4, 0.0)}) {
    LatentOptions options{.start = LatentStart::weights, .start_weights = start};
    options.solving.c = 5;
    const LatentSolution found =
        train_latent<PrecisionAtKTask>(task, queries.rows, truths, {}, options);
    EXPECT_LE(*found.report.primal_objective, latent_objective(task, queries, 5, start));
    EXPECT_NEAR(*found.report.primal_objective,
                latent_objective(task, queries, 5, found.w),
                1e-9 * *found.report.primal_objective);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PrecisionAtKSeeds, ::testing::Range<std::uint64_t>(1, 7));

TEST(PrecisionAtK, HandMadeLosses) {
  const PrecisionAtKTask task(1, 4);
  const TopRows truth = {.top = {0, 1, 2, 3}, .relevant = {1, 1, 0, 0, 0, 0}};
  EXPECT_EQ(task.loss(truth, {.top = {0, 2, 3, 4}}), 0.25);  // 2 of 4 is the best there is
  EXPECT_EQ(task.loss(truth, {.top = {2, 3, 4, 5}}), 0.5);
  EXPECT_EQ(task.loss(truth, {.top = {0, 1, 4, 5}}), 0);
  EXPECT_THROW(PrecisionAtKTask(1, 0), InvalidArgument);
}

TEST(PrecisionAtK, WhatCannotBeOrderedIsRefused) {
  const PrecisionAtKTask task(2, 1);
  const DenseMatrix matrix(3, 2, 1.0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < 3; ++i) rows.emplace_back(matrix.row(i));
  const std::vector<std::uint8_t> relevant = {0, 1, 0};
  const std::vector<double> w = {1, 2};
  const TopRows truth = task.complete(rows, task.truth_of(relevant), w);
  const double none = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& wrong :
       {std::vector<double>{none, 0}, {infinite, -infinite}, {1}}) {
    EXPECT_THROW((void)task.predict(rows, wrong), InvalidArgument);
    EXPECT_THROW((void)task.loss_augmented_argmax(rows, truth, wrong), InvalidArgument);
    EXPECT_THROW((void)task.complete(rows, task.truth_of(relevant), wrong), InvalidArgument);
  }
  // Truths of other queries, and predictions, which know nothing of relevant rows.
  EXPECT_THROW((void)task.loss(truth, {.top = {3}}), InvalidArgument);
  EXPECT_THROW((void)task.loss({.top = {1}}, {.top = {1}}), InvalidArgument);
  EXPECT_THROW((void)task.loss_augmented_argmax(rows, {.top = {1}, .relevant = {0, 1}}, w),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

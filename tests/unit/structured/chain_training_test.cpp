// SPDX-License-Identifier: Apache-2.0
// Chains as structural machines: the gap closes, and chains of one position are the direct
// multi-class machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chain_cases.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

using namespace chain_cases;

using Hinge = StructuralHinge<ChainTask>;

/// P(w) from all outputs of all inputs.
double enumerated_primal(const ChainTask& task,
                         const SequenceData& data,
                         Rescaling rescaling,
                         double c,
                         std::span<const double> w) {
  double sum = 0;
  for (const double weight : w) sum += 0.5 * weight * weight;
  for (std::size_t i = 0; i < data.size(); ++i) {
    double worst = 0;
    const double own = task.score(data.inputs[i], data.labels[i], w);
    task.for_each_output(data.inputs[i], [&](const LabelSequence& y) {
      const double loss = task.loss(data.labels[i], y);
      const double ahead = task.score(data.inputs[i], y, w) - own;
      worst = std::max(worst, rescaling == Rescaling::margin ? loss + ahead : loss * (1 + ahead));
    });
    sum += c * worst;
  }
  return sum;
}

TEST(ChainTraining, TheGapClosesAndIsWhatEnumerationSays) {
  const SequenceData data = planted_chains(30, 3, 1);
  for (const std::size_t order : {1u, 2u}) {
    const ChainTask task({.labels = 3, .features = data.features, .order = order});
    for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
      const Hinge risk(task, data.inputs, data.labels, rescaling);
      const StructuralOptions options{.c = 0.3, .tolerance = 1e-3, .max_passes = 3000};
      const StructuralSolution solution = solve_block_frank_wolfe(risk, options);
      EXPECT_EQ(solution.report.status, Status::solved);
      const double primal = enumerated_primal(task, data, rescaling, options.c, solution.w);
      EXPECT_NEAR(*solution.report.primal_objective, primal, 1e-9 * primal);
      EXPECT_LE(relative_gap(primal, *solution.report.dual_objective), options.tolerance + 1e-9);
      EXPECT_LE(*solution.report.dual_objective, primal * (1 + 1e-9));
      // Any other w is no better than the dual says.
      Rng rng(2);
      std::vector<double> other = solution.w;
      for (double& weight : other) weight += 0.1 * rng.normal();
      EXPECT_GE(enumerated_primal(task, data, rescaling, options.c, other),
                *solution.report.dual_objective);
    }
  }
}

// seed-yu fact 17: an example's loss is at least what its prediction costs.
TEST(ChainTraining, LossesBoundTheErrorsOfPredictions) {
  const SequenceData data = planted_chains(20, 3, 3);
  const ChainTask task({.labels = 3, .features = data.features});
  Rng rng(4);
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    const Hinge risk(task, data.inputs, data.labels, rescaling);
    for (std::size_t round = 0; round < 5; ++round) {
      const std::vector<double> w = random_weights(rng, task.dimension());
      for (std::size_t i = 0; i < data.size(); ++i) {
        StructuralPlane plane;
        risk.largest_plane(i, w, plane);
        const double error = task.loss(data.labels[i], task.predict(data.inputs[i], w));
        EXPECT_GE(plane.offset - plane.slope.dot(w), error - 1e-9);
      }
    }
    EXPECT_EQ(risk.misses(), 0u);
  }
}

/// Points of several classes as chains of one position.
struct Singles {
  DenseMatrix points;
  std::vector<std::int32_t> classes;
  SequenceData data;

  Singles(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed) : points(n, d) {
    Rng rng(seed, "singles");
    data.features = d;
    for (std::size_t i = 0; i < n; ++i) {
      classes.push_back(static_cast<std::int32_t>(i % k));
      Sequence x;
      for (std::size_t j = 0; j < d; ++j) {
        points(i, j) = rng.normal() + (i % k == j % k ? 1 : 0);
        x.indices.push_back(static_cast<std::uint32_t>(j));
        x.values.push_back(points(i, j));
      }
      x.begins.push_back(d);
      data.inputs.push_back(std::move(x));
      data.labels.push_back({static_cast<std::uint32_t>(i % k)});
    }
  }
};

TEST(ChainTraining, OnePositionIsTheDirectMultiClassMachine) {
  const Singles singles(40, 4, 3, 5);
  const ChainTask task({.labels = 3, .features = 4, .begin = false, .end = false});
  const double c = 0.4;
  const StructuralOptions options{.c = c, .tolerance = 1e-5, .max_passes = 100000};
  const CrammerSinger problem{.points = PointRows(singles.points.view()),
                              .class_count = 3,
                              .classes = singles.classes,
                              .costs = std::vector<double>(40, c)};
  const CrammerSingerSolution direct = solve_crammer_singer(problem, {.tolerance = 1e-6});
  // seed-yu fact 18: with losses of 0 and 1 both rescalings are one problem.
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    const Hinge risk(task, singles.data.inputs, singles.data.labels, rescaling);
    const StructuralSolution chain = solve_block_frank_wolfe(risk, options);
    EXPECT_EQ(chain.report.status, Status::solved);
    EXPECT_NEAR(*chain.report.primal_objective,
                *direct.report.primal_objective,
                3e-5 * *direct.report.primal_objective);
    // |w - w'|^2 <= 2 (gap + gap').
    double distance = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t j = 0; j < 4; ++j) {
        const double difference = chain.w[task.emission_index(j, r)] - direct.weights(r, j);
        distance += difference * difference;
      }
    }
    EXPECT_LE(distance, 4 * (*chain.report.gap() + *direct.report.gap()) + 1e-12);
  }
}

// seed-yu fact 21: two labels at C are the binary machine at 2 C, and half its objective.
TEST(ChainTraining, TwoLabelsAreTheBinaryMachine) {
  const Singles singles(30, 3, 2, 6);
  const ChainTask task({.labels = 2, .features = 3, .begin = false, .end = false});
  const Hinge risk(task, singles.data.inputs, singles.data.labels);
  const double c = 0.5;
  const StructuralSolution chain =
      solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-5, .max_passes = 100000});
  EXPECT_EQ(chain.report.status, Status::solved);
  std::vector<double> targets;
  for (const std::int32_t cls : singles.classes) targets.push_back(cls == 1 ? 1 : -1);
  const LinearSolution binary = solve_linear(
      {.examples = singles.points.view(), .targets = targets, .c = 2 * c}, {.tolerance = 1e-6});
  EXPECT_NEAR(2 * *chain.report.primal_objective,
              *binary.report.primal_objective,
              3e-5 * *binary.report.primal_objective);
}

// Nothing ties positions together: cut into single positions, the sequences are the same machine.
TEST(ChainTraining, OrderZeroIsEveryPositionByItself) {
  const SequenceData whole = planted_chains(40, 3, 12);
  SequenceData cut{.features = whole.features};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (std::size_t t = 0; t < whole.labels[i].size(); ++t) {
      cut.inputs.push_back({.begins = {0, 1}, .indices = {whole.inputs[i].indices[t]}});
      cut.labels.push_back({whole.labels[i][t]});
    }
  }
  const ChainTask task(
      {.labels = 3, .features = whole.features, .order = 0, .begin = false, .end = false});
  const StructuralOptions options{.c = 0.2, .tolerance = 1e-4, .max_passes = 10000};
  const StructuralSolution first =
      solve_block_frank_wolfe(Hinge(task, whole.inputs, whole.labels), options);
  const StructuralSolution second =
      solve_block_frank_wolfe(Hinge(task, cut.inputs, cut.labels), options);
  EXPECT_EQ(first.report.status, Status::solved);
  EXPECT_EQ(second.report.status, Status::solved);
  // Each lower bound holds for the other.
  EXPECT_LE(*first.report.dual_objective, *second.report.primal_objective * (1 + 1e-12));
  EXPECT_LE(*second.report.dual_objective, *first.report.primal_objective * (1 + 1e-12));
  // It is the objective of the cut data, too.
  EXPECT_NEAR(enumerated_primal(task, whole, Rescaling::margin, options.c, first.w),
              enumerated_primal(task, cut, Rescaling::margin, options.c, first.w),
              1e-9 * *first.report.primal_objective);
}

TEST(ChainTraining, ThreadsDoNotChangeTheAnswer) {
  const SequenceData data = planted_chains(200, 4, 7);
  const ChainTask task({.labels = 4, .features = data.features});
  const Hinge risk(task, data.inputs, data.labels);
  StructuralOptions options{
      .c = 0.1, .tolerance = 1e-2, .max_passes = 50, .context = {.threads = 1}};
  const StructuralSolution one = solve_block_frank_wolfe(risk, options);
  options.context.threads = 3;
  EXPECT_EQ(solve_block_frank_wolfe(risk, options).w, one.w);
}

/// The chains above with other words: one of the label, or at a fifth of the positions a word that
/// all labels share.
SequenceData silent_chains(std::size_t count, std::size_t labels, std::uint64_t seed) {
  SequenceData data = planted_chains(count, labels, seed);
  const std::size_t words_a_label = data.features / labels;
  Rng rng(seed, "silent words");
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (std::size_t t = 0; t < data.labels[i].size(); ++t) {
      const std::size_t own = data.labels[i][t] * words_a_label + rng.index(words_a_label);
      data.inputs[i].indices[t] =
          static_cast<std::uint32_t>(rng.bernoulli(0.2) ? data.features : own);
    }
  }
  ++data.features;
  return data;
}

// Words that say nothing of the label at a fifth of the positions: neighbours tell. With four
// labels the best guess without neighbours is wrong at 3/4 of those positions, with one neighbour
// at 0.3 * 3/4 of them. (Words that lie instead, as in planted_chains, are no such data: heavier
// steps gain at a lie between two labels that follow each other what they lose at every step that
// is broken and told by its words, and the hinge balances the two at steps too light to matter.)
TEST(ChainTraining, LearnsThePlantedChain) {
  const SequenceData train = silent_chains(300, 4, 8);
  const SequenceData test = silent_chains(300, 4, 9);
  const auto errors = [&](const ChainTask& task, std::span<const double> w) {
    double sum = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
      sum += task.loss(test.labels[i], task.predict(test.inputs[i], w));
    }
    return sum;
  };
  const ChainTask task({.labels = 4, .features = train.features});
  const Hinge risk(task, train.inputs, train.labels);
  const StructuralSolution solution = solve_block_frank_wolfe(risk, {.c = 0.1, .tolerance = 1e-2});
  // The same machine without its steps.
  std::vector<double> alone = solution.w;
  std::fill(alone.begin() + static_cast<std::ptrdiff_t>(task.pair_index(0, 0)), alone.end(), 0.0);
  EXPECT_GT(errors(task, alone), 0);
  EXPECT_LT(errors(task, solution.w), errors(task, alone) / 2);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// Facts of seed-yu section 7 that no other test shows in full.
#include <gtest/gtest.h>

#include <cmath>

#include "alignment_cases.hpp"
#include "binary_task.hpp"
#include "chain_cases.hpp"
#include "maxmargin/metric/structured/alignment.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

double augmented(const BinaryTask& task, const Row& x, int y, int other, double w) {
  FeatureVector psi;
  task.joint_features(x, other, psi);
  return task.loss(y, other) + psi.dot(std::vector<double>{w});
}

// Fact 22: sign(w.x - y) is the argmax of loss plus score; both outputs tie where y w.x = 1, and
// there alone.
TEST(StructuralFacts, BinaryArgmaxIsTheSignOfScoreLessLabel) {
  const DenseMatrix point(1, 1, 2.0);
  const Row x(point.row(0));
  const BinaryTask task(1);
  for (const int y : {-1, 1}) {
    for (int step = -16; step <= 16; ++step) {
      const double w = step / 8.0;  // w.x in quarters: no rounding
      const double plus = augmented(task, x, y, 1, w);
      const double minus = augmented(task, x, y, -1, w);
      EXPECT_EQ(plus == minus, y * 2 * w == 1) << "y " << y << ", w " << w;
      if (plus == minus) continue;
      const int best = plus > minus ? 1 : -1;
      EXPECT_EQ(best, 2 * w - y > 0 ? 1 : -1);
      EXPECT_EQ(task.loss_augmented_argmax(x, y, std::vector<double>{w}), best);
    }
  }
}

// Facts 26, 27 and 28 at their full size: six positions of four labels, all 4096 outputs; predict,
// loss-augmented and loss-scaled argmax.
TEST(StructuralFacts, ViterbiEqualsEnumerationOfSixPositionsAndFourLabels) {
  for (const std::size_t order : {1U, 2U}) {
    const ChainTask task({.labels = 4, .features = 5, .order = order});
    Rng rng(26, "facts");
    std::vector<std::pair<Sequence, LabelSequence>> samples;
    for (int k = 0; k < 3; ++k) {
      samples.emplace_back(chain_cases::random_sequence(rng, 6, task.options()),
                           chain_cases::random_labels(rng, 6, 4));
    }
    const TaskCheck check = check_task<ChainTask>(task, samples, rng, {.rounds = 4});
    EXPECT_EQ(check.faults, std::vector<std::string>());
    EXPECT_EQ(check.compared, 3U * 4 * 3);
  }
}

// Fact 6, before the first cut: w = 0 is all there is, its slack is 0 and the bound 0.
TEST(StructuralFacts, WithoutCutsThereIsZero) {
  const SequenceData data = chain_cases::planted_chains(8, 3, 6);
  const ChainTask task({.labels = 3, .features = data.features});
  const StructuralHinge<ChainTask> risk(task, data.inputs, data.labels);
  const StructuralSolution found =
      solve_one_slack(risk, {.c = 0.5, .context = {.on_progress = [](const Progress& progress) {
                                         EXPECT_EQ(progress.dual_objective, 0.0);
                                         return Continue::stop;
                                       }}});
  EXPECT_EQ(found.w, std::vector<double>(task.dimension(), 0.0));
  EXPECT_EQ(found.report.dual_objective, 0.0);
  // P(0) = C times all losses: with the Hamming loss every position is wrong.
  double positions = 0;
  for (const LabelSequence& labels : data.labels) positions += static_cast<double>(labels.size());
  EXPECT_DOUBLE_EQ(structural_primal(risk, 0.5, found.w), 0.5 * positions);
}

// Fact 34: no shift is Q, by either side; and Q4 is never below it.
TEST(StructuralFacts, NoShiftIsQ) {
  Rng rng(34, "facts");
  std::size_t above = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t m = 1 + rng.index(7);
    const std::size_t n = 1 + rng.index(7);
    const Alignment reference = random_alignment(m, n, rng);
    const Alignment predicted = random_alignment(m, n, rng);
    const double q = alignment_quality(reference, predicted, q_rule);
    for (const AlignmentSide side : {AlignmentSide::target, AlignmentSide::known}) {
      EXPECT_EQ(alignment_quality(reference, predicted, {0, side}), q);
      EXPECT_GE(alignment_quality(reference, predicted, {4, side}), q);
    }
    above += alignment_quality(reference, predicted, q4_rule) > q ? 1U : 0U;
  }
  EXPECT_GT(above, 0u);
}

// Fact 36: 7^6, 3^10 and 4^7 are the blocks of windows.
TEST(StructuralFacts, WindowBlocksOfAlignments) {
  const auto count = [](SubstitutionModel model) {
    return AlignmentTask({.substitution = model}).match_features();
  };
  EXPECT_EQ(count(SubstitutionModel::window) - count(SubstitutionModel::combined),
            static_cast<std::size_t>(std::pow(7, 6) + std::pow(3, 10) + std::pow(4, 7)));
  EXPECT_EQ(static_cast<std::size_t>(std::pow(7, 6)), 117'649u);
  EXPECT_EQ(static_cast<std::size_t>(std::pow(3, 10)), 59'049u);
  EXPECT_EQ(static_cast<std::size_t>(std::pow(4, 7)), 16'384u);
}

// Fact 38: the score of an alignment is the sum of the scores of its columns, each column an
// alignment of its own: what the recursions add up.
TEST(StructuralFacts, ScoresOfAlignmentsAreSumsOverColumns) {
  Rng rng(38, "facts");
  const AlignmentTask task({.substitution = SubstitutionModel::simple,
                            .gaps = GapModel::context,
                            .kind = AlignmentKind::local,
                            .normalise = false});
  for (int round = 0; round < 5; ++round) {
    const SequencePair x = {random_sequence(6, rng), random_sequence(5, rng)};
    const Alignment y = random_alignment(6, 5, rng);
    const std::vector<double> w = random_weights(task, rng);
    double sum = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    for (const AlignmentStep step : y.steps) {
      sum += score_of(task, x, {i, j, {step}}, w);
      i += step == AlignmentStep::gap_in_target ? 0 : 1;
      j += step == AlignmentStep::gap_in_known ? 0 : 1;
    }
    EXPECT_NEAR(sum, score_of(task, x, y, w), 1e-12 * (1 + std::abs(sum)));
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// Facts of the specification in their own words, where the tests of the parts say them otherwise.
#include <gtest/gtest.h>

#include "alignment_cases.hpp"
#include "chain_cases.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/metric/alignment.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/tasks/binary.hpp"

namespace maxmargin {
namespace {

/// Of the rival y' when y is true: loss + score.
double augmented(const BinaryTask& task,
                 const Row& x,
                 std::int32_t truth,
                 std::int32_t rival,
                 std::span<const double> w) {
  FeatureVector psi;
  task.joint_features(x, rival, psi);
  return task.loss(truth, rival) + psi.dot(w);
}

// seed-yu fact 22: the argmax of loss + score is sign(w.x - y), a tie where the margin is 1.
TEST(YuFacts, BinaryArgmaxIsASign) {
  Rng rng(22);
  const BinaryTask task(3);
  std::size_t rivals = 0;
  for (int round = 0; round < 200; ++round) {
    DenseMatrix points(1, 3);
    std::vector<double> w(3);
    for (double& value : points.values()) value = rng.normal();
    for (double& value : w) value = rng.normal();
    const Row x(points.row(0));
    for (const std::int32_t truth : {-1, 1}) {
      const std::int32_t sign = x.dot(w) - truth >= 0 ? 1 : -1;
      EXPECT_EQ(task.loss_augmented_argmax(x, truth, w), sign);
      EXPECT_GE(augmented(task, x, truth, sign, w), augmented(task, x, truth, -sign, w));
      rivals += sign != truth ? 1U : 0U;
    }
  }
  EXPECT_GT(rivals, 100u);
  EXPECT_LT(rivals, 400u);
  const DenseMatrix one(1, 1, 1.0);
  const BinaryTask line(1);
  for (const std::int32_t truth : {-1, 1}) {
    const std::vector<double> w{static_cast<double>(truth)};
    EXPECT_EQ(augmented(line, Row(one.row(0)), truth, 1, w),
              augmented(line, Row(one.row(0)), truth, -1, w));
  }
}

// seed-yu fact 26 at its full size: four labels, six positions, 4096 labellings; and 27 and 28.
TEST(YuFacts, ViterbiOfSixPositionsAndFourLabels) {
  Rng rng(26);
  const ChainTask task({.labels = 4, .features = 3});
  std::vector<std::pair<Sequence, LabelSequence>> samples;
  for (int round = 0; round < 3; ++round) {
    samples.emplace_back(chain_cases::random_sequence(rng, 6, task.options()),
                         chain_cases::random_labels(rng, 6, 4));
  }
  const TaskCheck check =
      check_task(task, std::span<const std::pair<Sequence, LabelSequence>>(samples), rng);
  EXPECT_EQ(check.faults, std::vector<std::string>());
  EXPECT_EQ(check.compared, samples.size() * 5 * 3);
}

// seed-yu fact 34: no shift is Q, by either side; and Q4 is never below it.
TEST(YuFacts, NoShiftIsQ) {
  Rng rng(34);
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

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/chunks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/classification.hpp"

namespace maxmargin {
namespace {

using Sequences = std::vector<LabelSequence>;

TEST(SequenceLabels, CountsTokensAndSequences) {
  const Sequences truth{{0, 1, 2}, {1, 1}, {2}};
  const Sequences found{{0, 1, 1}, {1, 1}, {0}};
  const SequenceCounts counts = count_sequence_labels(truth, found);
  EXPECT_DOUBLE_EQ(counts.token_accuracy(), 4.0 / 6);
  EXPECT_DOUBLE_EQ(counts.sequence_accuracy(), 1.0 / 3);
  const BinaryCounts ones = one_against_rest(counts.tokens, 1);
  EXPECT_DOUBLE_EQ(precision(ones), 3.0 / 4);
  EXPECT_DOUBLE_EQ(recall(ones), 1);
  EXPECT_DOUBLE_EQ(f1(ones), 6.0 / 7);
  EXPECT_DOUBLE_EQ(recall(one_against_rest(counts.tokens, 2)), 0);
  EXPECT_TRUE(std::isnan(precision(one_against_rest(counts.tokens, 2))));
}

TEST(SequenceLabels, ALabelOfTheTruthAloneIsAnError) {
  // Label 5 was not known when the machine was trained.
  const SequenceCounts counts = count_sequence_labels(Sequences{{0, 5}}, Sequences{{0, 1}});
  EXPECT_EQ(counts.tokens.classes(), 6u);
  EXPECT_DOUBLE_EQ(counts.token_accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(recall(one_against_rest(counts.tokens, 5)), 0);
}

TEST(SequenceLabels, NothingIsUndefined) {
  const SequenceCounts none = count_sequence_labels({}, {});
  EXPECT_TRUE(std::isnan(none.token_accuracy()));
  EXPECT_TRUE(std::isnan(none.sequence_accuracy()));
  // An empty sequence has no wrong label.
  EXPECT_EQ(count_sequence_labels(Sequences{{}}, Sequences{{}}).sequence_accuracy(), 1);
}

TEST(SequenceLabels, RefusesWhatDoesNotFit) {
  EXPECT_THROW((void)count_sequence_labels(Sequences{{0}}, {}), InvalidArgument);
  EXPECT_THROW((void)count_sequence_labels(Sequences{{0}}, Sequences{{0, 1}}), InvalidArgument);
  EXPECT_THROW((void)count_sequence_labels(Sequences{{0}}, Sequences{{4000000000u}}, 2),
               InvalidArgument);
}

// A table of all pairs would have 10^12 cells.
TEST(SequenceLabels, ThereMayBeManyLabels) {
  const SequenceCounts counts =
      count_sequence_labels(Sequences{{0, 999'999, 7}}, Sequences{{0, 999'999, 8}});
  EXPECT_EQ(counts.tokens.classes(), 1'000'000u);
  EXPECT_DOUBLE_EQ(counts.token_accuracy(), 2.0 / 3);
  EXPECT_EQ(counts.tokens.truth_total(7), 1);
  EXPECT_EQ(counts.tokens.predicted_totals()[8], 1);
  EXPECT_EQ(f1(one_against_rest(counts.tokens, 999'999)), 1);
  // A walk through all labels for every label would never end.
  EXPECT_EQ(f1(each_against_rest(counts.tokens)[999'999]), 1);
  EXPECT_DOUBLE_EQ(macro_f1(counts.tokens), 0.5);
  EXPECT_THROW((void)count_sequence_labels(Sequences{{4000000000u}}, Sequences{{0}}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

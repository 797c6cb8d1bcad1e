// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/alignment.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

using enum AlignmentStep;

SequencePair pair_of(const std::string& target, const std::string& known) {
  return {{.name = "s", .residues = target}, {.name = "t", .residues = known}};
}

TEST(Alignment, RowsShowTheSteps) {
  const Alignment alignment = alignment_of_rows("AC-D", "A.GD");
  EXPECT_EQ(alignment.steps,
            (std::vector<AlignmentStep>{match, gap_in_known, gap_in_target, match}));
  EXPECT_EQ(alignment.matches(), 2u);
  EXPECT_EQ(alignment.target_end(), 3u);
  EXPECT_EQ(alignment.known_end(), 3u);
}

TEST(Alignment, ColumnsOfTwoGapsSayNothing) {
  EXPECT_EQ(alignment_of_rows("-A-C", ".A.D"), alignment_of_rows("AC", "AD"));
}

TEST(Alignment, RowsOfDifferentLengthsAreRefused) {
  EXPECT_THROW(static_cast<void>(alignment_of_rows("AC", "A")), InvalidArgument);
}

TEST(Alignment, RowsComeBackFromTheSteps) {
  const AlignedRows rows =
      rows_of_alignment(pair_of("ACD", "AGD"), alignment_of_rows("AC-D", "A-GD"));
  EXPECT_EQ(rows.target, "AC-D");
  EXPECT_EQ(rows.known, "A-GD");
}

TEST(Alignment, PartsBeginWhereTheySay) {
  const AlignedRows rows =
      rows_of_alignment(pair_of("ACDE", "GHDE"), {2, 2, {match, gap_in_known}});
  EXPECT_EQ(rows.target, "DE");
  EXPECT_EQ(rows.known, "D-");
}

TEST(Alignment, EndGapsCanBeTakenOff) {
  const Alignment part = without_end_gaps(alignment_of_rows("AC-DEF-", "-CGDE-H"));
  EXPECT_EQ(part, (Alignment{1, 0, {match, gap_in_target, match, match}}));
  EXPECT_EQ(without_end_gaps(part), part);
  EXPECT_EQ(without_end_gaps(alignment_of_rows("A-", "-C")), Alignment{});
  EXPECT_EQ(without_end_gaps({}), Alignment{});
}

TEST(Alignment, EndGapsCanBePutOn) {
  const SequencePair pair = pair_of("ACDEF", "CGDEH");
  const Alignment whole = alignment_of_rows("AC-DEF-", "-CGDE-H");
  EXPECT_EQ(with_end_gaps(pair, without_end_gaps(whole)), whole);
  EXPECT_EQ(with_end_gaps(pair, whole), whole);
  // Nothing aligned: all residues alone, those of the target first.
  EXPECT_EQ(with_end_gaps(pair_of("AC", "D"), {}), alignment_of_rows("AC-", "--D"));
  EXPECT_THROW((void)with_end_gaps(pair_of("A", "AC"), {0, 0, {match, match}}), InvalidArgument);
}

TEST(Alignment, GoingBeyondASequenceIsRefused) {
  EXPECT_NO_THROW(require_within(pair_of("AC", "AC"), {0, 0, {match, match}}));
  EXPECT_THROW(require_within(pair_of("A", "AC"), {0, 0, {match, match}}), InvalidArgument);
  EXPECT_THROW(require_within(pair_of("AC", "AC"), {0, 2, {gap_in_target}}), InvalidArgument);
}

TEST(GenerateAlignments, ReferencesUseUpSequencesWithAllTracks) {
  const AlignmentData data = generate_alignments({.pairs = 5, .length = 40, .seed = 3});
  ASSERT_EQ(data.size(), 5u);
  ASSERT_EQ(data.references.size(), 5u);
  for (std::size_t k = 0; k < data.size(); ++k) {
    const auto& [target, known] = data.inputs[k];
    EXPECT_EQ(data.references[k].target_end(), target.size());
    EXPECT_EQ(data.references[k].known_end(), known.size());
    EXPECT_EQ(data.references[k].matches(), 40u);
    for (const AnnotatedSequence& sequence : {target, known}) {
      EXPECT_EQ(sequence.structure.size(), sequence.size());
      EXPECT_EQ(sequence.surface.size(), sequence.size());
      EXPECT_EQ(sequence.profile.size(), 20 * sequence.size());
    }
  }
}

TEST(GenerateAlignments, MorePairsKeepTheFirstOnes) {
  const AlignmentData few = generate_alignments({.pairs = 2, .seed = 1});
  const AlignmentData more = generate_alignments({.pairs = 3, .seed = 1});
  EXPECT_EQ(few.inputs[1], more.inputs[1]);
  EXPECT_EQ(few.references[1], more.references[1]);
  EXPECT_NE(few.inputs[0], few.inputs[1]);
  EXPECT_NE(generate_alignments({.pairs = 1, .seed = 2}).inputs[0], few.inputs[0]);
}

TEST(GenerateAlignments, WrongOptionsAreNamed) {
  const auto message = [](const PlantedAlignmentOptions& options) -> std::string {
    try {
      validate(options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_NE(message({.length = 0}).find("length"), std::string::npos);
  EXPECT_NE(message({.identity = 1.5}).find("identity"), std::string::npos);
  EXPECT_NE(message({.track_accuracy = -1}).find("track-accuracy"), std::string::npos);
  EXPECT_NE(message({.gap_opening = 2}).find("gap-opening"), std::string::npos);
  EXPECT_NE(message({.gap_extension = 1}).find("gap-extension"), std::string::npos);
}

}  // namespace
}  // namespace maxmargin

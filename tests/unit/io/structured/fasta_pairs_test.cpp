// SPDX-License-Identifier: Apache-2.0
#include "io/structured/fasta_pairs.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

AlignmentData read(const std::string& text, const FastaPairsOptions& options = {}) {
  Input input = Input::from_memory("test.fasta", text);
  return read_fasta_pairs(input, options);
}

/// What the reader says of a broken file.
std::string problem_with(const std::string& text, const FastaPairsOptions& options = {}) {
  try {
    static_cast<void>(read(text, options));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(FastaPairs, RowsMakeSequencesAndReferences) {
  const AlignmentData data = read(">a family=7\nACD-EFG\n>b\nA-DGEFG\n");
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data.inputs[0].target.name, "a");
  EXPECT_EQ(data.inputs[0].target.residues, "ACDEFG");
  EXPECT_EQ(data.inputs[0].known.name, "b");
  EXPECT_EQ(data.inputs[0].known.residues, "ADGEFG");
  ASSERT_EQ(data.references.size(), 1u);
  EXPECT_EQ(data.references[0], alignment_of_rows("ACD-EFG", "A-DGEFG"));
  EXPECT_EQ(data.families, std::vector<std::string>{"7"});
  EXPECT_EQ(data.source, "test.fasta");
}

TEST(FastaPairs, LinesCaseBlanksAndLineEndsDoNotMatter) {
  const AlignmentData plain = read(">a x\nACDEFG\n>b\nACDEF-\n>c\nA\n>d\nA\n");
  const AlignmentData other =
      read("\xEF\xBB\xBF>a y z\r\nacd\r\n\r\n e fg \r\n>b\rAC DEF\n.\n>c\nA\n\t\n>d\nA");
  EXPECT_EQ(plain.inputs, other.inputs);
  EXPECT_EQ(plain.references, other.references);
}

TEST(FastaPairs, TracksBelongToTheSequenceBeforeThem) {
  const AlignmentData data =
      read(">s\nAC\n>@structure\nHc\n>@surface\n0?\n>t\nA-\n>@profile\n" +
           std::string("1 2 3 4 5 6 7 8 9 10\n11 12 13 14 15 16 17 18 19 2e1\n"));
  EXPECT_EQ(data.inputs[0].target.structure, "HC");
  EXPECT_EQ(data.inputs[0].target.surface, "0?");
  EXPECT_TRUE(data.inputs[0].target.profile.empty());
  EXPECT_TRUE(data.inputs[0].known.structure.empty());
  ASSERT_EQ(data.inputs[0].known.profile.size(), 20u);
  EXPECT_EQ(data.inputs[0].known.profile.back(), 20.0);
}

TEST(FastaPairs, AlignedRowsStandBesideSequences) {
  const AlignmentData data = read(">s\nACD\n>@aligned\nAC-D\n>t\nCGD\n>@aligned\n-CGD\n");
  EXPECT_EQ(data.inputs[0].target.residues, "ACD");
  EXPECT_EQ(data.references[0], alignment_of_rows("AC-D", "-CGD"));
}

TEST(FastaPairs, PairsOfOtherLengthsWithoutGapsAreNotAligned) {
  const std::string text = ">a\nACD\n>b\nAC\n";
  EXPECT_TRUE(read(text).references.empty());
  EXPECT_EQ(read(">a\nACD\n>b\nACC\n").references.size(), 1u);
  EXPECT_TRUE(read(">a\nACD\n>b\nACC\n", {.aligned = false}).references.empty());
  EXPECT_EQ(problem_with(text, {.aligned = true}),
            "test.fasta:3: the sequence \"b\" has 2 columns and its partner 3, must have the same "
            "number in an alignment");
}

TEST(FastaPairs, ReferencesThatDisagreeWithTheirSequencesAreRefused) {
  EXPECT_EQ(
      problem_with(">a\nACD\n>b\nAC\n>@aligned\nAD-\n"),
      "test.fasta:5: the sequence \"b\" disagrees with its aligned row at residue 2: C and D");
  EXPECT_EQ(problem_with(">a\nACD\n>@aligned\nAC-\n>b\nACD\n"),
            "test.fasta:3: the sequence \"a\" disagrees with its aligned row at residue 3: D and "
            "none");
  EXPECT_EQ(problem_with(">a\nA-D\n>@aligned\nA-D\n>b\nACD\n"),
            "test.fasta:3: the sequence \"a\" has gaps already, must have none beside an aligned "
            "row");
  EXPECT_EQ(problem_with("\n>a\nACD-\n>b\nACD\n"),
            "test.fasta:4: the sequence \"b\" has 3 columns and its partner 4, must have the same "
            "number in an alignment");
}

TEST(FastaPairs, ErrorsNameLineAndColumn) {
  EXPECT_EQ(problem_with(">a\nAC\nD1\n>b\nA\n"),
            "test.fasta:3:2: \"1\" stands for no residue, must be a letter or a gap");
  EXPECT_EQ(problem_with(">a\nAC\n>@structure\nHZ\n>b\nAA\n"),
            "test.fasta:4:2: \"Z\" stands for no secondary structure");
  EXPECT_EQ(problem_with(">a\nAC\n>@surface\n0A\n>b\nAA\n"),
            "test.fasta:4:2: \"A\" stands for no exposed surface, must be 0 to 9 or ?");
  EXPECT_EQ(problem_with(">a\nA\n>@profile\n1 nan\n>b\nAA\n"),
            "test.fasta:4:3: \"nan\" in a profile, must be a finite number");
  EXPECT_EQ(problem_with("ACD\n>a\nA\n"),
            "test.fasta:1:1: \"ACD\" stands before the first header, which must begin with >");
}

TEST(FastaPairs, ErrorsNameTheSequence) {
  EXPECT_EQ(problem_with(""), "test.fasta: holds no sequences");
  EXPECT_EQ(problem_with(">a\nA\n>b\nA\n\n>c\nA\n"),
            "test.fasta:6: the sequence \"c\" has no partner: sequences come in pairs");
  EXPECT_EQ(problem_with(">a\nA\n>b\n--\n"), "test.fasta:3: the sequence \"b\" is empty");
  EXPECT_EQ(problem_with(">a\nAC\n>b\nAC\n>@structure\nH\n"),
            "test.fasta:5: the sequence \"b\" has 1 entries of @structure, must have 2");
  EXPECT_EQ(problem_with(">a\nA\n>@profile\n1 2\n>b\nA\n"),
            "test.fasta:3: the sequence \"a\" has 2 entries of @profile, must have 20");
  EXPECT_EQ(problem_with(">a\nA\n>@surface\n>b\nA\n"),
            "test.fasta:3: the sequence \"a\" has 0 entries of @surface, must have 1");
  EXPECT_EQ(problem_with(">a\nA\n>@structure\nH\n>@structure\nH\n>b\nA\n"),
            "test.fasta:5:2: @structure is there already for this sequence, in line 3");
  EXPECT_EQ(problem_with(">a\nA\n>@fold\nH\n>b\nA\n"),
            "test.fasta:3:2: \"@fold\" is no track, must be @aligned, @structure, @surface or "
            "@profile");
  EXPECT_EQ(problem_with(">@structure\nH\n"),
            "test.fasta:1:2: a track must stand behind its sequence");
  EXPECT_EQ(problem_with(">a family=1\nA\n>b family=2\nA\n"),
            "test.fasta:3: the sequence \"b\" is of family 2, its partner of 1");
}

TEST(FastaPairs, WrittenPairsReadBackTheSame) {
  AlignmentData data = generate_alignments({.pairs = 4, .length = 100, .seed = 2});
  data.families[2] = "";
  data.inputs[3].target.profile.clear();
  data.inputs[3].known.structure.clear();
  const AlignmentData copy = read(to_fasta_pairs(data));
  EXPECT_EQ(copy.inputs, data.inputs);
  EXPECT_EQ(copy.references, data.references);
  EXPECT_EQ(copy.families, data.families);
  data.references.clear();
  const AlignmentData bare = read(to_fasta_pairs(data), {.aligned = false});
  EXPECT_EQ(bare.inputs, data.inputs);
  EXPECT_TRUE(bare.references.empty());
}

TEST(FastaPairs, WhatAFileCannotHoldIsNotWritten) {
  const AlignmentData good = read(">a family=7\nACD\n>@structure\nHHH\n>b\nACD\n");
  EXPECT_NO_THROW(static_cast<void>(to_fasta_pairs(good)));
  const auto refused = [&](const auto& spoil) {
    AlignmentData data = good;
    spoil(data);
    EXPECT_THROW(static_cast<void>(to_fasta_pairs(data)), InvalidArgument);
  };
  refused([](AlignmentData& data) { data.inputs[0].target.residues = "ac-"; });
  refused([](AlignmentData& data) { data.inputs[0].known = {.name = "b"}; });
  refused([](AlignmentData& data) { data.inputs[0].known.name = "b c"; });
  refused([](AlignmentData& data) { data.inputs[0].known.name = "@b"; });
  refused([](AlignmentData& data) { data.families[0] = "x y"; });
  refused([](AlignmentData& data) { data.families.push_back("z"); });
  refused([](AlignmentData& data) { data.inputs[0].target.structure = "HH"; });
  refused([](AlignmentData& data) { data.inputs[0].target.surface = "0 1"; });
  refused([](AlignmentData& data) { data.inputs[0].target.profile = {1}; });
  refused([](AlignmentData& data) {
    data.inputs[0].target.profile.assign(60, std::numeric_limits<double>::infinity());
  });
  refused([](AlignmentData& data) { data.references[0].steps.pop_back(); });
  refused([](AlignmentData& data) { data.references.push_back(data.references[0]); });
}

}  // namespace
}  // namespace maxmargin

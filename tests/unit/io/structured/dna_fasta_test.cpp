// SPDX-License-Identifier: Apache-2.0
#include "io/structured/dna_fasta.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

DnaData read(const std::string& text) {
  Input input = Input::from_memory("f.fa", text);
  return read_dna(input);
}

std::string problem_of(const std::string& text) {
  try {
    (void)read(text);
  } catch (const ParseError& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(DnaFasta, ReadsBasesLabelsAndWeights) {
  const DnaData data = read(
      "\n>a label=1\r\nACG\r\nt u\n\n> chr=1, strand=+, label=-1\nnNRxx\n>b weight=0.02 "
      "label=?\nA");
  EXPECT_EQ(data.sequences, (std::vector<std::string>{"ACGTT", "NNNNN", "A"}));
  EXPECT_EQ(data.names, (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(data.labels, (std::vector<std::int8_t>{1, -1, 0}));
  EXPECT_EQ(data.weights, (std::vector<double>{1, 1, 0.02}));
  EXPECT_EQ(data.source, "f.fa");
}

TEST(DnaFasta, WhatIsNotSaidIsEmpty) {
  const DnaData data = read(">a\nACGT\n>b\nA\n");
  EXPECT_TRUE(data.labels.empty());
  EXPECT_TRUE(data.weights.empty());
}

TEST(DnaFasta, WritesWhatItReads) {
  const DnaData data = read(">a label=1 weight=0.5\nACGTN\n>b label=?\nA\n>c label=-1\nCC\n");
  const DnaData again = read(to_fasta(data));
  EXPECT_EQ(again.sequences, data.sequences);
  EXPECT_EQ(again.names, data.names);
  EXPECT_EQ(again.labels, data.labels);
  EXPECT_EQ(again.weights, data.weights);
}

TEST(DnaFasta, FaultsAreShownWithTheirPlace) {
  EXPECT_EQ(
      problem_of(">a\nAC-T\n"),
      "f.fa:2:3: \"-\" is no base, must be A, C, G, T, or N and the other letters for several");
  EXPECT_EQ(problem_of("ACGT\n>a\nA\n"),
            "f.fa:1:1: \"ACGT\" stands before the first header, which must begin with >");
  EXPECT_EQ(problem_of(">a\nA\n>b\n>c\nA\n"),
            "f.fa:3:1: the sequence of this header is empty, must have a base");
  EXPECT_EQ(problem_of(">a\nA\n>b\n"),
            "f.fa:3:1: the sequence of this header is empty, must have a base");
  EXPECT_EQ(problem_of(">a label=2\nA\n"),
            "f.fa:1:4: the label \"2\", must be 1, -1, 0, +, -, positive, negative or ?");
  EXPECT_EQ(problem_of(">a weight=-1\nA\n"),
            "f.fa:1:4: the weight \"-1\", must be a finite number >= 0");
  EXPECT_EQ(problem_of(">a weight=nan\nA\n"),
            "f.fa:1:4: the weight \"nan\", must be a finite number >= 0");
  EXPECT_NE(problem_of(std::string(">a\nA\0C\n", 7)), "");
  EXPECT_EQ(read("").size(), 0U);
}

TEST(DnaFasta, ReadsFilesOfLabelsAndWeights) {
  Input labels = Input::from_memory("l", "1\n +1 \n-1\n0\n?\n+\nnegative\n");
  EXPECT_EQ(read_dna_labels(labels), (std::vector<std::int8_t>{1, 1, -1, -1, 0, 1, -1}));
  Input weights = Input::from_memory("w", "1\n0.02\n0\n");
  EXPECT_EQ(read_dna_weights(weights), (std::vector<double>{1, 0.02, 0}));
  Input wrong = Input::from_memory("l", "1\n\n");
  EXPECT_THROW((void)read_dna_labels(wrong), ParseError);
  Input negative = Input::from_memory("w", "1\n-3\n");
  EXPECT_THROW((void)read_dna_weights(negative), ParseError);
}

}  // namespace
}  // namespace maxmargin

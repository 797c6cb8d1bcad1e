// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/dna.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

std::string random_sequence(std::size_t length, Rng& rng, std::string_view letters = dna_letters) {
  std::string text;
  while (text.size() < length) text += letters[rng.index(letters.size())];
  return text;
}

std::map<std::string, std::size_t> words_of(const std::string& sequence, std::size_t length) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t k = 0; k + length <= sequence.size(); ++k) ++counts[sequence.substr(k, length)];
  return counts;
}

TEST(Dna, LettersAreBasesUnknownOnesOrNone) {
  EXPECT_EQ(base_code('A'), 0);
  EXPECT_EQ(base_code('g'), 2);
  EXPECT_EQ(base_code('u'), 3);
  EXPECT_EQ(base_code('N'), unknown_base);
  EXPECT_EQ(base_code('r'), unknown_base);
  for (const char c : {'E', 'Z', '-', '*', '1', ' ', '\xe4'}) EXPECT_EQ(base_code(c), no_base) << c;
}

TEST(Dna, TheReverseComplementOfTheReverseComplementIsTheSequence) {
  EXPECT_EQ(reverse_complement("AACGTN"), "NACGTT");
  Rng rng(1);
  const std::string sequence = random_sequence(50, rng, "ACGTN");
  EXPECT_EQ(reverse_complement(reverse_complement(sequence)), sequence);
}

TEST(Dna, ShufflesHaveTheSameWordsAndEnds) {
  Rng rng(7);
  for (std::size_t length = 1; length <= 5; ++length) {
    std::size_t changed = 0;
    for (std::size_t round = 0; round < 300; ++round) {
      const std::string_view letters = round % 3 == 0 ? "ACGTN" : round % 3 == 1 ? "ACGT" : "AC";
      const std::string sequence = random_sequence(rng.index(60 * length), rng, letters);
      const std::string shuffled = shuffle_words(sequence, length, rng);
      ASSERT_EQ(shuffled.size(), sequence.size());
      EXPECT_EQ(words_of(shuffled, length), words_of(sequence, length));
      const std::size_t ends = std::min(length - 1, sequence.size());
      EXPECT_EQ(shuffled.substr(0, ends), sequence.substr(0, ends));
      EXPECT_EQ(shuffled.substr(shuffled.size() - ends), sequence.substr(sequence.size() - ends));
      if (shuffled != sequence) ++changed;
    }
    EXPECT_GT(changed, 150U) << length;
  }
  EXPECT_EQ(shuffle_words("AAAA", 2, rng), "AAAA");
  EXPECT_EQ(shuffle_words("", 1, rng), "");
  EXPECT_EQ(shuffle_words("AC", 2, rng), "AC");
  EXPECT_EQ(shuffle_words("ACGT", 9, rng), "ACGT");
  EXPECT_THROW((void)shuffle_words("ACGT", 0, rng), InvalidArgument);
}

TEST(Dna, ShufflesAreDrawnEvenlyFromAllSequencesWithTheseWords) {
  const auto holds = [](const std::string& sequence, std::size_t length) {
    const std::size_t ends = length - 1;
    const auto words = words_of(sequence, length);
    const std::string begin = sequence.substr(0, ends);
    const std::string end = sequence.substr(sequence.size() - ends);
    // All arrangements of the letters with the same words and ends.
    std::set<std::string> all;
    std::string letters = sequence;
    std::ranges::sort(letters);
    do {
      if (letters.starts_with(begin) && letters.ends_with(end) &&
          words_of(letters, length) == words) {
        all.insert(letters);
      }
    } while (std::ranges::next_permutation(letters).found);
    ASSERT_GT(all.size(), 5U);
    constexpr std::size_t each = 1000;
    std::map<std::string, std::size_t> found;
    Rng rng(3);
    for (std::size_t k = 0; k < each * all.size(); ++k) {
      ++found[shuffle_words(sequence, length, rng)];
    }
    EXPECT_EQ(found.size(), all.size());
    double chi_square = 0;
    for (const std::string& one : all) {
      const double miss = static_cast<double>(found[one]) - static_cast<double>(each);
      chi_square += miss * miss / static_cast<double>(each);
    }
    // Mean n - 1, deviation sqrt(2 (n - 1)): five of them.
    const auto freedom = static_cast<double>(all.size() - 1);
    EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom)) << length;
  };
  holds("AACGGT", 1);
  holds("ACGATCAGTA", 2);
  holds("AACAAGAACTAACAA", 3);
}

TEST(Dna, DataThatIsNotSoundIsRefusedByName) {
  const auto message = [](const DnaData& data) {
    try {
      validate(data);
    } catch (const InvalidArgument& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({.sequences = {"ACGT", "N"}, .labels = {1, -1}, .weights = {1, 0}}), "");
  EXPECT_EQ(message({.sequences = {"ACGT", ""}}), "the data: sequence 2 is empty");
  EXPECT_EQ(message({.sequences = {"ACgT"}, .names = {"p"}}),
            "the data: sequence 1 (p) has a letter that is none of A, C, G, T and N at base 3");
  EXPECT_EQ(message({.sequences = {"A"}, .labels = {1, 1}}), "the data: 2 labels for 1 sequences");
  EXPECT_EQ(message({.sequences = {"A"}, .labels = {2}}),
            "the data: the label of sequence 1 is 2, must be 1, -1 or 0");
  EXPECT_EQ(message({.sequences = {"A"}, .weights = {-1}, .source = "f"}),
            "f: the weight of sequence 1 is -1, must be finite and >= 0");
}

TEST(Dna, PlantedMotifsStandInThePositivesAlone) {
  const MotifsOptions options{.n = 40, .length = 60, .motif = "ACATTAGCCG", .noise = 0, .seed = 5};
  const DnaData data = generate_motifs(options);
  ASSERT_EQ(data.size(), 40U);
  validate(data);
  std::size_t forward = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::string& sequence = data.sequences[i];
    EXPECT_EQ(sequence.size(), 60U);
    const bool here = sequence.find(options.motif) != std::string::npos;
    const bool there = sequence.find(reverse_complement(options.motif)) != std::string::npos;
    EXPECT_EQ(here || there, data.labels[i] > 0) << i;
    if (here) ++forward;
  }
  EXPECT_GT(forward, 4U);
  EXPECT_LT(forward, 16U);
  EXPECT_EQ(generate_motifs(options).sequences, data.sequences);
  EXPECT_THROW((void)generate_motifs({.length = 5}), InvalidArgument);
  EXPECT_THROW((void)generate_motifs({.motif = "ACX-"}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

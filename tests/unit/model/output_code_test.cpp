// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/output_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

DenseMatrix one_row(const std::vector<double>& values) {
  DenseMatrix row(1, values.size());
  for (std::size_t j = 0; j < values.size(); ++j) row(0, j) = values[j];
  return row;
}

std::int32_t class_of(const OutputCode& code, const std::vector<double>& values) {
  return predicted_classes(decode(code, one_row(values).view()).view())[0];
}

/// The code word of a class, as values of the functions.
std::vector<double> word(const OutputCode& code, std::size_t cls) {
  std::vector<double> values;
  for (std::size_t f = 0; f < code.functions; ++f) values.push_back(code.sign(cls, f));
  return values;
}

/// Adds `bits` after every way of turning `errors` of them over, from position `from` on.
void add_corruptions(std::vector<double> bits,
                     std::size_t errors,
                     std::size_t from,
                     std::vector<std::vector<double>>& all) {
  if (errors == 0) {
    all.push_back(bits);
    return;
  }
  for (std::size_t f = from; f < bits.size(); ++f) {
    bits[f] = -bits[f];
    add_corruptions(bits, errors - 1, f + 1, all);
    bits[f] = -bits[f];
  }
}

void expect_corrects(const OutputCode& code, std::size_t errors) {
  for (std::size_t c = 0; c < code.classes; ++c) {
    std::vector<std::vector<double>> words;
    add_corruptions(word(code, c), errors, 0, words);
    DenseMatrix values(words.size(), code.functions);
    for (std::size_t i = 0; i < words.size(); ++i)
      std::ranges::copy(words[i], values.row(i).data());
    for (const std::int32_t cls : predicted_classes(decode(code, values.view()).view())) {
      EXPECT_EQ(cls, static_cast<std::int32_t>(c));
    }
  }
}

// seed-xu fact 11
TEST(OutputCode, HammingDecodingCorrectsHalfTheLeastDistance) {
  for (OutputCode code : {exhaustive_code(3),
                          exhaustive_code(4),
                          exhaustive_code(5),
                          random_code(6, 15, 1),
                          random_code(8, 18, 2)}) {
    code.decoding = Decoding::hamming;
    const auto corrected = static_cast<std::size_t>((least_distance(code) - 1) / 2);
    for (std::size_t errors = 0; errors <= corrected; ++errors) expect_corrects(code, errors);
  }
}

// seed-xu fact 11: two words of the one-vs-rest code differ in two bits, so one error can be
// fatal.
TEST(OutputCode, OneVersusRestCorrectsNoError) {
  for (std::size_t k = 3; k < 8; ++k) {
    OutputCode code = one_vs_rest_code(k);
    EXPECT_EQ(least_distance(code), 2);
    code.decoding = Decoding::hamming;
    std::vector<double> bits = word(code, k - 1);
    bits[k - 1] = -1;
    EXPECT_NE(class_of(code, bits), static_cast<std::int32_t>(k - 1));
  }
}

// seed-xu fact 10
TEST(OutputCode, AllPairsHasAFunctionForEveryPair) {
  for (std::size_t k = 3; k < 12; ++k) {
    const OutputCode code = one_vs_one_code(k);
    EXPECT_EQ(code.functions, k * (k - 1) / 2);
    std::size_t f = 0;
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = a + 1; b < k; ++b, ++f) {
        for (std::size_t c = 0; c < k; ++c) {
          EXPECT_EQ(code.sign(c, f), c == a ? 1 : (c == b ? -1 : 0));
        }
      }
    }
    code.validate();
  }
}

// seed-xu fact 10
TEST(OutputCode, TwoClassesAreTheBinaryMachine) {
  for (const OutputCode& code : {one_vs_one_code(2), one_vs_rest_code(2)}) {
    code.validate();
    ASSERT_EQ(code.functions, 1u);
    EXPECT_EQ(code.labels_of(0, std::vector<std::int32_t>{0, 1, -1}),
              (std::vector<std::int8_t>{-1, 1, 0}));
    EXPECT_EQ(class_of(code, {-0.1}), 0);
    EXPECT_EQ(class_of(code, {0.0}), 1);  // sign(0) = +1
    EXPECT_EQ(class_of(code, {2.5}), 1);
    EXPECT_EQ(decode(code, one_row({2.5}).view())(0, 0), 2.5);
  }
}

TEST(OutputCode, OneClassIsAlwaysPredicted) {
  for (const OutputCode& code : {one_vs_one_code(1), one_vs_rest_code(1), direct_code(1)}) {
    code.validate();
    EXPECT_EQ(class_of(code, {3.0}), 0);
    EXPECT_EQ(class_of(code, {-3.0}), 0);
  }
}

TEST(OutputCode, VotesAreCountedPairByPair) {
  const OutputCode code = one_vs_one_code(3);  // (0,1), (0,2), (1,2)
  EXPECT_EQ(class_of(code, {-1, -1, -1}), 2);
  EXPECT_EQ(class_of(code, {-1, -1, 1}), 1);
  EXPECT_EQ(class_of(code, {1, 1, 1}), 0);
  const DenseMatrix scores = decode(code, one_row({1, 1, -1}).view());
  EXPECT_EQ(scores(0, 0), 2);
  EXPECT_EQ(scores(0, 1), 0);
  EXPECT_EQ(scores(0, 2), 1);
  // A cycle: one vote each, the lowest index wins; the margins may say otherwise.
  EXPECT_EQ(class_of(code, {1, -1, 1}), 0);
  OutputCode refined = code;
  refined.decoding = Decoding::votes_then_margin;
  EXPECT_EQ(class_of(refined, {1, -9, 1}), 2);
}

TEST(OutputCode, AZeroVotesForTheLaterClassAsWithTwoClasses) {
  const OutputCode code = one_vs_one_code(3);
  const DenseMatrix scores = decode(code, one_row({0.0, 0.0, -0.0}).view());
  EXPECT_EQ(scores(0, 0), 0);
  EXPECT_EQ(scores(0, 1), 1);
  EXPECT_EQ(scores(0, 2), 2);
}

TEST(OutputCode, MarginsNeverOverruleVotes) {
  OutputCode refined = one_vs_one_code(4);
  refined.decoding = Decoding::votes_then_margin;
  OutputCode plain = one_vs_one_code(4);
  Rng rng(3);
  const double huge = std::numeric_limits<double>::max();
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values;
    for (std::size_t f = 0; f < plain.functions; ++f) {
      const double size = round % 2 == 0 ? 1.0 : (rng.bernoulli(0.5) ? huge : 1e-300);
      values.push_back(rng.bernoulli(0.5) ? size : -size);
    }
    const DenseMatrix votes = decode(plain, one_row(values).view());
    const DenseMatrix both = decode(refined, one_row(values).view());
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        if (votes(0, a) > votes(0, b)) {
          EXPECT_GT(both(0, a), both(0, b));
        }
      }
    }
  }
}

TEST(OutputCode, MarginDecodingIsTheSmallestSumOfHingeLosses) {
  const OutputCode code = random_code(5, std::nullopt, 4);
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> values;
    for (std::size_t f = 0; f < code.functions; ++f) values.push_back(2 * rng.normal());
    const DenseMatrix scores = decode(code, one_row(values).view());
    for (std::size_t c = 0; c < code.classes; ++c) {
      double loss = 0;
      for (std::size_t f = 0; f < code.functions; ++f) {
        loss += std::max(0.0, 1 - code.sign(c, f) * values[f]);
      }
      EXPECT_DOUBLE_EQ(scores(0, c), -loss);
    }
  }
}

TEST(OutputCode, AZeroInAWordCostsHalfAnErrorOrAWholeLoss) {
  DenseMatrix table(3, 2, 0.0);
  table(0, 0) = 1;
  table(1, 0) = -1;
  table(1, 1) = 1;
  table(2, 1) = -1;
  OutputCode code = user_code(table.view());
  EXPECT_EQ(least_distance(code), 1.0);  // rows 0 and 2: two positions with a 0
  const DenseMatrix losses = decode(code, one_row({2.0, 3.0}).view());
  EXPECT_EQ(losses(0, 0), -1.0);
  EXPECT_EQ(losses(0, 1), -3.0);
  EXPECT_EQ(losses(0, 2), -5.0);
  code.decoding = Decoding::hamming;
  const DenseMatrix distances = decode(code, one_row({2.0, 0.0}).view());
  EXPECT_EQ(distances(0, 0), -0.5);
  EXPECT_EQ(distances(0, 1), -1.0);
  EXPECT_EQ(distances(0, 2), -1.5);
}

TEST(OutputCode, ExhaustiveCodeHasEverySplitOnce) {
  const OutputCode code = exhaustive_code(4);
  EXPECT_EQ(code.functions, 7u);
  EXPECT_EQ(least_distance(code), 4);  // 2^(k-2)
  EXPECT_EQ(least_distance(exhaustive_code(7)), 32);
  for (std::size_t f = 0; f < 7; ++f) {
    EXPECT_EQ(code.sign(0, f), 1);
    for (std::size_t g = 0; g < f; ++g) {
      bool same = true;
      for (std::size_t c = 0; c < 4; ++c) same = same && code.sign(c, f) == code.sign(c, g);
      EXPECT_FALSE(same);
    }
  }
  code.validate();
  EXPECT_THROW(static_cast<void>(exhaustive_code(2)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(exhaustive_code(12)), InvalidArgument);
}

TEST(OutputCode, RandomCodeDependsOnTheSeedAlone) {
  const OutputCode code = random_code(26, std::nullopt, 7);
  code.validate();
  EXPECT_EQ(code.functions, 48u);  // ceil(10 log2 26)
  EXPECT_GE(least_distance(code), 12);
  EXPECT_EQ(code.signs, random_code(26, std::nullopt, 7).signs);
  EXPECT_NE(code.signs, random_code(26, std::nullopt, 8).signs);
}

TEST(OutputCode, RandomCodeNeverRepeatsASplit) {
  // All 2^(k-1) - 1 splits there are: the exhaustive code in another order.
  EXPECT_EQ(random_code(3, std::nullopt, 0).functions, 3u);
  EXPECT_EQ(random_code(4, std::nullopt, 0).functions, 7u);
  EXPECT_EQ(least_distance(random_code(4, std::nullopt, 0)), 4);
  EXPECT_EQ(random_code(2, std::nullopt, 0).functions, 1u);
  EXPECT_THROW(static_cast<void>(random_code(3, 4, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(random_code(9, 3, 0)), InvalidArgument);  // 2^3 words, 9 classes
  EXPECT_THROW(static_cast<void>(random_code(4, 0, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(random_code(1, std::nullopt, 0)), InvalidArgument);
}

TEST(OutputCode, DirectCodeTakesTheLargestValueAndTheLowestIndex) {
  const OutputCode code = direct_code(3);
  code.validate();
  EXPECT_EQ(class_of(code, {0.1, 0.3, 0.2}), 1);
  EXPECT_EQ(class_of(code, {0.1, 0.3, 0.3}), 1);
  EXPECT_EQ(direct_code(2).functions, 2u);
}

TEST(OutputCode, RefusesTablesThatCannotDecide) {
  DenseMatrix table(3, 2, 1.0);
  EXPECT_THROW(static_cast<void>(user_code(table.view())), InvalidArgument);  // no negative side
  table(0, 0) = -1;
  table(0, 1) = -1;  // classes 1 and 2 are the same
  EXPECT_THROW(static_cast<void>(user_code(table.view())), InvalidArgument);
  table(1, 1) = 0.5;
  EXPECT_THROW(static_cast<void>(user_code(table.view())), InvalidArgument);
  table(1, 1) = -1;
  user_code(table.view()).validate();
  OutputCode code = user_code(table.view());
  code.decoding = Decoding::votes;  // two classes on one side
  EXPECT_THROW(code.validate(), InvalidArgument);
  code.decoding = Decoding::value;
  EXPECT_THROW(code.validate(), InvalidArgument);
  code.signs.pop_back();
  EXPECT_THROW(code.validate(), InvalidArgument);
  const OutputCode pairs = one_vs_one_code(3);
  EXPECT_THROW(static_cast<void>(decode(pairs, one_row({1, 2}).view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(pairs.labels_of(3, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(pairs.labels_of(0, std::vector<std::int32_t>{3})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(one_vs_rest_code(0)), InvalidArgument);
}

TEST(OutputCode, NamesAreReadBack) {
  for (const auto kind : {MulticlassKind::one_vs_one,
                          MulticlassKind::one_vs_rest,
                          MulticlassKind::ecoc,
                          MulticlassKind::direct}) {
    EXPECT_EQ(value_named<MulticlassKind>(to_string(kind)), kind);
  }
  for (const auto decoding : {Decoding::votes,
                              Decoding::votes_then_margin,
                              Decoding::hamming,
                              Decoding::margin,
                              Decoding::value}) {
    EXPECT_EQ(value_named<Decoding>(to_string(decoding)), decoding);
  }
  EXPECT_THROW(static_cast<void>(parse_name<MulticlassKind>("ova", "code")), InvalidArgument);
  EXPECT_THROW(static_cast<void>(parse_name<Decoding>("", "decoding")), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

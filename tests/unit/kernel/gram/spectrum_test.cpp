// SPDX-License-Identifier: Apache-2.0
#include "kernel/gram/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernel_cases.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

std::vector<std::string> random_strings(std::uint64_t seed, std::size_t n, std::size_t longest) {
  Rng rng(seed);
  std::vector<std::string> strings(n);
  for (std::string& text : strings) {
    const std::size_t length = rng.index(longest + 1);
    for (std::size_t i = 0; i < length; ++i) text += "ACGT"[rng.index(4)];
  }
  return strings;
}

TEST(Spectrum, CountsOverlappingSubstringsInByteOrder) {
  const std::vector<std::string> strings = {"ABABA", "B", "", "BAB"};
  const SpectrumIndex index(strings, 2);
  EXPECT_EQ(std::vector<std::string>(index.kmers().begin(), index.kmers().end()),
            (std::vector<std::string>{"AB", "BA"}));
  const DenseMatrix counts = to_dense(index.features(strings).view());
  EXPECT_EQ(counts(0, 0), 2);
  EXPECT_EQ(counts(0, 1), 2);
  EXPECT_EQ(counts(1, 0) + counts(1, 1) + counts(2, 0) + counts(2, 1), 0);
  EXPECT_EQ(counts(3, 0), 1);
  EXPECT_EQ(counts(3, 1), 1);
  EXPECT_EQ(spectrum_kernel("ABABA", "BAB", 2), 4);
}

TEST(Spectrum, LinearKernelOfTheCountsIsTheDirectSum) {
  const auto training = random_strings(1, 20, 30);
  const auto fresh = random_strings(2, 6, 30);
  for (const std::size_t k : {1u, 2u, 3u, 5u}) {
    const SpectrumIndex index(training, k);
    const Examples rows = index.features(training);
    const DenseMatrix inside = gram(Linear{}, rows);
    const DenseMatrix across = cross_gram(Linear{}, index.features(fresh), rows);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < 20; ++j) {
        ASSERT_EQ(inside(i, j), spectrum_kernel(training[i], training[j], k));
      }
    }
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 20; ++j) {
        ASSERT_EQ(across(i, j), spectrum_kernel(fresh[i], training[j], k));
      }
    }
  }
}

TEST(Spectrum, UnknownSubstringsOfNewStringsAreLeftOut) {
  const std::vector<std::string> training = {"AAA"};
  const std::vector<std::string> fresh = {"AATT"};
  const SparseMatrix features = SpectrumIndex(training, 2).features(fresh);
  EXPECT_EQ(features.cols(), 1u);
  EXPECT_EQ(features.entries(), 1u);
}

TEST(Spectrum, BytesAreComparedAsBytes) {
  const std::vector<std::string> strings = {std::string("\0\xff\0\xff", 4)};
  EXPECT_EQ(spectrum_features(strings, 2).cols(), 2u);
  EXPECT_EQ(spectrum_kernel(strings[0], strings[0], 2), 5);
}

TEST(Spectrum, NoStringsAndWrongLength) {
  EXPECT_EQ(spectrum_features({}, 3).rows(), 0u);
  EXPECT_THROW(static_cast<void>(spectrum_features({}, 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(spectrum_kernel("a", "b", 0)), InvalidArgument);
}

// New strings have substrings that no training string has: they count in K(x, x).
TEST(SpectrumKernel, EqualsBruteForceCountsOnEveryPath) {
  const auto training = random_strings(3, 40, 25);
  const auto fresh = random_strings(4, 15, 40);
  const Examples rows = encode_strings(training);
  const Examples others = encode_strings(fresh);
  for (const int length : {1, 2, 3, 6}) {
    const auto k = static_cast<std::size_t>(length);
    const Kernel kernel = Spectrum{length};
    const DenseMatrix inside = gram(kernel, rows);
    const DenseMatrix across = cross_gram(kernel, others, rows);
    const FloatMatrix in_float = cross_gram_float(kernel, others, rows);
    const DenseMatrix unit = cross_gram(normalised(kernel), others, rows);
    for (std::size_t i = 0; i < training.size(); ++i) {
      for (std::size_t j = 0; j < training.size(); ++j) {
        ASSERT_EQ(inside(i, j), spectrum_kernel(training[i], training[j], k));
      }
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      const double own = spectrum_kernel(fresh[i], fresh[i], k);
      for (std::size_t j = 0; j < training.size(); ++j) {
        const double value = spectrum_kernel(fresh[i], training[j], k);
        const double other = spectrum_kernel(training[j], training[j], k);
        ASSERT_EQ(across(i, j), value);
        ASSERT_EQ(in_float(i, j), static_cast<float>(value));
        ASSERT_EQ(evaluate(kernel, others.row(i), rows.row(j)), value);
        ASSERT_NEAR(unit(i, j), value == 0 ? 0 : value / std::sqrt(own * other), 1e-14);
      }
    }
  }
}

TEST(SpectrumKernel, StringsComeBackFromTheirRows) {
  const std::vector<std::string> strings = {"ACGT", "", std::string("\0\xff\n", 3), "A"};
  const Examples rows = encode_strings(strings);
  const Examples dense(rows.to_dense());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(decode_string(rows.row(i)), strings[i]);
    EXPECT_EQ(decode_string(dense.row(i)), strings[i]);
  }
}

TEST(SpectrumKernel, NumbersAreNoStrings) {
  for (const std::vector<double>& row : std::vector<std::vector<double>>{
           {1.5, 2}, {-1, 2}, {0, 3}, {257, 1}, {3, 0, 4}, {std::nan(""), 1}}) {
    DenseMatrix one(1, row.size());
    std::ranges::copy(row, one.row(0).begin());
    EXPECT_THROW(static_cast<void>(decode_string(Row(std::span(row)))), InvalidArgument);
    EXPECT_THROW(static_cast<void>(gram(Spectrum{2}, Examples(one))), InvalidArgument);
  }
  EXPECT_THROW(validate(Spectrum{0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

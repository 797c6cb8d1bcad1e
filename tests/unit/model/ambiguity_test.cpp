// SPDX-License-Identifier: Apache-2.0
#include "model/ambiguity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

DenseMatrix rows_of(const std::vector<std::vector<double>>& rows) {
  DenseMatrix matrix(rows.size(), rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], matrix.row(i).begin());
  return matrix;
}

// Slides, multi-category: both reductions leave regions open; values and votes decide there.
TEST(Ambiguity, OneVsRestWantsExactlyOneYes) {
  const OutputCode code = one_vs_rest_code(3);
  const DenseMatrix values = rows_of({{1, -1, -1}, {-3, -1, -2}, {2, 1, -1}, {0, -1, -1}});
  EXPECT_EQ(ambiguous_rows(code, values.view()), (std::vector<std::size_t>{1, 2}));
  const std::vector<std::int32_t> decided = predicted_classes(decode(code, values.view()).view());
  EXPECT_EQ(decided, (std::vector<std::int32_t>{0, 1, 0, 0}));
}

TEST(Ambiguity, OneVsOneWantsAClassThatBeatsAllOthers) {
  const OutputCode code = one_vs_one_code(3);  // (0,1), (0,2), (1,2)
  const DenseMatrix values = rows_of({{1, 1, 1}, {1, -1, 1}, {-1, 1, 1}, {-1, 1, -1}});
  // Row 1: 0 beats 1, 2 beats 0, 1 beats 2. Row 3: 1 beats 0, 0 beats 2, 2 beats 1.
  EXPECT_EQ(ambiguous_rows(code, values.view()), (std::vector<std::size_t>{1, 3}));
}

TEST(Ambiguity, ErrorCorrectingWantsACodeWord) {
  const OutputCode code = exhaustive_code(3);
  std::vector<std::vector<double>> words;
  for (std::size_t c = 0; c < 3; ++c) {
    words.emplace_back();
    for (std::size_t f = 0; f < code.functions; ++f) words[c].push_back(0.5 * code.sign(c, f));
  }
  EXPECT_TRUE(ambiguous_rows(code, rows_of(words).view()).empty());
}

// seed-merat fact 62: two classes are one machine, which always decides.
TEST(Ambiguity, OneMachineLeavesNothingOpen) {
  const DenseMatrix values = rows_of({{-2}, {0}, {3}});
  EXPECT_TRUE(ambiguous_rows(one_vs_one_code(2), values.view()).empty());
  EXPECT_TRUE(ambiguous_rows(direct_code(3), rows_of({{-1, -1, -1}}).view()).empty());
  EXPECT_THROW((void)ambiguous_rows(one_vs_one_code(3), values.view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

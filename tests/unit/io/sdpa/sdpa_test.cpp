// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/sdpa/sdpa.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maxmargin/core/error.hpp"
#include "sdp_cases.hpp"
#include "solver/sdp/interior_point.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

SdpProblem read(const std::string& text) {
  Input input = Input::from_memory("file.dat-s", text);
  return read_sdpa(input);
}

std::string complaint(const std::string& text) {
  return problem_of<ParseError>([&] { (void)read(text); });
}

std::string written(const SdpProblem& problem, std::string_view comment = {}) {
  return written_bytes([&](OutputFile& file) { write_sdpa(problem, file, comment); });
}

::testing::AssertionResult same_entries(std::span<const SdpEntry> a, std::span<const SdpEntry> b) {
  const bool same =
      std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.block == y.block && x.row == y.row && x.column == y.column && x.value == y.value;
      });
  return same ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "entries differ";
}

void expect_same(const SdpProblem& a, const SdpProblem& b) {
  ASSERT_EQ(a.blocks().size(), b.blocks().size());
  for (std::size_t k = 0; k < a.blocks().size(); ++k) {
    EXPECT_EQ(a.blocks()[k].cone, b.blocks()[k].cone);
    EXPECT_EQ(a.blocks()[k].size, b.blocks()[k].size);
  }
  EXPECT_TRUE(std::ranges::equal(a.rhs(), b.rhs()));
  EXPECT_TRUE(same_entries(a.cost(), b.cost()));
  ASSERT_EQ(a.constraints(), b.constraints());
  for (std::size_t i = 0; i < a.constraints(); ++i) {
    EXPECT_TRUE(same_entries(a.constraint(i), b.constraint(i)));
  }
}

/// The format's usual first example, with remarks and all separators.
const char* const example = R"("an example
* of the format
   3  =  mDIM
   1  =  nBLOCK
   2  = bLOCKsTRUCT
{48, -8, 20} = objective
0 1 1 1 -11
0 1 2 2 23
1 1 1 1 10
1 1 1 2 4
2,1,2,2,-8
( 3 1 1 2 -8 ) (3 1 2 2 -2)
)";

TEST(Sdpa, ReadsRemarksSeparatorsAndEntries) {
  const SdpProblem problem = read(example);
  ASSERT_EQ(problem.constraints(), 3U);
  ASSERT_EQ(problem.blocks().size(), 1U);
  EXPECT_EQ(problem.blocks()[0].size, 2U);
  EXPECT_TRUE(std::ranges::equal(problem.rhs(), std::vector<double>{48, -8, 20}));
  EXPECT_TRUE(
      same_entries(problem.cost(), std::vector{sdp_entry(0, 0, 0, 11), sdp_entry(0, 1, 1, -23)}));
  EXPECT_TRUE(same_entries(problem.constraint(0),
                           std::vector{sdp_entry(0, 0, 0, 10), sdp_entry(0, 1, 0, 4)}));
  EXPECT_TRUE(same_entries(problem.constraint(1), std::vector{sdp_entry(0, 1, 1, -8)}));
  EXPECT_TRUE(same_entries(problem.constraint(2),
                           std::vector{sdp_entry(0, 1, 0, -8), sdp_entry(0, 1, 1, -2)}));
  // The manual of SDPA gives -41.9 as the value of this example.
  const SdpSolution solution = solve_sdp_interior_point(problem);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_NEAR(-*solution.report.dual_objective, -41.9, 1e-6);
}

TEST(Sdpa, DiagonalBlocksEitherTriangleZerosAndCarriageReturns) {
  const SdpProblem problem =
      read("2\r\n2\r\n(2, -3)\r\n1 2\r\n1 1 2 1 0.5\r\n1 2 3 3 1\r\n2 2 1 1 0\r\n");
  EXPECT_EQ(problem.blocks()[1].cone, SdpCone::nonnegative);
  EXPECT_EQ(problem.blocks()[1].size, 3U);
  EXPECT_TRUE(same_entries(problem.constraint(0),
                           std::vector{sdp_entry(0, 1, 0, 0.5), sdp_entry(1, 2, 2, 1)}));
  EXPECT_TRUE(problem.constraint(1).empty());
  EXPECT_EQ(read("0\n1\n4\n").constraints(), 0U);
}

TEST(Sdpa, WhatIsWrittenReadsBackTheSame) {
  for (const SdpProblem& problem : {max_cut(6, random_graph(6, 0.5, 1)),
                                    lyapunov(std::vector<double>{1, 2}),
                                    random_sdp(5, 4, 3),
                                    mmc2_program(rbf_gram({0, 1, 3}, 0.5), 0.1, 1.0)}) {
    const std::string text = written(problem, "one\ntwo");
    EXPECT_TRUE(text.starts_with("* one\n* two\n"));
    expect_same(read(text), problem);
    EXPECT_EQ(written(read(text), "one\ntwo"), text);
  }
  EXPECT_THROW((void)written(SdpProblem()), InvalidArgument);
}

TEST(Sdpa, BlocksOfSizeZeroAreLeftOut) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 0);
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_equality(std::vector{sdp_entry(1, 0, 0, 1)}, 1);
  const SdpProblem copy = read(written(builder.build()));
  ASSERT_EQ(copy.blocks().size(), 1U);
  EXPECT_TRUE(same_entries(copy.constraint(0), std::vector{sdp_entry(0, 0, 0, 1)}));
}

TEST(Sdpa, SaysWhereAFileIsWrong) {
  EXPECT_EQ(complaint(""),
            "file.dat-s:1:1: expected the number of constraints, a whole number from 0 to "
            "2147483646, found the end of the file");
  EXPECT_EQ(complaint("2\n1\n2\n1 x\n"),
            "file.dat-s:4:3: expected number 2 of the objective, a finite number, found \"x\"");
  EXPECT_EQ(complaint("1\n1\n0\n1\n"),
            "file.dat-s:3:1: a block of size 0, must be a size above 0 or below it");
  EXPECT_EQ(complaint("1\n1\n2\n1\n2 1 1 1 1\n"),
            "file.dat-s:5:1: expected the matrix of an entry, a whole number from 0 to 1, found "
            "\"2\"");
  EXPECT_EQ(complaint("1\n1\n2\n1\n1 2 1 1 1\n"),
            "file.dat-s:5:3: expected the block of an entry, a whole number from 1 to 1, found "
            "\"2\"");
  EXPECT_EQ(complaint("1\n1\n2\n1\n1 1 0 1 1\n"),
            "file.dat-s:5:5: expected the row of an entry, a whole number from 1 to 2, found "
            "\"0\"");
  EXPECT_EQ(complaint("1\n1\n-2\n1\n1 1 1 2 1\n"),
            "file.dat-s:5:7: column 2 beside row 1 in a diagonal block, must be the same");
  EXPECT_EQ(complaint("1\n1\n2\n1\n1 1 1 2 1\n\n1 1 2 1 3\n"),
            "file.dat-s:7: the entry of matrix 1, block 1, row and column 1 and 2 stands on line "
            "5 already, must be given once");
  // One number short, the list takes the next line's first.
  EXPECT_EQ(complaint("2\n1\n2\n1.0\n0 1 1 1 1\n1 1 1 1 1\n"),
            "file.dat-s:5:3: another number, \"1\", behind the last of the objective's numbers: "
            "there must be 2");
  EXPECT_EQ(complaint("2\n2\n2\n1 1\n0 1 1 1 1\n"),
            "file.dat-s:4:3: another number, \"1\", behind the last of the block sizes: there must "
            "be 2");
  EXPECT_EQ(complaint("1\n1\n2 = block sizes\n1 and a remark\n1 1 1 1 1\n"), "");
  EXPECT_NE(complaint("1\n1\n2\n1\n1 1 1 1 inf\n"), "");
  EXPECT_NE(complaint("1\n1\n2\n1\n1 1 1 1\n"), "");
  EXPECT_NE(complaint("1.5\n1\n2\n1\n"), "");
  EXPECT_NE(complaint("-1\n1\n2\n1\n"), "");
  // Counts that no file holds cost no memory.
  EXPECT_NE(complaint("2147483646\n2147483646\n2\n1\n"), "");
  EXPECT_NE(complaint("2147483646\n1\n2\n1\n"), "");
}

TEST(Sdpa, SolutionsReadBackAndLargeBlocksAreRefused) {
  const SdpProblem problem = mmc2_program(rbf_gram({0, 1, 3}, 0.5), 0.1, 1.0);
  const SdpSolution solution = solve_sdp_interior_point(problem);
  const std::string text = written_bytes([&](OutputFile& file) {
    write_sdpa_solution(problem, solution.x, solution.y, solution.z, file);
  });
  Input input = Input::from_memory("solution", text);
  const SdpaSolution copy = read_sdpa_solution(problem, input);
  EXPECT_EQ(copy.y, solution.y);
  for (std::size_t k = 0; k < problem.blocks().size(); ++k) {
    EXPECT_TRUE(std::ranges::equal(copy.x[k].values(), solution.x[k].values()));
    EXPECT_TRUE(std::ranges::equal(copy.z[k].values(), solution.z[k].values()));
  }
  Input wrong = Input::from_memory("solution", "1 2");
  EXPECT_THROW((void)read_sdpa_solution(problem, wrong), ParseError);
  // 2 * 10^9 rows are fine as a file and too much as a matrix.
  const SdpProblem huge = read("1\n1\n2000000000\n1\n1 1 1 1 1\n");
  EXPECT_THROW((void)huge.zero_point(), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_interior_point(huge), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

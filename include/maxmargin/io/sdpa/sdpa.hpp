// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"

/// Semidefinite programs as sparse SDPA files (.dat-s), and their solutions as CSDP writes them.
///
/// Such a file states  min c'x  with  F = sum x_i F_i - F_0 in the cone, whose dual is
/// max <F_0, Y>  with  <F_i, Y> = c_i, Y in the cone. Ours is the same with A_i = F_i, b = c,
/// C = -F_0, X = Y, y = -x and Z = F, so both of our values are the file's negated.
namespace maxmargin {

/// Reads a program: comment lines (beginning with " or *), the number m of constraints, the number
/// of blocks, their sizes (negative: a diagonal block, nonnegative here), the m numbers c, and
/// entries "matrix block row column value" with matrices 0 .. m and the rest counted from 1. White
/// space and the characters , ( ) { } separate numbers; what follows a count, the sizes or c on
/// their line is ignored. An entry may stand in either triangle.
///
/// Throws ParseError, naming line and column, when a number is missing, malformed, not finite or
/// out of its range, when an off-diagonal entry is in a diagonal block, and when an entry is given
/// twice. Memory is taken only for numbers that are there, whatever counts the file claims.
[[nodiscard]] MAXMARGIN_EXPORT SdpProblem read_sdpa(Input& input);

/// Writes a program so that read_sdpa gives it back, except for blocks of size 0 (left out),
/// vouched-for trace bounds and the name of the slack block, which the format cannot say. Each line
/// of `comment` is written behind an asterisk. The caller commits the file. Throws InvalidArgument
/// for a program without rows.
MAXMARGIN_EXPORT void write_sdpa(const SdpProblem& problem,
                                 OutputFile& output,
                                 std::string_view comment = {});

/// The triple X, y, Z in our signs.
struct SdpaSolution {
  BlockMatrix x = {};
  std::vector<double> y = {};
  BlockMatrix z = {};
};

/// CSDP's form: a line with x = -y, then entries "matrix block row column value" of the upper
/// triangles, matrix 1 for Z and 2 for X. Zeros are left out.
MAXMARGIN_EXPORT void write_sdpa_solution(const SdpProblem& problem,
                                          const BlockMatrix& x,
                                          std::span<const double> y,
                                          const BlockMatrix& z,
                                          OutputFile& output);

/// The same as text.
[[nodiscard]] MAXMARGIN_EXPORT std::string sdpa_solution_text(const SdpProblem& problem,
                                                              const BlockMatrix& x,
                                                              std::span<const double> y,
                                                              const BlockMatrix& z);

/// Reads what write_sdpa_solution or CSDP wrote for this program. Throws ParseError like read_sdpa,
/// and InvalidArgument when X and Z do not fit the memory.
[[nodiscard]] MAXMARGIN_EXPORT SdpaSolution read_sdpa_solution(const SdpProblem& problem,
                                                               Input& input);

}  // namespace maxmargin

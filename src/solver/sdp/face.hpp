// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/problem/sdp/sdp.hpp"

namespace maxmargin {

/// Rows of a program's blocks that are kept: the face of the cone whose points vanish elsewhere.
class Face {
 public:
  /// The rows whose diagonal entry of X is above `share` of the largest of all.
  Face(const SdpProblem& problem, const BlockMatrix& x, double share);
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
  /// The program on these rows alone, with right-hand sides of 0.
  [[nodiscard]] const SdpProblem& program() const noexcept { return program_; }
  /// A point of the program less its other rows, and the way back, where they are 0.
  [[nodiscard]] BlockMatrix part_of(const BlockMatrix& x) const;
  [[nodiscard]] BlockMatrix whole_of(const BlockMatrix& x) const;

 private:
  void build();

  const SdpProblem* whole_;
  std::vector<std::vector<std::size_t>> rows_ = {};
  bool is_whole_ = true;
  SdpProblem program_ = {};
};

}  // namespace maxmargin

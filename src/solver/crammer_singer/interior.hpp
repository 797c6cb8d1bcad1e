// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "solver/crammer_singer/crammer_singer.hpp"

/// The interior point method on direct multi-class machines: docs/algorithms/crammer-singer.md.
namespace maxmargin::crammer_singer {

/// Whether the method takes the problem: examples themselves, and matrices that fit in the memory
/// of the context.
[[nodiscard]] bool interior_takes(const CrammerSinger& problem, const Context& context);

/// Multiplications and additions of a solve, by a number of steps that few problems exceed.
[[nodiscard]] double interior_operations(const CrammerSinger& problem);

struct InteriorCoefficients {
  /// Examples x classes; feasible.
  DenseMatrix coefficients = {};
  std::uint64_t steps = 0;
  /// solved: the gap, as the method measured it, is within the tolerance.
  Status status = Status::solved;
};

/// Requires a valid problem that the method takes.
[[nodiscard]] InteriorCoefficients solve_interior(const CrammerSinger& problem,
                                                  const CrammerSingerOptions& options);

}  // namespace maxmargin::crammer_singer

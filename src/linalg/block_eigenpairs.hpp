// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Row j of `images` becomes A times row j of `vectors`, for a symmetric n x n operator. Several
/// vectors at once: a dense matrix is then read once for all of them.
using BlockOperator = std::function<void(DenseView vectors, MutableDenseView images)>;

/// The block operator of a symmetric matrix held in full: a pass over its rows on several threads.
/// The same for any number of threads.
void multiply_symmetric(DenseView matrix,
                        DenseView vectors,
                        MutableDenseView images,
                        std::size_t threads);

struct BlockEigenOptions {
  /// How many of the largest pairs; 1 to n.
  std::size_t count = 1;
  /// A pair is good when |A v - lambda v|_2 <= tolerance * scale. From 1e-13 to below 1.
  double tolerance = 1e-9;
  /// A bound on |A|_2 where the caller knows one; unset: the largest |Ritz value| so far.
  std::optional<double> scale = std::nullopt;
  /// Applications of the operator to a block. At least 1.
  std::size_t max_steps = 300;
  /// Seed: of the start vectors. Callback: called after every step; `gap` is the largest residual
  /// over the scale.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// What largest_eigenpairs found. Without convergence the pairs are the best approximations so far,
/// and `residual` says how good.
struct BlockEigen {
  /// Values ascend; `count` of them.
  EigenPairs pairs = {};
  /// The largest |A v - lambda v|_2 over the pairs. To each of the values belongs an eigenvalue of
  /// its own within sqrt(count) times this (Kahan).
  double residual = 0;
  std::size_t steps = 0;
  Status status = Status::solved;
};

/// The largest eigenpairs by a block Davidson method: the span of a block of vectors grows by the
/// residuals of its best Ritz pairs, all of them multiplied at once, and shrinks to the best ones
/// when it is full. Without a preconditioner that is a block Lanczos method with thick restarts; it
/// sees multiple values as long as their number is at most `count`. `precondition`, if any, turns a
/// residual into a better direction: an approximation of (shift I - A)^-1 for a shift just above
/// the wanted values. The rows of `start`, if any, come first in the first block.
///
/// The choice for graphs and Gram matrices: it reads a large matrix once for a block of vectors,
/// can be helped and stopped, and gives its best so far. extreme_eigenpairs (eigen_symmetric.hpp)
/// wants less memory, for either end of an operator on one vector at a time, and looks for copies
/// of multiple values however many there are.
///
/// Small operators (n below 64, or few times `count`) are formed and solved densely. Memory: about
/// 20 (count + 6) numbers a row. The same seed gives the same bits.
[[nodiscard]] BlockEigen largest_eigenpairs(std::size_t n,
                                            const BlockOperator& apply,
                                            const BlockEigenOptions& options,
                                            const BlockOperator& precondition = {},
                                            DenseView start = {});

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/model/kernel/decision_function.hpp"

namespace maxmargin {

/// A kernel expansion prepared for many examples (docs/algorithms/prediction.md). The vectors are
/// put into an order in which neighbours belong to the same functions: of the k(k-1)/2 functions of
/// all pairs of k classes a vector takes part in k-1 at most, and products run over these alone.
class KernelSums {
 public:
  /// The expansion must outlive the object.
  explicit KernelSums(const KernelExpansion& expansion);

  /// The sums, without offsets and K(x, x), one row an example. Examples must have as many columns
  /// as the vectors, or be sparse and have fewer, and lie in the kernel's domain; `values` must be
  /// all 0.
  void exact(const Examples& examples, std::size_t threads, MutableDenseView values) const;
  /// The same with kernels in float and, where float_errors knows the kernel, bounds on what that
  /// changes. False, and nothing done, for other kernels. Both matrices must be all 0.
  [[nodiscard]] bool fast(const Examples& examples,
                          std::size_t threads,
                          MutableDenseView values,
                          MutableDenseView errors) const;

 private:
  /// Consecutive vectors that share functions, and do not cross the border of a block of columns.
  struct Segment {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::size_t> functions = {};
    /// One row a vector, one column each of `functions`.
    DenseMatrix coefficients = {};
    /// Largest |coefficient| of each vector, rounded up.
    std::vector<float> magnitudes = {};
  };

  /// Segments of the block of columns that begins at `col_begin`.
  [[nodiscard]] std::span<const Segment> segments_at(std::size_t col_begin) const;
  template <class Block>
  void add_block(const Block& block, MutableDenseView values, MutableDenseView sizes) const;

  const Kernel& kernel_;
  /// The vectors in their new order.
  Examples vectors_;
  std::vector<Segment> segments_;
  /// First segment of every block of columns, and the end.
  std::vector<std::size_t> first_segment_;
  /// Sum of |coefficient| of every function.
  std::vector<double> coefficient_sums_;
};

}  // namespace maxmargin

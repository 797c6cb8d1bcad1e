// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernel/gram/cross_blocks.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Private parts of kernel k-means (docs/algorithms/kernel-kmeans.md).
namespace maxmargin::kernel_kmeans {

inline constexpr std::int32_t nowhere = -1;

/// A point goes from one cluster (or nowhere) to another.
struct Move {
  std::size_t point = 0;
  std::int32_t from = nowhere;
  std::int32_t to = nowhere;
};

/// The kernel between all points of a data set: a matrix that is held, or one that is computed in
/// blocks whenever it is needed. The numbers do not depend on the threads.
class KernelMatrix {
 public:
  /// Looks at a symmetric matrix of the caller.
  KernelMatrix(DenseView gram, std::size_t threads);
  /// Computes the matrix now (`hold`) or part by part. Checks kernel and domain. `examples` and
  /// `progress` must outlive the object. Whatever computes, now or later, asks `progress` and
  /// throws Stopped (core/stoppable.hpp).
  KernelMatrix(const Kernel& kernel,
               const Examples& examples,
               bool hold,
               std::size_t threads,
               SharedProgress& progress);
  KernelMatrix(const KernelMatrix&) = delete;
  KernelMatrix& operator=(const KernelMatrix&) = delete;

  [[nodiscard]] std::size_t size() const { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const { return diagonal_; }
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] bool is_held() const { return examples_ == nullptr; }
  /// Requires is_held().
  [[nodiscard]] DenseView held() const { return gram_; }
  /// The largest |K(x, z)|; infinite when an entry is not finite. Looks at all of them unless the
  /// kernel is known to be positive semidefinite: then none exceeds the largest K(x, x).
  [[nodiscard]] double largest(bool is_psd) const;
  /// A copy of the given rows.
  [[nodiscard]] DenseMatrix rows(std::span<const std::size_t> indices) const;
  /// sums(v, i) = sum over the points j of cluster v of weights[j] K(j, i): brings the k x n matrix
  /// up to date after the moves.
  void apply(std::span<const Move> moves,
             std::span<const double> weights,
             MutableDenseView sums) const;

 private:
  void apply_held(std::span<const Move> moves,
                  std::span<const double> weights,
                  MutableDenseView sums) const;
  void apply_computed(std::span<const Move> moves,
                      std::span<const double> weights,
                      MutableDenseView sums) const;

  using Block = CrossBlock<double>;
  /// Calls `visit` for the blocks of the matrix of these rows with the columns.
  void visit_blocks(const Examples& rows,
                    const Examples& cols,
                    const std::function<void(const Block&)>& visit) const;

  std::size_t threads_;
  SharedProgress* progress_ = nullptr;
  Kernel kernel_ = Linear{};
  const Examples* examples_ = nullptr;
  DenseMatrix own_;
  DenseView gram_;
  std::vector<double> diagonal_;
};

}  // namespace maxmargin::kernel_kmeans

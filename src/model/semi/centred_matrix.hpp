// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"

namespace maxmargin {

/// A kernel matrix with the mean m of some rows' feature vectors as the origin:
///
///   K~_ij = (phi_i - m).(phi_j - m) = K_ij - mean_i - mean_j + grand_mean,
///
/// mean_i = m.phi_i and grand_mean = |m|^2. Rows are made from those of `matrix`, which must
/// outlive it, when they are asked for. Construction reads the rows of `origin` once, asking the
/// callback in between; when that stops it the means are incomplete and no row may be asked for.
class CentredMatrix final : public SymmetricMatrix {
 public:
  /// Requires a non-empty origin.
  CentredMatrix(const SymmetricMatrix& matrix,
                std::span<const std::size_t> origin,
                const ProgressCallback& on_progress);
  /// Solved, or how the callback stopped the construction.
  [[nodiscard]] Status status() const noexcept { return status_; }

  [[nodiscard]] std::size_t size() const noexcept override { return matrix_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
  [[nodiscard]] RowBlock rows(std::span<const std::size_t> indices) const override;
  /// A centred row in double lives beside the plain one, which may be in float: three for one,
  /// where memory is so short that not all are held.
  [[nodiscard]] std::size_t rows_held() const noexcept override {
    const std::size_t held = matrix_.rows_held();
    return held < size() ? held / rows_for_one : held;
  }
  static constexpr std::size_t rows_for_one = 3;

  [[nodiscard]] std::span<const double> means() const noexcept { return means_; }
  [[nodiscard]] double grand_mean() const noexcept { return grand_mean_; }
  /// The rows whose mean is the origin.
  [[nodiscard]] std::span<const std::size_t> origin() const noexcept { return origin_; }

 private:
  const SymmetricMatrix& matrix_;
  std::vector<std::size_t> origin_;
  Status status_ = Status::solved;
  std::vector<double> means_;
  double grand_mean_ = 0;
  std::vector<double> diagonal_;
};

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Private parts of Gaussian mixtures (docs/algorithms/mixture.md). Points are handled in blocks of
/// d x m numbers, one point a column: sums over features then run along whole vector registers.
namespace maxmargin::mixture {

/// Columns of a block; what is computed for it stays in the nearest caches.
inline constexpr std::size_t block_columns = 256;

/// Sums of r, r (x - shift) and r (x - shift)^2 over a row.
struct Moments {
  double zeroth = 0;
  double first = 0;
  double second = 0;
};
[[nodiscard]] Moments weighted_moments(std::span<const double> x,
                                       double shift,
                                       std::span<const double> r);

/// out = (x - shift) factor, entry by entry.
void scaled_difference(std::span<const double> x,
                       double shift,
                       std::span<const double> factor,
                       std::span<double> out);

/// Room for one block, reused from block to block.
struct Workspace {
  Workspace(std::size_t features, std::size_t components)
      : whitened(features, block_columns),
        posteriors(components, block_columns),
        log_densities(block_columns),
        scratch(block_columns) {}

  /// Whitened points, or differences to a mean.
  DenseMatrix whitened;
  DenseMatrix posteriors;
  std::vector<double> log_densities;
  std::vector<double> scratch;
};

/// The first `columns` columns of a matrix.
[[nodiscard]] inline MutableDenseView first_columns(DenseMatrix& matrix, std::size_t columns) {
  return {matrix.data(), matrix.rows(), columns, matrix.cols()};
}

/// A mixture prepared for evaluation.
class Densities {
 public:
  /// Empty when a covariance is not positive definite.
  [[nodiscard]] static std::optional<Densities> of(const MixtureModel& model);

  /// Posterior probabilities of the components (k x m) and log densities of the m points of the
  /// block, left in the workspace.
  void posteriors(DenseView block, Workspace& work) const;

 private:
  explicit Densities(const MixtureModel& model) : model_(&model) {}
  void add_axis_parallel(DenseView block, MutableDenseView logs) const;
  void add_whitened(DenseView block, MutableDenseView logs, Workspace& work) const;

  const MixtureModel* model_;
  /// log weight - (d log 2 pi + log det) / 2 of every component.
  std::vector<double> constants_;
  /// Inverse variances, k x d (spherical and diagonal).
  DenseMatrix inverses_;
  /// Inverse of the lower Cholesky factor: one d x d matrix a component, or one for all (tied).
  std::vector<DenseMatrix> whitening_;
  /// The means whitened (full and tied), k x d.
  DenseMatrix whitened_means_;
};

}  // namespace maxmargin::mixture

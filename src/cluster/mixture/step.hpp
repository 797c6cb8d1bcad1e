// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/mixture/density.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::mixture {

/// The points of a data set less their mean, block by block with one point a column.
class Points {
 public:
  /// Throws InvalidArgument for points, values or weights that cannot be used. The kind of
  /// covariances says whether the whole scatter matrix will be wanted.
  Points(DenseView rows,
         std::span<const double> weights,
         Covariance covariance,
         std::size_t threads);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t features() const { return mean_.size(); }
  [[nodiscard]] std::size_t blocks() const;
  /// d x m, and the weights of its points; none: all 1.
  [[nodiscard]] DenseView block(std::size_t b) const;
  [[nodiscard]] std::span<const double> block_weights(std::size_t b) const;
  [[nodiscard]] double total_weight() const { return total_weight_; }
  [[nodiscard]] std::span<const double> mean() const { return mean_; }
  /// sum of w x x' around the mean: d x d (full and tied), or its diagonal as one row.
  [[nodiscard]] const DenseMatrix& scatter() const { return scatter_; }
  [[nodiscard]] double mean_variance() const;
  [[nodiscard]] std::size_t threads() const { return threads_; }

 private:
  void set_feature_scatter();

  std::size_t size_;
  std::size_t threads_;
  std::span<const double> weights_;
  double total_weight_ = 0;
  std::vector<double> mean_;
  DenseMatrix scatter_;
  Buffer<double> values_;
};

/// Spherical or diagonal: no feature has to do with another.
[[nodiscard]] constexpr bool is_axis_parallel(Covariance covariance) {
  return covariance == Covariance::spherical || covariance == Covariance::diagonal;
}

/// What the expectation step finds out about the points.
struct Expectation {
  double log_likelihood = 0;
  /// For every component the sum of the posteriors r, of r (x - m) and of r (x - m)(x - m)' around
  /// its mean m; the last in the form of MixtureModel::covariances (full: lower triangles; tied:
  /// none).
  std::vector<double> mass = {};
  DenseMatrix first = {};
  DenseMatrix second = {};
};

/// Numbers that one run of a fit holds at most at a time: models and sums, those of tasks that run
/// side by side included.
[[nodiscard]] std::size_t numbers_of_run(const Points& points,
                                         Covariance covariance,
                                         std::size_t components);

/// mixture.md step 2. Requires a model around Points::mean with positive definite covariances.
[[nodiscard]] Expectation expectation(const Points& points,
                                      const MixtureModel& model,
                                      const Densities& densities);

/// mixture.md step 3: the model of largest expected likelihood with variances of at least `floor`.
/// A component that has lost all points stays where it is, with weight 0.
[[nodiscard]] MixtureModel maximisation(const Points& points,
                                        const MixtureModel& model,
                                        const Expectation& found,
                                        const MixtureOptions& options,
                                        double floor);

/// mixture.md step 1: weights, means and covariances of given clusters, the last with those of all
/// clusters together as a prior of d + 1 points (full) or one.
[[nodiscard]] MixtureModel model_of_clusters(const Points& points,
                                             std::span<const std::int32_t> labels,
                                             const MixtureOptions& options,
                                             double floor);

/// The component of largest posterior of every point, the lowest of equals.
[[nodiscard]] std::vector<std::int32_t> most_likely(const Points& points,
                                                    std::size_t components,
                                                    const Densities& densities);

/// The same for the points of one block.
void most_likely_of_block(const Workspace& work, std::span<std::int32_t> labels);

}  // namespace maxmargin::mixture

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "model/projection/components.hpp"

namespace maxmargin {

namespace {

/// Scales to length 1; false when there is (next to) no length.
bool normalise(std::span<double> direction, double least) {
  const double length = std::sqrt(dot(direction, direction));
  if (!(length > least)) return false;
  for (double& value : direction) value /= length;
  return true;
}

/// Takes off what `direction` has in common with the rows before `count` and scales the rest to
/// length 1, twice: the second time what is left is as orthogonal as numbers can say. False when
/// nothing is left.
bool make_orthonormal(const DenseMatrix& rows, std::size_t count, std::span<double> direction) {
  constexpr double nothing = 1e-6;
  if (!normalise(direction, 0.0)) return false;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t c = 0; c < count; ++c) {
      axpy(-dot(rows.row(c), direction), rows.row(c), direction);
    }
    if (!normalise(direction, nothing)) return false;
  }
  return true;
}

/// Any unit direction orthogonal to the rows before `count`: variance 0 leaves the choice free.
void complete_basis(DenseMatrix& rows, std::size_t count) {
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    const std::span<double> direction = rows.row(count);
    std::ranges::fill(direction, 0.0);
    direction[j] = 1;
    // Some unit vector keeps at least sqrt(1 - count/d) of its length.
    if (make_orthonormal(rows, count, direction)) return;
  }
  throw InternalError("PCA found no further direction");
}

/// From an eigenvector a of the centred Gram matrix to the direction X'a / |X'a|.
void write_directions(const PointRows& points,
                      const EigenPairs& eigen,
                      double negligible,
                      PcaModel& model) {
  const std::size_t n = points.rows();
  for (std::size_t c = 0; c < model.components.rows(); ++c) {
    const std::span<double> direction = model.components.row(c);
    const std::span<const double> a = eigen.vectors.row(n - 1 - c);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      points.row(i).axpy_into(a[i], direction);
      sum += a[i];
    }
    axpy(-sum, model.mean, direction);
    const bool has_variance = eigen.values[n - 1 - c] > negligible;
    if (!has_variance || !make_orthonormal(model.components, c, direction)) {
      complete_basis(model.components, c);
    }
    fix_sign(direction);
  }
}

}  // namespace

void PcaOptions::describe(OptionVisitor& visit) { describe_components(visit, components); }

PcaModel train_pca(const Examples& examples, const PcaOptions& options) {
  validate(options);
  const PointRows points = examples.points();
  const std::size_t n = points.rows();
  const std::size_t d = points.cols();
  require(n > 0, "there must be at least one point");
  const std::size_t threads = thread_count(options.context.threads);
  require_finite("the data", points, threads);

  const std::size_t m = std::min(n, d);
  const std::size_t kept = std::min(options.components.value_or(m), m);
  require_memory_for_numbers(checked_add(kept, 1), d, "mean and components");
  const ColumnMeans mean = column_means(points, {}, threads);
  PcaModel model{.mean = mean.value, .components = DenseMatrix(kept, d)};
  const bool by_columns = d <= n;
  const DenseMatrix matrix = by_columns ? scatter_matrix(points, {}, mean, threads)
                                        : centred_gram(points, {}, mean, threads);
  double trace = 0;
  for (std::size_t j = 0; j < m; ++j) trace += matrix(j, j);
  require(std::isfinite(trace), "the values are so large that their squares overflow");
  const EigenPairs eigen = eigen_symmetric(matrix.view());

  const double denominator = n > 1 ? static_cast<double>(n - 1) : 1.0;
  model.total_variance = std::max(0.0, trace) / denominator;
  for (std::size_t c = 0; c < kept; ++c) {
    model.variances.push_back(std::max(0.0, eigen.values[m - 1 - c]) / denominator);
    if (by_columns)
      std::ranges::copy(eigen.vectors.row(m - 1 - c), model.components.row(c).begin());
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  if (!by_columns) {
    write_directions(points, eigen, 8 * epsilon * static_cast<double>(n) * trace, model);
  }
  return model;
}

std::vector<double> PcaModel::explained_shares() const {
  std::vector<double> shares;
  shares.reserve(variances.size());
  for (const double variance : variances) {
    shares.push_back(total_variance > 0 ? variance / total_variance : 0.0);
  }
  return shares;
}

DenseMatrix PcaModel::transform(const Examples& examples,
                                std::optional<std::size_t> threads) const {
  require(!examples.is_dense() || examples.cols() == components.cols(),
          "the rows have " + std::to_string(examples.cols()) + " features, the projection " +
              std::to_string(components.cols()));
  const std::size_t kept = components.rows();
  DenseMatrix scores(examples.rows(), kept);
  std::vector<double> mean_scores(kept);
  for (std::size_t c = 0; c < kept; ++c) mean_scores[c] = dot(components.row(c), mean);
  parallel_chunks(thread_count(threads),
                  examples.rows(),
                  256,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    std::vector<double> centred(mean.size());
                    for (std::size_t i = begin; i < end; ++i) {
                      const Row x = examples.row(i);
                      // Dense rows are centred first, so that a large common offset costs no
                      // digits.
                      if (x.is_dense()) {
                        for (std::size_t j = 0; j < mean.size(); ++j)
                          centred[j] = x.dense()[j] - mean[j];
                      }
                      for (std::size_t c = 0; c < kept; ++c) {
                        scores(i, c) = x.is_dense() ? dot(components.row(c), centred)
                                                    : x.dot(components.row(c)) - mean_scores[c];
                      }
                    }
                  });
  return scores;
}

DenseMatrix PcaModel::inverse_transform(DenseView scores) const {
  require(scores.cols == components.rows(),
          "there are " + std::to_string(scores.cols) + " scores a row, the model has " +
              std::to_string(components.rows()) + " components");
  DenseMatrix points = DenseMatrix::uninitialized(scores.rows, components.cols());
  for (std::size_t i = 0; i < scores.rows; ++i) std::ranges::copy(mean, points.row(i).begin());
  gemm(Transpose::no, Transpose::no, 1.0, scores, components.view(), 1.0, points.view());
  return points;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"

/// Small rankings for tests.
namespace maxmargin::testing {

/// Queries with dense and sparse copies of the same rows.
struct RankingCase {
  DenseMatrix dense = {};
  SparseMatrix sparse = {};
  Queries queries = {};

  [[nodiscard]] PointRows dense_rows() const { return PointRows(dense.view()); }
  [[nodiscard]] PointRows sparse_rows() const { return PointRows(sparse.view()); }
};

/// Entries are small multiples of 1/2, so that scores of such weights tie and margins are exactly
/// 1 often. Larger grades have larger first entries.
inline RankingCase random_ranking(const std::vector<std::size_t>& lengths,
                                  std::size_t features,
                                  std::size_t grades,
                                  std::uint64_t seed) {
  Rng rng(seed, "ranking case");
  RankingCase result;
  for (const std::size_t length : lengths) {
    result.queries.begins.push_back(result.queries.begins.back() + length);
  }
  result.dense = DenseMatrix(result.queries.rows(), features);
  for (std::size_t i = 0; i < result.queries.rows(); ++i) {
    const std::size_t grade = rng.index(grades);
    result.queries.grades.push_back(static_cast<double>(grade));
    for (std::size_t j = 0; j < features; ++j) {
      if (rng.bernoulli(0.6)) result.dense(i, j) = 0.5 * (static_cast<double>(rng.index(5)) - 2);
    }
    result.dense(i, 0) += 0.5 * static_cast<double>(grade);
  }
  result.sparse = to_sparse(result.dense.view());
  return result;
}

/// Multiples of 1/2 as well.
inline std::vector<double> coarse_weights(std::size_t features, Rng& rng) {
  std::vector<double> w(features);
  for (double& value : w) value = 0.5 * (static_cast<double>(rng.index(7)) - 3);
  return w;
}

inline std::vector<double> normal_weights(std::size_t features, Rng& rng) {
  std::vector<double> w(features);
  for (double& value : w) value = rng.normal();
  return w;
}

inline double score_of(const DenseMatrix& rows, std::size_t i, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t j = 0; j < rows.cols(); ++j) sum += rows(i, j) * w[j];
  return sum;
}

}  // namespace maxmargin::testing

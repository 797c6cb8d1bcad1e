// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/cluster/kmedoids.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/blas.hpp"

namespace maxmargin {

namespace {

/// From differences, so that equal rows are exactly 0 apart.
double distance_of(const Row& x, const Row& z, double norms, Distance distance) {
  switch (distance) {
    case Distance::euclidean:
      return std::sqrt(x.squared_distance(z));
    case Distance::manhattan:
      return x.l1_distance(z);
    case Distance::cosine:
      return norms == 0 ? 1.0 : std::clamp(1 - x.dot(z) / norms, 0.0, 2.0);
  }
  throw InvalidArgument("distance_matrix: unknown distance");
}

}  // namespace

std::string_view to_string(Distance distance) noexcept {
  switch (distance) {
    case Distance::euclidean:
      return "euclidean";
    case Distance::manhattan:
      return "manhattan";
    case Distance::cosine:
      return "cosine";
  }
  return "unknown";
}

DenseMatrix distance_matrix(const Examples& examples,
                            Distance distance,
                            std::optional<std::size_t> threads) {
  const std::size_t n = examples.rows();
  DenseMatrix distances(n, n);
  std::vector<double> norms(n);
  for (std::size_t i = 0; i < n; ++i) norms[i] = std::sqrt(examples.row(i).squared_norm());
  parallel_chunks(
      thread_count(threads), n, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            distances(i, j) =
                distance_of(examples.row(i), examples.row(j), norms[i] * norms[j], distance);
          }
        }
      });
  mirror_lower(distances.view());
  return distances;
}

}  // namespace maxmargin

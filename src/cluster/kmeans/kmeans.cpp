// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmeans/kmeans.hpp"

#include <limits>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

namespace {

/// Squared distance over the centre's features alone.
double squared_distance(const Row& x, std::span<const double> centre) {
  if (x.is_dense()) return x.squared_distance(Row(centre));
  const SparseRow sparse = x.sparse();
  double sum = 0;
  std::size_t e = 0;
  for (std::size_t j = 0; j < centre.size(); ++j) {
    const bool stored =
        e < sparse.columns.size() && static_cast<std::size_t>(sparse.columns[e]) == j;
    const double difference = (stored ? sparse.values[e++] : 0.0) - centre[j];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

std::vector<std::int32_t> KmeansModel::predict(const Examples& examples,
                                               std::optional<std::size_t> threads) const {
  require(centres.rows() > 0, "there must be at least one centre");
  require(!examples.is_dense() || examples.cols() == centres.cols(),
          "the examples have " + std::to_string(examples.cols()) + " features, the centres " +
              std::to_string(centres.cols()));
  require_finite("the data", examples.points(), thread_count(threads));
  std::vector<std::int32_t> labels(examples.rows());
  parallel_chunks(thread_count(threads),
                  examples.rows(),
                  256,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      const Row x = examples.row(i);
                      double least = std::numeric_limits<double>::infinity();
                      for (std::size_t c = 0; c < centres.rows(); ++c) {
                        const double distance = squared_distance(x, centres.row(c));
                        if (distance < least) {
                          least = distance;
                          labels[i] = static_cast<std::int32_t>(c);
                        }
                      }
                    }
                  });
  return labels;
}

KmeansClustering cluster_kmeans(const Dataset& data, const KmeansOptions& options) {
  KmeansSolution solution = data.examples.is_dense()
                                ? solve_kmeans(data.examples.dense(), options, data.weights)
                                : solve_kmeans(data.examples.sparse(), options, data.weights);
  settle_end(solution.report, Ending::search);
  return {.model = {std::move(solution.centres)},
          .labels = std::move(solution.labels),
          .sizes = std::move(solution.sizes),
          .inertia = solution.inertia,
          .best_restart = solution.best_restart,
          .restarts = solution.restarts,
          .report = std::move(solution.report)};
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::vector<std::int32_t> KmedoidsModel::predict(const Examples& examples,
                                                 std::optional<std::size_t> threads) const {
  const bool both_dense = examples.is_dense() && medoids.is_dense();
  require(!both_dense || examples.cols() == medoids.cols(),
          "k-medoids: the examples have " + std::to_string(examples.cols()) +
              " features, the medoids " + std::to_string(medoids.cols()));
  std::vector<std::int32_t> clusters(examples.rows());
  constexpr std::size_t rows_at_once = 256;
  parallel_chunks(thread_count(threads),
                  examples.rows(),
                  rows_at_once,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      double least = std::numeric_limits<double>::infinity();
                      for (std::size_t c = 0; c < medoids.rows(); ++c) {
                        const double d =
                            distance_between(distance, examples.row(i), medoids.row(c));
                        if (d < least) {
                          least = d;
                          clusters[i] = static_cast<std::int32_t>(c);
                        }
                      }
                    }
                  });
  return clusters;
}

}  // namespace maxmargin

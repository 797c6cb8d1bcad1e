// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "cluster/kmedoids/stoppable_distances.hpp"
#include "core/stoppable.hpp"
#include "kernel/rows/unit_rows.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// 1 - cos from the squared distance of unit vectors: 1 - u.v would leave a rounding error between
/// equal rows, and all of a small angle to it.
double cosine_distance(double squared_distance_of_units, bool x_is_zero, bool z_is_zero) {
  if (x_is_zero || z_is_zero) return x_is_zero && z_is_zero ? 0.0 : 1.0;
  return std::min(2.0, squared_distance_of_units / 2);
}

double cosine_between(const Row& x, const Row& z) {
  const double x_norm = euclidean_norm(x);
  const double z_norm = euclidean_norm(z);
  double sum = 0;
  if (x_norm > 0 && z_norm > 0) {
    for_each_pair(x, z, [&](double a, double b) {
      const double difference = a / x_norm - b / z_norm;
      sum += difference * difference;
    });
  }
  return cosine_distance(sum, x_norm == 0, z_norm == 0);
}

/// Calls entry(i, j) for all j < i.
template <class Entry>
DenseMatrix symmetric_matrix(std::size_t n,
                             std::size_t threads,
                             SharedProgress& progress,
                             Entry entry) {
  require_memory_for_numbers(n, n, "the distances of all pairs");
  DenseMatrix distances(n, n);
  stoppable_chunks(
      threads, n, 16, progress, "distances", [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t j = 0; j < i; ++j) distances(i, j) = entry(i, j);
        }
      });
  mirror_lower(distances.view());
  return distances;
}

/// Every row is divided by its norm once, not once a pair.
DenseMatrix cosine_matrix(const Examples& examples, std::size_t threads, SharedProgress& progress) {
  const Examples units = unit_rows(examples);
  std::vector<char> is_zero(units.rows());
  for (std::size_t i = 0; i < is_zero.size(); ++i) {
    is_zero[i] = static_cast<char>(units.row(i).squared_norm() == 0);
  }
  return symmetric_matrix(units.rows(), threads, progress, [&](std::size_t i, std::size_t j) {
    return cosine_distance(
        units.row(i).squared_distance(units.row(j)), is_zero[i] != 0, is_zero[j] != 0);
  });
}

}  // namespace

void describe_distance(OptionVisitor& visit, Distance& distance) {
  visit.name({.name = "distance", .help = "distance between two points"}, distance);
}

double distance_between(Distance distance, const Row& x, const Row& z) {
  switch (distance) {
    case Distance::euclidean:
      return std::sqrt(x.squared_distance(z));
    case Distance::manhattan:
      return x.l1_distance(z);
    case Distance::cosine:
      return cosine_between(x, z);
  }
  throw InvalidArgument("unknown distance");
}

DenseMatrix distance_matrix(const Examples& examples,
                            Distance distance,
                            std::optional<std::size_t> threads) {
  return stoppable_distances(examples, distance, {.threads = threads});
}

DenseMatrix stoppable_distances(const Examples& examples,
                                Distance distance,
                                const Context& context) {
  const std::size_t threads = thread_count(context.threads);
  SharedProgress progress(context.on_progress);
  if (distance == Distance::cosine) return cosine_matrix(examples, threads, progress);
  return symmetric_matrix(examples.rows(), threads, progress, [&](std::size_t i, std::size_t j) {
    return distance_between(distance, examples.row(i), examples.row(j));
  });
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans_points.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin::kmeans {

double plain_squared_norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

Points::Points(const PointRows& rows, std::span<const double> weights, std::size_t threads)
    : source_(rows),
      rows_(rows.rows()),
      cols_(rows.cols()),
      weights_(weights),
      shift_(rows.cols(), 0.0),
      squared_norms_(rows.rows()) {
  require_weights("kmeans", rows, weights);
  if (is_dense()) shift_ = column_means(rows, weights, threads).value;
  // Finite means prove finite entries: then the points need not be looked at once more.
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!is_dense() || !std::ranges::all_of(shift_, finite)) require_finite("kmeans", rows, threads);
  if (is_dense()) {
    centred_ = DenseMatrix::uninitialized(rows_, cols_);
  }
  parallel_chunks(
      threads, rows_, 4 * block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (is_dense()) {
          source_.copy_shifted(begin, end, shift_, centred_.view().middle_rows(begin, end));
        }
        for (std::size_t i = begin; i < end; ++i) squared_norms_[i] = row(i).squared_norm();
      });
  double total = 0;
  for (std::size_t i = 0; i < rows_; ++i) total += weight(i) * squared_norms_[i];
  require(std::isfinite(total), "kmeans: the points' values are so large that squares overflow");
}

std::size_t Points::chunk(std::size_t k) const {
  const std::size_t wanted = std::max({2 * block_rows, 4 * k, chunk_count(rows_, 256)});
  return chunk_count(wanted, block_rows) * block_rows;
}

double Points::squared_distance(std::size_t i,
                                std::span<const double> centre,
                                double centre_squared_norm) const {
  const Row x = row(i);
  if (x.is_dense()) {
    const double* a = x.dense().data();
    double sum = 0;
    for (std::size_t j = 0; j < centre.size(); ++j) sum += (a[j] - centre[j]) * (a[j] - centre[j]);
    return sum;
  }
  const SparseRow sparse = x.sparse();
  // Nearly full rows: no cancellation, at the cost of at most eight times the work.
  if (sparse.columns.size() * 8 >= centre.size()) return x.squared_distance(Row(centre));
  double inside = 0;
  double sum = 0;
  for (std::size_t e = 0; e < sparse.columns.size(); ++e) {
    const double c = centre[static_cast<std::size_t>(sparse.columns[e])];
    inside += c * c;
    sum += (sparse.values[e] - c) * (sparse.values[e] - c);
  }
  return sum + std::max(0.0, centre_squared_norm - inside);
}

void Points::copy_row(std::size_t i, std::span<double> to) const {
  std::fill(to.begin(), to.end(), 0.0);
  row(i).for_each([&](std::size_t j, double x) { to[j] = x; });
}

int Points::compare(std::size_t a, std::size_t b) const {
  int order = 0;
  if (is_dense()) {
    const auto x = centred_.row(a);
    const auto z = centred_.row(b);
    const auto [p, q] = std::mismatch(x.begin(), x.end(), z.begin());
    return p == x.end() ? 0 : (*p < *q ? -1 : 1);
  }
  for_each_pair(row(a), row(b), [&](double x, double z) {
    if (order == 0 && x != z) order = x < z ? -1 : 1;
  });
  return order;
}

}  // namespace maxmargin::kmeans

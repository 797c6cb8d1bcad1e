// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin::kmeans {

double plain_squared_norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

namespace {

constexpr std::size_t row_chunk = 4 * block_rows;

/// Points whose largest magnitude is below 2^this are enlarged.
constexpr int smallest_exponent = -300;
/// A given centre is moved no farther out than this, so that its squares stay finite.
constexpr double farthest = 0x1p500;

/// Whether a - b is a double. The rounding error of a difference is a double itself and comes out
/// of this sequence exactly.
bool subtracts_exactly(double a, double b) {
  const double difference = a - b;
  const double back = difference - a;
  return (a - (difference - back)) - (b + back) == 0;
}

/// `shift` with zeros in the columns where taking it off would round some entry.
std::vector<double> exact_shifts(const PointRows& rows,
                                 std::vector<double> shift,
                                 std::size_t threads) {
  std::vector<std::vector<char>> rounds(chunk_count(rows.rows(), row_chunk));
  parallel_chunks(
      threads, rows.rows(), row_chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        rounds[c].assign(shift.size(), 0);
        // Most means round some entry of every column within a few rows.
        std::size_t exact_columns = shift.size();
        for (std::size_t i = begin; i < end && exact_columns > 0; ++i) {
          const std::span<const double> x = rows.row(i).dense();
          exact_columns = 0;
          for (std::size_t j = 0; j < shift.size(); ++j) {
            rounds[c][j] |= static_cast<char>(!subtracts_exactly(x[j], shift[j]));
            exact_columns += rounds[c][j] == 0 ? 1u : 0u;
          }
        }
      });
  for (const std::vector<char>& chunk : rounds) {
    for (std::size_t j = 0; j < shift.size(); ++j) {
      if (chunk[j] != 0) shift[j] = 0;
    }
  }
  return shift;
}

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

Points::Points(const PointRows& rows, std::span<const double> weights, std::size_t threads)
    : source_(rows),
      rows_(rows.rows()),
      cols_(rows.cols()),
      weights_(weights),
      shift_(rows.cols(), 0.0),
      squared_norms_(rows.rows()) {
  require_weights("kmeans", rows, weights);
  if (is_dense()) {
    centre_dense(threads);
  } else {
    require_finite("kmeans", rows, threads);
  }
  const double largest = measure(threads);
  if (largest > 0 && std::ilogb(largest) < smallest_exponent) {
    exponent_ = std::ilogb(largest);
    enlarge();
    measure(threads);
  }
  double total = 0;
  for (std::size_t i = 0; i < rows_; ++i) total += weight(i) * squared_norms_[i];
  require(std::isfinite(total), "kmeans: the points' values are so large that squares overflow");
}

void Points::centre_dense(std::size_t threads) {
  dense_ = source_.dense();
  std::vector<double> mean = column_means(source_, weights_, threads).value;
  // Finite means prove finite entries: then the points need not be looked at once more.
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(mean, finite)) require_finite("kmeans", source_, threads);
  shift_ = exact_shifts(source_, std::move(mean), threads);
  const auto is_zero = [](double value) { return value == 0; };
  if (std::ranges::all_of(shift_, is_zero)) return;  // nothing to take off: no copy needed
  copy_ = DenseMatrix::uninitialized(rows_, cols_);
  parallel_chunks(threads, rows_, row_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    source_.copy_shifted(begin, end, shift_, copy_.view().middle_rows(begin, end));
  });
  dense_ = copy_.view();
}

double Points::measure(std::size_t threads) {
  std::vector<double> largest(chunk_count(rows_, row_chunk), 0.0);
  parallel_chunks(
      threads, rows_, row_chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const Row x = row(i);
          squared_norms_[i] = x.squared_norm();
          largest[c] =
              std::max(largest[c], largest_magnitude(x.is_dense() ? x.dense() : x.sparse().values));
        }
      });
  return largest_magnitude(largest);
}

void Points::enlarge() {
  if (!is_dense()) {
    enlarged_sparse_ = source_.sparse_copy();
    source_ = PointRows(enlarged_sparse_.view());
  } else if (copy_.rows() == 0) {
    copy_ = DenseMatrix::uninitialized(rows_, cols_);
    source_.copy_shifted(0, rows_, {}, copy_.view());
    dense_ = copy_.view();
  }
  for (double& value : is_dense() ? copy_.values() : enlarged_sparse_.values()) {
    value = std::ldexp(value, -exponent_);
  }
}

void Points::move_in(std::span<double> point) const {
  for (std::size_t j = 0; j < cols_; ++j) {
    point[j] = std::clamp(std::ldexp(point[j] - shift_[j], -exponent_), -farthest, farthest);
  }
}

void Points::move_back(std::span<double> point) const {
  for (std::size_t j = 0; j < cols_; ++j) point[j] = std::ldexp(point[j], exponent_) + shift_[j];
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
    const auto x = dense_.row(a);
    const auto z = dense_.row(b);
    const auto [p, q] = std::mismatch(x.begin(), x.end(), z.begin());
    return p == x.end() ? 0 : (*p < *q ? -1 : 1);
  }
  for_each_pair(row(a), row(b), [&](double x, double z) {
    if (order == 0 && x != z) order = x < z ? -1 : 1;
  });
  return order;
}

}  // namespace maxmargin::kmeans

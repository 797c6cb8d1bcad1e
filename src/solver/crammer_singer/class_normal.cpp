// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/crammer-singer.md, interior points.
#include "solver/crammer_singer/class_normal.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "solver/interior/relaxed.hpp"

namespace maxmargin::crammer_singer {

namespace {

/// Rows that are scaled at a time for a product.
constexpr std::size_t block = 256;
/// Multiplications and additions between two looks at the caller's wishes.
constexpr double operations_between_asks = 0x1p28;

}  // namespace

ClassNormal::ClassNormal(DenseMatrix rows, std::size_t classes, std::size_t threads)
    : rows_(std::move(rows)), classes_(classes), threads_(threads), sums_(rows_.rows()) {
  for (std::size_t a = 0; a < rows_.rows(); ++a) {
    squared_norms_.push_back(dot(rows_.row(a), rows_.row(a)));
  }
}

DenseMatrix ClassNormal::combine(const DenseMatrix& t) const {
  DenseMatrix w(classes_, rows_.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, t.view(), rows_.view(), 0.0, w.view());
  return w;
}

DenseMatrix ClassNormal::combine_exactly(const DenseMatrix& t) const {
  const std::size_t d = rows_.cols();
  DenseMatrix w(classes_, d);
  parallel_chunks(threads_, classes_, 1, [&](std::size_t r, std::size_t, std::size_t) {
    std::vector<long double> sums(d, 0.0L);
    for (std::size_t a = 0; a < rows_.rows(); ++a) {
      const long double factor = t(a, r);
      if (factor == 0) continue;
      const double* row = rows_.row(a).data();
      for (std::size_t j = 0; j < d; ++j) sums[j] += factor * row[j];
    }
    for (std::size_t j = 0; j < d; ++j) w(r, j) = static_cast<double>(sums[j]);
  });
  return w;
}

void ClassNormal::apply(const DenseMatrix& w, DenseMatrix& values) const {
  gemm(Transpose::no, Transpose::yes, 1.0, rows_.view(), w.view(), 0.0, values.view());
}

std::optional<DenseMatrix> ClassNormal::normal_matrix(const ProgressCallback& on_progress) const {
  const std::size_t d = rows_.cols();
  DenseMatrix normal(classes_ * d, classes_ * d);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t r = 0; r < classes_; ++r) {
    for (std::size_t q = 0; q <= r; ++q) pairs.emplace_back(r, q);
  }
  const auto fill = [&](std::size_t p) {
    const auto [r, q] = pairs[p];
    const MutableDenseView tile{normal.data() + r * d * classes_ * d + q * d, d, d, classes_ * d};
    DenseMatrix scaled(std::min(block, rows_.rows()), d);
    for (std::size_t begin = 0; begin < rows_.rows(); begin += block) {
      const std::size_t count = std::min(block, rows_.rows() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t a = begin + i;
        // theta_r (1 - theta_r / sum), without the difference.
        double others = r == q ? 0.0 : -theta_(a, q);
        for (std::size_t c = 0; r == q && c < classes_; ++c) others += c == r ? 0.0 : theta_(a, c);
        const double factor = theta_(a, r) / sums_[a] * others;
        for (std::size_t j = 0; j < d; ++j) scaled(i, j) = factor * rows_(a, j);
      }
      gemm(Transpose::yes,
           Transpose::no,
           1.0,
           {scaled.data(), count, d, d},
           {rows_.data() + begin * d, count, d, d},
           1.0,
           tile);
    }
  };
  // A few pairs at a time: all of them may take minutes.
  const double operations = static_cast<double>(rows_.rows()) * static_cast<double>(d * d);
  const auto group = std::max(
      threads_, static_cast<std::size_t>(operations_between_asks / std::max(1.0, operations)));
  for (std::size_t first = 0; first < pairs.size(); first += group) {
    if (first > 0 && ask(on_progress, {}) != Continue::yes) return std::nullopt;
    const std::size_t count = std::min(group, pairs.size() - first);
    parallel_chunks(
        threads_, count, 1, [&](std::size_t p, std::size_t, std::size_t) { fill(first + p); });
  }
  for (std::size_t j = 0; j < classes_ * d; ++j) normal(j, j) += 1;
  return normal;
}

bool ClassNormal::factor(DenseMatrix theta, const ProgressCallback& on_progress) {
  theta_ = std::move(theta);
  for (std::size_t a = 0; a < rows_.rows(); ++a) {
    sums_[a] = 0;
    for (const double entry : theta_.row(a)) sums_[a] += entry;
  }
  const std::optional<DenseMatrix> summed = normal_matrix(on_progress);
  if (!summed) return false;
  const DenseMatrix& normal = *summed;
  return interior::factor_relaxed(relax_, on_progress, [&](double relax) {
    DenseMatrix relaxed = normal;
    for (std::size_t j = 0; j < normal.rows(); ++j) relaxed(j, j) += relax * normal(j, j);
    factor_ = BlockCholesky::factor(std::move(relaxed), threads_, on_progress);
    return factor_.has_value();
  });
}

DenseMatrix ClassNormal::project(const DenseMatrix& v) const {
  DenseMatrix projected(v.rows(), classes_);
  for (std::size_t a = 0; a < v.rows(); ++a) {
    double mean = 0;
    for (std::size_t r = 0; r < classes_; ++r) mean += theta_(a, r) / sums_[a] * v(a, r);
    for (std::size_t r = 0; r < classes_; ++r) projected(a, r) = theta_(a, r) * (v(a, r) - mean);
  }
  return projected;
}

void ClassNormal::solve(const DenseMatrix& q,
                        std::span<const double> missing,
                        DenseMatrix& ds,
                        std::span<double> dfloors) const {
  const std::size_t n = rows_.rows();
  const std::size_t size = classes_ * rows_.cols();
  DenseMatrix right = project(q);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t r = 0; r < classes_; ++r) {
      right(a, r) = -(right(a, r) + theta_(a, r) * (missing[a] / sums_[a]));
    }
  }
  const DenseMatrix wanted = combine(right);
  DenseMatrix dw(classes_, rows_.cols(), 0.0);
  DenseMatrix values(n, classes_);
  // What the factors leave of the system is solved for once more: I, and what P does to X dw.
  constexpr int rounds = 3;
  DenseMatrix left = wanted;
  for (int round = 0; round < rounds; ++round) {
    factor_->solve_rows({left.data(), 1, size, size}, threads_);
    for (std::size_t j = 0; j < size; ++j) dw.data()[j] += left.data()[j];
    apply(dw, values);
    const DenseMatrix met = combine(project(values));
    for (std::size_t j = 0; j < size; ++j) {
      left.data()[j] = wanted.data()[j] - dw.data()[j] - met.data()[j];
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    double mean = 0;
    for (std::size_t r = 0; r < classes_; ++r) {
      mean += theta_(a, r) / sums_[a] * (q(a, r) + values(a, r));
    }
    dfloors[a] = missing[a] / sums_[a] - mean;
    // The class of largest theta gets what the others leave of the sum: a difference that theta
    // multiplies has lost its digits there.
    const std::span<const double> own = theta_.row(a);
    const auto softest = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
    double taken = 0;
    for (std::size_t r = 0; r < classes_; ++r) {
      if (r == softest) continue;
      ds(a, r) = theta_(a, r) * (q(a, r) + values(a, r) + dfloors[a]);
      taken += ds(a, r);
    }
    ds(a, softest) = missing[a] - taken;
  }
}

}  // namespace maxmargin::crammer_singer

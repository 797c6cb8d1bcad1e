// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/held_triangle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "maxmargin/core/progress.hpp"
#include "solver/interior/relaxed.hpp"

namespace maxmargin::interior {

namespace {

constexpr std::size_t block = cholesky_block;
/// Units of the lowest digit below which an entry has some to spare.
constexpr double telling_units = 0x1p40;

/// The power of two of the lowest digit of a finite number other than 0.
double lowest_digit(double value) {
  constexpr int digits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(value, &exponent), digits);
  return std::ldexp(
      1.0, exponent - digits + std::countr_zero(static_cast<std::uint64_t>(std::abs(mantissa))));
}

/// Of a power of two, or of infinity, which only 0 is.
bool is_multiple(double value, double unit) {
  if (value == 0 || !std::isfinite(value)) return true;
  if (std::isinf(unit)) return false;
  const double units = std::abs(value / unit);
  return units >= 0x1p53 || static_cast<double>(static_cast<std::uint64_t>(units)) == units;
}

}  // namespace

HeldTriangle::HeldTriangle(std::size_t count,
                           const Fill& fill,
                           std::size_t threads,
                           bool from_float,
                           const ProgressCallback& on_progress)
    : threads_(threads),
      array_(DenseMatrix::uninitialized(count, count)),
      diagonal_(count),
      unit_(from_float ? std::numeric_limits<float>::epsilon()
                       : std::numeric_limits<double>::epsilon()) {
  double unit = std::numeric_limits<double>::infinity();
  double least = unit;
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t height = std::min(block, count - begin);
    const Continue answer = begin > 0 ? ask(on_progress, {}) : Continue::yes;
    if (answer != Continue::yes) throw Stopped(answer);
    fill(begin, part(begin, height, 0, count));
    for (std::size_t i = begin; i < begin + height; ++i) {
      for (const double entry : array_.row(i)) {
        if (!is_multiple(entry, unit)) unit = lowest_digit(entry);
        if (entry != 0) least = std::min(least, std::abs(entry));
      }
    }
    DenseMatrix& own = blocks_.emplace_back(height, height);
    for (std::size_t i = 0; i < height; ++i) {
      std::ranges::copy(array_.row(begin + i).subspan(begin, height), own.row(i).begin());
      diagonal_[begin + i] = own(i, i);
    }
  }
  // Entries of one size all end where their digits do, rounded or not: a small one must tell.
  if (!from_float && least <= telling_units * unit) {
    largest_exact_ = std::ldexp(unit, std::numeric_limits<double>::digits);
  }
}

double HeldTriangle::bytes(std::size_t count) noexcept {
  const auto n = static_cast<double>(count);
  return sizeof(double) * n * (n + static_cast<double>(std::min(block, count)));
}

MutableDenseView HeldTriangle::part(std::size_t begin,
                                    std::size_t height,
                                    std::size_t from,
                                    std::size_t width) {
  return {array_.data() + begin * size() + from, height, width, size()};
}

std::size_t HeldTriangle::length(std::size_t tile) const {
  return std::min(block, size() - tile * block);
}

DenseView HeldTriangle::above(std::size_t tile, std::size_t other) const {
  return {
      array_.data() + tile * block * size() + other * block, length(tile), length(other), size()};
}

DenseView HeldTriangle::on_diagonal(std::size_t tile) const { return blocks_[tile].view(); }

double HeldTriangle::entry(std::size_t i, std::size_t j) const {
  if (i > j) std::swap(i, j);
  const std::size_t tile = i / block;
  if (j / block != tile) return array_(i, j);
  return blocks_[tile](i - tile * block, j - tile * block);
}

void HeldTriangle::multiply(std::span<const double> b, std::span<double> values) const {
  // A tile above the diagonal serves its own rows and, transposed, those of its columns. Each row
  // of tiles adds up its share by itself; the shares are added in order. In more digits than K has:
  // on features of any scale the sums are far smaller than their terms.
  const std::size_t tiles = blocks_.size();
  std::vector<std::vector<long double>> shares(tiles);
  parallel_chunks(threads_, tiles, 1, [&](std::size_t t, std::size_t, std::size_t) {
    const std::size_t begin = t * block;
    std::vector<long double>& share = shares[t];
    share.assign(size() - begin, 0.0L);
    for (std::size_t i = 0; i < length(t); ++i) {
      const long double own = b[begin + i];
      const double* diagonal_row = blocks_[t].row(i).data();
      const double* row = array_.data() + (begin + i) * size() + begin;
      long double sum = 0;
      for (std::size_t j = 0; j < length(t); ++j) sum += diagonal_row[j] * (0.0L + b[begin + j]);
      for (std::size_t j = length(t); j < share.size(); ++j) {
        sum += row[j] * (0.0L + b[begin + j]);
        share[j] += row[j] * own;
      }
      share[i] += sum;
    }
  });
  std::vector<long double> sums(size(), 0.0L);
  for (std::size_t t = 0; t < tiles; ++t) {
    for (std::size_t k = 0; k < shares[t].size(); ++k) sums[t * block + k] += shares[t][k];
  }
  for (std::size_t i = 0; i < size(); ++i) values[i] = static_cast<double>(sums[i]);
}

void HeldTriangle::multiply_errors(std::span<const double> b, std::span<double> errors) const {
  std::ranges::fill(errors, 0.0);
  const auto add = [&](std::size_t i, std::size_t j, double value) {
    if (std::abs(value) <= largest_exact_) return;
    errors[i] += (value * b[j]) * (value * b[j]);
    if (i != j) errors[j] += (value * b[i]) * (value * b[i]);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t t = i / block;
    const std::size_t end = std::min(size(), (t + 1) * block);
    for (std::size_t j = i; j < end; ++j) add(i, j, blocks_[t](i - t * block, j - t * block));
    for (std::size_t j = end; j < size(); ++j) add(i, j, array_(i, j));
  }
  for (double& error : errors) error = 0.5 * unit_ * std::sqrt(error);
}

void HeldTriangle::transpose_into(std::size_t begin, std::size_t end) {
  constexpr std::size_t few = 32;  // whose rows stay in cache
  double* const data = array_.data();
  for (std::size_t from = 0; from < begin; from += few) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = from; j < from + few; ++j) data[i * size() + j] = data[j * size() + i];
    }
  }
}

void HeldTriangle::copy_active(std::span<const double> theta) {
  const std::size_t count = active_.size();
  const bool all = count == size();
  parallel_chunks(threads_, count, block, [&](std::size_t t, std::size_t begin, std::size_t end) {
    if (all) transpose_into(begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      double* const row = array_.data() + i * size();
      if (all) {
        for (std::size_t j = begin; j <= i; ++j) row[j] = blocks_[t](i - begin, j - begin);
      } else {
        for (std::size_t j = 0; j <= i; ++j) row[j] = entry(active_[i], active_[j]);
      }
      row[i] += theta[active_[i]];
      row[i] += relax_ * row[i];
    }
  });
}

bool HeldTriangle::factor(std::span<const double> theta, const ProgressCallback& on_progress) {
  active_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (!std::isinf(theta[i])) active_.push_back(i);
  }
  return factor_relaxed(relax_, on_progress, [&](double /*relax*/) {
    copy_active(theta);
    return factor_lower(part(0, active_.size(), 0, active_.size()), threads_, on_progress);
  });
}

void HeldTriangle::solve(std::span<double> right) const {
  const std::size_t count = active_.size();
  DenseMatrix one(1, count);
  for (std::size_t k = 0; k < count; ++k) one(0, k) = right[active_[k]];
  const DenseView factor{array_.data(), count, count, size()};
  if (count > 0) solve_rows(factor, one.view(), threads_);
  std::ranges::fill(right, 0.0);
  for (std::size_t k = 0; k < count; ++k) right[active_[k]] = one(0, k);
}

HeldTriangle::Fill rows_of(const SymmetricMatrix& matrix) {
  return [&matrix](std::size_t begin, MutableDenseView rows) {
    std::vector<std::size_t> indices(rows.rows);
    std::iota(indices.begin(), indices.end(), begin);
    const RowBlock held = matrix.rows(indices);
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < rows.rows; ++i) {
            std::ranges::copy(values[i], rows.row(i).begin());
          }
        },
        held.rows);
  };
}

}  // namespace maxmargin::interior

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/interior/interior.hpp"
#include "solver/interior/relaxed.hpp"

namespace maxmargin::interior {

/// K = X X' of the rows of a linear machine, which is never formed: systems with K + diag(theta)
/// are solved by way of the columns, I + X' diag(1/theta) X. Rows: a class of linear/rows.hpp.
/// Memory: three such matrices.
template <class Rows>
class LowRankMatrix final : public InteriorMatrix {
 public:
  LowRankMatrix(Rows rows, std::size_t count, std::size_t threads)
      : rows_(std::move(rows)), width_(rows_.cols() + 1), threads_(threads), inverse_(count) {
    for (std::size_t i = 0; i < count; ++i) diagonal_.push_back(rows_.squared_norm(i));
  }

  [[nodiscard]] std::size_t size() const noexcept override { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }

  /// X' b.
  [[nodiscard]] std::vector<double> combine(std::span<const double> b) const {
    std::vector<std::vector<double>> parts(chunk_count(size(), chunk));
    parallel_chunks(
        threads_, size(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
          parts[c].assign(width_, 0.0);
          for (std::size_t i = begin; i < end; ++i) {
            if (b[i] != 0) rows_.add(i, b[i], parts[c].data());
          }
        });
    std::vector<double> w(width_, 0.0);
    for (const std::vector<double>& part : parts) {
      for (std::size_t j = 0; j < width_; ++j) w[j] += part[j];
    }
    return w;
  }

  void multiply(std::span<const double> b, std::span<double> values) const override {
    score(combine(b), values);
  }

  [[nodiscard]] bool factor(std::span<const double> theta,
                            const ProgressCallback& on_progress) override {
    for (std::size_t i = 0; i < size(); ++i) inverse_[i] = 1 / theta[i];
    std::optional<DenseMatrix> summed = outer_products(on_progress);
    if (!summed) return false;
    DenseMatrix& normal = *summed;
    for (std::size_t j = 0; j < width_; ++j) normal(j, j) += 1;
    // Columns that depend on each other leave pivots of rounding.
    return factor_relaxed(relax_, on_progress, [&](double relax) {
      DenseMatrix relaxed = normal;
      for (std::size_t j = 0; j < width_; ++j) relaxed(j, j) += relax * normal(j, j);
      factor_ = BlockCholesky::factor(std::move(relaxed), threads_, on_progress);
      return factor_.has_value();
    });
  }

  void solve(std::span<double> right) const override {
    std::vector<double> scaled(size());
    for (std::size_t i = 0; i < size(); ++i) scaled[i] = inverse_[i] * right[i];
    std::vector<double> w = combine(scaled);
    factor_->solve_rows({w.data(), 1, width_, width_}, threads_);
    std::vector<double> values(size());
    score(w, values);
    for (std::size_t i = 0; i < size(); ++i) {
      right[i] = inverse_[i] == 0 ? 0.0 : inverse_[i] * (right[i] - values[i]);
    }
  }

 private:
  static constexpr std::size_t chunk = 4096;

  void score(std::span<const double> w, std::span<double> values) const {
    parallel_chunks(threads_, size(), chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values[i] = rows_.dot(i, w.data());
    });
  }

  /// X' diag(inverse_) X, its lower triangle; empty when the callback says to stop.
  [[nodiscard]] std::optional<DenseMatrix> outer_products(
      const ProgressCallback& on_progress) const {
    double by_entries = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto length = static_cast<double>(rows_.length(i) + 1);
      by_entries += length * length;
    }
    // An entry of a row times the others is scattered, a block of filled rows runs on BLAS.
    constexpr double gain_of_blocks = 8;
    const auto filled = static_cast<double>(size()) * static_cast<double>(width_ * width_);
    return gain_of_blocks * by_entries < filled ? by_rows() : by_blocks(on_progress);
  }

  [[nodiscard]] DenseMatrix by_rows() const {
    // Two halves at most, as each needs a matrix of its own.
    constexpr std::size_t worth_two = 2048;
    const std::size_t half = size() < worth_two ? size() : (size() + 1) / 2;
    std::vector<DenseMatrix> parts(chunk_count(size(), std::max<std::size_t>(half, 1)));
    parallel_chunks(threads_,
                    size(),
                    std::max<std::size_t>(half, 1),
                    [&](std::size_t c, std::size_t begin, std::size_t end) {
                      parts[c] = DenseMatrix(width_, width_);
                      for (std::size_t i = begin; i < end; ++i) {
                        if (inverse_[i] != 0) rows_.add_outer(i, inverse_[i], parts[c].data());
                      }
                    });
    if (parts.empty()) return DenseMatrix(width_, width_);
    DenseMatrix& sum = parts.front();
    for (std::size_t c = 1; c < parts.size(); ++c) {
      for (std::size_t k = 0; k < width_ * width_; ++k) sum.data()[k] += parts[c].data()[k];
    }
    for (std::size_t j = 1; j < width_; ++j) {
      for (std::size_t k = 0; k < j; ++k) sum(j, k) = sum(k, j);
    }
    return std::move(sum);
  }

  [[nodiscard]] std::optional<DenseMatrix> by_blocks(const ProgressCallback& on_progress) const {
    constexpr std::size_t block = 256;  // rows filled in at a time, and columns of a tile
    DenseMatrix sum(width_, width_);
    DenseMatrix filled(std::min(block, size()), width_);
    const std::size_t tiles = chunk_count(width_, block);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t j = 0; j < tiles; ++j) {
      for (std::size_t k = 0; k <= j; ++k) pairs.emplace_back(j * block, k * block);
    }
    for (std::size_t begin = 0; begin < size(); begin += block) {
      const std::size_t count = std::min(block, size() - begin);
      if (begin > 0 && ask(on_progress, {}) != Continue::yes) return std::nullopt;
      std::ranges::fill(filled.values(), 0.0);
      for (std::size_t r = 0; r < count; ++r) {
        const double root = std::sqrt(inverse_[begin + r]);
        if (root != 0) rows_.add(begin + r, root, filled.row(r).data());
      }
      parallel_chunks(threads_, pairs.size(), 1, [&](std::size_t t, std::size_t, std::size_t) {
        const auto [j, k] = pairs[t];
        const auto columns = [&](std::size_t from) {
          return DenseView{
              filled.data() + from, count, std::min(block, width_ - from), filled.cols()};
        };
        const DenseView left = columns(j);
        const DenseView right = columns(k);
        const MutableDenseView tile{sum.data() + j * width_ + k, left.cols, right.cols, width_};
        if (j == k) {
          syrk_lower(Transpose::yes, 1.0, left, 1.0, tile);
        } else {
          gemm(Transpose::yes, Transpose::no, 1.0, left, right, 1.0, tile);
        }
      });
    }
    return sum;
  }

  Rows rows_;
  std::size_t width_;  ///< columns, and the bias
  std::size_t threads_;
  std::vector<double> diagonal_ = {};
  std::vector<double> inverse_;  ///< 1/theta
  double relax_ = 0;             ///< share by which the diagonal had to grow
  std::optional<BlockCholesky> factor_ = std::nullopt;
};

}  // namespace maxmargin::interior

// SPDX-License-Identifier: Apache-2.0
#include "cluster/mixture/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/vector_clones.hpp"
#include "kernel/tiles/fast_exp.hpp"
#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"

namespace maxmargin::mixture {

namespace {

/// Partial sums of a row, added up at the end: a fixed number, so that every register width gives
/// the same bits.
constexpr std::size_t lanes = 16;

MAXMARGIN_VECTOR_CLONES void add_moments(const double* __restrict x,
                                         double shift,
                                         const double* __restrict r,
                                         std::size_t count,
                                         double* __restrict zeroth,
                                         double* __restrict first,
                                         double* __restrict second) {
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double difference = x[i + l] - shift;
      const double product = r[i + l] * difference;
      zeroth[l] += r[i + l];
      first[l] += product;
      second[l] += product * difference;
    }
  }
  for (; i < count; ++i) {
    const double difference = x[i] - shift;
    zeroth[0] += r[i];
    first[0] += r[i] * difference;
    second[0] += r[i] * difference * difference;
  }
}

MAXMARGIN_VECTOR_CLONES void scale_differences(const double* __restrict x,
                                               double shift,
                                               const double* __restrict factor,
                                               double* __restrict out,
                                               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (x[i] - shift) * factor[i];
}

MAXMARGIN_VECTOR_CLONES void add_squares(const double* __restrict x,
                                         double shift,
                                         double scale,
                                         double* __restrict sum,
                                         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = x[i] - shift;
    sum[i] += scale * (difference * difference);
  }
}

MAXMARGIN_VECTOR_CLONES void raise_to(const double* __restrict x,
                                      double* __restrict largest,
                                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) largest[i] = x[i] > largest[i] ? x[i] : largest[i];
}

MAXMARGIN_VECTOR_CLONES void subtract_each(const double* __restrict y,
                                           double* __restrict x,
                                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] -= y[i];
}

MAXMARGIN_VECTOR_CLONES void add_each(const double* __restrict x,
                                      double* __restrict sum,
                                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += x[i];
}

MAXMARGIN_VECTOR_CLONES void multiply_each(const double* __restrict y,
                                           double* __restrict x,
                                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] *= y[i];
}

/// Inverse of the lower Cholesky factor, and the log of the determinant of the matrix itself.
struct Whitening {
  DenseMatrix inverse = {};
  double log_determinant = 0;
};

std::optional<Whitening> whitening_of(DenseView covariance) {
  const std::optional<Cholesky> factor = Cholesky::factor(covariance, 0.0);
  if (!factor) return std::nullopt;
  const std::size_t d = covariance.rows;
  Whitening result{DenseMatrix(d, d), factor->log_determinant()};
  std::vector<double> column(d);
  for (std::size_t b = 0; b < d; ++b) {
    std::ranges::fill(column, 0.0);
    column[b] = 1;
    factor->solve_lower(column);
    for (std::size_t a = b; a < d; ++a) result.inverse(a, b) = column[a];
  }
  return result;
}

}  // namespace

Moments weighted_moments(std::span<const double> x, double shift, std::span<const double> r) {
  std::array<double, lanes> zeroth = {};
  std::array<double, lanes> first = {};
  std::array<double, lanes> second = {};
  add_moments(x.data(), shift, r.data(), r.size(), zeroth.data(), first.data(), second.data());
  Moments sums;
  for (std::size_t l = 0; l < lanes; ++l) {
    sums.zeroth += zeroth[l];
    sums.first += first[l];
    sums.second += second[l];
  }
  return sums;
}

void scaled_difference(std::span<const double> x,
                       double shift,
                       std::span<const double> factor,
                       std::span<double> out) {
  scale_differences(x.data(), shift, factor.data(), out.data(), out.size());
}

std::optional<Densities> Densities::of(const MixtureModel& model) {
  const std::size_t k = model.components();
  const std::size_t d = model.means.cols();
  Densities result(model);
  const double per_feature = std::log(2 * std::numbers::pi);
  result.constants_.resize(k);
  if (model.covariance == Covariance::spherical || model.covariance == Covariance::diagonal) {
    result.inverses_ = DenseMatrix(k, d);
  }
  double log_determinant = 0;
  for (std::size_t j = 0; j < k; ++j) {
    if (result.inverses_.rows() > 0) {
      log_determinant = 0;
      for (std::size_t f = 0; f < d; ++f) {
        const double variance =
            model.covariances(j, model.covariance == Covariance::spherical ? 0 : f);
        if (!(variance > 0)) return std::nullopt;
        result.inverses_(j, f) = 1 / variance;
        log_determinant += std::log(variance);
      }
    } else if (model.covariance == Covariance::full || j == 0) {
      const DenseView all = model.covariances.view();
      const bool is_full = model.covariance == Covariance::full;
      std::optional<Whitening> whitening =
          whitening_of(is_full ? all.middle_rows(j * d, (j + 1) * d) : all);
      if (!whitening) return std::nullopt;
      result.whitening_.push_back(std::move(whitening->inverse));
      log_determinant = whitening->log_determinant;
    }
    // The log of weight 0 is -infinity, and so the posterior is 0.
    result.constants_[j] =
        std::log(model.weights[j]) - (static_cast<double>(d) * per_feature + log_determinant) / 2;
  }
  if (result.whitening_.empty()) return result;
  result.whitened_means_ = DenseMatrix(k, d);
  for (std::size_t j = 0; j < k; ++j) {
    const DenseMatrix& whitening = result.whitening_[std::min(j, result.whitening_.size() - 1)];
    gemv(Transpose::no,
         1.0,
         whitening.view(),
         model.means.row(j),
         0.0,
         result.whitened_means_.row(j));
  }
  return result;
}

void Densities::add_axis_parallel(DenseView block, MutableDenseView logs) const {
  for (std::size_t j = 0; j < logs.rows; ++j) {
    for (std::size_t f = 0; f < block.rows; ++f) {
      add_squares(block.row(f).data(),
                  model_->means(j, f),
                  -inverses_(j, f) / 2,
                  logs.row(j).data(),
                  logs.cols);
    }
  }
}

void Densities::add_whitened(DenseView block, MutableDenseView logs, Workspace& work) const {
  const MutableDenseView whitened = first_columns(work.whitened, block.cols);
  for (std::size_t j = 0; j < logs.rows; ++j) {
    if (j < whitening_.size()) {
      gemm(Transpose::no, Transpose::no, 1.0, whitening_[j].view(), block, 0.0, whitened);
    }
    for (std::size_t f = 0; f < block.rows; ++f) {
      add_squares(
          whitened.row(f).data(), whitened_means_(j, f), -0.5, logs.row(j).data(), logs.cols);
    }
  }
}

void Densities::posteriors(DenseView block, Workspace& work) const {
  const std::size_t m = block.cols;
  const MutableDenseView logs = first_columns(work.posteriors, m);
  for (std::size_t j = 0; j < logs.rows; ++j) std::ranges::fill(logs.row(j), constants_[j]);
  if (whitening_.empty()) {
    add_axis_parallel(block, logs);
  } else {
    add_whitened(block, logs, work);
  }
  // Log of the sum of exponentials, around the largest.
  double* const largest = work.scratch.data();
  double* const sum = work.log_densities.data();
  std::fill_n(largest, m, -std::numeric_limits<double>::infinity());
  std::fill_n(sum, m, 0.0);
  for (std::size_t j = 0; j < logs.rows; ++j) raise_to(logs.row(j).data(), largest, m);
  for (std::size_t j = 0; j < logs.rows; ++j) {
    subtract_each(largest, logs.row(j).data(), m);
    exp_in_place(logs.row(j));
    add_each(logs.row(j).data(), sum, m);
  }
  for (std::size_t i = 0; i < m; ++i) {
    const double total = sum[i];
    sum[i] = largest[i] + std::log(total);
    largest[i] = 1 / total;
  }
  for (std::size_t j = 0; j < logs.rows; ++j) multiply_each(largest, logs.row(j).data(), m);
}

}  // namespace maxmargin::mixture

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Vectors"
#include "structured/hmm_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "core/vector_clones.hpp"
#include "kernel/tiles/fast_exp.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/hmm_kernels.hpp"

namespace maxmargin {

namespace {

/// Positions whose features stand side by side, a row a feature: what is done to one is done to all
/// of them in whole registers.
constexpr std::size_t group = 128;
/// Of them in registers at a time. Sums over positions have as many parts, so that every register
/// width gives the same bits.
constexpr std::size_t lanes = 16;
/// Positions of one parallel piece.
constexpr std::size_t piece = 8 * group;

/// Features of positions as rows; those behind the last position are 0.
void take_group(const double* vectors, std::size_t d, std::size_t count, std::vector<double>& to) {
  std::ranges::fill(to, 0.0);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t r = 0; r < d; ++r) to[r * group + t] = vectors[t * d + r];
  }
}

MAXMARGIN_VECTOR_CLONES void subtract_means(const double* x,
                                            const double* mean,
                                            std::size_t d,
                                            double* out) {
  for (std::size_t r = 0; r < d; ++r) {
    for (std::size_t t = 0; t < group; ++t) out[r * group + t] = x[r * group + t] - mean[r];
  }
}

/// squares[t] = sum over r of (scales[r] y_r[t])^2.
MAXMARGIN_VECTOR_CLONES void diagonal_squares(const double* y,
                                              const double* scales,
                                              std::size_t d,
                                              double* squares) {
  for (std::size_t begin = 0; begin < group; begin += lanes) {
    double sum[lanes] = {};
    for (std::size_t r = 0; r < d; ++r) {
      const double* const row = y + r * group + begin;
      for (std::size_t l = 0; l < lanes; ++l) {
        const double z = scales[r] * row[l];
        sum[l] += z * z;
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) squares[begin + l] = sum[l];
  }
}

/// The same with a lower triangle, its rows one after the other.
MAXMARGIN_VECTOR_CLONES void triangle_squares(const double* y,
                                              const double* triangle,
                                              std::size_t d,
                                              double* squares) {
  for (std::size_t begin = 0; begin < group; begin += lanes) {
    double sum[lanes] = {};
    const double* factor = triangle;
    for (std::size_t r = 0; r < d; ++r) {
      double z[lanes] = {};
      for (std::size_t c = 0; c <= r; ++c) {
        const double* const row = y + c * group + begin;
        for (std::size_t l = 0; l < lanes; ++l) z[l] += *factor * row[l];
        ++factor;
      }
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += z[l] * z[l];
    }
    for (std::size_t l = 0; l < lanes; ++l) squares[begin + l] = sum[l];
  }
}

MAXMARGIN_INLINE double sum_of_lanes(const double* part) {
  double sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += part[l];
  return sum;
}

/// Adds the sum of weights, of weights y_r, and of weights y_r y_c (c <= r, or c = r alone).
MAXMARGIN_VECTOR_CLONES void add_moments(const double* y,
                                         const double* weights,
                                         std::size_t d,
                                         bool is_full,
                                         double* weighted,
                                         double* sums) {
  double part[lanes] = {};
  for (std::size_t t = 0; t < group; t += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) part[l] += weights[t + l];
  }
  sums[0] += sum_of_lanes(part);
  double* second = sums + 1 + d;
  for (std::size_t r = 0; r < d; ++r) {
    const double* const row = y + r * group;
    for (std::size_t l = 0; l < lanes; ++l) part[l] = 0;
    for (std::size_t t = 0; t < group; t += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const double value = weights[t + l] * row[t + l];
        weighted[t + l] = value;
        part[l] += value;
      }
    }
    sums[1 + r] += sum_of_lanes(part);
    for (std::size_t c = is_full ? 0 : r; c <= r; ++c) {
      const double* const other = y + c * group;
      for (std::size_t l = 0; l < lanes; ++l) part[l] = 0;
      for (std::size_t t = 0; t < group; t += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) part[l] += weighted[t + l] * other[t + l];
      }
      *second++ += sum_of_lanes(part);
    }
  }
}

}  // namespace

HmmVectors::HmmVectors(std::span<const VectorSequence> vectors,
                       const FeatureUnits& units,
                       std::size_t states,
                       HmmCovariance covariance,
                       double variance_floor)
    : k_(states),
      d_(units.unit.size()),
      stride_(hmm_stride(states)),
      covariance_(covariance),
      floor_(variance_floor),
      parameters_(states * d_ + states * (covariance == HmmCovariance::full ? d_ * d_ : d_)) {
  for (const VectorSequence& each : vectors) begins_.push_back(begins_.back() + each.rows());
  vectors_.reserve(begins_.back() * d_);
  for (const VectorSequence& each : vectors) {
    for (std::size_t t = 0; t < each.rows(); ++t) {
      for (std::size_t r = 0; r < d_; ++r) {
        vectors_.push_back((each(t, r) - units.zero[r]) / units.unit[r]);
      }
    }
  }
}

void HmmVectors::set_parameters(std::vector<double> parameters) {
  parameters_ = std::move(parameters);
}

std::size_t HmmVectors::covariance_at(std::size_t state) const {
  return k_ * d_ + state * (covariance_ == HmmCovariance::full ? d_ * d_ : d_);
}

std::size_t HmmVectors::moments() const {
  return 1 + d_ + (covariance_ == HmmCovariance::full ? d_ * (d_ + 1) / 2 : d_);
}

std::size_t HmmVectors::sums() const { return k_ * moments(); }

void HmmVectors::prepare(std::size_t threads) {
  const bool is_full = covariance_ == HmmCovariance::full;
  const std::size_t whitening = is_full ? d_ * (d_ + 1) / 2 : d_;
  whitening_.assign(k_ * whitening, 0.0);
  log_peaks_.assign(k_, 0.0);
  for (std::size_t j = 0; j < k_; ++j) {
    const double* const covariance = parameters_.data() + covariance_at(j);
    double* const out = whitening_.data() + j * whitening;
    double log_determinant = 0;
    if (is_full) {
      const std::optional<Cholesky> factor = Cholesky::factor(DenseView{covariance, d_, d_, d_}, 0);
      require(factor.has_value(), "a covariance is not positive definite");
      log_determinant = factor->log_determinant();
      std::vector<double> column(d_);
      for (std::size_t c = 0; c < d_; ++c) {
        std::ranges::fill(column, 0.0);
        column[c] = 1;
        factor->solve_lower(column);
        for (std::size_t r = c; r < d_; ++r) out[r * (r + 1) / 2 + c] = column[r];
      }
    } else {
      for (std::size_t r = 0; r < d_; ++r) {
        log_determinant += std::log(covariance[r]);
        out[r] = 1 / std::sqrt(covariance[r]);
      }
    }
    log_peaks_[j] =
        -(static_cast<double>(d_) * std::log(2 * std::numbers::pi) + log_determinant) / 2;
  }
  factors_.resize(positions() * stride_);
  logs_of_largest_.resize(positions());
  parallel_chunks(
      threads, positions(), piece, [&](std::size_t, std::size_t begin, std::size_t end) {
        double* const rows = factors_.data() + begin * stride_;
        densities(begin, end, rows);
        for (std::size_t t = begin; t < end; ++t) {
          double* const row = factors_.data() + t * stride_;
          const double largest = *std::max_element(row, row + k_);
          logs_of_largest_[t] = largest;
          for (std::size_t j = 0; j < k_; ++j) row[j] -= largest;
        }
        exp_in_place(std::span(rows, (end - begin) * stride_));
        for (std::size_t t = begin; t < end; ++t) {
          std::fill_n(factors_.data() + t * stride_ + k_, stride_ - k_, 0.0);
        }
      });
}

void HmmVectors::densities(std::size_t begin, std::size_t end, double* rows) const {
  const bool is_full = covariance_ == HmmCovariance::full;
  const std::size_t whitening = whitening_.size() / k_;
  std::vector<double> x(d_ * group);
  std::vector<double> y(d_ * group);
  std::vector<double> squares(group);
  for (std::size_t at = begin; at < end; at += group) {
    const std::size_t count = std::min(group, end - at);
    take_group(vectors_.data() + at * d_, d_, count, x);
    for (std::size_t j = 0; j < k_; ++j) {
      subtract_means(x.data(), mean(j), d_, y.data());
      const double* const white = whitening_.data() + j * whitening;
      if (is_full) {
        triangle_squares(y.data(), white, d_, squares.data());
      } else {
        diagonal_squares(y.data(), white, d_, squares.data());
      }
      for (std::size_t t = 0; t < count; ++t) {
        rows[(at - begin + t) * stride_ + j] = log_peaks_[j] - squares[t] / 2;
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      std::fill_n(rows + (at - begin + t) * stride_ + k_, stride_ - k_, 0.0);
    }
  }
}

double HmmVectors::fill(std::size_t sequence,
                        std::size_t begin,
                        std::size_t end,
                        double* rows) const {
  const std::size_t first = begins_[sequence] + begin;
  const std::size_t count = end - begin;
  std::copy_n(factors_.data() + first * stride_, count * stride_, rows);
  double log_scale = 0;
  for (std::size_t t = 0; t < count; ++t) log_scale += logs_of_largest_[first + t];
  return log_scale;
}

DenseMatrix HmmVectors::logs(std::size_t sequence) const {
  const std::size_t begin = begins_[sequence];
  const std::size_t count = length(sequence);
  DenseMatrix nodes(count, k_);
  std::vector<double> rows(std::min(count, group) * stride_);
  for (std::size_t at = 0; at < count; at += group) {
    const std::size_t here = std::min(group, count - at);
    densities(begin + at, begin + at + here, rows.data());
    for (std::size_t t = 0; t < here; ++t) {
      std::copy_n(rows.data() + t * stride_, k_, nodes.row(at + t).begin());
    }
  }
  return nodes;
}

void HmmVectors::add(std::size_t sequence,
                     std::size_t begin,
                     std::size_t end,
                     const double* posteriors,
                     double* sums) const {
  const bool is_full = covariance_ == HmmCovariance::full;
  std::vector<double> x(d_ * group);
  std::vector<double> y(d_ * group);
  std::vector<double> weights(group);
  std::vector<double> weighted(group);
  for (std::size_t at = begin; at < end; at += group) {
    const std::size_t count = std::min(group, end - at);
    take_group(vectors_.data() + (begins_[sequence] + at) * d_, d_, count, x);
    std::ranges::fill(weights, 0.0);
    for (std::size_t j = 0; j < k_; ++j) {
      for (std::size_t t = 0; t < count; ++t) {
        weights[t] = posteriors[(at - begin + t) * stride_ + j];
      }
      // Around the present mean: near the end nothing cancels.
      subtract_means(x.data(), mean(j), d_, y.data());
      add_moments(y.data(), weights.data(), d_, is_full, weighted.data(), sums + j * moments());
    }
  }
}

void HmmVectors::maximise(std::span<const double> sums, double /*smoothing*/) {
  const bool is_full = covariance_ == HmmCovariance::full;
  std::vector<double> move(d_);
  for (std::size_t j = 0; j < k_; ++j) {
    const double* const own = sums.data() + j * moments();
    if (!(own[0] > 0)) continue;
    for (std::size_t r = 0; r < d_; ++r) {
      move[r] = own[1 + r] / own[0];
      mean(j)[r] += move[r];
    }
    double* const covariance = parameters_.data() + covariance_at(j);
    const double* second = own + 1 + d_;
    for (std::size_t r = 0; r < d_; ++r) {
      if (!is_full) {
        covariance[r] = std::max(floor_, *second++ / own[0] - move[r] * move[r]);
        continue;
      }
      for (std::size_t c = 0; c <= r; ++c) {
        covariance[r * d_ + c] = covariance[c * d_ + r] = *second++ / own[0] - move[r] * move[c];
      }
    }
    if (is_full) raise_to_floor(covariance);
  }
}

/// The likeliest matrix above the floor: eigenvalues below it become it.
void HmmVectors::raise_to_floor(double* covariance) const {
  DenseMatrix above(d_, d_);
  std::copy_n(covariance, d_ * d_, above.values().begin());
  for (std::size_t r = 0; r < d_; ++r) above(r, r) -= floor_;
  if (Cholesky::factor(above.view(), 0)) return;
  const EigenPairs pairs = eigen_symmetric(DenseView{covariance, d_, d_, d_});
  for (std::size_t r = 0; r < d_; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = 0;
      for (std::size_t e = 0; e < d_; ++e) {
        sum += std::max(pairs.values[e], floor_) * pairs.vectors(e, r) * pairs.vectors(e, c);
      }
      covariance[r * d_ + c] = covariance[c * d_ + r] = sum;
    }
  }
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, steps 2 to 4.
#include "solver/label_saddle_function.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/linalg/blas.hpp"

namespace maxmargin::label_saddle {

namespace {

/// Rows of the kernel in a chunk.
constexpr std::size_t chunk = 128;
/// Every diagonal entry of c K grows by this share of itself, against the rounding of c K o V V'.
/// Neither omega() nor the certificate knows of it.
constexpr double ridge_share = 1e-11;

/// Barrier of spread_omega, in relation to the value, and how often it is fitted to it.
constexpr double spread_smoothing = 1e-2;
constexpr std::size_t most_spread_rounds = 8;

/// Sum of the rows of x, each times its weight (1 without weights).
std::vector<double> row_sum(DenseView x, std::span<const double> weights) {
  std::vector<double> sum(x.cols, 0.0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight != 0) axpy(weight, x.row(i), sum);
  }
  return sum;
}

}  // namespace

Function::Function(const LabelSaddle& problem, std::size_t threads, ProgressCallback on_progress)
    : problem_(problem),
      threads_(threads),
      n_(problem.size()),
      mu_(1e-2),
      qp_(n_, {.threads = threads, .on_progress = std::move(on_progress)}),
      h_(DenseMatrix::uninitialized(n_, n_)),
      lambda_(n_, 0.0) {
  const std::size_t constraints = balance_multipliers(problem);
  multipliers_.assign(constraints, 0.0);
  p_.assign(constraints, 0.0);
  active_.assign(constraints, 0);
}

void Function::form_matrix(DenseView v) {
  parallel_chunks(threads_, n_, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    const MutableDenseView rows = h_.view().middle_rows(begin, end);
    gemm(Transpose::no, Transpose::yes, problem_.c, v.middle_rows(begin, end), v, 0.0, rows);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const double> kernel = problem_.matrix.row(i);
      const std::span<double> row = rows.row(i - begin);
      for (std::size_t j = 0; j < n_; ++j) row[j] *= kernel[j];
      row[i] = problem_.c * kernel[i] * (1 + ridge_share);
    }
  });
}

void Function::multiply(std::span<const double> weights, DenseView x, MutableDenseView result) {
  if (scratch_.rows() != x.rows || scratch_.cols() != x.cols) {
    scratch_ = DenseMatrix(x.rows, x.cols);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const std::span<const double> from = x.row(i);
    const std::span<double> to = scratch_.row(i);
    for (std::size_t j = 0; j < x.cols; ++j) to[j] = weights[i] * from[j];
  }
  parallel_chunks(threads_, n_, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    gemm(Transpose::no,
         Transpose::no,
         problem_.c,
         problem_.matrix.middle_rows(begin, end),
         scratch_.view(),
         0.0,
         result.middle_rows(begin, end));
  });
}

double Function::evaluate(DenseView v, MutableDenseView gradient) {
  if (v_.rows() != v.rows || v_.cols() != v.cols) {
    v_ = DenseMatrix(v.rows, v.cols);
    weighted_ = DenseMatrix(v.rows, v.cols);
    image_ = DenseMatrix(v.rows, v.cols);
  }
  for (std::size_t i = 0; i < n_; ++i) std::ranges::copy(v.row(i), v_.row(i).begin());
  form_matrix(v);
  const UnitBoxQpReport inner = qp_.solve(h_.view(), mu_);
  std::ranges::copy(qp_.x(), lambda_.begin());
  multiply(lambda_, v, weighted_.view());
  measure_omega();
  for (std::size_t i = 0; i < n_; ++i) {
    const std::span<const double> from = weighted_.row(i);
    const std::span<double> to = gradient.row(i);
    for (std::size_t j = 0; j < v.cols; ++j) to[j] = -lambda_[i] * from[j];
  }
  measure_balance(v);
  add_balance_gradient(v, gradient);
  return inner.smooth_value + balance_value();
}

void Function::measure_omega() {
  // e'l - 1/2 l'Gl and the gap that l's gradient leaves, G = c K o V V' without the ridge.
  omega_ = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double l = lambda_[i];
    const double image = dot(v_.row(i), weighted_.row(i));
    omega_ += l - 0.5 * l * image + (image > 1 ? (image - 1) * l : (1 - image) * (1 - l));
  }
}

void Function::hessian_product(DenseView direction, MutableDenseView product) {
  // The maximiser moves by dl with (H + D) dl = - (c K o (X V' + V X')) l, D of the barrier.
  multiply(lambda_, direction, image_.view());
  std::vector<double> change(n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    change[i] = -dot(direction.row(i), weighted_.row(i)) - dot(v_.row(i), image_.row(i));
  }
  qp_.solve_hessian(h_.view(), change);
  multiply(change, v_.view(), product);
  for (std::size_t i = 0; i < n_; ++i) {
    const std::span<double> to = product.row(i);
    const std::span<const double> first = image_.row(i);
    const std::span<const double> second = weighted_.row(i);
    for (std::size_t j = 0; j < to.size(); ++j) {
      to[j] = -lambda_[i] * (to[j] + first[j]) - change[i] * second[j];
    }
  }
  add_balance_product(direction, product);
}

void Function::measure_balance(DenseView v) {
  if (problem_.balance == LabelBalance::none) return;
  sum_ = row_sum(v, {});
  const double eps = problem_.imbalance;
  if (problem_.balance == LabelBalance::total) {
    p_[0] = multipliers_[0] + rho_ * (dot(sum_, sum_) - eps * eps);
    active_[0] = p_[0] > 0 ? 1 : 0;
    p_[0] = std::max(0.0, p_[0]);
    return;
  }
  rows_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    rows_[i] = dot(v.row(i), sum_);
    const double moved = rows_[i] + multipliers_[i] / rho_;
    const double nearest = std::clamp(moved, -eps, eps);
    active_[i] = moved != nearest || eps == 0 ? 1 : 0;
    p_[i] = rho_ * (moved - nearest);
  }
}

double Function::balance_value() const {
  double sum = 0;
  for (std::size_t k = 0; k < p_.size(); ++k) {
    sum += (p_[k] * p_[k] - multipliers_[k] * multipliers_[k]) / (2 * rho_);
  }
  return sum;
}

void Function::add_balance_gradient(DenseView v, MutableDenseView gradient) const {
  if (problem_.balance == LabelBalance::total) {
    if (p_[0] == 0) return;
    for (std::size_t i = 0; i < n_; ++i) axpy(2 * p_[0], sum_, gradient.row(i));
  } else if (problem_.balance == LabelBalance::rows) {
    const std::vector<double> weighted_sum = row_sum(v, p_);
    for (std::size_t i = 0; i < n_; ++i) {
      axpy(p_[i], sum_, gradient.row(i));
      axpy(1, weighted_sum, gradient.row(i));
    }
  }
}

void Function::add_balance_product(DenseView direction, MutableDenseView product) const {
  if (problem_.balance == LabelBalance::none) return;
  const std::vector<double> moved_sum = row_sum(direction, {});
  if (problem_.balance == LabelBalance::total) {
    if (active_[0] == 0) return;
    const double change = 2 * rho_ * dot(sum_, moved_sum);  // of p
    for (std::size_t i = 0; i < n_; ++i) {
      axpy(2 * change, sum_, product.row(i));
      axpy(2 * p_[0], moved_sum, product.row(i));
    }
    return;
  }
  std::vector<double> change(n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    if (active_[i] == 0) continue;
    change[i] = rho_ * (dot(direction.row(i), sum_) + dot(v_.row(i), moved_sum));
  }
  std::vector<double> common = row_sum(direction, p_);
  axpy(1, row_sum(v_.view(), change), common);
  for (std::size_t i = 0; i < n_; ++i) {
    axpy(change[i], sum_, product.row(i));
    axpy(p_[i], moved_sum, product.row(i));
    axpy(1, common, product.row(i));
  }
}

LabelCertificate Function::certificate(DenseView v) const {
  LabelCertificate certificate{.lambda = lambda_, .diagonal = std::vector<double>(n_, 0.0)};
  if (problem_.balance != LabelBalance::none) certificate.balance = p_;
  const std::vector<double> weighted_sum =
      problem_.balance == LabelBalance::rows ? row_sum(v, p_) : std::vector<double>();
  for (std::size_t i = 0; i < n_; ++i) {
    // y_i = ((A - B) V)_i . v_i
    double y = 0.5 * lambda_[i] * dot(weighted_.row(i), v.row(i));
    if (problem_.balance == LabelBalance::total) y -= p_[0] * dot(sum_, v.row(i));
    if (problem_.balance == LabelBalance::rows) {
      y -= 0.5 * (p_[i] * dot(sum_, v.row(i)) + dot(weighted_sum, v.row(i)));
    }
    certificate.diagonal[i] = y;
  }
  return certificate;
}

double Function::excess() const {
  if (problem_.balance == LabelBalance::none) return 0;
  if (problem_.balance == LabelBalance::total) {
    return std::max(0.0, std::sqrt(dot(sum_, sum_)) - problem_.imbalance);
  }
  double worst = 0;
  for (const double c : rows_) worst = std::max(worst, std::abs(c) - problem_.imbalance);
  return worst;
}

double Function::balanced_share(double imbalance) const {
  if (problem_.balance == LabelBalance::none) return 1;
  if (problem_.balance == LabelBalance::total) {
    const double total = dot(sum_, sum_);
    return total > imbalance * imbalance ? imbalance * imbalance / total : 1;
  }
  double largest = 0;
  for (const double c : rows_) largest = std::max(largest, std::abs(c));
  return largest > imbalance ? imbalance / largest : 1;
}

double Function::spread_omega() {
  const auto points = static_cast<double>(n_);
  if (n_ == 1) return points;
  parallel_chunks(threads_, n_, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const double> kernel = problem_.matrix.row(i);
      const std::span<double> row = h_.row(i);
      for (std::size_t j = 0; j < n_; ++j) row[j] = -problem_.c / (points - 1) * kernel[j];
      row[i] = problem_.c * kernel[i];
    }
  });
  double bound = points;  // of omega at any matrix
  double mu = spread_smoothing;
  for (std::size_t round = 0; round < most_spread_rounds; ++round) {
    const UnitBoxQpReport report = qp_.solve(h_.view(), mu);
    bound = std::min(bound, report.value + report.gap);
    if (report.gap <= 4 * spread_smoothing * bound) break;
    mu = spread_smoothing * bound / points;
  }
  return bound;
}

}  // namespace maxmargin::label_saddle

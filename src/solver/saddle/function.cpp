// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, steps 2 to 4.
#include "solver/saddle/function.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

namespace maxmargin::saddle {

namespace {

/// Rows of the kernel in a chunk.
constexpr std::size_t chunk = 128;
/// Every diagonal entry of H grows by this share of itself, against the rounding of c K o W W'.
/// Neither omega() nor the certificate knows of it.
constexpr double ridge_share = 1e-11;

/// Barrier of anchor_omega, in relation to the value, and how often it is fitted to it.
constexpr double anchor_smoothing = 1e-2;
constexpr std::size_t most_anchor_rounds = 8;

}  // namespace

Function::Function(const Form& form, std::size_t threads, ProgressCallback on_progress)
    : form_(form),
      threads_(threads),
      mu_(1e-2),
      qp_(form.points(), {.context = {.threads = threads, .on_progress = std::move(on_progress)}}),
      constraints_(form),
      anchor_sides_(form.anchor_constraints()),
      h_(DenseMatrix::uninitialized(form.points(), form.points())),
      linear_(form.points(), 1.0),
      lambda_(form.points(), 0.0),
      diagonal_(form.rows().rows(), 0.0) {}

void Function::fit_storage(std::size_t columns) {
  if (v_.cols() == columns) return;
  v_ = DenseMatrix(form_.rows().rows(), columns);
  weighted_ = DenseMatrix(form_.points(), columns);
  image_ = DenseMatrix(form_.points(), columns);
  if (!form_.rows().is_identity()) points_ = DenseMatrix(form_.points(), columns);
}

void Function::form_matrix(DenseView w) {
  const std::size_t n = form_.points();
  parallel_chunks(threads_, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    const MutableDenseView rows = h_.view().middle_rows(begin, end);
    gemm(Transpose::no, Transpose::yes, form_.c(), w.middle_rows(begin, end), w, 0.0, rows);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const double> kernel = form_.kernel().row(i);
      const std::span<double> row = rows.row(i - begin);
      for (std::size_t j = 0; j < n; ++j) row[j] *= kernel[j];
      row[i] *= 1 + ridge_share;
    }
  });
}

double Function::evaluate(DenseView v, MutableDenseView gradient) {
  fit_storage(v.cols);
  for (std::size_t i = 0; i < v.rows; ++i) std::ranges::copy(v.row(i), v_.row(i).begin());
  const DenseView w = form_.rows().expand(v_.view(), w_);
  form_matrix(w);
  form_.linear(v, linear_);
  const UnitBoxQpReport inner = qp_.solve(h_.view(), mu_, linear_);
  std::ranges::copy(qp_.x(), lambda_.begin());
  form_.multiply(lambda_, w, weighted_.view(), scratch_, threads_);
  constraints_.measure(v, w);
  measure_omega(w);

  const MutableDenseView target = point_target(gradient);
  for (std::size_t i = 0; i < target.rows; ++i) {
    const std::span<const double> from = weighted_.row(i);
    const std::span<double> to = target.row(i);
    for (std::size_t j = 0; j < v.cols; ++j) to[j] = -lambda_[i] * from[j];
  }
  form_.add_point_part(constraints_.multipliers(), 2, v, w, target);
  form_.rows().pull_back(target, gradient);
  form_.add_row_part(lambda_, constraints_.multipliers(), 2, v, w, gradient);
  // The gradient is 2 (S - Diag(y)) V: its rows along V tell y.
  for (std::size_t i = 0; i < v.rows; ++i) diagonal_[i] = -0.5 * dot(gradient.row(i), v.row(i));
  return inner.smooth_value + constraints_.value();
}

void Function::measure_omega(DenseView w) {
  // a'l - 1/2 l'Gl and the gap that l's gradient leaves, G = c K o W W' without the ridge.
  omega_ = constraints_.objective();
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    const double l = lambda_[i];
    const double image = dot(w.row(i), weighted_.row(i));
    const double slope = linear_[i] - image;
    omega_ += l * (linear_[i] - 0.5 * image) + (slope < 0 ? -slope * l : slope * (1 - l));
  }
}

void Function::hessian_product(DenseView direction, MutableDenseView product) {
  const DenseView w = form_.rows().is_identity() ? v_.view() : w_.view();
  const DenseView moved = form_.rows().expand(direction, moved_);
  // The maximiser moves by dl with (H + D) dl = da - (c K o (Y W' + W Y')) l, D of the barrier, Y =
  // T X.
  form_.multiply(lambda_, moved, image_.view(), scratch_, threads_);
  std::vector<double> change(lambda_.size());
  form_.linear_change(v_.view(), direction, change);
  for (std::size_t i = 0; i < change.size(); ++i) {
    change[i] -= dot(moved.row(i), weighted_.row(i)) + dot(w.row(i), image_.row(i));
  }
  qp_.solve_hessian(h_.view(), change);
  std::vector<double> constraint_changes(form_.constraint_count(), 0.0);
  form_.constraint_changes(v_.view(), w, direction, moved, constraint_changes);
  const std::vector<double> p_change = constraints_.multiplier_changes(constraint_changes);

  const MutableDenseView target = point_target(product);
  form_.multiply(change, w, target, scratch_, threads_);
  for (std::size_t i = 0; i < target.rows; ++i) {
    const std::span<double> to = target.row(i);
    const std::span<const double> first = image_.row(i);
    const std::span<const double> second = weighted_.row(i);
    for (std::size_t j = 0; j < to.size(); ++j) {
      to[j] = -lambda_[i] * (to[j] + first[j]) - change[i] * second[j];
    }
  }
  form_.add_point_part(constraints_.multipliers(), 2, direction, moved, target);
  form_.add_point_part(p_change, 2, v_.view(), w, target);
  form_.rows().pull_back(target, product);
  form_.add_row_part(lambda_, constraints_.multipliers(), 2, direction, moved, product);
  form_.add_row_part(change, p_change, 2, v_.view(), w, product);
}

Certificate Function::certificate() const {
  const std::span<const double> p = constraints_.multipliers();
  return {.lambda = lambda_, .diagonal = diagonal_, .multipliers = {p.begin(), p.end()}};
}

double Function::omega_at(DenseView v) {
  const DenseView w = form_.rows().expand(v, w_);
  form_matrix(w);
  form_.linear(v, linear_);
  (void)qp_.solve(h_.view(), mu_, linear_);
  std::ranges::copy(qp_.x(), lambda_.begin());
  form_.multiply(lambda_, w, weighted_.view(), scratch_, threads_);
  measure_omega(w);
  return omega_;
}

double Function::anchor_omega() {
  const std::size_t n = form_.points();
  const auto points = static_cast<double>(n);
  parallel_chunks(threads_, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const double> kernel = form_.kernel().row(i);
      const std::span<double> row = h_.row(i);
      for (std::size_t j = 0; j < n; ++j) row[j] = form_.c() * form_.anchor_entry(i, j) * kernel[j];
    }
  });
  double bound = points;  // of omega at any matrix
  double mu = anchor_smoothing;
  for (std::size_t round = 0; round < most_anchor_rounds; ++round) {
    const UnitBoxQpReport report = qp_.solve(h_.view(), mu);
    bound = std::min(bound, report.value + report.gap);
    if (report.gap <= 4 * anchor_smoothing * bound) break;
    mu = anchor_smoothing * bound / points;
  }
  return bound;
}

}  // namespace maxmargin::saddle

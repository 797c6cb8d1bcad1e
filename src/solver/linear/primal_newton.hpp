// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/timer.hpp"
#include "solver/linear/finish.hpp"
#include "solver/linear/large_array.hpp"
#include "solver/linear/linear.hpp"
#include "solver/linear/primal_losses.hpp"

/// Newton's method for smooth losses. docs/algorithms/dual-coordinate-descent.md, second algorithm;
/// symbols and steps as there.
namespace maxmargin::linear {

/// One solve. Rows: a class of linear_rows.hpp; Loss: a type of primal_losses.hpp.
template <class Rows, class Loss>
class PrimalNewton {
 public:
  PrimalNewton(const LinearRisk& problem,
               const Rows& rows,
               const Loss& loss,
               const LinearOptions& options)
      : problem_(problem),
        rows_(rows),
        loss_(loss),
        options_(options),
        c_(problem.rows()),
        scores_(problem.rows(), 0.0),
        slopes_(problem.rows(), 0.0),
        direction_scores_(problem.rows(), 0.0),
        w_(problem.cols() + 1),
        gradient_(w_.size()),
        direction_(w_.size()),
        residual_(w_.size()),
        conjugate_(w_.size()),
        product_(w_.size()),
        diagonal_(w_.size()) {
    for (std::size_t i = 0; i < c_.size(); ++i) c_[i] = problem.upper(i);
  }

  [[nodiscard]] LinearSolution run(std::span<const double> start) {
    timer_.enter("solve");
    std::copy(start.begin(), start.end(), w_.data());
    if (!start.empty()) recompute_scores();
    for (;;) {
      differentiate();
      if (!std::isfinite(primal_) || !std::isfinite(gap_)) {
        return finish(Status::numerical_failure);
      }
      if (holds()) {
        recompute_scores();
        differentiate();
        if (holds()) return finish(Status::solved);
      }
      if (options_.max_iterations && steps_ >= *options_.max_iterations) {
        return finish(Status::iteration_limit);
      }
      find_direction();
      if (answer_ != Continue::yes) return finish(status_of(answer_));
      if (!advance()) return finish(Status::no_progress);
      ++steps_;
    }
  }

 private:
  /// s = X w.
  void recompute_scores() {
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] > 0) scores_[i] = rows_.dot(i, w_.data());
    }
  }

  /// Step 1: P, its gradient w - sum_i b_i x_i with b_i = -C_i loss'(s_i), and the gap, which is
  /// half the gradient's squared length.
  void differentiate() {
    std::copy_n(w_.data(), w_.size(), gradient_.data());
    bent_.clear();
    double loss = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == 0) continue;
      const Derivatives at = loss_.at(scores_[i], problem_.targets[i], c_[i]);
      loss += at.value;
      slopes_[i] = at.slope;
      if (at.curvature != 0) bent_.push_back({static_cast<std::uint32_t>(i), at.curvature});
      if (at.slope != 0) rows_.add(i, at.slope, gradient_.data());
    }
    if (problem_.bias == 0) gradient_.data()[w_.size() - 1] = 0;
    primal_ = loss + half_squared_norm(w_.span());
    gap_ = half_squared_norm(gradient_.span());
  }

  [[nodiscard]] bool holds() const {
    return relative_gap(primal_, primal_ - gap_) <= options_.tolerance;
  }

  /// Whether the Hessian is made in full: with short rows and few columns that costs as much as
  /// about four products with it row by row, and every product then next to nothing.
  [[nodiscard]] bool full_hessian_pays() const {
    constexpr double products = 4;
    double entries = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      const auto length = static_cast<double>(rows_.length(i));
      entries += length;
      pairs += length * (length + 1) / 2;
    }
    const auto width = static_cast<double>(w_.size());
    return pairs <= 2 * products * entries && width * width <= entries;
  }

  /// Brings the full Hessian to the present curvatures. Rows whose curvature is as it was, which is
  /// most of them under a squared loss, cost nothing; when many change it is made anew, which costs
  /// no more and leaves no rounding of what was taken off.
  void update_hessian() {
    const std::size_t d = w_.size();
    std::vector<double> curvatures(c_.size(), 0.0);
    for (const BentRow& bent : bent_) curvatures[bent.row] = bent.curvature;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (curvatures[i] != hessian_curvatures_[i]) ++changes;
    }
    if (2 * changes > bent_.size()) {
      std::fill(hessian_.begin(), hessian_.end(), 0.0);
      std::fill(hessian_curvatures_.begin(), hessian_curvatures_.end(), 0.0);
    }
    for (std::size_t i = 0; i < c_.size(); ++i) {
      const double change = curvatures[i] - hessian_curvatures_[i];
      if (change != 0) rows_.add_outer(i, change, hessian_.data());
    }
    hessian_curvatures_ = std::move(curvatures);
    for (std::size_t j = 1; j < d; ++j) {
      for (std::size_t k = 0; k < j; ++k) hessian_[j * d + k] = hessian_[k * d + j];
    }
  }

  /// out = (I + X' diag(curvatures) X) v; without a full Hessian in one pass over the rows, as a
  /// row is still in cache when it is added.
  void multiply(const LargeArray& v, LargeArray& out) {
    std::copy_n(v.data(), v.size(), out.data());
    if (!hessian_.empty()) {
      const std::size_t d = v.size();
      for (std::size_t k = 0; k < d; ++k) {
        const double* const row = hessian_.data() + k * d;
        for (std::size_t j = 0; j < d; ++j) out.data()[j] += v.data()[k] * row[j];
      }
      return;
    }
    for (const auto& [i, curvature] : bent_) {
      rows_.add(i, curvature * rows_.dot(i, v.data()), out.data());
    }
  }

  /// Step 2: the diagonal of the Hessian, the preconditioner.
  void find_diagonal() {
    std::fill_n(diagonal_.data(), diagonal_.size(), 1.0);
    if (!hessian_.empty()) {
      const std::size_t d = diagonal_.size();
      for (std::size_t j = 0; j < d; ++j) diagonal_.data()[j] += hessian_[j * d + j];
      return;
    }
    for (const auto& [i, curvature] : bent_) rows_.add_squares(i, curvature, diagonal_.data());
  }

  /// Steps 2 and 3: conjugate gradients for Hessian x direction = -gradient, to a tenth of the
  /// gradient's length or to where the tolerance would hold.
  void find_direction() {
    constexpr double forcing = 0.1;
    if (steps_ == 0 && full_hessian_pays()) {
      hessian_.assign(w_.size() * w_.size(), 0.0);
      hessian_curvatures_.assign(c_.size(), 0.0);
    }
    if (!hessian_.empty()) update_hessian();
    find_diagonal();
    const std::size_t d = w_.size();
    const double wanted = std::sqrt(options_.tolerance * std::abs(primal_));  // half of the gap
    const double enough = std::max(forcing * std::sqrt(2 * gap_), wanted);
    double* const p = direction_.data();
    double* const r = residual_.data();
    double* const q = conjugate_.data();
    direction_.clear();
    for (std::size_t j = 0; j < d; ++j) {
      r[j] = -gradient_.data()[j];
      q[j] = r[j] / diagonal_.data()[j];
    }
    double energy = dot(residual_, conjugate_);
    const std::size_t most = 10 * d + 100;
    for (std::size_t k = 0; k < most; ++k) {
      answer_ = options_.context.ask(progress());
      if (answer_ != Continue::yes) return;
      multiply(conjugate_, product_);
      const double curvature = dot(conjugate_, product_);
      if (!(curvature > 0)) break;
      const double length = energy / curvature;
      double left = 0;
      double next_energy = 0;
      for (std::size_t j = 0; j < d; ++j) {
        p[j] += length * q[j];
        r[j] -= length * product_.data()[j];
        left += r[j] * r[j];
        next_energy += r[j] * r[j] / diagonal_.data()[j];
      }
      if (std::sqrt(left) <= enough) break;
      const double mix = next_energy / energy;
      energy = next_energy;
      for (std::size_t j = 0; j < d; ++j) q[j] = r[j] / diagonal_.data()[j] + mix * q[j];
    }
  }

  /// Steps 4 and 5: the least point of P along the direction, by Newton's method on its slope
  /// within a bracket. False when P cannot be lowered any more.
  bool advance() {
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] > 0) direction_scores_[i] = rows_.dot(i, direction_.data());
    }
    const double first = dot(gradient_, direction_);
    if (!(first < 0)) return false;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double t = 1;
    for (int trial = 0; trial < 50; ++trial) {
      constexpr double accuracy = 0.01;
      const Derivatives at = slope_along(t);
      if (std::abs(at.slope) <= -accuracy * first) break;
      (at.slope < 0 ? low : high) = t;
      double next = at.curvature > 0 ? t - at.slope / at.curvature : high;
      if (!(next > low && next < high)) next = std::isfinite(high) ? (low + high) / 2 : 2 * t;
      if (next == t) break;
      t = next;
    }
    bool moved = false;
    for (std::size_t j = 0; j < w_.size(); ++j) {
      const double before = w_.data()[j];
      w_.data()[j] += t * direction_.data()[j];
      moved = moved || w_.data()[j] != before;
    }
    for (std::size_t i = 0; i < c_.size(); ++i) scores_[i] += t * direction_scores_[i];
    return moved;
  }

  /// Slope and curvature of t -> P(w + t direction).
  [[nodiscard]] Derivatives slope_along(double t) const {
    const double curvature = 2 * half_squared_norm(direction_.span());
    Derivatives sum{0, dot(w_, direction_) + t * curvature, curvature};
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == 0) continue;
      const double move = direction_scores_[i];
      const Derivatives at = loss_.at(scores_[i] + t * move, problem_.targets[i], c_[i]);
      sum.slope += at.slope * move;
      sum.curvature += at.curvature * move * move;
    }
    return sum;
  }

  [[nodiscard]] static double dot(const LargeArray& a, const LargeArray& b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a.data()[j] * b.data()[j];
    return sum;
  }

  [[nodiscard]] Progress progress() const {
    return {.phase = "Newton",
            .iteration = steps_,
            .max_iterations = options_.max_iterations,
            .primal_objective = primal_,
            .dual_objective = primal_ - gap_,
            .gap = relative_gap(primal_, primal_ - gap_),
            .target = options_.tolerance};
  }

  /// Step 6: the dual from scratch at b = -slopes.
  [[nodiscard]] LinearSolution finish(Status status) {
    LinearSolution solution;
    solution.coefficients.resize(c_.size());
    double terms = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == 0) continue;
      const double b = -slopes_[i];
      solution.coefficients[i] = b;
      if (b != 0) ++solution.support_vectors;
      terms += loss_.dual_term(b, problem_.targets[i], c_[i]);
    }
    double combination = 0;
    for (std::size_t j = 0; j < w_.size(); ++j) {
      const double value = w_.data()[j] - gradient_.data()[j];
      combination += value * value / 2;
    }
    if (status != Status::numerical_failure) {
      solution.report.primal_objective = primal_;
      solution.report.dual_objective = terms - combination;
    }
    const auto w = w_.span().first(problem_.components());
    solution.w.assign(w.begin(), w.end());
    close_report(solution.report, status, steps_, "Newton steps", options_.tolerance, timer_);
    return solution;
  }

  const LinearRisk& problem_;
  Rows rows_;
  Loss loss_;
  const LinearOptions& options_;
  PhaseTimer timer_ = {};
  /// One a row: C_i, score, slope of its loss, score of the direction.
  std::vector<double> c_;
  std::vector<double> scores_;
  std::vector<double> slopes_;
  std::vector<double> direction_scores_;
  /// Rows whose loss has a second derivative, with it: those the Hessian is made of.
  struct BentRow {
    std::uint32_t row;
    double curvature;
  };
  std::vector<BentRow> bent_ = {};
  /// X' diag(hessian_curvatures_) X, row by row; both empty where it is not made.
  std::vector<double> hessian_ = {};
  std::vector<double> hessian_curvatures_ = {};
  LargeArray w_;
  LargeArray gradient_;
  LargeArray direction_;
  LargeArray residual_;
  LargeArray conjugate_;
  LargeArray product_;
  LargeArray diagonal_;
  double primal_ = 0;
  double gap_ = 0;
  std::uint64_t steps_ = 0;
  Continue answer_ = Continue::yes;
};

}  // namespace maxmargin::linear

// SPDX-License-Identifier: Apache-2.0
//
// A trust region of Newton steps on matrices with unit rows (Absil, Baker and Gallivan 2007). The
// Hessian on the manifold takes a tangent direction X to
//
//   Proj( Hess f [X] - Diag(g_i . v_i) X ),
//
// g the gradient of f: the second term is the curvature of the spheres. Its sizes -g_i . v_i are
// also the scale of the rows, by which conjugate gradients are preconditioned.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "solver/saddle/unit_rows_geometry.hpp"
#include "solver/saddle/unit_rows_search.hpp"

namespace maxmargin::unit_rows {

namespace {

/// A step is taken when f falls by this share of what the model promises.
constexpr double least_ratio = 0.05;
/// Conjugate gradients stop at this share of the residual, and below it superlinearly.
constexpr double inner_share = 0.1;
/// Rows without curvature count as having this share of the mean one.
constexpr double least_row_scale = 1e-2;
/// Rounding of f that the comparison of decreases forgives, in units of eps |f|.
constexpr double forgiven_rounding = 1e3;
/// Steps between two questions of the callback within conjugate gradients.
constexpr std::size_t inner_period = 10;

class Search {
 public:
  Search(UnitRowsFunction& f,
         Point& point,
         const UnitRowsOptions& options,
         UnitRowsSolution& solution)
      : f_(f),
        point_(point),
        options_(options),
        solution_(solution),
        threads_(thread_count(options.context.threads)),
        rows_(point.v.rows()),
        cols_(point.v.cols()),
        largest_radius_(std::sqrt(static_cast<double>(rows_))),
        radius_(std::min(options.radius.value_or(largest_radius_ / 8), largest_radius_)),
        step_(rows_, cols_),
        image_(rows_, cols_),
        residual_(rows_, cols_),
        scaled_(rows_, cols_),
        direction_(rows_, cols_),
        product_(rows_, cols_),
        curvature_(rows_, 0.0),
        scale_(rows_, 1.0) {
    trial_.v = DenseMatrix(rows_, cols_);
  }

  void run() {
    solution_.status = Status::solved;
    while (point_.gradient_norm > options_.gradient_tolerance &&
           solution_.status == Status::solved) {
      if (solution_.iterations >= options_.max_iterations) {
        solution_.status = Status::iteration_limit;
        break;
      }
      find_curvatures();
      conjugate_gradients();
      if (was_stopped(solution_.status)) break;
      move();
    }
    solution_.radius = radius_;
  }

 private:
  void find_curvatures() {
    double sum = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      curvature_[i] = -dot(point_.gradient.row(i), point_.v.row(i));
      sum += std::abs(curvature_[i]);
    }
    const double mean = sum / static_cast<double>(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      scale_[i] = mean > 0 ? std::max(std::abs(curvature_[i]), least_row_scale * mean) / mean : 1.0;
    }
  }

  /// image = Hessian times direction, on the manifold.
  void apply_hessian(DenseView direction, MutableDenseView image) {
    f_.hessian_product(direction, image);
    ++solution_.hessian_products;
    for (std::size_t i = 0; i < rows_; ++i) axpy(curvature_[i], direction.row(i), image.row(i));
    project(point_.v.view(), image, threads_);
  }

  /// scaled = residual over the rows' scales.
  void precondition() {
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::span<const double> from = residual_.row(i);
      const std::span<double> to = scaled_.row(i);
      for (std::size_t j = 0; j < cols_; ++j) to[j] = from[j] / scale_[i];
    }
  }

  /// x.y in the norm of the preconditioner.
  [[nodiscard]] double scaled_inner(DenseView x, DenseView y) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows_; ++i) sum += scale_[i] * dot(x.row(i), y.row(i));
    return sum;
  }

  /// Steihaug and Toint: step_ lowers the model within the radius; image_ is its Hessian product.
  void conjugate_gradients() {
    std::ranges::fill(step_.values(), 0.0);
    std::ranges::fill(image_.values(), 0.0);
    std::ranges::copy(point_.tangent.values(), residual_.values().begin());
    precondition();
    std::ranges::copy(scaled_.values(), direction_.values().begin());
    scale(-1, direction_.view(), threads_);
    double along = inner(residual_.view(), scaled_.view(), threads_);
    const double first = std::sqrt(inner(residual_.view(), residual_.view(), threads_));
    const double wanted = first * std::min(inner_share, first / std::max(first_norm_, first));
    first_norm_ = std::max(first_norm_, first);
    double step_length = 0;  // squared, as the next two in the preconditioner's norm
    double step_direction = 0;
    double direction_length = along;
    on_boundary_ = false;
    for (std::size_t k = 0; k < options_.max_inner_iterations; ++k) {
      if (k > 0 && k % inner_period == 0 && stopped()) return;
      apply_hessian(direction_.view(), product_.view());
      const double curvature = inner(direction_.view(), product_.view(), threads_);
      const double size = along / curvature;
      const double next_length =
          step_length + 2 * size * step_direction + size * size * direction_length;
      if (!(curvature > 0) || next_length >= radius_ * radius_) {
        // To the boundary.
        const double root =
            std::sqrt(std::max(0.0,
                               step_direction * step_direction +
                                   direction_length * (radius_ * radius_ - step_length)));
        const double reach =
            direction_length > 0 ? (root - step_direction) / direction_length : 0.0;
        add(reach, direction_.view(), step_.view(), threads_);
        add(reach, product_.view(), image_.view(), threads_);
        on_boundary_ = true;
        return;
      }
      add(size, direction_.view(), step_.view(), threads_);
      add(size, product_.view(), image_.view(), threads_);
      add(size, product_.view(), residual_.view(), threads_);
      step_length = next_length;
      if (norm(residual_.view(), threads_) <= wanted) return;
      precondition();
      const double next = inner(residual_.view(), scaled_.view(), threads_);
      const double share = next / along;
      along = next;
      scale(share, direction_.view(), threads_);
      add(-1, scaled_.view(), direction_.view(), threads_);
      step_direction = share * (step_direction + size * direction_length);
      direction_length = along + share * share * direction_length;
    }
  }

  [[nodiscard]] bool stopped() {
    const Continue answer = options_.context.ask({.phase = "Newton step",
                                                  .iteration = solution_.iterations,
                                                  .primal_objective = point_.value,
                                                  .gap = point_.gradient_norm,
                                                  .target = options_.gradient_tolerance});
    if (answer == Continue::yes) return false;
    solution_.status = status_of(answer);
    return true;
  }

  /// Tries the step; takes it when f falls as promised; fits the radius.
  void move() {
    ++solution_.iterations;
    const double promised = -inner(point_.tangent.view(), step_.view(), threads_) -
                            0.5 * inner(step_.view(), image_.view(), threads_);
    if (!(promised > options_.value_tolerance * std::abs(point_.value))) {
      solution_.status = Status::no_progress;
      return;
    }
    if (stopped()) return;
    retract(point_.v.view(), 1, step_.view(), trial_.v.view(), threads_);
    measure(f_, trial_, threads_);
    ++solution_.evaluations;
    const double fall = point_.value - trial_.value;
    const double noise =
        forgiven_rounding * std::numeric_limits<double>::epsilon() * std::abs(point_.value);
    const double ratio = (fall + noise) / (promised + noise);
    const bool finite = std::isfinite(trial_.value) && std::isfinite(trial_.gradient_norm);
    // Within the noise a step counts that makes the gradient smaller.
    const bool taken =
        finite && ratio > least_ratio && (fall >= 0 || trial_.gradient_norm < point_.gradient_norm);
    if (!finite || !(ratio >= 0.25)) {
      radius_ = 0.25 * std::min(radius_, std::sqrt(scaled_inner(step_.view(), step_.view())));
    } else if (ratio > 0.75 && on_boundary_) {
      radius_ = std::min(2 * radius_, largest_radius_);
    }
    if (taken) {
      std::swap(point_, trial_);
    } else if (!stopped()) {
      measure(f_, point_, threads_);  // Hessian products are those of the last evaluation
      ++solution_.evaluations;
      if (radius_ < 1e-14 * largest_radius_) solution_.status = Status::no_progress;
    }
    if (solution_.status == Status::solved) (void)stopped();
  }

  UnitRowsFunction& f_;
  Point& point_;
  const UnitRowsOptions& options_;
  UnitRowsSolution& solution_;
  std::size_t threads_;
  std::size_t rows_;
  std::size_t cols_;
  double largest_radius_;
  double radius_;
  double first_norm_ = 0;  ///< the largest gradient so far
  bool on_boundary_ = false;
  DenseMatrix step_;
  DenseMatrix image_;
  DenseMatrix residual_;
  DenseMatrix scaled_;
  DenseMatrix direction_;
  DenseMatrix product_;
  std::vector<double> curvature_;
  std::vector<double> scale_;
  Point trial_;
};

}  // namespace

void search_trust_region(UnitRowsFunction& f,
                         Point& point,
                         const UnitRowsOptions& options,
                         UnitRowsSolution& solution) {
  Search(f, point, options, solution).run();
}

}  // namespace maxmargin::unit_rows

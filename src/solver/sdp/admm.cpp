// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-admm.md. Symbols: X, y, Z the iterate; sigma the penalty; V the point that is
// projected. Everything is in the scale of ScaledSdp.
#include "solver/sdp/admm.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "solver/sdp/proven_end.hpp"
#include "solver/sdp/rays.hpp"
#include "solver/sdp/scaled.hpp"

namespace maxmargin {

namespace {

constexpr std::uint64_t check_interval = 10;
constexpr std::uint64_t penalty_interval = 20;
constexpr std::uint64_t ray_interval = 100;
/// `solved_inaccurate` accepts this many times the tolerance at the iteration limit.
constexpr double inaccurate_factor = 10;

class Admm {
 public:
  Admm(const ScaledSdp& program, const SdpAdmmOptions& options, const SdpStart* start)
      : program_(program),
        options_(options),
        threads_(thread_count(options.context.threads)),
        gram_(program),
        cost_(program.cost()),
        x_(program.problem->zero_point()),
        z_(program.problem->zero_point()),
        y_(program.constraints(), 0.0),
        sigma_(options.penalty),
        rays_(program, options.context),
        end_(program, options.tolerance, options.context) {
    if (start == nullptr) return;
    if (!start->x.empty()) x_ = program.scaled_x(start->x);
    if (!start->z.empty()) z_ = program.scaled_z(start->z);
    if (!start->y.empty()) y_ = program.scaled_y(start->y);
  }

  void run(SdpSolution& solution) {
    for (std::uint64_t iteration = 1;; ++iteration) {
      solution.report.iterations = iteration;
      update_multipliers();  // step 1
      project();             // step 2
      measure();             // step 3
      try {
        if (is_finished(iteration, solution)) break;  // step 4
      } catch (const Stopped& stopped) {
        // In the midst of a proof.
        solution.report.status = status_of(stopped.answer());
        break;
      }
      relax();                                                 // step 5
      if (iteration % penalty_interval == 0) adapt_penalty();  // step 6
    }
    solution.x = program_.original_x(best_x_);
    solution.y = program_.original_y(best_y_);
    solution.z = program_.original_z(best_z_);
  }

 private:
  /// A A' y = A(C - Z - X / sigma) + b / sigma.
  void update_multipliers() {
    v_ = cost_;
    add_blocks(-1.0, z_, v_);
    add_blocks(-1 / sigma_, x_, v_);
    std::vector<double> rhs(y_.size());
    program_.apply(v_, rhs, threads_);
    axpy(1 / sigma_, program_.rhs, rhs);
    gram_.solve(rhs, y_);
  }

  /// V = C - A'y - X / sigma; Z is its part in the cone and sigma (Z - V) the new X.
  void project() {
    add_blocks(1.0, z_, v_);
    program_.add_adjoint(-1.0, y_, v_);
    parallel_chunks(
        threads_, v_.size(), 1, [&](std::size_t k, std::size_t /*begin*/, std::size_t /*end*/) {
          if (program_.blocks[k].is_vector()) {
            for (std::size_t j = 0; j < v_[k].cols(); ++j) {
              z_[k](0, j) = std::max(v_[k](0, j), 0.0);
            }
          } else {
            z_[k] = project_psd(v_[k].view());
          }
        });
    next_x_ = z_;
    add_blocks(-1.0, v_, next_x_);
    for (DenseMatrix& block : next_x_) {
      for (double& value : block.values()) value *= sigma_;
    }
  }

  void measure() {
    std::vector<double> misses(y_.size());
    program_.apply(next_x_, misses, threads_);
    axpy(-1.0, program_.rhs, misses);
    primal_ = program_.cost_of(next_x_);
    dual_ = dot(program_.rhs, y_);
    // C - A'y - Z = (X - new X) / sigma.
    BlockMatrix change = x_;
    add_blocks(-1.0, next_x_, change);
    const double dual_miss = frobenius(change) / sigma_;
    scaled_primal_miss_ = std::sqrt(dot(misses, misses));
    scaled_dual_miss_ = dual_miss;
    largest_miss_ = worst_of(program_.relative_gap(primal_, dual_),
                             program_.primal_infeasibility(misses),
                             program_.dual_infeasibility(dual_miss));
    if (best_y_.empty() || largest_miss_ < best_miss_) {
      best_miss_ = largest_miss_;
      best_x_ = next_x_;
      best_y_ = y_;
      best_z_ = z_;
    }
  }

  bool is_finished(std::uint64_t iteration, SdpSolution& solution) {
    SolveReport& report = solution.report;
    if (largest_miss_ <= end_.target() && end_.is_proven(y_, primal_, iteration)) {
      report.status = Status::solved;
      best_x_ = next_x_;
      best_y_ = end_.multipliers();
      best_z_ = end_.slack().value_or(z_);
      return true;
    }
    // Without a proof settle() calls it inaccurate.
    if (end_.is_out_of_patience(iteration)) {
      report.status = Status::solved;
      return true;
    }
    if (!std::isfinite(largest_miss_)) {
      report.status = Status::numerical_failure;
      report.message = "the iterate is not finite";
      return true;
    }
    if (iteration % ray_interval == 0 && has_ray(solution)) return true;
    if (iteration >= options_.max_iterations) {
      report.status = Status::iteration_limit;
      if (best_miss_ <= inaccurate_factor * options_.tolerance) {
        report.status = Status::solved_inaccurate;
        report.message = "gap and infeasibilities are within 10 times the tolerance";
      }
      return true;
    }
    if (iteration % check_interval != 0) return false;
    const Continue answer =
        options_.context.ask({.phase = "admm",
                              .iteration = iteration,
                              .max_iterations = options_.max_iterations,
                              .primal_objective = primal_ * program_.value_scale(),
                              .dual_objective = dual_ * program_.value_scale(),
                              .gap = largest_miss_,
                              .target = options_.tolerance});
    if (answer == Continue::yes) return false;
    report.status = status_of(answer);
    return true;
  }

  /// On an infeasible program the iterates drift for ever, and their drift is the proof.
  bool has_ray(SdpSolution& solution) {
    bool found = false;
    if (!old_y_.empty()) {
      std::vector<double> drift_y = y_;
      axpy(-1.0, old_y_, drift_y);
      BlockMatrix drift_x = next_x_;
      add_blocks(-1.0, old_x_, drift_x);
      found = (dot(program_.rhs, drift_y) > 0 && rays_.accept_dual(drift_y, solution)) ||
              (program_.cost_of(drift_x) < 0 && rays_.accept_primal(drift_x, solution));
    }
    old_y_ = y_;
    old_x_ = next_x_;
    return found;
  }

  void relax() {
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const std::span<double> old = x_[k].values();
      const std::span<const double> next = next_x_[k].values();
      for (std::size_t i = 0; i < old.size(); ++i) {
        old[i] += options_.relaxation * (next[i] - old[i]);
      }
    }
  }

  /// A large penalty pulls at the dual equations, a small one at the primal ones.
  void adapt_penalty() {
    if (!(scaled_primal_miss_ > 0) || !(scaled_dual_miss_ > 0)) return;
    const double ratio = std::sqrt(scaled_dual_miss_ / scaled_primal_miss_);
    if (ratio > 1 / 1.2 && ratio < 1.2) return;
    sigma_ = std::clamp(sigma_ * std::clamp(ratio, 1 / 1.5, 1.5), 1e-6, 1e6);
  }

  const ScaledSdp& program_;
  const SdpAdmmOptions& options_;
  std::size_t threads_;
  ConstraintGram gram_;
  BlockMatrix cost_;
  BlockMatrix x_;
  BlockMatrix z_;
  std::vector<double> y_;
  double sigma_;
  RaySearch rays_;
  ProvenEnd end_;

  BlockMatrix v_ = {};
  BlockMatrix next_x_ = {};
  double primal_ = 0;
  double dual_ = 0;
  double scaled_primal_miss_ = 0;
  double scaled_dual_miss_ = 0;
  double largest_miss_ = 0;

  double best_miss_ = 0;
  BlockMatrix best_x_ = {};
  std::vector<double> best_y_ = {};
  BlockMatrix best_z_ = {};
  std::vector<double> old_y_ = {};
  BlockMatrix old_x_ = {};
};

}  // namespace

void SdpAdmmOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap and infeasibilities at which it stops"},
               tolerance,
               NumberRule{"a number from 1e-10 to 0.1",
                          {.least = 1e-10, .most = 1e-1, .has_least = true, .has_most = true}});
  visit.whole({.name = "max-iterations", .help = "projections on the cone at most"},
              max_iterations,
              {.least = 1});
  visit.number({.name = "relaxation",
                .help = "over-relaxation of the multipliers; above 1 is usually faster"},
               relaxation,
               NumberRule{"a number above 0 and below 1.618", {.least = 0, .most = 1.618}});
  visit.number({.name = "penalty", .help = "penalty of the dual equations at the start; it adapts"},
               penalty,
               rules::positive);
}

SdpSolution solve_sdp_admm(const SdpProblem& problem,
                           const SdpAdmmOptions& options,
                           const SdpStart* start) {
  validate(options);
  check_start(problem, start);
  // X, Z, V, C, the new X, the best triple and the drift.
  constexpr std::size_t own_points = 10;
  const SdpNeeds needs{
      .phase = "admm", .tolerance = options.tolerance, .points = own_points + ProvenEnd::points};
  return solve_presolved(problem, needs, [&](const ScaledSdp& program, SdpSolution& solution) {
    Admm(program, options, start).run(solution);
  });
}

}  // namespace maxmargin

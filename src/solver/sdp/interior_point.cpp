// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-interior-point.md. Symbols: X, y, Z the iterate; mu = <X, Z> / n; Rd and rp
// the dual and primal misses; M the Schur complement. Everything is in the scale of ScaledSdp.
#include "solver/sdp/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "solver/sdp/cone_point.hpp"
#include "solver/sdp/proven_end.hpp"
#include "solver/sdp/rays.hpp"
#include "solver/sdp/scaled.hpp"
#include "solver/sdp/schur.hpp"

namespace maxmargin {

namespace {

/// Ends of runs that no longer improve.
constexpr double shortest_step = 1e-7;
constexpr int patience = 12;
/// `solved_inaccurate` accepts this many times the tolerance.
constexpr double inaccurate_factor = 1e3;

/// How far an iterate is from a solution, in the program's own scale.
struct Misses {
  double gap = 0;
  double primal = 0;
  double dual = 0;
  [[nodiscard]] double largest() const { return worst_of(gap, primal, dual); }
};

struct Direction {
  BlockMatrix x = {};
  std::vector<double> y = {};
  BlockMatrix z = {};
};

class InteriorPoint {
 public:
  InteriorPoint(const ScaledSdp& program,
                const SdpInteriorPointOptions& options,
                const SdpStart* start)
      : program_(program),
        options_(options),
        threads_(thread_count(options.context.threads)),
        cost_(program.cost()),
        x_(program, start_multiples(true), threads_),
        z_(program, start_multiples(false), threads_),
        y_(program.constraints(), 0.0),
        rays_(program, options.context),
        end_(program, options.tolerance, options.context) {
    if (start != nullptr) begin_at(*start);
    for (const SdpBlockRows& block : program.blocks) {
      order_ += static_cast<double>(block.size);
    }
  }

  void run(SdpSolution& solution) {
    for (std::uint64_t iteration = 0;; ++iteration) {
      solution.report.iterations = iteration;
      look();  // step 1
      try {
        if (is_finished(iteration, solution)) break;  // step 2
      } catch (const Stopped& stopped) {
        fail(status_of(stopped.answer()), "", solution);  // in the midst of a proof
        break;
      }
      if (!factor_schur()) {  // step 3
        fail(Status::numerical_failure, "the Schur complement has no Cholesky factor", solution);
        break;
      }
      const Direction predictor = solve_direction(0.0, nullptr);             // step 4
      const double sigma = centring(predictor);                              // step 5
      const Direction corrector = solve_direction(sigma * mu_, &predictor);  // step 6
      if (!move(corrector)) {                                                // step 7
        fail(Status::no_progress, "steps have become too short", solution);
        break;
      }
    }
    finish(solution);
  }

 private:
  /// X and Z start as multiples of the identity that are large against a solution (after Toh, Todd
  /// and Tutuncu's rule).
  [[nodiscard]] std::vector<double> start_multiples(bool primal) const {
    std::vector<double> multiples;
    for (std::size_t k = 0; k < program_.blocks.size(); ++k) {
      const SdpBlockRows& block = program_.blocks[k];
      const auto n = static_cast<double>(block.size);
      const double root = block.is_vector() ? 1.0 : std::sqrt(n);
      double largest = std::max(10.0, root);
      for (std::size_t r = 0; r < block.rows(); ++r) {
        double squares = 0;
        for (const SdpTerm& term : block.row(r)) squares += term.value * term.value;
        const double norm = std::sqrt(squares);
        const double b = std::abs(program_.rhs[block.constraint[r]]);
        largest = std::max(largest, primal ? root * (1 + b) / (1 + norm) : norm);
      }
      multiples.push_back(largest);
    }
    return multiples;
  }

  /// A start from outside, mixed with the identity so that it is well inside the cone.
  void begin_at(const SdpStart& start) {
    const auto mixed = [&](BlockMatrix point) {
      for (std::size_t k = 0; k < point.size(); ++k) {
        double size = 1e-3;
        for (const double value : point[k].values()) size = std::max(size, std::abs(value));
        const bool vector = program_.blocks[k].is_vector();
        for (std::size_t i = 0; i < point[k].cols(); ++i) point[k](vector ? 0 : i, i) += 0.1 * size;
      }
      return point;
    };
    // What is still outside the cone after that stays at the usual start.
    if (!start.x.empty()) (void)x_.set(mixed(program_.scaled_x(start.x)));
    if (!start.z.empty()) (void)z_.set(mixed(program_.scaled_z(start.z)));
    if (!start.y.empty()) y_ = program_.scaled_y(start.y);
  }

  void look() {
    const std::size_t m = program_.constraints();
    primal_miss_.resize(m);
    program_.apply(x_.point(), primal_miss_, threads_);
    for (std::size_t i = 0; i < m; ++i) primal_miss_[i] = program_.rhs[i] - primal_miss_[i];
    dual_miss_ = cost_;
    add_blocks(-1.0, z_.point(), dual_miss_);
    program_.add_adjoint(-1.0, y_, dual_miss_);
    mu_ = inner_product(x_.point(), z_.point()) / order_;
    primal_ = program_.cost_of(x_.point());
    dual_ = dot(program_.rhs, y_);
    misses_.gap = program_.relative_gap(primal_, dual_);
    misses_.primal = program_.primal_infeasibility(primal_miss_);
    misses_.dual = program_.dual_infeasibility(frobenius(dual_miss_));
    if (best_y_.empty() || misses_.largest() < best_misses_.largest()) {
      best_misses_ = misses_;
      best_x_ = x_.point();
      best_z_ = z_.point();
      best_y_ = y_;
      since_best_ = 0;
    } else {
      ++since_best_;
    }
  }

  bool is_finished(std::uint64_t iteration, SdpSolution& solution) {
    if (misses_.largest() <= end_.target() && end_.is_proven(y_, primal_, iteration)) {
      solution.report.status = Status::solved;
      best_x_ = x_.point();
      best_y_ = end_.multipliers();
      best_z_ = end_.slack().value_or(z_.point());
      return true;
    }
    if (has_ray(solution)) return true;
    if (!std::isfinite(misses_.largest())) {
      fail(Status::numerical_failure, "the iterate is not finite", solution);
      return true;
    }
    if (since_best_ >= patience) {
      fail(Status::no_progress, "the measures no longer fall", solution);
      return true;
    }
    if (iteration >= options_.max_iterations) {
      fail(Status::iteration_limit, "", solution);
      return true;
    }
    const Continue answer =
        options_.context.ask({.phase = "interior point",
                              .iteration = iteration,
                              .max_iterations = options_.max_iterations,
                              .primal_objective = primal_ * program_.value_scale(),
                              .dual_objective = dual_ * program_.value_scale(),
                              .gap = misses_.largest(),
                              .target = options_.tolerance});
    if (answer == Continue::yes) return false;
    fail(status_of(answer), "", solution);
    return true;
  }

  /// Objectives that run away are tried as rays.
  bool has_ray(SdpSolution& solution) {
    constexpr double far = 30;
    if (dual_ > far * (1 + std::abs(primal_))) {
      if (rays_.accept_dual(y_, solution)) return true;
    }
    return -primal_ > far * (1 + std::abs(dual_)) && rays_.accept_primal(x_.point(), solution);
  }

  bool factor_schur() {
    z_inverse_ = z_.inverse();
    for (int attempt = 0; attempt < 6; ++attempt) {
      DenseMatrix schur = schur_complement(program_, x_.point(), z_inverse_, threads_);
      for (std::size_t i = 0; i < schur.rows(); ++i) schur(i, i) *= 1 + ridge_;
      factor_ = BlockCholesky::factor(std::move(schur), threads_);
      if (factor_) return true;
      // Near the end rows that are all but dependent look so; the refinement makes up for it.
      ridge_ = std::max(1e-15, 30 * ridge_);
    }
    return false;
  }

  /// X S Z^-1 of every block, not yet symmetric, for a symmetric S.
  [[nodiscard]] BlockMatrix sandwich(const BlockMatrix& x, const BlockMatrix& s) const {
    BlockMatrix result(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t n = x[k].cols();
      result[k] = DenseMatrix(x[k].rows(), n);
      if (program_.blocks[k].is_vector()) {
        for (std::size_t j = 0; j < n; ++j) {
          result[k](0, j) = x[k](0, j) * s[k](0, j) * z_inverse_[k](0, j);
        }
        continue;
      }
      auto half = DenseMatrix::uninitialized(n, n);
      multiply(x[k], s[k], half, threads_);
      multiply(half, z_inverse_[k], result[k], threads_);
    }
    symmetrise(result);
    return result;
  }

  /// M v without M: A(X A'(v) Z^-1).
  void schur_times(std::span<const double> v, std::span<double> result) const {
    BlockMatrix s = program_.problem->zero_point();
    program_.add_adjoint(1.0, v, s);
    program_.apply(sandwich(x_.point(), s), result, threads_);
  }

  /// M dy = rhs by the factor, with refinement against M as an operator.
  [[nodiscard]] std::vector<double> solve_schur(const std::vector<double>& rhs) const {
    const auto solve = [&](std::vector<double>& b) {
      factor_->solve_rows({b.data(), 1, b.size(), b.size()}, threads_);
    };
    std::vector<double> dy = rhs;
    solve(dy);
    const double size = std::sqrt(dot(rhs, rhs));
    double last = std::numeric_limits<double>::infinity();
    std::vector<double> best = dy;
    for (int step = 0; step < 4; ++step) {
      std::vector<double> residual(rhs.size());
      schur_times(dy, residual);
      for (std::size_t i = 0; i < rhs.size(); ++i) residual[i] = rhs[i] - residual[i];
      const double miss = std::sqrt(dot(residual, residual));
      if (!(miss < last)) break;
      best = dy;
      if (miss <= 1e-13 * size || miss > 0.5 * last) break;
      last = miss;
      solve(residual);
      axpy(1.0, residual, dy);
    }
    return best;
  }

  /// The direction towards <X, Z> = target n; `predictor` adds the second-order term.
  Direction solve_direction(double target, const Direction* predictor) {
    // Linear part of the complementarity equation: X + dX = target Z^-1 - sym(X dZ Z^-1) - second.
    BlockMatrix constant = z_inverse_;
    for (DenseMatrix& block : constant) {
      for (double& value : block.values()) value *= target;
    }
    if (predictor != nullptr) {
      add_blocks(-1.0, sandwich(predictor->x, predictor->z), constant);
    }
    BlockMatrix moved = constant;
    add_blocks(-1.0, sandwich(x_.point(), dual_miss_), moved);
    std::vector<double> rhs(program_.constraints());
    program_.apply(moved, rhs, threads_);
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = program_.rhs[i] - rhs[i];

    Direction direction;
    direction.y = solve_schur(rhs);
    direction.z = dual_miss_;
    program_.add_adjoint(-1.0, direction.y, direction.z);
    direction.x = std::move(constant);
    add_blocks(-1.0, x_.point(), direction.x);
    add_blocks(-1.0, sandwich(x_.point(), direction.z), direction.x);
    return direction;
  }

  /// Mehrotra's choice: the better the predictor does, the less centring.
  double centring(const Direction& predictor) {
    const double primal_step = x_.longest_step(predictor.x, 1.0);
    const double dual_step = z_.longest_step(predictor.z, 1.0);
    BlockMatrix x = x_.point();
    BlockMatrix z = z_.point();
    add_blocks(primal_step, predictor.x, x);
    add_blocks(dual_step, predictor.z, z);
    const double reached = inner_product(x, z) / order_;
    const double shorter = std::min(primal_step, dual_step);
    const double exponent = mu_ > 1e-6 ? std::max(1.0, 3 * shorter * shorter) : 1.0;
    const double ratio = std::clamp(reached / mu_, 0.0, 1.0);
    return std::clamp(std::pow(ratio, exponent), 1e-6, 1.0);
  }

  bool move(const Direction& direction) {
    const double primal_limit = x_.longest_step(direction.x, 2.0);
    const double dual_limit = z_.longest_step(direction.z, 2.0);
    const double share = 0.9 + 0.09 * std::min({1.0, primal_limit, dual_limit});
    const double primal_step = advance(x_, direction.x, std::min(1.0, share * primal_limit));
    const double dual_step = advance(z_, direction.z, std::min(1.0, share * dual_limit));
    axpy(dual_step, direction.y, y_);
    return std::max(primal_step, dual_step) > shortest_step;
  }
  /// Moves as far as the Cholesky factors allow; the step made.
  static double advance(ConePoint& point, const BlockMatrix& direction, double step) {
    for (int attempt = 0; attempt < 20; ++attempt, step *= 0.7) {
      BlockMatrix next = point.point();
      add_blocks(step, direction, next);
      if (point.set(std::move(next))) return step;
    }
    return 0;
  }

  void fail(Status status, const std::string& message, SdpSolution& solution) const {
    solution.report.status = status;
    solution.report.message = message;
    if (status != Status::no_progress && status != Status::numerical_failure) return;
    if (end_.was_near()) {
      // Without a proof settle() calls it inaccurate.
      solution.report = {.iterations = solution.report.iterations};
      return;
    }
    if (best_misses_.largest() > inaccurate_factor * options_.tolerance) return;
    solution.report.status = Status::solved_inaccurate;
    solution.report.message += "; gap and infeasibilities are within 1000 times the tolerance";
  }

  void finish(SdpSolution& solution) const {
    solution.x = program_.original_x(best_x_);
    solution.y = program_.original_y(best_y_);
    solution.z = program_.original_z(best_z_);
  }

  const ScaledSdp& program_;
  const SdpInteriorPointOptions& options_;
  std::size_t threads_;
  BlockMatrix cost_;
  ConePoint x_;
  ConePoint z_;
  std::vector<double> y_;
  double order_ = 0;
  RaySearch rays_;
  ProvenEnd end_;

  std::vector<double> primal_miss_ = {};
  BlockMatrix dual_miss_ = {};
  double mu_ = 0;
  double primal_ = 0;
  double dual_ = 0;
  Misses misses_ = {};
  BlockMatrix z_inverse_ = {};
  std::optional<BlockCholesky> factor_ = std::nullopt;
  double ridge_ = 0;

  Misses best_misses_ = {};
  BlockMatrix best_x_ = {};
  std::vector<double> best_y_ = {};
  BlockMatrix best_z_ = {};
  int since_best_ = 0;
};

}  // namespace

void SdpInteriorPointOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap and infeasibilities at which it stops"},
               tolerance,
               NumberRule{"a number from 1e-12 to 0.1",
                          {.least = 1e-12, .most = 1e-1, .has_least = true, .has_most = true}});
  visit.whole({.name = "max-iterations", .help = "predictor-corrector steps at most"},
              max_iterations,
              {.least = 1});
}

SdpSolution solve_sdp_interior_point(const SdpProblem& problem,
                                     const SdpInteriorPointOptions& options,
                                     const SdpStart* start) {
  validate(options);
  check_start(problem, start);
  require_memory_for_numbers(problem.constraints(),
                             problem.constraints(),
                             "the Schur complement of the interior-point method");
  // X, Z, their directions, factors and inverses, and the best iterate.
  constexpr std::size_t own_points = 15;
  const SdpNeeds needs{.phase = "interior point",
                       .tolerance = options.tolerance,
                       .points = own_points + ProvenEnd::points};
  return solve_presolved(problem, needs, [&](const ScaledSdp& program, SdpSolution& solution) {
    InteriorPoint(program, options, start).run(solution);
  });
}

}  // namespace maxmargin

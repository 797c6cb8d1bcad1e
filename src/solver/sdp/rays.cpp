// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-interior-point.md, "Proofs of infeasibility".
#include "solver/sdp/rays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/blas.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "solver/sdp/cone_lift.hpp"
#include "solver/sdp/face.hpp"

namespace maxmargin {

namespace {

/// A ray that misses its cone or its equations by no more than this, in the scale of ScaledSdp, is
/// worth a second look and a word. It proves nothing by itself.
constexpr double ray_tolerance = 1e-8;
/// A ray that misses its cone by this share of its size may be moved into it.
constexpr double movable = 1e-2;
/// How far into the cone a ray is moved, as a share of its size: far above all rounding.
constexpr double room = 1e-7;
/// Rows of X whose diagonal is below this share of the largest are tried as 0.
constexpr std::array face_shares = {0.0, 1e-6, 1e-3};

/// The numbers rounded to multiples of `unit`. What a solver leaves of a ray's zeros, and of sums
/// that cancel, is gone then, and a ray near a simple one becomes it.
void round_to(double unit, std::span<double> numbers) {
  for (double& value : numbers) value = std::nearbyint(value / unit) * unit;
}
/// Shares of the largest number that rays are rounded to when they prove nothing as they are.
constexpr std::array ray_units = {0x1p-30, 0x1p-20, 0x1p-10};

bool has_rows(const SdpProblem& problem) {
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    if (!problem.constraint(i).empty()) return true;
  }
  return false;
}

bool is_near_cone(const SdpProblem& problem, const BlockMatrix& x, std::size_t threads) {
  return least_eigenvalue(problem, x, threads) >= -movable * frobenius(x);
}

/// X, of A(X) = 0 by this factor, moved into the cone of a face along A(X) = 0, for the largest
/// face where that is possible.
bool accept_on_face(const ScaledSdp& program,
                    const ConstraintGram& whole_gram,
                    const BlockMatrix& x,
                    double share,
                    const Context& context,
                    SdpSolution& solution) {
  ask_in_proof(context);
  const std::size_t threads = thread_count(context.threads);
  const Face face(*program.problem, x, share);
  if (share > 0 && face.is_whole()) return false;
  BlockMatrix part = face.part_of(x);
  const double margin = room * frobenius(part);
  if (!(margin > 0)) return false;
  // Most drifts are no rays, and a look costs less than the factor of the face's equations.
  if (has_rows(face.program()) && !is_near_cone(face.program(), part, threads)) return false;
  if (face.is_whole()) {
    auto lifted = lift_primal(program, whole_gram, std::move(part), margin, context);
    return lifted && accept_primal_ray(program, *lifted, solution, context);
  }
  const SdpPresolve presolved = presolve(face.program(), true);
  if (presolved.answer) {
    // No row is left there, so a direction of fall is a ray.
    const SdpSolution& answer = *presolved.answer;
    return answer.report.status == Status::dual_infeasible &&
           accept_primal_ray(program, face.whole_of(answer.primal_ray), solution, context);
  }
  const ScaledSdp& within = presolved.program;
  ask_in_proof(context);
  const ConstraintGram gram(within);
  part = homogeneous_part(within, gram, std::move(part), threads);
  if (!is_near_cone(face.program(), part, threads)) return false;
  auto lifted = lift_primal(within, gram, std::move(part), margin, context);
  return lifted && accept_primal_ray(program, face.whole_of(*lifted), solution, context);
}

}  // namespace

bool accept_dual_ray(const ScaledSdp& program,
                     std::span<const double> y,
                     SdpSolution& solution,
                     const Context& context) {
  const SdpProblem& problem = *program.problem;
  if (!std::ranges::all_of(y, [](double v) { return std::isfinite(v); })) return false;
  std::vector<double> ray(y.begin(), y.end());
  ask_in_proof(context);
  SdpRayProof proof = infeasibility_proof(problem, ray);
  const bool is_near =
      proof.value > 0 && (proof.proven || proof.violation * program.rhs_scale <= ray_tolerance);
  if (!is_near) return false;
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  for (const double unit : ray_units) {
    if (proof.proven) break;
    std::vector<double> rounded(y.begin(), y.end());
    round_to(unit * largest, rounded);
    ask_in_proof(context);
    const SdpRayProof again = infeasibility_proof(problem, rounded);
    if (!again.proven) continue;
    proof = again;
    ray = std::move(rounded);
  }
  double slope = 0;
  for (std::size_t i = 0; i < ray.size(); ++i) slope += ray[i] * problem.rhs()[i];
  for (double& value : ray) value /= slope;
  // The division rounds: what is handed out must be a proof itself.
  const bool is_proven = proof.proven && infeasibility_proof(problem, ray).proven;
  solution.dual_ray = std::move(ray);
  if (!is_proven) return false;
  solution.report.status = Status::primal_infeasible;
  solution.report.message = "no point is feasible: the multipliers of the answer are a proof";
  return true;
}

bool accept_primal_ray(const ScaledSdp& program,
                       const BlockMatrix& x,
                       SdpSolution& solution,
                       const Context& context) {
  const SdpProblem& problem = *program.problem;
  double largest = 0;
  for (const DenseMatrix& block : x) {
    for (const double value : block.values()) {
      if (!std::isfinite(value)) return false;
      largest = std::max(largest, std::abs(value));
    }
  }
  const double slope = inner(problem.cost(), x, problem);
  if (!(slope < 0)) return false;
  std::vector<double> image;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const std::span<const SdpEntry> row = problem.constraint(i);
    if (!row.empty()) image.push_back(inner(row, x, problem) / length_of(row));
  }
  if (norm(image) / -slope * program.cost_scale > ray_tolerance) return false;
  // Scaled by a power of two, which is exact.
  const double factor = std::exp2(-std::ceil(std::log2(-slope)));
  BlockMatrix ray;
  const auto scale_to = [&](double unit) {
    ray = x;
    for (std::size_t k = 0; k < ray.size(); ++k) {
      if (unit > 0) round_to(unit * largest, ray[k].values());
      for (double& value : ray[k].values()) value *= factor;
      if (!program.blocks[k].is_vector()) continue;
      for (double& value : ray[k].values()) value = std::max(value, 0.0);
    }
  };
  const auto prove = [&](double unit) {
    scale_to(unit);
    ask_in_proof(context);
    const SdpRayProof proof = unboundedness_proof(problem, ray);
    // A ray is rounded so that it meets its equations exactly, not to be further from them.
    return proof.proven && (unit == 0 || proof.violation == 0);
  };
  // Units that are powers of two keep sums of the rounded numbers exact.
  largest = std::exp2(std::ceil(std::log2(largest)));
  const bool is_proven = prove(0.0) || std::ranges::any_of(ray_units, prove);
  if (!is_proven) scale_to(0.0);
  solution.primal_ray = std::move(ray);
  if (!is_proven) return false;
  solution.report.status = Status::dual_infeasible;
  solution.report.message =
      "the dual has no feasible point: X of the answer is a direction that proves it";
  return true;
}

const ConstraintGram& RaySearch::gram() {
  if (!gram_) {
    ask_in_proof(*context_);
    gram_.emplace(*program_);
  }
  return *gram_;
}

bool RaySearch::accept_lifted(std::span<const double> y, SdpSolution& solution) {
  const double slope = dot(program_->rhs, y);
  if (!(slope > 0) || !std::isfinite(slope)) return false;
  std::vector<double> ray(y.begin(), y.end());
  for (double& value : ray) value /= slope;
  const BlockMatrix zero = program_->problem->zero_point();
  const BlockMatrix slack = slack_of(*program_, zero, ray);
  const double size = frobenius(slack);
  if (!(size > 0) || !std::isfinite(size)) return false;
  ask_in_proof(*context_);
  const double miss = -least_eigenvalue(*program_->problem, slack, threads_);
  // Bounds of X may prove it far outside the cone. Such multipliers are moved, too.
  const bool is_near = miss <= movable * size ||
                       infeasibility_proof(*program_->problem, program_->original_y(y)).proven;
  if (!is_near) return false;
  // The wider margin is reached sooner, the narrow one leaves more of b'y.
  const std::array margins = {std::max(2 * miss, room * size), room * size};
  return std::ranges::any_of(margins, [&](double margin) {
    const auto moved = lift_dual(*program_, gram(), zero, ray, margin, *context_);
    return moved && accept_dual_ray(*program_, program_->original_y(*moved), solution, *context_);
  });
}

// First where the proof needs neither bounds of X nor rounding to few digits.
bool RaySearch::accept_dual(std::span<const double> y, SdpSolution& solution) {
  return accept_lifted(y, solution) ||
         accept_dual_ray(*program_, program_->original_y(y), solution, *context_);
}

bool RaySearch::accept_primal(const BlockMatrix& x, SdpSolution& solution) {
  for (const DenseMatrix& block : x) {
    if (!std::ranges::all_of(block.values(), [](double v) { return std::isfinite(v); })) {
      return false;
    }
  }
  const BlockMatrix ray = homogeneous_part(*program_, gram(), x, threads_);
  if (!(program_->cost_of(ray) < 0)) return false;
  const auto is_proven_on_face = [&](double share) {
    return accept_on_face(*program_, gram(), ray, share, *context_, solution);
  };
  return std::ranges::any_of(face_shares, is_proven_on_face) ||
         accept_primal_ray(*program_, ray, solution, *context_);
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-interior-point.md, "From an answer to a proof".
#include "solver/sdp/cone_lift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"

namespace maxmargin {

namespace {

/// Projections at most, and operations of their eigenvalues at most (10 n^3 each).
constexpr std::size_t most_steps = 100;
constexpr double most_operations = 2e11;
/// A lift of which less than this share is left by the equations leads nowhere.
constexpr double least_share = 1e-14;

/// What brings all eigenvalues of a point up to a margin, and the least of them before.
struct Lift {
  BlockMatrix amount = {};
  double least = std::numeric_limits<double>::infinity();
};

/// sum over eigenvalues below the margin of (margin - lambda) v v'.
double lift_block(const DenseMatrix& block, double margin, DenseMatrix& amount) {
  EigenPairs pairs = eigen_symmetric(block.view());
  std::size_t below = 0;
  while (below < pairs.values.size() && pairs.values[below] < margin) ++below;
  if (below == 0) return pairs.values.front();
  DenseMatrix weighted(below, block.rows());
  for (std::size_t k = 0; k < below; ++k) {
    const std::span<const double> v = pairs.vectors.row(k);
    for (std::size_t i = 0; i < v.size(); ++i) {
      weighted(k, i) = (margin - pairs.values[k]) * v[i];
    }
  }
  gemm(Transpose::yes,
       Transpose::no,
       1.0,
       weighted.view(),
       pairs.vectors.view().middle_rows(0, below),
       0.0,
       amount.view());
  return pairs.values.front();
}

Lift lift_to(const ScaledSdp& program,
             const BlockMatrix& point,
             double margin,
             std::size_t threads) {
  Lift lift{.amount = program.problem->zero_point()};
  std::vector<double> least(point.size(), lift.least);
  parallel_chunks(
      threads, point.size(), 1, [&](std::size_t k, std::size_t /*begin*/, std::size_t /*end*/) {
        if (point[k].cols() == 0) return;
        if (!program.blocks[k].is_vector()) {
          least[k] = lift_block(point[k], margin, lift.amount[k]);
          return;
        }
        for (std::size_t j = 0; j < point[k].cols(); ++j) {
          least[k] = std::min(least[k], point[k](0, j));
          lift.amount[k](0, j) = std::max(0.0, margin - point[k](0, j));
        }
      });
  for (const double value : least) lift.least = std::min(lift.least, value);
  symmetrise(lift.amount);
  return lift;
}

std::size_t steps_for(const ScaledSdp& program) {
  double operations = 0;
  for (const SdpBlockRows& block : program.blocks) {
    const auto n = static_cast<double>(block.size);
    if (!block.is_vector()) operations += 10 * n * n * n;
  }
  const double affordable = most_operations / std::max(1.0, operations);
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::min(affordable, 1e6)), 4, most_steps);
}

}  // namespace

void ask_in_proof(const Context& context) {
  const Continue answer = context.ask({.phase = "proof"});
  if (answer != Continue::yes) throw Stopped(answer);
}

BlockMatrix slack_of(const ScaledSdp& program, const BlockMatrix& cost, std::span<const double> y) {
  BlockMatrix slack = cost;
  program.add_adjoint(-1.0, y, slack);
  return slack;
}

double least_eigenvalue(const SdpProblem& problem, const BlockMatrix& point, std::size_t threads) {
  std::vector<double> least(point.size(), std::numeric_limits<double>::infinity());
  parallel_chunks(
      threads, point.size(), 1, [&](std::size_t k, std::size_t /*begin*/, std::size_t /*end*/) {
        if (point[k].cols() == 0) return;
        // A third of the work of the vectors.
        const bool is_vector = problem.blocks()[k].cone == SdpCone::nonnegative;
        least[k] = is_vector ? std::ranges::min(point[k].values())
                             : eigenvalues_symmetric(point[k].view()).front();
      });
  return least.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(least);
}

// The step is that of extrapolated projections (Pierra): |lift|^2 / |its part along the
// equations|^2 of that part. It ends after finitely many steps where points inside the cone obey
// the equations.
std::optional<std::vector<double>> lift_dual(const ScaledSdp& program,
                                             const ConstraintGram& gram,
                                             const BlockMatrix& cost,
                                             std::vector<double> y,
                                             double margin,
                                             const Context& context) {
  const std::size_t threads = thread_count(context.threads);
  const std::size_t steps = steps_for(program);
  std::vector<double> image(y.size());
  for (std::size_t step = 0; step < steps; ++step) {
    ask_in_proof(context);
    const BlockMatrix slack = slack_of(program, cost, y);
    if (!std::isfinite(frobenius(slack))) return std::nullopt;
    const Lift lift = lift_to(program, slack, margin, threads);
    if (lift.least >= 0.5 * margin) return y;
    program.apply(lift.amount, image, threads);
    std::vector<double> move(y.size(), 0.0);
    gram.solve(image, move);
    const double squares = inner_product(lift.amount, lift.amount);
    const double along = dot(image, move);
    if (!(along > least_share * squares)) return std::nullopt;
    axpy(-squares / along, move, y);
  }
  return std::nullopt;
}

std::optional<BlockMatrix> lift_primal(const ScaledSdp& program,
                                       const ConstraintGram& gram,
                                       BlockMatrix x,
                                       double margin,
                                       const Context& context) {
  const std::size_t threads = thread_count(context.threads);
  const BlockMatrix fall = homogeneous_part(program, gram, program.cost(), threads);
  const double fall_squares = inner_product(fall, fall);
  const std::size_t steps = steps_for(program);
  for (std::size_t step = 0; step < steps; ++step) {
    ask_in_proof(context);
    if (!std::isfinite(frobenius(x))) return std::nullopt;
    const Lift lift = lift_to(program, x, margin, threads);
    if (lift.least >= 0.5 * margin) return x;
    BlockMatrix move = homogeneous_part(program, gram, lift.amount, threads);
    if (fall_squares > 0) add_blocks(-inner_product(move, fall) / fall_squares, fall, move);
    const double squares = inner_product(lift.amount, lift.amount);
    const double along = inner_product(move, move);
    if (!(along > least_share * squares)) return std::nullopt;
    add_blocks(squares / along, move, x);
    // What rounding leaves of A(X).
    x = homogeneous_part(program, gram, std::move(x), threads);
  }
  return std::nullopt;
}

}  // namespace maxmargin

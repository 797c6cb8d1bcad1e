// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/context.hpp"
#include "solver/sdp/scaled.hpp"

namespace maxmargin {

/// Takes `y` for a proof that no feasible point exists, or `x` that the dual has none (both in the
/// program's own scale): true, and status, message and ray filled in, when they, or they rounded,
/// are proven by the checks of problem/sdp/residuals.hpp. Otherwise false; a ray that comes near is
/// kept in the solution, for settle(). The context is asked between proofs: throws Stopped.
[[nodiscard]] bool accept_dual_ray(const ScaledSdp& program,
                                   std::span<const double> y,
                                   SdpSolution& solution,
                                   const Context& context = {});
[[nodiscard]] bool accept_primal_ray(const ScaledSdp& program,
                                     const BlockMatrix& x,
                                     SdpSolution& solution,
                                     const Context& context = {});

/// From the drift of an iteration that does not converge to a ray that is a proof:
/// docs/algorithms/sdp-interior-point.md, "Proofs of infeasibility".
class RaySearch {
 public:
  /// The context must outlive it.
  RaySearch(const ScaledSdp& program, const Context& context)
      : program_(&program), context_(&context), threads_(thread_count(context.threads)) {}
  /// The two above for rays in the scale of ScaledSdp, which are also moved to where they are
  /// proofs when they are near: y so that sum y_i A_i is in the cone with room for rounding, X on
  /// a face, where it is definite, so that A(X) = 0. Both throw Stopped.
  [[nodiscard]] bool accept_dual(std::span<const double> y, SdpSolution& solution);
  [[nodiscard]] bool accept_primal(const BlockMatrix& x, SdpSolution& solution);

 private:
  [[nodiscard]] const ConstraintGram& gram();
  [[nodiscard]] bool accept_lifted(std::span<const double> y, SdpSolution& solution);

  const ScaledSdp* program_;
  const Context* context_;
  std::size_t threads_;
  std::optional<ConstraintGram> gram_ = std::nullopt;
};

}  // namespace maxmargin

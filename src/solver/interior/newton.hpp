// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linalg/cholesky.hpp"
#include "solver/interior/scaled.hpp"

namespace maxmargin::interior {

/// The linear system of a step (docs/algorithms/interior-point.md, steps 3 and 4):
///
///   (K + diag(d)) db + A' dt = slopes,    A db = sums,
///
/// with K and A over the variables. Those with infinite d stand still.
class NewtonSystem {
 public:
  explicit NewtonSystem(ScaledProblem& problem);

  /// False when rounding leaves no positive definite matrix, or when it is told to stop.
  [[nodiscard]] bool factor(std::span<const double> d, const ProgressCallback& on_progress);
  /// Solves by the factors and refines until the residuals are rounding.
  void solve(std::span<const double> slopes,
             std::span<const double> sums,
             std::span<double> db,
             std::span<double> dt) const;

 private:
  /// v becomes (K + diag(d))^-1 v as far as the factors tell.
  void solve_variables(std::span<double> v) const;
  [[nodiscard]] bool factor_sums();
  [[nodiscard]] bool stands(std::size_t v) const noexcept;

  ScaledProblem& problem_;
  std::vector<double> d_ = {};
  std::vector<double> theta_ = {};           ///< one a row: 1 / sum of 1/d of its variables
  std::vector<std::uint32_t> softest_ = {};  ///< one a row: its variable of least d
  /// (K + diag(d))^-1 A', one row a group, and A times it, which is inverted.
  std::vector<std::vector<double>> through_ = {};
  Cholesky sums_ = {};
};

}  // namespace maxmargin::interior

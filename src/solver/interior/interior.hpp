// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/svm_dual.hpp"

/// A primal-dual interior point method for the dual of all margin machines:
/// docs/algorithms/interior-point.md.
namespace maxmargin {

/// The positive semidefinite matrix K of a problem, as the method sees it: it multiplies, and
/// solves systems with a diagonal added. Everything gives the same bits for any number of threads.
class InteriorMatrix {
 public:
  InteriorMatrix() = default;
  InteriorMatrix(const InteriorMatrix&) = delete;
  InteriorMatrix& operator=(const InteriorMatrix&) = delete;
  virtual ~InteriorMatrix();

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// K_ii, one a row.
  [[nodiscard]] virtual std::span<const double> diagonal() const noexcept = 0;
  /// values = K b.
  virtual void multiply(std::span<const double> b, std::span<double> values) const = 0;
  /// Prepares solve() for K + diag(theta), theta > 0; infinite where a row takes no part. False
  /// when rounding leaves no positive definite matrix, or when the progress callback says to stop.
  [[nodiscard]] virtual bool factor(std::span<const double> theta,
                                    const ProgressCallback& on_progress) = 0;
  /// right becomes the x with (K + diag(theta)) x = right, 0 where theta is infinite; up to
  /// rounding, which the caller repairs by refinement.
  virtual void solve(std::span<double> right) const = 0;
};

struct InteriorOptions {
  /// Stop at this relative duality gap; > 0.
  double tolerance = 1e-3;
  /// Steps at most; unset: as many as make progress.
  std::optional<std::uint64_t> max_steps = std::nullopt;
  Context context = {};
};

struct InteriorSolution {
  /// The signed coefficients, one a variable; within their bounds, and with the sums of the groups
  /// up to the rounding of one addition.
  std::vector<double> coefficients = {};
  /// One a group.
  std::vector<double> offsets = {};
  /// K times the coefficients, one a row.
  std::vector<double> values = {};
  std::uint64_t steps = 0;
  /// As the method measured them.
  double primal = 0;
  double dual = 0;
  /// solved: the gap is within the tolerance.
  Status status = Status::solved;
};

/// Minimises minus the dual of `problem`, whose own matrix is not read: `matrix` stands for it.
/// Requires a problem that is valid but for its matrix, in which every variable has a finite bound
/// and none that is infinite lacks a ridge.
[[nodiscard]] InteriorSolution solve_interior(const SvmDual& problem,
                                              InteriorMatrix& matrix,
                                              const InteriorOptions& options);

}  // namespace maxmargin

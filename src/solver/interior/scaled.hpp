// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/problem/svm_dual.hpp"
#include "solver/gap.hpp"
#include "solver/interior/interior.hpp"

namespace maxmargin::interior {

/// Objectives at a point, the best offsets for it and the function's values; in scaled numbers.
struct Measured {
  double primal = 0;
  double dual = 0;
  std::vector<double> offsets = {};
  /// K b, one a row.
  std::vector<double> values = {};
  /// In size: a dual above the primal is rounding.
  [[nodiscard]] double gap() const { return gap_size(primal, dual); }
};

/// A problem in numbers around 1 (docs/algorithms/interior-point.md, "Scaling"): every factor is a
/// power of two, so nothing is rounded, and data times a power of two gives the same numbers.
class ScaledProblem {
 public:
  ScaledProblem(const SvmDual& problem, InteriorMatrix& matrix);

  [[nodiscard]] std::size_t variables() const noexcept { return linear.size(); }
  [[nodiscard]] std::size_t rows() const noexcept { return matrix_.size(); }
  [[nodiscard]] std::size_t groups() const noexcept { return group_sum.size(); }
  /// Whether the variable can move at all.
  [[nodiscard]] bool is_open(std::size_t v) const noexcept { return lower[v] < upper[v]; }
  [[nodiscard]] double diagonal(std::size_t i) const noexcept {
    return matrix_.diagonal()[i] / matrix_unit_;
  }

  /// K times the sums of `b` over the variables of each row.
  void multiply(std::span<const double> b, std::span<double> values) const;
  [[nodiscard]] bool factor(std::span<const double> theta, const ProgressCallback& on_progress);
  void solve(std::span<double> right) const;
  [[nodiscard]] Measured measure(std::span<const double> b) const;
  /// Sum of b over the variables of the group.
  [[nodiscard]] double sum_of(std::span<const double> b, std::size_t g) const;

  /// To the caller's numbers.
  [[nodiscard]] double coefficient(double scaled) const noexcept { return scaled * unit_; }
  [[nodiscard]] double offset(double scaled) const noexcept { return scaled * linear_unit_; }
  [[nodiscard]] double objective(double scaled) const noexcept {
    return scaled * linear_unit_ * unit_;
  }

  // As in SvmDual, one entry a variable. Variables whose group leaves them one value have it as
  // both of their bounds.
  std::vector<double> linear = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  std::vector<double> ridge = {};
  std::vector<std::uint32_t> row = {};
  std::vector<std::uint32_t> group = {};
  std::vector<double> group_sum = {};
  /// Do several variables share a row?
  bool shared_rows = false;

 private:
  void fix_forced_groups();

  InteriorMatrix& matrix_;
  double matrix_unit_ = 1;  ///< what the matrix is divided by
  double unit_before_ = 1;  ///< the factor of it that vectors are divided by before a product
  double linear_unit_ = 1;  ///< what linear terms, values and offsets are divided by
  double unit_ = 1;         ///< what coefficients are divided by
  mutable std::vector<double> row_sums_ = {};
};

}  // namespace maxmargin::interior

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/verify/replay.hpp"
#include "model/verify/robust.hpp"

/// What the verifications of ramp and trimmed machines share; no training uses it.
namespace maxmargin {

/// A function in the space of the machine: its values on the rows, without offset, and |f|^2.
struct Replayed {
  std::vector<double> values = {};
  double squared_norm = 0;
};

/// One two-class problem with what the training says of it.
struct RobustReplay {
  std::vector<std::int8_t> signs;  ///< 0: not in this problem
  std::vector<double> costs;
  /// K(x_i, x_i) of the machine's space.
  std::vector<double> diagonal;
  bool free_offset = false;
  bool pushes_back = false;
  /// One of the two.
  std::optional<double> s = std::nullopt;
  double rho = 1;
  Replayed function = {};
  double offset = 0;
  /// What rounding may change of the function's values and of both squared norms.
  std::vector<double> value_errors = {};
  double norm_error = 0;
  /// Dual points and the functions they make: of the outliers, then of the stages.
  std::vector<std::vector<double>> points;
  std::vector<Replayed> of_points;

  [[nodiscard]] bool counts(std::size_t i) const { return signs[i] != 0 && costs[i] > 0; }
};

/// Adds robust objective, dual of the outliers as chosen and lower bound of one function.
void add_function(const RobustReplay& replay, TrainingReplay& checks, Certificate& sum);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/svm_dual.hpp"
#include "solver/smo/smo.hpp"
#include "solver/smo/state.hpp"

namespace maxmargin {

/// What else than the gap says of a run that it is over: docs/algorithms/smo.md, "Numerical notes
/// and failure modes". The state must live as long.
class SmoVerdicts {
 public:
  SmoVerdicts(const SvmDual& problem, const SmoOptions& options, const SmoState& state);

  /// Is the hard margin, if there is one, too narrow for steps on pairs?
  [[nodiscard]] bool has_narrow_margin() const;
  /// Without a linear term the optimum may be 0, to which no gap is small: are both objectives 0 in
  /// the problem's own scale?
  [[nodiscard]] bool is_zero(const SmoObjectives& objectives) const;
  /// Are the objectives, and even more so the gap, rounding beside the objective at zero, and has
  /// the gap ceased to shrink? To be asked once a working set.
  [[nodiscard]] bool is_lost_in_rounding(const SmoObjectives& objectives);
  /// Says so where the rounding of kernel values is larger than what is claimed.
  void doubt(const SmoObjectives& objectives, Status& status, std::string& message) const;

 private:
  [[nodiscard]] bool vanishes(const SmoObjectives& objectives) const;
  [[nodiscard]] double rounding() const;
  [[nodiscard]] double radius_around_origin() const;
  [[nodiscard]] double radius_around_first() const;

  const SvmDual& problem_;
  const SmoOptions& options_;
  const SmoState& state_;
  bool has_linear_term_;
  double unit_of_rows_ = std::numeric_limits<double>::epsilon();  ///< float or double
  double at_zero_ = 0;  ///< the objective at zero, but for infinite bounds
  double least_gap_ = std::numeric_limits<double>::infinity();
  std::size_t sets_lost_ = 0;  ///< since the least gap was last halved
};

}  // namespace maxmargin

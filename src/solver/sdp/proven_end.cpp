// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-interior-point.md, "From an answer to a proof".
#include "solver/sdp/proven_end.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "maxmargin/problem/sdp/residuals.hpp"
#include "solver/gap.hpp"

namespace maxmargin {

namespace {

/// Margins that are tried, each so many times the one before: the first is perhaps below what the
/// proof of a cone takes from the eigenvalues.
constexpr int margins = 4;
constexpr double margin_growth = 8;
/// A value and a bound that are nearer than this share of themselves leave no doubt that the value
/// is not 0.
constexpr double telling_gap = 0.5;

}  // namespace

ProvenEnd::Bound ProvenEnd::bound_of(const std::vector<double>& y, double value) const {
  ask_in_proof(*context_);
  const SdpLowerBound bound =
      certified_lower_bound(*program_->problem, program_->original_y(y), value);
  // Beside the scale of the program a value near 0 is as good as 0, unless it has digits of its
  // own.
  const double own_gap = gap_size(value, bound.value);
  return {
      .gap = own_gap < telling_gap ? own_gap : proven_gap(*program_->problem, value, bound.value),
      .is_feasible = bound.least_eigenvalue >= 0};
}

bool ProvenEnd::is_proven(const std::vector<double>& y, double primal, std::uint64_t step) {
  const double value = primal * program_->value_scale();
  if (bound_of(y, value).gap <= room * tolerance_) {
    multipliers_ = y;
    slack_.reset();
    return true;
  }
  if (is_proven_nearby(y, value)) return true;
  if (!first_try_) first_try_ = step;
  target_ *= 0.5;
  return false;
}

bool ProvenEnd::is_proven_nearby(const std::vector<double>& y, double value) {
  if (!gram_) {
    ask_in_proof(*context_);
    gram_.emplace(*program_);
  }
  const BlockMatrix cost = program_->cost();
  ask_in_proof(*context_);
  const double least = least_eigenvalue(*program_->problem, slack_of(*program_, cost, y), threads_);
  // Of the order of what rounding takes from the eigenvalues, where |C| is 1.
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * static_cast<double>(program_->problem->order());
  double margin = std::max(-2 * least, rounding);
  for (int attempt = 0; attempt < margins; ++attempt, margin *= margin_growth) {
    auto lifted = lift_dual(*program_, *gram_, cost, y, margin, *context_);
    if (!lifted) continue;
    const Bound bound = bound_of(*lifted, value);
    if (bound.gap <= room * tolerance_) {
      slack_ = slack_of(*program_, cost, *lifted);
      multipliers_ = std::move(*lifted);
      return true;
    }
    // More of a margin only costs more.
    if (bound.is_feasible) return false;
  }
  return false;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, "Numerical notes and failure modes"
#include "solver/smo/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// An optimum is zero when both objectives are below this share of the tolerance, in relation to
/// the largest |f|^2 / 2 that coefficients of this size could have.
constexpr double zero_share = 1e-4;
/// Objectives and a gap of these shares of the objective at zero may be the rounding of its terms.
constexpr double lost_size = 1e-13;
constexpr double lost_gap = 2e-14;
/// They are when so many working sets with such a gap have not halved it: large costs, too, make
/// the objective at zero large, and there the gap still closes.
constexpr std::size_t lost_sets = 30;
/// Objectives that are wrong by more than this share, or the tolerance, are none.
constexpr double worst_rounding = 1e-3;
/// Steps on pairs come near to a margin in about (radius / margin)^2 steps: below this share of the
/// radius the nearest points of the hulls are found otherwise.
constexpr double least_margin = 1e-5;

}  // namespace

SmoVerdicts::SmoVerdicts(const SvmDual& problem, const SmoOptions& options, const SmoState& state)
    : problem_(problem),
      options_(options),
      state_(state),
      has_linear_term_(std::ranges::any_of(problem.linear, [](double p) { return p != 0; })) {
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const double bound = std::max(std::abs(problem.lower[v]), std::abs(problem.upper[v]));
    if (std::isfinite(bound)) at_zero_ += bound * std::abs(problem.linear[v]);
  }
  if (holds_float(*problem.matrix)) unit_of_rows_ = std::numeric_limits<float>::epsilon();
}

double SmoVerdicts::radius_around_origin() const {
  return std::sqrt(std::max(0.0, std::ranges::max(problem_.matrix->diagonal())));
}

double SmoVerdicts::radius_around_first() const {
  // With an offset the data may lie anywhere: distances from one point count, not from the origin.
  const std::size_t first = 0;
  const RowBlock block = problem_.matrix->rows({&first, 1});
  const std::span<const double> diagonal = problem_.matrix->diagonal();
  double largest = 0;
  std::visit(
      [&](const auto& rows) {
        for (std::size_t i = 0; i < diagonal.size(); ++i) {
          const double product = static_cast<double>(rows.front()[i]);
          largest = std::max(largest, diagonal[0] + diagonal[i] - 2 * product);
        }
      },
      block.rows);
  return std::sqrt(largest);
}

bool SmoVerdicts::has_narrow_margin() const {
  if (!state_.has_hard_margin()) return false;
  // The dual is at most 1/2 |w|^2 of any w that separates with margins 1, that is 1/(2 margin^2).
  // No bound keeps the point from being scaled: its best multiple has the dual mass^2 / (2 norm).
  double mass = 0;
  double norm = 0;
  for (std::size_t v = 0; v < problem_.variables(); ++v) {
    mass -= problem_.linear[v] * state_.coefficients()[v];
    norm += state_.coefficients()[v] * state_.values()[problem_.row_of(v)];
  }
  const double radius = state_.pairs() ? radius_around_first() : radius_around_origin();
  // Below this the squared norm itself is rounding.
  constexpr double rounding = 4e-16;
  const double least = radius * radius * least_margin * least_margin +
                       rounding * std::ranges::max(problem_.matrix->diagonal());
  return mass > 0 && mass * mass * least > norm;
}

bool SmoVerdicts::is_zero(const SmoObjectives& objectives) const {
  return !options_.kkt_tolerance && vanishes(objectives);
}

bool SmoVerdicts::vanishes(const SmoObjectives& objectives) const {
  // Only a problem without a linear term has the optimum |f| = 0.
  if (has_linear_term_) return false;
  // No gap is small in relation to an optimum of zero. Both objectives are, in relation to what
  // |f|^2 / 2 could be.
  double mass = 0;
  for (const double b : state_.coefficients()) mass += std::abs(b);
  const double scale = 0.5 * mass * mass * std::ranges::max(problem_.matrix->diagonal());
  return objectives.size() <= zero_share * options_.tolerance * scale;
}

bool SmoVerdicts::is_lost_in_rounding(const SmoObjectives& objectives) {
  // Rounding may put the dual above the primal.
  const double gap = std::abs(objectives.primal - objectives.dual);
  const bool may_be = !options_.kkt_tolerance && std::isfinite(at_zero_) &&
                      objectives.size() <= lost_size * at_zero_ && gap <= lost_gap * at_zero_;
  if (!may_be) return false;
  if (gap <= 0.5 * least_gap_) {
    sets_lost_ = 0;
    least_gap_ = gap;
  }
  return ++sets_lost_ >= lost_sets;
}

double SmoVerdicts::rounding() const {
  std::vector<double> rows(problem_.matrix->size(), 0.0);
  for (std::size_t v = 0; v < problem_.variables(); ++v) {
    rows[problem_.row_of(v)] += state_.coefficients()[v];
  }
  const std::span<const double> diagonal = problem_.matrix->diagonal();
  // |K_ij| is at most sqrt(K_ii K_jj), and half a unit of that in the last place is wrong: the
  // squares of b_i b_j times that add up to the square of sum_i b_i^2 K_ii. What is added to a
  // value after the other rounds once for each.
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == 0) continue;
    sum += rows[i] * rows[i] * std::abs(diagonal[i]);
    ++count;
  }
  constexpr double unit = std::numeric_limits<double>::epsilon();
  return 0.5 * (unit_of_rows_ + unit * std::sqrt(count)) * sum;
}

void SmoVerdicts::doubt(const SmoObjectives& objectives,
                        Status& status,
                        std::string& message) const {
  // A hard margin that is missed has no finite primal.
  const double size =
      std::isfinite(objectives.primal) ? objectives.size() : std::abs(objectives.dual);
  // Of an optimum of zero rounding is all there is.
  if (status == Status::primal_infeasible || size == 0 || vanishes(objectives)) return;
  const double wrong = rounding() / size;
  if (wrong > std::max(options_.tolerance, worst_rounding)) {
    status = Status::numerical_failure;
    message =
        "the kernel values have lost the digits that tell the rows apart: move the data to the "
        "origin, scale the features, or take a smaller C";
  } else if (status == Status::solved && !options_.kkt_tolerance && wrong > options_.tolerance) {
    status = Status::solved_inaccurate;
    message = "the gap is within the tolerance, but the rounding of kernel values, about " +
              format_number(wrong, 2) + " of the objective, is not";
  }
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md
#include "maxmargin/problem/svm_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_length(std::size_t length, std::size_t wanted, const char* field) {
  require_field(length == wanted,
                std::string("SvmDual.") + field + ".size()",
                static_cast<double>(length),
                std::to_string(wanted));
}

/// The function's value on every row of the matrix, by plain double sums.
std::vector<double> values_of(const SvmDual& problem, std::span<const double> b) {
  std::vector<double> coefficient(problem.matrix->size(), 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) coefficient[problem.row_of(v)] += b[v];
  std::vector<double> values(coefficient.size(), 0.0);
  for (std::size_t i = 0; i < coefficient.size(); ++i) {
    if (coefficient[i] == 0) continue;
    const RowBlock block = problem.matrix->rows({&i, 1});
    std::visit(
        [&](const auto& rows) {
          for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] += coefficient[i] * static_cast<double>(rows.front()[j]);
          }
        },
        block.rows);
  }
  return values;
}

/// h_v(z) and where its maximum is taken.
struct Conjugate {
  double value;
  double at;
};
Conjugate conjugate(double lower, double upper, double ridge, double z) {
  double b = 0;
  if (ridge > 0) {
    b = std::clamp(z / ridge, lower, upper);
  } else if (z == 0) {
    return {0, std::clamp(0.0, lower, upper)};
  } else {
    b = z > 0 ? upper : lower;
  }
  if (b == 0) return {0, 0};
  return {b * z - 0.5 * ridge * b * b, b};
}

/// The variables of one group as a function of their offset t.
class OffsetCost {
 public:
  OffsetCost(const SvmDual& problem, std::span<const double> values, double sum)
      : problem_(problem), values_(values), sum_(sum) {}

  void add(std::size_t v) { members_.push_back(v); }

  [[nodiscard]] double at(double t) const {
    double cost = t * sum_;
    for (const std::size_t v : members_) cost += term(v, t).value;
    return cost;
  }
  /// The derivative from the right (it never falls).
  [[nodiscard]] double slope(double t) const {
    double slope = sum_;
    for (const std::size_t v : members_) slope -= term(v, t).at;
    return slope;
  }
  /// Every place where the cost may bend, sorted.
  [[nodiscard]] std::vector<double> breaks() const {
    std::vector<double> places;
    for (const std::size_t v : members_) {
      const double centre = -values_[problem_.row_of(v)] - problem_.linear[v];
      const double ridge = problem_.ridge.empty() ? 0.0 : problem_.ridge[v];
      for (const double bound : {problem_.lower[v], problem_.upper[v]}) {
        const double place = centre - (ridge > 0 ? ridge * bound : 0.0);
        if (std::isfinite(place)) places.push_back(place);
      }
    }
    std::ranges::sort(places);
    return places;
  }

 private:
  [[nodiscard]] Conjugate term(std::size_t v, double t) const {
    const double z = -values_[problem_.row_of(v)] - problem_.linear[v] - t;
    const double ridge = problem_.ridge.empty() ? 0.0 : problem_.ridge[v];
    return conjugate(problem_.lower[v], problem_.upper[v], ridge, z);
  }

  const SvmDual& problem_;
  std::span<const double> values_;
  double sum_;
  std::vector<std::size_t> members_;
};

/// A minimiser of the cost. It is convex and bends only at its breaks: bisect over them, then
/// follow the straight derivative between two neighbours.
double best_offset(const OffsetCost& cost) {
  const std::vector<double> breaks = cost.breaks();
  if (breaks.empty()) return 0;
  std::size_t low = 0;
  std::size_t high = breaks.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (cost.slope(breaks[middle]) < 0 ? low : high) = middle;
  }
  double best = breaks[low];
  double least = cost.at(best);
  const auto consider = [&](double t) {
    const double value = cost.at(t);
    if (!(value < least)) return;
    least = value;
    best = t;
  };
  consider(breaks[high]);
  // With ridges the derivative is a slanted line between the breaks, and beyond the last one.
  const double left = breaks[low];
  const double right = breaks[high];
  const double inner = 0.5 * (left + right);
  const double near = 0.5 * (left + inner);
  const double rise = cost.slope(inner) - cost.slope(near);
  if (rise > 0)
    consider(std::clamp(inner - cost.slope(inner) * (inner - near) / rise, left, right));
  for (const double step : {-1.0, 1.0}) {
    const double from = step < 0 ? breaks.front() : breaks.back();
    const double first = cost.slope(from + step);
    const double second = cost.slope(from + 2 * step) - first;
    if (second != 0) consider(from + step - first / second * step);
  }
  return best;
}

/// A hard margin: the primal point must be scaled until every constraint with an infinite bound
/// holds. The largest scale s with (f + t) >= -linear s (upper bound infinite) or <= (lower).
struct Scaled {
  double scale = 0;
  double offset = 0;
};
Scaled hard_scale(const SvmDual& problem, std::span<const double> values, bool has_offset) {
  double least_above = infinity;  // of f over variables with upper = inf
  double most_below = -infinity;  // of f over variables with lower = -inf
  for (std::size_t v = 0; v < problem.variables(); ++v) {
    const double f = values[problem.row_of(v)] / std::abs(problem.linear[v]);
    if (std::isinf(problem.upper[v])) least_above = std::min(least_above, f);
    if (std::isinf(problem.lower[v])) most_below = std::max(most_below, f);
  }
  Scaled result;
  if (has_offset && (std::isinf(least_above) || std::isinf(most_below))) {
    // One side alone: the offset by itself keeps every margin.
    return {.scale = 1, .offset = std::isinf(most_below) ? 1 - least_above : -1 - most_below};
  }
  if (has_offset) result.offset = -0.5 * (least_above + most_below);
  result.scale = std::min(least_above + result.offset, -(most_below + result.offset));
  return result;
}

}  // namespace

void SvmDual::describe(OptionVisitor& visit) {
  visit.check([this] {
    require(matrix != nullptr, "SvmDual.matrix is missing");
    const std::size_t count = variables();
    require_length(lower.size(), count, "lower");
    require_length(upper.size(), count, "upper");
    if (!ridge.empty()) require_length(ridge.size(), count, "ridge");
    if (!group.empty()) require_length(group.size(), count, "group");
    require_length(row.size(), row.empty() ? 0 : count, "row");
    if (row.empty()) require_length(count, matrix->size(), "linear");
    std::vector<double> least(group_sum.size(), 0.0);
    std::vector<double> most(group_sum.size(), 0.0);
    for (std::size_t v = 0; v < count; ++v) {
      const std::string name = "[" + std::to_string(v) + "]";
      require(row_of(v) < matrix->size(), "SvmDual.row" + name + " is not a row of the matrix");
      require_field(std::isfinite(linear[v]), "SvmDual.linear" + name, linear[v], "finite");
      require_field(lower[v] <= upper[v] && lower[v] < infinity && upper[v] > -infinity,
                    "SvmDual.lower" + name,
                    lower[v],
                    "at most the upper bound");
      if (!ridge.empty()) {
        require_field(ridge[v] >= 0 && ridge[v] < infinity,
                      "SvmDual.ridge" + name,
                      ridge[v],
                      "finite and >= 0");
      }
      if (group.empty()) continue;
      require(group[v] < group_sum.size(), "SvmDual.group" + name + " has no sum");
      least[group[v]] += lower[v];
      most[group[v]] += upper[v];
    }
    for (std::size_t g = 0; g < group_sum.size(); ++g) {
      const double slack = 1e-9 * std::abs(group_sum[g]);
      require_field(least[g] <= group_sum[g] + slack && group_sum[g] <= most[g] + slack,
                    "SvmDual.group_sum[" + std::to_string(g) + "]",
                    group_sum[g],
                    "within reach of the bounds");
    }
  });
}

SvmDualResiduals residuals(const SvmDual& problem, std::span<const double> b) {
  validate(problem);
  require_length(b.size(), problem.variables(), "b");
  const std::vector<double> values = values_of(problem, b);
  SvmDualResiduals result;
  double norm = 0;
  double penalty = 0;
  bool hard = false;
  std::vector<double> sums(problem.group_sum.size(), 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) {
    norm += b[v] * values[problem.row_of(v)];
    penalty += b[v] * problem.linear[v];
    if (!problem.ridge.empty()) penalty += 0.5 * problem.ridge[v] * b[v] * b[v];
    if (!problem.group.empty()) sums[problem.group[v]] += b[v];
    const double ridge = problem.ridge.empty() ? 0.0 : problem.ridge[v];
    hard = hard || (ridge == 0 && (std::isinf(problem.upper[v]) || std::isinf(problem.lower[v])));
    result.bound_violation =
        std::max({result.bound_violation, problem.lower[v] - b[v], b[v] - problem.upper[v]});
  }
  for (std::size_t g = 0; g < sums.size(); ++g) {
    result.sum_violation = std::max(result.sum_violation, std::abs(sums[g] - problem.group_sum[g]));
  }
  result.dual = -0.5 * norm - penalty;
  result.offsets.assign(sums.size(), 0.0);
  if (hard) {
    const Scaled scaled = hard_scale(problem, values, !sums.empty());
    std::ranges::fill(result.offsets, scaled.offset);
    result.primal = scaled.scale > 0 ? 0.5 * norm / (scaled.scale * scaled.scale) : infinity;
    return result;
  }
  result.primal = 0.5 * norm;
  std::vector<OffsetCost> groups;
  for (const double sum : problem.group_sum) groups.emplace_back(problem, values, sum);
  OffsetCost alone(problem, values, 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) {
    (problem.group.empty() ? alone : groups[problem.group[v]]).add(v);
  }
  if (problem.group.empty()) result.primal += alone.at(0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result.offsets[g] = best_offset(groups[g]);
    result.primal += groups[g].at(result.offsets[g]);
  }
  return result;
}

}  // namespace maxmargin

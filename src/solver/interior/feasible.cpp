// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace maxmargin::interior {

namespace {

/// How far a coefficient may move towards the missing part of a sum.
double room(const ScaledProblem& problem, std::span<const double> b, std::size_t v, bool up) {
  return up ? problem.upper[v] - b[v] : b[v] - problem.lower[v];
}

/// How much a coefficient means for the function, as a number > 0.
double curvature(const ScaledProblem& problem, std::size_t v) {
  const double own = problem.diagonal(problem.row[v]) + problem.ridge[v];
  return own > 0 ? own : 1;
}

/// Shares `missing` among coefficients in proportion to their distance from the nearest bound, so
/// that none at a bound leaves it, and to 1/K_vv, so that the function hardly changes; what some
/// have no room for is left.
void share_out(const ScaledProblem& problem,
               std::span<double> b,
               const std::vector<std::size_t>& members,
               double missing) {
  double total = 0;
  const auto part = [&](std::size_t v) {
    return std::min(problem.upper[v] - b[v], b[v] - problem.lower[v]) / curvature(problem, v);
  };
  for (const std::size_t v : members) total += part(v);
  if (!(total > 0) || !std::isfinite(total)) return;
  for (const std::size_t v : members) {
    b[v] = std::clamp(b[v] + part(v) * (missing / total), problem.lower[v], problem.upper[v]);
  }
}

/// Of the coefficients between their bounds that can take all of `missing` the one of least
/// curvature.
std::optional<std::size_t> least_felt(const ScaledProblem& problem,
                                      std::span<const double> b,
                                      const std::vector<std::size_t>& members,
                                      double missing) {
  std::optional<std::size_t> least;
  for (const std::size_t v : members) {
    const bool inside = b[v] > problem.lower[v] && b[v] < problem.upper[v];
    if (!inside || !(room(problem, b, v, missing > 0) > std::abs(missing))) continue;
    if (!least || curvature(problem, v) < curvature(problem, *least)) least = v;
  }
  return least;
}

}  // namespace

std::vector<double> moved_to_bounds(const ScaledProblem& problem,
                                    std::span<const double> b,
                                    const Measured& at,
                                    double share) {
  std::vector<double> moved(b.begin(), b.end());
  // Distances are kept by themselves: b may be beyond a bound by rounding.
  for (std::size_t v = 0; v < b.size(); ++v) {
    moved[v] = std::clamp(b[v], problem.lower[v], problem.upper[v]);
  }
  if (share == 0) return moved;
  for (std::size_t v = 0; v < b.size(); ++v) {
    if (!problem.is_open(v)) continue;
    const double offset = problem.group.empty() ? 0.0 : at.offsets[problem.group[v]];
    const double slope =
        at.values[problem.row[v]] + problem.linear[v] + offset + problem.ridge[v] * b[v];
    const double curvature = problem.diagonal(problem.row[v]) + problem.ridge[v];
    if ((b[v] - problem.lower[v]) * curvature <= share * slope) {
      moved[v] = problem.lower[v];
    } else if ((problem.upper[v] - b[v]) * curvature <= -share * slope) {
      moved[v] = problem.upper[v];
    }
  }
  return moved;
}

std::vector<double> grown(const ScaledProblem& problem, std::span<const double> b, double share) {
  std::vector<double> longer(b.begin(), b.end());
  for (std::size_t v = 0; v < b.size(); ++v) {
    longer[v] += share * b[v];
    if (!(longer[v] >= problem.lower[v] && longer[v] <= problem.upper[v])) return {};
  }
  if (std::ranges::any_of(problem.group_sum, [](double sum) { return sum != 0; })) return {};
  return longer;
}

void cancel_sides(const ScaledProblem& problem, std::span<double> b) {
  if (!problem.shared_rows) return;
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> first(problem.rows(), none);
  for (std::size_t v = 0; v < b.size(); ++v) {
    std::size_t& other = first[problem.row[v]];
    if (other == none) {
      other = v;
      continue;
    }
    if (!problem.group.empty() && problem.group[v] != problem.group[other]) continue;
    // Of the two the dearer one falls and the other grows.
    const bool falls = problem.linear[v] > problem.linear[other];
    const std::size_t down = falls ? v : other;
    const std::size_t up = falls ? other : v;
    const double common = std::min(b[down] - problem.lower[down], problem.upper[up] - b[up]);
    if (!std::isfinite(common)) continue;
    b[down] -= common;
    b[up] += common;
    if (b[down] < problem.lower[down]) b[down] = problem.lower[down];
    if (b[up] > problem.upper[up]) b[up] = problem.upper[up];
  }
}

void restore_sums(const ScaledProblem& problem, std::span<double> b) {
  for (std::size_t g = 0; g < problem.groups(); ++g) {
    std::vector<std::size_t> members;
    for (std::size_t v = 0; v < b.size(); ++v) {
      if (problem.group[v] == g && problem.is_open(v)) members.push_back(v);
    }
    const auto missing = [&] { return problem.group_sum[g] - problem.sum_of(b, g); };
    double size = 0;
    for (const std::size_t v : members) size += std::abs(b[v]);
    // To share out mere rounding would round all coefficients anew.
    const double rounding =
        static_cast<double>(members.size()) * std::numeric_limits<double>::epsilon() * size;
    constexpr int rounds = 3;
    for (int round = 0; round < rounds && std::abs(missing()) > rounding; ++round) {
      share_out(problem, b, members, missing());
    }
    // The rest, mostly rounding, to one between its bounds that means little, else to those with
    // most room.
    if (const std::optional<std::size_t> v = least_felt(problem, b, members, missing())) {
      b[*v] = std::clamp(b[*v] + missing(), problem.lower[*v], problem.upper[*v]);
      continue;
    }
    while (!members.empty() && missing() != 0) {
      const double rest = missing();
      const auto widest = std::ranges::max_element(
          members, {}, [&](std::size_t v) { return room(problem, b, v, rest > 0); });
      const double before = b[*widest];
      b[*widest] = std::clamp(before + rest, problem.lower[*widest], problem.upper[*widest]);
      // A sum in another order would round in another way: one attempt at what is mere rounding.
      const bool took_all =
          b[*widest] != problem.lower[*widest] && b[*widest] != problem.upper[*widest];
      if (b[*widest] == before || took_all) break;
      members.erase(widest);
    }
  }
}

}  // namespace maxmargin::interior

// SPDX-License-Identifier: Apache-2.0
//
// Upper bounds on the diagonal of X that single constraints imply.
#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/problem/sdp/residuals.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Bounds feed on one another; what matters in practice is there after two passes.
constexpr int passes = 4;

/// What a constraint times `sign` says about its positive diagonal entries.
class RowView {
 public:
  RowView(std::span<const SdpEntry> row, double rhs, double sign, const SdpBounds& bounds)
      : row_(row), rhs_(sign * rhs), sign_(sign) {
    for (const SdpEntry& entry : row) add(entry, bounds);
  }

  /// An upper bound on X_jj for a diagonal entry of this row; +inf when it gives none.
  [[nodiscard]] double diagonal_bound(const SdpEntry& entry) const {
    const double coefficient = sign_ * entry.value;
    if (coefficient <= 0 || least_rest_ == -infinity) return infinity;
    // rhs - least of the other terms: the entry's own least is 0, so it is in least_rest_ already.
    return std::max(0.0, rounded_up(rhs_ - least_rest_) / coefficient) * (1 + 4 * epsilon);
  }
  /// An upper bound on the trace of `block` when the row has all of its diagonal positive.
  [[nodiscard]] double trace_bound(std::uint32_t block, std::size_t size) const {
    double least = infinity;
    std::size_t found = 0;
    for (const SdpEntry& entry : row_) {
      if (entry.block != block || entry.row != entry.column) continue;
      least = std::min(least, sign_ * entry.value);
      ++found;
    }
    if (found < size || !(least > 0) || least_rest_ == -infinity) return infinity;
    return std::max(0.0, rounded_up(rhs_ - least_rest_) / least) * (1 + 4 * epsilon);
  }

 private:
  void add(const SdpEntry& entry, const SdpBounds& bounds) {
    const double coefficient = sign_ * entry.value;
    const std::vector<double>& u = bounds.diagonal[entry.block];
    double least = 0;
    if (entry.row != entry.column) {
      // |X_jk| <= sqrt(X_jj X_kk) <= (X_jj + X_kk) / 2, which is at most half the trace.
      const double size = std::min(std::sqrt(u[entry.row]) * std::sqrt(u[entry.column]),
                                   0.5 * bounds.trace[entry.block]);
      least = -2 * std::abs(coefficient) * size;
    } else if (coefficient < 0) {
      least = coefficient * u[entry.row];
    }
    // 0 x infinity: an entry known to be 0 beside one without a bound.
    if (std::isnan(least)) least = -infinity;
    least_rest_ += least;
    magnitude_ += std::abs(least);
  }
  [[nodiscard]] double rounded_up(double value) const {
    const double terms = static_cast<double>(row_.size()) + 4;
    return value + terms * epsilon * (std::abs(rhs_) + magnitude_);
  }

  std::span<const SdpEntry> row_;
  double rhs_;
  double sign_;
  double least_rest_ = 0;
  double magnitude_ = 0;
};

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum * (1 + epsilon * static_cast<double>(values.size()));
}

/// Bounds that fall as rows are looked at.
class Tightening {
 public:
  Tightening(const SdpProblem& problem, SdpBounds& bounds) : problem_(&problem), bounds_(&bounds) {}

  /// What <row, X> <= rhs says.
  void look_at(std::span<const SdpEntry> row, double rhs, double sign) {
    const RowView view(row, rhs, sign, *bounds_);
    std::uint32_t seen = std::numeric_limits<std::uint32_t>::max();
    for (const SdpEntry& entry : row) {
      if (entry.row != entry.column) continue;
      lower_to(bounds_->diagonal[entry.block][entry.row], view.diagonal_bound(entry));
      if (entry.block == seen) continue;
      seen = entry.block;
      lower_to(bounds_->trace[seen], view.trace_bound(seen, problem_->blocks()[seen].size));
    }
  }
  /// Traces from diagonals and the other way round.
  void look_at_traces() {
    for (std::size_t k = 0; k < bounds_->trace.size(); ++k) {
      lower_to(bounds_->trace[k], sum_of(bounds_->diagonal[k]));
      for (double& u : bounds_->diagonal[k]) lower_to(u, bounds_->trace[k]);
    }
  }
  /// Whether a bound fell by more than a little.
  [[nodiscard]] bool changed() const noexcept { return changed_; }

 private:
  void lower_to(double& bound, double candidate) {
    if (candidate >= bound) return;
    changed_ = changed_ || !(bound < infinity) || candidate < 0.99 * bound;
    bound = candidate;
  }

  const SdpProblem* problem_;
  SdpBounds* bounds_;
  bool changed_ = false;
};

}  // namespace

SdpBounds implied_bounds(const SdpProblem& problem, std::optional<double> value_at_most) {
  SdpBounds bounds;
  for (std::size_t k = 0; k < problem.blocks().size(); ++k) {
    const std::size_t n = problem.blocks()[k].size;
    bounds.trace.push_back(n == 0 ? 0.0 : problem.trace_bound(k).value_or(infinity));
    bounds.diagonal.emplace_back(n, bounds.trace.back());
  }
  for (int pass = 0; pass < passes; ++pass) {
    Tightening tightening(problem, bounds);
    if (value_at_most) tightening.look_at(problem.cost(), *value_at_most, 1.0);
    for (std::size_t i = 0; i < problem.constraints(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        tightening.look_at(problem.constraint(i), problem.rhs()[i], sign);
      }
    }
    tightening.look_at_traces();
    if (!tightening.changed()) break;
  }
  return bounds;
}

}  // namespace maxmargin

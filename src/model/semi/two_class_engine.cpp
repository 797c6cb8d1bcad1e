// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "The convex step"
#include "model/semi/two_class_engine.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "model/kernel/training.hpp"
#include "model/linear/training.hpp"
#include "solver/linear/centred_hinge.hpp"
#include "solver/linear/linear.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin {

namespace {

/// Signs that are never 0 and costs that are 0 instead.
struct CleanRows {
  std::vector<std::int8_t> signs;
  std::vector<double> costs;
};
CleanRows clean_rows(std::span<const std::int8_t> signs, std::span<const double> costs) {
  CleanRows rows{{signs.begin(), signs.end()}, {costs.begin(), costs.end()}};
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] != 0) continue;
    rows.signs[i] = 1;
    rows.costs[i] = 0;
  }
  return rows;
}

/// `b` moved within the bounds and, where the problem has an offset, to the sum 0: the surplus is
/// taken from all coefficients by what they have to give.
std::vector<double> feasible_start(const SvmDual& problem, std::span<const double> b) {
  std::vector<double> start(b.begin(), b.end());
  for (std::size_t v = 0; v < start.size(); ++v) {
    start[v] = std::clamp(start[v], problem.lower[v], problem.upper[v]);
  }
  if (problem.group.empty()) return start;
  const double surplus = std::accumulate(start.begin(), start.end(), 0.0);
  double room = 0;
  const auto& toward = surplus > 0 ? problem.lower : problem.upper;
  for (std::size_t v = 0; v < start.size(); ++v) room += start[v] - toward[v];
  if (surplus == 0 || room == 0) return start;
  // Both have the same sign, and 0 is within all bounds, so the share is at most 1.
  const double share = surplus / room;
  for (std::size_t v = 0; v < start.size(); ++v) {
    start[v] =
        std::clamp(start[v] - share * (start[v] - toward[v]), problem.lower[v], problem.upper[v]);
  }
  return start;
}

SmoSolution solve_from(const SvmDual& problem,
                       const TrainingControl& control,
                       double tolerance,
                       const TwoClassPoint* start) {
  SmoOptions options = smo_options(control, {});
  options.tolerance = tolerance;
  std::vector<double> first;
  if (start != nullptr) first = feasible_start(problem, start->dual);
  return solve_smo(problem, options, first);
}

class KernelEngine final : public TwoClassEngine {
 public:
  KernelEngine(const SymmetricMatrix& matrix, const TrainingControl& control)
      : matrix_(matrix), control_(control) {}

  [[nodiscard]] TwoClassPoint solve(std::span<const std::int8_t> signs,
                                    std::span<const double> costs,
                                    double tolerance,
                                    const TwoClassPoint* start) override {
    const CleanRows rows = clean_rows(signs, costs);
    const SvmDual problem = c_svc_dual(matrix_, rows.signs, rows.costs, {.c = 1});
    SmoSolution solution = solve_from(problem, control_, tolerance, start);
    TwoClassPoint point;
    point.offset = solution.offsets.front();
    for (std::size_t i = 0; i < signs.size(); ++i) {
      point.squared_norm += solution.coefficients[i] * solution.values[i];
    }
    point.values = std::move(solution.values);
    for (double& value : point.values) value += point.offset;
    point.coefficients = solution.coefficients;
    point.dual = std::move(solution.coefficients);
    point.report = std::move(solution.report);
    return point;
  }

 private:
  const SymmetricMatrix& matrix_;
  const TrainingControl& control_;
};

class BalancedKernelEngine final : public TwoClassEngine {
 public:
  BalancedKernelEngine(const CentredMatrix& matrix, double mean, const TrainingControl& control)
      : matrix_(matrix), mean_(mean), control_(control) {}

  [[nodiscard]] TwoClassPoint solve(std::span<const std::int8_t> signs,
                                    std::span<const double> costs,
                                    double tolerance,
                                    const TwoClassPoint* start) override {
    const CleanRows rows = clean_rows(signs, costs);
    SvmDual problem = c_svc_dual(matrix_, rows.signs, rows.costs, {.c = 1, .bias = false});
    // max(0, 1 - y (g + mean)): the known offset moves the margins.
    for (double& linear : problem.linear) linear += mean_;
    SmoSolution solution = solve_from(problem, control_, tolerance, start);
    TwoClassPoint point;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      point.squared_norm += solution.coefficients[i] * solution.values[i];
    }
    point.values = std::move(solution.values);
    for (double& value : point.values) value += mean_;
    uncentre(solution.coefficients, point);
    point.dual = std::move(solution.coefficients);
    point.report = std::move(solution.report);
    return point;
  }

 private:
  /// sum_i b_i (phi_i - m).(phi - m) + mean as an expansion in the plain kernel.
  void uncentre(const std::vector<double>& b, TwoClassPoint& point) const {
    const double sum = std::accumulate(b.begin(), b.end(), 0.0);
    point.coefficients = b;
    for (const std::size_t row : matrix_.origin()) {
      point.coefficients[row] -= sum / static_cast<double>(matrix_.origin().size());
    }
    point.offset = mean_ + sum * matrix_.grand_mean();
    for (std::size_t i = 0; i < b.size(); ++i) point.offset -= b[i] * matrix_.means()[i];
  }

  const CentredMatrix& matrix_;
  double mean_;
  const TrainingControl& control_;
};

/// What the two engines on the features share.
class FeatureEngine : public TwoClassEngine {
 public:
  FeatureEngine(const Examples& examples, const TrainingControl& control)
      : examples_(examples), control_(control) {}

 protected:
  [[nodiscard]] LinearOptions options(double tolerance) const {
    LinearOptions result = linear_options(control_, std::nullopt);
    result.tolerance = tolerance;
    return result;
  }
  [[nodiscard]] const Examples& examples() const { return examples_; }

  /// f of every row from w and offset.
  void fill_values(TwoClassPoint& point) const {
    point.values.resize(examples_.rows());
    parallel_chunks(thread_count(control_.context.threads),
                    examples_.rows(),
                    1024,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) {
                        point.values[i] = examples_.row(i).dot(point.w) + point.offset;
                      }
                    });
  }

 private:
  const Examples& examples_;
  const TrainingControl& control_;
};

class LinearEngine final : public FeatureEngine {
 public:
  using FeatureEngine::FeatureEngine;

  [[nodiscard]] TwoClassPoint solve(std::span<const std::int8_t> signs,
                                    std::span<const double> costs,
                                    double tolerance,
                                    const TwoClassPoint* start) override {
    const CleanRows rows = clean_rows(signs, costs);
    const std::vector<double> targets(rows.signs.begin(), rows.signs.end());
    const LinearRisk problem{.examples = matrix_of(examples()),
                             .targets = targets,
                             .weights = rows.costs,
                             .c = 1,
                             .bias = 1};
    LinearSolution solution = solve_dual_coordinate(
        problem, options(tolerance), start != nullptr ? start->dual : std::vector<double>{});
    TwoClassPoint point;
    for (const double weight : solution.w) point.squared_norm += weight * weight;
    point.offset = solution.w.back();
    solution.w.pop_back();
    point.w = std::move(solution.w);
    point.dual = std::move(solution.coefficients);
    point.report = std::move(solution.report);
    fill_values(point);
    return point;
  }
};

class BalancedLinearEngine final : public FeatureEngine {
 public:
  BalancedLinearEngine(const Examples& examples,
                       std::vector<double> centre,
                       double mean,
                       const TrainingControl& control)
      : FeatureEngine(examples, control), centre_(std::move(centre)), mean_(mean) {}

  [[nodiscard]] TwoClassPoint solve(std::span<const std::int8_t> signs,
                                    std::span<const double> costs,
                                    double tolerance,
                                    const TwoClassPoint* start) override {
    const CleanRows rows = clean_rows(signs, costs);
    const std::vector<double> targets(rows.signs.begin(), rows.signs.end());
    std::vector<double> margins;
    for (const double sign : targets) margins.push_back(1 - sign * mean_);
    const CentredHinge problem{.examples = matrix_of(examples()),
                               .centre = centre_,
                               .signs = targets,
                               .margins = margins,
                               .costs = rows.costs};
    CentredHingeSolution solution = solve_centred_hinge(
        problem, options(tolerance), start != nullptr ? start->dual : std::vector<double>{});
    TwoClassPoint point;
    for (const double weight : solution.w) point.squared_norm += weight * weight;
    point.offset =
        mean_ - std::inner_product(centre_.begin(), centre_.end(), solution.w.begin(), 0.0);
    point.w = std::move(solution.w);
    point.dual = std::move(solution.coefficients);
    point.report = std::move(solution.report);
    fill_values(point);
    return point;
  }

 private:
  std::vector<double> centre_;
  double mean_;
};

}  // namespace

std::unique_ptr<TwoClassEngine> kernel_engine(const SymmetricMatrix& matrix,
                                              const TrainingControl& control) {
  return std::make_unique<KernelEngine>(matrix, control);
}

std::unique_ptr<TwoClassEngine> balanced_kernel_engine(const CentredMatrix& matrix,
                                                       double mean,
                                                       const TrainingControl& control) {
  return std::make_unique<BalancedKernelEngine>(matrix, mean, control);
}

std::unique_ptr<TwoClassEngine> linear_engine(const Examples& examples,
                                              const TrainingControl& control) {
  return std::make_unique<LinearEngine>(examples, control);
}

std::unique_ptr<TwoClassEngine> balanced_linear_engine(const Examples& examples,
                                                       std::vector<double> centre,
                                                       double mean,
                                                       const TrainingControl& control) {
  return std::make_unique<BalancedLinearEngine>(examples, std::move(centre), mean, control);
}

}  // namespace maxmargin

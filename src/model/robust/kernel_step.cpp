// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, steps 2 and 3
#include "model/robust/kernel_step.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/problem/kernel_machines.hpp"

namespace maxmargin {

namespace {

constexpr int balancing_passes = 4;

}  // namespace

KernelStep::KernelStep(const SymmetricMatrix& matrix,
                       std::span<const std::int8_t> signs,
                       std::span<const double> costs,
                       bool bias,
                       bool pushes_back,
                       SmoOptions options)
    : signs_(signs),
      costs_(costs),
      pushes_back_(pushes_back),
      problem_(c_svc_dual(matrix, signs, costs, {.c = 1, .bias = bias})),
      options_(std::move(options)) {}

void KernelStep::set_boxes(std::span<const double> eta) {
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    const double pull = eta[i] * costs_[i];
    const double push = pushes_back_ ? costs_[i] - pull : 0.0;
    problem_.lower[i] = signs_[i] > 0 ? -push : -pull;
    problem_.upper[i] = signs_[i] > 0 ? pull : push;
  }
}

std::vector<double> KernelStep::fitted(std::vector<double> b,
                                       std::span<const double> values) const {
  double excess = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = std::clamp(b[i], problem_.lower[i], problem_.upper[i]);
    excess += b[i];
  }
  if (problem_.group.empty() || excess == 0) return b;
  // Large coefficients leave the rounding of their sum to small ones: the rest is looked at again.
  for (int pass = 0; pass < balancing_passes && excess != 0; ++pass) {
    balance(excess, values, b);
    excess = std::accumulate(b.begin(), b.end(), 0.0);
  }
  return b;
}

void KernelStep::balance(double excess,
                         std::span<const double> values,
                         std::vector<double>& b) const {
  // What has the least score gains most by falling, what has the largest by rising.
  std::vector<std::size_t> order(b.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double direction = excess > 0 ? 1 : -1;
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
    return direction * (signs_[i] - values[i]) < direction * (signs_[j] - values[j]);
  });
  for (const std::size_t i : order) {
    const double moved = std::clamp(b[i] - excess, problem_.lower[i], problem_.upper[i]);
    excess -= b[i] - moved;
    b[i] = moved;
    if (excess == 0) break;
  }
}

RobustPoint KernelStep::solve(std::span<const double> eta, const RobustPoint* start) {
  set_boxes(eta);
  const std::vector<double> first =
      start != nullptr ? fitted(start->coefficients, start->values) : std::vector<double>();
  SmoSolution solution = solve_machine(problem_, ConvexMethod::automatic, options_, first);
  RobustPoint point;
  point.offset = solution.offsets.empty() ? 0.0 : solution.offsets.front();
  for (std::size_t i = 0; i < solution.coefficients.size(); ++i) {
    point.squared_norm += solution.coefficients[i] * solution.values[i];
  }
  point.coefficients = std::move(solution.coefficients);
  point.values = std::move(solution.values);
  for (double& value : point.values) value += point.offset;
  point.dual = *solution.report.dual_objective;
  point.status = solution.report.status;
  point.message = std::move(solution.report.message);
  point.iterations = solution.report.iterations;
  return point;
}

HingeMachine KernelStep::solve_hinge(std::span<const double> costs) {
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    problem_.lower[i] = signs_[i] > 0 ? 0.0 : -costs[i];
    problem_.upper[i] = signs_[i] > 0 ? costs[i] : 0.0;
  }
  const std::vector<double> first =
      last_hinge_.empty() ? std::vector<double>() : fitted(last_hinge_, last_hinge_values_);
  SmoSolution solution = solve_machine(problem_, ConvexMethod::automatic, options_, first);
  last_hinge_ = solution.coefficients;
  last_hinge_values_ = solution.values;
  return {.coefficients = std::move(solution.coefficients),
          .values = std::move(solution.values),
          .dual = *solution.report.dual_objective,
          .stopped = was_stopped(solution.report.status)};
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/linear_risk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/loss/residual_loss.hpp"

namespace maxmargin {

namespace {

std::string in_row(std::string_view field, std::size_t i) {
  return "LinearRisk." + std::string(field) + "[" + std::to_string(i) + "]";
}

Row row_of(const LinearRisk& problem, std::size_t i) {
  if (const auto* sparse = std::get_if<SparseView>(&problem.examples)) return Row(sparse->row(i));
  return Row(std::get<DenseView>(problem.examples).row(i));
}

/// Adds v - v, which is 0 for a number and NaN otherwise, in lanes: the check then runs at the
/// speed of memory.
bool all_finite(std::span<const double> values) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums = {};
  const std::size_t whole = values.size() - values.size() % lanes;
  for (std::size_t k = 0; k < whole; k += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += values[k + lane] - values[k + lane];
    }
  }
  for (std::size_t k = whole; k < values.size(); ++k) sums[0] += values[k] - values[k];
  return std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; });
}

void require_finite_examples(const LinearRisk& problem) {
  bool finite = true;
  if (const auto* sparse = std::get_if<SparseView>(&problem.examples)) {
    finite = all_finite(sparse->values);
  } else {
    const auto& dense = std::get<DenseView>(problem.examples);
    for (std::size_t i = 0; i < dense.rows && finite; ++i) finite = all_finite(dense.row(i));
  }
  require(finite, "LinearRisk.examples holds a value that is not finite");
}

/// loss(score, target).
double loss_of(const LinearRisk& problem, double score, double target) {
  switch (problem.loss) {
    case LinearLoss::hinge:
      return Hinge{}.value(target * score);
    case LinearLoss::squared_hinge:
      return SquaredHinge{}.value(target * score);
    case LinearLoss::logistic:
      return Logistic{}.value(target * score);
    case LinearLoss::epsilon_insensitive:
      return EpsilonInsensitive{problem.epsilon}.value(score - target);
    case LinearLoss::squared_epsilon_insensitive:
      return SquaredEpsilonInsensitive{problem.epsilon}.value(score - target);
  }
  return 0;
}

/// The conjugate of the loss in the score, at u.
double conjugate_of(const LinearRisk& problem, double u, double target) {
  switch (problem.loss) {
    case LinearLoss::hinge:
      return Hinge{}.conjugate(target * u);
    case LinearLoss::squared_hinge:
      return SquaredHinge{}.conjugate(target * u);
    case LinearLoss::logistic:
      return Logistic{}.conjugate(target * u);
    case LinearLoss::epsilon_insensitive:
      return u * target + EpsilonInsensitive{problem.epsilon}.conjugate(u);
    case LinearLoss::squared_epsilon_insensitive:
      return u * target + SquaredEpsilonInsensitive{problem.epsilon}.conjugate(u);
  }
  return 0;
}

/// The nearest coefficient of the domain: y b in [0, C_i] or [0, inf), |b| <= C_i or any b.
double into_domain(const LinearRisk& problem, double b, double target, double upper) {
  switch (problem.loss) {
    case LinearLoss::hinge:
    case LinearLoss::logistic:
      return target * std::clamp(target * b, 0.0, upper);
    case LinearLoss::squared_hinge:
      return target * std::max(target * b, 0.0);
    case LinearLoss::epsilon_insensitive:
      return std::clamp(b, -upper, upper);
    case LinearLoss::squared_epsilon_insensitive:
      return b;
  }
  return b;
}

void require_rows(const LinearRisk& problem) {
  const std::size_t rows = problem.rows();
  require_field(problem.targets.size() == rows,
                "LinearRisk.targets.size()",
                static_cast<double>(problem.targets.size()),
                "the number of rows, " + std::to_string(rows));
  require_field(problem.weights.empty() || problem.weights.size() == rows,
                "LinearRisk.weights.size()",
                static_cast<double>(problem.weights.size()),
                "0 or the number of rows, " + std::to_string(rows));
  for (std::size_t i = 0; i < problem.weights.size(); ++i) {
    const double weight = problem.weights[i];
    if (std::isfinite(problem.c * weight) && weight >= 0) continue;
    require_field(false, in_row("weights", i), weight, "finite and >= 0, also times c");
  }
  const bool classes = is_classification(problem.loss);
  for (std::size_t i = 0; i < rows; ++i) {
    const double target = problem.targets[i];
    const bool unused = !problem.weights.empty() && problem.weights[i] == 0;
    const bool fits = classes ? std::abs(target) == 1 : std::isfinite(target);
    if (!fits && !unused) {
      require_field(false, in_row("targets", i), target, classes ? "+1 or -1" : "finite");
    }
  }
  require_finite_examples(problem);
}

}  // namespace

bool is_classification(LinearLoss loss) noexcept {
  return loss == LinearLoss::hinge || loss == LinearLoss::squared_hinge ||
         loss == LinearLoss::logistic;
}

bool is_smooth(LinearLoss loss) noexcept {
  return loss != LinearLoss::hinge && loss != LinearLoss::epsilon_insensitive;
}

std::size_t LinearRisk::rows() const noexcept {
  if (const auto* sparse = std::get_if<SparseView>(&examples)) return sparse->rows();
  return std::get_if<DenseView>(&examples)->rows;
}

std::size_t LinearRisk::cols() const noexcept {
  if (const auto* sparse = std::get_if<SparseView>(&examples)) return sparse->cols;
  return std::get_if<DenseView>(&examples)->cols;
}

void LinearRisk::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "C", .help = "weight of the losses; larger fits the rows closer"},
      c,
      NumberRule{"a finite number > 0 (the kernel machine with a linear kernel has hard margins)",
                 rules::positive.range});
  visit.name({.name = "loss", .help = "loss of a row"}, loss);
  visit.name({.name = "penalty", .help = "what is paid for the size of the weights"}, penalty);
  visit.rule(penalty == LinearPenalty::l2 || loss == LinearLoss::squared_hinge,
             "--penalty l1: must be l2 unless the loss is squared-hinge");
  if (!is_classification(loss)) {
    visit.number({.name = "epsilon", .help = "half the width of the tube without losses"},
                 epsilon,
                 rules::not_negative);
  }
  visit.number(
      {.name = "bias", .help = "value of a constant feature; 0: none"}, bias, rules::finite);
  visit.check([this] { require_rows(*this); });
}

LinearResiduals residuals(const LinearRisk& problem,
                          std::span<const double> w,
                          std::span<const double> b) {
  require(w.size() == problem.components(), "residuals: w has a wrong length");
  require(b.size() == problem.rows(), "residuals: b has a wrong length");
  const std::size_t d = problem.cols();
  LinearResiduals result;
  std::vector<double> combination(problem.components(), 0.0);
  double loss = 0;
  double conjugate = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double upper = problem.upper(i);
    if (upper == 0) {
      result.dual_violation = std::max(result.dual_violation, std::abs(b[i]));
      continue;
    }
    const Row x = row_of(problem, i);
    double score = x.dot(w.first(d));
    if (problem.bias != 0) score += problem.bias * w[d];
    loss += upper * loss_of(problem, score, problem.targets[i]);
    const double inside = into_domain(problem, b[i], problem.targets[i], upper);
    result.dual_violation = std::max(result.dual_violation, std::abs(inside - b[i]));
    conjugate += upper * conjugate_of(problem, -inside / upper, problem.targets[i]);
    x.axpy_into(inside, std::span(combination).first(d));
    if (problem.bias != 0) combination[d] += inside * problem.bias;
  }
  double size_of_w = 0;
  double size_of_combination = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (problem.penalty == LinearPenalty::l2) {
      size_of_w += w[j] * w[j] / 2;
      size_of_combination += combination[j] * combination[j] / 2;
    } else {
      size_of_w += std::abs(w[j]);
      result.dual_violation = std::max(result.dual_violation, std::abs(combination[j]) - 1);
    }
  }
  result.primal = size_of_w + loss;
  // In units of what is bounded: coefficients by C, with l1 sums of them by 1.
  const double rounding =
      1e-10 * (problem.penalty == LinearPenalty::l1 ? std::max(1.0, problem.c) : problem.c);
  result.dual = result.dual_violation > rounding ? -std::numeric_limits<double>::infinity()
                                                 : -size_of_combination - conjugate;
  return result;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/dual-coordinate-descent.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <cmath>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far the sums of a dual point may be beyond 1 before they are no rounding.
constexpr double most_beyond = 1e-6;

/// The problem of one linear function; targets are +1 and -1 for the losses of classes.
struct LinearTerms {
  LinearLoss loss;
  LinearPenalty penalty;
  double epsilon;
  double bias;
};

double loss_at(const LinearTerms& terms, double score, double target) {
  const double margin = target * score;
  const double shortfall = std::max(0.0, 1 - margin);
  const double miss = std::max(0.0, std::abs(score - target) - terms.epsilon);
  switch (terms.loss) {
    case LinearLoss::hinge:
      return shortfall;
    case LinearLoss::squared_hinge:
      return shortfall * shortfall;
    case LinearLoss::logistic:
      return std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
    case LinearLoss::epsilon_insensitive:
      return miss;
    case LinearLoss::squared_epsilon_insensitive:
      return miss * miss;
  }
  return 0;
}

/// What an error of the score may change of cost x loss.
double rounding_at(
    const LinearTerms& terms, double score, double target, double cost, double error) {
  const double shortfall =
      is_classification(terms.loss) ? 1 - target * score : std::abs(score - target) - terms.epsilon;
  switch (terms.loss) {
    case LinearLoss::hinge:
    case LinearLoss::epsilon_insensitive:
      return loss_rounding(cost, shortfall, error, false);
    case LinearLoss::squared_hinge:
    case LinearLoss::squared_epsilon_insensitive:
      return loss_rounding(cost, shortfall, error, true);
    case LinearLoss::logistic:
      return cost * error / (1 + std::exp(target * score - error));
  }
  return 0;
}

/// p ln p, 0 at 0 and, for rounding's sake, below.
double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0.0; }

/// What a row's coefficient adds to the dual: the least of cost x loss(s) - b s over scores s.
double gain_at(const LinearTerms& terms, double b, double target, double cost) {
  const double share = target * b / cost;
  switch (terms.loss) {
    case LinearLoss::hinge:
      return target * b;
    case LinearLoss::squared_hinge:
      return target * b - b * b / (4 * cost);
    case LinearLoss::logistic:
      return -cost * (entropy_term(share) + entropy_term(1 - share));
    case LinearLoss::epsilon_insensitive:
      return target * b - terms.epsilon * std::abs(b);
    case LinearLoss::squared_epsilon_insensitive:
      return target * b - terms.epsilon * std::abs(b) - b * b / (4 * cost);
  }
  return 0;
}

void check_coefficient(TrainingReplay& replay,
                       const LinearTerms& terms,
                       double b,
                       double target,
                       double cost,
                       std::size_t i) {
  switch (terms.loss) {
    case LinearLoss::hinge:
    case LinearLoss::logistic:
      return replay.check_bounds(target * b, 0.0, cost, i);
    case LinearLoss::squared_hinge:
      return replay.check_bounds(target * b, 0.0, infinity, i);
    case LinearLoss::epsilon_insensitive:
      return replay.check_bounds(b, -cost, cost, i);
    case LinearLoss::squared_epsilon_insensitive:
      return replay.check_bounds(b, -infinity, infinity, i);
  }
}

/// Adds the objectives of function f. A row of cost 0 is not there.
void add_linear_function(TrainingReplay& replay,
                         const LinearFunctions& functions,
                         std::size_t f,
                         const LinearTerms& terms,
                         std::span<const double> targets,
                         std::span<const double> costs,
                         std::span<const double> b,
                         VerifyWatch& watch) {
  const std::span<const double> w = functions.weights.row(f);
  const double bias_weight = replay.bias_weight(functions.offsets[f], terms.bias);
  const FunctionRounding rounding(functions, replay.examples());
  double moved = rounding.penalty(f) + rounding.penalty(b);
  std::vector<double> combination(w.size() + 1, 0.0);  // sum_i b_i x_i, the constant feature last
  double primal = 0;
  double dual = 0;
  for (std::size_t i = 0; i < replay.size(); ++i) {
    watch.spend(1 + replay.examples().values(i).size());
    if (!(costs[i] > 0)) {
      replay.check_bounds(b[i], 0.0, 0.0, i);
      continue;
    }
    check_coefficient(replay, terms, b[i], targets[i], costs[i], i);
    const Row x = replay.row(i);
    primal += costs[i] * loss_at(terms, dot(x, w) + functions.offsets[f], targets[i]);
    moved += rounding_at(
        terms, dot(x, w) + functions.offsets[f], targets[i], costs[i], rounding.value(i, f));
    dual += gain_at(terms, b[i], targets[i], costs[i]);
    add_multiple(x, b[i], combination);
    combination.back() += b[i] * terms.bias;
  }
  if (terms.penalty == LinearPenalty::l2) {
    primal += (plain_squared_norm(w) + bias_weight * bias_weight) / 2;
    dual -= plain_squared_norm(combination) / 2;
  } else {
    primal += std::abs(bias_weight);
    for (const double weight : w) primal += std::abs(weight);
    double largest = 1;
    for (const double value : combination) {
      if (!(std::abs(value) <= 1 + most_beyond)) {
        replay.complain("the dual coefficients weigh a feature beyond [-1, 1]");
      }
      largest = std::max(largest, std::abs(value));
    }
    // Sums of large coefficients round: divided by the largest they are a dual point for certain.
    if (largest > 1) {
      dual = 0;
      for (std::size_t i = 0; i < replay.size(); ++i) {
        if (costs[i] > 0) dual += gain_at(terms, b[i] / largest, targets[i], costs[i]);
      }
    }
  }
  replay.certificate.primal += primal;
  replay.certificate.dual += dual;
  replay.certificate.rounding += moved;
}

}  // namespace

Certificate verify_linear_svc(const Classifier& model,
                              const DualPoint& dual,
                              const Dataset& data,
                              const LinearSvcOptions& options) {
  const ClassificationTask task = task_of(model, data, options.class_weights);
  TrainingReplay replay(model.scaler, data);
  const LinearFunctions& functions = linear_functions(model.functions, replay);
  replay.require_point(dual, functions.offsets.size());
  const LinearTerms terms{.loss = options.loss,
                          .penalty = options.penalty,
                          .epsilon = 0,
                          .bias = options.bias ? options.bias_scale : 0.0};
  VerifyWatch watch(options.control.context);
  for (std::size_t f = 0; f < dual.size(); ++f) {
    const std::vector<std::int8_t> signs = model.code.labels_of(f, task.classes.of_row);
    const std::vector<double> targets(signs.begin(), signs.end());
    std::vector<double> costs(signs.size(), 0.0);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (signs[i] != 0) costs[i] = options.c * task.weights[i];
    }
    add_linear_function(replay, functions, f, terms, targets, costs, dual[f], watch);
  }
  return replay.certificate;
}

Certificate verify_linear_svr(const Regressor& model,
                              const DualPoint& dual,
                              const Dataset& data,
                              const LinearSvrOptions& options) {
  const RegressionTask task = regression_task(data);
  TrainingReplay replay(model.scaler, data);
  const LinearFunctions& functions = linear_functions(model.function, replay);
  require(functions.offsets.size() == 1, "the model has several functions");
  replay.require_point(dual, 1);
  std::vector<double> costs;
  for (const double weight : task.weights) costs.push_back(options.c * weight);
  const LinearTerms terms{.loss = options.loss,
                          .penalty = LinearPenalty::l2,
                          .epsilon = options.epsilon,
                          .bias = options.bias ? options.bias_scale : 0.0};
  VerifyWatch watch(options.control.context);
  add_linear_function(replay, functions, 0, terms, task.targets, costs, dual.front(), watch);
  return replay.certificate;
}

}  // namespace maxmargin

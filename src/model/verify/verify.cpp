// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, "Stopping and what the certificate proves"
#include "model/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

/// How far a bound or a sum may be missed: rounding, in relation to the sizes involved.
constexpr double slack = 1e-9;

/// A model beside its data: f without its offset on every row, for every function.
class Replay {
 public:
  Replay(const DecisionFunction& functions,
         const std::optional<Scaler>& scaler,
         const Dataset& data,
         const Context& context)
      : expansion_(expansion_of(functions)),
        examples_(scaler ? scaler->apply(data.examples) : data.examples),
        rounding_(expansion_, examples_) {
    const std::size_t vectors = expansion_.vectors.rows();
    require(expansion_.training_rows.size() == vectors,
            "the model does not say which rows its support vectors are");
    for (std::size_t k = 0; k < vectors; ++k) {
      const std::size_t row = expansion_.training_rows[k];
      require(row < examples_.rows(), "the model was trained on more rows than this data has");
      if (expansion_.vectors.row(k).squared_distance(examples_.row(row)) == 0) continue;
      complain("support vector " + std::to_string(k) + " is not row " + std::to_string(row) +
               " (from 0) of the data");
    }
    values_ = DenseMatrix(examples_.rows(), expansion_.offsets.size());
    const std::size_t width = std::max(examples_.cols(), expansion_.vectors.cols());
    const bool has_room = width <= context.memory_bytes() / 4 / sizeof(long double);
    if (std::holds_alternative<Linear>(expansion_.kernel) && has_room) {
      fill_by_weights(width, context);
    } else {
      fill_by_pairs(context);
    }
  }

  [[nodiscard]] const KernelExpansion& expansion() const { return expansion_; }
  [[nodiscard]] std::size_t rows() const { return examples_.rows(); }
  [[nodiscard]] std::size_t functions() const { return expansion_.offsets.size(); }
  [[nodiscard]] double value(std::size_t row, std::size_t f) const { return values_(row, f); }
  [[nodiscard]] double self(std::size_t row) const {
    return evaluate(expansion_.kernel, examples_.row(row), examples_.row(row));
  }

  /// The coefficient of every row in function f, and |f|^2.
  [[nodiscard]] std::vector<double> coefficients(std::size_t f) const {
    std::vector<double> result(rows(), 0.0);
    for (std::size_t k = 0; k < expansion_.training_rows.size(); ++k) {
      result[expansion_.training_rows[k]] += expansion_.coefficients(k, f);
    }
    return result;
  }
  [[nodiscard]] double squared_norm(std::size_t f) const {
    long double sum = 0;
    for (std::size_t k = 0; k < expansion_.training_rows.size(); ++k) {
      const long double coefficient = expansion_.coefficients(k, f);
      sum += coefficient * values_(expansion_.training_rows[k], f);
    }
    return static_cast<double>(sum);
  }

  /// Adds what rounding may change of a loss of f at row i with this cost.
  void round_loss(double cost, double shortfall, std::size_t i, std::size_t f, bool squared) {
    moved_ += loss_rounding(cost, shortfall, rounding_.value(i, f), squared);
  }
  void round_by(double moved) { moved_ += moved; }
  /// Adds what it may change of 1/2 |f|^2, times `factor`.
  void round_penalty(std::size_t f, double factor = 1) { moved_ += factor * rounding_.penalty(f); }

  void complain(const std::string& complaint) {
    if (complaint_.empty()) complaint_ = complaint;
  }
  /// Complains unless lower <= value <= upper, as far as rounding lets.
  void check_bounds(double value, double lower, double upper, std::size_t row) {
    const double room = slack * std::max(std::abs(lower), std::abs(upper));
    if (std::isfinite(room) ? value >= lower - room && value <= upper + room
                            : value >= lower && value <= upper) {
      return;
    }
    complain("the coefficient of row " + std::to_string(row) + " (from 0) is outside its bounds");
  }
  void check_sum(double sum, double wanted, double scale) {
    if (std::abs(sum - wanted) <= slack * scale) return;
    complain("the coefficients do not add up");
  }
  [[nodiscard]] Certificate certificate(double primal, double dual) const {
    return {.primal = primal, .dual = dual, .rounding = moved_, .complaint = complaint_};
  }

 private:
  static const KernelExpansion& expansion_of(const DecisionFunction& functions) {
    const auto* expansion = std::get_if<KernelExpansion>(&functions);
    require(expansion != nullptr, "the model is no kernel machine");
    return *expansion;
  }

  /// Of a linear kernel: sums of rows have the digits that sums of products of rows lose where
  /// features are raw. The weights of one function at a time, as wide data has many.
  void fill_by_weights(std::size_t width, const Context& context) {
    std::vector<long double> weights(width);
    for (std::size_t f = 0; f < functions(); ++f) {
      ask_in_verify(context);
      std::ranges::fill(weights, 0);
      for (std::size_t k = 0; k < expansion_.vectors.rows(); ++k) {
        const long double coefficient = expansion_.coefficients(k, f);
        if (coefficient == 0) continue;
        expansion_.vectors.row(k).for_each(
            [&](std::size_t j, double value) { weights[j] += coefficient * value; });
      }
      const auto fill = [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          long double sum = 0;
          examples_.row(i).for_each(
              [&](std::size_t j, double value) { sum += weights[j] * value; });
          values_(i, f) = static_cast<double>(sum);
        }
      };
      verify_chunks(context, examples_.rows(), fill);
    }
  }

  void fill_by_pairs(const Context& context) {
    verify_chunks(context, examples_.rows(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) fill_row(i);
    });
  }

  void fill_row(std::size_t i) {
    std::vector<long double> sums(functions(), 0);
    for (std::size_t k = 0; k < expansion_.vectors.rows(); ++k) {
      const long double entry =
          evaluate(expansion_.kernel, expansion_.vectors.row(k), examples_.row(i));
      for (std::size_t f = 0; f < functions(); ++f) {
        const double coefficient = expansion_.coefficients(k, f);
        if (coefficient != 0) sums[f] += coefficient * entry;
      }
    }
    for (std::size_t f = 0; f < functions(); ++f) values_(i, f) = static_cast<double>(sums[f]);
  }

  const KernelExpansion& expansion_;
  Examples examples_;
  FunctionRounding rounding_;
  double moved_ = 0;
  DenseMatrix values_;
  std::string complaint_;
};

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double total_magnitude(const std::vector<double>& values) {
  return std::accumulate(
      values.begin(), values.end(), 0.0, [](double sum, double v) { return sum + std::abs(v); });
}

/// Signs of a function's two-class problem with the weights of its rows.
struct TwoClasses {
  std::vector<std::int8_t> signs;
  double weight = 0;
};
TwoClasses two_classes(const Classifier& model, const ClassificationTask& task, std::size_t f) {
  TwoClasses result{.signs = model.code.labels_of(f, task.classes.of_row)};
  for (std::size_t i = 0; i < result.signs.size(); ++i) {
    if (result.signs[i] != 0) result.weight += task.weights[i];
  }
  return result;
}

ClassificationTask task_of(const Classifier& model,
                           const Dataset& data,
                           const MachineTerms& terms) {
  ClassificationTask task = classification_task(data, terms.class_weights, true);
  require(task.classes.names == model.classes, "the data has other classes than the model");
  return task;
}

/// The least of - budget rho + sum_i weight_i max(0, rho - margin_i) over rho: at the margin where
/// the weights below reach the budget.
double least_nu_cost(std::vector<std::pair<double, double>> margins, double budget) {
  std::ranges::sort(margins);
  double below = 0;
  double rho = 0;
  for (const auto& [margin, weight] : margins) {
    rho = margin;
    below += weight;
    if (below >= budget) break;
  }
  double cost = -budget * rho;
  for (const auto& [margin, weight] : margins) cost += weight * std::max(0.0, rho - margin);
  return cost;
}

/// 1/2 |w|^2 for a hard margin: scaled until the least margin is 1.
double hard_primal(double squared_norm, double least_margin) {
  return least_margin > 0 ? 0.5 * squared_norm / (least_margin * least_margin)
                          : std::numeric_limits<double>::infinity();
}

}  // namespace

Certificate verify_svc(const Classifier& model,
                       const Dataset& data,
                       const MachineTerms& terms,
                       const Context& context) {
  const ClassificationTask task = task_of(model, data, terms);
  Replay replay(model.functions, model.scaler, data, context);
  const bool hard = std::isinf(terms.c);
  double primal = 0;
  double dual = 0;
  for (std::size_t f = 0; f < replay.functions(); ++f) {
    const TwoClasses two = two_classes(model, task, f);
    const std::vector<double> b = replay.coefficients(f);
    const double norm = replay.squared_norm(f);
    double least_margin = std::numeric_limits<double>::infinity();
    dual -= 0.5 * norm;
    if (!hard) primal += 0.5 * norm;
    replay.round_penalty(f);
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double cost = task.weights[i] > 0 ? terms.c * task.weights[i] : 0.0;
      const bool squared = terms.slacks == SlackPower::two && !hard && cost > 0;
      const double most = squared ? std::numeric_limits<double>::infinity() : cost;
      const double alpha = two.signs[i] * b[i];
      replay.check_bounds(
          two.signs[i] == 0 ? std::abs(b[i]) : alpha, 0.0, two.signs[i] == 0 ? 0.0 : most, i);
      dual += alpha;
      if (squared) dual -= alpha * alpha / (4 * cost);
      if (two.signs[i] == 0 || cost == 0) continue;
      const double margin = two.signs[i] * (replay.value(i, f) + replay.expansion().offsets[f]);
      least_margin = std::min(least_margin, margin);
      const double loss = std::max(0.0, 1 - margin);
      if (!hard) primal += cost * (squared ? loss * loss : loss);
      if (!hard) replay.round_loss(cost, 1 - margin, i, f, squared);
    }
    if (terms.bias) replay.check_sum(total(b), 0.0, total_magnitude(b));
    if (hard) primal += hard_primal(norm, least_margin);
  }
  return replay.certificate(primal, dual);
}

Certificate verify_nu_svc(const Classifier& model,
                          const Dataset& data,
                          const MachineTerms& terms,
                          const Context& context) {
  const ClassificationTask task = task_of(model, data, terms);
  Replay replay(model.functions, model.scaler, data, context);
  double primal = 0;
  double dual = 0;
  for (std::size_t f = 0; f < replay.functions(); ++f) {
    const TwoClasses two = two_classes(model, task, f);
    std::vector<double> b = replay.coefficients(f);
    // The model holds the coefficients divided by rho (unless that was not positive); their sum is
    // known, so what they were divided by is, too.
    const double sum = total_magnitude(b);
    const double scale = sum > 0 ? terms.nu * two.weight / sum : 0.0;
    const double norm = replay.squared_norm(f) * scale * scale;
    std::vector<std::pair<double, double>> margins;  // with their weights
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] *= scale;
      replay.check_bounds(two.signs[i] == 0 ? std::abs(b[i]) : two.signs[i] * b[i],
                          0.0,
                          two.signs[i] == 0 ? 0.0 : task.weights[i],
                          i);
      if (two.signs[i] == 0) continue;
      const double value = replay.value(i, f) + replay.expansion().offsets[f];
      margins.emplace_back(two.signs[i] * scale * value, task.weights[i]);
      replay.round_loss(scale * std::min(task.weights[i], terms.nu * two.weight), 0, i, f, false);
    }
    dual -= 0.5 * norm;
    replay.round_penalty(f, scale * scale);
    primal += 0.5 * norm + least_nu_cost(std::move(margins), terms.nu * two.weight);
    replay.check_sum(total(b), 0.0, total_magnitude(b));
  }
  return replay.certificate(primal, dual);
}

Certificate verify_svr(const Regressor& model,
                       const Dataset& data,
                       const MachineTerms& terms,
                       const Context& context) {
  const RegressionTask task = regression_task(data);
  Replay replay(model.function, model.scaler, data, context);
  const std::vector<double> b = replay.coefficients(0);
  const double norm = replay.squared_norm(0);
  double primal = 0.5 * norm;
  double dual = -0.5 * norm;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double cost = terms.c * task.weights[i];
    replay.check_bounds(b[i], -cost, cost, i);
    dual += task.targets[i] * b[i] - terms.epsilon * std::abs(b[i]);
    const double miss =
        std::abs(replay.value(i, 0) + replay.expansion().offsets[0] - task.targets[i]);
    primal += cost * std::max(0.0, miss - terms.epsilon);
    replay.round_loss(cost, miss - terms.epsilon, i, 0, false);
  }
  replay.round_penalty(0);
  if (terms.bias) replay.check_sum(total(b), 0.0, total_magnitude(b));
  return replay.certificate(primal, dual);
}

Certificate verify_nu_svr(const Regressor& model,
                          const Dataset& data,
                          const MachineTerms& terms,
                          const Context& context) {
  const RegressionTask task = regression_task(data);
  Replay replay(model.function, model.scaler, data, context);
  const std::vector<double> b = replay.coefficients(0);
  const double norm = replay.squared_norm(0);
  const double budget = terms.c * terms.nu * total(task.weights);
  double primal = 0.5 * norm + budget * terms.epsilon;
  double dual = -0.5 * norm;
  double cancelled = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double cost = terms.c * task.weights[i];
    replay.check_bounds(b[i], -cost, cost, i);
    dual += task.targets[i] * b[i];
    const double miss =
        std::abs(replay.value(i, 0) + replay.expansion().offsets[0] - task.targets[i]);
    primal += cost * std::max(0.0, miss - terms.epsilon);
    replay.round_loss(cost, miss - terms.epsilon, i, 0, false);
    // Two coefficients of a row, each within its cost, may cancel but for their rounding.
    cancelled += 64 * std::numeric_limits<double>::epsilon() * cost;
  }
  replay.round_penalty(0);
  // Both sides of a row's tube may hold weight that cancels, so the budget is a bound.
  if (total_magnitude(b) > budget * (1 + slack)) replay.complain("the coefficients exceed nu");
  const double rest = total(b);
  replay.check_sum(rest, 0.0, std::max(total_magnitude(b), cancelled / slack));
  replay.round_by(std::abs(rest * replay.expansion().offsets[0]));
  return replay.certificate(primal, dual);
}

Certificate verify_one_class(const Regressor& model,
                             const Dataset& data,
                             const MachineTerms& terms,
                             const Context& context) {
  Replay replay(model.function, model.scaler, data, context);
  const std::vector<double> weights =
      data.weights.empty() ? std::vector<double>(data.size(), 1.0) : data.weights;
  const std::vector<double> b = replay.coefficients(0);
  const double norm = replay.squared_norm(0);
  const double rho = -replay.expansion().offsets[0];
  const double sum = terms.nu * total(weights);
  double primal = 0.5 * norm - sum * rho;
  for (std::size_t i = 0; i < b.size(); ++i) {
    replay.check_bounds(b[i], 0.0, weights[i], i);
    primal += weights[i] * std::max(0.0, rho - replay.value(i, 0));
    replay.round_loss(weights[i], rho - replay.value(i, 0), i, 0, false);
  }
  replay.round_penalty(0);
  replay.check_sum(total(b), sum, sum);
  return replay.certificate(primal, -0.5 * norm);
}

Certificate verify_svdd(const Regressor& model,
                        const Dataset& data,
                        const MachineTerms& terms,
                        const Context& context) {
  Replay replay(model.function, model.scaler, data, context);
  const std::vector<double> weights =
      data.weights.empty() ? std::vector<double>(data.size(), 1.0) : data.weights;
  // The function is 2 sum_i a_i K(x_i, x) - K(x, x) + R^2 - |centre|^2.
  std::vector<double> a = replay.coefficients(0);
  const double centre_norm = 0.25 * replay.squared_norm(0);
  const double squared_radius = centre_norm + replay.expansion().offsets[0];
  const double weight = total(weights);
  double primal = squared_radius;
  double dual = -centre_norm;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] *= 0.5;
    const double self = replay.self(i);
    double cost = weights[i] > 0 ? 1.0 : 0.0;
    if (terms.nu > 0) cost = std::min(cost, weights[i] / (terms.nu * weight));
    replay.check_bounds(a[i], 0.0, cost, i);
    dual += a[i] * self;
    const double distance = self - replay.value(i, 0) + centre_norm;
    primal += cost * std::max(0.0, distance - squared_radius);
    replay.round_loss(cost, distance - squared_radius, i, 0, false);
  }
  replay.round_penalty(0);
  replay.check_sum(total(a), 1.0, 1.0);
  return replay.certificate(primal, dual);
}

}  // namespace maxmargin

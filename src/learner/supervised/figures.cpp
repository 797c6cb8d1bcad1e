// SPDX-License-Identifier: Apache-2.0
//
// What people are shown of a supervised machine.
#include "learner/supervised/figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learner/header.hpp"
#include "learner/supervised/model_document.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "metric/learning_bounds.hpp"
#include "model/kernel/moved_linear.hpp"

namespace maxmargin::learning {

namespace {

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// Counts by class as the model's file has them; otherwise (files of other programs) every vector's
/// class when the signs of its coefficients leave no doubt, as for two classes and one-vs-one, and
/// none where one is in doubt.
std::vector<std::size_t> vectors_by_class(const Classifier& model, const ModelDocument& document) {
  if (document.has("training.vectors_by_class")) {
    std::vector<std::size_t> counts;
    for (const double count : document.numbers("training.vectors_by_class")) {
      counts.push_back(static_cast<std::size_t>(std::max(count, 0.0)));
    }
    if (counts.size() == model.classes.size()) return counts;
  }
  const auto* expansion = std::get_if<KernelExpansion>(&model.functions);
  const OutputCode& code = model.code;
  if (expansion == nullptr || code.signs.size() != code.classes * code.functions) return {};
  std::vector<std::size_t> counts(code.classes, 0);
  for (std::size_t i = 0; i < expansion->coefficients.rows(); ++i) {
    const auto coefficients = expansion->coefficients.row(i);
    std::vector<std::size_t> possible;
    for (std::size_t c = 0; c < code.classes; ++c) {
      bool fits = true;
      for (std::size_t j = 0; j < code.functions; ++j) {
        fits = fits && coefficients[j] * code.sign(c, j) >= 0 &&
               (coefficients[j] == 0 || code.sign(c, j) != 0);
      }
      if (fits) possible.push_back(c);
    }
    if (possible.size() != 1) return {};
    ++counts[possible.front()];
  }
  return counts;
}

/// w of each function: stored, or the sum of the vectors of a linear kernel; empty otherwise.
DenseMatrix linear_weights(const DecisionFunction& functions) {
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) return linear->weights;
  const auto& expansion = std::get<KernelExpansion>(functions);
  if (const InputScalingRule* const moved = moved_linear(expansion.kernel)) {
    return linear_weights(with_moved_vectors(expansion, *moved));
  }
  if (!std::holds_alternative<Linear>(expansion.kernel) || expansion.minus_self) return {};
  DenseMatrix weights(expansion.coefficients.cols(), expansion.vectors.cols());
  for (std::size_t i = 0; i < expansion.vectors.rows(); ++i) {
    for (std::size_t j = 0; j < weights.rows(); ++j) {
      expansion.vectors.row(i).axpy_into(expansion.coefficients(i, j), weights.row(j));
    }
  }
  return weights;
}

/// The features of largest |w|, over all functions; of several functions the largest counts.
ReportFields top_features(const Machine& machine) {
  constexpr std::size_t shown = 10;
  const DenseMatrix weights = linear_weights(functions_of(machine));
  std::vector<double> largest(weights.cols(), 0.0);
  for (std::size_t j = 0; j < weights.rows(); ++j) {
    for (std::size_t f = 0; f < weights.cols(); ++f) {
      if (std::abs(weights(j, f)) > std::abs(largest[f])) largest[f] = weights(j, f);
    }
  }
  std::vector<std::size_t> order(largest.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t count = std::min(shown, order.size());
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(count),
                    order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double left = std::abs(largest[a]);
                      const double right = std::abs(largest[b]);
                      return left != right ? left > right : a < b;
                    });
  const std::vector<std::string>& names = feature_names_of(machine);
  ReportFields fields;
  for (std::size_t i = 0; i < count && largest[order[i]] != 0; ++i) {
    const std::size_t f = order[i];
    fields.emplace_back(f < names.size() ? names[f] : "feature " + std::to_string(f + 1),
                        largest[f]);
  }
  return fields;
}

void add_kernel_figures(const ModelDocument& document,
                        const Machine& machine,
                        ModelFigures& figures) {
  ReportFields& fields = figures.fields;
  const auto* expansion = std::get_if<KernelExpansion>(&functions_of(machine));
  if (expansion == nullptr) return;
  for (auto& [key, value] : option_values(KernelChoice(expansion->kernel))) {
    fields.emplace_back(key, std::move(value));
  }
  fields.emplace_back("support_vectors", whole(expansion->vectors.rows()));
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    const std::vector<std::size_t> counts = vectors_by_class(*classifier, document);
    ReportFields by_class;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      by_class.emplace_back(classifier->classes[c].text(), whole(counts[c]));
    }
    if (!by_class.empty()) {
      figures.groups.emplace_back("support_vectors_by_class", std::move(by_class));
    }
  }
}

/// `by_probability`: a calibration, where there is one, decides.
void add_classes(const Classifier& model, bool by_probability, ReportFields& fields) {
  fields.emplace_back("classes", whole(model.classes.size()));
  if (model.classes.size() > 2) {
    fields.emplace_back("multiclass", std::string(to_string(model.code.kind)));
  }
  fields.emplace_back("functions", whole(model.code.functions));
  const bool is_calibrated = by_probability && model.calibration.has_value();
  fields.emplace_back("predicts",
                      std::string(is_calibrated ? "the class of largest probability"
                                                : "the class of largest score"));
  if (is_calibrated) {
    fields.emplace_back("calibration", std::string(to_string(model.calibration->kind)));
  }
}

/// Does the machine part its examples without a loss? Then its objective is 1/2 |w|^2, as far as it
/// was solved.
bool is_separating(const MachineReport& machine) {
  const SolveReport& report = machine.report;
  if (report.status != Status::solved || !report.primal_objective || !report.dual_objective) {
    return false;
  }
  const double losses = *report.primal_objective - machine.squared_norm / 2;
  const double gap = *report.primal_objective - *report.dual_objective;
  // The dual may lie below 1/2 |w|^2 by its share of the gap.
  return machine.bounded == 0 && losses <= 2 * gap + 1e-9 * *report.primal_objective;
}

/// What learning theory says of the machine. Radius and margin bound what a single machine does
/// that parts its examples; with losses, or with a machine for each pair of classes, they do not.
void add_bounds(const ModelDocument& document,
                const Machine& machine,
                const std::vector<MachineReport>& reports,
                ReportFields& fields) {
  const auto n = static_cast<std::size_t>(document.integer("training.examples"));
  if (n == 0) return;
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(machine))) {
    fields.emplace_back("leave_one_out_bound", leave_one_out_bound(expansion->vectors.rows(), n));
  }
  const double squared_norm = reports.front().squared_norm;
  const bool is_bounded = reports.size() == 1 && is_separating(reports.front());
  if (!std::holds_alternative<Classifier>(machine) || !(squared_norm > 0) || !is_bounded) return;
  const double squared_radius = document.number("training.squared_radius");
  fields.emplace_back("radius_margin", radius_margin(squared_radius, squared_norm));
  fields.emplace_back("radius_margin_bound", radius_margin_bound(squared_radius, squared_norm, n));
  const double dimension = margin_vc_dimension(squared_radius, squared_norm);
  fields.emplace_back("vc_dimension_bound", dimension);
  constexpr double delta = 0.05;
  if (dimension < static_cast<double>(n)) {
    fields.emplace_back("vc_confidence", vc_confidence(dimension, static_cast<double>(n), delta));
  }
}

/// How the training ended: sums over the machines, and the smallest margin.
void add_training_figures(const ModelDocument& document,
                          const Machine& machine,
                          bool has_bounds,
                          ReportFields& fields) {
  fields.emplace_back("examples", document.integer("training.examples"));
  fields.emplace_back("status", document.string("training.status"));
  const std::vector<MachineReport> machines = machine_reports_of(document);
  if (machines.empty()) return;
  const SolveReport sum = sum_of_reports(machines);
  std::size_t bounded = 0;
  double largest_norm = 0;
  for (const MachineReport& report : machines) {
    bounded += report.bounded;
    largest_norm = std::max(largest_norm, report.squared_norm);
  }
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value) fields.emplace_back(name, *value);
  };
  fields.emplace_back("bounded", whole(bounded));
  if (largest_norm > 0) fields.emplace_back("margin", 1 / std::sqrt(largest_norm));
  fields.emplace_back("iterations", whole(sum.iterations));
  add("primal_objective", sum.primal_objective);
  add("dual_objective", sum.dual_objective);
  add("lower_bound", sum.lower_bound);
  if (const auto bound = sum.bound()) {
    fields.emplace_back("bound", std::string(to_string(*bound)));
  }
  add("gap", sum.gap());
  add("relative_gap", sum.relative_gap());
  if (has_bounds) add_bounds(document, machine, machines, fields);
}

}  // namespace

ModelFigures machine_figures(const Model& model) {
  const ModelDocument& document = model.document();
  const Task task = model.learner().info().task;
  const Machine& machine = machine_of(model, task);
  ModelFigures figures;
  ReportFields& fields = figures.fields;
  fields.emplace_back("source", document.source());
  fields.emplace_back("learner", document.learner());
  fields.emplace_back("task", std::string(to_string(task)));
  fields.emplace_back("features", whole(features_of(machine)));
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    add_classes(*classifier, !model.calibrates_on_demand(), fields);
  }
  if (model.calibrates_on_demand()) {
    fields.emplace_back("probabilities", std::string("in the file; used with --probabilities"));
  }
  add_kernel_figures(document, machine, figures);
  const auto& scaler = std::visit(
      [](const auto& m) -> auto& { return m.scaler; }, machine);
  if (scaler) fields.emplace_back("scale", to_string(scaler->options));
  if (document.has("training.examples")) {
    add_training_figures(document, machine, model.learner().info().has_margin_bounds, fields);
  }
  ReportFields options;
  for (const auto& [key, value] : model.header().options) options.emplace_back(key, value);
  figures.groups.emplace_back("options", std::move(options));
  figures.groups.emplace_back("top_features", top_features(machine));
  std::erase_if(figures.groups, [](const auto& group) { return group.second.empty(); });
  return figures;
}

ModelFigures SupervisedLearner::figures(const Model& model) const {
  return blaming(model.document(), [&] { return machine_figures(model); });
}

std::optional<std::size_t> SupervisedLearner::model_features(const Model& model) const {
  const Machine& machine = machine_of(model, info().task);
  if (is_precomputed(machine)) return std::nullopt;
  return features_of(machine);
}

std::optional<Examples> SupervisedLearner::support_vectors(const Model& model) const {
  const Machine& machine = machine_of(model, info().task);
  const auto* expansion = std::get_if<KernelExpansion>(&functions_of(machine));
  // Of a precomputed kernel they are numbers of rows.
  if (expansion == nullptr || is_precomputed(machine)) return std::nullopt;
  return expansion->vectors;
}

}  // namespace maxmargin::learning

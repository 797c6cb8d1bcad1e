// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/machine_file.hpp"

#include <algorithm>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view kind_field = "machine";
constexpr std::string_view classifier_name = "classifier";
constexpr std::string_view regressor_name = "regressor";

/// What a model knows about its features beside the functions.
void store_features(ModelDocument& document,
                    const std::optional<Scaler>& scaler,
                    std::vector<std::string> names) {
  if (scaler) store_scaler(*scaler, document);
  if (!names.empty()) document.set_strings("feature_names", std::move(names));
}

std::optional<Scaler> load_fitting_scaler(const ModelDocument& document, std::size_t features) {
  if (!document.has("scaler.kind")) return std::nullopt;
  Scaler scaler = load_scaler(document);
  if (scaler.options.kind == ScalingKind::none) return std::nullopt;
  demand(scaler.features() == features,
         document,
         "scaler.kind",
         "is of a scaler for another number of features than the machine has");
  return scaler;
}

std::vector<std::string> load_feature_names(const ModelDocument& document, std::size_t features) {
  if (!document.has("feature_names")) return {};
  const std::vector<std::string>& names = document.strings("feature_names");
  demand(names.size() == features, document, "feature_names", "must have one name a feature");
  return names;
}

void demand_kind(const ModelDocument& document, std::string_view kind) {
  if (document.string(kind_field) == kind) return;
  refuse(document, kind_field, "must be '" + std::string(kind) + "'");
}

std::vector<Label> load_classes(const ModelDocument& document) {
  const std::vector<Label>& classes = document.labels("classes");
  demand(!classes.empty(), document, "classes", "is empty");
  std::vector<Label> sorted = classes;
  std::ranges::sort(sorted);
  demand(std::ranges::adjacent_find(sorted) == sorted.end(),
         document,
         "classes",
         "holds a label twice");
  return classes;
}

}  // namespace

MachineKind machine_kind(const ModelDocument& document) {
  if (!document.has(kind_field)) return MachineKind::none;
  const std::string& kind = document.string(kind_field);
  if (kind == classifier_name) return MachineKind::classifier;
  if (kind == regressor_name) return MachineKind::regressor;
  refuse(document, kind_field, "must be 'classifier' or 'regressor'");
}

Machine machine_of(const ModelDocument& document) {
  if (machine_kind(document) == MachineKind::classifier) return classifier_of(document);
  return regressor_of(document);
}

void add_classifier(ModelDocument& document, Classifier model) {
  model.validate();
  if (model.calibration) model.calibration->validate(model.code);
  document.set_string(std::string(kind_field), std::string(classifier_name));
  document.set_labels("classes", std::move(model.classes));
  store_code(document, model.code);
  if (model.calibration) store_calibration(document, *model.calibration);
  store_features(document, model.scaler, std::move(model.feature_names));
  store_functions(document, std::move(model.functions));
}

void add_regressor(ModelDocument& document, Regressor model) {
  model.validate();
  document.set_string(std::string(kind_field), std::string(regressor_name));
  store_features(document, model.scaler, std::move(model.feature_names));
  store_functions(document, std::move(model.function));
}

void add_expansion(ModelDocument& document, KernelExpansion expansion) {
  validate(DecisionFunction(expansion));
  store_functions(document, std::move(expansion));
}

KernelExpansion expansion_of(ModelDocument document) {
  DecisionFunction functions = load_functions(document);
  checked_by_library(document, "function", [&] { validate(functions); });
  auto* expansion = std::get_if<KernelExpansion>(&functions);
  demand(expansion != nullptr, document, "function", "must be 'kernel'");
  return std::move(*expansion);
}

void add_examples(ModelDocument& document, std::string name, Examples examples) {
  store_examples(document, std::move(name), std::move(examples));
}

Examples examples_of(ModelDocument document, std::string_view name) {
  return load_examples(document, name);
}

Classifier classifier_of(ModelDocument document) {
  demand_kind(document, classifier_name);
  Classifier model;
  model.classes = load_classes(document);
  const std::size_t functions = document.numbers("offsets").size();
  model.code = load_code(document, model.classes.size(), functions);
  model.functions = load_functions(document);
  if (document.has("calibration.kind")) model.calibration = load_calibration(document, functions);
  model.scaler = load_fitting_scaler(document, feature_count(model.functions));
  model.feature_names = load_feature_names(document, feature_count(model.functions));
  checked_by_library(document, kind_field, [&] { model.validate(); });
  return model;
}

Regressor regressor_of(ModelDocument document) {
  demand_kind(document, regressor_name);
  demand(document.numbers("offsets").size() == 1,
         document,
         "offsets",
         "must hold one number, as a regressor is one function");
  Regressor model;
  model.function = load_functions(document);
  model.scaler = load_fitting_scaler(document, feature_count(model.function));
  model.feature_names = load_feature_names(document, feature_count(model.function));
  checked_by_library(document, kind_field, [&] { model.validate(); });
  return model;
}

}  // namespace maxmargin

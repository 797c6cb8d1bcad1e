// SPDX-License-Identifier: Apache-2.0
#include "kept_dual.hpp"

#include "bias_names.hpp"
#include "machine.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/model/verify/linear.hpp"
#include "maxmargin/model/verify/semi.hpp"

namespace maxmargin::tool {

namespace {

const Classifier& classifier_in(const LoadedMachine& loaded) {
  return std::get<Classifier>(loaded.machine);
}

/// One of two or more values by the names that the document uses for them.
template <class Value>
Value named_value(const ModelDocument& document,
                  const std::string& field,
                  std::initializer_list<std::pair<std::string_view, Value>> values) {
  const std::string& name = document.string(field);
  for (const auto& [known, value] : values) {
    if (known == name) return value;
  }
  throw ModelFormatError(document.source(), {}, "the model's '" + field + "' is unknown: " + name);
}

}  // namespace

double number_or(const ModelDocument& document, const std::string& name, double fallback) {
  return document.has(name) ? document.number(name) : fallback;
}

ClassWeights class_weights_of(const ModelDocument& document) {
  if (!document.has("option.class_weight")) return {};
  return parse_class_weights(document.string("option.class_weight"));
}

DualPoint dual_of(const LoadedMachine& loaded, const Dataset& data, std::size_t points) {
  DualPoint point = dual_point_of(
      *loaded.document, points * function_count(functions_of(loaded.machine)), data.size());
  if (point.empty()) {
    throw UsageError(
        "--verify: the model was written without its dual point; train with --verify to keep it");
  }
  return point;
}

Certificate check_linear_svc(const LoadedMachine& loaded,
                             const Dataset& data,
                             std::optional<std::size_t> /*threads*/) {
  const ModelDocument& document = *loaded.document;
  LinearSvcOptions options;
  options.c = document.number("option.C");
  options.loss = named_value<LinearLoss>(document,
                                         "option.loss",
                                         {{"hinge", LinearLoss::hinge},
                                          {"squared-hinge", LinearLoss::squared_hinge},
                                          {"logistic", LinearLoss::logistic}});
  options.penalty = named_value<LinearPenalty>(
      document, "option.penalty", {{"l2", LinearPenalty::l2}, {"l1", LinearPenalty::l1}});
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  return verify_linear_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

Certificate check_linear_svr(const LoadedMachine& loaded,
                             const Dataset& data,
                             std::optional<std::size_t> /*threads*/) {
  const ModelDocument& document = *loaded.document;
  LinearSvrOptions options;
  options.c = document.number("option.C");
  options.epsilon = document.number("option.epsilon");
  options.loss =
      named_value<LinearLoss>(document,
                              "option.loss",
                              {{"epsilon", LinearLoss::epsilon_insensitive},
                               {"squared-epsilon", LinearLoss::squared_epsilon_insensitive}});
  options.bias = document.boolean("option.bias");
  return verify_linear_svr(
      std::get<Regressor>(loaded.machine), dual_of(loaded, data), data, options);
}

Certificate check_cs_svc(const LoadedMachine& loaded,
                         const Dataset& data,
                         std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  const Classifier& model = classifier_in(loaded);
  CsSvcOptions options;
  options.c = document.number("option.C");
  options.bias = document.boolean("option.bias") ? 1 : 0;
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  const bool holds_dual = std::holds_alternative<KernelExpansion>(model.functions);
  return verify_cs_svc(model, holds_dual ? DualPoint{} : dual_of(loaded, data), data, options);
}

Certificate check_lp_svc(const LoadedMachine& loaded,
                         const Dataset& data,
                         std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  LpSvcOptions options;
  options.c = document.number("option.C");
  options.form = named_value<LpSvmForm>(
      document, "option.form", {{"slides", LpSvmForm::slides}, {"l1-norm", LpSvmForm::l1_norm}});
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return verify_lp_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

namespace {

/// The options that state the problem of a semi-supervised machine; the supervised machine, which
/// --safe may return, pays nothing for unlabelled rows.
template <class Options>
Options semi_options(const ModelDocument& document, std::optional<std::size_t> threads) {
  Options options;
  options.c = document.number("option.C");
  const bool supervised = document.string("option.machine") == "supervised";
  options.unlabelled_c = supervised ? 0.0 : document.number("option.unlabeled_cost");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return options;
}

/// The options that state the problem of both relaxations of s3vm.
template <class Options>
Options relaxed_options(const ModelDocument& document, std::optional<std::size_t> threads) {
  Options options;
  options.c = document.number("option.C");
  options.balance = std::nullopt;
  if (document.has("option.balance")) options.balance = document.number("option.balance");
  options.bias = bias_of(document, "option.bias");
  options.control.threads = threads;
  return options;
}

/// s3vm --multiclass direct.
Certificate check_direct_s3vm(const LoadedMachine& loaded,
                              const Dataset& data,
                              std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  const auto options = relaxed_options<MulticlassS3vmOptions>(document, threads);
  MulticlassS3vmClaim claim{.is_supervised = document.string("option.machine") == "supervised"};
  std::size_t vectors = 1;
  if (!claim.is_supervised) {
    claim.bound = named_value<SemiBound>(document,
                                         "option.bound_from",
                                         {{"trivial", SemiBound::trivial},
                                          {"supervised", SemiBound::supervised},
                                          {"relaxation", SemiBound::relaxation}});
    vectors = kept_class_vectors(claim.bound,
                                 classifier_in(loaded).classes.size(),
                                 data.size(),
                                 data.size() - data.labels.labelled_count());
  }
  return verify_multiclass_s3vm(
      classifier_in(loaded), dual_of(loaded, data, vectors), data, options, claim);
}

}  // namespace

Certificate check_s3vm(const LoadedMachine& loaded,
                       const Dataset& data,
                       std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  if (document.string("option.multiclass") == "direct") {
    return check_direct_s3vm(loaded, data, threads);
  }
  if (document.string("option.machine") == "supervised") {
    TsvmOptions options;
    options.c = document.number("option.C");
    options.unlabelled_c = 0;
    options.balance = std::nullopt;
    options.control.threads = threads;
    return verify_tsvm(classifier_in(loaded), dual_of(loaded, data), data, options);
  }
  auto options = relaxed_options<S3vmOptions>(document, threads);
  options.balance_form =
      named_value<LabelBalance>(document,
                                "option.balance_form",
                                {{"rows", LabelBalance::rows}, {"total", LabelBalance::total}});
  // Lambda, diagonal and balance of the certificate, and the signs.
  return verify_s3vm(classifier_in(loaded), dual_of(loaded, data, 4), data, options);
}

Certificate check_tsvm(const LoadedMachine& loaded,
                       const Dataset& data,
                       std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  auto options = semi_options<TsvmOptions>(document, threads);
  options.balance = std::nullopt;
  if (document.has("option.balance")) options.balance = document.number("option.balance");
  return verify_tsvm(classifier_in(loaded), dual_of(loaded, data), data, options);
}

Certificate check_s3vm_cccp(const LoadedMachine& loaded,
                            const Dataset& data,
                            std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  auto options = semi_options<S3vmCccpOptions>(document, threads);
  options.balance = document.string("option.balance") == "mean";
  options.ramp = document.number("option.ramp");
  return verify_s3vm_cccp(classifier_in(loaded), dual_of(loaded, data), data, options);
}

}  // namespace maxmargin::tool

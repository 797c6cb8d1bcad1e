// SPDX-License-Identifier: Apache-2.0
#include "robust_certificates.hpp"

#include <algorithm>

#include "kept_dual.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/model/verify_robust.hpp"

namespace maxmargin::tool {

namespace {

const Classifier& classifier_in(const LoadedMachine& loaded) {
  return std::get<Classifier>(loaded.machine);
}

/// Dual points of a function: one of its outliers, and the stages of the lower bound.
std::size_t points_of(const ModelDocument& document) {
  const std::int64_t rounds = document.integer("option.bound_rounds");
  return 1 + static_cast<std::size_t>(std::max<std::int64_t>(1, rounds));
}

}  // namespace

KernelBias kernel_bias_named(const std::string& name) {
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    if (to_string(bias) == name) return bias;
  }
  throw UsageError("bias " + name + ": must be center, constant or none");
}

Certificate check_ramp_svc(const LoadedMachine& loaded,
                           const Dataset& data,
                           std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  RampSvcOptions options;
  if (document.string("option.multiclass") == "direct") {
    options.multiclass = MulticlassKind::direct;
  }
  options.c = document.number("option.C");
  options.s = document.number("option.ramp");
  options.step =
      document.string("option.solver") == "cccp" ? RampStep::cccp : RampStep::alternating;
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  const DualPoint dual = dual_of(loaded, data, points_of(document));
  return verify_ramp_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_linear_ramp_svc(const LoadedMachine& loaded,
                                  const Dataset& data,
                                  std::optional<std::size_t> /*threads*/) {
  const ModelDocument& document = *loaded.document;
  LinearRampSvcOptions options;
  options.c = document.number("option.C");
  options.s = document.number("option.ramp");
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  const DualPoint dual = dual_of(loaded, data, points_of(document));
  return verify_linear_ramp_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_trimmed_svc(const LoadedMachine& loaded,
                              const Dataset& data,
                              std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  TrimmedSvcOptions options;
  options.c = document.number("option.C");
  options.rho = document.number("option.rho");
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return verify_trimmed_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

Certificate check_robust_svc(const LoadedMachine& loaded,
                             const Dataset& data,
                             std::optional<std::size_t> threads) {
  RobustSvcOptions options;
  options.c = loaded.document->number("option.C");
  options.bias = kernel_bias_named(loaded.document->string("option.bias"));
  options.control.threads = threads;
  const DualPoint dual = dual_of(loaded, data, relaxation_vectors);
  return verify_robust_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_outlier_svc(const LoadedMachine& loaded,
                              const Dataset& data,
                              std::optional<std::size_t> threads) {
  OutlierSvcOptions options;
  options.c = loaded.document->number("option.C");
  options.rho = loaded.document->number("option.rho");
  options.bias = kernel_bias_named(loaded.document->string("option.bias"));
  options.control.threads = threads;
  const DualPoint dual = dual_of(loaded, data, relaxation_vectors);
  return verify_outlier_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_centroid_svc(const LoadedMachine& loaded,
                               const Dataset& data,
                               std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  CentroidSvcOptions options;
  options.c = document.number("option.C");
  options.lambda = document.number("option.lambda");
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return verify_centroid_svc(classifier_in(loaded), data, options);
}

Certificate check_loo_svc(const LoadedMachine& loaded,
                          const Dataset& data,
                          std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  LooSvcOptions options;
  options.c = document.number("option.C");
  options.lambda = document.number("option.lambda");
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return verify_loo_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

}  // namespace maxmargin::tool

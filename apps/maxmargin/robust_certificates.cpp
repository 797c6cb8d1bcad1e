// SPDX-License-Identifier: Apache-2.0
#include "robust_certificates.hpp"

#include <algorithm>

#include "bias_names.hpp"
#include "kept_dual.hpp"
#include "maxmargin/model/verify/robust.hpp"

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

/// The options that state the problem of a machine with a bias of its own, but for what only one
/// learner has.
template <class Options>
Options stated_options(const ModelDocument& document, std::optional<std::size_t> threads) {
  Options options;
  options.c = document.number("option.C");
  options.bias = document.boolean("option.bias");
  options.class_weights = class_weights_of(document);
  options.control.threads = threads;
  return options;
}

/// The same of a machine by convex relaxation.
template <class Options>
Options relaxed_options(const ModelDocument& document, std::optional<std::size_t> threads) {
  Options options;
  options.c = document.number("option.C");
  options.bias = bias_of(document, "option.bias");
  options.control.threads = threads;
  return options;
}

}  // namespace

Certificate check_ramp_svc(const LoadedMachine& loaded,
                           const Dataset& data,
                           std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  auto options = stated_options<RampSvcOptions>(document, threads);
  if (document.string("option.multiclass") == "direct") {
    options.multiclass = MulticlassKind::direct;
  }
  options.s = document.number("option.ramp");
  options.step =
      document.string("option.solver") == "cccp" ? RampStep::cccp : RampStep::alternating;
  const DualPoint dual = dual_of(loaded, data, points_of(document));
  return verify_ramp_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_linear_ramp_svc(const LoadedMachine& loaded,
                                  const Dataset& data,
                                  std::optional<std::size_t> threads) {
  const ModelDocument& document = *loaded.document;
  auto options = stated_options<LinearRampSvcOptions>(document, threads);
  options.s = document.number("option.ramp");
  const DualPoint dual = dual_of(loaded, data, points_of(document));
  return verify_linear_ramp_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_trimmed_svc(const LoadedMachine& loaded,
                              const Dataset& data,
                              std::optional<std::size_t> threads) {
  auto options = stated_options<TrimmedSvcOptions>(*loaded.document, threads);
  options.rho = loaded.document->number("option.rho");
  return verify_trimmed_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

Certificate check_robust_svc(const LoadedMachine& loaded,
                             const Dataset& data,
                             std::optional<std::size_t> threads) {
  const auto options = relaxed_options<RobustSvcOptions>(*loaded.document, threads);
  const DualPoint dual = dual_of(loaded, data, relaxation_vectors);
  return verify_robust_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_outlier_svc(const LoadedMachine& loaded,
                              const Dataset& data,
                              std::optional<std::size_t> threads) {
  auto options = relaxed_options<OutlierSvcOptions>(*loaded.document, threads);
  options.rho = loaded.document->number("option.rho");
  const DualPoint dual = dual_of(loaded, data, relaxation_vectors);
  return verify_outlier_svc(classifier_in(loaded), dual, data, options);
}

Certificate check_centroid_svc(const LoadedMachine& loaded,
                               const Dataset& data,
                               std::optional<std::size_t> threads) {
  auto options = stated_options<CentroidSvcOptions>(*loaded.document, threads);
  options.lambda = loaded.document->number("option.lambda");
  return verify_centroid_svc(classifier_in(loaded), data, options);
}

Certificate check_loo_svc(const LoadedMachine& loaded,
                          const Dataset& data,
                          std::optional<std::size_t> threads) {
  auto options = stated_options<LooSvcOptions>(*loaded.document, threads);
  options.lambda = loaded.document->number("option.lambda");
  return verify_loo_svc(classifier_in(loaded), dual_of(loaded, data), data, options);
}

}  // namespace maxmargin::tool

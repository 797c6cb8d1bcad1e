// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.hpp"
#include "bias_names.hpp"
#include "method_options.hpp"
#include "registry.hpp"

/// What the methods of maximum-margin clustering read alike.
namespace maxmargin::tool {

/// -C, finite and > 0.
[[nodiscard]] double mmc_cost(const Arguments& arguments, double fallback);

/// The options of a convex relaxation into two clusters or more, but for the names that differ.
template <class Options>
void take_relaxation_options(const Arguments& arguments,
                             ProgressCallback progress,
                             Options& options) {
  options.c = mmc_cost(arguments, options.c);
  options.balance = balance_of(arguments, options.balance);
  options.bias = bias_of(arguments, options.bias);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  options.max_iterations = arguments.whole("max-iterations", 1).value_or(options.max_iterations);
  options.memory_limit = memory_limit_of(arguments);
  options.seed = arguments.whole("seed", 0).value_or(options.seed);
  options.threads = threads_of(arguments);
  options.on_progress = std::move(progress);
}

/// What a report shows of them.
template <class Options>
ReportFields relaxation_options(const Options& options,
                                const Kernel& kernel,
                                std::string_view balance_form,
                                std::size_t restarts) {
  ReportFields fields = {{"k", whole(options.k)}};
  show_kernel(kernel, fields);
  fields.emplace_back("C", options.c);
  if (options.balance) {
    fields.emplace_back("balance", *options.balance);
    fields.emplace_back("balance_form", std::string(balance_form));
  } else {
    fields.emplace_back("balance", std::string("none"));
  }
  fields.emplace_back("bias", std::string(to_string(options.bias)));
  fields.emplace_back("tolerance", options.tolerance);
  fields.emplace_back("max_iterations", whole(options.max_iterations));
  fields.emplace_back("restarts", whole(restarts));
  fields.emplace_back("seed", whole(options.seed));
  return fields;
}

/// --features nystroem:M: the landmarks; empty when it is not given.
[[nodiscard]] std::optional<std::size_t> mmc_landmarks(const Arguments& arguments);

/// The method mmc on features: the relaxation and its roundings where the kernel matrix would be
/// too large. The model is one of mmc-alternating.
[[nodiscard]] ClusterAnswer run_mmc_on_features(const Dataset& data,
                                                const Arguments& arguments,
                                                ProgressCallback progress);
/// The objective of a model of mmc-alternating or mmc-cutting-plane: 1/2 |w|^2 + C sum of losses
/// from model and data. Not a number, so that nothing agrees with it, when the certificate does not
/// prove the bound that the model claims.
[[nodiscard]] double mmc_machine_objective(const Dataset& data,
                                           std::span<const std::int32_t> labels,
                                           const ModelDocument& model);

}  // namespace maxmargin::tool

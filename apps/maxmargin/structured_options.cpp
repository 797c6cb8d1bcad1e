// SPDX-License-Identifier: Apache-2.0
#include "structured_options.hpp"

#include <variant>

#include "data_source.hpp"
#include "learner_options.hpp"

namespace maxmargin::tool {

namespace {

/// Passes of the online solvers, which seldom end by themselves.
constexpr std::size_t online_passes = 10;

}  // namespace

StructuralMethod structural_method_of(const Arguments& arguments) {
  return parse_structural_method(arguments.choice_or(
      "solver", "bcfw", {"bcfw", "one-slack", "n-slack", "subgradient", "mira"}));
}

StructuralOptions structural_options_of(const Arguments& arguments) {
  const std::string solver = arguments.text_or("solver", "");
  const bool is_online = solver == "mira" || solver == "perceptron";
  if (arguments.has("verify") && is_online) {
    throw UsageError("--verify: --solver " + solver +
                     " reports what its last pass met, not an objective of the model");
  }
  StructuralOptions options;
  options.c = parse_cost(arguments.text_or("C", "1"), false);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  options.max_passes =
      arguments.whole("max-iterations", 1).value_or(is_online ? online_passes : options.max_passes);
  options.seed = arguments.whole("seed", 0).value_or(options.seed);
  options.threads = threads_of(arguments);
  options.memory_limit = memory_limit_of(arguments);
  return options;
}

Rescaling rescaling_of(const Arguments& arguments) {
  return arguments.choice_or("rescaling", "margin", {"margin", "slack"}) == "slack"
             ? Rescaling::slack
             : Rescaling::margin;
}

ReportFields shown_solving(StructuralMethod method, const StructuralOptions& options) {
  return {
      {"C", options.c}, {"solver", std::string(to_string(method))}, {"seed", whole(options.seed)}};
}

void keep_training(const SolveReport& report,
                   const ReportFields& options,
                   ModelDocument& document) {
  document.set_string("status", std::string(to_string(report.status)));
  if (report.primal_objective) document.set_number("primal_objective", *report.primal_objective);
  if (report.dual_objective) document.set_number("dual_objective", *report.dual_objective);
  if (report.lower_bound) document.set_number("lower_bound", *report.lower_bound);
  for (const auto& [name, value] : options) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      document.set_string("option." + name, *text);
    } else if (const auto* number = std::get_if<double>(&value)) {
      document.set_number("option." + name, *number);
    } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
      document.set_integer("option." + name, *count);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
      document.set_boolean("option." + name, *truth);
    }
  }
}

}  // namespace maxmargin::tool

// SPDX-License-Identifier: Apache-2.0
//
// Certificates of models, recomputed from model and data, held to what the model says.
#include <algorithm>
#include <cmath>

#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/model_document.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

DualPoint KeptMachine::dual(const Dataset& data, std::size_t points) const {
  DualPoint point =
      dual_point_of(document, points * function_count(functions_of(machine)), data.size());
  if (point.empty()) {
    throw InvalidArgument(
        "--verify: the model was written without its dual point; train with --verify to keep it");
  }
  return point;
}

std::string KeptMachine::fact(const std::string& name) const {
  const std::string found_name = "found." + name;
  return document.string(document.has(found_name) ? found_name : "option." + name);
}

std::optional<double> KeptMachine::found(const std::string& name) const {
  const std::string found_name = "found." + name;
  return document.has(found_name) ? std::optional(document.number(found_name)) : std::nullopt;
}

namespace {

/// The first difference between what was recomputed and what the model says.
std::string complaint_of(const Certificate& found, const SolveReport& said) {
  if (!found.complaint.empty()) return found.complaint;
  constexpr double rounding = 1e-6;
  // A hard margin that does not exist has an infinite primal: equal, but no scale for the dual.
  const double scale = std::max(
      {std::isfinite(found.primal) ? std::abs(found.primal) : 0.0, std::abs(found.dual), 1e-12});
  const auto differs = [&](double recomputed, std::optional<double> reported) {
    if (!reported) return true;
    return recomputed != *reported &&
           !(std::isfinite(recomputed) && std::abs(recomputed - *reported) <= rounding * scale);
  };
  const auto difference = [](const char* name, double recomputed, std::optional<double> reported) {
    return std::string("the ") + name + " objective is " + format_number(recomputed) +
           ", the model says " + (reported ? format_number(*reported) : "nothing");
  };
  if (differs(found.primal, said.primal_objective)) {
    return difference("primal", found.primal, said.primal_objective);
  }
  // Problems that are not convex may have a bound in place of a dual.
  if ((said.dual_objective || !found.lower_bound) && differs(found.dual, said.dual_objective)) {
    return difference("dual", found.dual, said.dual_objective);
  }
  if (said.lower_bound &&
      !(found.lower_bound && *said.lower_bound <= *found.lower_bound + rounding * scale)) {
    return "the lower bound is " +
           (found.lower_bound ? format_number(*found.lower_bound) : "not proved") +
           ", the model says " + format_number(*said.lower_bound);
  }
  return {};
}

}  // namespace

Verification SupervisedLearner::verify(const Model& model,
                                       const LearnerData& data,
                                       const Context& context) const {
  if (!can_verify()) {
    throw InvalidArgument("--verify: the learner " + std::string(info().name) +
                          " has no certificate to recompute");
  }
  const ModelDocument& document = model.document();
  if (!document.has("training.examples")) {
    throw InvalidArgument("--verify: the model does not say how it was trained");
  }
  check_kept_options(model, [this](OptionTexts options) {
    (void)take_shared(options, calibrates());
    check_own_values(options);
  });
  if (model.header().status == Status::primal_infeasible) {
    return {.complaint = "the status is primal_infeasible, so there is no machine to verify"};
  }
  const TableData& given = table_of(data, info());
  if (given.data.size() != model.header().examples) {
    return {.agrees = false,
            .complaint = given.data.source + " has " + std::to_string(given.data.size()) +
                         " rows, the training had " + std::to_string(model.header().examples)};
  }
  KeptMachine kept{.machine = machine_of(document, info().task), .document = document};
  if (auto* expansion = std::get_if<KernelExpansion>(&functions_of(kept.machine));
      expansion != nullptr && given.kernel_matrix != nullptr) {
    expansion->kernel = Precomputed{given.kernel_matrix};
  }
  const Certificate found =
      certificate(kept, given.data, kept_options(model.header(), own_options()), context);
  Verification result{
      .primal = found.primal,
      .dual = found.dual,
      .lower_bound = found.lower_bound,
      .complaint = complaint_of(found, sum_of_reports(machine_reports_of(document)))};
  result.agrees = result.complaint.empty();
  return result;
}

}  // namespace maxmargin::learning

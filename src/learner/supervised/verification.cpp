// SPDX-License-Identifier: Apache-2.0
//
// Certificates of models, recomputed from model and data, held to what the model says.
#include <algorithm>
#include <cmath>

#include "learner/data_checks.hpp"
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
    throw NothingToVerify(
        "the model was written without its dual point; train with --verify to keep it");
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

/// Puts the kernel between the training rows into a machine that awaits it.
void use_training_kernel(Machine& machine, const TableData& given) {
  refuse_unused_kernel(given, is_precomputed(machine));
  if (!is_precomputed(machine)) return;
  if (given.kernel_matrix == nullptr) {
    throw InvalidArgument(name_of(given.data) +
                          " holds no values of a kernel, and the model's is precomputed");
  }
  check_training_kernel(given);
  auto& expansion = std::get<KernelExpansion>(functions_of(machine));
  const std::size_t wanted = std::get<Precomputed>(expansion.kernel).matrix->cols();
  if (given.kernel_matrix->cols() != wanted) {
    throw InvalidArgument(name_of(given.data) + " has a kernel matrix of " +
                          std::to_string(given.kernel_matrix->cols()) +
                          " columns, the training's had " + std::to_string(wanted));
  }
  expansion.kernel = Precomputed{given.kernel_matrix};
}

/// A run that was stopped or failed need not have got to an objective.
bool claims_nothing(const SolveReport& said, const ModelHeader& header) {
  if (said.primal_objective || said.dual_objective || said.lower_bound) return false;
  if (header.primal_objective || header.dual_objective || header.lower_bound) return false;
  return header.status &&
         (was_stopped(*header.status) || *header.status == Status::numerical_failure);
}

/// What a model says of its certificate: the solver's reports of its machines, or the header.
struct Said {
  std::optional<double> primal = std::nullopt;
  std::optional<double> dual = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
  const char* where = "the model";
};

/// The first difference between what was recomputed and what is said.
std::string complaint_of(const Certificate& found, const Said& said) {
  constexpr double rounding = 1e-6;
  // A hard margin that does not exist has an infinite primal: equal, but no scale for the dual.
  const double scale =
      std::max(std::isfinite(found.primal) ? std::abs(found.primal) : 0.0, std::abs(found.dual));
  const auto differs = [&](double recomputed, std::optional<double> reported) {
    if (!reported) return true;
    return recomputed != *reported &&
           !(std::isfinite(recomputed) && std::abs(recomputed - *reported) <= rounding * scale);
  };
  const auto difference = [&](const char* name, double recomputed, std::optional<double> reported) {
    return std::string("the ") + name + " objective is " + format_number(recomputed) + ", " +
           said.where + " says " + (reported ? format_number(*reported) : "nothing");
  };
  if (differs(found.primal, said.primal)) return difference("primal", found.primal, said.primal);
  // Problems that are not convex may have a bound in place of a dual, or neither.
  if (said.dual && differs(found.dual, said.dual)) {
    return difference("dual", found.dual, said.dual);
  }
  if (said.lower_bound &&
      !(found.lower_bound && *said.lower_bound <= *found.lower_bound + rounding * scale)) {
    return "the lower bound is " +
           (found.lower_bound ? format_number(*found.lower_bound) : "not proved") + ", " +
           said.where + " says " + format_number(*said.lower_bound);
  }
  return {};
}

/// "solved" is said of gaps within the tolerance alone, unless violations were to decide.
std::string complaint_of_status(const Certificate& found, const ModelHeader& header) {
  if (header.status != Status::solved || !header.dual_objective) return {};
  const auto option = [&](std::string_view name) {
    return std::ranges::find(header.options, name, &OptionScalars::value_type::first);
  };
  const auto at = option("tolerance");
  if (at == header.options.end() || !std::holds_alternative<double>(at->second)) return {};
  if (option("kkt_tolerance") != header.options.end()) return {};
  const double tolerance = std::get<double>(at->second);
  const double gap = relative_gap(found.primal, found.dual);
  constexpr double rounding = 1e-6;
  if (!(gap > tolerance + rounding)) return {};
  return "the relative gap is " + format_number(gap) + ", the model's header says solved to " +
         format_number(tolerance);
}

/// The same for both places that a model says it in: what people and reports are shown is the
/// header or the sum of the machines.
std::string complaint_of(const Certificate& found, const Model& model) {
  if (!found.complaint.empty()) return found.complaint;
  const SolveReport sum = sum_of_reports(machine_reports_of(model.document()));
  const ModelHeader& header = model.header();
  std::string complaint = complaint_of(
      found,
      {.primal = sum.primal_objective, .dual = sum.dual_objective, .lower_bound = sum.lower_bound});
  if (!complaint.empty()) return complaint;
  // Headers of format 1 say nothing of it.
  if (!header.primal_objective && !header.dual_objective && !header.lower_bound) return {};
  complaint = complaint_of(found,
                           {.primal = header.primal_objective,
                            .dual = header.dual_objective,
                            .lower_bound = header.lower_bound,
                            .where = "the model's header"});
  return complaint.empty() ? complaint_of_status(found, header) : complaint;
}

}  // namespace

void SupervisedLearner::check_values(const OptionTexts& options) const {
  OptionTexts own = options;
  (void)take_shared(own, calibrates());
  check_own_values(own);
}

Verification SupervisedLearner::verify(const Model& model,
                                       const LearnerData& data,
                                       const Context& context) const {
  check_model(model, info());
  if (!can_verify()) {
    return {.complaint =
                "the learner " + std::string(info().name) + " has no certificate to recompute"};
  }
  const ModelDocument& document = model.document();
  if (!document.has("training.examples")) {
    return {.complaint = "the model does not say how it was trained"};
  }
  if (model.header().status == Status::primal_infeasible) {
    return {.complaint = "the status is primal_infeasible, so there is no machine to verify"};
  }
  const TableData& given = table_of(data, info());
  if (std::string other = other_count(model, data); !other.empty()) {
    return {.agrees = false, .complaint = std::move(other)};
  }
  KeptMachine kept{.machine = machine_of(document, info().task), .document = document};
  use_training_kernel(kept.machine, given);
  const SolveReport said = sum_of_reports(machine_reports_of(document));
  if (claims_nothing(said, model.header())) {
    return {.complaint = "the training ended as " + std::string(to_string(*model.header().status)) +
                         " without an objective: there is nothing to verify"};
  }
  Certificate found;
  try {
    found = certificate(kept, given.data, kept_options(model.header(), own_options()), context);
  } catch (const NothingToVerify& none) {
    return {.complaint = none.what()};
  }
  Verification result{.primal = found.primal,
                      .dual = found.dual,
                      .lower_bound = found.lower_bound,
                      .complaint = complaint_of(found, model)};
  result.agrees = result.complaint.empty();
  return result;
}

}  // namespace maxmargin::learning

// SPDX-License-Identifier: Apache-2.0
//
// Certificates of models, recomputed from model and data, held to what the model says.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "core/parallel.hpp"
#include "core/recomputation.hpp"
#include "learner/data_checks.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/kept_claims.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/model_document.hpp"
#include "learner/supervised/supervised.hpp"
#include "learner/verifying.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"
#include "model/kernel/proof.hpp"

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

/// Has the kernel no certificate? A matrix is measured where the model claims no bound.
bool is_without_proof(const Machine& machine, const ModelHeader& header, const Context& context) {
  const Kernel* const kernel = kernel_of(machine);
  if (kernel == nullptr) return false;
  if (lacks_proof(*kernel)) return true;
  const auto* given = std::get_if<Precomputed>(kernel);
  return given != nullptr && !header.dual_objective && !header.lower_bound &&
         negative_eigenvalue(given->matrix->view(), thread_count(context.threads)).has_value();
}

/// A run that was stopped or failed need not have got to an objective.
bool claims_nothing(const SolveReport& said, const ModelHeader& header) {
  if (said.primal_objective || said.dual_objective || said.lower_bound) return false;
  if (header.primal_objective || header.dual_objective || header.lower_bound) return false;
  return header.status &&
         (was_stopped(*header.status) || *header.status == Status::numerical_failure);
}

/// A scale's rows, or the data as it is.
Examples rows_seen(const Machine& machine, const Dataset& data) {
  const std::optional<Scaler>& scaler = std::visit(
      [](const auto& each) -> const std::optional<Scaler>& { return each.scaler; }, machine);
  return scaler ? scaler->apply(data.examples) : data.examples;
}

/// What a model says of its certificate: the solver's reports of its machines, or the header.
struct Said {
  std::optional<double> primal = std::nullopt;
  std::optional<double> dual = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
  const char* where = "the model";
};

/// Differences this small, in relation to the objectives, are none.
constexpr double slack = 1e-6;

/// The first difference between what was recomputed and what is said, beyond `moved` that rounding
/// may have changed.
std::string complaint_of(const Certificate& found, const Said& said, double moved) {
  // A hard margin that does not exist has an infinite primal: equal, but no scale for the dual.
  const double scale =
      std::max(std::isfinite(found.primal) ? std::abs(found.primal) : 0.0, std::abs(found.dual));
  const auto differs = [&](double recomputed, std::optional<double> reported) {
    if (!reported) return true;
    return recomputed != *reported && !(std::isfinite(recomputed) &&
                                        std::abs(recomputed - *reported) <= slack * scale + moved);
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
      !(found.lower_bound && *said.lower_bound <= *found.lower_bound + slack * scale + moved)) {
    return "the lower bound is " +
           (found.lower_bound ? format_number(*found.lower_bound) : "not proved") + ", " +
           said.where + " says " + format_number(*said.lower_bound);
  }
  return {};
}

/// Before 0.2 models said "solved" where a violation was to decide, too.
bool is_of_older_version(const ModelHeader& header) {
  constexpr std::string_view first = "0.";
  if (!header.library.starts_with(first)) return header.library.empty();
  unsigned minor = 0;
  const std::string_view rest = std::string_view(header.library).substr(first.size());
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), minor);
  return read.ec == std::errc() && minor < 2;
}

/// "solved" is said of gaps within the tolerance alone.
std::string complaint_of_status(const Certificate& found, const ModelHeader& header, double moved) {
  // A lower bound is all that is known of problems that are not convex: there is no such gap.
  if (header.status != Status::solved || !found.is_convex) return {};
  const auto option = [&](std::string_view name) {
    return std::ranges::find(header.options, name, &OptionScalars::value_type::first);
  };
  const auto at = option("tolerance");
  if (at == header.options.end() || !std::holds_alternative<double>(at->second)) return {};
  if (option("kkt_tolerance") != header.options.end() && is_of_older_version(header)) return {};
  const double tolerance = std::get<double>(at->second);
  const double gap = relative_gap(found.primal, found.dual);
  const double shift = relative_gap(found.primal - moved, found.dual);
  if (!(std::min(gap, shift) > tolerance + slack)) return {};
  return "the relative gap is " + format_number(gap) + ", the model's header says solved to " +
         format_number(tolerance);
}

/// Where the kernel may be indefinite, nothing is known of problems that are not convex anyhow.
bool may_lack_bound(const Certificate& found, const Kernel* kernel) {
  return !found.is_convex && kernel != nullptr &&
         definiteness(*kernel) != Definiteness::positive_semidefinite;
}

/// Who says "solved" knows a dual objective or a lower bound, for every machine and in the header.
std::string missing_bound(const std::vector<MachineReport>& machines,
                          const SolveReport& sum,
                          const ModelHeader& header) {
  const std::string missing = " says solved, and neither a dual objective nor a lower bound";
  for (const MachineReport& machine : machines) {
    const SolveReport& report = machine.report;
    const bool is_solved = report.status == Status::solved || header.status == Status::solved;
    if (is_solved && !report.dual_objective && !report.lower_bound) return "the model" + missing;
  }
  // Headers of format 1 say nothing of it.
  if (header.library.empty() || header.status != Status::solved) return {};
  const bool has_bound = sum.dual_objective || sum.lower_bound;
  if (!has_bound || header.dual_objective || header.lower_bound) return {};
  return "the model's header" + missing;
}

/// The same for both places that a model says it in: what people and reports are shown is the
/// header or the sum of the machines.
std::string complaint_of(const Certificate& found,
                         const Model& model,
                         const Kernel* kernel,
                         double moved) {
  if (!found.complaint.empty()) return found.complaint;
  const std::vector<MachineReport> machines = machine_reports_of(model.document());
  const SolveReport sum = sum_of_reports(machines);
  const ModelHeader& header = model.header();
  std::string complaint;
  if (!may_lack_bound(found, kernel)) complaint = missing_bound(machines, sum, header);
  if (!complaint.empty()) return complaint;
  complaint = complaint_of(
      found,
      {.primal = sum.primal_objective, .dual = sum.dual_objective, .lower_bound = sum.lower_bound},
      moved);
  if (!complaint.empty()) return complaint;
  if (header.library.empty() && !header.primal_objective) return {};
  complaint = complaint_of(found,
                           {.primal = header.primal_objective,
                            .dual = header.dual_objective,
                            .lower_bound = header.lower_bound,
                            .where = "the model's header"},
                           moved);
  return complaint.empty() ? complaint_of_status(found, header, moved) : complaint;
}

/// Where the model differs from what was recomputed by what rounding explains, but that is more
/// than its tolerance, nothing can be said of it.
std::string beyond_digits(const Certificate& found, const Model& model, const Kernel* kernel) {
  const double scale =
      std::max(std::isfinite(found.primal) ? std::abs(found.primal) : 0.0, std::abs(found.dual));
  const auto tolerance =
      std::ranges::find(model.header().options, "tolerance", &OptionScalars::value_type::first);
  const bool has_one = tolerance != model.header().options.end() &&
                       std::holds_alternative<double>(tolerance->second);
  const double allowed = std::max(slack, has_one ? std::get<double>(tolerance->second) : slack);
  if (found.rounding <= allowed * scale || complaint_of(found, model, kernel, 0).empty()) return {};
  return "rounding may move the objective " + format_number(found.primal) + " by " +
         format_number(found.rounding, 2) +
         ": weights or costs are too far apart for a certificate in double precision";
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
  KeptMachine kept{.machine = machine_of(model, info().task), .document = document};
  use_training_kernel(kept.machine, given);
  if (std::string other = other_features(data, features_of(kept.machine)); !other.empty()) {
    return {.agrees = false, .complaint = std::move(other)};
  }
  const SolveReport said = sum_of_reports(machine_reports_of(document));
  if (claims_nothing(said, model.header())) {
    return {.complaint = "the training ended as " + std::string(to_string(*model.header().status)) +
                         " without an objective: there is nothing to verify"};
  }
  return verified_unless_stopped([&] { return verify_machine(kept, model, given.data, context); });
}

Verification SupervisedLearner::verify_machine(const KeptMachine& kept,
                                               const Model& model,
                                               const Dataset& data,
                                               const Context& context) const {
  ask_in_verify(context);
  const Machine& machine = kept.machine;
  const Kernel* const kernel = kernel_of(machine);
  std::string claim = false_claim(model, kernel, rows_seen(machine, data), context);
  if (!claim.empty()) return {.agrees = false, .complaint = std::move(claim)};
  if (may_be_indefinite() && is_without_proof(kept.machine, model.header(), context)) {
    return {.complaint = std::string(no_proof)};
  }
  Certificate found;
  try {
    found = certificate(kept, data, kept_options(model.header(), own_options()), context);
  } catch (const NothingToVerify& none) {
    return {.complaint = none.what()};
  }
  Verification result{.primal = found.primal,
                      .dual = found.dual,
                      .lower_bound = found.lower_bound,
                      .complaint = complaint_of(found, model, kernel, found.rounding)};
  result.agrees = result.complaint.empty();
  if (std::string reason = beyond_digits(found, model, kernel); *result.agrees && !reason.empty()) {
    result.agrees = std::nullopt;
    result.complaint = std::move(reason);
  }
  return result;
}

}  // namespace maxmargin::learning

// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <algorithm>
#include <cmath>

#include "kept_dual.hpp"
#include "learners.hpp"
#include "machine.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::tool {

namespace {

const LearnerSpec& verifiable_learner(const std::string& name) {
  const LearnerSpec* learner = learner_named(name);
  if (learner == nullptr || (learner->verify == nullptr && learner->verify_kept_dual == nullptr)) {
    throw UsageError("--verify: the learner " + name + " has no certificate to recompute");
  }
  return *learner;
}

/// What the machine was asked for, as its document says.
MachineTerms terms_of(const ModelDocument& document) {
  MachineTerms terms;
  terms.c = number_or(document, "option.C", terms.c);
  terms.nu = number_or(document, "option.nu", terms.nu);
  terms.epsilon = number_or(document, "option.epsilon", terms.epsilon);
  terms.epsilon = number_or(document, "found.tube", terms.epsilon);
  if (document.has("option.bias")) terms.bias = document.boolean("option.bias");
  if (document.has("option.loss") && document.string("option.loss") == "squared-hinge") {
    terms.slacks = SlackPower::two;
  }
  terms.class_weights = class_weights_of(document);
  return terms;
}

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

void require_verifiable(const std::string& learner) { (void)verifiable_learner(learner); }

Verification verify_machine(LoadedMachine loaded,
                            const SupervisedData& given,
                            std::optional<std::size_t> threads) {
  if (!loaded.document || !loaded.document->has("training.examples")) {
    throw UsageError("--verify: the model does not say how it was trained");
  }
  const LearnerSpec& learner = verifiable_learner(loaded.learner);
  const ModelDocument& document = *loaded.document;
  if (auto* expansion = std::get_if<KernelExpansion>(&functions_of(loaded.machine));
      expansion != nullptr && given.kernel_matrix != nullptr) {
    expansion->kernel = Precomputed{given.kernel_matrix};
  }
  if (given.data.size() != static_cast<std::size_t>(document.integer("training.examples"))) {
    return {.complaint = given.data.source + " has " + std::to_string(given.data.size()) +
                         " rows, the training had " +
                         std::to_string(document.integer("training.examples"))};
  }
  const Certificate found =
      learner.verify != nullptr
          ? learner.verify(loaded.machine, given.data, terms_of(document), threads)
          : learner.verify_kept_dual(loaded, given.data, threads);
  Verification result{
      .primal = found.primal,
      .dual = found.dual,
      .complaint = complaint_of(found, sum_of_reports(machine_reports_of(document)))};
  result.agrees = result.complaint.empty();
  return result;
}

}  // namespace maxmargin::tool

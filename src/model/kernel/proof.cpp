// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/proof.hpp"

#include <algorithm>

#include "kernel/parts.hpp"

namespace maxmargin {

bool lacks_proof(const Kernel& kernel) {
  const Definiteness known = definiteness(kernel);
  if (known != Definiteness::unknown) return known == Definiteness::indefinite;
  bool has_matrix = false;
  for_each_leaf(kernel, [&](const Kernel& leaf) {
    has_matrix = has_matrix || std::holds_alternative<Precomputed>(leaf);
  });
  return !has_matrix;
}

void take_back_proof(SolveReport& report) {
  report.dual_objective.reset();
  report.lower_bound.reset();
  if (report.status == Status::solved) report.status = Status::local_optimum;
  const std::string warning(no_proof);
  if (std::ranges::find(report.warnings, warning) == report.warnings.end()) {
    report.warnings.push_back(warning);
  }
}

void take_back_proof(std::vector<MachineReport>& machines, SolveReport& sum) {
  for (MachineReport& machine : machines) take_back_proof(machine.report);
  take_back_proof(sum);
}

}  // namespace maxmargin

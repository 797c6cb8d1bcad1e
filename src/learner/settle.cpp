// SPDX-License-Identifier: Apache-2.0
#include "learner/settle.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/settle.hpp"

namespace maxmargin::learning {

namespace {

/// Unset: there is no such number.
std::optional<double> number_in(const ReportFields& fields, std::string_view name) {
  const auto at = std::ranges::find(fields, name, &ReportFields::value_type::first);
  const auto* const found = at == fields.end() ? nullptr : std::get_if<double>(&at->second);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// A relaxation says itself how it ended; solved is said of a gap within the tolerance alone.
void settle_relaxation(ReportFields& relaxation, double tolerance) {
  const std::optional<double> gap = number_in(relaxation, "relative_gap");
  if (!gap || *gap <= tolerance) return;
  for (auto& [key, value] : relaxation) {
    if (key != "status" || value != ReportValue(std::string(to_string(Status::solved)))) continue;
    value = std::string(to_string(Status::solved_inaccurate));
  }
}

}  // namespace

void settle_status(const LearnerInfo& info,
                   const ReportFields& options,
                   SolveReport& report,
                   std::vector<std::pair<std::string, ReportFields>>& objects,
                   std::vector<std::pair<std::string, std::vector<ReportFields>>>& tables) {
  const double tolerance = number_in(options, "tolerance").value_or(usual_tolerance);
  for (auto& [name, fields] : objects) {
    if (name == "relaxation") settle_relaxation(fields, tolerance);
  }
  for (auto& [name, rows] : tables) {
    if (name != "relaxations") continue;
    for (ReportFields& row : rows) settle_relaxation(row, tolerance);
  }
  settle_end(report, info.ending, tolerance, number_in(options, "kkt_tolerance"));
}

}  // namespace maxmargin::learning

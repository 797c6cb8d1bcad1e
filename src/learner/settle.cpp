// SPDX-License-Identifier: Apache-2.0
#include "learner/settle.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

namespace {

/// Of learners without a tolerance of their own.
constexpr double usual_tolerance = 1e-3;

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

/// What holds of a run that is not within the tolerance, and that a violation was to end.
std::string message_of_gap(double gap, double tolerance, std::optional<double> violation) {
  const std::string first =
      violation ? "the violation is within " + format_number(*violation) + "; " : "";
  return first + "the relative gap is " + format_number(gap) + ", wanted " +
         format_number(tolerance);
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
  if (report.status != Status::solved) return;
  const std::optional<double> gap = report.relative_gap();
  if (gap && *gap <= tolerance) return;
  if (!gap && info.ending != Ending::search) return;
  if (info.ending != Ending::gap) {
    report.status = Status::local_optimum;
    return;
  }
  report.status = Status::solved_inaccurate;
  report.message = message_of_gap(*gap, tolerance, number_in(options, "kkt_tolerance"));
}

}  // namespace maxmargin::learning

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

/// How the relaxation itself ended: like the run, but for a gap that is too wide.
Status status_of_relaxation(const ReportFields& relaxation, Status run, double tolerance) {
  const std::optional<double> gap = number_in(relaxation, "relative_gap");
  return gap && !(*gap <= tolerance) ? worse(run, Status::solved_inaccurate) : run;
}

}  // namespace

void settle_status(const LearnerInfo& info,
                   const ReportFields& options,
                   SolveReport& report,
                   std::vector<std::pair<std::string, ReportFields>>& objects) {
  const double tolerance = number_in(options, "tolerance").value_or(usual_tolerance);
  for (auto& [name, fields] : objects) {
    if (name != "relaxation" || !number_in(fields, "value")) continue;
    const Status status = status_of_relaxation(fields, report.status, tolerance);
    fields.emplace_back("status", std::string(to_string(status)));
  }
  if (report.status != Status::solved || number_in(options, "kkt_tolerance")) return;
  const std::optional<double> gap = report.relative_gap();
  if (gap && *gap <= tolerance) return;
  if (!gap && info.ending == Ending::procedure) return;
  if (!gap || info.ending != Ending::gap) {
    report.status = Status::local_optimum;
    return;
  }
  report.status = Status::solved_inaccurate;
  report.message =
      "the relative gap is " + format_number(*gap) + ", wanted " + format_number(tolerance);
}

}  // namespace maxmargin::learning

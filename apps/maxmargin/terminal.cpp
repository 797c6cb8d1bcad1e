// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "interrupt.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "printable.hpp"

namespace maxmargin::tool {

namespace {

/// Standard error shows no control characters; std::clog, which leads to the same place, does.
constexpr const char* clear_line = "\r\033[K";
bool line_is_drawn = false;

constexpr double seconds_between_lines = 20;

}  // namespace

std::string shown(double value, int digits) {
  return std::isnan(value) ? "undefined" : format_number(value, digits);
}

namespace {

/// Where a run stands, in one line.
std::string line_of(const Progress& progress, double seconds) {
  std::string line = std::string(progress.phase) + " " + std::to_string(progress.iteration);
  if (progress.max_iterations) line += "/" + std::to_string(*progress.max_iterations);
  if (progress.primal_objective) {
    line += "  objective " + shown(*progress.primal_objective);
  }
  if (progress.gap) line += "  gap " + format_number(*progress.gap, 3);
  return line + "  " + format_number(seconds, 3) + " s";
}

}  // namespace

ProgressCallback progress_line(bool quiet) {
  if (quiet) return {};
  if (isatty(STDERR_FILENO) == 0) {
    // In a file or a pipe the lines stay: one now and then, and none of short runs.
    return [watch = Stopwatch(), next = seconds_between_lines](const Progress& progress) mutable {
      if (progress.phase.empty() || watch.seconds() < next) return Continue::yes;
      next = watch.seconds() + seconds_between_lines;
      std::cerr << line_of(progress, watch.seconds()) + "\n" << std::flush;
      return Continue::yes;
    };
  }
  return [watch = Stopwatch()](const Progress& progress) {
    if (progress.phase.empty()) return Continue::yes;
    std::clog << clear_line << printable(line_of(progress, watch.seconds()), true) << std::flush;
    line_is_drawn = true;
    return Continue::yes;
  };
}

void end_progress_line() {
  if (line_is_drawn) std::clog << clear_line << std::flush;
  line_is_drawn = false;
}

std::string table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const auto& row : rows) {
    names.push_back(printable(row.first, true));
    width = std::max(width, names.back().size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += names[r] + std::string(width - names[r].size() + 2, ' ') +
            printable(rows[r].second, true) + "\n";
  }
  return text;
}

std::string shown(const ReportValue& value) {
  struct Visitor {
    std::string operator()(std::monostate /*nothing*/) const { return "none"; }
    std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
    std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
    std::string operator()(double real) const { return shown(real); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value);
}

std::string table(const ReportFields& fields) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.reserve(fields.size());
  for (const auto& [name, value] : fields) rows.emplace_back(name, shown(value));
  return table(rows);
}

std::string columns(const std::vector<ReportFields>& rows) {
  if (rows.empty()) return {};
  std::vector<std::vector<std::string>> cells(1);
  for (const auto& [name, value] : rows.front()) {
    cells.front().push_back(std::holds_alternative<bool>(value) ? "" : printable(name, true));
  }
  for (const ReportFields& row : rows) {
    cells.emplace_back();
    for (const auto& [name, value] : row) {
      const bool* truth = std::get_if<bool>(&value);
      const bool nothing = std::holds_alternative<std::monostate>(value);
      cells.back().push_back(truth != nullptr ? (*truth ? "*" : "")
                             : nothing        ? "-"
                                              : printable(shown(value), true));
    }
  }
  std::vector<std::size_t> width(cells.front().size(), 0);
  for (const std::vector<std::string>& row : cells) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c] + std::string(width[c] - row[c].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

namespace {

/// A gap that rounding alone made negative is shown as what it is, none. One that is really
/// negative shows a wrong bound.
double without_rounding(double relative_gap) {
  constexpr double rounding = 1e-12;
  return relative_gap < 0 && relative_gap > -rounding ? 0 : relative_gap;
}

}  // namespace

std::string summary(const RunReport& report) {
  const SolveReport& solve = report.solve;
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back(report.kind, report.name);
  rows.emplace_back("examples", std::to_string(report.n) + " x " + std::to_string(report.d));
  std::string status(to_string(solve.status));
  if (!solve.message.empty()) status += " (" + solve.message + ")";
  rows.emplace_back("status", status);
  const auto add = [&rows](const std::string& name, std::optional<double> value) {
    if (value && std::isfinite(*value)) rows.emplace_back(name, shown(*value));
  };
  add("objective", solve.primal_objective);
  add("dual objective", solve.dual_objective);
  if (const std::optional<BoundKind> bound = solve.bound()) {
    rows.emplace_back("lower bound",
                      shown(*solve.lower_bound) + " (" + std::string(to_string(*bound)) + ")");
  }
  if (const std::optional<double> gap = solve.relative_gap()) {
    add(report.oracle == "inexact" ? "relative gap (an estimate)" : "relative gap",
        without_rounding(*gap));
  }
  rows.emplace_back("iterations", std::to_string(solve.iterations));
  for (const auto& [name, value] : report.metrics) {
    rows.emplace_back(name, value ? shown(*value) : "undefined");
  }
  if (report.verified || !report.verify_reason.empty()) {
    const std::string verdict = verification_was_stopped() ? "no"
                                : !report.verified         ? "nothing to verify"
                                : *report.verified         ? "yes"
                                                           : "NO";
    const std::string reason = report.verify_reason.empty() ? "" : ": " + report.verify_reason;
    rows.emplace_back("verified", verdict + reason);
  }
  double seconds = 0;
  for (const auto& [phase, spent] : solve.seconds) seconds += spent;
  rows.emplace_back("seconds", format_number(seconds, 3));
  return table(rows) + warning_lines(solve);
}

std::string warning_lines(const SolveReport& report) {
  std::string text;
  for (const std::string& warning : report.warnings) {
    text += "warning: " + printable(warning, true) + "\n";
  }
  return text;
}

}  // namespace maxmargin::tool

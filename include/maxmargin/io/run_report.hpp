// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/report.hpp"

namespace maxmargin {

/// A value in a report: nothing (null), a truth value, a whole number, a number or a text.
using ReportValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Named values in the order shown.
using ReportFields = std::vector<std::pair<std::string, ReportValue>>;

/// Everything a run of the tool has to say, as written by `--json` (docs/guide/report.md).
struct RunReport {
  /// "learner" or "method": the key under which `name` appears.
  std::string kind = "method";
  std::string name = {};
  std::size_t n = 0;
  std::size_t d = 0;
  SolveReport solve = {};
  /// In the order shown; an undefined measure is empty.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// The options as used, defaults filled in.
  ReportFields options = {};
  /// Named lists of rows (what a search tried); a list without rows is left out.
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
  /// Named objects of values, such as what a relaxation found.
  std::vector<std::pair<std::string, ReportFields>> objects = {};
  /// "exact" or "inexact", for learners of structured outputs: with an inexact argmax the gap is an
  /// estimate. Empty for other runs.
  std::optional<std::string> oracle = std::nullopt;
  /// What `--verify` found; empty when it was not asked for, or found nothing to verify.
  std::optional<bool> verified = std::nullopt;
  /// Why `verified` is false or, where it is empty, why there was nothing to verify.
  std::string verify_reason = {};

  /// The value of a metric, if it is there and defined.
  [[nodiscard]] MAXMARGIN_EXPORT std::optional<double> metric(const std::string& metric_name) const;
};

/// The report as a JSON object, indented, ending with a newline. Numbers are written so that they
/// read back exactly; NaN and infinities become null.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_json(const RunReport& report);

/// Named values as a JSON object in the given order, followed by named objects of such values.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_json(
    const ReportFields& fields,
    const std::vector<std::pair<std::string, ReportFields>>& objects = {});

/// Adds to the report's options the threads that a run with this context has.
MAXMARGIN_EXPORT void add_threads(const Context& context, RunReport& report);

}  // namespace maxmargin

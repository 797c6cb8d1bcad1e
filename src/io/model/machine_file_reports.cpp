// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin {

namespace {

/// The columns of the section `machines`, in this order; the guide lists them.
enum Column : std::size_t {
  iterations,
  support_vectors,
  bounded,
  squared_norm,
  primal_objective,
  dual_objective,
  lower_bound,
  primal_residual,
  dual_residual,
  column_count
};

constexpr std::string_view dual_name = "dual";
constexpr std::string_view table_name = "machines";
constexpr std::string_view status_name = "machines.status";
constexpr std::string_view message_name = "machines.message";
constexpr std::string_view warnings_name = "machines.warnings";
constexpr std::string_view warned_name = "machines.warned";

/// What does not exist is NaN in the table.
double or_nan(std::optional<double> value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}
std::optional<double> unless_nan(double value) {
  return std::isnan(value) ? std::nullopt : std::optional<double>(value);
}

std::uint64_t load_count(const ModelDocument& document, double value) {
  demand(is_whole(value), document, table_name, "must hold whole numbers as iterations and counts");
  return static_cast<std::uint64_t>(value);
}

Status load_status(const ModelDocument& document, const std::string& name) {
  if (const std::optional<Status> status = value_named<Status>(name)) return *status;
  refuse(document, status_name, "holds the unknown status '" + name + "'");
}

void load_warnings(const ModelDocument& document, std::vector<MachineReport>& machines) {
  if (!document.has(warnings_name)) return;
  const std::vector<std::string>& warnings = document.strings(warnings_name);
  const std::vector<double>& warned = document.numbers(warned_name);
  demand(warned.size() == warnings.size(), document, warned_name, "must name a machine a warning");
  for (std::size_t w = 0; w < warned.size(); ++w) {
    demand(is_whole(warned[w]) && warned[w] < static_cast<double>(machines.size()),
           document,
           warned_name,
           "must hold numbers of machines, from 0");
    machines[static_cast<std::size_t>(warned[w])].report.warnings.push_back(warnings[w]);
  }
}

}  // namespace

void add_machine_reports(ModelDocument& document, const std::vector<MachineReport>& machines) {
  if (machines.empty()) return;
  DenseMatrix table(machines.size(), column_count);
  std::vector<std::string> statuses;
  std::vector<std::string> messages;
  std::vector<std::string> warnings;
  std::vector<double> warned;
  bool any_message = false;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const MachineReport& machine = machines[m];
    const SolveReport& report = machine.report;
    table(m, iterations) = static_cast<double>(report.iterations);
    table(m, support_vectors) = static_cast<double>(machine.support_vectors);
    table(m, bounded) = static_cast<double>(machine.bounded);
    table(m, squared_norm) = machine.squared_norm;
    table(m, primal_objective) = or_nan(report.primal_objective);
    table(m, dual_objective) = or_nan(report.dual_objective);
    table(m, lower_bound) = or_nan(report.lower_bound);
    table(m, primal_residual) = or_nan(report.primal_residual);
    table(m, dual_residual) = or_nan(report.dual_residual);
    statuses.emplace_back(to_string(report.status));
    messages.push_back(report.message);
    any_message = any_message || !report.message.empty();
    for (const std::string& warning : report.warnings) {
      warnings.push_back(warning);
      warned.push_back(static_cast<double>(m));
    }
  }
  document.set_dense(std::string(table_name), std::move(table));
  document.set_strings(std::string(status_name), std::move(statuses));
  if (any_message) document.set_strings(std::string(message_name), std::move(messages));
  if (!warnings.empty()) {
    document.set_strings(std::string(warnings_name), std::move(warnings));
    document.set_numbers(std::string(warned_name), std::move(warned));
  }
}

std::vector<MachineReport> machine_reports_of(const ModelDocument& document) {
  if (!document.has(table_name)) return {};
  const DenseMatrix& table = document.dense(table_name);
  demand(table.cols() == column_count, document, table_name, "must have 9 columns");
  const std::vector<std::string>& statuses = document.strings(status_name);
  demand(statuses.size() == table.rows(), document, status_name, "must have a status a machine");
  std::vector<MachineReport> machines(table.rows());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    MachineReport& machine = machines[m];
    machine.report.status = load_status(document, statuses[m]);
    machine.report.iterations = load_count(document, table(m, iterations));
    machine.support_vectors = load_count(document, table(m, support_vectors));
    machine.bounded = load_count(document, table(m, bounded));
    machine.squared_norm = table(m, squared_norm);
    machine.report.primal_objective = unless_nan(table(m, primal_objective));
    machine.report.dual_objective = unless_nan(table(m, dual_objective));
    machine.report.lower_bound = unless_nan(table(m, lower_bound));
    machine.report.primal_residual = unless_nan(table(m, primal_residual));
    machine.report.dual_residual = unless_nan(table(m, dual_residual));
  }
  if (document.has(message_name)) {
    const std::vector<std::string>& messages = document.strings(message_name);
    demand(messages.size() == machines.size(), document, message_name, "must be one a machine");
    for (std::size_t m = 0; m < machines.size(); ++m) machines[m].report.message = messages[m];
  }
  load_warnings(document, machines);
  return machines;
}

void add_dual_point(ModelDocument& document, const DualPoint& point) {
  if (point.empty()) return;
  DenseMatrix matrix(point.size(), point.front().size());
  for (std::size_t f = 0; f < point.size(); ++f) {
    require(point[f].size() == matrix.cols(), "functions differ in their rows");
    std::ranges::copy(point[f], matrix.row(f).begin());
  }
  store_matrix(document, std::string(dual_name), std::move(matrix));
}

DualPoint dual_point_of(ModelDocument document, std::size_t functions, std::size_t rows) {
  DualPoint point;
  if (!document.has(dual_name)) return point;
  const DenseMatrix matrix = load_matrix(document, dual_name, functions, rows);
  for (std::size_t f = 0; f < functions; ++f) {
    point.emplace_back(matrix.row(f).begin(), matrix.row(f).end());
  }
  return point;
}

}  // namespace maxmargin

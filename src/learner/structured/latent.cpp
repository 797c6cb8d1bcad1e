// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/latent.hpp"

#include <algorithm>
#include <cstdint>

namespace maxmargin::learning {

namespace {

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

ReportValue value_of(const std::optional<double>& value) {
  return value ? ReportValue(*value) : ReportValue(std::monostate{});
}

std::vector<ReportFields> trace_rows(const LatentSolution& found) {
  std::vector<ReportFields> rows;
  for (const LatentStep& step : found.trace) {
    rows.push_back({{"step", whole(rows.size() + 1)},
                    {"objective", step.objective},
                    {"inner_gap", step.inner_gap},
                    {"changed", whole(step.changed)},
                    {"refused", whole(step.refused)},
                    {"oracle_calls", whole(step.oracle_calls)}});
  }
  return rows;
}

std::vector<ReportFields> run_rows(const LatentSolution& found, const std::string& measured) {
  std::vector<ReportFields> rows;
  for (const LatentRun& run : found.runs) {
    ReportFields row = {{"run", whole(rows.size() + 1)},
                        {"objective", value_of(run.objective)},
                        {"stationary_gap", value_of(run.stationary_gap)},
                        {"status", std::string(to_string(run.status))},
                        {"steps", whole(run.steps)},
                        {"oracle_calls", whole(run.oracle_calls)}};
    if (!measured.empty()) row.emplace_back(measured, value_of(run.measure));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Least and largest of what is there, as metrics.
template <class Value>
void add_spread(const LatentSolution& found,
                const std::string& name,
                const Value& value,
                StructuredFit& fit) {
  std::optional<double> least;
  std::optional<double> largest;
  for (const LatentRun& run : found.runs) {
    const std::optional<double> here = value(run);
    if (!here) continue;
    least = std::min(least.value_or(*here), *here);
    largest = std::max(largest.value_or(*here), *here);
  }
  fit.metrics.emplace_back("least_" + name, least);
  fit.metrics.emplace_back("largest_" + name, largest);
}

}  // namespace

void add_search(const LatentSolution& found, std::string_view measured, StructuredFit& fit) {
  const std::string name(measured);
  fit.report = found.report;
  fit.metrics.emplace_back("stationary_gap", found.stationary_gap);
  fit.metrics.emplace_back("oracle_calls", static_cast<double>(found.oracle_calls));
  if (found.runs.size() > 1) {
    add_spread(
        found, "objective", [](const LatentRun& run) { return run.objective; }, fit);
    if (!name.empty()) {
      add_spread(
          found, name, [](const LatentRun& run) { return run.measure; }, fit);
    }
    fit.tables.emplace_back("runs", run_rows(found, name));
  }
  fit.tables.emplace_back("trace", trace_rows(found));
}

}  // namespace maxmargin::learning

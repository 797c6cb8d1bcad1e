// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/latent.hpp"

#include <algorithm>
#include <cstdint>

#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

ReportValue value_of(const std::optional<double>& value) {
  return value ? ReportValue(*value) : ReportValue(std::monostate{});
}

/// Relative to the objective, as all stationary gaps of reports are.
std::optional<double> relative(const std::optional<double>& gap,
                               const std::optional<double>& objective) {
  if (!gap || !objective) return std::nullopt;
  return *objective > 0 ? *gap / *objective : 0.0;
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
                        {"stationary_gap", value_of(relative(run.stationary_gap, run.objective))},
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

void StartModelChoice::describe(OptionVisitor& visit, bool is_wanted) {
  visit.text({.name = "start-model",
              .help = "model whose weights --start weights begins with",
              .value = "FILE",
              .fallback = "none"},
             path);
  visit.rule(is_wanted || !path, "--start-model: belongs to --start weights");
  visit.rule(!is_wanted || path, "--start weights: needs --start-model FILE");
}

Model StartModelChoice::load(std::span<const std::string_view> learners) const {
  Model model = load_model(*path);
  const std::string& found = model.header().learner;
  if (std::ranges::find(learners, found) != learners.end()) return model;
  std::string known;
  for (const std::string_view name : learners) {
    known.append(known.empty() ? "" : " or ").append(name);
  }
  throw FileError(*path, "is a model of " + found + ", not of " + known);
}

void require_start_weights(const std::string& path, std::size_t has, std::size_t wanted) {
  if (has == wanted) return;
  throw FileError(path,
                  "has " + std::to_string(has) + " features, the data " + std::to_string(wanted));
}

void add_search(const LatentSolution& found, std::string_view measured, StructuredFit& fit) {
  const std::string name(measured);
  fit.report = found.report;
  fit.metrics.emplace_back("stationary_gap",
                           relative(found.stationary_gap, found.report.primal_objective));
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

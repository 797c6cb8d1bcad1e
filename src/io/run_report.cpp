// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/run_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "maxmargin/core/version.hpp"

namespace maxmargin {

namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

Json to_value(const ReportValue& value) {
  struct Visitor {
    Json operator()(std::monostate /*nothing*/) const { return nullptr; }
    Json operator()(bool truth) const { return truth; }
    Json operator()(std::int64_t whole) const { return whole; }
    Json operator()(double real) const { return number(real); }
    Json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value);
}

Json to_object(const ReportFields& fields) {
  Json object = Json::object();
  for (const auto& [name, value] : fields) object[name] = to_value(value);
  return object;
}

/// Bytes that are not UTF-8 (a label in another encoding) are replaced, not refused.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::optional<double> RunReport::metric(const std::string& metric_name) const {
  for (const auto& [listed, value] : metrics) {
    if (listed == metric_name) return value;
  }
  return std::nullopt;
}

std::string to_json(const RunReport& report) {
  const SolveReport& solve = report.solve;
  Json json;
  json["status"] = to_string(solve.status);
  if (!solve.message.empty()) json["message"] = solve.message;
  json[report.kind] = report.name;
  json["n"] = report.n;
  json["d"] = report.d;
  json["primal_objective"] = number(solve.primal_objective);
  json["dual_objective"] = number(solve.dual_objective);
  json["lower_bound"] = number(solve.lower_bound);
  if (const auto bound = solve.bound()) json["bound"] = to_string(*bound);
  json["gap"] = number(solve.gap());
  json["relative_gap"] = number(solve.relative_gap());
  if (report.oracle) json["oracle"] = *report.oracle;
  json["iterations"] = solve.iterations;
  Json& seconds = json["seconds"] = Json::object();
  for (const auto& [phase, spent] : solve.seconds) seconds[phase] = spent;
  Json& metrics = json["metrics"] = Json::object();
  for (const auto& [name, value] : report.metrics) metrics[name] = number(value);
  for (const auto& [name, object] : report.objects) json[name] = to_object(object);
  for (const auto& [name, rows] : report.tables) {
    for (const ReportFields& row : rows) json[name].push_back(to_object(row));
  }
  if (report.verified) {
    json["verified"] = *report.verified;
  } else if (!report.verify_reason.empty()) {
    json["verified"] = nullptr;
  }
  if (!report.verify_reason.empty()) json["verify_reason"] = report.verify_reason;
  json["warnings"] = solve.warnings;
  json["options"] = to_object(report.options);
  json["version"] = MAXMARGIN_VERSION;
  return dump(json);
}

std::string to_json(const ReportFields& fields,
                    const std::vector<std::pair<std::string, ReportFields>>& objects) {
  Json json = to_object(fields);
  for (const auto& [name, object] : objects) json[name] = to_object(object);
  return dump(json);
}

void add_threads(const Context& context, RunReport& report) {
  report.options.emplace_back("threads", static_cast<std::int64_t>(thread_count(context.threads)));
}

}  // namespace maxmargin

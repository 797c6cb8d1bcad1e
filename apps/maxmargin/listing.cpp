// SPDX-License-Identifier: Apache-2.0
#include "listing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "maxmargin/io/builtin.hpp"
#include "maxmargin/metric/registry.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string section(const std::string& title, const Rows& rows) {
  Rows indented;
  for (const auto& [name, text] : rows) indented.emplace_back("  " + name, text);
  return title + ":\n" + table(indented);
}

std::string methods() {
  Rows rows;
  for (const ClusterMethod& method : cluster_methods())
    rows.emplace_back(method.name, method.summary);
  return section("Methods", rows);
}

std::string metrics() {
  Rows rows;
  for (const Metric& metric : all_metrics()) rows.emplace_back(metric.name, metric.description);
  return section("Metrics", rows);
}

std::string builtin_data() {
  Rows rows;
  for (const BuiltinInfo& set : builtin_list())
    rows.emplace_back("builtin:" + set.name, set.summary);
  return section("Built-in data (parameters: docs/guide/builtin-data.md)", rows);
}

}  // namespace

std::string listing_for(std::string_view command) {
  if (command == "cluster") return methods() + "\n" + builtin_data();
  if (command == "eval") return metrics();
  if (command == "info" || command == "convert") return builtin_data();
  return {};
}

}  // namespace maxmargin::tool

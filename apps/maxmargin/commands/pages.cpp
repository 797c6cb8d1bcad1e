// SPDX-License-Identifier: Apache-2.0
//
// Pages of help that several commands share: measures, data, svm-train's options, all options.
#include <algorithm>

#include "cli/call.hpp"
#include "cli/help.hpp"
#include "commands/common.hpp"
#include "compat/libsvm_call.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/metric/registry.hpp"

namespace maxmargin::tool {

namespace {

std::string metrics_page() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Metric& metric : all_metrics()) rows.emplace_back(metric.name, metric.description);
  return wrapped(
             "Measures of --metric (eval, tune and train --folds); definitions are in "
             "docs/guide/metrics. Learners of sequences, rankings, label sets, partitions and "
             "alignments have measures of their own: maxmargin eval --task NAME.") +
         "\nMetrics:\n" + listed(rows);
}

/// The options of the other kinds of data that tables do not have.
std::vector<OptionGroup> groups_beside_tables() {
  const std::vector<OptionDescription> of_tables = source_options(DataKind::table);
  std::vector<OptionGroup> groups;
  for (const Name<DataKind>& kind : names_of<DataKind>) {
    OptionGroup group{"Also of " + std::string(kind.name), {}};
    for (OptionDescription& option : source_options(kind.value)) {
      const bool is_known = std::ranges::find(of_tables, option) != of_tables.end();
      if (!is_known) group.options.push_back(std::move(option));
    }
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::string data_page() {
  std::string page = wrapped(
      "DATA is a file, - (standard input) or builtin:NAME. The format is found by content; .gz, "
      ".bz2 and .xz are read directly. Formats: docs/guide/data-formats.md.");
  page += listed(data_group(DataKind::table, "Options of tables"));
  for (const OptionGroup& group : groups_beside_tables()) page += listed(group);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const BuiltinInfo& set : builtin_list()) {
    rows.emplace_back("builtin:" + set.name, set.summary);
  }
  for (const BuiltinFile& file : builtin_files()) {
    rows.emplace_back("builtin:" + std::string(file.name), file.summary);
  }
  return page + "\nBuilt-in data (parameters: docs/guide/builtin-data.md):\n" + listed(rows);
}

std::string libsvm_page() {
  return wrapped(
             "maxmargin train --libsvm reads svm-train's command line and writes its model file. "
             "More: docs/guide/coming-from-libsvm.md.") +
         "\n" + libsvm_help() +
         "\nExamples:\n  maxmargin train --libsvm -c 10 -g 0.05 a9a a9a.model\n";
}

constexpr HelpPage all_pages[] = {
    {"data", "files and built-in data, and how they are read", data_page},
    {"metrics", "measures of predictions and clusters", metrics_page},
    {"libsvm", "svm-train's options, for train --libsvm", libsvm_page},
    {"options", "all options of all commands and learners, as Markdown", options_page},
};

}  // namespace

std::span<const HelpPage> help_pages() { return all_pages; }

}  // namespace maxmargin::tool

// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sources.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/conditional_options.hpp"
#include "learner/source/table_source.hpp"
#include "learner/structured/bags.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/read_labels.hpp"

namespace maxmargin::learning {

namespace {

/// Shows another visitor some of the options alone.
class OptionsAmong final : public ForwardingOptions {
 public:
  OptionsAmong(OptionVisitor& visit, std::vector<std::string_view> names)
      : ForwardingOptions(visit), names_(std::move(names)) {}
  void option(const OptionHelp& help, OptionValue& value) override {
    if (std::ranges::find(names_, help.name) != names_.end()) other().option(help, value);
  }

 private:
  std::vector<std::string_view> names_;
};

void describe_among(OptionVisitor& visit,
                    ReadOptions& options,
                    std::vector<std::string_view> names) {
  OptionsAmong some(visit, std::move(names));
  options.describe(some);
}

}  // namespace

void QueriesReading::describe(OptionVisitor& visit) {
  const std::string_view last = use == RowsUse::train ? "weight" : "unlabeled";
  describe_among(
      visit, file, {"format", "label", "header", "zero-based", "labels", "groups", last});
}

TableData read_queries(const std::string& path,
                       const QueriesReading& options,
                       const Context& context,
                       std::optional<std::size_t> model_features) {
  ReadOptions file = options.file;
  file.context = context;
  file.whole_groups = true;
  file.group_weights = options.use == RowsUse::train;
  file.model_features = model_features;
  return read_rows(path, file);
}

void BagsReading::describe(OptionVisitor& visit) {
  visit.text({.name = "bag",
              .help = "which bag a row is of: a column of a table, or a file of bag sizes",
              .value = "COLUMN|FILE",
              .fallback = "qid of svmlight files"},
             file.group);
  std::vector<std::string_view> names = {"format", "label", "header", "zero-based", "labels"};
  if (use == RowsUse::train) names.emplace_back("weight");
  describe_among(visit, file, std::move(names));
}

TableData read_bags(const std::string& path,
                    const BagsReading& options,
                    const Context& context,
                    std::optional<std::size_t> model_features) {
  ReadOptions file = options.file;
  file.context = context;
  file.whole_groups = !options.file.group;
  file.model_features = model_features;
  TableData table = read_rows(path, file);
  check_bags(table.data);
  return table;
}

void LabelSetsReading::describe(OptionVisitor& visit) {
  std::vector<std::string_view> names = {"format", "zero-based"};
  if (use == RowsUse::train) names.emplace_back("weight");
  describe_among(visit, file, std::move(names));
}

TableData read_rows_with_label_sets(const std::string& path,
                                    const LabelSetsReading& options,
                                    const Context& context) {
  ReadOptions file = options.file;
  file.context = context;
  file.multi_label = true;
  TableData table = read_rows(path, file);
  if (table.data.has_labels()) {
    throw FileError(path, "has one label a row: sets of labels come in svmlight files, 1,4 2:0.5");
  }
  // Empty sets alone are what a file without labels reads as.
  const auto is_empty = [](const std::vector<Label>& set) { return set.empty(); };
  if (std::ranges::all_of(table.data.label_sets, is_empty)) table.data.label_sets.clear();
  return table;
}

void LabelsReading::describe(OptionVisitor& visit) {
  describe_among(visit, file, {"format", "label", "header", "labels", "unlabeled"});
}

LabelColumn read_truth(const std::string& path,
                       const LabelsReading& options,
                       const Context& context) {
  ReadOptions file = options.file;
  file.context = context;
  return read_labels(path, file);
}

}  // namespace maxmargin::learning

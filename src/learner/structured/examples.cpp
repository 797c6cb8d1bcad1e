// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/examples.hpp"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/model/structured/mil.hpp"

namespace maxmargin::learning {

namespace {

using Numbers = std::span<const std::size_t>;

/// The elements of a part that is empty or has one for each example.
template <class Element>
std::vector<Element> chosen(const std::vector<Element>& all, Numbers examples) {
  std::vector<Element> some;
  if (all.empty()) return some;
  some.reserve(examples.size());
  for (const std::size_t i : examples) some.push_back(all[i]);
  return some;
}

/// Numbers for names, in the order of first sight; an unnamed example is relative to none.
std::vector<std::int64_t> numbers_of(const std::vector<std::string>& names) {
  std::vector<std::int64_t> numbers;
  std::map<std::string, std::int64_t> known;
  std::int64_t next = 0;
  for (const std::string& name : names) {
    if (name.empty()) {
      numbers.push_back(next++);
      continue;
    }
    const auto [at, is_new] = known.try_emplace(name, next);
    if (is_new) ++next;
    numbers.push_back(at->second);
  }
  return numbers;
}

TableData select(const TableData& table, const std::vector<std::size_t>& rows) {
  TableData some{.data = table.data.select(rows), .format = table.format};
  if (table.all_labels) some.all_labels = table.all_labels->select(rows);
  return some;
}

TaggedText select(const TaggedText& text, Numbers examples) {
  TaggedText some(text.columns(), text.has_tags());
  some.source = text.source;
  some.column_names = text.column_names;
  std::vector<std::string_view> cells(text.columns());
  for (const std::size_t i : examples) {
    for (std::size_t token = text.begin(i); token < text.begin(i + 1); ++token) {
      for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = text.cell(token, c);
      std::optional<std::string_view> tag;
      if (text.has_tags()) tag = text.tags()[text.tag(token)];
      some.add_token(cells, tag);
    }
    some.end_sentence();
  }
  return some;
}

LearnerData select(const SequenceCollection& all, Numbers examples) {
  SequenceCollection some{.format = all.format, .label = all.label, .columns = all.columns};
  if (all.text) some.text = select(*all.text, examples);
  if (all.numbers) {
    const SequenceData& numbers = *all.numbers;
    some.numbers = SequenceData{.inputs = chosen(numbers.inputs, examples),
                                .labels = chosen(numbers.labels, examples),
                                .label_names = numbers.label_names,
                                .features = numbers.features,
                                .step_features = numbers.step_features,
                                .source = numbers.source};
  }
  return some;
}

LearnerData select(const PartitionCollection& all, Numbers examples) {
  const PartitionData& data = all.data;
  return PartitionCollection{.format = all.format,
                             .data = {.inputs = chosen(data.inputs, examples),
                                      .partitions = chosen(data.partitions, examples),
                                      .names = chosen(data.names, examples),
                                      .item_names = chosen(data.item_names, examples),
                                      .features = data.features,
                                      .source = data.source},
                             .documents = chosen(all.documents, examples)};
}

LearnerData select(const AlignmentData& all, Numbers examples) {
  return AlignmentData{.inputs = chosen(all.inputs, examples),
                       .references = chosen(all.references, examples),
                       .families = chosen(all.families, examples),
                       .source = all.source};
}

LearnerData select(const DnaData& all, Numbers examples) {
  return DnaData{.sequences = chosen(all.sequences, examples),
                 .names = chosen(all.names, examples),
                 .labels = chosen(all.labels, examples),
                 .weights = chosen(all.weights, examples),
                 .source = all.source};
}

}  // namespace

ExampleList::ExampleList(const LearnerData& data, DataKind kind) : data_(data) {
  std::visit(
      [&](const auto& own) {
        if constexpr (std::is_same_v<decltype(own), const TableData&>) {
          look_at(own, kind);
        } else {
          look_at(own);
        }
      },
      data);
}

void ExampleList::look_at(const TableData& table, DataKind kind) {
  const Dataset& data = table.data;
  if (kind == DataKind::bags) {
    Bags bags = bags_of(data);
    size_ = bags.size();
    unit_ = "bags";
    begins_ = std::move(bags.begins);
    LabelColumn labels;
    for (const Label& label : bags.labels) labels.push_back(label);
    classes_ = classes_of(labels).of_row;
  } else if (kind == DataKind::queries) {
    begins_ =
        data.groups.empty() ? std::vector<std::size_t>{0, data.size()} : group_begins(data.groups);
    size_ = begins_.size() - 1;
    unit_ = "queries";
  } else {
    size_ = data.size();
    groups_ = data.groups;
    if (data.has_labels()) classes_ = classes_of(data.labels).of_row;
  }
}

void ExampleList::look_at(const SequenceCollection& sequences) {
  unit_ = "sequences";
  if (sequences.text) size_ = sequences.text->size();
  if (sequences.numbers) size_ = sequences.numbers->size();
}

void ExampleList::look_at(const PartitionCollection& documents) {
  unit_ = "documents";
  if (documents.format == PartitionFormat::pairs) {
    size_ = documents.data.size();
    return;
  }
  size_ = documents.documents.size();
  std::vector<std::string> names;
  for (const CorefDocument& document : documents.documents) names.push_back(document.name);
  groups_ = numbers_of(names);
}

void ExampleList::look_at(const AlignmentData& pairs) {
  size_ = pairs.size();
  unit_ = "pairs";
  groups_ = numbers_of(pairs.families);
}

void ExampleList::look_at(const DnaData& sequences) {
  size_ = sequences.size();
  unit_ = "sequences";
  for (const std::int8_t label : sequences.labels) {
    classes_.push_back(label == 0 ? -1 : label > 0 ? 1 : 0);
  }
}

std::vector<Fold> ExampleList::folds(std::size_t k, std::uint64_t seed) const {
  if (k > size_) {
    throw InvalidArgument("--folds " + std::to_string(k) + ": more than there are " +
                          std::string(unit_) + " (" + std::to_string(size_) + ")");
  }
  if (!groups_.empty()) return grouped_folds(groups_, k, seed);
  if (!classes_.empty()) return stratified_folds(classes_, k, seed);
  return plain_folds(size_, k, seed);
}

LearnerData ExampleList::select(std::span<const std::size_t> examples) const {
  const auto* const table = std::get_if<TableData>(&data_);
  if (table == nullptr) {
    return std::visit(
        [&](const auto& own) -> LearnerData {
          if constexpr (std::is_same_v<decltype(own), const TableData&>) {
            return own;
          } else {
            return learning::select(own, examples);
          }
        },
        data_);
  }
  std::vector<std::size_t> rows;
  for (const std::size_t i : examples) {
    if (begins_.empty()) {
      rows.push_back(i);
      continue;
    }
    for (std::size_t row = begins_[i]; row < begins_[i + 1]; ++row) rows.push_back(row);
  }
  return learning::select(*table, rows);
}

}  // namespace maxmargin::learning

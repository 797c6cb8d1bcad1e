// SPDX-License-Identifier: Apache-2.0
//
// From a path to the kind of data that a learner takes.
#include "maxmargin/learner/source.hpp"

#include <algorithm>

#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/option_texts.hpp"
#include "learner/source/table_source.hpp"
#include "learner/structured/sources.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/read_labels.hpp"

namespace maxmargin {

namespace {

using namespace learning;

constexpr std::string_view groups_name = "groups";

TableData read_training_table(const Learner& learner,
                              const std::string& where,
                              const OptionTexts& source,
                              const OptionTexts& options,
                              const Context& context) {
  ReadOptions reading = table_options(source, context);
  const bool is_clustering = learner.info().task == Task::cluster;
  if (is_clustering) reading.label_default = CsvLabelDefault::features_if_numeric;
  if (!asks_for_kernel_values(options) || (is_clustering && is_builtin(where))) {
    TableData table = read_rows(where, reading);
    // Others hold them to their kernel.
    const std::vector<OptionDescription> known = learner.options();
    if (std::ranges::find(known, "kernel", &OptionDescription::name) == known.end()) {
      check_strings(table.data, false);
    }
    return table;
  }
  if (reading.strings) {
    throw InvalidArgument("--strings: --kernel precomputed reads kernel values, no strings");
  }
  return is_clustering ? read_kernel_points(where, reading, std::nullopt)
                       : read_training_kernel(where, reading);
}

/// A model's table of new rows; of a precomputed kernel they are kernel values.
TableData read_new_table(const Model& model,
                         const std::string& where,
                         const OptionTexts& source,
                         const Context& context) {
  ReadOptions reading = table_options(source, context);
  const ModelDocument& document = model.document();
  const bool is_clustering = model.learner().info().task == Task::cluster;
  const std::optional<std::size_t> features = model.learner().model_features(model);
  if (is_for_strings(document) || reading.strings) {
    TableData table = read_rows(where, reading);
    check_strings(table.data, is_for_strings(document));
    return table;
  }
  if (!has_precomputed_kernel(document) || (is_clustering && is_builtin(where))) {
    reading.model_features = features;
    TableData table = read_rows(where, reading);
    check_strings(table.data, false);
    return table;
  }
  if (is_clustering) return read_kernel_points(where, std::move(reading), features);
  std::optional<std::size_t> trained_on;
  if (document.has("training.examples")) trained_on = model.header().examples;
  return read_new_kernel(where, std::move(reading), trained_on);
}

template <DescribesOptions O>
O read_options(const OptionTexts& source, const char* who) {
  O options;
  set_options(options, source, who);
  validate(options);
  return options;
}

SequenceCollection read_sequences_for(const std::string& where,
                                      const OptionTexts& source,
                                      const Context& context,
                                      const Model* model) {
  const auto options = read_options<SequenceSourceOptions>(source, "a file of sequences");
  if (model == nullptr) return read_sequences(where, options, context);
  const KnownSequences known = known_sequences(model->document());
  return read_sequences(where, options, context, &known);
}

TableData read_queries_for(const std::string& where,
                           const OptionTexts& source,
                           const Context& context,
                           RowsUse use,
                           const Model* model) {
  QueriesReading reading{.use = use};
  set_options(reading, source, "a file of queries");
  return read_queries(where,
                      reading,
                      context,
                      model == nullptr ? std::nullopt : model->learner().model_features(*model));
}

TableData read_bags_for(const std::string& where,
                        const OptionTexts& source,
                        const Context& context,
                        RowsUse use,
                        const Model* model) {
  BagsReading reading{.use = use};
  set_options(reading, source, "a file of bags");
  return read_bags(where,
                   reading,
                   context,
                   model == nullptr ? std::nullopt : model->learner().model_features(*model));
}

TableData read_label_sets_for(const std::string& where,
                              const OptionTexts& source,
                              const Context& context,
                              RowsUse use) {
  LabelSetsReading reading{.use = use};
  set_options(reading, source, "a file of label sets");
  return read_rows_with_label_sets(where, reading, context);
}

DnaData read_dna_for(const std::string& where, const OptionTexts& source, RowsUse use) {
  DnaSourceOptions options{.for_training = use == RowsUse::train};
  set_options(options, source, "a file of DNA");
  validate(options);
  return read_dna_source(where, options);
}

/// The kinds of data that are no plain tables.
LearnerData read_structured(DataKind kind,
                            const std::string& where,
                            const OptionTexts& source,
                            const Context& context,
                            RowsUse use,
                            const Model* model) {
  switch (kind) {
    case DataKind::label_sets:
      return read_label_sets_for(where, source, context, use);
    case DataKind::queries:
      return read_queries_for(where, source, context, use, model);
    case DataKind::bags:
      return read_bags_for(where, source, context, use, model);
    case DataKind::sequences:
      return read_sequences_for(where, source, context, model);
    case DataKind::partitions:
      return read_partitions(where,
                             read_options<PartitionSourceOptions>(source, "a file of partitions"));
    case DataKind::alignments:
      return read_alignments(where,
                             read_options<AlignmentSourceOptions>(source, "a file of alignments"));
    case DataKind::dna:
      return read_dna_for(where, source, use);
    case DataKind::table:
      break;
  }
  throw InternalError("a table is no structured data");
}

}  // namespace

bool asks_for_kernel_values(const OptionTexts& options) {
  return last_of(options, "kernel") == "precomputed";
}

std::vector<OptionDescription> source_options(DataKind kind, bool for_model) {
  const RowsUse use = for_model ? RowsUse::measure : RowsUse::train;
  switch (kind) {
    case DataKind::table:
      return describe_options(ReadOptions{});
    case DataKind::label_sets:
      return describe_options(LabelSetsReading{.use = use});
    case DataKind::queries:
      return describe_options(QueriesReading{.use = use});
    case DataKind::bags:
      return describe_options(BagsReading{.use = use});
    case DataKind::sequences:
      return describe_options(SequenceSourceOptions{});
    case DataKind::partitions:
      return describe_options(PartitionSourceOptions{});
    case DataKind::alignments:
      return describe_options(AlignmentSourceOptions{});
    case DataKind::dna:
      return describe_options(DnaSourceOptions{.for_training = !for_model});
  }
  throw InternalError("a kind of data without options");
}

void refuse_groups(const OptionTexts& source) {
  if (!last_of(source, groups_name)) return;
  throw InvalidArgument(flag_of(groups_name) +
                        ": only folds and rankings keep groups together, this has no use for them");
}

LearnerData read_training_data(const Learner& learner,
                               const std::string& where,
                               const OptionTexts& source,
                               const OptionTexts& options,
                               const Context& context) {
  const DataKind kind = learner.info().data;
  if (kind == DataKind::table) {
    return read_training_table(learner, where, source, options, context);
  }
  return read_structured(kind, where, source, context, RowsUse::train, nullptr);
}

LearnerData read_new_data(const Model& model,
                          const std::string& where,
                          const OptionTexts& source,
                          const Context& context) {
  const DataKind kind = model.learner().info().data;
  if (kind == DataKind::table) return read_new_table(model, where, source, context);
  return read_structured(kind, where, source, context, RowsUse::measure, &model);
}

LearnerData read_data_of(const Model& model,
                         const std::string& where,
                         const OptionTexts& source,
                         const Context& context) {
  // Sequences are read by the options that the model keeps, where none are given.
  const DataKind kind = model.learner().info().data;
  if (kind != DataKind::table) {
    return read_structured(kind, where, source, context, RowsUse::train, &model);
  }
  OptionTexts options;
  if (has_precomputed_kernel(model.document())) options.emplace_back("kernel", "precomputed");
  return read_training_table(model.learner(), where, source, options, context);
}

TableData read_table(const std::string& where,
                     const OptionTexts& source,
                     const Context& context,
                     bool for_clusters) {
  ReadOptions reading = table_options(source, context);
  if (for_clusters) reading.label_default = CsvLabelDefault::features_if_numeric;
  return read_rows(where, reading);
}

TableData read_table(Input& input,
                     const OptionTexts& source,
                     const Context& context,
                     bool for_clusters) {
  ReadOptions reading = table_options(source, context);
  if (for_clusters) reading.label_default = CsvLabelDefault::features_if_numeric;
  return read_rows(input, reading);
}

std::vector<OptionDescription> label_column_options() {
  std::vector<OptionDescription> options = source_options(DataKind::table);
  std::erase_if(options, [](const OptionDescription& option) {
    return option.name == groups_name || option.name == "weight" || option.name == "strings";
  });
  return options;
}

LabelColumn read_label_column(const std::string& where,
                              const OptionTexts& source,
                              const Context& context) {
  return read_labels(where, table_options(source, context));
}

}  // namespace maxmargin

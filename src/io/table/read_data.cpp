// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/read_data.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <new>
#include <utility>

#include "io/table/csv_layout.hpp"
#include "io/table/fasta_strings.hpp"
#include "io/table/idx.hpp"
#include "io/table/label_lines.hpp"
#include "io/table/read_data_format.hpp"
#include "io/table/side_files.hpp"
#include "io/table/svmlight.hpp"
#include "io/table/svmlight_block.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/csv.hpp"
#include "maxmargin/io/table/npy.hpp"

namespace maxmargin {

namespace {

bool is_table(DataFormat format) { return format == DataFormat::csv || format == DataFormat::tsv; }

/// Whether the choice (ReadOptions::weight, group) names a column of the table itself, and not a
/// file.
bool is_a_column(const std::optional<std::string>& choice, DataFormat format) {
  if (!choice || !is_table(format)) return false;
  if (parse_integer(*choice)) return true;
  std::error_code ignored;
  return !std::filesystem::is_regular_file(*choice, ignored);
}
bool weight_is_a_column(const ReadOptions& options, DataFormat format) {
  return is_a_column(options.weight, format);
}

Dataset read_table(Input& input, DataFormat format, const ReadOptions& options) {
  require_text(input, "a table");
  CsvOptions table = {.delimiter = format == DataFormat::tsv ? '\t' : csv_delimiter(input),
                      .label = options.label,
                      .label_default = options.label_default,
                      .model_features = options.model_features,
                      .strings = options.strings,
                      .unlabeled = options.unlabeled,
                      .header = options.header,
                      .context = options.context};
  if (options.labels_file) table.label = "none";
  if (weight_is_a_column(options, format)) table.weight = options.weight;
  if (is_a_column(options.group, format)) table.group = options.group;
  return read_csv(input, table);
}

Dataset read_format(Input& input, DataFormat format, const ReadOptions& options) {
  switch (format) {
    case DataFormat::svmlight:
      require_text(input, "svmlight");
      return read_svmlight(
          input,
          {.unlabeled = options.unlabeled,
           .precomputed = options.precomputed,
           .zero_based = options.zero_based,
           .multi_label = options.multi_label,
           .whole_groups = options.whole_groups && !options.groups_file,
           // Side files are asked later.
           .group_weights = options.group_weights && !options.groups_file && !options.weight,
           .context = options.context});
    case DataFormat::npy:
      return {.examples = read_npy(input), .source = input.name()};
    case DataFormat::idx:
      return {.examples = read_idx(input).values, .source = input.name()};
    case DataFormat::fasta:
      require_text(input, "FASTA");
      return read_fasta(input, options.label == "last-word", options.unlabeled);
    case DataFormat::csv:
    case DataFormat::tsv:
      return read_table(input, format, options);
    case DataFormat::automatic:
      break;
  }
  throw InternalError("no such format");
}

/// Of a table without features.
std::string columns_of(const Dataset& data) {
  if (!data.has_labels()) return "weights alone";
  return data.weights.empty() ? "labels alone" : "labels and weights alone";
}

std::string rows_of(const Dataset& data) {
  return "the data in " + data.source + " has " + std::to_string(data.size()) + " rows";
}

void take_labels_file(Dataset& data, const ReadOptions& options) {
  Input input = Input::open(*options.labels_file);
  data.labels = detect_format(input) == DataFormat::idx
                    ? read_idx_labels(input, options.unlabeled)
                    : read_label_lines(input, options.unlabeled);
  data.label_sets.clear();
  if (data.labels.size() != data.size()) {
    throw FileError(input.name(),
                    "holds " + std::to_string(data.labels.size()) + " labels; " + rows_of(data));
  }
}

void take_weight_file(Dataset& data, const std::string& path) {
  Input input = Input::open(path);
  data.weights = read_weight_lines(input);
  if (data.weights.size() != data.size()) {
    throw FileError(input.name(),
                    "holds " + std::to_string(data.weights.size()) + " weights; " + rows_of(data));
  }
}

/// Groups that the data has itself (`qid:`) must be those of the sizes, or one of them is wrong.
void take_groups_file(Dataset& data, const std::string& path) {
  Input input = Input::open(path);
  std::vector<std::int64_t> groups = read_group_sizes(input, data.size());
  // One qid in all rows says nothing about groups.
  const bool has_groups =
      std::ranges::adjacent_find(data.groups, std::not_equal_to<>()) != data.groups.end();
  for (std::size_t row = 1; has_groups && row < data.groups.size(); ++row) {
    const bool own_ends = data.groups[row] != data.groups[row - 1];
    const bool ends = groups[row] != groups[row - 1];
    if (own_ends == ends) continue;
    // Groups are numbered from 1, as the lines of their sizes are.
    throw ParseError(input.name(),
                     {.line = static_cast<std::size_t>(groups[row - 1])},
                     "a group that " + std::string(ends ? "ends" : "does not end") +
                         " behind row " + std::to_string(row) + " (from 1) of " + data.source +
                         ", where qid:" + std::to_string(data.groups[row - 1]) +
                         (ends ? " goes on" : " does") + "; expected the groups of the data");
  }
  data.groups = std::move(groups);
}

/// All rows of a group have one weight. (An svmlight file without side files was asked already,
/// when the line was known.)
void require_group_weights(const Dataset& data, const ReadOptions& options, bool weight_is_a_file) {
  if (!options.group_weights || data.weights.empty()) return;
  for (std::size_t row = 1; row < data.size(); ++row) {
    const bool same_group = data.groups.empty() || data.groups[row] == data.groups[row - 1];
    if (!same_group || data.weights[row] == data.weights[row - 1]) continue;
    const std::string problem = uneven_weight_message;
    if (weight_is_a_file) throw ParseError(*options.weight, {.line = row + 1}, problem);
    throw FileError(data.source, "row " + std::to_string(row + 1) + " (from 1): " + problem);
  }
}

/// Hides the labels of all rows but those that options.labeled_rows names, and returns them all.
LabelColumn hide_labels(Dataset& data, const ReadOptions& options) {
  if (!options.labeled_rows) return {};
  if (!data.has_labels()) {
    throw InvalidArgument("--labeled-rows " + *options.labeled_rows + ": " + data.source +
                          " has no label column");
  }
  LabelColumn truth = data.labels;
  std::vector<bool> keep(data.size(), false);
  for (const std::size_t row : read_row_numbers(*options.labeled_rows, data.size())) {
    keep[row] = true;
  }
  for (std::size_t row = 0; row < data.size(); ++row) {
    if (!keep[row]) data.labels.clear(row);
  }
  return truth;
}

/// What the side files say, but for the weights of a table, which may be a column of it.
void take_side_files(Dataset& data, const ReadOptions& options, bool weights_are_there) {
  if (options.labels_file) take_labels_file(data, options);
  if (options.weight && !weights_are_there) take_weight_file(data, *options.weight);
  if (options.groups_file) take_groups_file(data, *options.groups_file);
}

/// A group that is no column of a table is a file of group sizes.
ReadOptions with_groups_file(const ReadOptions& given, DataFormat format) {
  ReadOptions options = given;
  if (!options.group || is_a_column(options.group, format)) return options;
  options.groups_file = std::exchange(options.group, std::nullopt);
  return options;
}

DataFormat format_of(Input& input, const ReadOptions& options) {
  return options.format == DataFormat::automatic ? detect_format(input) : options.format;
}

/// The format's own contents and the side files; labels not hidden yet.
Dataset read_open(Input& input, DataFormat format, const ReadOptions& options, Features features) {
  const bool is_fasta = format == DataFormat::fasta;
  require(!options.label || is_table(format) || is_fasta,
          "--label: is for CSV, TSV and FASTA files, which " + input.name() + " is not");
  require(!is_fasta || !options.label || *options.label == "last-word" || *options.label == "none",
          breach("label", options.label.value_or(""), "last-word or none for a FASTA file"));
  require(!options.strings || is_table(format),
          "--strings: is for CSV and TSV files, which " + input.name() + " is not");
  require(!options.header || is_table(format),
          "--header: is for CSV and TSV files, which " + input.name() + " is not");
  require(!options.zero_based || format == DataFormat::svmlight,
          "--zero-based: is for svmlight files, which " + input.name() + " is not");
  require(!options.precomputed || format == DataFormat::svmlight,
          "rows of a precomputed kernel are for svmlight files, which " + input.name() + " is not");
  Dataset data;
  try {
    data = read_format(input, format, options);
  } catch (const std::bad_alloc&) {
    throw FileError(input.name(), "holds more than there is memory for");
  }
  if (data.size() == 0) throw FileError(input.name(), "holds no examples");
  if (features == Features::needed && is_table(format) && data.features() == 0) {
    throw ParseError(input.name(),
                     {.line = 1},
                     "the table has no feature column, found " + columns_of(data) +
                         "; is the delimiter a blank?");
  }
  const bool weights_are_there = weight_is_a_column(options, format);
  take_side_files(data, options, weights_are_there);
  require_group_weights(data, options, options.weight && !weights_are_there);
  return data;
}

/// The same for a built-in set, which has no format and no columns to choose.
Dataset make_named(const std::string& name, const ReadOptions& options) {
  require(options.format == DataFormat::automatic && !options.header && !options.label &&
              !options.strings && !options.precomputed && !options.zero_based,
          "format, header, label column and numbers of features are for files, which " + name +
              " is not");
  Dataset data = make_builtin(name);
  if (options.unlabeled && data.has_labels()) {
    const Label mark = Label::parse(*options.unlabeled);
    for (std::size_t row = 0; row < data.size(); ++row) {
      if (data.labels.at(row) == mark) data.labels.clear(row);
    }
  }
  take_side_files(data, options, false);
  require_group_weights(data, options, options.weight.has_value());
  return data;
}

}  // namespace

void ReadOptions::describe(OptionVisitor& visit) {
  std::optional<DataFormat> said;
  if (format != DataFormat::automatic) said = format;
  visit.name(
      {.name = "format", .help = "format of the data", .value = "FORMAT", .fallback = "by content"},
      said);
  format = said.value_or(DataFormat::automatic);
  describe_table(visit, label, header);
  describe_strings(visit, strings);
  visit.yes_no({.name = "zero-based", .help = "feature numbers of svmlight files count from 0"},
               zero_based);
  visit.text({.name = "labels",
              .help = "labels of data that holds features alone, one a line",
              .value = "FILE"},
             labels_file);
  visit.text({.name = "weight",
              .help = "example weights: a column, or a file with one a line",
              .value = "COLUMN|FILE"},
             weight);
  visit.text({.name = "groups", .help = "group (query) sizes, one a line", .value = "FILE"},
             groups_file);
  describe_unlabeled(visit, unlabeled);
  visit.text({.name = "labeled-rows",
              .help = "keep only these rows' labels (row numbers from 0)",
              .value = "FILE[:LINE]"},
             labeled_rows);
  visit.rule(!labels_file || !label || *label == "none", "--label and --labels exclude each other");
  visit.threads(context.threads);
}

DataWithTruth read_data_with_truth(const std::string& path, const ReadOptions& options) {
  if (!is_builtin(path)) {
    Input input = Input::open(path);
    return read_data_with_truth(input, options);
  }
  validate(options);
  DataWithTruth result{
      .data = make_named(path, with_groups_file(options, DataFormat::automatic))};
  result.truth = hide_labels(result.data, options);
  return result;
}

DataWithTruth read_data_with_truth(Input& input, const ReadOptions& options) {
  validate(options);
  DataWithTruth result{.format = format_of(input, options)};
  result.data =
      read_open(input, result.format, with_groups_file(options, result.format), Features::needed);
  result.truth = hide_labels(result.data, options);
  return result;
}

Dataset read_data(const std::string& path, const ReadOptions& options) {
  return read_data_with_truth(path, options).data;
}

Dataset read_data(Input& input, const ReadOptions& options) {
  return read_data_of(input, options, Features::needed);
}

Dataset read_data_of(Input& input, const ReadOptions& options, Features features) {
  validate(options);
  Dataset data = read_open(input, format_of(input, options), options, features);
  static_cast<void>(hide_labels(data, options));
  return data;
}

}  // namespace maxmargin

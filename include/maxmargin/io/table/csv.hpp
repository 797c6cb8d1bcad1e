// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// Tables of comma- or tab-separated values. The rules are in docs/guide/table-formats.md.
namespace maxmargin {

/// Which column holds the labels when neither the caller nor the header says so.
enum class CsvLabelDefault {
  last_column,
  /// In a table with a header: none when all cells of the last column are numbers, else the last.
  /// In a table without header: the last. For clustering.
  features_if_numeric,
};

struct MAXMARGIN_EXPORT CsvOptions {
  /// Any ASCII character but letters, digits, quotes, line ends, `+ - . ? _`; a tab for TSV.
  char delimiter = ',';
  /// The label column: a name of the header, a number from 1, or "none". Unset: the last column
  /// called target, label, class or y (in any case of letters), else as `label_default` says.
  std::optional<std::string> label = std::nullopt;
  CsvLabelDefault label_default = CsvLabelDefault::last_column;
  /// The number of features of the model that is to predict: while `label` is unset, a table of
  /// exactly that many columns (without the weights) has no labels.
  std::optional<std::size_t> model_features = std::nullopt;
  /// A column of weights (finite, >= 0): a name of the header or a number from 1. Unset: none.
  std::optional<std::string> weight = std::nullopt;
  /// A column of groups, whole numbers or names, which are numbered as they come: a name of the
  /// header or a number from 1. Unset: none.
  std::optional<std::string> group = std::nullopt;
  /// The column that holds strings, which are the examples then (data/text/encoded_strings.hpp); a
  /// name of the header or a number from 1. Columns that are neither this nor labels nor weights
  /// are not read. Unset: the examples are features.
  std::optional<std::string> strings = std::nullopt;
  /// A label that means "unlabelled", besides `?` and the empty cell.
  std::optional<std::string> unlabeled = std::nullopt;
  /// Does the first row hold names? Unset: found by the rule in the guide.
  std::optional<bool> header = std::nullopt;
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// Reads a table into dense examples. Throws ParseError naming line and column (in bytes, from 1)
/// when a feature is not a finite number, a row has another number of cells than the first, quotes
/// are wrong, a chosen column is not there, the file is binary, or there is no row at all. The
/// result, and of several errors the first, are the same for any number of threads.
[[nodiscard]] MAXMARGIN_EXPORT Dataset read_csv(Input& input, const CsvOptions& options = {});

/// Writes a header (x1, x2, ... where the data has no names) and a row for each example: features,
/// then `weight` where there are weights, then `label` where there are labels (`?` unlabelled).
/// With `weight` named and, where there are no labels, label "none", read_csv gives back the same
/// data. The caller commits the file. Throws InvalidArgument for what a table cannot hold: data
/// without columns, groups, label sets, zero bytes in names, string labels that would read as a
/// number or as unlabelled, and sparse data that as a dense table exceeds the machine's memory;
/// nothing is written then.
MAXMARGIN_EXPORT void write_csv(const Dataset& data, OutputFile& output, char delimiter = ',');

}  // namespace maxmargin

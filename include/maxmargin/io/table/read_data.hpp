// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/csv.hpp"

/// Reading a data set from a file of any known format, with what side files say about it
/// (docs/guide/data-formats.md).
namespace maxmargin {

enum class DataFormat { automatic, svmlight, csv, tsv, npy, idx, fasta };
/// `automatic` has no name: it is what nothing is said of.
template <>
inline constexpr auto names_of<DataFormat> = name_table<DataFormat>({{"svmlight",
                                                                      DataFormat::svmlight},
                                                                     {"csv", DataFormat::csv},
                                                                     {"tsv", DataFormat::tsv},
                                                                     {"npy", DataFormat::npy},
                                                                     {"idx", DataFormat::idx},
                                                                     {"fasta", DataFormat::fasta}});

struct MAXMARGIN_EXPORT ReadOptions {
  /// automatic: by the contents.
  DataFormat format = DataFormat::automatic;
  /// Does the first row of a table hold names? Unset: found by the rule in the guide.
  std::optional<bool> header = std::nullopt;
  /// The label column of a table: its name, its number from 1, or "none". In FASTA "last-word": the
  /// last word of each header, or "none", which it is by default.
  std::optional<std::string> label = std::nullopt;
  /// The column of a table (name, or number from 1) that holds strings, which are the examples
  /// then; columns that are neither this nor labels nor weights are not read. FASTA is all strings.
  std::optional<std::string> strings = std::nullopt;
  /// The label column of a table when neither `label` nor its header says.
  CsvLabelDefault label_default = CsvLabelDefault::last_column;
  /// For prediction, the number of features of the model: a table of exactly that many columns has
  /// no labels.
  std::optional<std::size_t> model_features = std::nullopt;
  /// A file with one label a line, or an IDX file of labels; in place of labels in the data.
  std::optional<std::string> labels_file = std::nullopt;
  /// A column of a table (name, or number from 1), or a file with one weight a line. For tables a
  /// number is a column, another text is a file if there is one of that name, else a column.
  std::optional<std::string> weight = std::nullopt;
  /// A column of a table (name, or number from 1) that says which group (bag) a row is of; as for
  /// weights another text may be a file, which is a groups_file then.
  std::optional<std::string> group = std::nullopt;
  /// A file with the sizes of the groups (queries) in the order of the rows, one a line. Where the
  /// data has groups of its own (`qid:`), they must end at the same rows.
  std::optional<std::string> groups_file = std::nullopt;
  /// Rows with this label count as unlabelled, like those with `?`.
  std::optional<std::string> unlabeled = std::nullopt;
  /// "FILE" or "FILE:LINE" (from 1): that line holds row numbers from 0; the labels of all other
  /// rows are hidden.
  std::optional<std::string> labeled_rows = std::nullopt;
  /// Feature numbers of svmlight files count from 0, not from 1.
  bool zero_based = false;
  /// Svmlight rows begin with `0:serial` (SvmlightOptions::precomputed).
  bool precomputed = false;
  /// Svmlight rows have sets of labels even if none lists two (SvmlightOptions::multi_label).
  bool multi_label = false;
  /// A `qid:` that comes back after another is an error (SvmlightOptions::whole_groups); not asked
  /// with a groups_file, which says that those are two groups.
  bool whole_groups = false;
  /// Rows of a group must have one weight; without groups all rows.
  bool group_weights = false;
  Context context = {};

  /// The options of a table on a command line; the members that say what the data is for are set by
  /// code.
  void describe(OptionVisitor& visit);
};

/// A data set and the labels that ReadOptions::labeled_rows hid in it.
struct DataWithTruth {
  Dataset data = {};
  /// As they were before hiding; empty without labeled_rows.
  LabelColumn truth = {};
  /// The format it was read from; automatic for a built-in set.
  DataFormat format = DataFormat::automatic;
};

/// Reads a data set; "-" is standard input and "builtin:NAME..." a built-in set
/// (io/table/builtin.hpp). Throws FileError for a file that cannot be read or holds no examples,
/// ParseError (a FileError) with the place for one that breaks its format or is a table without
/// feature columns, and InvalidArgument for options that contradict each other or the data.
[[nodiscard]] MAXMARGIN_EXPORT Dataset read_data(const std::string& path,
                                                 const ReadOptions& options = {});
/// The same, from open input; `options` may name files that belong to it.
[[nodiscard]] MAXMARGIN_EXPORT Dataset read_data(Input& input, const ReadOptions& options = {});
/// The same, with the labels that labeled_rows hides.
[[nodiscard]] MAXMARGIN_EXPORT DataWithTruth read_data_with_truth(const std::string& path,
                                                                  const ReadOptions& options = {});
[[nodiscard]] MAXMARGIN_EXPORT DataWithTruth read_data_with_truth(Input& input,
                                                                  const ReadOptions& options = {});

/// The format that the first bytes of `input` show; consumes nothing. Throws FileError when it is
/// empty, ParseError when it is binary without being a known format.
[[nodiscard]] MAXMARGIN_EXPORT DataFormat detect_format(Input& input);

}  // namespace maxmargin

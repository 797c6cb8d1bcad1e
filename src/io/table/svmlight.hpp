// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// The text format of SVM-light and LIBSVM, one example a line (docs/guide/data-formats.md):
///
///     [label[,label...]] [qid:group] [cost:weight] index:value ... [# comment]
namespace maxmargin {

struct SvmlightOptions {
  /// Rows with this label count as unlabelled, like those with `?` ("0" in SVM-light's files).
  std::optional<std::string> unlabeled = std::nullopt;
  /// Rows of a precomputed kernel, `label 0:serial 1:K(x,x1) 2:K(x,x2) ...`: every row must have
  /// the entry 0, a whole number. Then column j holds index j: the serial numbers are column 0 of
  /// the sparse matrix. Otherwise indices start at 1 and column j holds index j + 1.
  bool precomputed = false;
  /// Indices count from 0: column j holds index j.
  bool zero_based = false;
  /// Label sets even if no line of the file lists more than one label.
  bool multi_label = false;
  /// The rows of a group (`qid:`) stand together, as a ranking learner needs them: a group that
  /// comes back after another one is an error.
  bool whole_groups = false;
  /// All rows of a group (without `qid:` all rows) have one `cost:`: another one is an error.
  bool group_weights = false;
  /// At least this many columns, though no row may reach them.
  std::optional<std::size_t> features = std::nullopt;
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// Reads all that is left of `input` into a sparse data set, in one pass and in parallel. The
/// number of columns is the largest index. Peak memory is the result plus about 16 MB a thread
/// (more only when single lines are longer than a megabyte).
///
/// A list of labels anywhere makes all rows label sets, and then a line may have no label; when no
/// line has a label, the data set has no labels. Either all rows have a `qid:` or none has; the
/// same goes for `cost:`. Throws ParseError with line and column, the same for any number of
/// threads, and what Input throws.
[[nodiscard]] Dataset read_svmlight(Input& input, const SvmlightOptions& options = {});

/// Writes what read_svmlight reads back as the same data set: numbers in their shortest exact form,
/// stored zeros of sparse rows as they are; dense rows without their zeros. Not in the format, and
/// so not written: feature names, and columns behind the last entry (read them back with
/// `features`), and label sets that are all empty. Where no set has two labels, the first that has
/// one is written as `a,a`, which reads back as a set. A row with neither label nor entry is
/// written as `1:0`, as readers skip blank lines. Throws InvalidArgument for a text label that
/// would not read back (it holds a blank, a comma, a colon or a #, looks like a number or is `?`),
/// for a feature that is not finite, and FileError. Of `options` only `precomputed` matters: column
/// 0 holds the serial numbers then. The caller commits the file.
void write_svmlight(const Dataset& data, OutputFile& output, const SvmlightOptions& options = {});

}  // namespace maxmargin

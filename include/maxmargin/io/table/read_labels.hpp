// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/io/table/read_data.hpp"

namespace maxmargin {

/// The labels in a file: one a line when no line of the file's beginning has more than one word (as
/// `cluster` and `predict` write them), the numbers of an IDX file of one dimension, else the
/// labels of a data set of any format or built-in name. Throws what read_data throws, and FileError
/// when there are no labels.
[[nodiscard]] MAXMARGIN_EXPORT LabelColumn read_labels(const std::string& path,
                                                       const ReadOptions& options = {});

/// A number on every line up to the last that is not blank, as `predict` writes values. Infinite
/// ones are numbers, too. Throws ParseError with line and column.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> read_number_lines(Input& input);

/// The scores in a file: lines of numbers, else the labels of a data set as read_labels finds them,
/// which must be numbers.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> read_scores(const std::string& path,
                                                               const ReadOptions& options = {});

}  // namespace maxmargin

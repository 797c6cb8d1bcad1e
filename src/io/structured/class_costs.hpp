// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/data/label.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What mistakes cost, as text (docs/guide/data-formats.md):
///
///     true-class predicted-class cost [# comment]
namespace maxmargin {

/// Reads a list of costs as a table: the row is the true class, the column the predicted one, both
/// in the order of `classes`, which are sorted. Mistakes without a line cost 1. A line that names
/// another class is an error, or skipped with `skip_others`: a test set may lack classes. Throws
/// ParseError with the line unless it has three words of which the last is a finite number >= 0,
/// for a class mistaken for itself at a cost and for a pair with two lines.
[[nodiscard]] DenseMatrix read_class_costs(Input& input,
                                           std::span<const Label> classes,
                                           bool skip_others = false);

}  // namespace maxmargin

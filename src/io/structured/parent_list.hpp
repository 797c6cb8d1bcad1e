// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/data/taxonomy.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Trees of classes as text (docs/algorithms/hierarchy.md):
///
///     node [parent] [# comment]
namespace maxmargin {

/// Reads a list of parents. A name alone is a node at the top, and so is a parent without a line of
/// its own; blank lines are skipped. Throws ParseError with the line for more than two names, a
/// node with two lines and one that is above itself, and FileError when there is no node.
[[nodiscard]] Taxonomy read_parent_list(Input& input);

/// The text that reads back as the same tree. Throws InvalidArgument for a name that would not: it
/// is empty, holds a blank or a #, or looks like a number without being one.
[[nodiscard]] std::string to_text(const Taxonomy& tree);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/data/coreference.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// Coreference in the columns of the shared task CoNLL-2012 (docs/guide/partition-files.md).
namespace maxmargin {

/// All documents of a file. Throws ParseError with the line: a word outside a document, too few
/// columns, brackets of mentions that do not match, two mentions of the same words.
[[nodiscard]] std::vector<CorefDocument> read_conll2012(Input& input);

/// One document as read_conll2012 reads it back. Throws InvalidArgument for a document that is not
/// valid, for a word that is empty or holds a tab or a line end, and for two mentions of one entity
/// that cross, as brackets cannot tell them apart.
[[nodiscard]] std::string conll2012_text(const CorefDocument& document);

/// The mentions of the document, those that cross an earlier one of their entity with entities of
/// their own, so that it can be written. Returns how many were changed.
std::size_t part_crossing_mentions(CorefDocument& document);

/// All documents as conll2012_text; throws before anything is written. The caller commits.
void write_conll2012(std::span<const CorefDocument> documents, OutputFile& output);

}  // namespace maxmargin

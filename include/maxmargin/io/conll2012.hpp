// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/coreference.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/output.hpp"

/// Coreference in the columns of the shared task CoNLL-2012 (docs/guide/partition-files.md).
namespace maxmargin {

/// All documents of a file. Throws ParseError with the line: a word outside a document, too few
/// columns, brackets of mentions that do not match, two mentions of the same words.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<CorefDocument> read_conll2012(Input& input);

/// Writes what read_conll2012 reads back as the same documents. Throws InvalidArgument for a
/// document that is not valid, for a word that is empty or holds a tab or a line end, and for two
/// mentions of one entity that cross, as brackets cannot tell them apart. The caller commits.
MAXMARGIN_EXPORT void write_conll2012(std::span<const CorefDocument> documents, OutputFile& output);

}  // namespace maxmargin

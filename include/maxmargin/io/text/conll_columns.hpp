// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/text/tagged_text.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// Column files of the CoNLL shared tasks and of CRF++: a token a line, its columns separated by
/// blanks, an empty line behind every sentence (docs/guide/sequence-files.md).
namespace maxmargin {

struct MAXMARGIN_EXPORT ConllOptions {
  /// Whether there is a tag; without one all columns are observed.
  bool has_tags = true;
  /// The column of the tag, from 1; 0 is the last one. The other columns keep their order.
  std::size_t tag_column = 0;
  /// A file of one column is tags alone, as a tagger of numbers writes them; else an error.
  bool tags_alone = false;
  /// Tabs alone separate columns, and blanks belong to them; else any run of blanks and tabs does.
  bool tabs_only = false;
  /// Lines that begin so are comments; empty: there are none, as # is a word of the CoNLL texts.
  std::string comment = {};
  /// Lines whose first column is -DOCSTART- are no tokens: they mark the begin of a document.
  bool skip_document_marks = true;

  void describe(OptionVisitor& visit);
};

/// Reads all that is left of `input`. Every token has as many columns as the first one of the file.
/// Empty lines in a row count as one. Throws ParseError with the line for a token with fewer or
/// more columns, an empty column between tabs and a NUL, and what Input throws.
[[nodiscard]] MAXMARGIN_EXPORT TaggedText read_conll_columns(Input& input,
                                                             const ConllOptions& options = {});

/// Writes what read_conll_columns reads back as the same text: columns separated by tabs, the tag
/// last. Blanks within cells read back with `tabs_only` alone. A text without sentences gives an
/// empty file. The caller commits the file.
MAXMARGIN_EXPORT void write_conll_columns(const TaggedText& text, OutputFile& output);

}  // namespace maxmargin

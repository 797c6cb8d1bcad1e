// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/text/tagged_text.hpp"
#include "maxmargin/io/stream/input.hpp"

/// CoNLL-U, the format of Universal Dependencies (docs/guide/sequence-files.md).
namespace maxmargin {

struct MAXMARGIN_EXPORT ConlluOptions {
  /// Observed columns, by name and in this order: ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL,
  /// DEPS, MISC.
  std::vector<std::string> columns = {"FORM"};
  /// The column of the tag; empty: there is none.
  std::string tag = "UPOS";

  /// Columns must be of the ten, each once, and none the tag.
  void describe(OptionVisitor& visit);
};

/// Reads the syntactic words of all sentences that are left in `input`: words of a multiword token
/// (1-2) are there one by one and the token itself is not, nor are empty nodes (1.1) and comments.
/// Throws ParseError with the line for a word that has not ten columns separated by tabs, an empty
/// column, and numbers of words that do not go 1, 2, 3, ...
[[nodiscard]] MAXMARGIN_EXPORT TaggedText read_conllu(Input& input,
                                                      const ConlluOptions& options = {});

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin {

/// The sequences of a FASTA file as strings: a line `>header`, then lines of letters, joined. With
/// `last_word_is_label` the last word of the header is the label; `?` and `unlabeled` mark those
/// that have none. Throws ParseError with the line for text before the first header, a sequence
/// without letters, other characters than printable ones and, with labels, a header of less than
/// two words.
[[nodiscard]] Dataset read_fasta(Input& input,
                                 bool last_word_is_label,
                                 const std::optional<std::string>& unlabeled);

}  // namespace maxmargin

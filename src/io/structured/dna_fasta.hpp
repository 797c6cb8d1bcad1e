// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/data/dna.hpp"
#include "maxmargin/io/stream/input.hpp"

/// DNA in FASTA, and what is said of sequences: docs/guide/motif-files.md.
namespace maxmargin {

/// What a label says: 1, +1, + and positive are 1; -1, 0, - and negative are -1; ? is 0. Empty for
/// any other text.
[[nodiscard]] std::optional<std::int8_t> dna_label(std::string_view text);

/// Reads sequences; a header may say label=L and weight=W. Letters that stand for several bases
/// become N, lower-case ones upper-case. Throws ParseError with line and column for a letter that
/// is no base, an empty sequence, a label or weight that is none, and text before the first header.
[[nodiscard]] DnaData read_dna(Input& input);

/// One a line. Throw ParseError.
[[nodiscard]] std::vector<std::int8_t> read_dna_labels(Input& input);
[[nodiscard]] std::vector<double> read_dna_weights(Input& input);

/// The text that reads back as the same data.
[[nodiscard]] std::string to_fasta(const DnaData& data);

}  // namespace maxmargin

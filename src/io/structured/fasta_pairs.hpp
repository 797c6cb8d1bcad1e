// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "maxmargin/data/alignment.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Pairs of sequences in FASTA, aligned or not, with tracks: docs/guide/alignment-files.md.
namespace maxmargin {

struct FastaPairsOptions {
  /// Whether the pairs are aligned: the two rows of a pair have one length, or each sequence has
  /// an @aligned row. If not, gaps are skipped and there are no references. Unset: they are when a
  /// row of the file has a gap, there is an @aligned row, or both rows of every pair have one
  /// length.
  std::optional<bool> aligned = std::nullopt;
};

/// Reads pairs. Throws ParseError with the line for a character that is no residue, an empty
/// sequence, rows of different lengths, an @aligned row that disagrees with its sequence, a track
/// of another length, an unknown track or one given twice, two families for a pair, and a sequence
/// without a partner.
[[nodiscard]] AlignmentData read_fasta_pairs(Input& input, const FastaPairsOptions& options = {});

/// The text that reads back as the same pairs, families and references. Throws InvalidArgument for
/// what a file cannot hold: an empty sequence, other characters than upper-case letters in it,
/// blanks or a leading @ in a name, blanks in a family, tracks of another length, numbers that are
/// not finite, a reference that does not use up its sequences, and other numbers of references or
/// families than of pairs.
[[nodiscard]] std::string to_fasta_pairs(const AlignmentData& data);

}  // namespace maxmargin

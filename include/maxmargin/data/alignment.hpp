// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Pairs of protein sequences and their alignments: docs/algorithms/alignment.md.
namespace maxmargin {

/// Numbers of a profile for every position, one for each of these residues.
inline constexpr std::string_view profile_residues = "ACDEFGHIKLMNPQRSTVWY";

/// A sequence of residues and what is known of every position. Tracks are empty or as long as the
/// sequence.
struct MAXMARGIN_EXPORT AnnotatedSequence {
  std::string name = {};
  /// Upper-case letters; those that are none of the 20 residues count as unknown.
  std::string residues = {};
  /// Secondary structure in the letters of DSSP: H G I, E B, T S; anything else is coil.
  std::string structure = {};
  /// Exposed surface in tenths, 0 to 9; anything else is not known.
  std::string surface = {};
  /// Twenty numbers a position, in the order of profile_residues.
  std::vector<double> profile = {};

  [[nodiscard]] std::size_t size() const { return residues.size(); }
  friend bool operator==(const AnnotatedSequence&, const AnnotatedSequence&) = default;
};

/// What is to be aligned: the target, and the sequence that more is known of (the template of
/// structure prediction). Where both are alike the names say nothing.
struct SequencePair {
  AnnotatedSequence target = {};
  AnnotatedSequence known = {};

  friend bool operator==(const SequencePair&, const SequencePair&) = default;
};

enum class AlignmentStep : std::uint8_t {
  match,         ///< pairs the next two residues
  gap_in_known,  ///< leaves the next target residue alone
  gap_in_target  ///< leaves the next known residue alone
};

/// Steps from left to right, beginning at a residue of each sequence (0 and 0 for a global one).
struct MAXMARGIN_EXPORT Alignment {
  std::size_t target_begin = 0;
  std::size_t known_begin = 0;
  std::vector<AlignmentStep> steps = {};

  /// visit(step, i, j) in order, where i and j residues of the sequences lie before the step: a
  /// match pairs residues i and j, counted from 0.
  template <class Visit>
  void for_each_step(const Visit& visit) const {
    std::size_t i = target_begin;
    std::size_t j = known_begin;
    for (const AlignmentStep step : steps) {
      visit(step, i, j);
      if (step != AlignmentStep::gap_in_target) ++i;
      if (step != AlignmentStep::gap_in_known) ++j;
    }
  }
  [[nodiscard]] std::size_t matches() const noexcept;
  /// Where it ends: one past the last residue that it holds.
  [[nodiscard]] std::size_t target_end() const noexcept;
  [[nodiscard]] std::size_t known_end() const noexcept;

  friend bool operator==(const Alignment&, const Alignment&) = default;
};

/// Pairs with their reference alignments.
struct MAXMARGIN_EXPORT AlignmentData {
  std::vector<SequencePair> inputs = {};
  /// One for each input, using up both sequences; empty when none is known.
  std::vector<Alignment> references = {};
  /// One for each input, to keep relatives in one fold; empty strings where none is given.
  std::vector<std::string> families = {};
  /// Where the data came from, for messages.
  std::string source = {};

  [[nodiscard]] std::size_t size() const { return inputs.size(); }
  /// Throws InvalidArgument, naming the pair, when lengths differ, a residue is no upper-case
  /// letter, a number of a profile is not finite, or a reference has an unknown step or goes beyond
  /// a sequence.
  void validate() const;
};

/// The two rows of an alignment as text, gaps as '-'.
struct AlignedRows {
  std::string target = {};
  std::string known = {};
};

/// The character of a gap in a row: '-' or '.'.
[[nodiscard]] constexpr bool is_gap(char c) noexcept { return c == '-' || c == '.'; }

/// The steps that two rows of one length show; columns of two gaps, as pairs of rows of a multiple
/// alignment have them, say nothing. Throws InvalidArgument when the lengths differ.
[[nodiscard]] MAXMARGIN_EXPORT Alignment alignment_of_rows(std::string_view target,
                                                           std::string_view known);

/// The rows of the part that the alignment holds. Throws InvalidArgument when it goes beyond a
/// sequence.
[[nodiscard]] MAXMARGIN_EXPORT AlignedRows rows_of_alignment(const SequencePair& pair,
                                                             const Alignment& alignment);

/// The part from the first match to the last; empty without a match.
[[nodiscard]] MAXMARGIN_EXPORT Alignment without_end_gaps(const Alignment& alignment);

/// The same matches in an alignment that uses up both sequences: what lies outside is left alone,
/// residues of the target first. Throws InvalidArgument when it goes beyond a sequence.
[[nodiscard]] MAXMARGIN_EXPORT Alignment with_end_gaps(const SequencePair& pair,
                                                       const Alignment& alignment);

/// Throws InvalidArgument when the alignment goes beyond a sequence of the pair.
MAXMARGIN_EXPORT void require_within(const SequencePair& pair, const Alignment& alignment);

}  // namespace maxmargin

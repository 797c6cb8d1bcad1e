// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"

/// DNA: docs/algorithms/motif.md.
namespace maxmargin {

/// The bases by their codes; the complement of code b is 3 - b.
inline constexpr std::string_view dna_letters = "ACGT";
/// The code of a base that is not known, N in files.
inline constexpr std::uint8_t unknown_base = 4;
/// The code of a letter that stands for nothing in DNA.
inline constexpr std::uint8_t no_base = 5;

/// The code of a letter, upper-case or lower-case: 0 to 3 for A, C, G, T (U is T), unknown_base for
/// the letters that stand for several bases (N, R, Y, ...), no_base for all others.
[[nodiscard]] MAXMARGIN_EXPORT std::uint8_t base_code(char letter) noexcept;
/// A, C, G, T, or N for all other codes.
[[nodiscard]] MAXMARGIN_EXPORT char base_letter(std::uint8_t code) noexcept;
/// The other strand, read in its own direction.
[[nodiscard]] MAXMARGIN_EXPORT std::string reverse_complement(std::string_view sequence);

/// Another sequence with the same counts of all words of `length` letters that begins and ends with
/// the same length - 1 letters, drawn evenly from all such; of any letters. With 2 the pairs of
/// neighbours are kept, with 1 the letters alone. Throws InvalidArgument for a length of 0.
[[nodiscard]] MAXMARGIN_EXPORT std::string shuffle_words(std::string_view sequence,
                                                         std::size_t length,
                                                         Rng& rng);

/// Sequences of DNA, some with a motif.
struct MAXMARGIN_EXPORT DnaData {
  /// Each of letters A, C, G, T and N, at least one.
  std::vector<std::string> sequences = {};
  /// As in their headers; empty, or one a sequence.
  std::vector<std::string> names = {};
  /// +1: holds the motif, -1: does not, 0: not known. Empty: nothing is known of any.
  std::vector<std::int8_t> labels = {};
  /// Empty: 1 each.
  std::vector<double> weights = {};
  /// Where the data came from, for messages.
  std::string source = {};

  [[nodiscard]] std::size_t size() const { return sequences.size(); }
  /// How messages call one: by its number, and its name where it has one.
  [[nodiscard]] std::string name_of_sequence(std::size_t i) const;
  /// One check: validate throws InvalidArgument, naming the sequence, when a part has another
  /// length, a sequence is empty or has another letter, a label is another number or a weight is
  /// negative or not finite.
  void describe(OptionVisitor& visit);
};

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/sequences.hpp"

namespace maxmargin {

/// Which outputs a chain may have, as tables of 0 (forbidden) and 1. An empty table forbids
/// nothing.
struct ChainRules {
  /// Of the first label: one a label.
  std::vector<std::uint8_t> first = {};
  /// Of the label b after a, at [a * labels + b].
  std::vector<std::uint8_t> next = {};
  /// Of the last label: one a label.
  std::vector<std::uint8_t> last = {};

  [[nodiscard]] bool allows_first(std::size_t label) const {
    return first.empty() || first[label] != 0;
  }
  [[nodiscard]] bool allows_next(std::size_t labels, std::size_t before, std::size_t label) const {
    return next.empty() || next[before * labels + label] != 0;
  }
  [[nodiscard]] bool allows_last(std::size_t label) const {
    return last.empty() || last[label] != 0;
  }
};

/// A position of sequences.
struct SequencePlace {
  std::size_t sequence = 0;
  std::size_t position = 0;

  friend bool operator==(const SequencePlace&, const SequencePlace&) = default;
};

/// The first label that the rules forbid where it stands, or before the end; empty when all are
/// allowed. Labels are below `labels`.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<SequencePlace> first_forbidden(
    const ChainRules& rules, std::size_t labels, std::span<const LabelSequence> sequences);

/// How tags mark chunks.
enum class ChunkScheme {
  iob1,  ///< B only where a chunk follows one of its own type; I begins all others
  iob2,  ///< B begins every chunk, I goes on
  iobes  ///< as iob2, E ends every chunk of two or more, S is a chunk of one
};
template <>
inline constexpr auto names_of<ChunkScheme> = name_table<ChunkScheme>(
    {{"iob1", ChunkScheme::iob1}, {"iob2", ChunkScheme::iob2}, {"iobes", ChunkScheme::iobes}});

/// The rules that well-formed tags keep. Names of labels as ChunkTags reads them; throws
/// InvalidArgument for a tag that the scheme does not have.
[[nodiscard]] MAXMARGIN_EXPORT ChainRules chunk_rules(std::span<const std::string> label_names,
                                                      ChunkScheme scheme);

}  // namespace maxmargin

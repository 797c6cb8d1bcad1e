// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/partition.hpp"

namespace maxmargin {

/// Some words in a row that speak of an entity.
struct Mention {
  /// Words begin to end - 1 of the document; begin < end.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  /// Any number; equal ones are one entity.
  std::uint32_t entity = 0;

  friend bool operator==(const Mention&, const Mention&) = default;
};

/// A text with its mentions of entities.
struct MAXMARGIN_EXPORT CorefDocument {
  std::string name = {};
  /// Long documents come in parts, which share no entities.
  std::uint32_t part = 0;
  std::vector<std::string> words = {};
  /// Part of speech and speaker of every word, "" where not known; empty: none is known.
  std::vector<std::string> tags = {};
  std::vector<std::string> speakers = {};
  /// The first words of the sentences, increasing, from 0.
  std::vector<std::size_t> sentence_begins = {};
  /// By first word, then longer ones first; no two have the same words. They may nest and cross.
  std::vector<Mention> mentions = {};

  /// Throws InvalidArgument when a rule above does not hold.
  void validate() const;
};

/// The entities of a document's mentions, as clusters.
[[nodiscard]] MAXMARGIN_EXPORT Partition partition_of(const CorefDocument& document);

/// The mentions of either of two versions of a document by their words, with the entities of both:
/// -1 where a version does not have the mention. What score_partition takes.
struct AlignedMentions {
  std::vector<std::int32_t> key = {};
  std::vector<std::int32_t> response = {};
};

/// Throws InvalidArgument when the two do not have the same number of words.
[[nodiscard]] MAXMARGIN_EXPORT AlignedMentions align_mentions(const CorefDocument& key,
                                                              const CorefDocument& response);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/text/feature_index.hpp"
#include "maxmargin/data/text/feature_templates.hpp"
#include "maxmargin/data/text/tagged_text.hpp"

/// From tagged text to sequences of numbers (docs/guide/sequence-templates.md).
namespace maxmargin {

/// What turns text into sequences, learned from the training text and kept in the model.
struct MAXMARGIN_EXPORT SequenceMap {
  FeatureTemplates templates = {};
  /// Numbers of the features of positions and of steps; both frozen.
  FeatureIndex positions = FeatureIndex();
  FeatureIndex steps = FeatureIndex();
  /// Tags of the training text, ordered as labels are: numbers by value, then strings by bytes.
  std::vector<std::string> label_names = {};

  /// The sequences of a text. Features without a number are dropped. Indices of a position
  /// increase; two features of one position that share a number count once. A tag that is not in
  /// label_names gets a number behind them, in the order of first sight, and its name is added to
  /// those of the data: predictions never use it, so that it counts as an error. The result does
  /// not depend on the number of threads (unset: all cores).
  ///
  /// Throws ParseError when a template wants a column that the text has not.
  [[nodiscard]] SequenceData apply(const TaggedText& text,
                                   std::optional<std::size_t> threads = std::nullopt) const;
};

struct SequenceMapOptions {
  /// For features of positions and of steps alike.
  FeatureIndexOptions index = {};
  Context context = {};
};

/// Learns the features and the tags of a text. Numbers of features have the order of first sight:
/// sentence by sentence, token by token, template by template. Throws as apply() does, and
/// InvalidArgument for options that are wrong.
[[nodiscard]] MAXMARGIN_EXPORT SequenceMap learn_sequence_map(
    const TaggedText& text, FeatureTemplates templates, const SequenceMapOptions& options = {});

/// Numbers of labels that may be known: those in `known` first, as they are; what else is in
/// `seen` follows, in the order in which it stands there. Returns the names; `number_of_seen`
/// becomes the number of each. Where nothing is known the names are put in the order of labels.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::string> number_labels(
    std::span<const std::string> known,
    const StringTable& seen,
    std::vector<std::uint32_t>& number_of_seen);

}  // namespace maxmargin

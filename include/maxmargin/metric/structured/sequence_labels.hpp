// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/metric/confusion.hpp"

namespace maxmargin {

/// True and predicted labels of sequences, counted. Precision, recall and F1 of a label are those
/// of one_against_rest(tokens, label) in classification.hpp.
struct MAXMARGIN_EXPORT SequenceCounts {
  ConfusionMatrix tokens;
  std::size_t sequences = 0;
  /// Those without a wrong label; an empty sequence has none.
  std::size_t right_sequences = 0;

  /// Share of positions with the right label; NaN without positions.
  [[nodiscard]] double token_accuracy() const;
  /// Share of right sequences; NaN without sequences.
  [[nodiscard]] double sequence_accuracy() const;
};

/// `labels`: how many there are; 0: as many as the largest one asks for. Throws InvalidArgument
/// when numbers of sequences or lengths differ, a label is not below `labels`, or they are more
/// than 2^31 - 1.
[[nodiscard]] MAXMARGIN_EXPORT SequenceCounts
count_sequence_labels(std::span<const LabelSequence> truth,
                      std::span<const LabelSequence> predicted,
                      std::size_t labels = 0);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/sequence_labels.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/classification.hpp"
#include "metric/ratio.hpp"
#include "metric/structured/sequence_pairs.hpp"

namespace maxmargin {

namespace {

/// One more than the largest label of either list, at least 1.
std::size_t labels_needed(std::span<const LabelSequence> truth,
                          std::span<const LabelSequence> predicted) {
  std::size_t largest = 0;
  for (const auto& list : {truth, predicted}) {
    for (const LabelSequence& sequence : list) {
      for (const std::uint32_t label : sequence) largest = std::max<std::size_t>(largest, label);
    }
  }
  return largest + 1;
}

/// As ConfusionMatrix takes it; one beyond its reach stays beyond.
std::int32_t as_class(std::uint32_t label) {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min<std::uint32_t>(label, largest));
}

}  // namespace

double SequenceCounts::token_accuracy() const { return accuracy(tokens); }

double SequenceCounts::sequence_accuracy() const {
  return ratio(static_cast<double>(right_sequences), static_cast<double>(sequences));
}

SequenceCounts count_sequence_labels(std::span<const LabelSequence> truth,
                                     std::span<const LabelSequence> predicted,
                                     std::size_t labels) {
  check_sequence_pairs("count_sequence_labels", truth, predicted);
  const std::size_t needed = labels > 0 ? labels : labels_needed(truth, predicted);
  require_field(needed <= std::numeric_limits<std::int32_t>::max(),
                "count_sequence_labels: labels",
                static_cast<double>(needed),
                "of 31 bits");
  SequenceCounts counts{.tokens = ConfusionMatrix(needed), .sequences = truth.size()};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t t = 0; t < truth[i].size(); ++t) {
      counts.tokens.add(as_class(truth[i][t]), as_class(predicted[i][t]));
    }
    if (truth[i] == predicted[i]) ++counts.right_sequences;
  }
  return counts;
}

}  // namespace maxmargin

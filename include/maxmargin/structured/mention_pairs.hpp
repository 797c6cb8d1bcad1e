// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/coreference.hpp"
#include "maxmargin/data/partition.hpp"

/// Features of pairs of mentions in English texts: docs/guide/partition-files.md, "From texts to
/// pairs".
namespace maxmargin {

struct MAXMARGIN_EXPORT MentionPairOptions {
  /// Pairs with more mentions between them and different heads are left out; unset: none are.
  /// Larger takes more memory.
  std::optional<std::uint64_t> max_mentions_between = std::nullopt;

  /// Option max-mentions-between.
  void describe(OptionVisitor& visit);
};

/// Names of the features, by index. The set is fixed.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::string> mention_pair_names();

/// Features of the pairs of mentions of one document, all 0 or 1. Throws InvalidArgument for a
/// document that is not valid, and when its pairs may take more than half of the machine's memory
/// (about 300 bytes each).
[[nodiscard]] MAXMARGIN_EXPORT PartitionInput mention_pairs(const CorefDocument& document,
                                                            const MentionPairOptions& options = {});

/// All documents with their entities. An input is named after its document and part, an item after
/// the first and last word of its mention, from 0: "12-14".
[[nodiscard]] MAXMARGIN_EXPORT PartitionData
mention_pair_data(std::span<const CorefDocument> documents, const MentionPairOptions& options = {});

}  // namespace maxmargin

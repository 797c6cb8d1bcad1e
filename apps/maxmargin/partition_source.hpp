// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/data/coreference.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/structured/mention_pairs.hpp"

/// Files of sets of items with clusters (docs/guide/partition-files.md), as `train --learner
/// partition`, `predict` and `eval` read them.
namespace maxmargin::tool {

enum class PartitionFormat {
  pairs,     ///< features of pairs of items
  conll2012  ///< text with mentions of entities
};
[[nodiscard]] std::string to_string(PartitionFormat format);
/// The format of that name; empty for another name.
[[nodiscard]] std::optional<PartitionFormat> partition_format_named(const std::string& name);

/// What a file holds.
struct PartitionSource {
  PartitionFormat format = PartitionFormat::pairs;
  /// Of pairs; empty for text until pair_up().
  PartitionData data = {};
  /// Of conll2012.
  std::vector<CorefDocument> documents = {};

  /// Makes features of pairs of mentions where the file is text.
  void pair_up(const MentionPairOptions& options);
};

/// Reads a file by --format, else by its content.
[[nodiscard]] PartitionSource load_partitions(const std::string& path, const Arguments& arguments);

}  // namespace maxmargin::tool

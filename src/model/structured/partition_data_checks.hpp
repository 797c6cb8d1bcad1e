// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "maxmargin/core/require.hpp"
#include "maxmargin/data/partition.hpp"

/// What machines of partitions ask of their training data.
namespace maxmargin {

/// Messages about data begin with where it is from.
inline std::string about(const PartitionData& data) {
  return data.source.empty() ? "the documents" : data.source;
}

/// Throws InvalidArgument unless there is something to learn.
inline void require_partitions_to_learn(const PartitionData& data) {
  data.validate();
  require(!data.inputs.empty(), about(data) + ": there is no document to learn from");
  require(!data.partitions.empty(), about(data) + ": the items have no clusters to learn from");
  const auto has_pair = [](const PartitionInput& input) { return input.items >= 2; };
  require(std::ranges::any_of(data.inputs, has_pair),
          about(data) + ": no document has two items, so there is nothing to learn from");
  // Without features no weights exist.
  require(data.features > 0, about(data) + ": no pair has features to learn from");
}

}  // namespace maxmargin

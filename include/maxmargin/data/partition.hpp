// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// Two items of a set, by number: first < second.
struct ItemPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): of what the compiler writes
  friend auto operator<=>(const ItemPair&, const ItemPair&) = default;
};

/// A set of items with sparse features of pairs. A pair that is not listed has no features.
struct MAXMARGIN_EXPORT PartitionInput {
  std::size_t items = 0;
  /// Increasing, each pair once.
  std::vector<ItemPair> pairs = {};
  /// Entries of pairs[p] are begins[p] to begins[p + 1]; one element more than pairs.
  std::vector<std::size_t> begins = {0};
  /// Increasing within a pair.
  std::vector<std::uint32_t> indices = {};
  /// Empty: all are 1.
  std::vector<double> values = {};

  [[nodiscard]] std::size_t size() const { return items; }
  [[nodiscard]] double value(std::size_t entry) const {
    return values.empty() ? 1.0 : values[entry];
  }
};

/// The cluster of every item. Clusters are numbered by their first items, so that equal partitions
/// are equal vectors.
using Partition = std::vector<std::uint32_t>;

/// Numbers clusters by their first items; any numbers go in.
[[nodiscard]] MAXMARGIN_EXPORT Partition
canonical_partition(std::span<const std::uint32_t> clusters);
/// Whether they are numbered so.
[[nodiscard]] MAXMARGIN_EXPORT bool is_canonical(std::span<const std::uint32_t> clusters);

/// Inputs with their partitions: documents and their entities, for example.
struct MAXMARGIN_EXPORT PartitionData {
  std::vector<PartitionInput> inputs = {};
  /// One for each input, of its length; empty when partitions are not known.
  std::vector<Partition> partitions = {};
  /// Names of the inputs, one each.
  std::vector<std::string> names = {};
  /// Names of the items of each input.
  std::vector<std::vector<std::string>> item_names = {};
  /// Indices of features are below.
  std::size_t features = 0;
  /// Where the data came from, for messages.
  std::string source = {};

  [[nodiscard]] std::size_t size() const { return inputs.size(); }
  /// Throws InvalidArgument when lengths differ, a partition is not canonical, or an input breaks a
  /// rule, has an index beyond the features or a value that is not finite.
  void validate() const;
};

}  // namespace maxmargin

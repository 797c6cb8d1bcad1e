// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/partition.hpp"

/// Random problems with partitions as outputs.
namespace maxmargin {

/// Data of one input, to be validated; items have names enough.
inline PartitionData data_of_one(const PartitionInput& input, std::size_t features) {
  return {.inputs = {input},
          .names = {"d"},
          .item_names = {std::vector<std::string>(input.items, "x")},
          .features = features};
}

/// Dense or sparse pairs with some of `features` normal features each.
inline PartitionInput random_pairs(std::size_t items,
                                   std::uint32_t features,
                                   double share_of_pairs,
                                   Rng& rng) {
  PartitionInput input{.items = items};
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = i + 1; j < items; ++j) {
      if (!rng.bernoulli(share_of_pairs)) continue;
      input.pairs.push_back({i, j});
      for (std::uint32_t f = 0; f < features; ++f) {
        if (rng.bernoulli(0.4)) continue;
        input.indices.push_back(f);
        input.values.push_back(rng.normal());
      }
      input.begins.push_back(input.indices.size());
    }
  }
  return input;
}

inline Partition random_partition(std::size_t items, std::size_t clusters, Rng& rng) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < items; ++i) {
    numbers.push_back(static_cast<std::uint32_t>(rng.index(clusters)));
  }
  return canonical_partition(numbers);
}

/// Items of a few kinds. Feature 0 is constant; feature 1 says whether two items look alike, which
/// holds for most pairs of a kind and few others; the rest is noise.
inline PartitionInput planted_pairs(const Partition& kinds, double error, Rng& rng) {
  constexpr std::uint32_t features = 5;
  PartitionInput input{.items = kinds.size()};
  for (std::uint32_t i = 0; i < kinds.size(); ++i) {
    for (std::uint32_t j = i + 1; j < kinds.size(); ++j) {
      const bool alike = (kinds[i] == kinds[j]) != rng.bernoulli(error);
      input.pairs.push_back({i, j});
      for (std::uint32_t f = 0; f < features; ++f) {
        input.indices.push_back(f);
        input.values.push_back(f == 0 ? 1.0 : f == 1 ? (alike ? 1.0 : 0.0) : 0.3 * rng.normal());
      }
      input.begins.push_back(input.indices.size());
    }
  }
  return input;
}

/// Documents of planted pairs, between `least` and `most` items each.
inline PartitionData planted_documents(
    std::size_t documents, std::size_t least, std::size_t most, double error, Rng& rng) {
  PartitionData data{.features = 5, .source = "planted"};
  for (std::size_t d = 0; d < documents; ++d) {
    const std::size_t items = least + rng.index(most - least + 1);
    data.partitions.push_back(random_partition(items, 1 + items / 4, rng));
    data.inputs.push_back(planted_pairs(data.partitions.back(), error, rng));
    data.names.push_back("d" + std::to_string(d));
    std::vector<std::string>& names = data.item_names.emplace_back();
    for (std::size_t i = 0; i < items; ++i) names.push_back("i" + std::to_string(i));
  }
  return data;
}

}  // namespace maxmargin

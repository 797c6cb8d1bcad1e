// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "maxmargin/data/partition.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/structured/mention_pairs.hpp"

/// The data of learners of partitions: pairs with features, or text from which they are made.
namespace maxmargin::learning {

/// Features of pairs, made where the collection is text.
class PairedItems {
 public:
  PairedItems(const PartitionCollection& given, const MentionPairOptions& options);
  [[nodiscard]] const PartitionData& data() const { return made_ ? *made_ : given_; }

 private:
  const PartitionData& given_;
  std::optional<PartitionData> made_;
};

/// The same for training. Throws InvalidArgument for options of text beside pairs, and FileError
/// where clusters are not known.
[[nodiscard]] PairedItems items_to_learn_from(const PartitionCollection& given,
                                              const MentionPairOptions& options);

/// Tells data with clusters apart.
[[nodiscard]] std::uint64_t fingerprint(const PartitionData& data);

/// Share of all pairs that have features.
[[nodiscard]] std::optional<double> share_of_listed_pairs(const PartitionData& data);

/// Keeps in a model what file it was trained on, and how features were made.
void keep_pairs(ModelDocument& body, PartitionFormat format, const MentionPairOptions& pairs);
/// What it says of that. Throws FileError when the data is of the other format, or text has other
/// features in this version than the model's `features`.
[[nodiscard]] MentionPairOptions known_pairs(const ModelDocument& model,
                                             std::size_t features,
                                             const PartitionCollection& given);

}  // namespace maxmargin::learning

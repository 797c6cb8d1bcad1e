// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/partition_data.hpp"

#include <span>
#include <string>

#include "learner/structured/fingerprint.hpp"
#include "learner/structured/rows.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

PairedItems::PairedItems(const PartitionCollection& given, const MentionPairOptions& options)
    : given_(given.data) {
  if (given.format == PartitionFormat::pairs) return;
  made_ = mention_pair_data(given.documents, options);
  made_->source = given.data.source;
}

PairedItems items_to_learn_from(const PartitionCollection& given,
                                const MentionPairOptions& options) {
  if (options.max_mentions_between && given.format == PartitionFormat::pairs) {
    throw InvalidArgument("--max-mentions-between: belongs to text, the data is pairs");
  }
  PairedItems items(given, options);
  const PartitionData& data = items.data();
  if (data.size() > 0 && data.partitions.empty()) {
    throw FileError(name_of(data.source), "has no clusters to learn from");
  }
  data.validate();
  return items;
}

std::uint64_t fingerprint(const PartitionData& data) {
  Fingerprint hash;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const PartitionInput& input = data.inputs[d];
    hash.mix(std::span<const std::uint32_t>(data.partitions[d]));
    hash.mix(std::uint64_t{input.pairs.size()});
    for (std::size_t p = 0; p < input.pairs.size(); ++p) {
      hash.mix(std::uint64_t{input.pairs[p].first});
      hash.mix(std::uint64_t{input.pairs[p].second});
      hash.mix(std::uint64_t{input.begins[p + 1]});
    }
    hash.mix(std::span<const std::uint32_t>(input.indices));
    hash.mix(std::span<const double>(input.values));
  }
  return hash.value();
}

std::optional<double> share_of_listed_pairs(const PartitionData& data) {
  double listed = 0;
  double all = 0;
  for (const PartitionInput& input : data.inputs) {
    const auto items = static_cast<double>(input.items);
    listed += static_cast<double>(input.pairs.size());
    all += items * (items - 1) / 2;
  }
  return all > 0 ? std::optional(listed / all) : std::nullopt;
}

void keep_pairs(ModelDocument& body, PartitionFormat format, const MentionPairOptions& pairs) {
  body.set_string("text.format", std::string(to_string(format)));
  if (pairs.max_mentions_between) {
    body.set_integer("text.max_mentions_between",
                     static_cast<std::int64_t>(*pairs.max_mentions_between));
  }
}

MentionPairOptions known_pairs(const ModelDocument& model,
                               std::size_t features,
                               const PartitionCollection& given) {
  const std::string& format = model.string("text.format");
  const std::string own(to_string(given.format));
  if (format != own) {
    throw FileError(name_of(given.data.source),
                    "is a " + own + " file, the model was trained on a " + format + " file");
  }
  MentionPairOptions options;
  if (given.format == PartitionFormat::pairs) return options;
  if (features != mention_pair_names().size()) {
    throw FileError(model.source(), "has other features of mentions than this version");
  }
  if (model.has("text.max_mentions_between")) {
    options.max_mentions_between =
        static_cast<std::uint64_t>(model.integer("text.max_mentions_between"));
  }
  return options;
}

}  // namespace maxmargin::learning

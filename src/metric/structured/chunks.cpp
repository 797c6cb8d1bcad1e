// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/chunks.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/classification.hpp"
#include "metric/ratio.hpp"
#include "metric/structured/sequence_pairs.hpp"

namespace maxmargin {

namespace {

struct Tag {
  ChunkRole role = ChunkRole::outside;
  std::string_view type = {};
};

std::optional<ChunkRole> role_of(std::string_view letter) {
  if (letter == "O") return ChunkRole::outside;
  if (letter == "B") return ChunkRole::begin;
  if (letter == "I" || letter == "M") return ChunkRole::inside;
  if (letter == "E" || letter == "L") return ChunkRole::end;
  if (letter == "S" || letter == "U") return ChunkRole::single;
  return std::nullopt;
}

Tag parse(std::string_view name) {
  const std::size_t hyphen = name.find('-');
  const std::optional<ChunkRole> role = role_of(name.substr(0, hyphen));
  const bool has_type = hyphen != std::string_view::npos;
  require_field(role.has_value() && !(role == ChunkRole::outside && has_type),
                "chunk tag",
                name,
                "O, or one of B I M E L S U with an optional -type");
  return {.role = *role, .type = has_type ? name.substr(hyphen + 1) : std::string_view{}};
}

}  // namespace

ChunkTags::ChunkTags(std::span<const std::string> label_names) {
  std::vector<Tag> tags;
  for (const std::string& name : label_names) {
    tags.push_back(parse(name));
    if (tags.back().role != ChunkRole::outside) types_.emplace_back(tags.back().type);
  }
  std::ranges::sort(types_);
  types_.erase(std::unique(types_.begin(), types_.end()), types_.end());
  for (const Tag& tag : tags) {
    roles_.push_back(tag.role);
    const auto place = std::ranges::lower_bound(types_, tag.type);
    type_of_.push_back(
        tag.role == ChunkRole::outside ? 0 : static_cast<std::size_t>(place - types_.begin()));
  }
}

bool ChunkTags::goes_on(std::size_t a, std::size_t b) const {
  const bool is_open = roles_[a] == ChunkRole::begin || roles_[a] == ChunkRole::inside;
  const bool is_taken_up = roles_[b] == ChunkRole::inside || roles_[b] == ChunkRole::end;
  return is_open && is_taken_up && type_of_[a] == type_of_[b];
}

std::vector<Chunk> ChunkTags::chunks(const LabelSequence& labels) const {
  std::vector<Chunk> found;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    require_field(labels[t] < roles_.size(), "label of a chunk", labels[t], "one with a name");
    if (roles_[labels[t]] == ChunkRole::outside) continue;
    if (t > 0 && goes_on(labels[t - 1], labels[t])) {
      found.back().end = t + 1;
    } else {
      found.push_back({.begin = t, .end = t + 1, .type = type_of_[labels[t]]});
    }
  }
  return found;
}

ChunkCounts count_chunks(std::span<const LabelSequence> truth,
                         std::span<const LabelSequence> predicted,
                         std::span<const std::string> label_names) {
  check_sequence_pairs("count_chunks", truth, predicted);
  const ChunkTags tags(label_names);
  ChunkCounts counts{.types = tags.types(),
                     .by_type = std::vector<BinaryCounts>(tags.types().size())};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::vector<Chunk> wanted = tags.chunks(truth[i]);
    const std::vector<Chunk> found = tags.chunks(predicted[i]);
    for (const Chunk& chunk : wanted) counts.by_type[chunk.type].false_negative += 1;
    // Both lists ascend and hold each beginning once.
    auto candidate = wanted.begin();
    for (const Chunk& chunk : found) {
      while (candidate != wanted.end() && candidate->begin < chunk.begin) ++candidate;
      BinaryCounts& here = counts.by_type[chunk.type];
      if (candidate != wanted.end() && *candidate == chunk) {
        here.true_positive += 1;
        here.false_negative -= 1;
      } else {
        here.false_positive += 1;
      }
    }
  }
  for (const BinaryCounts& type : counts.by_type) {
    counts.all.true_positive += type.true_positive;
    counts.all.false_positive += type.false_positive;
    counts.all.false_negative += type.false_negative;
  }
  return counts;
}

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

// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sequence_chunks.hpp"

#include <span>

#include "learner/structured/sources_text.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/structured/chunks.hpp"

namespace maxmargin::learning {

namespace {

SequencePlace first_place_of(std::size_t label, std::span<const LabelSequence> sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t t = 0; t < sequences[i].size(); ++t) {
      if (sequences[i][t] == label) return {.sequence = i, .position = t};
    }
  }
  throw InternalError("a label without a position");
}

/// The label of a chunk's inside, of the same type as `label`; the same one where none is named so.
std::size_t inside_of(const ChunkTags& tags, std::size_t label) {
  for (std::size_t other = 0; other < tags.labels(); ++other) {
    if (tags.role(other) == ChunkRole::inside && tags.type(other) == tags.type(label)) return other;
  }
  return label;
}

/// Are all of them tags of chunks?
bool are_tags(const std::vector<std::string>& label_names) {
  try {
    (void)ChunkTags(label_names);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

}  // namespace

std::size_t repair_chunk_tags(ChunkScheme scheme,
                              const std::vector<std::string>& label_names,
                              std::vector<LabelSequence>& labels) {
  if (scheme != ChunkScheme::iob1 || !are_tags(label_names)) return 0;
  const ChunkTags tags(label_names);
  std::size_t repaired = 0;
  for (LabelSequence& own : labels) {
    for (std::size_t t = 0; t < own.size(); ++t) {
      if (tags.role(own[t]) != ChunkRole::begin) continue;
      const bool divides = t > 0 && tags.role(own[t - 1]) != ChunkRole::outside &&
                           tags.type(own[t - 1]) == tags.type(own[t]);
      const std::size_t inside = inside_of(tags, own[t]);
      if (divides || inside == own[t]) continue;
      own[t] = static_cast<std::uint32_t>(inside);
      ++repaired;
    }
  }
  return repaired;
}

void check_chunk_tags(const SequenceData& data,
                      ChunkScheme scheme,
                      const std::string& path,
                      SequenceFormat format) {
  const auto fail = [&](SequencePlace at, const std::string& problem) {
    std::size_t token = at.position;
    for (std::size_t i = 0; i < at.sequence; ++i) token += data.labels[i].size();
    throw ParseError(
        data.source,
        place_of_token(path, format, token),
        "the tag " + data.label_names[data.labels[at.sequence][at.position]] + ", " + problem);
  };
  for (std::size_t label = 0; label < data.label_names.size(); ++label) {
    try {
      (void)chunk_rules(std::span(data.label_names).subspan(label, 1), scheme);
    } catch (const InvalidArgument&) {
      fail(first_place_of(label, data.labels), "which the scheme of --chunks does not have");
    }
  }
  const ChainRules rules = chunk_rules(data.label_names, scheme);
  if (const auto place = first_forbidden(rules, data.label_names.size(), data.labels)) {
    const LabelSequence& own = data.labels[place->sequence];
    const bool is_last = place->position + 1 == own.size();
    const std::string where =
        place->position == 0 ? "first" : "behind " + data.label_names[own[place->position - 1]];
    fail(*place, where + (is_last ? " and last" : "") + ": such tags break the rules of --chunks");
  }
}

}  // namespace maxmargin::learning

// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sequence_chunks.hpp"

#include <span>

#include "learner/structured/sources_text.hpp"
#include "maxmargin/core/error.hpp"

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

}  // namespace

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

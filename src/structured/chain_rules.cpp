// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/chain_rules.hpp"

#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/structured/chunks.hpp"

namespace maxmargin {

namespace {

bool has_role(ChunkScheme scheme, ChunkRole role) {
  return scheme == ChunkScheme::iobes || (role != ChunkRole::end && role != ChunkRole::single);
}

/// Whether tag b may stand where no chunk goes on: after O, after another type, after an end, or
/// first.
bool may_begin(ChunkScheme scheme, ChunkRole role) {
  switch (role) {
    case ChunkRole::begin:
      return scheme != ChunkScheme::iob1;
    case ChunkRole::inside:
      return scheme == ChunkScheme::iob1;
    case ChunkRole::end:
      return false;
    case ChunkRole::outside:
    case ChunkRole::single:
      return true;
  }
  return false;
}

/// Whether the chunk of tag a may end there.
bool may_end(ChunkScheme scheme, ChunkRole role) {
  return scheme != ChunkScheme::iobes || (role != ChunkRole::begin && role != ChunkRole::inside);
}

}  // namespace

std::optional<SequencePlace> first_forbidden(const ChainRules& rules,
                                             std::size_t labels,
                                             std::span<const LabelSequence> sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const LabelSequence& own = sequences[i];
    for (std::size_t t = 0; t < own.size(); ++t) {
      const bool may_follow =
          t == 0 ? rules.allows_first(own[t]) : rules.allows_next(labels, own[t - 1], own[t]);
      const bool is_last = t + 1 == own.size();
      if (!may_follow || (is_last && !rules.allows_last(own[t]))) {
        return SequencePlace{.sequence = i, .position = t};
      }
    }
  }
  return std::nullopt;
}

ChainRules chunk_rules(std::span<const std::string> label_names, ChunkScheme scheme) {
  const ChunkTags tags(label_names);
  const std::size_t labels = label_names.size();
  for (std::size_t a = 0; a < labels; ++a) {
    require_field(has_role(scheme, tags.role(a)),
                  "tag",
                  label_names[a],
                  "of the scheme: E and S belong to IOBES alone");
  }
  ChainRules rules;
  for (std::size_t a = 0; a < labels; ++a) {
    rules.first.push_back(may_begin(scheme, tags.role(a)) ? 1 : 0);
    rules.last.push_back(may_end(scheme, tags.role(a)) ? 1 : 0);
    for (std::size_t b = 0; b < labels; ++b) {
      // IOB1 has B between two chunks of one type, and nowhere else.
      const bool divides = scheme == ChunkScheme::iob1 && tags.role(b) == ChunkRole::begin &&
                           tags.role(a) != ChunkRole::outside && tags.type(a) == tags.type(b);
      const bool begins_anew = may_end(scheme, tags.role(a)) && may_begin(scheme, tags.role(b));
      rules.next.push_back(tags.goes_on(a, b) || begins_anew || divides ? 1 : 0);
    }
  }
  return rules;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/coreference.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// By first word, longer ones first.
bool comes_before(const Mention& a, const Mention& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

}  // namespace

void CorefDocument::validate() const {
  const std::size_t n = words.size();
  require(tags.empty() || tags.size() == n, "there must be a tag for every word");
  require(speakers.empty() || speakers.size() == n, "there must be a speaker for every word");
  require(sentence_begins.empty() == words.empty(), "words are in sentences");
  for (std::size_t s = 0; s < sentence_begins.size(); ++s) {
    const bool increases = s == 0 || sentence_begins[s - 1] < sentence_begins[s];
    require(increases && sentence_begins[s] < n && sentence_begins.front() == 0,
            "sentence_begins must increase, from 0 to below the number of words");
  }
  for (std::size_t m = 0; m < mentions.size(); ++m) {
    require(mentions[m].begin < mentions[m].end && mentions[m].end <= n,
            "a mention must have begin < end <= number of words");
    require(m == 0 || comes_before(mentions[m - 1], mentions[m]),
            "mentions must be in order, and no two of the same words");
  }
}

Partition partition_of(const CorefDocument& document) {
  std::vector<std::uint32_t> entities;
  entities.reserve(document.mentions.size());
  for (const Mention& mention : document.mentions) entities.push_back(mention.entity);
  return canonical_partition(entities);
}

AlignedMentions align_mentions(const CorefDocument& key, const CorefDocument& response) {
  require(key.words.size() == response.words.size(),
          "the documents must have the same number of words");
  key.validate();
  response.validate();
  const Partition in_key = partition_of(key);
  const Partition in_response = partition_of(response);
  AlignedMentions aligned;
  std::size_t k = 0;
  std::size_t r = 0;
  while (k < in_key.size() || r < in_response.size()) {
    const bool key_first =
        r == in_response.size() ||
        (k < in_key.size() && !comes_before(response.mentions[r], key.mentions[k]));
    const bool response_first =
        k == in_key.size() ||
        (r < in_response.size() && !comes_before(key.mentions[k], response.mentions[r]));
    // Both: the same words.
    aligned.key.push_back(key_first ? static_cast<std::int32_t>(in_key[k++]) : -1);
    aligned.response.push_back(response_first ? static_cast<std::int32_t>(in_response[r++]) : -1);
  }
  return aligned;
}

}  // namespace maxmargin

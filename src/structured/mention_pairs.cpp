// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/mention_pairs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/memory_limit.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/mention_facts.hpp"

namespace maxmargin {

namespace {

/// Features of all pairs; the names below are in the same order.
enum Feature : std::uint32_t {
  constant,
  same_words,
  same_bare_words,
  same_head,
  earlier_head_in_later,
  later_head_in_earlier,
  common_name,
  same_first_word,
  head_prefix,
  mentions_between,
  sentences_between = mentions_between + 9,
  within = sentences_between + 6,
  apposition,
  gender,
  number = gender + 3,
  person = number + 3,
  later_article = person + 3,
  speaker = later_article + 5,
  feature_count = speaker + 2
};

constexpr std::array<std::string_view, feature_count> feature_names = {
    "constant",
    "same-words",
    "same-words-without-article",
    "same-head",
    "earlier-head-in-later",
    "later-head-in-earlier",
    "common-name",
    "same-first-word",
    "heads-begin-alike",
    "mentions-between=0",
    "mentions-between=1",
    "mentions-between=2",
    "mentions-between=3-4",
    "mentions-between=5-8",
    "mentions-between=9-16",
    "mentions-between=17-32",
    "mentions-between=33-64",
    "mentions-between=65+",
    "sentences-between=0",
    "sentences-between=1",
    "sentences-between=2",
    "sentences-between=3-4",
    "sentences-between=5-8",
    "sentences-between=9+",
    "one-within-other",
    "apposition",
    "gender=unknown",
    "gender=agrees",
    "gender=contradicts",
    "number=unknown",
    "number=agrees",
    "number=contradicts",
    "person=unknown",
    "person=agrees",
    "person=contradicts",
    "later-article=none",
    "later-article=the",
    "later-article=a",
    "later-article=this",
    "later-article=his",
    "speaker=same",
    "speaker=different",
};

/// What a pair takes at most: itself, and its features, of which there are twice 18 at most, in a
/// list that may be half empty.
constexpr std::size_t most_pair_bytes =
    sizeof(ItemPair) + sizeof(std::size_t) + 2 * 2 * 18 * sizeof(std::uint32_t);

constexpr std::array<std::string_view, 3> kind_names = {"pronoun", "name", "other"};
constexpr std::size_t kinds = kind_names.size();

/// The place of a distance among upper ends; beyond the last, their number.
template <std::size_t size>
std::uint32_t bucket(std::size_t distance, const std::array<std::size_t, size>& ends) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(ends, distance) - ends.begin());
}
constexpr std::array<std::size_t, 8> mention_ends = {0, 1, 2, 4, 8, 16, 32, 64};
constexpr std::array<std::size_t, 5> sentence_ends = {0, 1, 2, 4, 8};

/// 0 unknown, 1 agree, 2 contradict.
template <class Value>
std::uint32_t agreement(Value a, Value b) {
  if (a == Value::unknown || b == Value::unknown) return 0;
  return a == b ? 1 : 2;
}

bool contains(const std::vector<std::uint32_t>& words, std::uint32_t word) {
  return std::ranges::find(words, word) != words.end();
}

bool have_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::ranges::any_of(
      a, [&](std::uint32_t word) { return std::ranges::binary_search(b, word); });
}

class Extraction {
 public:
  explicit Extraction(const CorefDocument& document)
      : document_(document), facts_(mention_facts(document)) {}

  [[nodiscard]] bool is_near(std::size_t i, std::size_t j, std::size_t most_between) const {
    if (j - i - 1 <= most_between) return true;
    return facts_[i].kind != MentionKind::pronoun && facts_[i].head == facts_[j].head;
  }

  /// Features of the pair, increasing.
  [[nodiscard]] const std::vector<std::uint32_t>& features_of(std::size_t i, std::size_t j) {
    const MentionFacts& a = facts_[i];
    const MentionFacts& b = facts_[j];
    found_.assign(1, constant);
    add_words(a, b);
    found_.push_back(mentions_between + bucket(j - i - 1, mention_ends));
    found_.push_back(sentences_between + bucket(b.sentence - a.sentence, sentence_ends));
    add_place(document_.mentions[i], document_.mentions[j]);
    found_.push_back(gender + agreement(a.gender, b.gender));
    found_.push_back(number + agreement(a.number, b.number));
    found_.push_back(person + agreement(a.person, b.person));
    found_.push_back(later_article + static_cast<std::uint32_t>(b.article));
    if (!a.speaker.empty() && !b.speaker.empty()) {
      found_.push_back(speaker + (a.speaker == b.speaker ? 0 : 1));
    }
    // All of them once more, for pairs of these kinds alone.
    const std::size_t block =
        1 + kinds * static_cast<std::size_t>(a.kind) + static_cast<std::size_t>(b.kind);
    const std::size_t plain = found_.size();
    for (std::size_t k = 0; k < plain; ++k) {
      found_.push_back(static_cast<std::uint32_t>(block * feature_count + found_[k]));
    }
    return found_;
  }

 private:
  void add_words(const MentionFacts& a, const MentionFacts& b) {
    const auto add_if = [&](bool holds, Feature feature) {
      if (holds) found_.push_back(feature);
    };
    constexpr std::size_t prefix = 4;
    add_if(a.words == b.words, same_words);
    add_if(!a.bare_words.empty() && a.bare_words == b.bare_words, same_bare_words);
    add_if(a.head == b.head, same_head);
    add_if(a.head != b.head && contains(b.words, a.head), earlier_head_in_later);
    add_if(a.head != b.head && contains(a.words, b.head), later_head_in_earlier);
    add_if(have_common(a.names, b.names), common_name);
    add_if(a.words.front() == b.words.front(), same_first_word);
    add_if(a.head != b.head && a.head_text.size() >= prefix &&
               a.head_text.compare(0, prefix, b.head_text, 0, prefix) == 0,
           head_prefix);
  }

  void add_place(const Mention& a, const Mention& b) {
    // Mentions are in order: only the later one can lie within the earlier.
    if (b.end <= a.end) found_.push_back(within);
    const bool comma = a.end + 1 == b.begin && document_.words[a.end] == ",";
    if (comma) found_.push_back(apposition);
  }

  const CorefDocument& document_;
  std::vector<MentionFacts> facts_;
  std::vector<std::uint32_t> found_;
};

}  // namespace

void MentionPairOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "max-mentions-between",
               .help = "pairs of mentions further apart with other heads have no features",
               .fallback = "all have"},
              max_mentions_between);
}

std::vector<std::string> mention_pair_names() {
  std::vector<std::string> names(feature_names.begin(), feature_names.end());
  for (const std::string_view earlier : kind_names) {
    for (const std::string_view later : kind_names) {
      for (const std::string_view name : feature_names) {
        names.push_back(std::string(name) + "/" + std::string(earlier) + "-" + std::string(later));
      }
    }
  }
  return names;
}

PartitionInput mention_pairs(const CorefDocument& document, const MentionPairOptions& options) {
  document.validate();
  PartitionInput input{.items = document.mentions.size()};
  Extraction extraction(document);
  const std::size_t most_between = options.max_mentions_between.value_or(input.items);
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t i = 0; i < input.items; ++i) {
      for (std::size_t j = i + 1; j < input.items; ++j) {
        if (extraction.is_near(i, j, most_between)) visit(i, j);
      }
    }
  };
  std::size_t pairs = 0;
  for_each_pair([&](std::size_t, std::size_t) { ++pairs; });
  require_within_limit(checked_multiply(pairs, most_pair_bytes),
                       std::nullopt,
                       "document " + document.name + ": " + std::to_string(pairs) + " pairs of " +
                           std::to_string(input.items) + " mentions",
                       "use shorter documents or a smaller --max-mentions-between");
  input.pairs.reserve(pairs);
  input.begins.reserve(pairs + 1);
  for_each_pair([&](std::size_t i, std::size_t j) {
    const std::vector<std::uint32_t>& features = extraction.features_of(i, j);
    input.pairs.push_back(
        {.first = static_cast<std::uint32_t>(i), .second = static_cast<std::uint32_t>(j)});
    input.indices.insert(input.indices.end(), features.begin(), features.end());
    input.begins.push_back(input.indices.size());
  });
  return input;
}

PartitionData mention_pair_data(std::span<const CorefDocument> documents,
                                const MentionPairOptions& options) {
  PartitionData data{.features = mention_pair_names().size()};
  for (const CorefDocument& document : documents) {
    data.inputs.push_back(mention_pairs(document, options));
    data.partitions.push_back(partition_of(document));
    data.names.push_back(document.name + "/" + std::to_string(document.part));
    std::vector<std::string>& items = data.item_names.emplace_back();
    for (const Mention& mention : document.mentions) {
      items.push_back(std::to_string(mention.begin) + "-" + std::to_string(mention.end - 1));
    }
  }
  return data;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/data/coreference.hpp"

/// What the words of a mention say, before it is compared with others.
namespace maxmargin {

enum class MentionKind { pronoun, name, other };
enum class Gender { unknown, male, female, neuter };
enum class GrammaticalNumber { unknown, singular, plural };
enum class Person { unknown, first, second, third };
enum class Article { none, definite, indefinite, demonstrative, possessive };

struct MentionFacts {
  MentionKind kind = MentionKind::other;
  Gender gender = Gender::unknown;
  GrammaticalNumber number = GrammaticalNumber::unknown;
  Person person = Person::third;
  Article article = Article::none;
  /// Words in lower case, by number; the same word has the same number in a document.
  std::vector<std::uint32_t> words = {};
  /// The words without an article.
  std::vector<std::uint32_t> bare_words = {};
  /// Words with a capital that are no titles, sorted.
  std::vector<std::uint32_t> names = {};
  std::uint32_t head = 0;
  /// The head in lower case.
  std::string head_text = {};
  std::size_t sentence = 0;
  /// "" where not known.
  std::string speaker = {};
};

/// One for every mention of the document.
[[nodiscard]] std::vector<MentionFacts> mention_facts(const CorefDocument& document);

}  // namespace maxmargin

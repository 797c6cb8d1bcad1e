// SPDX-License-Identifier: Apache-2.0
#include "structured/mention_facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace maxmargin {

namespace {

struct Pronoun {
  std::string_view word;
  Person person;
  GrammaticalNumber number;
  Gender gender;
};

constexpr auto any_number = GrammaticalNumber::unknown;
constexpr auto one = GrammaticalNumber::singular;
constexpr auto many = GrammaticalNumber::plural;
constexpr auto any_gender = Gender::unknown;

constexpr std::array pronouns = {
    Pronoun{"i", Person::first, one, any_gender},
    Pronoun{"me", Person::first, one, any_gender},
    Pronoun{"my", Person::first, one, any_gender},
    Pronoun{"mine", Person::first, one, any_gender},
    Pronoun{"myself", Person::first, one, any_gender},
    Pronoun{"we", Person::first, many, any_gender},
    Pronoun{"us", Person::first, many, any_gender},
    Pronoun{"our", Person::first, many, any_gender},
    Pronoun{"ours", Person::first, many, any_gender},
    Pronoun{"ourselves", Person::first, many, any_gender},
    Pronoun{"you", Person::second, any_number, any_gender},
    Pronoun{"your", Person::second, any_number, any_gender},
    Pronoun{"yours", Person::second, any_number, any_gender},
    Pronoun{"yourself", Person::second, one, any_gender},
    Pronoun{"yourselves", Person::second, many, any_gender},
    Pronoun{"thou", Person::second, one, any_gender},
    Pronoun{"thee", Person::second, one, any_gender},
    Pronoun{"thy", Person::second, one, any_gender},
    Pronoun{"thine", Person::second, one, any_gender},
    Pronoun{"thyself", Person::second, one, any_gender},
    Pronoun{"he", Person::third, one, Gender::male},
    Pronoun{"him", Person::third, one, Gender::male},
    Pronoun{"his", Person::third, one, Gender::male},
    Pronoun{"himself", Person::third, one, Gender::male},
    Pronoun{"she", Person::third, one, Gender::female},
    Pronoun{"her", Person::third, one, Gender::female},
    Pronoun{"hers", Person::third, one, Gender::female},
    Pronoun{"herself", Person::third, one, Gender::female},
    Pronoun{"it", Person::third, one, Gender::neuter},
    Pronoun{"its", Person::third, one, Gender::neuter},
    Pronoun{"itself", Person::third, one, Gender::neuter},
    Pronoun{"they", Person::third, many, any_gender},
    Pronoun{"them", Person::third, many, any_gender},
    Pronoun{"their", Person::third, many, any_gender},
    Pronoun{"theirs", Person::third, many, any_gender},
    Pronoun{"themselves", Person::third, many, any_gender},
    Pronoun{"who", Person::unknown, any_number, any_gender},
    Pronoun{"whom", Person::unknown, any_number, any_gender},
    Pronoun{"whose", Person::unknown, any_number, any_gender},
    Pronoun{"which", Person::unknown, any_number, any_gender},
    Pronoun{"that", Person::unknown, one, any_gender},
    Pronoun{"this", Person::unknown, one, any_gender},
    Pronoun{"these", Person::unknown, many, any_gender},
    Pronoun{"those", Person::unknown, many, any_gender},
};

constexpr std::array<std::string_view, 29> male_words = {
    "mr",    "mr.",     "sir",     "lord",      "king",    "prince",  "duke",     "count",
    "baron", "uncle",   "father",  "brother",   "son",     "husband", "nephew",   "grandfather",
    "papa",  "man",     "boy",     "gentleman", "fellow",  "master",  "monsieur", "squire",
    "lad",   "emperor", "captain", "colonel",   "bachelor"};
constexpr std::array<std::string_view, 26> female_words = {
    "mrs",      "mrs.", "miss",   "ms",     "ms.",      "lady", "queen", "princess",    "duchess",
    "countess", "aunt", "mother", "sister", "daughter", "wife", "niece", "grandmother", "mamma",
    "woman",    "girl", "madam",  "madame", "mistress", "maid", "widow", "lass"};
/// Where the head of a noun phrase must have come.
constexpr std::array<std::string_view, 30> head_stops = {
    "of",    "in",    "on",    "at",   "with",    "for",     "from",  "to",     "by",     "who",
    "whom",  "whose", "which", "that", ",",       "(",       "about", "as",     "upon",   "into",
    "under", "over",  "near",  "like", "without", "between", "among", "behind", "beside", "--"};
constexpr std::array<std::string_view, 2> indefinite_words = {"a", "an"};
constexpr std::array<std::string_view, 4> demonstrative_words = {"this", "that", "these", "those"};
constexpr std::array<std::string_view, 8> possessive_words = {
    "my", "our", "your", "thy", "his", "her", "its", "their"};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Letters beyond ASCII stay as they are.
std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool has_capital(std::string_view word) {
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z';
}

class Analysis {
 public:
  explicit Analysis(const CorefDocument& document) : document_(document) {
    const std::size_t n = document.words.size();
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    std::size_t sentence = 0;
    for (std::size_t t = 0; t < n; ++t) {
      const auto& begins = document.sentence_begins;
      if (sentence < begins.size() && begins[sentence] == t) ++sentence;
      sentence_.push_back(sentence - 1);
      lower_.push_back(lower(document.words[t]));
      const auto next = static_cast<std::uint32_t>(numbers.size());
      number_.push_back(numbers.emplace(lower_[t], next).first->second);
      if (begins[sentence - 1] != t && has_capital(document.words[t])) {
        capital_within_.insert(number_[t]);
      }
    }
  }

  [[nodiscard]] MentionFacts facts_of(const Mention& mention) const {
    MentionFacts facts;
    facts.sentence = sentence_[mention.begin];
    if (!document_.speakers.empty()) facts.speaker = document_.speakers[mention.begin];
    const std::size_t head = head_of(mention);
    facts.head = number_[head];
    facts.head_text = lower_[head];
    facts.words.assign(number_.begin() + mention.begin, number_.begin() + mention.end);
    facts.article = article_of(mention);
    facts.bare_words = facts.words;
    if (facts.article != Article::none) facts.bare_words.erase(facts.bare_words.begin());
    if (mention.end - mention.begin == 1 && set_pronoun(facts)) return facts;
    facts.kind = is_name(head) ? MentionKind::name : MentionKind::other;
    for (std::size_t t = mention.begin; t < mention.end; ++t) {
      if (is_name(t) && gender_of(t) == Gender::unknown) facts.names.push_back(number_[t]);
    }
    std::ranges::sort(facts.names);
    facts.gender = gender_of(head);
    if (facts.gender == Gender::unknown) facts.gender = gender_of(mention.begin);
    facts.number = number_of(mention, head, facts.kind);
    return facts;
  }

 private:
  [[nodiscard]] bool has_tag(std::size_t t, std::string_view start) const {
    return !document_.tags.empty() && document_.tags[t].starts_with(start);
  }

  [[nodiscard]] std::size_t head_of(const Mention& mention) const {
    std::size_t end = mention.begin + 1;
    while (end < mention.end && !is_one_of(head_stops, lower_[end])) ++end;
    for (std::size_t t = end; t-- > mention.begin;) {
      if (has_tag(t, "NN") || has_tag(t, "PRP")) return t;
    }
    return end - 1;
  }

  [[nodiscard]] Article article_of(const Mention& mention) const {
    // The only word of a mention is no article.
    if (mention.end - mention.begin == 1) return Article::none;
    const std::string& first = lower_[mention.begin];
    if (first == "the") return Article::definite;
    if (is_one_of(indefinite_words, first)) return Article::indefinite;
    if (is_one_of(demonstrative_words, first)) return Article::demonstrative;
    if (is_one_of(possessive_words, first)) return Article::possessive;
    return Article::none;
  }

  [[nodiscard]] static bool set_pronoun(MentionFacts& facts) {
    const auto found = std::ranges::find(pronouns, facts.head_text, &Pronoun::word);
    if (found == pronouns.end()) return false;
    facts.kind = MentionKind::pronoun;
    facts.person = found->person;
    facts.number = found->number;
    facts.gender = found->gender;
    return true;
  }

  /// A capital says something within a sentence; at its beginning, if the word has one elsewhere.
  [[nodiscard]] bool is_name(std::size_t t) const {
    return has_tag(t, "NNP") ||
           (has_capital(document_.words[t]) && capital_within_.contains(number_[t]));
  }

  [[nodiscard]] Gender gender_of(std::size_t t) const {
    if (is_one_of(male_words, lower_[t])) return Gender::male;
    if (is_one_of(female_words, lower_[t])) return Gender::female;
    return Gender::unknown;
  }

  [[nodiscard]] GrammaticalNumber number_of(const Mention& mention,
                                            std::size_t head,
                                            MentionKind kind) const {
    for (std::size_t t = mention.begin; t < head; ++t) {
      if (lower_[t] == "and") return many;
    }
    if (has_tag(head, "NNS") || has_tag(head, "NNPS")) return many;
    if (has_tag(head, "NN") || kind == MentionKind::name) return one;
    const std::string& word = lower_[head];
    if (word.size() > 2 && word.ends_with('s') && !word.ends_with("ss")) return many;
    return is_one_of(indefinite_words, lower_[mention.begin]) ? one : any_number;
  }

  const CorefDocument& document_;
  std::vector<std::string> lower_;
  std::vector<std::uint32_t> number_;
  std::vector<std::size_t> sentence_;
  std::set<std::uint32_t> capital_within_;
};

}  // namespace

std::vector<MentionFacts> mention_facts(const CorefDocument& document) {
  const Analysis analysis(document);
  std::vector<MentionFacts> facts;
  facts.reserve(document.mentions.size());
  for (const Mention& mention : document.mentions) facts.push_back(analysis.facts_of(mention));
  return facts;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "io/text/conll2012.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

// Columns, from 0. The entities are in the last one.
constexpr std::size_t word_column = 3;
constexpr std::size_t tag_column = 4;
constexpr std::size_t speaker_column = 9;
/// Tags and speakers are there from this number of columns on; files of answers often have less.
constexpr std::size_t full_columns = 12;
constexpr std::size_t fewest_columns = 5;
constexpr std::string_view begin_mark = "#begin document";
constexpr std::string_view end_mark = "#end document";
constexpr std::string_view part_mark = "); part ";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// "" for what stands for nothing.
std::string_view known(std::string_view text) {
  return text == "-" || text == "_" || text == "*" ? std::string_view() : text;
}

class Reader {
 public:
  explicit Reader(Input& input) : name_(input.name()), lines_(input) {}

  std::vector<CorefDocument> read() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.starts_with(begin_mark)) {
        begin(trimmed(line.substr(begin_mark.size())));
      } else if (line.starts_with(end_mark)) {
        if (!document_) lines_.fail("#end document without a #begin document");
        end();
      } else if (line.starts_with('#')) {
        continue;
      } else if (trimmed(line).empty()) {
        in_sentence_ = false;
      } else {
        if (!document_) lines_.fail("expected #begin document, found " + quote(line));
        add_word(line);
      }
    }
    if (document_) fail(begin_line_, "the document has no #end document");
    return std::move(documents_);
  }

 private:
  struct Open {
    std::uint32_t begin;
    std::size_t line;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw ParseError(name_, {.line = line}, problem);
  }

  void begin(std::string_view title) {
    if (document_) {
      lines_.fail("#begin document, but the document of line " + std::to_string(begin_line_) +
                  " has no #end document");
    }
    document_.emplace();
    begin_line_ = lines_.number();
    in_sentence_ = false;
    line_of_word_.clear();
    const std::size_t part = title.rfind(part_mark);
    if (title.starts_with('(') && part != title.npos) {
      const std::string_view digits = trimmed(title.substr(part + part_mark.size()));
      const auto number = parse_integer(digits);
      if (!number || *number < 0 || *number > 1'000'000'000) {
        lines_.fail("expected the number of the part, found " + quote(digits));
      }
      document_->part = static_cast<std::uint32_t>(*number);
      document_->name = title.substr(1, part - 1);
    } else if (title.starts_with('(') && title.ends_with(')')) {
      document_->name = title.substr(1, title.size() - 2);
    } else {
      document_->name = title;
    }
  }

  void add_word(std::string_view line) {
    if (line.find('\t') != line.npos) {
      split_at_tabs(line, columns_);
    } else {
      split_at_blanks(line, columns_);
    }
    if (columns_.size() < fewest_columns) {
      lines_.fail("expected at least " + std::to_string(fewest_columns) +
                  " columns (document, part, number, word, ..., entities), found " +
                  std::to_string(columns_.size()));
    }
    if (columns_[word_column].empty()) lines_.fail("the word (column 4) is empty");
    CorefDocument& document = *document_;
    if (!in_sentence_) document.sentence_begins.push_back(document.words.size());
    in_sentence_ = true;
    document.words.emplace_back(columns_[word_column]);
    line_of_word_.push_back(lines_.number());
    const bool full = columns_.size() >= full_columns;
    document.tags.emplace_back(full ? known(columns_[tag_column]) : std::string_view());
    document.speakers.emplace_back(full ? known(columns_[speaker_column]) : std::string_view());
    const std::string_view entities = trimmed(columns_.back());
    if (!known(entities).empty()) add_brackets(entities);
  }

  /// "(3|(4)|5)": 3 begins, 4 is this word alone, 5 ends.
  void add_brackets(std::string_view text) {
    const auto word = static_cast<std::uint32_t>(document_->words.size() - 1);
    for (;;) {
      const std::size_t bar = std::min(text.find('|'), text.size());
      std::string_view part = text.substr(0, bar);
      const bool opens = part.starts_with('(');
      const bool closes = part.ends_with(')');
      if (opens) part.remove_prefix(1);
      if (closes && !part.empty()) part.remove_suffix(1);
      const std::uint32_t entity = entity_number(part, opens || closes);
      if (opens && closes) {
        document_->mentions.push_back({.begin = word, .end = word + 1, .entity = entity});
      } else if (opens) {
        open_[entity].push_back({.begin = word, .line = lines_.number()});
      } else {
        close(entity, word);
      }
      if (bar == text.size()) return;
      text.remove_prefix(bar + 1);
    }
  }

  [[nodiscard]] std::uint32_t entity_number(std::string_view text, bool has_bracket) const {
    const auto number = parse_integer(text);
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    if (!has_bracket || !digits || !number || *number > 2'000'000'000) {
      lines_.fail("expected (NUMBER, NUMBER) or (NUMBER) in the column of entities, found " +
                      quote(columns_.back()),
                  lines_.column_of(columns_.back()));
    }
    return static_cast<std::uint32_t>(*number);
  }

  /// Ends the mention of the entity that began last.
  void close(std::uint32_t entity, std::uint32_t word) {
    const auto found = open_.find(entity);
    if (found == open_.end()) {
      lines_.fail("entity " + std::to_string(entity) + " ends here, but no mention of it is open",
                  lines_.column_of(columns_.back()));
    }
    document_->mentions.push_back(
        {.begin = found->second.back().begin, .end = word + 1, .entity = entity});
    found->second.pop_back();
    if (found->second.empty()) open_.erase(found);
  }

  void end() {
    CorefDocument& document = *document_;
    if (!open_.empty()) {
      const auto& [entity, places] = *open_.begin();
      fail(places.back().line,
           "the mention of entity " + std::to_string(entity) +
               " that begins here does not end in the document");
    }
    std::ranges::stable_sort(document.mentions, [](const Mention& a, const Mention& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    for (std::size_t m = 1; m < document.mentions.size(); ++m) {
      const Mention& before = document.mentions[m - 1];
      const Mention& here = document.mentions[m];
      if (before.begin != here.begin || before.end != here.end) continue;
      fail(line_of_word_[here.begin],
           "the words of a mention that begins here are a mention twice, of entities " +
               std::to_string(before.entity) + " and " + std::to_string(here.entity));
    }
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    if (std::ranges::all_of(document.tags, is_empty)) document.tags.clear();
    if (std::ranges::all_of(document.speakers, is_empty)) document.speakers.clear();
    documents_.push_back(std::move(document));
    document_.reset();
  }

  std::string name_;
  TextLines lines_;
  std::vector<std::string_view> columns_;
  std::vector<CorefDocument> documents_;
  std::optional<CorefDocument> document_;
  std::size_t begin_line_ = 0;
  bool in_sentence_ = false;
  std::vector<std::size_t> line_of_word_;
  std::map<std::uint32_t, std::vector<Open>> open_;
};

void require_cell(std::string_view text, std::string_view what) {
  if (text.find_first_of("\t\n") == text.npos && text.find('\0') == text.npos) return;
  throw InvalidArgument("the " + std::string(what) + " " + quote(text) +
                        " holds a tab, a line end or a NUL");
}

/// Mentions that cross an earlier one of their entity. Brackets of one entity are matched from the
/// inside, so they cannot be written.
std::vector<std::size_t> crossing_mentions(const CorefDocument& document) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> ends;
  std::vector<std::size_t> crossing;
  for (std::size_t m = 0; m < document.mentions.size(); ++m) {
    const Mention& mention = document.mentions[m];
    std::vector<std::uint32_t>& open = ends[mention.entity];
    // A mention that ends with the word this one begins with is closed before it is opened.
    while (!open.empty() && open.back() <= mention.begin + 1) open.pop_back();
    if (!open.empty() && mention.end > open.back()) {
      crossing.push_back(m);
    } else {
      open.push_back(mention.end);
    }
  }
  return crossing;
}

void require_no_crossing(const CorefDocument& document) {
  const std::vector<std::size_t> crossing = crossing_mentions(document);
  require(crossing.empty(),
          "two mentions of entity " +
              (crossing.empty() ? "" : std::to_string(document.mentions[crossing[0]].entity)) +
              " in the document " + quote(document.name, "without a name") + " cross");
}

/// The first column repeats the name; it must not look like a comment or break the line.
std::string name_column(std::string_view name) {
  std::string column = name.empty() || name.front() == '#' ? "_" : "";
  for (const char c : name) column += c == ' ' || c == '\t' ? '_' : c;
  return column;
}

/// The brackets at every word: those that close, by the order of their beginnings from the last,
/// then those that open, the longest first, then mentions of this word alone.
std::vector<std::string> brackets_of(const CorefDocument& document) {
  std::vector<std::string> brackets(document.words.size());
  const auto append = [&](std::size_t word, const std::string& text) {
    if (!brackets[word].empty()) brackets[word] += '|';
    brackets[word] += text;
  };
  const auto is_single = [](const Mention& mention) { return mention.begin + 1 == mention.end; };
  for (std::size_t m = document.mentions.size(); m-- > 0;) {
    const Mention& mention = document.mentions[m];
    if (!is_single(mention)) append(mention.end - 1, std::to_string(mention.entity) + ")");
  }
  for (const Mention& mention : document.mentions) {
    if (!is_single(mention)) append(mention.begin, "(" + std::to_string(mention.entity));
  }
  for (const Mention& mention : document.mentions) {
    if (is_single(mention)) append(mention.begin, "(" + std::to_string(mention.entity) + ")");
  }
  return brackets;
}

void check_document(const CorefDocument& document) {
  document.validate();
  require(document.name.find('\n') == std::string::npos &&
              document.name.find('\0') == std::string::npos,
          "the name of a document holds a line end or a NUL");
  require_no_crossing(document);
  for (const std::string& word : document.words) {
    require(!word.empty(), "a word is empty");
    require_cell(word, "word");
  }
  for (const std::string& tag : document.tags) require_cell(tag, "tag");
  for (const std::string& speaker : document.speakers) require_cell(speaker, "speaker");
}

}  // namespace

std::vector<CorefDocument> read_conll2012(Input& input) { return Reader(input).read(); }

std::size_t part_crossing_mentions(CorefDocument& document) {
  document.validate();
  std::uint32_t next = 0;
  for (const Mention& mention : document.mentions) next = std::max(next, mention.entity + 1);
  const std::vector<std::size_t> crossing = crossing_mentions(document);
  for (const std::size_t m : crossing) document.mentions[m].entity = next++;
  return crossing.size();
}

std::string conll2012_text(const CorefDocument& document) {
  check_document(document);
  const auto or_dash = [](const std::vector<std::string>& texts, std::size_t word) {
    return texts.empty() || texts[word].empty() ? std::string("-") : texts[word];
  };
  const std::string part = std::to_string(document.part);
  std::string text = "#begin document (" + document.name + "); part " +
                     std::string(part.size() < 3 ? 3 - part.size() : 0, '0') + part + "\n";
  const std::string start = name_column(document.name) + "\t" + part + "\t";
  const std::vector<std::string> brackets = brackets_of(document);
  std::size_t sentence = 0;
  std::size_t number = 0;
  for (std::size_t word = 0; word < document.words.size(); ++word, ++number) {
    if (sentence < document.sentence_begins.size() && document.sentence_begins[sentence] == word) {
      if (word > 0) text += '\n';
      ++sentence;
      number = 0;
    }
    text += start + std::to_string(number) + "\t" + document.words[word] + "\t" +
            or_dash(document.tags, word) + "\t-\t-\t-\t-\t" + or_dash(document.speakers, word) +
            "\t-\t" + (brackets[word].empty() ? "-" : brackets[word]) + "\n";
  }
  return text + "\n#end document\n";
}

void write_conll2012(std::span<const CorefDocument> documents, OutputFile& output) {
  for (const CorefDocument& document : documents) check_document(document);
  for (const CorefDocument& document : documents) output.write(conll2012_text(document));
}

}  // namespace maxmargin

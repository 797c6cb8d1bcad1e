// SPDX-License-Identifier: Apache-2.0
#include "io/structured/label_sets.hpp"

#include <algorithm>
#include <string_view>

#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "io/table/svmlight.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

/// How much of a file is looked at to tell sets from data.
constexpr std::size_t looked_at = 1 << 16;

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::vector<Label> set_of(const TextLines& lines) {
  std::vector<Label> set;
  const std::string_view text = trimmed(lines.line());
  if (text.empty()) return set;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = trimmed(text.substr(begin, end - begin));
    if (item.empty()) lines.fail("expected a label in the list " + quote(text));
    set.push_back(Label::parse(item));
    if (end == text.size()) break;
    begin = end + 1;
  }
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace

std::vector<std::vector<Label>> read_label_sets(Input& input, std::optional<std::size_t> threads) {
  if (input.peek(looked_at).find(':') != std::string_view::npos) {
    Dataset data = read_svmlight(input, {.multi_label = true, .context = {.threads = threads}});
    if (data.label_sets.empty()) throw FileError(input.name(), "holds no labels");
    return std::move(data.label_sets);
  }
  std::vector<std::vector<Label>> sets;
  for (TextLines lines(input); lines.next();) sets.push_back(set_of(lines));
  if (sets.empty()) throw FileError(input.name(), "holds no labels");
  return sets;
}

std::string to_text(const std::vector<Label>& set) {
  std::string text;
  for (const Label& label : set) {
    if (!text.empty()) text += ',';
    text += label.text();
  }
  return text;
}

}  // namespace maxmargin

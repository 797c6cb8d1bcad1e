// SPDX-License-Identifier: Apache-2.0
#include "io/structured/class_costs.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// The words of a line up to a comment: none, or a pair and its cost.
std::vector<std::string_view> words_of(const TextLines& lines) {
  std::vector<std::string_view> words;
  split_at_blanks(lines.line().substr(0, lines.line().find('#')), words);
  if (!words.empty() && words.size() != 3) {
    lines.fail("expected a true class, a predicted class and a cost, found " +
               std::to_string(words.size()) + " words");
  }
  return words;
}

double cost_of(const TextLines& lines, std::string_view word) {
  const std::optional<double> cost = parse_number(word);
  if (!cost || !std::isfinite(*cost) || *cost < 0) {
    lines.fail("expected a cost, a finite number >= 0, found " + quote(word),
               lines.column_of(word));
  }
  return *cost;
}

/// The number of a class; empty for one that is skipped.
std::optional<std::size_t> class_number(const TextLines& lines,
                                        std::string_view word,
                                        std::span<const Label> classes,
                                        bool skip_others) {
  const std::optional<std::int32_t> number = find_class(classes, Label::parse(word));
  if (number) return static_cast<std::size_t>(*number);
  if (!skip_others) {
    lines.fail("the data has no class " + quote(word), lines.column_of(word));
  }
  return std::nullopt;
}

}  // namespace

DenseMatrix read_class_costs(Input& input, std::span<const Label> classes, bool skip_others) {
  DenseMatrix costs(classes.size(), classes.size(), 1.0);
  for (std::size_t c = 0; c < classes.size(); ++c) costs(c, c) = 0;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> line_of;
  for (TextLines lines(input); lines.next();) {
    const std::vector<std::string_view> words = words_of(lines);
    if (words.empty()) continue;
    const double cost = cost_of(lines, words[2]);
    const auto truth = class_number(lines, words[0], classes, skip_others);
    const auto other = class_number(lines, words[1], classes, skip_others);
    if (!truth || !other) continue;
    if (*truth == *other && cost != 0) {
      lines.fail("the class " + quote(words[0]) + " for itself must cost 0");
    }
    const auto [earlier, is_new] = line_of.emplace(std::pair(*truth, *other), lines.number());
    if (!is_new) {
      lines.fail("the pair has a line already, line " + std::to_string(earlier->second));
    }
    costs(*truth, *other) = cost;
  }
  return costs;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/text/tagged_text.hpp"

namespace maxmargin {

/// Tokens "word/tag" or "word|pos/tag" separated by blanks, a sentence a line.
inline TaggedText tagged_text(std::string_view lines, std::size_t columns = 1) {
  TaggedText text(columns, true);
  text.source = "test";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    while (!line.empty()) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      const std::string_view token = line.substr(0, blank);
      line.remove_prefix(std::min(blank + 1, line.size()));
      const std::size_t slash = token.rfind('/');
      std::string_view left = token.substr(0, slash);
      std::vector<std::string_view> cells;
      for (std::size_t bar; (bar = left.find('|')) != left.npos; left.remove_prefix(bar + 1)) {
        cells.push_back(left.substr(0, bar));
      }
      cells.push_back(left);
      text.add_token(cells, token.substr(slash + 1));
    }
    text.end_sentence();
  }
  return text;
}

/// Random words of two columns with random tags.
inline TaggedText random_text(std::size_t sentences, std::uint64_t seed) {
  Rng rng(seed);
  TaggedText text(2, true);
  text.source = "random";
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::size_t length = 1 + rng.index(12);
    for (std::size_t t = 0; t < length; ++t) {
      const std::string word = "w" + std::to_string(rng.index(1 + rng.index(200)));
      const std::string pos = "p" + std::to_string(rng.index(5));
      const std::vector<std::string_view> cells = {word, pos};
      text.add_token(cells, "T" + std::to_string(rng.index(4)));
    }
    text.end_sentence();
  }
  return text;
}

}  // namespace maxmargin

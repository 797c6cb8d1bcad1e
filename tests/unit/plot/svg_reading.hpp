// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

/// Looks into SVG documents.
namespace maxmargin {

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The part of the document in <g class="name"> ... </g>.
inline std::string layer(const std::string& svg, const std::string& name) {
  const std::size_t begin = svg.find("<g class=\"" + name + "\"");
  return svg.substr(begin, svg.find("</g>", begin) - begin);
}

inline std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

/// Every opened element is closed in order: what a viewer needs to show anything at all.
inline bool is_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^<>]*?(/?)>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if ((*it)[3] != "/") {
      open.push_back(name);
    }
  }
  return open.empty();
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "io/structured/parent_list.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "io/quote.hpp"
#include "io/stream/line_blocks.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

struct Word {
  std::string_view text;
  std::size_t column = 0;
};

/// The words of a line up to a comment.
std::vector<Word> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<Word> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(blanks, at)) != line.npos) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back({.text = line.substr(at, end - at), .column = at + 1});
    at = end;
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const std::string& source) : source_(source) {}

  void take(std::string_view line) {
    ++line_;
    if (const std::size_t zero = line.find('\0'); zero != line.npos) {
      fail({.line = line_, .column = zero + 1}, "a NUL byte: this is no list of parents");
    }
    const std::vector<Word> words = words_of(line);
    if (words.empty()) return;
    if (words.size() > 2) {
      fail({.line = line_, .column = words[2].column},
           "expected a node and its parent, found " + quote(words[2].text) + " as well");
    }
    TaxonomyLink link = {.node = Label::parse(words[0].text)};
    if (words.size() == 2) link.parent = Label::parse(words[1].text);
    const auto [earlier, is_new] = line_of_.emplace(link.node, links_.size());
    if (!is_new) {
      fail({.line = line_, .column = words[0].column},
           "the node " + quote(words[0].text) + " has a line already, line " +
               std::to_string(lines_[earlier->second]));
    }
    links_.push_back(std::move(link));
    lines_.push_back(line_);
  }

  [[nodiscard]] Taxonomy finish() const {
    if (links_.empty()) throw FileError(source_, "holds no nodes");
    check_cycles();
    return Taxonomy(links_);
  }

 private:
  [[noreturn]] void fail(FilePlace place, const std::string& problem) const {
    throw ParseError(source_, place, problem);
  }

  /// Taxonomy would refuse them as well, without knowing the line.
  void check_cycles() const {
    constexpr std::size_t fine = static_cast<std::size_t>(-1);
    // For each link the walk that came by, from 1; 0: none yet.
    std::vector<std::size_t> walk_of(links_.size(), 0);
    for (std::size_t start = 0; start < links_.size(); ++start) {
      std::size_t at = start;
      while (at != fine && walk_of[at] == 0) {
        walk_of[at] = start + 1;
        const auto above = links_[at].parent ? line_of_.find(*links_[at].parent) : line_of_.end();
        at = above == line_of_.end() ? fine : above->second;
      }
      if (at == fine || walk_of[at] != start + 1) continue;
      fail({.line = lines_[at]}, "the node " + quote(links_[at].node.text()) + " is above itself");
    }
  }

  const std::string& source_;
  std::size_t line_ = 0;
  std::vector<TaxonomyLink> links_;
  std::vector<std::size_t> lines_;
  std::map<Label, std::size_t> line_of_;
};

std::string written_name(const Label& name) {
  std::string text = name.text();
  const bool reads_back = !text.empty() && text.find_first_of(" \t\r\f\v\n#") == text.npos &&
                          text.find('\0') == text.npos && Label::parse(text) == name;
  if (!reads_back) {
    throw InvalidArgument("to_text(Taxonomy): the name " + quote(text, "that is empty") +
                          " cannot stand in a list of parents");
  }
  return text;
}

}  // namespace

Taxonomy read_parent_list(Input& input) {
  skip_byte_order_mark(input);
  const std::string text = input.read_all();
  Reader reader(input.name());
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    reader.take(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return reader.finish();
}

std::string to_text(const Taxonomy& tree) {
  std::string text;
  for (std::uint32_t node = 0; node < tree.size(); ++node) {
    text += written_name(tree.name(node));
    if (tree.parent(node) != Taxonomy::no_parent) {
      text += ' ';
      text += written_name(tree.name(tree.parent(node)));
    }
    text += '\n';
  }
  return text;
}

}  // namespace maxmargin

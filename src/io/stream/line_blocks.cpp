// SPDX-License-Identifier: Apache-2.0
#include "io/stream/line_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

void skip_byte_order_mark(Input& input) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (input.peek(mark.size()) != mark) return;
  std::array<char, mark.size()> skipped = {};
  input.read(skipped);
}

LineBlocks::LineBlocks(Input& input, std::size_t block_bytes)
    : input_(input), block_bytes_(block_bytes) {
  if (const auto bytes = input.mapped()) {
    mapped_ = true;
    left_ = *bytes;
  }
}

std::span<const std::string_view> LineBlocks::next(std::size_t count) {
  blocks_.clear();
  if (mapped_) {
    next_of_mapped(count);
  } else {
    next_of_stream(count);
  }
  return blocks_;
}

void LineBlocks::next_of_mapped(std::size_t count) {
  const std::size_t wanted = std::min(left_.size(), checked_multiply(count, block_bytes_));
  if (wanted == 0) return;
  const std::size_t line_end = left_.find('\n', wanted - 1);
  if (line_end != left_.npos) {
    cut(left_.substr(0, line_end + 1));
    left_.remove_prefix(line_end + 1);
    return;
  }
  const std::size_t whole = left_.rfind('\n') + 1;  // npos + 1 is 0: no line end at all
  cut(left_.substr(0, whole));
  last_line_.reserve(left_.size() - whole + 1);
  last_line_ = left_.substr(whole);
  last_line_ += '\n';
  cut(last_line_);
  left_ = {};
}

void LineBlocks::next_of_stream(std::size_t count) {
  // Keep the start of the line that the last call did not hand out.
  const std::size_t carried = text_.size() - handed_out_;
  if (carried > 0) std::memmove(text_.data(), text_.data() + handed_out_, carried);
  text_.resize(carried);
  handed_out_ = 0;

  std::size_t searched = 0;
  std::size_t wanted = checked_multiply(count, block_bytes_);
  while (!ended_ && handed_out_ == 0) {
    const std::size_t old = text_.size();
    const std::size_t size = checked_add(old, wanted);
    if (size > machine_memory()) {
      throw FileError(input_.name(), "a line is longer than the memory of this machine");
    }
    text_.resize(size);
    const std::size_t got = input_.read(text_.span().subspan(old));
    text_.resize(old + got);
    ended_ = got < wanted;
    const std::string_view fresh(text_.data() + searched, text_.size() - searched);
    if (const std::size_t line_end = fresh.rfind('\n'); line_end != fresh.npos) {
      handed_out_ = searched + line_end + 1;
    }
    searched = text_.size();
    wanted = std::max(wanted, text_.size());  // a very long line: read on in growing steps
  }
  if (ended_ && text_.size() > handed_out_) {
    text_.push_back('\n');
    handed_out_ = text_.size();
  }
  cut({text_.data(), handed_out_});
}

void LineBlocks::cut(std::string_view whole_lines) {
  while (!whole_lines.empty()) {
    const std::size_t at_least = std::min(block_bytes_, whole_lines.size());
    const std::size_t size = whole_lines.find('\n', at_least - 1) + 1;
    blocks_.push_back(whole_lines.substr(0, size));
    whole_lines.remove_prefix(size);
  }
}

}  // namespace maxmargin

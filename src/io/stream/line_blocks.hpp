// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin {

/// Skips the three bytes with which some editors begin a UTF-8 file.
void skip_byte_order_mark(Input& input);

/// Cuts an Input at line ends into blocks that can be parsed independently. A mapped file is not
/// copied; anything else passes through a buffer of the size that is asked for at once.
class LineBlocks {
 public:
  /// Blocks have `block_bytes` or up to one line more. Requires block_bytes > 0.
  LineBlocks(Input& input, std::size_t block_bytes);

  /// The next blocks in file order, up to `count` (> 0) or a few more; none at the end. Every block
  /// ends with a line end: the last line of the file gets one if it has none. Valid until the next
  /// call.
  [[nodiscard]] std::span<const std::string_view> next(std::size_t count);

 private:
  void next_of_mapped(std::size_t count);
  void next_of_stream(std::size_t count);
  void cut(std::string_view whole_lines);

  Input& input_;
  std::size_t block_bytes_;
  bool mapped_ = false;
  std::string_view left_;  ///< of a mapped file
  std::string last_line_;  ///< of a mapped file that does not end with a line end
  Buffer<char> text_;      ///< of a stream: lines handed out, then the start of the next line
  std::size_t handed_out_ = 0;
  bool ended_ = false;
  std::vector<std::string_view> blocks_;
};

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"

namespace maxmargin::detail {

/// The numbers of an SDPA file one after the other, with their places for messages.
class SdpaNumbers {
 public:
  SdpaNumbers(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  /// Skips lines that begin with a quote or an asterisk, and empty ones.
  void skip_comments();
  /// Skips the rest of the line: remarks behind a count.
  void skip_line();
  /// The same behind a list of `count` numbers called `what`, where a number is one too many: a
  /// list that is short of one would else take it from the next line and lose the rest.
  void skip_remark(std::string_view what, std::size_t count);
  /// Skips separators; whether the text is at its end.
  [[nodiscard]] bool at_end();
  /// The next whole number from `least` to `most`. `what` names it in messages.
  std::int64_t whole(std::string_view what, std::int64_t least, std::int64_t most);
  /// The next number, which must be finite.
  double real(std::string_view what);
  /// Where the last number began.
  [[nodiscard]] FilePlace place() const noexcept { return place_; }
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail(FilePlace place, const std::string& problem) const;

 private:
  /// The next word, up to a separator; empty at the end.
  std::string_view word();

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  FilePlace place_ = {};
};

}  // namespace maxmargin::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

/// Names in files (of classes, columns, files) may hold bytes that a terminal obeys. What people
/// read shows them as \xNN.
namespace maxmargin::tool {

/// The text without control characters, of one byte or of two (U+0080 to U+009F), and without bytes
/// that are no UTF-8. Line ends and tabs stay, unless it is to be `one_line`.
[[nodiscard]] std::string printable(std::string_view text, bool one_line = false);

/// While one of these lives, what is written to `stream` arrives printable.
class PrintableStream : private std::streambuf {
 public:
  explicit PrintableStream(std::ostream& stream);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

  std::ostream& stream_;
  std::streambuf* target_;
};

}  // namespace maxmargin::tool

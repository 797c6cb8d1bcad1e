// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/sdpa/sdpa.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <tuple>

#include "io/quote.hpp"
#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

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

bool is_separator(char c) {
  return std::string_view(" \t\r\n\v\f,(){}").find(c) != std::string_view::npos;
}

void SdpaNumbers::fail(const std::string& problem) const { fail(place_, problem); }

void SdpaNumbers::fail(FilePlace place, const std::string& problem) const {
  throw ParseError(name_, place, problem);
}

void SdpaNumbers::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ == text_.size()) return;
  ++at_;
  ++line_;
  line_start_ = at_;
}

void SdpaNumbers::skip_remark(std::string_view what, std::size_t count) {
  while (at_ < text_.size() && text_[at_] != '\n' && is_separator(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] != '\n') {
    const std::string_view text = word();
    if (parse_number(text)) {
      fail("another number, " + quote(text, "") + ", behind the last of the " + std::string(what) +
           ": there must be " + std::to_string(count));
    }
  }
  skip_line();
}

void SdpaNumbers::skip_comments() {
  while (at_ < text_.size()) {
    std::size_t first = at_;
    while (first < text_.size() && (text_[first] == ' ' || text_[first] == '\t')) ++first;
    if (first == text_.size()) return;
    const char c = text_[first];
    if (c != '"' && c != '*' && c != '\n' && c != '\r') return;
    skip_line();
  }
}

bool SdpaNumbers::at_end() {
  while (at_ < text_.size() && is_separator(text_[at_])) {
    if (text_[at_++] != '\n') continue;
    ++line_;
    line_start_ = at_;
  }
  return at_ == text_.size();
}

std::string_view SdpaNumbers::word() {
  const bool end = at_end();
  place_ = {line_, at_ - line_start_ + 1};
  if (end) return {};
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_separator(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::int64_t SdpaNumbers::whole(std::string_view what, std::int64_t least, std::int64_t most) {
  const std::string_view text = word();
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < least || *value > most) {
    fail("expected " + std::string(what) + ", a whole number from " + std::to_string(least) +
         " to " + std::to_string(most) + ", found " + quote(text, "the end of the file"));
  }
  return *value;
}

double SdpaNumbers::real(std::string_view what) {
  const std::string_view text = word();
  const std::optional<double> value = parse_number(text);
  if (!value || !std::isfinite(*value)) {
    fail("expected " + std::string(what) + ", a finite number, found " +
         quote(text, "the end of the file"));
  }
  return *value;
}

constexpr std::int64_t largest_count = std::numeric_limits<std::int32_t>::max() - 1;

/// An entry of F_0 .. F_m with its line, to say where a second one stands.
struct FileEntry {
  std::uint32_t matrix = 0;
  SdpEntry entry = {};
  std::size_t line = 0;
};

auto key(const FileEntry& e) {
  return std::tie(e.matrix, e.entry.block, e.entry.row, e.entry.column);
}

std::vector<SdpBlock> read_blocks(SdpaNumbers& numbers) {
  const std::int64_t count = numbers.whole("the number of blocks", 1, largest_count);
  numbers.skip_line();
  std::vector<SdpBlock> blocks;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t size =
        numbers.whole("the size of block " + std::to_string(k + 1), -largest_count, largest_count);
    if (size == 0) numbers.fail("a block of size 0, must be a size above 0 or below it");
    blocks.push_back({size > 0 ? SdpCone::semidefinite : SdpCone::nonnegative,
                      static_cast<std::size_t>(size > 0 ? size : -size)});
  }
  numbers.skip_remark("block sizes", blocks.size());
  return blocks;
}

/// Block, row, column and value of an entry, turned to the lower triangle.
SdpEntry read_place(SdpaNumbers& numbers, std::span<const SdpBlock> blocks) {
  const auto block = static_cast<std::size_t>(
      numbers.whole("the block of an entry", 1, static_cast<std::int64_t>(blocks.size())));
  const auto size = static_cast<std::int64_t>(blocks[block - 1].size);
  const std::int64_t i = numbers.whole("the row of an entry", 1, size);
  const std::int64_t j = numbers.whole("the column of an entry", 1, size);
  if (blocks[block - 1].cone == SdpCone::nonnegative && i != j) {
    numbers.fail("column " + std::to_string(j) + " beside row " + std::to_string(i) +
                 " in a diagonal block, must be the same");
  }
  return {.block = narrow<std::uint32_t>(block - 1),
          .row = narrow<std::uint32_t>(std::max(i, j) - 1),
          .column = narrow<std::uint32_t>(std::min(i, j) - 1),
          .value = numbers.real("the value of an entry")};
}

std::vector<FileEntry> read_entries(SdpaNumbers& numbers,
                                    std::span<const SdpBlock> blocks,
                                    std::size_t m) {
  std::vector<FileEntry> entries;
  while (!numbers.at_end()) {
    FileEntry entry;
    entry.matrix = narrow<std::uint32_t>(
        numbers.whole("the matrix of an entry", 0, static_cast<std::int64_t>(m)));
    entry.line = numbers.place().line;
    entry.entry = read_place(numbers, blocks);
    entries.push_back(entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const FileEntry& a, const FileEntry& b) {
    return key(a) < key(b);
  });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (key(entries[i - 1]) != key(entries[i])) continue;
    const FileEntry& again = entries[i];
    numbers.fail({again.line, 0},
                 "the entry of matrix " + std::to_string(again.matrix) + ", block " +
                     std::to_string(again.entry.block + 1) + ", row and column " +
                     std::to_string(again.entry.column + 1) + " and " +
                     std::to_string(again.entry.row + 1) + " stands on line " +
                     std::to_string(entries[i - 1].line) + " already, must be given once");
  }
  return entries;
}

SdpProblem read_program(Input& input) {
  const WholeInput whole(input);
  SdpaNumbers numbers(input.name(), whole.bytes());
  numbers.skip_comments();
  const auto m =
      static_cast<std::size_t>(numbers.whole("the number of constraints", 0, largest_count));
  numbers.skip_line();
  numbers.skip_comments();
  const std::vector<SdpBlock> blocks = read_blocks(numbers);
  std::vector<double> rhs;
  for (std::size_t i = 0; i < m; ++i) {
    rhs.push_back(numbers.real("number " + std::to_string(i + 1) + " of the objective"));
  }
  if (m > 0) numbers.skip_remark("objective's numbers", m);
  const std::vector<FileEntry> entries = read_entries(numbers, blocks, m);

  SdpBuilder builder;
  for (const SdpBlock& block : blocks) builder.add_block(block.cone, block.size);
  std::size_t next = 0;
  for (; next < entries.size() && entries[next].matrix == 0; ++next) {
    SdpEntry entry = entries[next].entry;
    entry.value = -entry.value;
    builder.add_cost(entry);
  }
  std::vector<SdpEntry> row;
  for (std::size_t i = 0; i < m; ++i) {
    row.clear();
    for (; next < entries.size() && entries[next].matrix == i + 1; ++next) {
      row.push_back(entries[next].entry);
    }
    builder.add_equality(row, rhs[i]);
  }
  return builder.build();
}

}  // namespace

SdpProblem read_sdpa(Input& input) {
  try {
    return read_program(input);
  } catch (const std::bad_alloc&) {
    throw FileError(input.name(), "this program needs more memory than there is for it");
  }
}

SdpaSolution read_sdpa_solution(const SdpProblem& problem, Input& input) {
  const WholeInput whole(input);
  SdpaNumbers numbers(input.name(), whole.bytes());
  SdpaSolution solution;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const double value = numbers.real("multiplier " + std::to_string(i + 1));
    solution.y.push_back(value == 0 ? 0.0 : -value);
  }
  solution.x = problem.zero_point();
  solution.z = problem.zero_point();
  // Blocks of size 0 are not in the file.
  std::vector<SdpBlock> blocks;
  std::vector<std::size_t> number;
  for (std::size_t k = 0; k < problem.blocks().size(); ++k) {
    if (problem.blocks()[k].size == 0) continue;
    blocks.push_back(problem.blocks()[k]);
    number.push_back(k);
  }
  while (!numbers.at_end()) {
    const std::int64_t matrix = numbers.whole("the matrix of an entry", 1, 2);
    const SdpEntry entry = read_place(numbers, blocks);
    DenseMatrix& block = (matrix == 1 ? solution.z : solution.x)[number[entry.block]];
    if (blocks[entry.block].cone == SdpCone::nonnegative) {
      block(0, entry.row) = entry.value;
    } else {
      block(entry.row, entry.column) = block(entry.column, entry.row) = entry.value;
    }
  }
  return solution;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "io/append_number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/sdpa/sdpa.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

/// Numbers of the blocks as the file counts them: from 1, without those of size 0.
std::vector<std::size_t> file_numbers(const SdpProblem& problem) {
  std::vector<std::size_t> numbers;
  std::size_t next = 0;
  for (const SdpBlock& block : problem.blocks()) numbers.push_back(block.size == 0 ? 0 : ++next);
  return numbers;
}

/// Lines of "matrix block row column value", gathered before they are written, or for good where
/// there is no file.
class EntryLines {
 public:
  explicit EntryLines(OutputFile& output) : output_(&output) {}
  explicit EntryLines(std::string text) : text_(std::move(text)) {}
  void add(std::size_t matrix, std::size_t block, std::size_t i, std::size_t j, double value) {
    for (const std::size_t number : {matrix, block, i + 1, j + 1}) {
      append_number(text_, number);
      text_ += ' ';
    }
    append_number(text_, value);
    text_ += '\n';
    if (output_ != nullptr && text_.size() > buffer_size) flush();
  }
  [[nodiscard]] std::string take() { return std::move(text_); }
  void flush() {
    output_->write(text_);
    text_.clear();
  }

 private:
  OutputFile* output_ = nullptr;
  std::string text_ = {};
};

/// `first`, then the numbers separated by spaces and a line's end.
void append_line(std::string& text, std::span<const double> numbers, double sign) {
  bool first = true;
  for (const double number : numbers) {
    if (!first) text += ' ';
    first = false;
    // Not -0: readers of other programs may stumble over it.
    append_number(text, number == 0 ? 0.0 : sign * number);
  }
  text += '\n';
}

void write_comment(std::string_view comment, std::string& text) {
  while (!comment.empty()) {
    const std::size_t end = comment.find('\n');
    text.append("* ").append(comment.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    comment.remove_prefix(end + 1);
  }
}

void add_upper(const SdpProblem& problem,
               std::size_t matrix,
               const BlockMatrix& point,
               EntryLines& lines) {
  const std::vector<std::size_t> numbers = file_numbers(problem);
  for (std::size_t k = 0; k < point.size(); ++k) {
    const bool vector = problem.blocks()[k].cone == SdpCone::nonnegative;
    for (std::size_t i = 0; i < point[k].cols(); ++i) {
      for (std::size_t j = i; j < (vector ? i + 1 : point[k].cols()); ++j) {
        const double value = point[k](vector ? 0 : i, j);
        if (value != 0) lines.add(matrix, numbers[k], i, j, value);
      }
    }
  }
}

}  // namespace

void write_sdpa(const SdpProblem& problem, OutputFile& output, std::string_view comment) {
  require(problem.order() > 0, "an SDPA file needs a block with rows");
  const std::vector<std::size_t> numbers = file_numbers(problem);
  std::string text;
  write_comment(comment, text);
  append_number(text, problem.constraints());
  text += " = constraints\n";
  std::size_t blocks = 0;
  std::string sizes;
  for (const SdpBlock& block : problem.blocks()) {
    if (block.size == 0) continue;
    if (blocks++ > 0) sizes += ' ';
    if (block.cone == SdpCone::nonnegative) sizes += '-';
    append_number(sizes, block.size);
  }
  append_number(text, blocks);
  text += " = blocks\n" + sizes + '\n';
  append_line(text, problem.rhs(), 1.0);
  output.write(text);

  EntryLines lines(output);
  const auto add = [&](std::size_t matrix, std::span<const SdpEntry> entries, double sign) {
    // Our lower triangle is their upper one.
    for (const SdpEntry& e : entries) {
      lines.add(matrix, numbers[e.block], e.column, e.row, sign * e.value);
    }
  };
  add(0, problem.cost(), -1.0);
  for (std::size_t i = 0; i < problem.constraints(); ++i) add(i + 1, problem.constraint(i), 1.0);
  lines.flush();
}

void write_sdpa_solution(const SdpProblem& problem,
                         const BlockMatrix& x,
                         std::span<const double> y,
                         const BlockMatrix& z,
                         OutputFile& output) {
  output.write(sdpa_solution_text(problem, x, y, z));
}

std::string sdpa_solution_text(const SdpProblem& problem,
                               const BlockMatrix& x,
                               std::span<const double> y,
                               const BlockMatrix& z) {
  problem.check_point(x, "X");
  problem.check_point(z, "Z");
  require(y.size() == problem.constraints(), "there must be one multiplier for every constraint");
  std::string text;
  append_line(text, y, -1.0);
  EntryLines lines(std::move(text));
  add_upper(problem, 1, z, lines);
  add_upper(problem, 2, x, lines);
  return lines.take();
}

}  // namespace maxmargin

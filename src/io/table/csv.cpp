// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/parallel.hpp"
#include "io/quote.hpp"
#include "io/stream/whole_input.hpp"
#include "io/table/csv_cursor.hpp"
#include "io/table/csv_layout.hpp"
#include "io/table/missing_label.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"

namespace maxmargin {

namespace {

/// Bytes of text a parallel task takes. Borders between tasks depend on the text alone.
constexpr std::size_t block_bytes = std::size_t{1} << 20;
/// Blocks that are parsed before their rows are put in place: bounds the memory beyond the result.
constexpr std::size_t blocks_a_wave = 64;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Thrown when a column that might be a feature turns out to hold the labels.
struct LabelsFound {};

/// What comes before a block, so that it can be parsed by itself.
struct BlockStart {
  std::size_t newlines = 0;
  std::size_t quotes = 0;
  bool has_zero_byte = false;
};

/// The rows that begin in one block.
struct BlockRows {
  std::size_t rows = 0;
  Buffer<double> features;
  std::vector<double> weights;
  LabelColumn labels;
  std::vector<std::string> strings;
  std::vector<std::string> groups;
};

class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text, const CsvOptions& options)
      : file_(file),
        text_(text),
        options_(options),
        threads_(thread_count(options.context.threads)) {
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    if (options.unlabeled) unlabelled_ = Label::parse(*options.unlabeled);
  }

  Dataset read() {
    scan_blocks();
    read_first_row();
    try {
      return read_rows();
    } catch (const LabelsFound&) {
      std::ranges::replace(layout_.roles, CsvRole::feature_or_label, CsvRole::label);
      return read_rows();
    }
  }

 private:
  void scan_blocks();
  void read_first_row();
  [[nodiscard]] Dataset read_rows() const;
  [[nodiscard]] BlockRows read_block(std::size_t block) const;
  [[nodiscard]] CsvCursor first_record_of(std::size_t block) const;
  void read_record(CsvCursor& cursor, BlockRows& rows) const;
  bool read_number(CsvCursor& cursor, std::size_t column, BlockRows& rows) const;
  bool read_label(CsvCursor& cursor, LabelColumn& labels) const;
  bool read_string(CsvCursor& cursor, std::size_t column, BlockRows& rows) const;
  bool read_group(CsvCursor& cursor, std::size_t column, BlockRows& rows) const;
  bool read_column(CsvCursor& cursor, std::size_t column, BlockRows& rows) const;
  [[nodiscard]] std::vector<std::string> feature_names() const;

  const std::string& file_;
  std::string_view text_;
  const CsvOptions& options_;
  std::size_t threads_;
  std::optional<Label> unlabelled_;
  std::vector<BlockStart> starts_;
  CsvLayout layout_;
  std::size_t body_offset_ = 0;
  std::size_t body_line_ = 1;
};

/// Counts line feeds and quotes before every block, and refuses binary files.
void CsvReader::scan_blocks() {
  starts_.resize(chunk_count(text_.size(), block_bytes));
  parallel_chunks(threads_,
                  text_.size(),
                  block_bytes,
                  [this](std::size_t block, std::size_t begin, std::size_t end) {
                    BlockStart& counts = starts_[block];
                    for (const char c : text_.substr(begin, end - begin)) {
                      counts.newlines += c == '\n' ? 1u : 0u;
                      counts.quotes += c == '"' ? 1u : 0u;
                      counts.has_zero_byte |= c == '\0';
                    }
                  });
  if (std::ranges::any_of(starts_, &BlockStart::has_zero_byte)) {
    const std::size_t zero = text_.find('\0');
    const std::string_view before = text_.substr(0, zero);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    // rfind gives npos, which is -1, when there is no line feed: then columns count from the start.
    throw ParseError(file_,
                     {.line = lines + 1, .column = zero - before.rfind('\n')},
                     "a zero byte: this is a binary file, expected a table of text");
  }
  BlockStart sum;
  for (BlockStart& start : starts_) {
    const BlockStart counts = std::exchange(start, sum);
    sum.newlines += counts.newlines;
    sum.quotes += counts.quotes;
  }
}

void CsvReader::read_first_row() {
  CsvCursor cursor(file_, text_, options_.delimiter, 0, 1);
  cursor.skip_blank_lines(text_.size());
  if (cursor.at_end()) cursor.fail({.line = 1, .column = 1}, "the table is empty");
  const std::size_t offset = cursor.offset();
  const std::size_t line = cursor.line();
  std::vector<std::string> cells;
  CsvCell cell;
  bool more = true;
  while (more) {
    more = cursor.next_cell(cell);
    cells.emplace_back(cell.text);
  }
  layout_ = decide_csv_layout(file_, {.line = line, .column = 1}, std::move(cells), options_);
  body_offset_ = layout_.header ? cursor.offset() : offset;
  body_line_ = layout_.header ? cursor.line() : line;
}

/// A cursor at the first record that begins in the block; at its end or beyond when there is none.
CsvCursor CsvReader::first_record_of(std::size_t block) const {
  const std::size_t begin = block * block_bytes;
  const std::size_t end = std::min(text_.size(), begin + block_bytes);
  if (body_offset_ >= begin) {
    return {file_, text_, options_.delimiter, body_offset_, body_line_};
  }
  bool quoted = starts_[block].quotes % 2 == 1;
  std::size_t line = starts_[block].newlines + 1;
  std::size_t at = begin;
  if (quoted || text_[begin - 1] != '\n') {
    bool found = false;
    for (; at < end && !found; ++at) {
      if (text_[at] == '"') quoted = !quoted;
      if (text_[at] == '\n') ++line;
      found = text_[at] == '\n' && !quoted;
    }
  }
  return {file_, text_, options_.delimiter, at, line};
}

BlockRows CsvReader::read_block(std::size_t block) const {
  const std::size_t end = std::min(text_.size(), (block + 1) * block_bytes);
  BlockRows rows;
  CsvCursor cursor = first_record_of(block);
  while (cursor.offset() < end) {
    cursor.skip_blank_lines(end);  // no further: each block skips its own
    if (cursor.offset() >= end) break;
    read_record(cursor, rows);
  }
  return rows;
}

void CsvReader::read_record(CsvCursor& cursor, BlockRows& rows) const {
  const std::size_t columns = layout_.roles.size();
  const std::size_t line = cursor.line();
  for (std::size_t column = 0; column < columns; ++column) {
    const bool more = read_column(cursor, column, rows);
    if (more == (column + 1 < columns)) continue;
    std::size_t found = column + 1;
    CsvCell cell;
    for (bool another = more; another; ++found) another = cursor.next_cell(cell);
    cursor.fail({.line = line, .column = 1},
                "expected " + std::to_string(columns) + (columns == 1 ? " cell" : " cells") +
                    " as in the first row, found " + std::to_string(found));
  }
  ++rows.rows;
}

/// Reads a feature or a weight; returns whether another cell follows.
bool CsvReader::read_number(CsvCursor& cursor, std::size_t column, BlockRows& rows) const {
  double value = 0;
  bool more = false;
  const CsvRole role = layout_.roles[column];
  const bool is_weight = role == CsvRole::weight;
  const CsvCursor::Mark before = cursor.mark();
  if (!cursor.next_number(value, more)) {
    CsvCell cell;
    more = cursor.next_cell(cell);
    const std::optional<double> number = parse_number(cell.text);
    if (!number && role == CsvRole::feature_or_label) throw LabelsFound{};
    value = number ? *number : std::nan("");
  }
  if (!std::isfinite(value) || (is_weight && value < 0)) {
    CsvCell cell;
    cursor.return_to(before);
    cursor.next_cell(cell);
    const bool first_row = cell.place.line == body_line_ && !layout_.header;
    cursor.fail(
        cell.place,
        layout_.describe(column) + " is " + quote(cell.text, "empty") + ", must be a finite " +
            (is_weight ? "number >= 0" : "number") +
            (first_row ? " (if the first row holds names, say so by the option header)" : ""));
  }
  if (is_weight) {
    rows.weights.push_back(value);
  } else {
    rows.features.push_back(value);
  }
  return more;
}

bool CsvReader::read_label(CsvCursor& cursor, LabelColumn& labels) const {
  CsvCell cell;
  const bool more = cursor.next_cell(cell);
  if (is_missing_label(cell.text)) {
    labels.push_back_unlabelled();
    return more;
  }
  const Label label = Label::parse(cell.text);
  if (label == unlabelled_) {
    labels.push_back_unlabelled();
  } else {
    labels.push_back(label);
  }
  return more;
}

bool CsvReader::read_column(CsvCursor& cursor, std::size_t column, BlockRows& rows) const {
  switch (layout_.roles[column]) {
    case CsvRole::label:
      return read_label(cursor, rows.labels);
    case CsvRole::strings:
      return read_string(cursor, column, rows);
    case CsvRole::group:
      return read_group(cursor, column, rows);
    case CsvRole::ignored: {
      CsvCell cell;
      return cursor.next_cell(cell);
    }
    case CsvRole::feature:
    case CsvRole::feature_or_label:
    case CsvRole::weight:
      break;
  }
  return read_number(cursor, column, rows);
}

bool CsvReader::read_string(CsvCursor& cursor, std::size_t column, BlockRows& rows) const {
  CsvCell cell;
  const bool more = cursor.next_cell(cell);
  if (cell.text.empty()) {
    cursor.fail(
        cell.place,
        "the string in column " + std::to_string(column + 1) + " is empty, must have a character");
  }
  rows.strings.emplace_back(cell.text);
  return more;
}

bool CsvReader::read_group(CsvCursor& cursor, std::size_t column, BlockRows& rows) const {
  CsvCell cell;
  const bool more = cursor.next_cell(cell);
  if (cell.text.empty()) {
    cursor.fail(cell.place,
                "the bag in column " + std::to_string(column + 1) +
                    " is empty, must be a name or a number");
  }
  rows.groups.emplace_back(cell.text);
  return more;
}

/// Whole numbers as they are; if there is another name (01 is not 1), numbers from 1 in the order
/// of the names.
std::vector<std::int64_t> numbers_of_groups(const std::vector<std::string>& names) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    const std::optional<std::int64_t> number = parse_integer(name);
    if (!number || std::to_string(*number) != name) break;
    numbers.push_back(*number);
  }
  if (numbers.size() == names.size()) return numbers;
  numbers.clear();
  std::unordered_map<std::string_view, std::int64_t> known;
  for (const std::string& name : names) {
    const auto next = static_cast<std::int64_t>(known.size()) + 1;
    numbers.push_back(known.emplace(name, next).first->second);
  }
  return numbers;
}

std::vector<std::string> CsvReader::feature_names() const {
  std::vector<std::string> names;
  for (std::size_t column = 0; column < layout_.names.size(); ++column) {
    const CsvRole role = layout_.roles[column];
    if (role == CsvRole::label || role == CsvRole::weight || role == CsvRole::group) continue;
    names.push_back(layout_.names[column]);
  }
  return names;
}

Dataset CsvReader::read_rows() const {
  const std::size_t columns =
      layout_.count(CsvRole::feature) + layout_.count(CsvRole::feature_or_label);
  Dataset data;
  std::size_t rows = 0;
  Buffer<double> features;
  std::vector<std::string> strings;
  std::vector<std::string> groups;
  // What is parsed takes a few times its text.
  const std::size_t at_once =
      std::clamp<std::size_t>(machine_memory() / 32 / block_bytes, 1, blocks_a_wave);
  for (std::size_t first = 0; first < starts_.size(); first += at_once) {
    std::vector<BlockRows> wave(std::min(at_once, starts_.size() - first));
    parallel_chunks(threads_, wave.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
      wave[k] = read_block(first + k);
    });
    for (BlockRows& block : wave) {
      rows += block.rows;
      features.append(block.features.span());
      data.weights.insert(data.weights.end(), block.weights.begin(), block.weights.end());
      data.labels.append(block.labels);
      std::ranges::move(block.strings, std::back_inserter(strings));
      std::ranges::move(block.groups, std::back_inserter(groups));
      block = {};
    }
    // Arrays that grow are in memory twice while they do, the text among them.
    const std::size_t numbers = features.size() + data.weights.size() + data.labels.size();
    if (2 * (text_.size() + numbers * sizeof(double)) <= machine_memory()) continue;
    throw FileError(file_,
                    "holds " + std::to_string(rows) +
                        " rows and more, which need more memory than there is for them");
  }
  data.source = file_;
  data.groups = numbers_of_groups(groups);
  if (options_.strings) {
    data.examples = encode_strings(strings);
    data.holds_strings = true;
    return data;
  }
  features.shrink_to_fit();
  data.examples = DenseMatrix(rows, columns, std::move(features));
  data.feature_names = feature_names();
  return data;
}

class DelimiterValue final : public OptionValue {
 public:
  explicit DelimiterValue(char& delimiter) : delimiter_(delimiter) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "an ASCII character that is no letter, digit, quote, line end or one of + - . ? _";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text.size() != 1 || !is_csv_delimiter(text[0])) return false;
    delimiter_ = text[0];
    return true;
  }
  [[nodiscard]] bool holds() const override { return is_csv_delimiter(delimiter_); }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(1, delimiter_); }

 private:
  char& delimiter_;
};

}  // namespace

void CsvOptions::describe(OptionVisitor& visit) {
  DelimiterValue between(delimiter);
  visit.option({.name = "delimiter", .help = "what is between two cells", .value = "CHARACTER"},
               between);
  describe_table(visit, label, header);
  describe_strings(visit, strings);
  visit.text({.name = "weight",
              .help = "column of example weights: a name or a number from 1",
              .value = "COLUMN"},
             weight);
  describe_unlabeled(visit, unlabeled);
  visit.threads(context.threads);
}

Dataset read_csv(Input& input, const CsvOptions& options) {
  validate(options);
  const WholeInput whole(input);
  return CsvReader(input.name(), whole.bytes(), options).read();
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/model/parts.hpp"
#include "io/quote.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/sizes.hpp"

/// The text form of a model file (docs/guide/model-file.md), reading.
namespace maxmargin {

namespace {

/// Dense and sparse matrices alike number their columns with 31 bits.
constexpr auto max_columns = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

/// The lines of the file, one after the other, and a place within the current one. Everything that
/// does not fit the grammar ends in a ModelFormatError at the current place.
class LineReader {
 public:
  LineReader(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw ModelFormatError(name_, {.line = line_number_, .column = at_ + 1}, problem);
  }

  /// Goes to the next line, which must be there and end in a line feed.
  void next(std::string_view expected) {
    if (!go_to_next()) fail_short(std::string(expected));
  }
  /// The same for a line that is number `index` (from 0) of `count`.
  void next_of(std::string_view what, std::size_t index, std::size_t count) {
    if (go_to_next()) return;
    fail_short(std::string(what) + ", " + std::to_string(index + 1) + " of " +
               std::to_string(count));
  }

  /// The text up to the next space or the end of the line; what separates is skipped.
  std::string_view word() {
    const std::string_view found = line_.substr(at_, line_.find(' ', at_) - at_);
    word_begin_ = at_;
    at_ = std::min(line_.size(), at_ + found.size() + 1);
    return found;
  }
  /// Fails at the start of the last word.
  [[noreturn]] void fail_word(const std::string& problem) {
    at_ = word_begin_;
    fail(problem);
  }

  /// A count that ends with a space or the line.
  std::size_t count() {
    const std::string_view text = word();
    std::size_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last || text.empty()) {
      fail_word("expected a count, found " + quote(text));
    }
    return value;
  }
  /// Fails unless `counted` things of at least `bytes_each` can follow this line: what a file
  /// claims is believed, and memory taken, only as far as the file goes.
  void require_room(std::size_t counted, std::size_t bytes_each, std::string_view what) {
    const std::size_t left = bytes_.size() - next_begin_ - consumed_;
    if (counted > left / bytes_each) {
      fail_word(std::to_string(counted) + " " + std::string(what) + " do not fit the " +
                std::to_string(left) + " bytes that follow");
    }
  }

  double number() {
    const std::string_view text = word();
    const std::optional<double> value = parse_number(text);
    if (!value) fail_word("expected a number, found " + quote(text));
    return *value;
  }

  /// The rest of the line as a string in quotes.
  std::string string();

  void end_line() {
    if (at_ < line_.size()) fail("expected the end of the line");
  }
  [[nodiscard]] bool at_end_of_line() const noexcept { return at_ >= line_.size(); }
  [[nodiscard]] std::string_view rest() const noexcept { return line_.substr(at_); }
  /// Bytes before the current line.
  [[nodiscard]] std::string_view before() const noexcept { return bytes_.substr(0, next_begin_); }
  [[nodiscard]] bool is_last_line() const noexcept {
    return next_begin_ + consumed_ == bytes_.size();
  }

 private:
  bool go_to_next() {
    ++line_number_;
    at_ = 0;
    next_begin_ += consumed_;
    const std::size_t end = bytes_.find('\n', next_begin_);
    if (end == std::string_view::npos) return false;
    line_ = bytes_.substr(next_begin_, end - next_begin_);
    consumed_ = line_.size() + 1;
    return true;
  }
  [[noreturn]] void fail_short(const std::string& expected) const {
    fail("the file is cut short here, expected " + expected);
  }

  char escaped();
  unsigned hex_digit();

  const std::string& name_;
  std::string_view bytes_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  std::size_t next_begin_ = 0;  ///< where the current line begins
  std::size_t consumed_ = 0;    ///< its length with the line feed
  std::size_t at_ = 0;
  std::size_t word_begin_ = 0;
};

unsigned LineReader::hex_digit() {
  const char c = at_end_of_line() ? '\0' : line_[at_];
  if (c >= '0' && c <= '9') return ++at_, static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return ++at_, static_cast<unsigned>(c - 'a') + 10;
  fail("expected a hexadecimal digit (0-9, a-f)");
}

/// What a backslash stands for; the place is behind it.
char LineReader::escaped() {
  const char c = at_end_of_line() ? '\0' : line_[at_];
  ++at_;
  if (c == '"' || c == '\\') return c;
  if (c == 'n') return '\n';
  if (c == 'r') return '\r';
  if (c == 't') return '\t';
  if (c == 'x') {
    const unsigned high = hex_digit();
    return static_cast<char>(static_cast<unsigned char>(high << 4 | hex_digit()));
  }
  --at_;
  fail("expected \", \\, n, r, t or x after a backslash");
}

std::string LineReader::string() {
  if (at_end_of_line() || line_[at_] != '"') fail("expected a string in double quotes");
  ++at_;
  std::string value;
  while (!at_end_of_line() && line_[at_] != '"') {
    const char c = line_[at_++];
    value.push_back(c == '\\' ? escaped() : c);
  }
  if (at_end_of_line()) fail("expected a double quote that ends the string");
  ++at_;
  end_line();
  return value;
}

class TextParser {
 public:
  TextParser(const std::string& name, std::string_view bytes) : name_(name), lines_(name, bytes) {}

  ModelDocument parse() {
    read_version();
    ModelDocument model = read_learner();
    while (true) {
      lines_.next("a field, a section or the checksum");
      const std::string_view kind = lines_.word();
      if (kind == "checksum") break;
      if (kind == "field") {
        read_field(model);
      } else if (kind == "section") {
        read_section(model);
      } else {
        lines_.fail_word("expected 'field', 'section' or 'checksum', found " + quote(kind));
      }
    }
    check_checksum();
    return model;
  }

 private:
  void read_version() {
    lines_.next("'maxmargin-model' and a version");
    if (lines_.word() != model_text_magic) lines_.fail_word("expected 'maxmargin-model'");
    const std::string_view version = lines_.word();
    if (version.ends_with('\r')) {
      lines_.fail("the line ends were changed to CR LF; transfer the file as it is");
    }
    const std::optional<std::int64_t> number = parse_integer(version);
    if (!number) lines_.fail_word("expected a version, found " + quote(version));
    const bool is_plain = version == std::to_string(*number);
    if (!is_plain || *number < 0 || !is_readable_version(static_cast<std::uint64_t>(*number))) {
      lines_.fail_word(unknown_version(version));
    }
    lines_.end_line();
  }

  ModelDocument read_learner() {
    lines_.next("the learner");
    if (lines_.word() != "learner") lines_.fail_word("expected 'learner' and a name");
    ModelDocument model(std::string(name_word()), name_);
    lines_.end_line();
    return model;
  }

  std::string_view name_word() {
    const std::string_view name = lines_.word();
    if (!is_model_name(name)) {
      lines_.fail_word(
          "expected a name of letters, digits, _ - . that begins with a letter, found " +
          quote(name));
    }
    return name;
  }
  std::string new_name(const ModelDocument& model) {
    std::string name(name_word());
    if (model.has(name)) lines_.fail_word("the name " + quote(name) + " occurs twice");
    return name;
  }

  void read_field(ModelDocument& model) {
    std::string name = new_name(model);
    const std::string_view type = lines_.word();
    if (type == "string") {
      model.set_string(std::move(name), lines_.string());
    } else if (type == "integer") {
      const std::string_view text = lines_.word();
      const std::optional<std::int64_t> value = parse_integer(text);
      if (!value) lines_.fail_word("expected a whole number of 64 bits, found " + quote(text));
      model.set_integer(std::move(name), *value);
    } else if (type == "number") {
      model.set_number(std::move(name), lines_.number());
    } else if (type == "boolean") {
      const std::string_view text = lines_.word();
      if (text != "true" && text != "false") lines_.fail_word("expected 'true' or 'false'");
      model.set_boolean(std::move(name), text == "true");
    } else {
      lines_.fail_word("unknown field type " + quote(type));
    }
    lines_.end_line();
  }

  void read_section(ModelDocument& model) {
    std::string name = new_name(model);
    const std::string_view type = lines_.word();
    if (type == "strings") {
      model.set_strings(std::move(name),
                        read_list<std::string>(3, "strings", [this] { return lines_.string(); }));
    } else if (type == "numbers") {
      model.set_numbers(std::move(name),
                        read_list<double>(2, "numbers", [this] { return lines_.number(); }));
    } else if (type == "labels") {
      model.set_labels(std::move(name), read_list<Label>(2, "labels", [this] { return label(); }));
    } else if (type == "dense") {
      model.set_dense(std::move(name), read_dense());
    } else if (type == "sparse") {
      model.set_sparse(std::move(name), read_sparse());
    } else {
      lines_.fail_word("unknown section type " + quote(type));
    }
  }

  Label label() {
    if (lines_.rest().starts_with('"')) return Label(lines_.string());
    const double value = lines_.number();
    if (!(std::abs(value) <= std::numeric_limits<double>::max())) {
      lines_.fail_word("a number as a label must be finite");
    }
    return Label(value);
  }

  /// A count, then one item a line.
  template <class T, class ReadItem>
  std::vector<T> read_list(std::size_t bytes_each, const std::string& what, const ReadItem& item) {
    const std::size_t count = lines_.count();
    lines_.require_room(count, bytes_each, what);
    lines_.end_line();
    std::vector<T> values;
    values.reserve(count);
    while (values.size() < count) {
      lines_.next_of(what, values.size(), count);
      values.push_back(item());
      lines_.end_line();
    }
    return values;
  }

  DenseMatrix read_dense() {
    const std::size_t rows = lines_.count();
    lines_.require_room(rows, 2, "rows");
    const std::size_t cols = lines_.count();
    if (cols > max_columns) lines_.fail_word("at most 2^31 - 1 columns");
    if (rows > 0 && cols == 0) lines_.fail_word("a dense matrix with rows needs columns");
    std::size_t entries = 0;
    if (__builtin_mul_overflow(rows, cols, &entries)) entries = beyond_any_file;
    lines_.require_room(entries, 2, "numbers");
    lines_.end_line();
    DenseMatrix matrix = DenseMatrix::uninitialized(rows, cols);
    for (std::size_t i = 0; i < rows; ++i) {
      lines_.next_of("row", i, rows);
      for (double& value : matrix.row(i)) value = lines_.number();
      lines_.end_line();
    }
    return matrix;
  }

  SparseMatrix read_sparse() {
    const std::size_t rows = lines_.count();
    lines_.require_room(rows, 1, "rows");
    const std::size_t cols = lines_.count();
    if (cols > max_columns) lines_.fail_word("at most 2^31 - 1 columns");
    const std::size_t entries = lines_.count();
    lines_.require_room(entries, 4, "entries");
    lines_.end_line();
    Buffer<std::int64_t> offsets(1, 0);
    offsets.reserve(rows + 1);
    Buffer<std::int32_t> columns;
    columns.reserve(entries);
    Buffer<double> values;
    values.reserve(entries);
    for (std::size_t i = 0; i < rows; ++i) {
      lines_.next_of("row", i, rows);
      std::int64_t last = 0;
      while (!lines_.at_end_of_line()) {
        if (values.size() == entries) {
          lines_.fail("expected no more than " + std::to_string(entries) + " entries in all");
        }
        last = read_entry(last, cols, columns, values);
      }
      offsets.push_back(narrow<std::int64_t>(values.size()));
    }
    if (values.size() != entries) {
      lines_.fail("expected " + std::to_string(entries) + " entries in all, found " +
                  std::to_string(values.size()));
    }
    return {cols, std::move(offsets), std::move(columns), std::move(values)};
  }

  /// Reads `column:value`, columns from 1, and returns the column.
  std::int64_t read_entry(std::int64_t last,
                          std::size_t cols,
                          Buffer<std::int32_t>& columns,
                          Buffer<double>& values) {
    const std::string_view text = lines_.word();
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      lines_.fail_word("expected column:value, found " + quote(text));
    }
    const std::optional<std::int64_t> column = parse_integer(text.substr(0, colon));
    if (!column || *column <= last || *column > static_cast<std::int64_t>(cols)) {
      lines_.fail_word("expected a column above " + std::to_string(last) + " and at most " +
                       std::to_string(cols) + ", found " + quote(text.substr(0, colon)));
    }
    const std::optional<double> value = parse_number(text.substr(colon + 1));
    if (!value) lines_.fail_word("expected a number after the colon in " + quote(text));
    columns.push_back(narrow<std::int32_t>(*column - 1));
    values.push_back(*value);
    return *column;
  }

  void check_checksum() {
    const std::string_view method = lines_.word();
    if (method != "fnv1a64") lines_.fail_word("unknown checksum " + quote(method));
    const std::string_view text = lines_.word();
    std::uint64_t written = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, written, 16);
    if (error != std::errc{} || end != last || text.size() != 16) {
      lines_.fail_word("expected a checksum of 16 hexadecimal digits");
    }
    lines_.end_line();
    if (written != checksum_of(lines_.before())) {
      lines_.fail_word("the checksum does not match: the file was changed or damaged");
    }
    if (!lines_.is_last_line()) {
      lines_.next("the end of the file");
      lines_.fail("expected the end of the file after the checksum");
    }
  }

  static constexpr std::size_t beyond_any_file = std::numeric_limits<std::size_t>::max();
  const std::string& name_;
  LineReader lines_;
};

}  // namespace

ModelDocument parse_model_text(const std::string& name, std::string_view bytes) {
  return TextParser(name, bytes).parse();
}

}  // namespace maxmargin

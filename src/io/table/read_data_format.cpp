// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "io/quote.hpp"
#include "io/table/read_data_format.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/table/read_data.hpp"

namespace maxmargin {

namespace {

/// Enough for the first lines of nearly every file.
constexpr std::size_t looked_at_bytes = std::size_t{1} << 16;

bool is_npy(std::string_view head) { return head.starts_with("\x93NUMPY"); }

/// Two zero bytes, a type code, the number of dimensions.
bool is_idx(std::string_view head) {
  constexpr std::string_view types("\x08\x09\x0b\x0c\x0d\x0e", 6);
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && types.find(head[2]) != types.npos &&
         head[3] > 0;
}

/// Control bytes that no text file has.
bool is_binary_byte(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
}

/// "12:0.5", "qid:3", "cost:2": no table delimiter in it.
bool looks_like_entry(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == token.npos || colon == 0) return false;
  const std::string_view key = token.substr(0, colon);
  const bool number =
      std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
  return (number || key == "qid" || key == "cost") && token.find_first_of(",;\"") == token.npos;
}

enum class Looks { like_svmlight, unlike_svmlight, either };

/// By the tokens: of those that are not the label, more than half must be entries.
Looks look_at(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::size_t tokens = 0;
  std::size_t entries = 0;
  std::size_t at = line.find_first_not_of(" \t\r");
  bool first_is_entry = false;
  while (at != line.npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    const bool entry = looks_like_entry(line.substr(at, end - at));
    if (tokens == 0) first_is_entry = entry;
    ++tokens;
    entries += entry ? 1 : 0;
    at = line.find_first_not_of(" \t\r", end);
  }
  if (tokens <= 1 && !first_is_entry) return Looks::either;  // a label alone, or a table's column
  const std::size_t expected = first_is_entry ? tokens : tokens - 1;
  return 2 * entries > expected ? Looks::like_svmlight : Looks::unlike_svmlight;
}

/// The first line of `text`, which is cut off it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Cuts lines off the front of `text` up to and with the first that holds data, and returns that;
/// empty when there is none.
std::string_view take_data_line(std::string_view& text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start != line.npos && line[start] != '#') return line;
  }
  return {};
}

DataFormat format_of_text(std::string_view head) {
  if (head.starts_with('>')) return DataFormat::fasta;
  std::string_view rest = head;
  std::string_view line = take_data_line(rest);
  const std::string_view first_line = line;
  for (; !line.empty(); line = take_data_line(rest)) {
    const Looks looks = look_at(line);
    if (looks == Looks::like_svmlight) return DataFormat::svmlight;
    if (looks == Looks::unlike_svmlight) break;
  }
  const auto tabs = std::count(first_line.begin(), first_line.end(), '\t');
  const auto others = std::count_if(
      first_line.begin(), first_line.end(), [](char c) { return c == ',' || c == ';'; });
  return tabs > others ? DataFormat::tsv : DataFormat::csv;
}

}  // namespace

void require_text(Input& input, std::string_view expected) {
  const std::string_view head = input.peek(looked_at_bytes);
  if (head.empty()) throw FileError(input.name(), "is empty, expected data");
  const auto at = std::find_if(head.begin(), head.end(), is_binary_byte);
  if (at == head.end()) return;
  throw ParseError(input.name(),
                   {},
                   "binary data (" + quote({&*at, 1}) + " at byte " +
                       std::to_string(at - head.begin()) + "); expected " + std::string(expected));
}

char csv_delimiter(Input& input) {
  std::string_view head = input.peek(looked_at_bytes);
  const std::string_view line = take_data_line(head);
  const auto count = [line](char c) { return std::count(line.begin(), line.end(), c); };
  return count(';') > count(',') ? ';' : ',';
}

DataFormat detect_format(Input& input) {
  const std::string_view first_bytes = input.peek(8);
  if (is_npy(first_bytes)) return DataFormat::npy;
  if (is_idx(first_bytes)) return DataFormat::idx;
  if (looks_like_model(input)) {
    throw ParseError(input.name(), {.line = 1}, "this is a model; expected data");
  }
  require_text(input, "svmlight, CSV, TSV, NPY, IDX or FASTA");
  return format_of_text(input.peek(looked_at_bytes));
}

}  // namespace maxmargin

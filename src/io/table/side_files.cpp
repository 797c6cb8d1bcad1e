// SPDX-License-Identifier: Apache-2.0
#include "io/table/side_files.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "io/quote.hpp"
#include "io/stream/line_blocks.hpp"
#include "io/table/idx.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view blanks = " \t\r";

/// A line without the blanks around it, and where it stands.
struct Line {
  std::string_view text;
  FilePlace place;
};

/// Calls visit(Line) for every line up to the last one that is not blank.
template <class Visit>
void for_each_line(Input& input, Visit&& visit) {
  skip_byte_order_mark(input);
  std::string all = input.read_all();
  all.resize(all.find_last_not_of(" \t\r\n") + 1);  // npos + 1 is 0
  std::string_view left = all;
  for (std::size_t number = 1; !left.empty(); ++number) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::size_t first = std::min(line.find_first_not_of(blanks), line.size());
    const std::size_t last = line.find_last_not_of(blanks) + 1;
    const std::string_view text = first < last ? line.substr(first, last - first) : "";
    visit(Line{.text = text, .place = {.line = number, .column = first + 1}});
  }
}

}  // namespace

LabelColumn read_idx_labels(Input& input, const std::optional<std::string>& unlabeled) {
  const IdxArray array = read_idx(input);
  if (array.shape.size() != 1) {
    throw ParseError(input.name(),
                     {},
                     "an IDX array of " + std::to_string(array.shape.size()) +
                         " dimensions; expected labels, one dimension");
  }
  const std::optional<Label> mark =
      unlabeled ? std::optional(Label::parse(*unlabeled)) : std::nullopt;
  LabelColumn labels;
  for (const double number : array.values.values()) {
    if (mark == Label(number)) {
      labels.push_back_unlabelled();
    } else {
      labels.push_back_number(number);
    }
  }
  return labels;
}

std::vector<double> read_numbers(Input& input,
                                 const std::string& expected,
                                 bool (*holds)(double number)) {
  std::vector<double> numbers;
  for_each_line(input, [&](const Line& line) {
    const auto number = parse_number(line.text);
    if (!number || !holds(*number)) {
      throw ParseError(
          input.name(), line.place, "expected " + expected + ", found " + quote(line.text));
    }
    numbers.push_back(*number);
  });
  return numbers;
}

std::vector<double> read_weight_lines(Input& input) {
  return read_numbers(input, "a weight, a finite number >= 0", [](double weight) {
    return weight >= 0 && std::isfinite(weight);
  });
}

std::vector<std::int64_t> read_group_sizes(Input& input, std::size_t rows) {
  std::vector<std::int64_t> groups;
  std::int64_t group = 0;
  for_each_line(input, [&](const Line& line) {
    const auto size = parse_integer(line.text);
    if (!size || *size < 1) {
      throw ParseError(input.name(),
                       line.place,
                       "expected a group size, a whole number >= 1, found " + quote(line.text));
    }
    if (static_cast<std::uint64_t>(*size) > rows - groups.size()) {
      throw ParseError(
          input.name(),
          line.place,
          "the group sizes up to here exceed the " + std::to_string(rows) + " rows of the data");
    }
    groups.insert(groups.end(), static_cast<std::size_t>(*size), ++group);
  });
  if (groups.size() != rows) {
    throw FileError(input.name(),
                    "the group sizes add up to " + std::to_string(groups.size()) +
                        ", the data has " + std::to_string(rows) + " rows");
  }
  return groups;
}

std::vector<std::size_t> read_row_numbers(const std::string& spec, std::size_t rows) {
  std::string path = spec;
  std::size_t wanted = 1;
  const std::size_t colon = spec.rfind(':');
  if (colon != spec.npos) {
    const std::string_view digits = std::string_view(spec).substr(colon + 1);
    const auto line = parse_integer(digits);
    if (line && *line >= 1 && digits.front() != '+') {
      path = spec.substr(0, colon);
      wanted = static_cast<std::size_t>(*line);
    }
  }
  Input input = Input::open(path);
  std::vector<std::size_t> numbers;
  std::size_t lines = 0;
  for_each_line(input, [&](const Line& line) {
    lines = line.place.line;
    if (lines != wanted) return;
    std::size_t at = 0;
    while (at < line.text.size()) {
      const std::size_t end = std::min(line.text.find_first_of(" \t\r,", at), line.text.size());
      const std::string_view text = line.text.substr(at, end - at);
      const auto number = parse_integer(text);
      if (!text.empty() && (!number || *number < 0 || static_cast<std::size_t>(*number) >= rows)) {
        throw ParseError(input.name(),
                         {.line = lines, .column = line.place.column + at},
                         "expected a row number from 0 to below " + std::to_string(rows) +
                             ", found " + quote(text));
      }
      if (number) numbers.push_back(static_cast<std::size_t>(*number));
      at = end + 1;
    }
  });
  if (lines < wanted) {
    throw FileError(input.name(),
                    "has " + std::to_string(lines) + " lines, expected row numbers on line " +
                        std::to_string(wanted));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace maxmargin

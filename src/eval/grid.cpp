// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/grid_search.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The first of these separators that stands in no brackets, round or curly.
std::size_t find_outside(std::string_view text, std::string_view separators) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && separators.find(text[i]) != std::string_view::npos) return i;
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && depth > 0) --depth;
  }
  return std::string_view::npos;
}

/// The parts between separators, blanks around them taken off; "a,,b" has an empty one.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = find_outside(text, separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A value with commas stands in curly brackets, which are none of it.
std::string_view without_brackets(std::string_view value) {
  if (!value.starts_with('{')) return value;
  const std::size_t close = value.find('}');
  require(close + 1 == value.size(),
          "grid: " + quoted(value) + ", the value must end with its bracket, as in {range:0,1}");
  return trimmed(value.substr(1, close - 1));
}

std::string with_brackets(const std::string& value) {
  const bool is_plain =
      find_outside(value, ",;") == std::string_view::npos && !value.starts_with('{');
  return is_plain ? value : "{" + value + "}";
}

/// Equal as text, or as numbers.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = parse_number(a);
  const auto y = parse_number(b);
  return x && y && *x == *y;
}

void check_axis(const GridAxis& axis) {
  require(!axis.name.empty(), "grid: a parameter has no name");
  const std::string where = "grid: parameter " + quoted(axis.name);
  require(!axis.values.empty(), where + " has no values");
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    require(!axis.values[i].empty(), where + " has an empty value");
    for (std::size_t j = 0; j < i; ++j) {
      require(!same_value(axis.values[i], axis.values[j]),
              where + " has the value " + quoted(axis.values[i]) + " twice");
    }
  }
}

}  // namespace

bool GridPoint::has(std::string_view name) const {
  return std::any_of(
      entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.first == name; });
}

const std::string& GridPoint::text(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.first == name) return entry.second;
  }
  throw InvalidArgument("grid point " + quoted(describe()) + " has no parameter " + quoted(name));
}

double GridPoint::number(std::string_view name) const {
  const std::string& value = text(name);
  const auto number = parse_number(value);
  if (number && std::isfinite(*number)) return *number;
  throw InvalidArgument("grid: parameter " + quoted(name) + " = " + quoted(value) +
                        ", must be a finite number");
}

std::string GridPoint::describe() const {
  std::string text;
  for (const auto& [name, value] : entries_) {
    text += (text.empty() ? "" : ";") + name + "=" + with_brackets(value);
  }
  return text;
}

Grid::Grid(std::vector<GridAxis> axes) : axes_(std::move(axes)) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    check_axis(axes_[i]);
    for (std::size_t j = 0; j < i; ++j) {
      require(axes_[i].name != axes_[j].name,
              "grid: parameter " + quoted(axes_[i].name) + " is given twice");
    }
    size_ = checked_multiply(size_, axes_[i].values.size());
  }
}

GridPoint Grid::point(std::size_t index) const {
  require_field(index < size_, "index", static_cast<double>(index), "below its size");
  std::vector<GridPoint::Entry> entries(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const std::size_t count = axes_[a].values.size();
    entries[a] = {axes_[a].name, axes_[a].values[index % count]};
    index /= count;
  }
  return GridPoint(std::move(entries));
}

Grid parse_grid(std::string_view text) {
  require(!trimmed(text).empty(), "grid: it is empty, expected NAME=VALUE,VALUE;NAME=...");
  std::vector<GridAxis> axes;
  for (const std::string_view part : split(text, ";")) {
    const std::size_t equals = part.find('=');
    require(equals != std::string_view::npos,
            "grid: " + quoted(part) + " in " + quoted(text) + ", expected NAME=VALUE,VALUE");
    GridAxis axis{.name = std::string(trimmed(part.substr(0, equals)))};
    for (const std::string_view value : split(part.substr(equals + 1), ",")) {
      axis.values.emplace_back(without_brackets(value));
    }
    axes.push_back(std::move(axis));
  }
  return Grid(std::move(axes));
}

}  // namespace maxmargin

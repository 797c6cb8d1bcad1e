// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/label.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {
constexpr double unlabelled = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t no_code = -1;
constexpr std::size_t fewest_slots = 16;

/// Mixed, because the standard hash of a number may leave the low bits all alike.
std::size_t hash_of(const Label& label) {
  std::uint64_t bits = label.is_number() ? std::bit_cast<std::uint64_t>(label.number())
                                         : std::hash<std::string>()(label.text());
  bits ^= bits >> 32;
  bits *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(bits ^ (bits >> 32));
}
}  // namespace

Label::Label(double number) : value_(number == 0 ? 0.0 : number) {  // -0 and 0 are one label
  require(std::isfinite(number), "Label: a number must be finite");
}

Label Label::parse(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  if (number && std::isfinite(*number)) return Label(*number);
  return Label(std::string(text));
}

std::string Label::text() const {
  return is_number() ? format_number(number()) : std::get<std::string>(value_);
}

std::strong_ordering Label::operator<=>(const Label& other) const {
  if (value_.index() != other.value_.index()) return value_.index() <=> other.value_.index();
  if (is_number()) {
    if (number() < other.number()) return std::strong_ordering::less;
    if (number() > other.number()) return std::strong_ordering::greater;
    return std::strong_ordering::equal;
  }
  return std::get<std::string>(value_) <=> std::get<std::string>(other.value_);
}

LabelColumn LabelColumn::from_numbers(std::vector<double> numbers) {
  LabelColumn column;
  for (const double number : numbers) {
    require(!std::isinf(number), "a number must be finite");
  }
  column.numbers_ = std::move(numbers);
  return column;
}

LabelColumn LabelColumn::from_labels(std::span<const Label> labels) {
  LabelColumn column;
  for (const Label& label : labels) column.push_back(label);
  return column;
}

void LabelColumn::become_dictionary() {
  if (!numeric_) return;
  numeric_ = false;
  for (const double number : numbers_) {
    if (std::isnan(number)) {
      push_back_unlabelled();
    } else {
      push_back(Label(number));
    }
  }
  numbers_ = {};
}

/// Builds the hash table anew with `count` slots, a power of two.
void LabelColumn::make_slots(std::size_t count) {
  slots_.assign(count, no_code);
  for (std::size_t code = 0; code < dictionary_.size(); ++code) {
    std::size_t slot = hash_of(dictionary_[code]) & (count - 1);
    while (slots_[slot] != no_code) slot = (slot + 1) & (count - 1);
    slots_[slot] = narrow<std::int32_t>(code);
  }
}

/// The code of a label, which is new when it was not seen before. Looks along the hash table from
/// the label's own place to the first free one; at least half of the slots are free.
std::int32_t LabelColumn::code_of(const Label& label) {
  if (2 * (dictionary_.size() + 1) > slots_.size()) {
    make_slots(std::max(fewest_slots, 2 * slots_.size()));
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(label) & mask;
  for (; slots_[slot] != no_code; slot = (slot + 1) & mask) {
    const std::int32_t code = slots_[slot];
    if (dictionary_[static_cast<std::size_t>(code)] == label) return code;
  }
  slots_[slot] = narrow<std::int32_t>(dictionary_.size());
  dictionary_.push_back(label);
  return slots_[slot];
}

void LabelColumn::push_back(const Label& label) {
  if (numeric_ && label.is_number()) {
    numbers_.push_back(label.number());
    return;
  }
  become_dictionary();
  codes_.push_back(code_of(label));
}

void LabelColumn::push_back_number(double number) { push_back(Label(number)); }

void LabelColumn::push_back_unlabelled() {
  if (numeric_) {
    numbers_.push_back(unlabelled);
  } else {
    codes_.push_back(-1);
  }
}

void LabelColumn::append(const LabelColumn& other) {
  if (&other == this) return append(LabelColumn(other));
  if (numeric_ && other.numeric_) {
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
    return;
  }
  become_dictionary();
  if (other.numeric_) {
    for (std::size_t row = 0; row < other.size(); ++row) {
      if (const auto label = other.at(row)) {
        push_back(*label);
      } else {
        push_back_unlabelled();
      }
    }
    return;
  }
  std::vector<std::int32_t> code_here;
  for (const Label& label : other.dictionary_) code_here.push_back(code_of(label));
  for (const std::int32_t code : other.codes_) {
    codes_.push_back(code < 0 ? -1 : code_here[static_cast<std::size_t>(code)]);
  }
}

bool LabelColumn::is_labelled(std::size_t row) const {
  return numeric_ ? !std::isnan(numbers_[row]) : codes_[row] >= 0;
}

std::size_t LabelColumn::labelled_count() const {
  std::size_t count = 0;
  for (std::size_t row = 0; row < size(); ++row) count += is_labelled(row) ? 1u : 0u;
  return count;
}

std::optional<Label> LabelColumn::at(std::size_t row) const {
  if (!is_labelled(row)) return std::nullopt;
  return numeric_ ? Label(numbers_[row]) : dictionary_[static_cast<std::size_t>(codes_[row])];
}

std::span<const double> LabelColumn::numbers() const {
  require(numeric_, "the labels are not all numbers");
  return numbers_;
}

void LabelColumn::clear(std::size_t row) {
  if (numeric_) {
    numbers_[row] = unlabelled;
  } else {
    codes_[row] = -1;
  }
}

LabelColumn LabelColumn::select(std::span<const std::size_t> rows) const {
  for (const std::size_t row : rows) require(row < size(), "no such row");
  LabelColumn chosen = *this;
  const auto pick = [&](auto& to, const auto& from) {
    to.clear();
    for (const std::size_t row : rows) to.push_back(from[row]);
  };
  if (numeric_) {
    pick(chosen.numbers_, numbers_);
  } else {
    pick(chosen.codes_, codes_);
  }
  return chosen;
}

std::vector<std::size_t> Classes::sizes() const {
  std::vector<std::size_t> sizes(names.size(), 0);
  for (const std::int32_t c : of_row) {
    if (c >= 0) ++sizes[static_cast<std::size_t>(c)];
  }
  return sizes;
}

namespace {

/// In ascending order, without NaN. Neighbouring rows often share a class, and classes are few: the
/// values are sorted only as often as their number doubles.
std::vector<double> distinct_values(std::span<const double> numbers) {
  std::vector<double> values;
  std::size_t room = 64;
  const auto keep_distinct = [&] {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    room = std::max(room, 2 * values.size());
  };
  for (const double number : numbers) {
    if (std::isnan(number) || (!values.empty() && number == values.back())) continue;
    values.push_back(number);
    if (values.size() >= room) keep_distinct();
  }
  keep_distinct();
  return values;
}

}  // namespace

Classes classes_of(const LabelColumn& labels) {
  Classes classes;
  if (labels.all_numbers()) {
    const std::vector<double> values = distinct_values(labels.numbers());
    for (const double value : values) classes.names.emplace_back(value);
    for (const double number : labels.numbers()) {
      const auto at = std::lower_bound(values.begin(), values.end(), number);
      classes.of_row.push_back(std::isnan(number) ? -1 : narrow<std::int32_t>(at - values.begin()));
    }
    return classes;
  }
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (const std::optional<Label> label = labels.at(row)) classes.names.push_back(*label);
  }
  std::sort(classes.names.begin(), classes.names.end());
  classes.names.erase(std::unique(classes.names.begin(), classes.names.end()), classes.names.end());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::optional<Label> label = labels.at(row);
    classes.of_row.push_back(label ? *find_class(classes.names, *label) : -1);
  }
  return classes;
}

std::optional<std::int32_t> find_class(std::span<const Label> names, const Label& label) {
  const auto at = std::lower_bound(names.begin(), names.end(), label);
  if (at == names.end() || *at != label) return std::nullopt;
  return narrow<std::int32_t>(at - names.begin());
}

}  // namespace maxmargin

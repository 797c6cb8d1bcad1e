// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Labels: what a data file says in its label column, and the classes made of it.
namespace maxmargin {

/// A label: a number if its text is one (+1 = 1 = 1.0), a string otherwise. Numbers come before
/// strings; numbers are ordered by value, strings by bytes.
class MAXMARGIN_EXPORT Label {
 public:
  Label() = default;
  explicit Label(double number);
  /// A string label as it stands, even when it looks like a number.
  explicit Label(std::string text) : value_(std::move(text)) {}
  /// A number when `text` is a finite number, else a string.
  [[nodiscard]] static Label parse(std::string_view text);

  [[nodiscard]] bool is_number() const noexcept { return value_.index() == 0; }
  [[nodiscard]] double number() const { return std::get<double>(value_); }
  /// Shortest text of a number, or the string.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool operator==(const Label& other) const = default;
  [[nodiscard]] std::strong_ordering operator<=>(const Label& other) const;

 private:
  std::variant<double, std::string> value_ = 0.0;
};

/// The label column of a data set, as it was read: one label a row, some rows unlabelled. While all
/// labels are numbers it holds plain numbers (8 bytes a row); the first string turns it into a
/// dictionary of labels and an index a row.
class MAXMARGIN_EXPORT LabelColumn {
 public:
  LabelColumn() = default;
  /// NaN marks an unlabelled row.
  [[nodiscard]] static LabelColumn from_numbers(std::vector<double> numbers);
  [[nodiscard]] static LabelColumn from_labels(std::span<const Label> labels);

  void push_back(const Label& label);
  void push_back_number(double number);
  void push_back_unlabelled();
  /// The rows of `other` after these: the same as pushing them back one by one, but quick.
  void append(const LabelColumn& other);

  /// Number of rows.
  [[nodiscard]] std::size_t size() const noexcept {
    return numeric_ ? numbers_.size() : codes_.size();
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool is_labelled(std::size_t row) const;
  [[nodiscard]] std::size_t labelled_count() const;
  /// Empty for an unlabelled row.
  [[nodiscard]] std::optional<Label> at(std::size_t row) const;
  /// True while every label is a number.
  [[nodiscard]] bool all_numbers() const noexcept { return numeric_; }
  /// The numbers, NaN where unlabelled: the real targets of a regression. Requires all_numbers().
  [[nodiscard]] std::span<const double> numbers() const;
  /// Forgets the label of a row.
  void clear(std::size_t row);
  /// The labels of the given rows, in that order.
  [[nodiscard]] LabelColumn select(std::span<const std::size_t> rows) const;

 private:
  void become_dictionary();
  std::int32_t code_of(const Label& label);
  void make_slots(std::size_t count);

  bool numeric_ = true;
  std::vector<double> numbers_;      ///< while numeric
  std::vector<Label> dictionary_;    ///< otherwise, in order of first sight
  std::vector<std::int32_t> slots_;  ///< hash table for look-up: index into dictionary_, -1 empty
  std::vector<std::int32_t> codes_;  ///< index into dictionary_, -1 unlabelled
};

/// Class indices from 0 in the order of Label, the same for all rows; -1 marks unlabelled rows.
struct Classes {
  std::vector<Label> names = {};
  std::vector<std::int32_t> of_row = {};

  [[nodiscard]] std::size_t count() const noexcept { return names.size(); }
  /// Rows in each class.
  [[nodiscard]] MAXMARGIN_EXPORT std::vector<std::size_t> sizes() const;
};

/// The classes that occur in the column.
[[nodiscard]] MAXMARGIN_EXPORT Classes classes_of(const LabelColumn& labels);

/// Index of `label` in the sorted list `names`, if it is there.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<std::int32_t> find_class(std::span<const Label> names,
                                                                      const Label& label);

}  // namespace maxmargin

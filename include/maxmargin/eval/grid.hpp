// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Grids of parameter values to try.
namespace maxmargin {

/// One parameter and the values it takes, as text: numbers and names (`scale`, `rbf`) alike.
struct GridAxis {
  std::string name = {};
  std::vector<std::string> values = {};
};

/// One choice of a value for every parameter.
class MAXMARGIN_EXPORT GridPoint {
 public:
  using Entry = std::pair<std::string, std::string>;  ///< name and value

  GridPoint() = default;
  explicit GridPoint(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  [[nodiscard]] bool has(std::string_view name) const;
  /// Throws InvalidArgument when there is no such parameter.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  /// Throws InvalidArgument when there is no such parameter or its value is not a finite number.
  [[nodiscard]] double number(std::string_view name) const;
  /// "C=1;gamma=0.1": reads back through parse_grid.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] bool operator==(const GridPoint& other) const = default;

 private:
  std::vector<Entry> entries_;
};

/// The product of the axes. Points are numbered with the last axis running fastest.
class MAXMARGIN_EXPORT Grid {
 public:
  /// Throws InvalidArgument for an axis without a name or values, an empty value, a name given
  /// twice, or a value given twice on an axis (1 and 1.0 are the same). No axis at all is a grid of
  /// one point without parameters.
  explicit Grid(std::vector<GridAxis> axes);

  [[nodiscard]] std::span<const GridAxis> axes() const noexcept { return axes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Throws InvalidArgument unless index < size().
  [[nodiscard]] GridPoint point(std::size_t index) const;

 private:
  std::vector<GridAxis> axes_;
  std::size_t size_ = 1;
};

/// Reads `C=0.1,1,10;gamma=0.01,0.1`: axes parted by semicolons, values by commas, blanks around
/// them ignored. Throws InvalidArgument that quotes the part at fault.
[[nodiscard]] MAXMARGIN_EXPORT Grid parse_grid(std::string_view text);

}  // namespace maxmargin

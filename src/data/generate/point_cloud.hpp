// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// Collects the points of a generator, class by class, and hands them out in random order.
class PointCloud {
 public:
  /// For `size` points. Throws InvalidArgument when they are more than the machine can hold.
  PointCloud(std::size_t dimension, std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return class_numbers_.size(); }
  /// Classes count from 0 here; their labels are 1, 2, ...
  void add(std::span<const double> point, std::size_t class_number);
  void add(double x, double y, std::size_t class_number);
  /// Adds N(0, noise^2) to every coordinate of every point, in the order they were added.
  void jitter(double noise, Rng& rng);
  /// The data set in which row i is the point order[i].
  [[nodiscard]] Dataset in_order(std::span<const std::size_t> order, std::string source) const;
  /// The data set in an order drawn from `rng`.
  [[nodiscard]] Dataset shuffled(Rng& rng, std::string source) const;

 private:
  std::size_t dimension_;
  Buffer<double> coordinates_;
  std::vector<double> class_numbers_;
};

/// Rows of class `class_number` when n rows are shared out evenly: the first classes get the rest.
[[nodiscard]] std::size_t share_of_class(std::size_t n,
                                         std::size_t classes,
                                         std::size_t class_number);

struct CloudPoint {
  double x = 0;
  double y = 0;
};

/// Centre number `index` of `count` centres at distance `side` from their neighbours: on the first
/// axis around 0 for up to two, the corners of a regular polygon around 0 for more.
[[nodiscard]] CloudPoint polygon_corner(std::size_t count, std::size_t index, double side);

/// The rule that every class has a row.
void rule_of_rows(OptionVisitor& visit, std::size_t n, std::size_t classes);

}  // namespace maxmargin

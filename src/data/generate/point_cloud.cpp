// SPDX-License-Identifier: Apache-2.0
#include "data/generate/point_cloud.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "maxmargin/core/memory.hpp"

namespace maxmargin {

PointCloud::PointCloud(std::size_t dimension, std::size_t size) : dimension_(dimension) {
  // The points and their classes twice (as drawn and in random order), and the order.
  require_memory_for_numbers(
      size, checked_add(checked_multiply(2, checked_add(dimension, 1)), 1), "a table");
  coordinates_.reserve(checked_multiply(size, dimension));
  class_numbers_.reserve(size);
}

void PointCloud::add(std::span<const double> point, std::size_t class_number) {
  coordinates_.append(point);
  class_numbers_.push_back(static_cast<double>(class_number));
}

void PointCloud::add(double x, double y, std::size_t class_number) {
  add(std::array{x, y}, class_number);
}

void PointCloud::jitter(double noise, Rng& rng) {
  for (double& coordinate : coordinates_) coordinate += noise * rng.normal();
}

Dataset PointCloud::in_order(std::span<const std::size_t> order, std::string source) const {
  DenseMatrix points = DenseMatrix::uninitialized(order.size(), dimension_);
  std::vector<double> labels;
  labels.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(coordinates_.data() + order[i] * dimension_, dimension_, points.row(i).data());
    labels.push_back(class_numbers_[order[i]] + 1);
  }
  Dataset data;
  data.examples = std::move(points);
  data.labels = LabelColumn::from_numbers(std::move(labels));
  data.source = std::move(source);
  return data;
}

Dataset PointCloud::shuffled(Rng& rng, std::string source) const {
  return in_order(rng.permutation(size()), std::move(source));
}

std::size_t share_of_class(std::size_t n, std::size_t classes, std::size_t class_number) {
  return n / classes + (class_number < n % classes ? 1 : 0);
}

CloudPoint polygon_corner(std::size_t count, std::size_t index, double side) {
  if (count == 1) return {};
  if (count == 2) return {.x = index == 0 ? -side / 2 : side / 2};
  const double step = std::numbers::pi / static_cast<double>(count);
  const double radius = side / (2 * std::sin(step));
  const double angle = 2 * step * static_cast<double>(index) + std::numbers::pi / 2;
  return {.x = radius * std::cos(angle), .y = radius * std::sin(angle)};
}

void rule_of_rows(OptionVisitor& visit, std::size_t n, std::size_t classes) {
  visit.rule(n >= classes,
             "n = " + std::to_string(n) + ", must be at least the number of classes, " +
                 std::to_string(classes));
}

}  // namespace maxmargin

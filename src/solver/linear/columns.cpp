// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/columns.hpp"

namespace maxmargin::linear {

namespace {

/// Calls visit(row, column, y x) for all entries that are not zero, row by row.
template <class Visit>
void for_each_entry(const LinearRisk& problem, const Visit& visit) {
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (problem.upper(i) == 0) continue;
    const double y = problem.targets[i];
    for_each_feature(problem, i, [&](std::size_t j, double value) {
      if (value != 0) visit(i, j, y * value);
    });
  }
}

}  // namespace

Columns signed_columns(const LinearRisk& problem) {
  Columns columns;
  columns.offsets = Buffer<std::size_t>(problem.components() + 2, 0);
  for_each_entry(problem, [&](std::size_t, std::size_t j, double) { ++columns.offsets[j + 2]; });
  for (std::size_t j = 2; j < columns.offsets.size(); ++j) {
    columns.offsets[j] += columns.offsets[j - 1];
  }
  const std::size_t entries = columns.offsets[columns.offsets.size() - 1];
  columns.rows = Buffer<std::uint32_t>(entries);
  columns.values = Buffer<double>(entries);
  // offsets[j + 1] is where column j's next entry goes; in the end it is where column j + 1 begins.
  for_each_entry(problem, [&](std::size_t i, std::size_t j, double value) {
    const std::size_t place = columns.offsets[j + 1]++;
    columns.rows[place] = static_cast<std::uint32_t>(i);
    columns.values[place] = value;
  });
  return columns;
}

}  // namespace maxmargin::linear

// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/points.hpp"

#include <utility>
#include <variant>

#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

const TableData& table_of(const LearnerData& data) {
  if (const auto* table = std::get_if<TableData>(&data)) return *table;
  throw InvalidArgument("a clustering takes rows of features, these data are of another kind");
}

Dataset points_of(const TableData& table) {
  Dataset rows = table.data;
  if (table.kernel_matrix != nullptr) rows.examples = *table.kernel_matrix;
  return rows;
}

ScaledPoints scaled_points(const TableData& table, const ScalingOptions& scaling) {
  ScaledPoints points{.rows = points_of(table)};
  Examples& examples = points.rows.examples;
  points.scaler = fit_scaler(examples, scaling);
  examples = points.scaler.apply(std::move(examples));
  return points;
}

}  // namespace maxmargin::learning

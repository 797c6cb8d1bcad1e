// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/points.hpp"

#include <utility>

#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

Dataset points_of(const TableData& table) {
  Dataset rows = table.data;
  if (table.kernel_matrix == nullptr) return rows;
  const DenseMatrix& kernel = *table.kernel_matrix;
  bool are_all = kernel.rows() == rows.size();
  for (std::size_t i = 0; are_all && i < rows.size(); ++i) {
    are_all = rows.examples.row(i).at(0) == static_cast<double>(i);
  }
  if (!are_all) {
    throw InvalidArgument(name_of(table.data) +
                          ": a clustering takes all rows of a kernel matrix in their order");
  }
  rows.examples = Examples::borrow(kernel.view(), table.kernel_matrix);
  rows.feature_names.clear();
  return rows;
}

ScaledPoints scaled_points(const TableData& table, const ScalingOptions& scaling) {
  if (table.data.holds_strings && scaling.kind != ScalingKind::none) {
    throw InvalidArgument("--scale: strings have no features to scale");
  }
  ScaledPoints points{.rows = points_of(table)};
  Examples& examples = points.rows.examples;
  points.scaler = fit_scaler(examples, scaling);
  examples = points.scaler.apply(std::move(examples));
  return points;
}

}  // namespace maxmargin::learning

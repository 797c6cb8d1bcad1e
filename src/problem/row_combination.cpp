// SPDX-License-Identifier: Apache-2.0
#include "problem/row_combination.hpp"

#include <bit>

namespace maxmargin {

namespace {

/// Sorting e entries against going through d zeros.
bool dense_is_shorter(const PointRows& rows, std::size_t begin, std::span<const double> factors) {
  if (rows.is_dense()) return true;
  std::size_t entries = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] != 0) entries += rows.row(begin + i).sparse().columns.size();
  }
  return entries * static_cast<std::size_t>(std::bit_width(entries)) >= rows.cols() / 2;
}

}  // namespace

void combine_rows(const PointRows& rows,
                  std::size_t begin,
                  std::span<const double> coefficients,
                  double constant,
                  FeatureVector& sum) {
  sum.clear();
  const std::size_t d = rows.cols();
  if (dense_is_shorter(rows, begin, coefficients)) {
    std::vector<double> dense(d, 0.0);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] != 0) rows.row(begin + i).axpy_into(coefficients[i], dense);
    }
    for (std::size_t j = 0; j < d; ++j) {
      if (dense[j] != 0) sum.add(j, dense[j]);
    }
  } else {
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const double factor = coefficients[i];
      if (factor == 0) continue;
      rows.row(begin + i).for_each(
          [&](std::size_t column, double value) { sum.add(column, factor * value); });
    }
    sum.settle();
  }
  if (constant == 0) return;
  double last = 0;
  for (const double factor : coefficients) last += factor * constant;
  if (last != 0) sum.add(d, last);
}

void score_rows(const PointRows& rows,
                std::size_t begin,
                std::size_t end,
                double constant,
                std::span<const double> w,
                std::vector<double>& scores) {
  const std::span<const double> of_columns = w.first(rows.cols());
  const double shift = constant == 0 ? 0.0 : constant * w[rows.cols()];
  scores.resize(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    scores[i - begin] = rows.row(i).dot(of_columns) + shift;
  }
}

}  // namespace maxmargin

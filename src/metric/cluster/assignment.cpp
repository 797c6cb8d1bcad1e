// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/assignment.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// The matching of every row of a matrix with no more rows than columns. Rows enter one by one;
/// each entry is a cheapest path, in reduced costs, that alternates between unmatched and matched
/// pairs and ends at a free column. The last column index, `columns`, stands for the row that
/// enters.
class RowByRowMatching {
 public:
  RowByRowMatching(DenseView cost, bool transposed)
      : cost_(cost),
        transposed_(transposed),
        rows_(transposed ? cost.cols : cost.rows),
        columns_(transposed ? cost.rows : cost.cols),
        row_price_(rows_, 0.0),
        column_price_(columns_ + 1, 0.0),
        row_of_column_(columns_ + 1, nobody),
        column_before_(columns_, nobody),
        distance_(columns_),
        done_(columns_ + 1) {}

  void match_all() {
    for (std::size_t row = 0; row < rows_; ++row) enter(row);
  }

  [[nodiscard]] const std::vector<double>& row_prices() const { return row_price_; }
  [[nodiscard]] std::vector<double> column_prices() const {
    return {column_price_.begin(), column_price_.end() - 1};
  }
  /// `nobody` for a free column.
  [[nodiscard]] std::size_t row_of_column(std::size_t column) const {
    return row_of_column_[column];
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  [[nodiscard]] double cost(std::size_t row, std::size_t column) const {
    return transposed_ ? cost_(column, row) : cost_(row, column);
  }

  /// Dijkstra from `row`; prices move along so that reduced costs stay >= 0 and are 0 on the path.
  void enter(std::size_t row) {
    row_of_column_[columns_] = row;
    distance_.assign(columns_, std::numeric_limits<double>::infinity());
    done_.assign(columns_ + 1, false);
    std::size_t column = columns_;
    while (row_of_column_[column] != nobody) {
      done_[column] = true;
      relax(column);
      const std::size_t nearest = nearest_open_column();
      shift_prices(distance_[nearest]);
      column = nearest;
    }
    augment(column);
  }

  void relax(std::size_t column) {
    const std::size_t row = row_of_column_[column];
    for (std::size_t j = 0; j < columns_; ++j) {
      if (done_[j]) continue;
      const double reduced = cost(row, j) - row_price_[row] - column_price_[j];
      if (reduced < distance_[j]) {
        distance_[j] = reduced;
        column_before_[j] = column;
      }
    }
  }

  [[nodiscard]] std::size_t nearest_open_column() const {
    std::size_t nearest = nobody;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (!done_[j] && (nearest == nobody || distance_[j] < distance_[nearest])) nearest = j;
    }
    return nearest;
  }

  void shift_prices(double step) {
    for (std::size_t j = 0; j <= columns_; ++j) {
      if (done_[j]) {
        row_price_[row_of_column_[j]] += step;
        column_price_[j] -= step;
      } else {
        distance_[j] -= step;
      }
    }
  }

  /// Turns the path that ends at the free `column` over.
  void augment(std::size_t column) {
    while (column != columns_) {
      const std::size_t before = column_before_[column];
      row_of_column_[column] = row_of_column_[before];
      column = before;
    }
  }

  DenseView cost_;
  bool transposed_;
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<std::size_t> row_of_column_;
  std::vector<std::size_t> column_before_;
  std::vector<double> distance_;
  std::vector<char> done_;
};

void check_finite(DenseView cost) {
  for (std::size_t i = 0; i < cost.rows; ++i) {
    for (std::size_t j = 0; j < cost.cols; ++j) {
      if (std::isfinite(cost(i, j))) continue;
      throw InvalidArgument("solve_assignment: cost(" + std::to_string(i) + ", " +
                            std::to_string(j) + ") = " + format_number(cost(i, j)) +
                            ", must be finite");
    }
  }
}

}  // namespace

Assignment solve_assignment(DenseView cost) {
  check_finite(cost);
  const bool transposed = cost.rows > cost.cols;
  RowByRowMatching matching(cost, transposed);
  matching.match_all();

  Assignment result;
  result.column_of_row.resize(cost.rows);
  for (std::size_t longer = 0; longer < matching.columns(); ++longer) {
    const std::size_t shorter = matching.row_of_column(longer);
    if (shorter == nobody) continue;
    result.column_of_row[transposed ? longer : shorter] = transposed ? shorter : longer;
  }
  for (std::size_t i = 0; i < cost.rows; ++i) {
    if (result.column_of_row[i]) result.cost += cost(i, *result.column_of_row[i]);
  }
  result.row_prices = transposed ? matching.column_prices() : matching.row_prices();
  result.column_prices = transposed ? matching.row_prices() : matching.column_prices();
  return result;
}

}  // namespace maxmargin

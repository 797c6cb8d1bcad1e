// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

/// Convex quadratic programs of a few hundred variables in long double, whose answer is an interval
/// that holds the optimum. Shares no code with the library.
namespace maxmargin::reference {

using Number = long double;
using Vector = std::vector<Number>;

/// Rows of equal length.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : cols_(cols), values_(rows * cols, 0) {}
  [[nodiscard]] Number& operator()(std::size_t i, std::size_t j) { return values_[i * cols_ + j]; }
  [[nodiscard]] Number operator()(std::size_t i, std::size_t j) const {
    return values_[i * cols_ + j];
  }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t rows() const { return cols_ == 0 ? 0 : values_.size() / cols_; }

 private:
  std::size_t cols_ = 0;
  Vector values_ = {};
};

/// min 1/2 u'Qu + c'u,  A u = b,  0 <= u <= upper. Q is positive semidefinite; upper > 0, perhaps
/// infinite.
struct QuadraticProgram {
  Matrix q = {};
  Vector c = {};
  Matrix a = {};  ///< no rows: no equations
  Vector b = {};
  Vector upper = {};
};

struct Interval {
  Number low = 0;
  Number high = 0;
};

struct Answer {
  Vector u = {};
  Vector multipliers = {};
  /// The optimum lies here, but for rounding in long double: the upper end is the value of a point
  /// that is feasible to that rounding, the lower end a bound that weak duality proves.
  Interval optimum = {};
};

/// Mehrotra's predictor and corrector with dense factorisations.
[[nodiscard]] Answer solve(const QuadraticProgram& program);

}  // namespace maxmargin::reference

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"

/// The direct multi-class machine: docs/algorithms/crammer-singer.md.
namespace maxmargin {

/// Minimise, over one function f_r a class,
///
///   P(f) = 1/2 sum_r |f_r|^2 + sum_i costs_i (max_r (1[r != classes_i] + f_r(x_i)) -
///          f_(classes_i)(x_i)).
///
/// Its dual, in coefficients t (examples x classes) with f_r = sum_i t_ir K(x_i, .), is to maximise
///
///   D(t) = sum_i t_(i, classes_i) - 1/2 sum_r |f_r|^2
///   subject to  sum_r t_ir = 0,  t_ir <= costs_i where r = classes_i,  t_ir <= 0 elsewhere.
///
/// Immutable data; what `points` looks at must outlive it.
struct CrammerSinger {
  /// The matrix of inner products, or the examples themselves (a linear machine).
  std::variant<const SymmetricMatrix*, PointRows> points = nullptr;
  std::size_t class_count = 0;
  /// Class of each example, from 0.
  std::vector<std::int32_t> classes = {};
  /// C times the weight of each example; finite and >= 0.
  std::vector<double> costs = {};
  /// Value of a constant feature: bias^2 is added to every inner product. 0: none.
  double bias = 0;

  [[nodiscard]] std::size_t size() const noexcept { return classes.size(); }
  [[nodiscard]] std::size_t class_of(std::size_t i) const {
    return static_cast<std::size_t>(classes[i]);
  }
  /// The largest value that coefficient (i, r) may take.
  [[nodiscard]] double upper(std::size_t i, std::size_t r) const {
    return r == class_of(i) ? costs[i] : 0.0;
  }
  /// Sizes and values must fit together.
  void describe(OptionVisitor& visit);
};

/// A point of the dual and of its primal, measured from scratch.
struct CrammerSingerResiduals {
  double primal = 0;
  double dual = 0;
  /// Largest excess of a coefficient over its bound, and largest |sum_r t_ir|.
  double bound_violation = 0;
  double sum_violation = 0;
};

/// Evaluates primal and dual at the coefficients by plain double loops; shares no code with any
/// solver. Throws InvalidArgument unless they are examples x classes.
[[nodiscard]] CrammerSingerResiduals residuals(const CrammerSinger& problem,
                                               DenseView coefficients);

}  // namespace maxmargin

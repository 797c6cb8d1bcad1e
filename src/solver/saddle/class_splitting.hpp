// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "linalg/cholesky.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"
#include "solver/saddle/simplex_rows_qp.hpp"

/// The parts of docs/algorithms/mmc-multiclass.md, steps 2 to 4.
namespace maxmargin {

/// The data of a relaxation as the iteration sees it: unknown points alone, and what the known ones
/// leave behind. Symbols as in problem/saddle/class_saddle.hpp.
struct ClassData {
  explicit ClassData(const ClassSaddle& given);

  const ClassSaddle& problem;
  std::size_t n;
  std::size_t u;
  std::size_t kappa;
  /// Whether D is a variable; else it is 1/kappa everywhere.
  bool anchored;
  std::vector<std::size_t> unknown;
  /// t, and t less its mean.
  std::vector<double> known_sizes;
  std::vector<double> spread;
  /// K_UU times -C/2.
  DenseMatrix cost;
  /// C K - I, and C K_UL Y; empty without known classes.
  DenseMatrix coupling;
  DenseMatrix pull;
  /// n x kappa: labels of the known points; rows of the others are 0.
  DenseMatrix known_labels;
};

/// A pair (M, D) on the unknown points. D is kept less 1/kappa.
struct ClassPoint {
  DenseMatrix m = {};
  DenseMatrix d = {};
};

/// The row sums and class sizes that are in ranges, as one linear map R of (M, D), divided by
/// sqrt(u) so that it is of norm about 1: u row sums, then kappa sizes where D is a variable. What
/// the unit diagonal, the known points and the mean of D contribute is in the ranges.
class ClassSizes {
 public:
  explicit ClassSizes(const ClassData& data);

  [[nodiscard]] std::size_t count() const noexcept { return low_.size(); }
  /// sqrt(u): what the rows were divided by.
  [[nodiscard]] double divisor() const noexcept { return divisor_; }
  [[nodiscard]] double clamp(std::size_t k, double value) const;
  [[nodiscard]] std::vector<double> apply(const ClassPoint& x) const;
  /// The point nearest to x (entries of M counting 2, of D 4) and to `wanted` in its sizes, off the
  /// diagonal of M.
  void pull(ClassPoint& x, std::span<const double> wanted) const;

 private:
  const ClassData& data_;
  double divisor_;
  std::vector<double> low_;
  std::vector<double> high_;
  /// Of R W^-1 R' + I.
  std::optional<Cholesky> factor_;
};

/// h(D) = max over Lambda of <D, (C K - I) Lambda> - C/2 <Lambda Lambda', K> less <D_U, C K_UL Y>:
/// all that omega says of D, and how to step against it.
class MembershipTerm {
 public:
  explicit MembershipTerm(const ClassData& data);

  /// Changes the weight of the distance in `step`.
  void set_penalty(double penalty);
  /// The minimiser E of h(E) + penalty/2 |E - v|^2 up to a gap of `tolerance`, and its Lambda.
  [[nodiscard]] DenseMatrix step(const DenseMatrix& v, double tolerance);
  /// Of the last step.
  [[nodiscard]] const DenseMatrix& lambda() const noexcept { return step_qp_.point(); }
  /// ((C K - I) Lambda)_U - C K_UL Y for that Lambda.
  [[nodiscard]] DenseMatrix gradient() const;
  /// The maximum itself at D (n x kappa, known points included), bounded from above: by at most
  /// `tolerance` more, unless `go_on`, asked every few passes, says no.
  [[nodiscard]] double value(const DenseMatrix& d,
                             double tolerance,
                             const std::function<bool()>& go_on);

 private:
  const ClassData& data_;
  double penalty_ = 1;
  /// L_U' L_U with L = C K - I, and the matrices of the two quadratic programs.
  DenseMatrix square_;
  DenseMatrix step_matrix_;
  DenseMatrix value_matrix_;
  SimplexRowsQp step_qp_;
  SimplexRowsQp value_qp_;
};

/// What the iteration has summed up, over the penalty rho: of the semidefinite copy and of the
/// ranges.
struct ClassMultipliers {
  double rho = 1;
  DenseView semidefinite = {};
  std::span<const double> ranges = {};
};
/// Step 5: the multipliers as a certificate. `term` is null without known classes.
[[nodiscard]] ClassCertificate class_certificate(const ClassData& data,
                                                 const ClassSizes& sizes,
                                                 const MembershipTerm* term,
                                                 const ClassMultipliers& given);

/// M and D of all points, known ones included.
struct WholeLabels {
  DenseMatrix m = {};
  DenseMatrix d = {};
};
[[nodiscard]] WholeLabels whole_labels(const ClassData& data, const ClassPoint& point);

}  // namespace maxmargin

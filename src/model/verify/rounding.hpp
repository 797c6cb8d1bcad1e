// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// What the rounding of doubles may change of functions and objectives: with costs and coefficients
/// of 1e14 the last digit of a kernel value moves losses by more than they are. Terms are summed in
/// one order by a training and in another by its verification, and kernel values have a few
/// roundings of their own.
namespace maxmargin {

class FunctionRounding {
 public:
  FunctionRounding() = default;
  /// Of the functions at these rows, as the machine sees them.
  FunctionRounding(const DecisionFunction& functions, const Examples& rows);
  FunctionRounding(const KernelExpansion& expansion, const Examples& rows);
  FunctionRounding(const LinearFunctions& functions, const Examples& rows);

  /// Of f at row i with its offset.
  [[nodiscard]] double value(std::size_t i, std::size_t f) const;
  /// Of 1/2 |w|^2 of f without its offset.
  [[nodiscard]] double penalty(std::size_t f) const;
  /// Of 1/2 |sum_i b_i phi_i|^2 for one coefficient a row.
  [[nodiscard]] double penalty(std::span<const double> b) const;
  /// Of the largest |sum_i b_i K(x_i, x)| of a row x.
  [[nodiscard]] double product(std::span<const double> b) const;

 private:
  /// |phi(x_i)|, and of each function what bounds the sum of its terms beside it.
  std::vector<double> norms_ = {};
  std::vector<double> sizes_ = {};
  std::vector<double> offsets_ = {};
};

/// Of cost * max(0, shortfall)^power, where the shortfall may be off by `error`.
[[nodiscard]] double loss_rounding(double cost, double shortfall, double error, bool squared);

}  // namespace maxmargin

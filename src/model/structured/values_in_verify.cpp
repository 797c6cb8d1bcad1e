// SPDX-License-Identifier: Apache-2.0
#include "model/structured/values_in_verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/recomputation.hpp"

namespace maxmargin {

namespace {

/// Rows between two questions.
constexpr std::size_t rows_at_once = 256;

/// A sum with what each addition rounds off added behind it (Neumaier).
class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

std::vector<double> values_in_verify(const DecisionFunction& function,
                                     const Examples& examples,
                                     const Context& context) {
  const std::size_t n = examples.rows();
  const Context quiet = context.quiet();
  std::vector<double> all;
  all.reserve(n);
  std::vector<std::size_t> rows;
  for (std::size_t begin = 0; begin < n; begin += rows.size()) {
    ask_in_verify(context);
    rows.resize(std::min(rows_at_once, n - begin));
    std::iota(rows.begin(), rows.end(), begin);
    const DenseMatrix values = decision_values(
        function, examples.select(rows), {.context = quiet, .precision = ValuePrecision::exact});
    for (std::size_t i = 0; i < values.rows(); ++i) all.push_back(values(i, 0));
  }
  return all;
}

double squared_norm_in_verify(const KernelExpansion& expansion, const Context& context) {
  KernelExpansion function = expansion;
  std::ranges::fill(function.offsets, 0.0);
  const std::vector<double> values =
      values_in_verify(std::move(function), expansion.vectors, context);
  CompensatedSum sum;
  for (std::size_t i = 0; i < values.size(); ++i) sum.add(expansion.coefficients(i, 0) * values[i]);
  return sum.value();
}

}  // namespace maxmargin

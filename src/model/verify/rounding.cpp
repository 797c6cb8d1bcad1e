// SPDX-License-Identifier: Apache-2.0
#include "model/verify/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

/// The error of a sum of doubles in relation to the sum of their magnitudes, with room for the
/// roundings within kernel values.
constexpr double unit = 16 * std::numeric_limits<double>::epsilon();

std::vector<double> norms_of(const Kernel& kernel, const Examples& rows) {
  std::vector<double> norms(rows.rows());
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = std::sqrt(std::abs(evaluate(kernel, rows.row(i), rows.row(i))));
  }
  return norms;
}

double weighed(std::span<const double> norms, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += std::abs(b[i]) * norms[i];
  return sum;
}

}  // namespace

FunctionRounding::FunctionRounding(const DecisionFunction& functions, const Examples& rows) {
  *this = std::visit([&](const auto& own) { return FunctionRounding(own, rows); }, functions);
}

FunctionRounding::FunctionRounding(const KernelExpansion& expansion, const Examples& rows)
    : norms_(norms_of(expansion.kernel, rows)),
      sizes_(expansion.offsets.size(), 0.0),
      offsets_(expansion.offsets) {
  const std::vector<double> of_vectors = norms_of(expansion.kernel, expansion.vectors);
  for (std::size_t k = 0; k < of_vectors.size(); ++k) {
    for (std::size_t f = 0; f < sizes_.size(); ++f) {
      sizes_[f] += std::abs(expansion.coefficients(k, f)) * of_vectors[k];
    }
  }
}

FunctionRounding::FunctionRounding(const LinearFunctions& functions, const Examples& rows)
    : norms_(norms_of(Linear{}, rows)), offsets_(functions.offsets) {
  for (std::size_t f = 0; f < offsets_.size(); ++f) {
    double square = 0;
    for (const double w : functions.weights.row(f)) square += w * w;
    sizes_.push_back(std::sqrt(square));
  }
}

double FunctionRounding::value(std::size_t i, std::size_t f) const {
  return unit * (norms_[i] * sizes_[f] + std::abs(offsets_[f]));
}

double FunctionRounding::penalty(std::size_t f) const { return unit / 2 * sizes_[f] * sizes_[f]; }

double FunctionRounding::penalty(std::span<const double> b) const {
  const double size = weighed(norms_, b);
  return unit / 2 * size * size;
}

double FunctionRounding::product(std::span<const double> b) const {
  double largest = 0;
  for (const double norm : norms_) largest = std::max(largest, norm);
  return unit * largest * weighed(norms_, b);
}

double loss_rounding(double cost, double shortfall, double error, bool squared) {
  if (!(cost > 0) || !std::isfinite(cost) || !(shortfall + error > 0)) return 0;
  return cost * error * (squared ? 2 * std::max(0.0, shortfall) + error : 1.0);
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "cluster/mmc/functions.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "maxmargin/model/kernel/bias.hpp"

namespace maxmargin {

namespace {

/// A row for every function in the order of the new cluster numbers.
DenseMatrix reordered(const DenseMatrix& rows, std::span<const std::size_t> order) {
  DenseMatrix sorted(rows.rows(), rows.cols());
  if (rows.rows() == 1) {
    const double sign = order.front() == 0 ? 1 : -1;
    for (std::size_t j = 0; j < rows.cols(); ++j) sorted(0, j) = sign * rows(0, j);
    return sorted;
  }
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(rows.row(order[r]), sorted.row(r).begin());
  }
  return sorted;
}

std::vector<double> reordered_offsets(const MmcFit& fit, std::span<const std::size_t> order) {
  DenseMatrix offsets(fit.offsets.size(), 1);
  std::ranges::copy(fit.offsets, offsets.values().begin());
  offsets = reordered(offsets, order);
  return {offsets.values().begin(), offsets.values().end()};
}

}  // namespace

KernelExpansion functions_of_weights(const MmcFit& fit, std::span<const std::size_t> order) {
  const DenseMatrix weights = reordered(fit.weights, order);
  KernelExpansion functions{.kernel = Linear{},
                            .vectors = weights,
                            .coefficients = DenseMatrix(weights.rows(), weights.rows())};
  for (std::size_t r = 0; r < weights.rows(); ++r) functions.coefficients(r, r) = 1;
  functions.offsets = reordered_offsets(fit, order);
  return functions;
}

KernelExpansion functions_of_landmarks(const MmcFit& fit,
                                       std::span<const std::size_t> order,
                                       const NystroemMap& map) {
  KernelExpansion functions{
      .kernel = map.kernel,
      .vectors = map.landmarks,
      .coefficients = map.landmark_coefficients(reordered(fit.weights, order).view())};
  functions.offsets = reordered_offsets(fit, order);
  functions.training_rows = map.rows;
  return functions;
}

KernelExpansion functions_of_points(const MmcFit& fit,
                                    std::span<const std::size_t> order,
                                    const Dataset& data,
                                    const Kernel& kernel,
                                    MmcBias bias,
                                    const FeatureCentring& centring) {
  const std::size_t n = data.size();
  const std::size_t count = fit.coefficients.cols();
  DenseMatrix transposed(count, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < count; ++r) transposed(r, i) = fit.coefficients(i, r);
  }
  const DenseMatrix rows = reordered(transposed, order);
  KernelExpansion functions{
      .kernel = kernel, .vectors = data.examples.owned(), .coefficients = DenseMatrix(n, count)};
  functions.training_rows.resize(n);
  std::iota(functions.training_rows.begin(), functions.training_rows.end(), std::size_t{0});
  for (std::size_t r = 0; r < count; ++r) {
    const PlainFunction plain = plain_function(bias, centring, rows.row(r));
    for (std::size_t i = 0; i < n; ++i) functions.coefficients(i, r) = plain.coefficients[i];
    functions.offsets.push_back(plain.offset);
  }
  return functions;
}

}  // namespace maxmargin

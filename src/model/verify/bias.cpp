// SPDX-License-Identifier: Apache-2.0
#include "model/verify/bias.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/recomputation.hpp"

namespace maxmargin {

bool is_offset_of_bias(KernelBias bias,
                       double offset,
                       std::span<const double> values,
                       double size) {
  if (bias == KernelBias::constant) return true;
  if (bias == KernelBias::none) return offset == 0;
  double sum = 0;
  for (const double value : values) sum += value + offset;
  // Each of the values has a rounding error of n eps times that size at most.
  const auto n = static_cast<double>(values.size());
  return std::abs(sum) <= 16 * n * n * std::numeric_limits<double>::epsilon() * size;
}

DenseMatrix plain_biased_gram(const Kernel& kernel,
                              const TrainingReplay& replay,
                              KernelBias bias,
                              const Context& context) {
  const std::size_t n = replay.size();
  const auto points = static_cast<double>(n);
  DenseMatrix gram(n, n);
  verify_chunks(context, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        gram(i, j) = evaluate(kernel, replay.row(i), replay.row(j));
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) gram(j, i) = gram(i, j);
  }
  if (bias == KernelBias::constant) {
    for (double& entry : gram.values()) entry += 1;
  } else if (bias == KernelBias::center) {
    std::vector<double> means(n, 0.0);
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) means[i] += gram(i, j) / points;
      all += means[i] / points;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram(i, j) += all - (means[i] + means[j]);
      gram(i, i) = std::max(0.0, gram(i, i));
    }
  }
  return gram;
}

void check_offsets(const KernelExpansion& expansion,
                   DenseView values,
                   KernelBias bias,
                   TrainingReplay& replay) {
  double largest_square = 0;
  for (std::size_t i = 0; i < replay.size(); ++i) {
    largest_square =
        std::max(largest_square, evaluate(expansion.kernel, replay.row(i), replay.row(i)));
  }
  std::vector<double> column(replay.size());
  for (std::size_t f = 0; f < expansion.offsets.size(); ++f) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = values(i, f);
    double size = 0;
    for (std::size_t k = 0; k < expansion.coefficients.rows(); ++k) {
      size += std::abs(expansion.coefficients(k, f)) * largest_square;
    }
    if (is_offset_of_bias(bias, expansion.offsets[f], column, size)) continue;
    replay.complain(bias == KernelBias::none
                        ? "a function has an offset, but the machine has no bias"
                        : "the offset of a function is not that of the centre of the rows");
  }
}

}  // namespace maxmargin

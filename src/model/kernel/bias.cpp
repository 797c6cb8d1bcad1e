// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/bias.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "linalg/block_cholesky.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Eigenvalues down to minus this many n eps of the largest diagonal entry count as rounding.
constexpr double semidefinite_slack = 16;

double largest_diagonal(const DenseMatrix& gram) {
  double largest = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) largest = std::max(largest, std::abs(gram(i, i)));
  return largest;
}

/// K + a little I has a Cholesky factor: no eigenvalue is below what rounding of a matrix with
/// diagonal entries up to `largest` explains. Unset when the caller says to stop.
std::optional<bool> is_semidefinite(const DenseMatrix& gram,
                                    double largest,
                                    std::size_t threads,
                                    const ProgressCallback& on_progress) {
  if (largest == 0) return std::ranges::all_of(gram.values(), [](double x) { return x == 0; });
  const double slack = semidefinite_slack * static_cast<double>(gram.rows()) *
                       std::numeric_limits<double>::epsilon() * largest;
  DenseMatrix shifted = gram;
  for (std::size_t i = 0; i < gram.rows(); ++i) shifted(i, i) += slack;
  bool stopped = false;
  const ProgressCallback asked = [&](const Progress& progress) {
    const Continue answer = ask(on_progress, progress);
    stopped = stopped || answer != Continue::yes;
    return answer;
  };
  const bool factored = BlockCholesky::factor(std::move(shifted), threads, asked).has_value();
  if (stopped) return std::nullopt;
  return factored;
}

}  // namespace

void apply_bias(KernelBias bias, DenseMatrix& gram) {
  apply_bias(bias,
             bias == KernelBias::center ? FeatureCentring::fit(gram.view()) : FeatureCentring(),
             gram);
}

void apply_bias(KernelBias bias, const FeatureCentring& centring, DenseMatrix& gram) {
  if (bias == KernelBias::center) {
    centring.apply_to_training(gram.view());
    // Rounding may leave a diagonal entry just below 0.
    for (std::size_t i = 0; i < gram.rows(); ++i) gram(i, i) = std::max(0.0, gram(i, i));
  } else if (bias == KernelBias::constant) {
    for (double& entry : gram.values()) entry += 1;
  }
}

bool apply_bias(KernelBias bias,
                const FeatureCentring& centring,
                DenseMatrix& gram,
                std::string_view learner,
                std::size_t threads,
                const ProgressCallback& on_progress) {
  // Centring rounds in relation to the matrix before it.
  const double size = largest_diagonal(gram) + (bias == KernelBias::constant ? 1 : 0);
  apply_bias(bias, centring, gram);
  const std::optional<bool> semidefinite = is_semidefinite(gram, size, threads, on_progress);
  require(semidefinite.value_or(true),
          std::string(learner) +
              ": the kernel matrix is not positive semidefinite, the relaxation needs one that is");
  return semidefinite.has_value();
}

PlainFunction plain_function(KernelBias bias,
                             const FeatureCentring& centring,
                             std::span<const double> coefficients) {
  PlainFunction function{.coefficients = {coefficients.begin(), coefficients.end()}};
  const double sum = std::accumulate(coefficients.begin(), coefficients.end(), 0.0);
  if (bias == KernelBias::center) {
    // sum_i a_i (phi_i - m) = sum_i (a_i - mean a) phi_i, and <w, m> is taken off.
    const double mean = sum / static_cast<double>(coefficients.size());
    function.offset = sum * centring.grand_mean;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      function.offset -= coefficients[i] * centring.row_means[i];
      function.coefficients[i] -= mean;
    }
  } else if (bias == KernelBias::constant) {
    function.offset = sum;
  }
  return function;
}

}  // namespace maxmargin

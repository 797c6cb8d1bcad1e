// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, step 5.
#include "solver/label_saddle_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/linalg/blas.hpp"
#include "maxmargin/linalg/block_cholesky.hpp"
#include "maxmargin/linalg/block_eigenpairs.hpp"

namespace maxmargin::label_saddle {

namespace {

constexpr std::size_t chunk = 128;
/// How fast a shift grows.
constexpr double growth = 1.5;

/// Row j of `images` becomes -S times row j of `vectors`.
void apply_minus(const LabelSaddle& problem,
                 const LabelCertificate& certificate,
                 DenseView vectors,
                 MutableDenseView images,
                 std::size_t threads) {
  const std::size_t n = problem.size();
  const std::vector<double>& lambda = certificate.lambda;
  const std::vector<double>& b = certificate.balance;
  auto weighted = DenseMatrix::uninitialized(vectors.rows, n);
  for (std::size_t j = 0; j < vectors.rows; ++j) {
    for (std::size_t i = 0; i < n; ++i) weighted(j, i) = lambda[i] * vectors(j, i);
  }
  multiply_symmetric(problem.matrix, weighted.view(), images, threads);
  for (std::size_t j = 0; j < vectors.rows; ++j) {
    const std::span<const double> x = vectors.row(j);
    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
    const double weighted_sum = problem.balance == LabelBalance::rows ? dot(b, x) : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double image = 0.5 * problem.c * lambda[i] * images(j, i) - certificate.diagonal[i] * x[i];
      if (problem.balance == LabelBalance::rows) image -= 0.5 * (b[i] * sum + weighted_sum);
      if (problem.balance == LabelBalance::total) image -= b[0] * sum;
      images(j, i) = image;
    }
  }
}

/// Lower triangle of S + shift I.
DenseMatrix shifted_matrix(const LabelSaddle& problem,
                           const LabelCertificate& certificate,
                           double shift,
                           std::size_t threads) {
  const std::size_t n = problem.size();
  const std::vector<double>& lambda = certificate.lambda;
  const std::vector<double>& b = certificate.balance;
  auto s = DenseMatrix::uninitialized(n, n);
  parallel_chunks(threads, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<double> row = s.row(i);
      const std::span<const double> kernel = problem.matrix.row(i);
      const double scale = 0.5 * problem.c * lambda[i];
      for (std::size_t j = 0; j <= i; ++j) {
        double entry = -scale * lambda[j] * kernel[j];
        if (problem.balance == LabelBalance::rows) entry += 0.5 * (b[i] + b[j]);
        if (problem.balance == LabelBalance::total) entry += b[0];
        row[j] = entry;
      }
      row[i] += certificate.diagonal[i] + shift;
    }
  });
  return s;
}

/// A bound on what forming S and factoring S + shift I in double may hide: the entries' own
/// rounding, and for the factor (n + 2) eps times the trace (Demmel; Rump 2006).
double rounding_of(const LabelSaddle& problem, const LabelCertificate& certificate, double shift) {
  const std::size_t n = problem.size();
  const auto points = static_cast<double>(n);
  double trace = 0;
  double largest_row = 0;
  double all_b = 0;
  double largest_b = 0;
  for (const double b : certificate.balance) {
    all_b += std::abs(b);
    largest_b = std::max(largest_b, std::abs(b));
  }
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;  // of |lambda_j K_ij|
    for (std::size_t j = 0; j < n; ++j) {
      row += certificate.lambda[j] * std::abs(problem.matrix(i, j));
    }
    const double own =
        0.5 * problem.c * problem.matrix(i, i) * certificate.lambda[i] * certificate.lambda[i];
    trace += std::abs(certificate.diagonal[i]) + own + shift;
    largest_row =
        std::max(largest_row,
                 std::abs(certificate.diagonal[i]) + 0.5 * problem.c * certificate.lambda[i] * row);
  }
  if (problem.balance == LabelBalance::rows) {
    trace += all_b;
    largest_row += 0.5 * (points * largest_b + all_b);
  } else if (problem.balance == LabelBalance::total) {
    trace += points * largest_b;
    largest_row += points * largest_b;
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return epsilon * ((points + 8) * trace + 8 * (largest_row + shift));
}

}  // namespace

LeastEigenvalue estimate_least_eigenvalue(const LabelSaddle& problem,
                                          const LabelCertificate& certificate,
                                          double resolution,
                                          std::uint64_t seed,
                                          std::size_t threads,
                                          const ProgressCallback& on_progress) {
  double scale = 0;
  for (const double y : certificate.diagonal) scale = std::max(scale, std::abs(y));
  BlockEigenOptions options{.count = 2, .max_steps = 200, .seed = seed, .on_progress = on_progress};
  options.count = std::min<std::size_t>(options.count, problem.size());
  // The value errs by the square of the residual over a gap; half the digits are enough.
  options.tolerance = std::clamp(scale > 0 ? 0.3 * resolution / scale : 1e-6, 1e-10, 1e-2);
  const auto apply = [&](DenseView vectors, MutableDenseView images) {
    apply_minus(problem, certificate, vectors, images, threads);
  };
  const BlockEigen found = largest_eigenpairs(problem.size(), apply, options);
  const std::size_t last = found.pairs.values.size() - 1;
  const std::span<const double> vector = found.pairs.vectors.row(last);
  return {.value = -found.pairs.values[last], .vector = {vector.begin(), vector.end()}};
}

double bound_of(const LabelSaddle& problem, const LabelCertificate& certificate, double least) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    sum += certificate.lambda[i] - certificate.diagonal[i];
  }
  for (const double b : certificate.balance) {
    sum -= problem.balance == LabelBalance::rows ? problem.imbalance * std::abs(b)
                                                 : problem.imbalance * problem.imbalance * b;
  }
  return sum - static_cast<double>(problem.size()) * std::max(0.0, -least);
}

double prove_bound(const LabelSaddle& problem,
                   const LabelCertificate& certificate,
                   double least,
                   double resolution,
                   double floor,
                   std::size_t threads,
                   const ProgressCallback& on_progress) {
  const auto points = static_cast<double>(problem.size());
  double magnitude = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    magnitude += certificate.lambda[i] + std::abs(certificate.diagonal[i]);
  }
  for (const double b : certificate.balance) {
    magnitude += problem.balance == LabelBalance::rows ? problem.imbalance * std::abs(b)
                                                       : problem.imbalance * problem.imbalance * b;
  }
  const double summing = (2 * points + 8) * std::numeric_limits<double>::epsilon() * magnitude;
  // Nothing below the rounding can be seen.
  const double first = std::max(
      {resolution, rounding_of(problem, certificate, 0), std::numeric_limits<double>::min()});
  double shift = std::max(0.0, -least) + first;
  for (; bound_of(problem, certificate, -shift) > floor; shift *= growth) {
    if (ask(on_progress, {.phase = "certificate"}) != Continue::yes) break;
    if (!BlockCholesky::factor(
            shifted_matrix(problem, certificate, shift, threads), threads, on_progress)) {
      continue;
    }
    const double proved = -shift - rounding_of(problem, certificate, shift);
    return bound_of(problem, certificate, proved) - summing;
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace maxmargin::label_saddle

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/mercer.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

namespace {

[[nodiscard]] inline DenseMatrix copy_of(DenseView matrix) {
  DenseMatrix copy = DenseMatrix::uninitialized(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::ranges::copy(matrix.row(i), copy.row(i).begin());
  }
  return copy;
}

void require_square(DenseView gram) {
  require(gram.rows == gram.cols, "the Gram matrix must be square");
}

void require_tolerance(double tolerance) {
  require_field(tolerance >= 0, "the relative tolerance", tolerance, ">= 0");
}

DenseMatrix symmetric_part(DenseView gram) {
  DenseMatrix result = DenseMatrix::uninitialized(gram.rows, gram.cols);
  for (std::size_t i = 0; i < gram.rows; ++i) {
    for (std::size_t j = 0; j < gram.cols; ++j) {
      result(i, j) = gram(i, j) == gram(j, i) ? gram(i, j) : (gram(i, j) + gram(j, i)) / 2;
    }
  }
  return result;
}

/// sum_t weights[t] v_t v_t', exactly symmetric.
DenseMatrix from_spectrum(const EigenPairs& pairs, std::span<const double> weights) {
  const std::size_t n = weights.size();
  DenseMatrix weighted = pairs.vectors;
  for (std::size_t t = 0; t < n; ++t) {
    for (double& value : weighted.row(t)) value *= weights[t];
  }
  DenseMatrix result(n, n);
  gemm(Transpose::yes,
       Transpose::no,
       1.0,
       weighted.view(),
       pairs.vectors.view(),
       0.0,
       result.view());
  mirror_lower(result.view());
  return result;
}

RepairedGram shifted(DenseView gram) {
  RepairedGram result;
  result.gram = copy_of(gram);
  mirror_lower(result.gram.view());
  const std::vector<double> values = eigenvalues_symmetric(result.gram.view());
  if (values.empty() || values.front() >= 0) return result;
  for (std::size_t i = 0; i < gram.rows; ++i) result.gram(i, i) -= values.front();
  return result;
}

DenseMatrix product(DenseView a, Transpose op_b, DenseView b, std::size_t cols) {
  DenseMatrix result(a.rows, cols);
  gemm(Transpose::no, op_b, 1.0, a, b, 0.0, result.view());
  return result;
}

/// Up to so many rows all eigenvalues are computed.
constexpr std::size_t few_rows = 1000;

/// An eigenvalue at the lower end, or above it by what the method leaves open; none when it does
/// not converge.
std::optional<double> lower_end(DenseView gram, std::size_t threads) {
  const auto apply = [&](std::span<const double> x, std::span<double> y) {
    multiply_symmetric(
        gram, {x.data(), 1, x.size(), x.size()}, {y.data(), 1, y.size(), y.size()}, threads);
  };
  const ExtremeEigen found = extreme_eigenpairs(
      gram.rows, apply, {.end = SpectrumEnd::smallest, .tolerance = 1e-3, .max_iterations = 20});
  if (found.pairs.values.empty()) return std::nullopt;
  return found.pairs.values.front();
}

}  // namespace

std::optional<double> negative_eigenvalue(DenseView gram, std::size_t threads) {
  require_square(gram);
  const std::size_t n = gram.rows;
  if (n == 0) return std::nullopt;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double entry : gram.row(i)) largest = std::max(largest, std::abs(entry));
  }
  const std::optional<double> least =
      n <= few_rows ? eigenvalues_symmetric(gram).front() : lower_end(gram, threads);
  // As far as gram() lets mirror images differ.
  constexpr double entry_rounding = 1e-6;
  if (!least || *least >= -entry_rounding * static_cast<double>(n) * largest) return std::nullopt;
  return least;
}

MercerReport check_mercer(DenseView gram, double relative_tolerance) {
  require_square(gram);
  require_tolerance(relative_tolerance);
  MercerReport report;
  const std::size_t n = gram.rows;
  if (n == 0) return report;
  const EigenPairs pairs = eigen_symmetric(symmetric_part(gram).view());
  report.least_eigenvalue = pairs.values.front();
  report.largest_eigenvalue = pairs.values.back();
  report.witness.assign(pairs.vectors.row(0).begin(), pairs.vectors.row(0).end());
  for (std::size_t i = 0; i < n; ++i) {
    double row_sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      row_sum += gram(i, j) * report.witness[j];
      report.asymmetry = std::max(report.asymmetry, std::abs(gram(i, j) - gram(j, i)));
    }
    report.witness_value += report.witness[i] * row_sum;
  }
  report.tolerance = relative_tolerance * std::max(std::abs(report.least_eigenvalue),
                                                   std::abs(report.largest_eigenvalue));
  for (const double value : pairs.values) {
    report.total_mass += std::abs(value);
    if (value >= -report.tolerance) continue;
    ++report.negative_eigenvalues;
    report.negative_mass -= value;
  }
  report.is_psd =
      report.asymmetry <= report.tolerance && report.least_eigenvalue >= -report.tolerance;
  return report;
}

RepairedGram repair_spectrum(DenseView gram, SpectrumRepair repair) {
  require_square(gram);
  if (gram.rows == 0) return {};
  if (repair == SpectrumRepair::shift) return shifted(gram);
  const EigenPairs pairs = eigen_symmetric(gram);
  std::vector<double> repaired;
  std::vector<double> factors;
  for (const double value : pairs.values) {
    const double negative = repair == SpectrumRepair::clip ? 0.0 : -1.0;
    factors.push_back(value < 0 ? negative : 1.0);
    repaired.push_back(value * factors.back());
  }
  return {from_spectrum(pairs, repaired), from_spectrum(pairs, factors)};
}

DenseMatrix RepairedGram::transform(DenseView cross) const {
  require(cross.cols == gram.rows(), "a column for every training example is needed");
  if (test_transform.rows() > 0) {
    return product(cross, Transpose::no, test_transform.view(), cross.cols);
  }
  return copy_of(cross);
}

EigenMap eigen_map(DenseView gram, double relative_tolerance) {
  require_square(gram);
  require_tolerance(relative_tolerance);
  EigenMap map;
  const std::size_t n = gram.rows;
  if (n == 0) return map;
  const EigenPairs pairs = eigen_symmetric(gram);
  map.least_eigenvalue = pairs.values.front();
  const double floor = relative_tolerance * std::max(0.0, pairs.values.back());
  std::vector<std::size_t> kept;
  for (std::size_t t = n; t-- > 0 && pairs.values[t] > floor;) kept.push_back(t);
  map.features = DenseMatrix::uninitialized(n, kept.size());
  map.vectors = DenseMatrix::uninitialized(kept.size(), n);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    map.eigenvalues.push_back(pairs.values[kept[k]]);
    const double scale = std::sqrt(map.eigenvalues.back());
    for (std::size_t i = 0; i < n; ++i) {
      map.vectors(k, i) = pairs.vectors(kept[k], i);
      map.features(i, k) = scale * map.vectors(k, i);
    }
  }
  return map;
}

DenseMatrix EigenMap::map(DenseView cross) const {
  require(cross.cols == vectors.cols(), "a column for every training example is needed");
  DenseMatrix result = product(cross, Transpose::yes, vectors.view(), vectors.rows());
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t t = 0; t < eigenvalues.size(); ++t) result(i, t) /= std::sqrt(eigenvalues[t]);
  }
  return result;
}

}  // namespace maxmargin

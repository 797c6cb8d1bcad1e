// SPDX-License-Identifier: Apache-2.0
#include <Spectra/SymEigsSolver.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"

// How it goes.
//
// 1. Estimate the scale s of A from below by a few power steps.
// 2. Let B = (2I + A/s)/16 for the largest values, (2I - A/s)/16 for the smallest. The wanted
//    values of A are the largest of B and lie near 1/16 to 3/16: Spectra's thresholds, some
//    absolute and some relative to the value sought, then mean the same for every A, also for the
//    value 0 of a Laplacian. The 16 makes its absolute threshold for an exhausted Krylov space
//    (epsilon sqrt n) wide enough to see past the rounding of B v; without it, multiples of the
//    identity end in divisions by 0 for one seed in a hundred.
// 3. Run Spectra's restarted Lanczos on B, with wider subspaces if it does not converge.
// 4. A Krylov space holds one vector of each eigenspace, so copies of a multiple value may be
//    missed. Ask for the largest pair of B on the complement of what was found: if it belongs
//    among the wanted, take it in and ask again.
// 5. Rayleigh-Ritz on all vectors, with A itself, gives values, vectors and honest residuals.

namespace maxmargin {

namespace {

/// Dense below this size, and whenever a Lanczos basis would hold half of all directions.
constexpr std::size_t dense_size = 32;

/// Vectors of the first Lanczos basis; twice `count` is the usual advice.
std::size_t basis_size(std::size_t count) { return std::max<std::size_t>(2 * count + 1, 20); }

bool is_small(std::size_t n, std::size_t count) {
  return n <= dense_size || 2 * basis_size(count) > n;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(
      values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// The operator of the caller, with its output checked.
class CheckedOperator {
 public:
  CheckedOperator(std::size_t n, const SymmetricOperator& apply) : n_(n), apply_(apply) {}

  [[nodiscard]] std::size_t size() const { return n_; }
  void apply(std::span<const double> x, std::span<double> y) const {
    apply_(x, y);
    require(all_finite(y), "extreme_eigenpairs: the operator gave a value that is not finite");
  }

 private:
  std::size_t n_;
  const SymmetricOperator& apply_;
};

std::vector<double> random_unit_vector(std::size_t n, Rng& rng) {
  std::vector<double> vector(n);
  for (double& entry : vector) entry = rng.normal();
  const double norm = std::sqrt(dot(vector, vector));
  for (double& entry : vector) entry /= norm;
  return vector;
}

/// The norm, safe from overflow and underflow of the squares.
double norm_of(std::span<const double> vector) {
  double largest = 0;
  for (const double entry : vector) largest = std::max(largest, std::abs(entry));
  if (largest == 0) return 0;
  double sum = 0;
  for (const double entry : vector) sum += (entry / largest) * (entry / largest);
  return largest * std::sqrt(sum);
}

/// A lower bound of the spectral norm that is seldom below half of it; 0 only for A = 0.
double estimate_scale(const CheckedOperator& a, Rng& rng) {
  constexpr int steps = 8;
  std::vector<double> x = random_unit_vector(a.size(), rng);
  std::vector<double> y(a.size());
  double scale = 0;
  for (int step = 0; step < steps; ++step) {
    a.apply(x, y);
    const double norm = norm_of(y);
    scale = std::max(scale, norm);
    if (norm == 0) break;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] / norm;
  }
  return scale;
}

/// v -= sum over rows q of (q'v) q, twice, so that rounding leaves no trace of the rows.
void remove_components(const DenseMatrix& rows, std::span<double> v) {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < rows.rows(); ++k) axpy(-dot(rows.row(k), v), rows.row(k), v);
  }
}

/// Spectra made a vector that is not finite.
class LanczosBreakdown : public std::runtime_error {
 public:
  LanczosBreakdown() : std::runtime_error("Lanczos breakdown") {}
};

/// P B P with B of step 2 and P the projection off the rows of `found`; what Spectra sees.
class DeflatedOperator {
 public:
  using Scalar = double;

  /// `divisor` is the scale s, with a minus for the smallest values.
  DeflatedOperator(const CheckedOperator& a, double divisor, const DenseMatrix& found)
      : a_(a), divisor_(divisor), found_(found), projected_(found.rows() == 0 ? 0 : a.size()) {}

  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(a_.size()); }
  [[nodiscard]] Eigen::Index cols() const { return rows(); }

  void perform_op(const double* in, double* out) const {
    std::span<const double> x(in, a_.size());
    const std::span<double> y(out, a_.size());
    if (!all_finite(x)) throw LanczosBreakdown();
    if (!projected_.empty()) {
      std::copy(x.begin(), x.end(), projected_.begin());
      remove_components(found_, projected_);
      x = projected_;
    }
    try {
      a_.apply(x, y);
    } catch (...) {
      caller_failed_ = true;
      throw;
    }
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = (y[i] / divisor_ + 2 * x[i]) / 16;
    remove_components(found_, y);
  }

  /// The last exception came from the caller's operator, not from within Spectra.
  [[nodiscard]] bool caller_failed() const { return caller_failed_; }

 private:
  const CheckedOperator& a_;
  double divisor_;
  const DenseMatrix& found_;
  mutable std::vector<double> projected_;
  mutable bool caller_failed_ = false;
};

struct LanczosRequest {
  std::size_t count = 1;
  std::size_t basis = 20;
  double tolerance = 1e-10;
  std::size_t max_iterations = 1000;
};

struct LanczosResult {
  DenseMatrix vectors = {};  ///< one a row: those that converged
  bool converged = false;
};

/// One run of Spectra for the largest pairs.
LanczosResult run_lanczos(DeflatedOperator& op, const LanczosRequest& request, Rng& rng) {
  const auto n = static_cast<std::size_t>(op.rows());
  LanczosResult result{.vectors = DenseMatrix(0, n), .converged = false};
  Spectra::SymEigsSolver<DeflatedOperator> solver(
      op, static_cast<Eigen::Index>(request.count), static_cast<Eigen::Index>(request.basis));
  try {
    solver.init(random_unit_vector(n, rng).data());
    solver.compute(Spectra::SortRule::LargestAlge,
                   narrow<Eigen::Index>(request.max_iterations),
                   request.tolerance,
                   Spectra::SortRule::LargestAlge);
  } catch (const std::runtime_error&) {
    // A breakdown, or its small tridiagonal eigenproblem failed: as good as not converged.
    if (op.caller_failed()) throw;
    return result;
  }
  const Eigen::MatrixXd columns = solver.eigenvectors();
  result.vectors = DenseMatrix::uninitialized(static_cast<std::size_t>(columns.cols()), n);
  std::copy_n(columns.data(), columns.size(), result.vectors.data());
  result.converged = solver.info() == Spectra::CompInfo::Successful;
  return result;
}

/// Tries wider and wider bases, each from a new start; the last try is what comes back if none
/// converges.
LanczosResult run_lanczos_widening(DeflatedOperator& op, LanczosRequest request, Rng& rng) {
  constexpr int tries = 3;
  const auto n = static_cast<std::size_t>(op.rows());
  LanczosResult result;
  for (int attempt = 0; attempt < tries; ++attempt) {
    request.basis = std::min(request.basis, n);
    result = run_lanczos(op, request, rng);
    if (result.converged || request.basis == n) break;
    request.basis *= 2;
  }
  return result;
}

/// The rows of `top`, then those of `bottom`.
DenseMatrix stacked(DenseView top, DenseView bottom) {
  auto result = DenseMatrix::uninitialized(top.rows + bottom.rows, top.cols);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    const auto row = i < top.rows ? top.row(i) : bottom.row(i - top.rows);
    std::copy(row.begin(), row.end(), result.row(i).begin());
  }
  return result;
}

/// Orthonormal rows with the same span. Rows that depend on earlier ones do not occur here.
void orthonormalize(DenseMatrix& rows) {
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < k; ++j)
        axpy(-dot(rows.row(j), rows.row(k)), rows.row(j), rows.row(k));
    }
    const double norm = std::sqrt(dot(rows.row(k), rows.row(k)));
    for (double& entry : rows.row(k)) entry /= norm;
  }
}

/// The `count` pairs at the wanted end that the span of orthonormal rows gives for A, and the
/// largest residual.
ExtremeEigen rayleigh_ritz(const CheckedOperator& a,
                           const DenseMatrix& basis,
                           std::size_t count,
                           SpectrumEnd end) {
  const std::size_t m = basis.rows();
  auto images = DenseMatrix::uninitialized(m, a.size());
  for (std::size_t k = 0; k < m; ++k) a.apply(basis.row(k), images.row(k));
  auto small = DenseMatrix::uninitialized(m, m);
  gemm(Transpose::no, Transpose::yes, 1.0, basis.view(), images.view(), 0.0, small.view());
  const EigenPairs ritz = eigen_symmetric(small.view());

  count = std::min(count, m);
  const std::size_t begin = end == SpectrumEnd::smallest ? 0 : m - count;
  const DenseView rotation = ritz.vectors.view().middle_rows(begin, begin + count);
  ExtremeEigen result;
  const auto first = ritz.values.begin() + static_cast<std::ptrdiff_t>(begin);
  result.pairs.values.assign(first, first + static_cast<std::ptrdiff_t>(count));
  result.pairs.vectors = DenseMatrix::uninitialized(count, a.size());
  gemm(Transpose::no, Transpose::no, 1.0, rotation, basis.view(), 0.0, result.pairs.vectors.view());
  auto residuals = DenseMatrix::uninitialized(count, a.size());
  gemm(Transpose::no, Transpose::no, 1.0, rotation, images.view(), 0.0, residuals.view());
  for (std::size_t k = 0; k < count; ++k) {
    axpy(-result.pairs.values[k], result.pairs.vectors.row(k), residuals.row(k));
    result.residual = std::max(result.residual, norm_of(residuals.row(k)));
    fix_sign(result.pairs.vectors.row(k));
  }
  return result;
}

/// Sets `converged` by what the residual says. `scale` is a lower bound of the spectral norm.
void judge(ExtremeEigen& result, const ExtremeEigenOptions& options, double scale) {
  for (const double value : result.pairs.values) scale = std::max(scale, std::abs(value));
  result.converged =
      result.pairs.values.size() == options.count && result.residual <= options.tolerance * scale;
}

/// A as a matrix, column by column, solved by LAPACK.
ExtremeEigen solve_densely(const CheckedOperator& a, const ExtremeEigenOptions& options) {
  const std::size_t n = a.size();
  DenseMatrix matrix(n, n);
  std::vector<double> unit(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    a.apply(unit, matrix.row(j));
    unit[j] = 0;
  }
  const EigenPairs all = eigen_symmetric(matrix.view());
  const std::size_t begin = options.end == SpectrumEnd::smallest ? 0 : n - options.count;
  DenseMatrix wanted = stacked(all.vectors.view().middle_rows(begin, begin + options.count), {});
  ExtremeEigen result = rayleigh_ritz(a, wanted, options.count, options.end);
  judge(result, options, std::max(std::abs(all.values.front()), std::abs(all.values.back())));
  return result;
}

/// Looks for one more pair of B beyond those of `found`, first roughly: an eigenvalue's error is
/// quadratic in its residual, so the root of the tolerance shows whether it belongs among the
/// wanted, that is, lies beyond `innermost`. Empty (no row) when it does not.
DenseMatrix find_missed(const CheckedOperator& a,
                        double divisor,
                        const DenseMatrix& found,
                        double innermost,
                        const LanczosRequest& request,
                        Rng& rng) {
  DeflatedOperator rest(a, divisor, found);
  LanczosRequest probe = request;
  probe.count = 1;
  probe.basis = basis_size(1);
  probe.tolerance = std::sqrt(request.tolerance);
  LanczosResult rough = run_lanczos(rest, probe, rng);
  if (rough.vectors.rows() == 0) return std::move(rough.vectors);
  const ExtremeEigen pair = rayleigh_ritz(a, rough.vectors, 1, SpectrumEnd::largest);
  // Four times: the caller's own tolerance (see solve_by_lanczos). Nearer than that is a tie.
  if ((pair.pairs.values[0] - innermost) / divisor <= 4 * request.tolerance) {
    return DenseMatrix(0, a.size());
  }
  probe.tolerance = request.tolerance;
  LanczosResult sharp = run_lanczos_widening(rest, probe, rng);
  return std::move(sharp.vectors.rows() == 0 ? rough.vectors : sharp.vectors);
}

/// Steps 3 to 5.
ExtremeEigen solve_by_lanczos(const CheckedOperator& a,
                              const ExtremeEigenOptions& options,
                              double scale,
                              Rng& rng) {
  const bool largest = options.end == SpectrumEnd::largest;
  const double divisor = largest ? scale : -scale;
  // Values of 16 B are at most about 3, so a quarter of the tolerance suffices.
  const LanczosRequest request{.count = options.count,
                               .basis = basis_size(options.count),
                               .tolerance = options.tolerance / 4,
                               .max_iterations = options.max_iterations};
  const DenseMatrix nothing(0, a.size());
  DeflatedOperator whole(a, divisor, nothing);
  LanczosResult run = run_lanczos_widening(whole, request, rng);
  DenseMatrix basis = std::move(run.vectors);
  orthonormalize(basis);
  ExtremeEigen result = rayleigh_ritz(a, basis, options.count, options.end);
  if (!run.converged) return result;

  for (std::size_t round = 0; round < options.count; ++round) {
    const std::vector<double>& values = result.pairs.values;
    const double innermost = largest ? values.front() : values.back();
    const DenseMatrix missed = find_missed(a, divisor, basis, innermost, request, rng);
    if (missed.rows() == 0) break;
    basis = stacked(basis.view(), missed.view());
    orthonormalize(basis);
    result = rayleigh_ritz(a, basis, options.count, options.end);
  }
  judge(result, options, scale);
  return result;
}

/// The zero operator has every vector for an eigenvector: the first unit vectors.
ExtremeEigen zero_operator(std::size_t n, std::size_t count) {
  ExtremeEigen result;
  result.pairs.values.assign(count, 0.0);
  result.pairs.vectors = DenseMatrix(count, n);
  for (std::size_t k = 0; k < count; ++k) result.pairs.vectors(k, k) = 1;
  result.converged = true;
  return result;
}

}  // namespace

void ExtremeEigenOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "count", .help = "pairs to find"}, count, {.least = 1});
  visit.number(
      {.name = "tolerance", .help = "residual of a pair over the largest singular value"},
      tolerance,
      NumberRule{"a number from 1e-13 to below 1", {.least = 1e-13, .most = 1, .has_least = true}});
  visit.whole({.name = "max-iterations", .help = "restarts, for each width of the basis"},
              max_iterations,
              {.least = 1});
}

ExtremeEigen extreme_eigenpairs(std::size_t n,
                                const SymmetricOperator& apply,
                                const ExtremeEigenOptions& options) {
  validate(options);
  require_field(options.count <= n,
                "count",
                static_cast<double>(options.count),
                "at most n = " + std::to_string(n));
  require(apply != nullptr, "extreme_eigenpairs: the operator must not be empty");
  const CheckedOperator a(n, apply);
  if (is_small(n, options.count)) return solve_densely(a, options);
  Rng rng(options.context.seed, "extreme eigenpairs");
  const double scale = estimate_scale(a, rng);
  if (scale == 0) return zero_operator(n, options.count);
  return solve_by_lanczos(a, options, scale, rng);
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/kernel_pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "kernel/near_origin.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/projection/components.hpp"

namespace maxmargin {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Rows of new points whose kernel values are held at once.
constexpr std::size_t batch_rows = 512;

/// H K H with H = I - ee'/n, without forming it.
class CentredGram {
 public:
  CentredGram(DenseView gram, std::size_t threads) : gram_(gram), threads_(threads) {}

  void apply(DenseView vectors, MutableDenseView images) const {
    auto centred = DenseMatrix::uninitialized(vectors.rows, vectors.cols);
    for (std::size_t j = 0; j < vectors.rows; ++j) {
      std::ranges::copy(vectors.row(j), centred.row(j).begin());
      take_mean_off(centred.row(j));
    }
    multiply_symmetric(gram_, centred.view(), images, threads_);
    for (std::size_t j = 0; j < images.rows; ++j) take_mean_off(images.row(j));
  }

 private:
  static void take_mean_off(std::span<double> v) {
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    for (double& entry : v) entry -= mean;
  }

  DenseView gram_;
  std::size_t threads_;
};

/// Row means by one parallel product; the means of FeatureCentring::fit up to rounding.
FeatureCentring centring_of(DenseView gram, std::size_t threads) {
  const std::size_t n = gram.rows;
  const DenseMatrix ones(1, n, 1.0 / static_cast<double>(n));
  DenseMatrix means(1, n);
  multiply_symmetric(gram, ones.view(), means.view(), threads);
  FeatureCentring centring;
  centring.row_means.assign(means.values().begin(), means.values().end());
  centring.grand_mean = std::accumulate(centring.row_means.begin(), centring.row_means.end(), 0.0) /
                        static_cast<double>(n);
  return centring;
}

/// Eigenpairs of the centred Gram matrix, the largest last, and its least eigenvalue where known.
struct CentredSpectrum {
  EigenPairs pairs = {};
  std::optional<double> least = std::nullopt;
};

CentredSpectrum whole_spectrum(DenseMatrix gram, const FeatureCentring& centring) {
  centring.apply_to_training(gram.view());
  CentredSpectrum spectrum{.pairs = eigen_symmetric(gram.view())};
  spectrum.least = spectrum.pairs.values.front();
  return spectrum;
}

CentredSpectrum leading_spectrum(DenseView gram,
                                 std::size_t count,
                                 const KernelPcaOptions& options,
                                 bool may_be_indefinite,
                                 SolveReport& report) {
  const CentredGram centred(gram, thread_count(options.context.threads));
  BlockEigenOptions wanted{
      .count = count, .tolerance = options.tolerance, .context = options.context};
  BlockEigen found = largest_eigenpairs(
      gram.rows, [&](DenseView x, MutableDenseView y) { centred.apply(x, y); }, wanted);
  report.status = found.status;
  report.iterations = found.steps;
  report.primal_residual = found.residual;
  CentredSpectrum spectrum{.pairs = std::move(found.pairs)};
  if (!may_be_indefinite) return spectrum;
  wanted.count = 1;
  const BlockEigen other_end = largest_eigenpairs(
      gram.rows,
      [&](DenseView x, MutableDenseView y) {
        centred.apply(x, y);
        for (std::size_t j = 0; j < y.rows; ++j) {
          for (double& entry : y.row(j)) entry = -entry;
        }
      },
      wanted);
  spectrum.least = -other_end.pairs.values.front();
  return spectrum;
}

/// Eigenvalues this small beside the largest are rounding.
double negligible(double largest, std::size_t n) {
  return 8 * epsilon * static_cast<double>(n) * std::max(largest, 0.0);
}

/// The components with variance, as the model keeps them: a = v / sqrt(mu). Eigenvalues that may be
/// 0 for all that the solver knows of them (`uncertainty`) have no direction to offer.
void write_components(const CentredSpectrum& spectrum,
                      std::size_t kept,
                      double uncertainty,
                      KernelPcaModel& model) {
  const std::size_t n = model.examples.rows();
  const std::size_t found = spectrum.pairs.values.size();
  const double largest = found > 0 ? spectrum.pairs.values.back() : 0.0;
  const double least = std::max(negligible(largest, n), uncertainty);
  std::size_t count = 0;
  while (count < std::min(kept, found) && spectrum.pairs.values[found - 1 - count] > least) {
    ++count;
  }
  model.coefficients = DenseMatrix::uninitialized(count, n);
  for (std::size_t k = 0; k < count; ++k) {
    const double mu = spectrum.pairs.values[found - 1 - k];
    model.eigenvalues.push_back(mu);
    const std::span<const double> vector = spectrum.pairs.vectors.row(found - 1 - k);
    const double root = std::sqrt(mu);
    for (std::size_t i = 0; i < n; ++i) model.coefficients(k, i) = vector[i] / root;
    fix_sign(model.coefficients.row(k));
  }
}

/// Refuses, or reports, what lies below 0.
void judge_least(const CentredSpectrum& spectrum,
                 const KernelPcaOptions& options,
                 std::size_t n,
                 SolveReport& report) {
  if (!spectrum.least) return;
  const double largest = spectrum.pairs.values.back();
  const double least = *spectrum.least;
  if (least >= -negligible(std::max(largest, -least), n)) return;
  const std::string what =
      "the kernel is not positive semidefinite on this data: its centred "
      "Gram matrix has the eigenvalue " +
      format_number(least) + " beside " + format_number(largest);
  require(options.allow_indefinite, what);
  report.warnings.push_back(what + "; negative directions are left out");
}

/// Calls body(first_row, kernel values of the rows with the training points, the rows) for batches.
template <class Body>
void in_batches(const KernelPcaModel& model,
                const Examples& new_examples,
                std::optional<std::size_t> threads,
                const Body& body) {
  for (std::size_t begin = 0; begin < new_examples.rows(); begin += batch_rows) {
    std::vector<std::size_t> rows(std::min(batch_rows, new_examples.rows() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    const Examples batch = new_examples.select(rows);
    DenseMatrix cross =
        cross_gram(model.kernel, batch, model.examples, {.context = {.threads = threads}});
    body(begin, cross, batch);
  }
}

constexpr NumberRule eigen_tolerance{"a number in [1e-13, 1)",
                                     {.least = 1e-13, .most = 1, .has_least = true}};

}  // namespace

void KernelPcaOptions::describe(OptionVisitor& visit) {
  describe_components(visit, components);
  kernel.describe(visit, allow_indefinite);
  visit.number({.name = "tolerance",
                .help = "relative residual of the eigenvectors at which an iteration stops",
                .value = "RESIDUAL"},
               tolerance,
               eigen_tolerance);
}

KernelPca train_kernel_pca(const Examples& examples, const KernelPcaOptions& options) {
  validate(options);
  const std::size_t n = examples.rows();
  require(n > 0, "there must be at least one point");
  PhaseTimer timer;
  timer.enter("kernel");
  KernelPca result;
  KernelPcaModel& model = result.model;
  // The matrix is centred: it stays what it is when all points move.
  model.kernel =
      near_origin(options.kernel.resolved(examples, {.context = options.context}), examples);
  validate(model.kernel);
  const Definiteness kind = definiteness(model.kernel);
  const std::size_t kept = std::min(options.components.value_or(n), n - 1);
  constexpr std::size_t dense_size = 400;
  constexpr std::size_t few = 12;  // times fewer components than points: iterating is faster
  const bool by_lapack = n <= dense_size || kept > n / few;
  // LAPACK wants a copy, and room for twice as much.
  require_memory_for_numbers(checked_multiply(by_lapack ? 4 : 1, n),
                             n,
                             by_lapack ? "all components (few need a quarter)" : "the Gram matrix");
  DenseMatrix matrix = gram(model.kernel, examples, {.context = options.context});
  model.examples = examples.owned();
  model.centring = centring_of(matrix.view(), thread_count(options.context.threads));
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += matrix(i, i);
  trace = std::max(0.0, trace - static_cast<double>(n) * model.centring.grand_mean);
  require(std::isfinite(trace), "the kernel values are so large that they overflow");
  model.total_variance = n > 1 ? trace / static_cast<double>(n - 1) : 0.0;

  timer.enter("eigenvectors");
  if (kept == 0) {
    model.coefficients = DenseMatrix(0, n);
    result.report.seconds = timer.finish();
    return result;
  }
  const CentredSpectrum spectrum =
      by_lapack ? whole_spectrum(std::move(matrix), model.centring)
                : leading_spectrum(matrix.view(),
                                   kept,
                                   options,
                                   kind != Definiteness::positive_semidefinite,
                                   result.report);
  judge_least(spectrum, options, n, result.report);
  // Kahan's bound. A run that was cut short gives what it has.
  const double uncertainty =
      result.report.status == Status::solved
          ? std::sqrt(static_cast<double>(kept)) * result.report.primal_residual.value_or(0)
          : 0.0;
  write_components(spectrum, kept, uncertainty, model);
  result.report.seconds = timer.finish();
  return result;
}

KernelPca train_kernel_pca(const Dataset& data, const KernelPcaOptions& options) {
  require(data.weights.empty(), "example weights are not supported");
  return train_kernel_pca(data.examples, options);
}

std::vector<double> KernelPcaModel::variances() const {
  std::vector<double> result = eigenvalues;
  const std::size_t n = examples.rows();
  for (double& value : result) value /= static_cast<double>(n > 1 ? n - 1 : 1);
  return result;
}

std::vector<double> KernelPcaModel::explained_shares() const {
  std::vector<double> shares = variances();
  for (double& share : shares) share = total_variance > 0 ? share / total_variance : 0.0;
  return shares;
}

DenseMatrix KernelPcaModel::training_scores() const {
  auto scores = DenseMatrix::uninitialized(coefficients.cols(), coefficients.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      scores(i, k) = eigenvalues[k] * coefficients(k, i);
    }
  }
  return scores;
}

DenseMatrix KernelPcaModel::transform(const Examples& new_examples,
                                      std::optional<std::size_t> threads) const {
  DenseMatrix scores(new_examples.rows(), coefficients.rows());
  in_batches(
      *this, new_examples, threads, [&](std::size_t begin, DenseMatrix& cross, const Examples&) {
        centring.apply_to_new(cross.view());
        gemm(Transpose::no,
             Transpose::yes,
             1.0,
             cross.view(),
             coefficients.view(),
             0.0,
             scores.view().middle_rows(begin, begin + cross.rows()));
      });
  return scores;
}

std::vector<double> KernelPcaModel::reconstruction_errors(
    const Examples& new_examples, std::optional<std::size_t> threads) const {
  require(!std::holds_alternative<Precomputed>(kernel),
          "a matrix of new against training points does not "
          "hold k(x, x)");
  std::vector<double> errors(new_examples.rows());
  in_batches(*this,
             new_examples,
             threads,
             [&](std::size_t begin, DenseMatrix& cross, const Examples& batch) {
               std::vector<double> own =
                   kernel_diagonal(kernel, batch, {.context = {.threads = threads}});
               centring.apply_to_diagonal(own, cross.view());
               centring.apply_to_new(cross.view());
               DenseMatrix scores(cross.rows(), coefficients.rows());
               gemm(Transpose::no,
                    Transpose::yes,
                    1.0,
                    cross.view(),
                    coefficients.view(),
                    0.0,
                    scores.view());
               for (std::size_t i = 0; i < own.size(); ++i) {
                 errors[begin + i] = std::max(0.0, own[i] - dot(scores.row(i), scores.row(i)));
               }
             });
  return errors;
}

}  // namespace maxmargin

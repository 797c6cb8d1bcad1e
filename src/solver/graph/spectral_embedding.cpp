// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/spectral_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Up to here LAPACK is faster than any iteration, and exact.
constexpr std::size_t dense_size = 400;

/// c I - A for the Laplacian A of either kind, with c >= |A| / 2: its largest eigenvalues belong to
/// the smallest of A. Entries are scale_u S_uv scale_v off the diagonal.
class FlippedLaplacian {
 public:
  FlippedLaplacian(const SimilarityGraph& graph, Laplacian kind) : graph_(graph) {
    const std::span<const double> degrees = graph.degrees();
    const std::size_t n = graph.size();
    if (kind == Laplacian::normalized) {
      shift_ = 1;
      for (const double r : degrees) {
        scale_.push_back(r > 0 ? 1 / std::sqrt(r) : 0.0);
        diagonal_.push_back(r > 0 ? 0.0 : 1.0);
        null_.push_back(r > 0 ? std::sqrt(r) : 1.0);
      }
    } else {
      shift_ = degrees.empty() ? 0 : *std::ranges::max_element(degrees);
      for (const double r : degrees) diagonal_.push_back(shift_ - r);
      null_.assign(n, 1.0);
    }
  }

  /// c, and 2 c is a bound on |A|.
  [[nodiscard]] double shift() const { return shift_; }
  /// A vector that A takes to 0.
  [[nodiscard]] DenseView null_vector() const {
    return {null_.data(), 1, null_.size(), null_.size()};
  }

  void apply(DenseView vectors, MutableDenseView images, std::size_t threads) const {
    if (scale_.empty()) {
      graph_.multiply(vectors, images, threads);
    } else {
      auto scaled = DenseMatrix::uninitialized(vectors.rows, vectors.cols);
      for (std::size_t j = 0; j < vectors.rows; ++j) {
        for (std::size_t u = 0; u < vectors.cols; ++u) scaled(j, u) = scale_[u] * vectors(j, u);
      }
      graph_.multiply(scaled.view(), images, threads);
    }
    for (std::size_t j = 0; j < vectors.rows; ++j) {
      for (std::size_t u = 0; u < vectors.cols; ++u) {
        const double s = scale_.empty() ? 1.0 : scale_[u];
        images(j, u) = s * images(j, u) + diagonal_[u] * vectors(j, u);
      }
    }
  }

  /// A itself as a matrix.
  [[nodiscard]] DenseMatrix laplacian() const {
    const std::size_t n = graph_.size();
    DenseMatrix matrix(n, n);
    for (std::size_t u = 0; u < n; ++u) {
      graph_.for_each_neighbour(u, [&](std::size_t v, double s) {
        matrix(u, v) = scale_.empty() ? -s : -((scale_[u] * s) * scale_[v]);
      });
      matrix(u, u) = scale_.empty() ? graph_.degrees()[u] : 1 - diagonal_[u];
    }
    return matrix;
  }

 private:
  const SimilarityGraph& graph_;
  double shift_ = 0;
  std::vector<double> scale_;
  std::vector<double> diagonal_;
  std::vector<double> null_;
};

void solve_by_lapack(const FlippedLaplacian& flipped, std::size_t count, SpectralEmbedding& found) {
  const DenseMatrix matrix = flipped.laplacian();
  const EigenPairs all = eigen_symmetric(matrix.view());
  found.eigenvalues.assign(all.values.begin(),
                           all.values.begin() + static_cast<std::ptrdiff_t>(count));
  found.vectors = DenseMatrix::uninitialized(count, matrix.cols());
  std::copy_n(all.vectors.data(), found.vectors.values().size(), found.vectors.data());
}

/// The eigensolver with and without help.
class BlockSolver {
 public:
  BlockSolver(const FlippedLaplacian& flipped,
              std::size_t n,
              const SpectralEmbeddingOptions& options)
      : flipped_(flipped),
        n_(n),
        options_(options),
        threads_(thread_count(options.context.threads)) {}

  /// Ends with `iteration_limit` as soon as the residuals fall so slowly that they would not be
  /// small after `max_steps`.
  [[nodiscard]] BlockEigen plain(std::size_t max_steps) const {
    constexpr std::size_t first_look = 8;
    constexpr std::size_t second_look = 20;
    double early = 0;
    bool too_slow = false;
    bool told_to_stop = false;
    BlockEigenOptions limited = limits(max_steps);
    limited.context.on_progress = [&](const Progress& progress) {
      if (progress.iteration == first_look) early = *progress.gap;
      if (progress.iteration == second_look && *progress.gap > options_.tolerance) {
        const double fall = std::log(early / *progress.gap) / (second_look - first_look);
        const double wanted = std::log(*progress.gap / options_.tolerance);
        too_slow = !(fall * static_cast<double>(max_steps - second_look) > wanted);
      }
      const Continue answer = options_.context.ask(progress);
      told_to_stop = answer != Continue::yes;
      return too_slow && !told_to_stop ? Continue::stop : answer;
    };
    BlockEigen found = largest_eigenpairs(n_, product(), limited, {}, flipped_.null_vector());
    if (too_slow && !told_to_stop && found.status == Status::stopped_by_callback) {
      found.status = Status::iteration_limit;
    }
    return found;
  }

  /// From the vectors found so far, with the inverse of A + shift I for a preconditioner. Where
  /// rounding denies the factor it goes on as before.
  [[nodiscard]] BlockEigen with_factor(const BlockEigen& so_far, std::size_t max_steps) const {
    // Far above rounding, far below any gap that matters.
    constexpr double relative_shift = 1e-8;
    DenseMatrix matrix = flipped_.laplacian();
    for (std::size_t u = 0; u < n_; ++u) matrix(u, u) += relative_shift * flipped_.shift();
    Continue answer = Continue::yes;
    const auto factor =
        BlockCholesky::factor(std::move(matrix), threads_, [&](const Progress& progress) {
          answer = options_.context.ask(progress);
          return answer;
        });
    if (answer != Continue::yes) {
      BlockEigen stopped = so_far;
      stopped.status = status_of(answer);
      return stopped;
    }
    BlockOperator inverse;
    if (factor) {
      inverse = [&](DenseView residuals, MutableDenseView better) {
        copy_rows(residuals, better);
        factor->solve_rows(better, threads_);
      };
    }
    return go_on(so_far, max_steps, inverse);
  }

  /// From the vectors found so far by way of a Chebyshev polynomial in A, large on the wanted
  /// values and small on the rest, whose eigenvectors are those of A: no factor, so the graph may
  /// be large and sparse.
  [[nodiscard]] BlockEigen with_filter(const BlockEigen& so_far, std::size_t max_steps) const {
    // Values of A beyond `edge` are damped; the last wanted one is at most half of it, as Ritz
    // values of the Laplacian come from above. Where wanted values lie in the midst of the spectrum
    // no such edge is worth its polynomial.
    const double norm = 2 * flipped_.shift();
    const double last = flipped_.shift() - so_far.pairs.values.front();
    if (last > norm / 8) return go_on(so_far, max_steps, {});
    const double edge = std::clamp(4 * last, 1e-6 * norm, norm / 4);
    constexpr double largest_degree = 200;
    const auto degree =
        static_cast<std::size_t>(std::min(largest_degree, std::ceil(3 / std::sqrt(edge / norm))));
    BlockEigenOptions filtered_limits = limits(max_steps);
    filtered_limits.scale = 1;
    BlockEigen filtered = largest_eigenpairs(
        n_,
        [&](DenseView vectors, MutableDenseView images) { filter(vectors, edge, degree, images); },
        filtered_limits,
        {},
        so_far.pairs.vectors.view());
    filtered.steps += so_far.steps;
    // The values of A, and an honest residual.
    BlockEigen found = go_on(filtered, filtered.status == Status::solved ? max_steps : 1, {});
    found.status = worse(found.status, filtered.status);
    return found;
  }

 private:
  [[nodiscard]] BlockOperator product() const {
    return [this](DenseView vectors, MutableDenseView images) {
      flipped_.apply(vectors, images, threads_);
    };
  }
  [[nodiscard]] BlockEigenOptions limits(std::size_t max_steps) const {
    return {.count = options_.count,
            .tolerance = options_.tolerance,
            .scale = std::max(2 * flipped_.shift(), std::numeric_limits<double>::min()),
            .max_steps = max_steps,
            .context = options_.context};
  }

  [[nodiscard]] BlockEigen go_on(const BlockEigen& so_far,
                                 std::size_t max_steps,
                                 const BlockOperator& precondition) const {
    BlockEigen found = largest_eigenpairs(
        n_, product(), limits(max_steps), precondition, so_far.pairs.vectors.view());
    found.steps += so_far.steps;
    return found;
  }
  static void copy_rows(DenseView from, MutableDenseView to) {
    for (std::size_t j = 0; j < from.rows; ++j) std::ranges::copy(from.row(j), to.row(j).begin());
  }
  /// images = T(A') vectors with T the Chebyshev polynomial of the degree, A' = A moved so that
  /// [edge, 2 shift] becomes [-1, 1], by the three-term recurrence; scaled by its value at 0.
  void filter(DenseView vectors, double edge, std::size_t degree, MutableDenseView images) const {
    const double half = flipped_.shift() - edge / 2;    // half the width of the interval
    const double centre = flipped_.shift() + edge / 2;  // its middle
    const std::size_t rows = vectors.rows;
    auto before = DenseMatrix::uninitialized(rows, n_);
    auto now = DenseMatrix::uninitialized(rows, n_);
    auto product_of_now = DenseMatrix::uninitialized(rows, n_);
    // With A = shift - F: (A - centre) / half = -(F + edge / 2) / half. sigma keeps the values
    // near 1 where the polynomial would overflow.
    double sigma = half / centre;
    const double first_sigma = sigma;
    copy_rows(vectors, before.view());
    flipped_.apply(vectors, product_of_now.view(), threads_);
    for (std::size_t i = 0; i < now.values().size(); ++i) {
      now.values()[i] = sigma / half * (product_of_now.values()[i] + edge / 2 * before.values()[i]);
    }
    for (std::size_t t = 1; t < degree; ++t) {
      const double next_sigma = 1 / (2 / first_sigma - sigma);
      flipped_.apply(now.view(), product_of_now.view(), threads_);
      for (std::size_t i = 0; i < now.values().size(); ++i) {
        const double value =
            2 * next_sigma / half * (product_of_now.values()[i] + edge / 2 * now.values()[i]) -
            sigma * next_sigma * before.values()[i];
        before.values()[i] = now.values()[i];
        now.values()[i] = value;
      }
      sigma = next_sigma;
    }
    copy_rows(now.view(), images);
  }

  const FlippedLaplacian& flipped_;
  std::size_t n_;
  const SpectralEmbeddingOptions& options_;
  std::size_t threads_;
};

void solve_by_blocks(const SimilarityGraph& graph,
                     const FlippedLaplacian& flipped,
                     const SpectralEmbeddingOptions& options,
                     SpectralEmbedding& found) {
  // Easy graphs are done by then; hard ones would need many more steps.
  constexpr std::size_t unhelped_steps = 50;
  const std::size_t n = graph.size();
  const BlockSolver solver(flipped, n, options);
  BlockEigen solved = solver.plain(std::min(unhelped_steps, options.max_iterations));
  if (solved.status == Status::iteration_limit && solved.steps < options.max_iterations) {
    // A factor is as large as a dense graph and lies beside it.
    const bool room = graph.is_dense() && n <= machine_memory() / (4 * sizeof(double)) / n;
    const std::size_t left = options.max_iterations - solved.steps;
    solved = room ? solver.with_factor(solved, left) : solver.with_filter(solved, left);
  }
  found.residual = solved.residual;
  found.iterations = solved.steps;
  found.status = solved.status;
  found.vectors = DenseMatrix::uninitialized(options.count, n);
  for (std::size_t i = 0; i < options.count; ++i) {
    const std::size_t from = options.count - 1 - i;
    found.eigenvalues.push_back(flipped.shift() - solved.pairs.values[from]);
    std::ranges::copy(solved.pairs.vectors.row(from), found.vectors.row(i).begin());
  }
}

/// spectral.md, "what rounding may take": every eigenvalue of the graph lies within this of its
/// own among those found.
double allowance(double norm, double residual, std::size_t n, std::size_t count) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return 8 * static_cast<double>(n) * epsilon * norm +
         std::sqrt(static_cast<double>(count)) * residual;
}

}  // namespace

void SpectralEmbeddingOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "count", .help = "number of eigenvectors"}, count, {.least = 1});
  visit.number({.name = "tolerance", .help = "residual at which an eigenvector is good enough"},
               tolerance,
               spectral_tolerance);
  visit.whole({.name = "max-iterations", .help = "upper limit on block steps"},
              max_iterations,
              {.least = 1});
  visit.threads(context.threads);
}

SpectralEmbedding spectral_embedding(const SimilarityGraph& graph,
                                     const SpectralEmbeddingOptions& options) {
  validate(options);
  const std::size_t n = graph.size();
  require_field(options.count <= n,
                "count",
                static_cast<double>(options.count),
                "at most the number of points, " + std::to_string(n));
  const FlippedLaplacian flipped(graph, options.laplacian);
  SpectralEmbedding found;
  if (n <= dense_size) {
    solve_by_lapack(flipped, options.count, found);
  } else {
    solve_by_blocks(graph, flipped, options, found);
  }
  const double each = allowance(2 * flipped.shift(), found.residual, n, options.count);
  // Vectors on their way may still lie beside the smallest eigenvalues: then nothing is proven.
  const bool proven = found.status == Status::solved;
  for (double& value : found.eigenvalues) {
    if (proven) found.lower_bound += std::max(0.0, value - each);
    value = std::max(0.0, value);
  }
  return found;
}

std::size_t eigengap_clusters(std::span<const double> eigenvalues, std::size_t least) {
  require_field(least >= 1, "eigengap_clusters: least", static_cast<double>(least), ">= 1");
  require_field(eigenvalues.size() > least,
                "eigengap_clusters: the number of eigenvalues",
                static_cast<double>(eigenvalues.size()),
                "above " + std::to_string(least));
  std::size_t best = least;
  for (std::size_t i = least; i < eigenvalues.size(); ++i) {
    const double gap = eigenvalues[i] - eigenvalues[i - 1];
    if (gap > eigenvalues[best] - eigenvalues[best - 1]) best = i;
  }
  return best;
}

double hyperplane_spread(DenseView gram, std::span<const double> coefficients) {
  const std::size_t n = gram.rows;
  require(gram.cols == n && coefficients.size() == n && n > 0,
          "hyperplane_spread: the Gram matrix must be square, with a coefficient for every row");
  std::vector<double> projections(n);
  gemv(Transpose::no, 1.0, gram, coefficients, 0.0, projections);
  const double squared_norm = dot(projections, coefficients);
  require(squared_norm > 0, "hyperplane_spread: the normal must not be 0");
  std::vector<double> sums(n);
  const std::vector<double> ones(n, 1.0);
  gemv(Transpose::no, 1.0, gram, ones, 0.0, sums);
  const auto count = static_cast<double>(n);
  const double mean_norm = std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0)) / count;
  double spread = 0;
  for (std::size_t i = 0; i < n; ++i) {
    require_field(sums[i] > 0, "hyperplane_spread: a row sum", sums[i], "> 0");
    const double cosine = sums[i] / (count * mean_norm);
    spread += projections[i] * projections[i] / squared_norm / cosine;
  }
  return spread / count;
}

}  // namespace maxmargin

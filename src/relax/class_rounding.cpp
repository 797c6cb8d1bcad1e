// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 7.
#include "relax/class_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/cluster/assignment.hpp"
#include "maxmargin/solver/graph/spectral_embedding.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace maxmargin {

namespace {

bool has_distinct_rows(DenseView points, std::size_t enough) {
  std::vector<std::size_t> distinct;
  for (std::size_t i = 0; i < points.rows && distinct.size() < enough; ++i) {
    const bool seen = std::ranges::any_of(
        distinct, [&](std::size_t j) { return std::ranges::equal(points.row(i), points.row(j)); });
    if (!seen) distinct.push_back(i);
  }
  return distinct.size() >= enough;
}

/// Columns put in the order that agrees best with the known classes, in sum over the known points.
DenseMatrix named_columns(DenseMatrix scores, const ClassRules& rules) {
  const std::size_t classes = rules.classes();
  if (std::ranges::none_of(rules.known, [](std::int32_t label) { return label >= 0; })) {
    return scores;
  }
  DenseMatrix cost(classes, classes);
  for (std::size_t i = 0; i < rules.known.size(); ++i) {
    if (rules.known[i] < 0) continue;
    for (std::size_t column = 0; column < classes; ++column) {
      cost(column, static_cast<std::size_t>(rules.known[i])) -= scores(i, column);
    }
  }
  const Assignment names = solve_assignment(cost.view());
  DenseMatrix named(scores.rows(), classes);
  for (std::size_t column = 0; column < classes; ++column) {
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      named(i, *names.column_of_row[column]) = scores(i, column);
    }
  }
  return named;
}

/// Adds the k-means clustering of the rows, where there are enough different ones.
void add_kmeans(std::string origin,
                DenseView points,
                const ClassRules& rules,
                const ClassRoundingOptions& options,
                std::vector<ClassCandidate>& candidates) {
  const std::size_t classes = rules.classes();
  if (points.cols == 0 || !has_distinct_rows(points, classes)) return;
  const KmeansSolution found = solve_kmeans(
      points, {.k = classes, .context = options.context.quiet(), .lower_bound_limit = 0});
  DenseMatrix scores(points.rows, classes);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t r = 0; r < classes; ++r) {
      for (std::size_t j = 0; j < points.cols; ++j) {
        const double difference = points(i, j) - found.centres(r, j);
        scores(i, r) -= difference * difference;
      }
    }
  }
  candidates.push_back(
      {std::move(origin),
       best_allowed_classes(named_columns(std::move(scores), rules).view(), rules)});
}

/// The first `count` columns.
DenseMatrix first_columns(const DenseMatrix& matrix, std::size_t count) {
  DenseMatrix part(matrix.rows(), std::min(count, matrix.cols()));
  for (std::size_t i = 0; i < part.rows(); ++i) {
    std::ranges::copy(matrix.row(i).first(part.cols()), part.row(i).begin());
  }
  return part;
}

/// Rows whose inner products are the positive part of the matrix; columns by falling eigenvalue.
DenseMatrix factor_of(DenseView m) {
  const EigenPairs pairs = eigen_symmetric(m);
  const std::size_t n = m.rows;
  DenseMatrix factor(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    const double root = std::sqrt(std::max(0.0, pairs.values[n - 1 - k]));
    for (std::size_t i = 0; i < n; ++i) factor(i, k) = root * pairs.vectors(n - 1 - k, i);
  }
  return factor;
}

}  // namespace

std::vector<ClassCandidate> round_class_matrix(DenseView m,
                                               const ClassRules& rules,
                                               const ClassRoundingOptions& options) {
  std::vector<ClassCandidate> candidates;
  const std::size_t classes = rules.classes();
  const DenseMatrix factor = factor_of(m);
  for (const std::size_t count : {classes, classes - 1}) {
    add_kmeans("k-means of " + std::to_string(count) + " eigenvectors",
               first_columns(factor, count).view(),
               rules,
               options,
               candidates);
  }
  for (std::size_t k = 0; k < options.restarts; ++k) {
    Rng rng(options.context.seed, "frieze-jerrum", k);
    DenseMatrix directions(classes, factor.cols());
    for (double& x : directions.values()) x = rng.normal();
    DenseMatrix scores(factor.rows(), classes);
    gemm(Transpose::no, Transpose::yes, 1.0, factor.view(), directions.view(), 0.0, scores.view());
    candidates.push_back(
        {"gaussians " + std::to_string(k + 1),
         best_allowed_classes(named_columns(std::move(scores), rules).view(), rules)});
  }
  return candidates;
}

ClassCandidate round_memberships(DenseView d, const ClassRules& rules) {
  return {"memberships", best_allowed_classes(d, rules)};
}

std::vector<ClassCandidate> round_class_components(DenseView gram,
                                                   const ClassRules& rules,
                                                   const ClassRoundingOptions& options) {
  std::vector<ClassCandidate> candidates;
  const std::size_t n = gram.rows;
  const std::size_t classes = rules.classes();
  const std::size_t threads = thread_count(options.context.threads);
  const BlockEigenOptions eigen{.count = std::min(2 * classes, n),
                                .tolerance = 1e-6,
                                .max_steps = 100,
                                .context = options.context.quiet()};
  const BlockEigen found = largest_eigenpairs(
      n,
      [&](DenseView vectors, MutableDenseView images) {
        multiply_symmetric(gram, vectors, images, threads);
      },
      eigen);
  const std::size_t pairs = found.pairs.values.size();
  DenseMatrix components(n, pairs);
  for (std::size_t k = 0; k < pairs; ++k) {
    const double root = std::sqrt(std::max(0.0, found.pairs.values[pairs - 1 - k]));
    for (std::size_t i = 0; i < n; ++i) {
      components(i, k) = root * found.pairs.vectors(pairs - 1 - k, i);
    }
  }
  for (const std::size_t count : {classes - 1, classes, 2 * classes}) {
    add_kmeans("k-means of " + std::to_string(count) + " principal components",
               first_columns(components, count).view(),
               rules,
               options,
               candidates);
  }
  return candidates;
}

ClassCandidate round_class_spectral(DenseMatrix similarities,
                                    std::string origin,
                                    const ClassRules& rules,
                                    const ClassRoundingOptions& options) {
  const SimilarityGraph graph(std::move(similarities), options.context.threads);
  const SpectralEmbedding embedding =
      spectral_embedding(graph,
                         {.count = std::min(rules.classes(), graph.size()),
                          .tolerance = 1e-7,
                          .context = options.context.quiet()});
  DenseMatrix points(graph.size(), embedding.vectors.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double length = 0;
    for (std::size_t k = 0; k < points.cols(); ++k) {
      points(i, k) = embedding.vectors(k, i);
      length += points(i, k) * points(i, k);
    }
    length = std::sqrt(length);
    for (double& x : points.row(i)) x = length > 0 ? x / length : 0.0;
  }
  std::vector<ClassCandidate> candidates;
  add_kmeans(std::move(origin), points.view(), rules, options, candidates);
  return candidates.empty() ? ClassCandidate{} : std::move(candidates.front());
}

}  // namespace maxmargin

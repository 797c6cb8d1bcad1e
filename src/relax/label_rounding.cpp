// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, step 6.
#include "relax/label_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/solver/graph/spectral_embedding.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"

namespace maxmargin {

namespace {

/// Scores of 2-means: the squared distance to centre 1 less that to centre 0; empty when there are
/// no two different points.
std::vector<double> two_means_scores(DenseView points, const LabelRoundingOptions& options) {
  bool differ = false;
  for (std::size_t i = 1; i < points.rows && !differ; ++i) {
    differ = !std::ranges::equal(points.row(i), points.row(0));
  }
  if (!differ) return {};
  const KmeansSolution found =
      solve_kmeans(points, {.k = 2, .context = options.context.quiet(), .lower_bound_limit = 0});
  std::vector<double> scores(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < points.cols; ++j) {
      const double first = points(i, j) - found.centres(0, j);
      const double second = points(i, j) - found.centres(1, j);
      score += second * second - first * first;
    }
    scores[i] = score;
  }
  return scores;
}

/// V times the eigenvectors of V'V: columns in the order of falling eigenvalues of M.
DenseMatrix principal_axes(DenseView v) {
  DenseMatrix scatter(v.cols, v.cols);
  gemm(Transpose::yes, Transpose::no, 1.0, v, v, 0.0, scatter.view());
  EigenPairs axes = eigen_symmetric(scatter.view());
  DenseMatrix falling(v.cols, v.cols);
  for (std::size_t k = 0; k < v.cols; ++k) {
    std::ranges::copy(axes.vectors.row(v.cols - 1 - k), falling.row(k).begin());
  }
  DenseMatrix turned(v.rows, v.cols);
  gemm(Transpose::no, Transpose::yes, 1.0, v, falling.view(), 0.0, turned.view());
  return turned;
}

/// Scores as labels of the options' rule.
Signs signs_of(std::span<const double> scores, const LabelRoundingOptions& options) {
  if (!options.rule) return first_positive(balanced_signs(scores, options.least));
  double agreement = 0;
  for (std::size_t i = 0; i < options.rule->given.size(); ++i) {
    agreement += options.rule->given[i] * scores[i];
  }
  std::vector<double> turned(scores.begin(), scores.end());
  if (agreement < 0) {
    for (double& score : turned) score = -score;
  }
  return balanced_signs(turned, *options.rule);
}

/// Products of the rows of V with the one that all labels given share; empty without any.
std::vector<double> label_products(DenseView v, const LabelRoundingOptions& options) {
  if (!options.rule) return {};
  const std::span<const std::int8_t> given = options.rule->given;
  const auto first = std::ranges::find_if(given, [](std::int8_t label) { return label != 0; });
  if (first == given.end()) return {};
  const auto i = static_cast<std::size_t>(first - given.begin());
  std::vector<double> products(v.rows);
  gemv(Transpose::no, *first, v, v.row(i), 0.0, products);
  return products;
}

std::vector<double> column(DenseView matrix, std::size_t j) {
  std::vector<double> values(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) values[i] = matrix(i, j);
  return values;
}

}  // namespace

Signs balanced_signs(std::span<const double> scores, std::size_t least) {
  const std::size_t n = scores.size();
  require(2 * least <= n,
          "balanced_signs: a label cannot occur " + std::to_string(least) + " times among " +
              std::to_string(n) + " points");
  return balanced_signs(scores, LabelRule{.least_positive = least, .most_positive = n - least});
}

Signs balanced_signs(std::span<const double> scores, const LabelRule& rule) {
  const std::size_t n = scores.size();
  require(rule.given.empty() || rule.given.size() == n,
          "balanced_signs: given labels must be one a point");
  require(std::ranges::none_of(scores, [](double s) { return std::isnan(s); }),
          "balanced_signs: a score is not a number");
  Signs signs(n, -1);
  std::vector<std::size_t> order;  // of the free points
  std::size_t given_positive = 0;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!rule.given.empty() && rule.given[i] != 0) {
      signs[i] = rule.given[i];
      if (signs[i] > 0) ++given_positive;
    } else {
      order.push_back(i);
      if (scores[i] >= 0) ++positive;
    }
  }
  const std::size_t most = std::min(rule.most_positive, given_positive + order.size());
  const std::size_t least = std::max(rule.least_positive, given_positive);
  require(least <= most,
          "balanced_signs: no labelling has from " + std::to_string(rule.least_positive) + " to " +
              std::to_string(rule.most_positive) + " points of label +1 with " +
              std::to_string(given_positive) + " given and " + std::to_string(order.size()) +
              " free ones");
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const std::size_t taken = std::clamp(positive + given_positive, least, most) - given_positive;
  for (std::size_t k = 0; k < taken; ++k) signs[order[k]] = 1;
  return signs;
}

bool is_allowed(std::span<const std::int8_t> signs, const LabelRule& rule) {
  const auto positive = static_cast<std::size_t>(
      std::ranges::count_if(signs, [](std::int8_t sign) { return sign > 0; }));
  if (positive < rule.least_positive || positive > rule.most_positive) return false;
  for (std::size_t i = 0; i < rule.given.size(); ++i) {
    if (rule.given[i] != 0 && rule.given[i] != signs[i]) return false;
  }
  return true;
}

bool is_balanced(std::span<const std::int8_t> signs, std::size_t least) {
  const auto positive = static_cast<std::size_t>(
      std::ranges::count_if(signs, [](std::int8_t sign) { return sign > 0; }));
  return positive >= least && signs.size() - positive >= least;
}

Signs first_positive(Signs signs) {
  if (!signs.empty() && signs.front() < 0) {
    for (std::int8_t& sign : signs) sign = static_cast<std::int8_t>(-sign);
  }
  return signs;
}

std::vector<LabelCandidate> round_label_matrix(DenseView v, const LabelRoundingOptions& options) {
  std::vector<LabelCandidate> candidates;
  const auto take = [&](std::string origin, std::span<const double> scores) {
    candidates.push_back({std::move(origin), signs_of(scores, options)});
  };
  if (const std::vector<double> scores = label_products(v, options); !scores.empty()) {
    take("labels", scores);
  }
  const DenseMatrix turned = principal_axes(v);
  for (std::size_t k = 0; k < std::min(options.eigenvectors, v.cols); ++k) {
    take("eigenvector " + std::to_string(k + 1), column(turned.view(), k));
  }
  if (const std::vector<double> scores = two_means_scores(v, options); !scores.empty()) {
    take("k-means", scores);
  }
  for (std::size_t h = 0; h < options.restarts; ++h) {
    Rng rng(options.context.seed, "hyperplane", h);
    std::vector<double> normal(v.cols);
    for (double& x : normal) x = rng.normal();
    std::vector<double> scores(v.rows);
    gemv(Transpose::no, 1.0, turned.view(), normal, 0.0, scores);
    take("hyperplane " + std::to_string(h + 1), scores);
  }
  return candidates;
}

std::vector<LabelCandidate> round_principal_components(DenseView gram,
                                                       std::size_t count,
                                                       const LabelRoundingOptions& options) {
  const std::size_t threads = thread_count(options.context.threads);
  BlockEigenOptions eigen{.count = std::min(count, gram.rows),
                          .tolerance = 1e-6,
                          .max_steps = 100,
                          .context = options.context.quiet()};
  std::vector<LabelCandidate> candidates;
  if (eigen.count == 0) return candidates;
  const BlockEigen found = largest_eigenpairs(
      gram.rows,
      [&](DenseView vectors, MutableDenseView images) {
        multiply_symmetric(gram, vectors, images, threads);
      },
      eigen);
  const std::size_t pairs = found.pairs.values.size();
  for (std::size_t k = 0; k < pairs; ++k) {
    const std::span<const double> vector = found.pairs.vectors.row(pairs - 1 - k);
    candidates.push_back(
        {"principal component " + std::to_string(k + 1), signs_of(vector, options)});
  }
  return candidates;
}

LabelCandidate round_spectral(DenseMatrix similarities,
                              std::string origin,
                              const LabelRoundingOptions& options) {
  const SimilarityGraph graph(std::move(similarities), options.context.threads);
  const SpectralEmbedding embedding = spectral_embedding(
      graph, {.count = 2, .tolerance = 1e-7, .context = options.context.quiet()});
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
  std::vector<double> scores = two_means_scores(points.view(), options);
  if (scores.empty()) scores.assign(points.rows(), 0.0);
  return {std::move(origin), signs_of(scores, options)};
}

}  // namespace maxmargin

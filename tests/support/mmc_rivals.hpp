// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "problem/borrowed_matrix.hpp"
#include "relax/label_polish.hpp"
#include "solver/saddle/label_saddle.hpp"

/// Other ways to a labelling than cluster_mmc's, by its objective: for tests, and for the study
/// of the same question on more points.
namespace maxmargin {

struct NamedData {
  std::string name = {};
  Dataset data = {};
};

/// Two classes of n/2 points each, of five kinds.
inline std::vector<NamedData> two_class_data(std::size_t n, std::uint64_t seed) {
  return {{"circles", generate_circles({.n = n, .seed = seed})},
          {"joined circles", generate_joined_circles({.n = n, .seed = seed})},
          {"gaussians", generate_gaussians({.n = n, .seed = seed})},
          {"letters AI", generate_letters({.n = n, .seed = seed})},
          {"moons", generate_moons({.n = n, .seed = seed})}};
}

/// Objectives 1/2 |w|^2 + C sum of hinges of machines without bias on a centred kernel.
struct MmcRivals {
  /// Signs of the leading eigenvector of the relaxed label matrix, repaired for balance.
  double eigenvector = 0;
  /// Spectral clustering at its own width or the kernel's, polished: the better one.
  double spectral = 0;
  /// The true labels, polished.
  double truth = 0;

  [[nodiscard]] double best() const { return std::min({eigenvector, spectral, truth}); }
};

/// Signs of the eigenvector of V V' with the largest eigenvalue: V u for that of V'V.
inline Signs leading_signs(const DenseMatrix& v, std::size_t least) {
  DenseMatrix small(v.cols(), v.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, v.view(), v.view(), 0.0, small.view());
  const EigenPairs pairs = eigen_symmetric(small.view());
  const auto direction = pairs.vectors.row(v.cols() - 1);
  std::vector<double> scores;
  for (std::size_t i = 0; i < v.rows(); ++i) scores.push_back(dot(v.row(i), direction));
  return balanced_signs(scores, least);
}

/// Cluster 0 against the rest, repaired for balance.
inline Signs signs_of_clusters(std::span<const std::int32_t> labels, std::size_t least) {
  std::vector<double> scores;
  for (const std::int32_t label : labels) scores.push_back(label == 0 ? 1 : -1);
  return balanced_signs(scores, least);
}

/// What the three ways reach at C = c with an Rbf, balance and centring as by default.
inline MmcRivals mmc_rivals(const Dataset& data, const Rbf& kernel, double c) {
  const std::size_t n = data.size();
  const std::size_t least = balanced_sizes(n, 2, MmcOptions{}.balance).least;
  DenseMatrix centred = gram(kernel, data.examples);
  FeatureCentring::fit(centred.view()).apply_to_training(centred.view());
  const BorrowedMatrix matrix(centred.view());
  const LabelPolishOptions polishing{.c = c, .least = least, .tolerance = 1e-6};

  const LabelSaddleSolution relaxed =
      solve_label_saddle({.matrix = centred.view(),
                          .c = c,
                          .balance = LabelBalance::total,
                          .imbalance = static_cast<double>(n - 2 * least)},
                         {.tolerance = 1e-3});
  MmcRivals found;
  found.eigenvector = fit_labels(matrix, leading_signs(relaxed.v, least), polishing).objective;
  const auto polished_spectral = [&](const SpectralOptions& options) {
    const SpectralClustering clusters = cluster_spectral(data, options);
    return polish_labels(matrix, signs_of_clusters(clusters.labels, least), polishing).objective;
  };
  found.spectral = std::min(polished_spectral({.k = 2}), polished_spectral({.kernel = kernel}));
  const std::vector<std::int32_t> truth = classes_of(data.labels).of_row;
  found.truth = polish_labels(matrix, signs_of_clusters(truth, least), polishing).objective;
  return found;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/solver/graph/similarity_graph.hpp"

/// The lower end of the spectrum of a graph's Laplacian: docs/algorithms/spectral.md.
namespace maxmargin {

enum class Laplacian {
  unnormalized,  ///< L = R - S, R = diag of the degrees
  /// R^-1/2 L R^-1/2, its eigenvalues in [0, 2]; the row of a point of degree 0 is 0
  normalized
};

/// Of eigenvectors: a residual that double precision can reach, below that of any guess.
inline constexpr NumberRule spectral_tolerance{"a number in [1e-13, 1)",
                                               {.least = 1e-13, .most = 1, .has_least = true}};

struct MAXMARGIN_EXPORT SpectralEmbeddingOptions {
  /// Eigenpairs; 1 to n.
  std::size_t count = 2;
  Laplacian laplacian = Laplacian::normalized;
  /// An eigenpair is good when |A v - lambda v| <= tolerance |A|.
  double tolerance = 1e-9;
  /// Block steps of the eigensolver; small graphs are solved by LAPACK and need none.
  std::size_t max_iterations = 500;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// The `count` smallest eigenvalues, ascending, with unit eigenvectors as rows.
struct SpectralEmbedding {
  std::vector<double> eigenvalues = {};
  DenseMatrix vectors = {};
  /// Their sum less what rounding and the residuals may have added, >= 0; 0 unless `status` is
  /// `solved`. With the normalised Laplacian no partition into `count` clusters has a smaller
  /// normalised cut; with L none has a smaller ratio cut.
  double lower_bound = 0;
  /// Largest |A v - lambda v| over the pairs.
  double residual = 0;
  std::size_t iterations = 0;
  Status status = Status::solved;
};

/// Up to 400 points by LAPACK in O(n^3); beyond by a block method that reads the graph once a step
/// (largest_eigenpairs), on a dense graph helped by a Cholesky factor when steps alone are slow.
[[nodiscard]] MAXMARGIN_EXPORT SpectralEmbedding
spectral_embedding(const SimilarityGraph& graph, const SpectralEmbeddingOptions& options);

/// The number of clusters before the largest gap: the i in [least, eigenvalues.size() - 1] for
/// which the (i+1)-th smallest eigenvalue exceeds the i-th by most; the lowest of equals. Requires
/// ascending eigenvalues, more than `least` of them, and least >= 1. A hint only: where clusters
/// are long and thin, as two rings are, the gap lies elsewhere.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t eigengap_clusters(std::span<const double> eigenvalues,
                                                             std::size_t least = 2);

/// Rahimi and Recht's view of the relaxed normalised cut. Points phi_i of length 1 in a feature
/// space, K >= 0 their Gram matrix (diagonal included): for the hyperplane through the origin with
/// normal w = sum_i c_i phi_i,
///
///   (1/n) sum_i dist_i^2 / cos(theta_i),
///
/// dist_i the distance of phi_i to the hyperplane and theta_i its angle to the mean m of all. Over
/// all w orthogonal to m its maximum is |m| (1 - lambda_2), lambda_2 the second smallest eigenvalue
/// of I - R^-1/2 K R^-1/2, at c = R^-1/2 times that eigenvector: points far from the mean's
/// direction (theta near 90 degrees) weigh without bound. Throws InvalidArgument unless K is square
/// with a coefficient a row, all row sums are > 0 and w is not 0.
[[nodiscard]] MAXMARGIN_EXPORT double hyperplane_spread(DenseView gram,
                                                        std::span<const double> coefficients);

}  // namespace maxmargin

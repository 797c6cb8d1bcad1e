// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/relax/class_relaxation.hpp"

/// From relaxed labels of several classes back to labels: docs/algorithms/mmc-multiclass.md,
/// step 7.
namespace maxmargin {

/// Of all labellings that keep the rules, one of largest sum of scores (points x classes): every
/// point first takes the class it likes best, then as few points as needed change along cheapest
/// paths between classes. O(n classes (moves + 1)). Ties go to the lowest class and the lowest
/// point. Throws InvalidArgument for a score that is not finite and as ClassRules::validate.
[[nodiscard]] ClassLabels best_allowed_classes(DenseView scores, const ClassRules& rules);

/// Labels renumbered by first occurrence: two labellings that differ in names alone become equal.
/// For labellings without known classes.
[[nodiscard]] ClassLabels canonical_labels(std::span<const std::int32_t> labels);

struct ClassRoundingOptions {
  /// Random roundings: a Gaussian vector a class, each point to the nearest (Frieze and Jerrum).
  std::size_t restarts = 20;
  Context context = {};
};

/// Candidates from a relaxed label matrix M (n x n): k-means on its leading kappa and kappa - 1
/// eigenvectors times the roots of their eigenvalues, and random roundings of its factor. All are
/// allowed; the same labelling may occur twice.
[[nodiscard]] std::vector<ClassCandidate> round_class_matrix(DenseView m,
                                                             const ClassRules& rules,
                                                             const ClassRoundingOptions& options);

/// Each point to the class of largest membership (n x kappa).
[[nodiscard]] ClassCandidate round_memberships(DenseView d, const ClassRules& rules);

/// k-means on the leading principal components in feature space, given the Gram matrix of centred
/// points (or of any): kappa - 1, kappa and 2 kappa of them.
[[nodiscard]] std::vector<ClassCandidate> round_class_components(
    DenseView gram, const ClassRules& rules, const ClassRoundingOptions& options);

/// Spectral clustering (Ng, Jordan and Weiss) of points with these similarities >= 0. Takes over
/// the matrix. Empty labels where it finds fewer distinct rows than classes. Throws InvalidArgument
/// for a matrix that is no similarity graph.
[[nodiscard]] ClassCandidate round_class_spectral(DenseMatrix similarities,
                                                  std::string origin,
                                                  const ClassRules& rules,
                                                  const ClassRoundingOptions& options);

}  // namespace maxmargin

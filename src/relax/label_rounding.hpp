// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/relax/label_relaxation.hpp"

/// From a relaxed label matrix back to labels: docs/algorithms/mmc.md, step 6.
namespace maxmargin {

/// Which labellings are allowed, where that is not the same for both labels or some are given.
struct LabelRule {
  /// How many points may be +1, given ones included.
  std::size_t least_positive = 0;
  std::size_t most_positive = std::numeric_limits<std::size_t>::max();
  /// +1 or -1 where the label is given, 0 where it is free, one a point; empty: all are free. Must
  /// outlive the rule.
  std::span<const std::int8_t> given = {};
};

/// The labels nearest to the signs of the scores of which neither occurs fewer than `least` times:
/// the points of largest score are +1, as many as allowed and nearest to the number of scores >= 0.
/// Of equal scores the lower index comes first. For a machine's values that is the labelling of
/// least hinge loss. Throws InvalidArgument when 2 least > n or a score is not a number.
[[nodiscard]] Signs balanced_signs(std::span<const double> scores, std::size_t least);

/// The same for a rule: given labels stay, of the free points those of largest score are +1, as
/// many as allowed. Throws InvalidArgument when no labelling follows the rule.
[[nodiscard]] Signs balanced_signs(std::span<const double> scores, const LabelRule& rule);

/// Do the labels follow the rule?
[[nodiscard]] bool is_allowed(std::span<const std::int8_t> signs, const LabelRule& rule);

/// Do both labels occur at least `least` times?
[[nodiscard]] bool is_balanced(std::span<const std::int8_t> signs, std::size_t least);

/// The same labels, or all of them turned, so that the first is +1: y and -y are one clustering.
[[nodiscard]] Signs first_positive(Signs signs);

struct LabelRoundingOptions {
  /// Fewest points of a label.
  std::size_t least = 0;
  /// Set: this in place of `least`. Scores are then turned so as to agree with the labels given.
  std::optional<LabelRule> rule = std::nullopt;
  /// Leading eigenvectors of M = V V' whose signs are taken.
  std::size_t eigenvectors = 5;
  /// Random hyperplanes through the rows of V.
  std::size_t restarts = 20;
  Context context = {};
};

/// Candidates from the factor V of a label matrix: eigenvectors, 2-means on the rows, hyperplanes,
/// and where labels are given the products with their row ("labels"), which come first. All
/// balanced; the same labelling may occur twice.
[[nodiscard]] std::vector<LabelCandidate> round_label_matrix(DenseView v,
                                                             const LabelRoundingOptions& options);

/// The signs of the leading principal components in feature space, given the Gram matrix of
/// centred points (or of any): eigenvectors of its largest eigenvalues.
[[nodiscard]] std::vector<LabelCandidate> round_principal_components(
    DenseView gram, std::size_t count, const LabelRoundingOptions& options);

/// Spectral clustering into two (Ng, Jordan and Weiss) of points with these similarities >= 0,
/// balanced by the distances to the two centres. Takes over the matrix. Throws InvalidArgument for
/// a matrix that is no similarity graph.
[[nodiscard]] LabelCandidate round_spectral(DenseMatrix similarities,
                                            std::string origin,
                                            const LabelRoundingOptions& options);

}  // namespace maxmargin

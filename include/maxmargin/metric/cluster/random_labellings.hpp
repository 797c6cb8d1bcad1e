// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/metric/significance/johnson_sb.hpp"

/// How small a kernel sum of squares is by chance: docs/algorithms/johnson-sb.md.
namespace maxmargin {

/// n labels, each of 0, ..., k-1 with equal probability, drawn again until every class occurs.
/// Requires 1 <= k <= n.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::int32_t> draw_labels(std::size_t n,
                                                                     std::size_t k,
                                                                     Rng& rng);

struct MAXMARGIN_EXPORT RandomLabellingOptions {
  /// Number of clusters, >= 2.
  std::size_t k = 2;
  /// Labellings to draw, >= 1.
  std::size_t count = 5000;
  /// Callback: called before every 64 labellings, from one thread at a time.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// The kernel sum of squares (kernel_sum_of_squares) of random labellings, in the order drawn. The
/// Gram matrix must be symmetric and have at least k rows. O(count n^2 (k - 1)), by matrix
/// products. Empty when the callback ended it: some of the labellings are no answer.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> random_label_sums(
    DenseView gram, const RandomLabellingOptions& options = {});

/// A law of the sums, to hold a clustering's own sum against.
struct MAXMARGIN_EXPORT ChanceLaw {
  /// Sorted; empty when the callback ended the drawing: there are no p-values then.
  std::vector<double> sums = {};
  /// The sum of squares of one cluster: no labelling is worse (kernels that are positive
  /// semidefinite).
  double one_cluster = 0;
  /// Sums of one labelling, computed in different ways, differ by no more than this.
  double rounding = 0;
  /// Unset when the sums are all (but for rounding) the same, or fewer than four.
  std::optional<JohnsonSbFit> fit = std::nullopt;

  /// P(a random labelling has a sum <= `sum`) under the fitted law, or, without one, the share of
  /// the drawn labellings. Both throw InvalidArgument when there are no sums.
  [[nodiscard]] double p_value(double sum) const;
  /// The share of the drawn labellings with a sum <= `sum`, up to rounding.
  [[nodiscard]] double share_at_most(double sum) const;
};

/// Draws labellings and fits the law with its upper end bounded by the sum of one cluster.
[[nodiscard]] MAXMARGIN_EXPORT ChanceLaw chance_law(DenseView gram,
                                                    const RandomLabellingOptions& options = {});

}  // namespace maxmargin

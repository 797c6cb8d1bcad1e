// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// A machine trained to tell the clusters apart says how clear their borders are:
/// docs/guide/validators.md.
namespace maxmargin {

struct ClusterRefitOptions {
  Kernel kernel = Rbf{};
  /// > 0, finite.
  double c = 1;
  /// Parts of the cross-validation, at least 2; fewer when there are fewer points.
  std::size_t folds = 5;
  /// Accept kernels that are known not to be positive semidefinite.
  bool allow_indefinite = false;
  /// Callback: asked by every training; folds run side by side and ask in turn.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// NaN with fewer than two clusters, and where the callback ended the run before.
struct ClusterRefit {
  /// Share of the clustered rows that the machine trained on all of them puts elsewhere.
  double train_error = 0;
  /// The same over rows that were not trained on, all folds together.
  double test_error = 0;
  /// Least of Fisher's ratios of the projections on w, over the pairs of clusters: the machine of a
  /// pair on the rows of that pair.
  double fisher_ratio = 0;
  Status status = Status::solved;
};

/// Trains an SVM (one against one) on the clusters as classes; outliers are left out. Throws
/// InvalidArgument for wrong options, labels of another length than the data or below -1, and what
/// train_svc throws.
[[nodiscard]] ClusterRefit refit_clusters(const Dataset& data,
                                          std::span<const std::int32_t> clusters,
                                          const ClusterRefitOptions& options = {});

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Clusters seen along the directions that tell them apart, for pictures.
namespace maxmargin {

/// The machine that is trained to tell them apart.
struct MAXMARGIN_EXPORT ClusterMachine {
  double c = 1;
  KernelChoice kernel = {};
  bool allow_indefinite = false;
  void describe(OptionVisitor& visit);
};

/// The values of the machine's functions on the rows: one function a cluster, against the rest; one
/// in all for two clusters.
struct ClusterProjections {
  DenseMatrix values = {};
  /// In the order of the functions.
  std::vector<std::int32_t> clusters = {};
};

/// Trains an SVM on the clusters as classes. Throws InvalidArgument for options that break a rule,
/// and what train_svc throws.
[[nodiscard]] MAXMARGIN_EXPORT ClusterProjections
cluster_projections(const Dataset& data,
                    std::span<const std::int32_t> clusters,
                    const ClusterMachine& machine = {},
                    const Context& context = {});

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/mmc/machine.hpp"
#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// A bound on all labellings from features: docs/algorithms/mmc-alternating.md.
namespace maxmargin {

struct MmcBound {
  /// But for roundings and winner.
  MmcRelaxation relaxation = {};
  /// Weights of the points (factored_saddle_bound).
  std::vector<double> certificate = {};
  /// Directions of feature space worth a labelling, one a row.
  DenseMatrix directions = {};
  Status status = Status::solved;
  std::vector<std::string> warnings = {};
};

/// `points` are the features of the data under the kernel, `missed` what they miss of K(x, x),
/// empty for nothing. Throws InvalidArgument for too many features.
[[nodiscard]] MmcBound bound_labellings(const Dataset& data,
                                        const Kernel& kernel,
                                        const MmcPoints& points,
                                        std::span<const double> missed,
                                        const MmcAlternatingOptions& options);

}  // namespace maxmargin

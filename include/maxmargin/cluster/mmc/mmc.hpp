// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/cluster/mmc/model.hpp"
#include "maxmargin/cluster/mmc/sizes.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "maxmargin/relax/label_relaxation.hpp"

/// Two-class maximum-margin clustering with a bound on what any labelling could reach:
/// docs/algorithms/mmc.md.
namespace maxmargin {

using MmcBias = KernelBias;

struct MAXMARGIN_EXPORT MmcOptions {
  /// Number of clusters; must be 2.
  std::size_t k = 2;
  /// Finite and > 0.
  double c = 100;
  /// F in [0, 1) of balanced_sizes. Unset: any sizes but 0.
  std::optional<double> balance = 0.1;
  /// How the relaxation says so: `total` or `rows`.
  LabelBalance balance_form = LabelBalance::total;
  MmcBias bias = MmcBias::center;
  /// Relative gap of the relaxation; in (0, 1).
  double tolerance = 1e-3;
  /// Newton steps of the relaxation; at least 1.
  std::size_t max_iterations = 2000;
  /// Random roundings of the relaxed labels (hyperplanes); at least 1.
  std::size_t restarts = 20;
  /// Memory limit: bytes beside the data. Callback: asked during the relaxation and within all
  /// trainings but the first, which is for the answer when the run is stopped.
  Context context = {};

  void describe(OptionVisitor& visit);
};

using MmcRelaxation = LabelRelaxation;

/// A clustering into two. Cluster 0 is the larger, or of equal ones that of the first point.
struct MmcClustering {
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// 1/2 |w|^2 + C sum of hinges of the machine on these labels.
  double objective = 0;
  MmcRelaxation relaxation = {};
  /// Proves relaxation.lower_bound / C (label_saddle_bound).
  LabelCertificate certificate = {};
  /// The machine: w = sum of coefficients times the points (centred or with the constant, as the
  /// bias says); its value is >= 0 on cluster 0, up to slacks and balance.
  std::vector<double> coefficients = {};
  /// primal_objective is `objective`, lower_bound that of the relaxation; status and iterations
  /// are the relaxation's, but a stop while rounding is the status, too. Warnings say when the
  /// bound is weak, when rounding was stopped, and when the last training did not converge.
  SolveReport report = {};
};

struct TrainedMmc {
  MmcClustering clustering = {};
  /// One function.
  MmcModel model = {};
};

/// Clusters the points behind a symmetric positive semidefinite Gram matrix, as the kernel has it:
/// it is taken over, and options.bias applied to it. `candidates` are labellings to be tried beside
/// the roundings.
/// Throws InvalidArgument for fewer than two points, a matrix that is not square, symmetric and
/// finite, or one too large for the memory limit, saying what to do instead.
[[nodiscard]] MAXMARGIN_EXPORT MmcClustering
cluster_mmc(DenseMatrix gram,
            const MmcOptions& options = {},
            std::span<const LabelCandidate> candidates = {});

/// The same on the examples of a data set, with spectral clusterings at several widths among the
/// candidates when the kernel is an Rbf. Throws InvalidArgument for weights (balance counts
/// points), fewer than two distinct points, and a kernel that is known to be indefinite.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMmc cluster_mmc(const Dataset& data,
                                                      const Kernel& kernel,
                                                      const MmcOptions& options = {});

}  // namespace maxmargin

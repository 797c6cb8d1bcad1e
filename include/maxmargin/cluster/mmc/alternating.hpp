// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/cluster/mmc/model.hpp"
#include "maxmargin/cluster/mmc/sizes.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Maximum-margin clustering of many points, into two or more clusters, by training and relabelling
/// in turn: docs/algorithms/mmc-alternating.md.
namespace maxmargin {

/// What is taken in turn with the training of a machine.
enum class MmcSteps {
  relabel,  ///< labels
  sdp       ///< at first relaxed labels (a linear SDP), then the labels read off them
};
template <>
inline constexpr auto names_of<MmcSteps> = name_table<MmcSteps>({{"relabel", MmcSteps::relabel},
                                                                 {"sdp", MmcSteps::sdp}});

struct MAXMARGIN_EXPORT MmcAlternatingOptions {
  /// Number of clusters; at least 2, at most the number of distinct points.
  std::size_t k = 2;
  /// Finite and > 0.
  double c = 100;
  /// F in [0, 1) of balanced_sizes. Unset: any sizes but 0.
  std::optional<double> balance = 0.1;
  MmcBias bias = MmcBias::center;
  /// `sdp` is for two clusters and up to 2,000 points.
  MmcSteps steps = MmcSteps::relabel;
  /// Features in place of the kernel: so many landmarks at most (Nystroem); at least 1. Unset: the
  /// points themselves with the linear kernel, the Gram matrix with any other.
  std::optional<std::size_t> landmarks = std::nullopt;
  /// Bounds the objective of all labellings by the relaxation; two clusters alone.
  bool relaxation = false;
  /// Relative gap of the relaxation, and of the last training when there are many points: in
  /// (0, 1).
  double tolerance = 1e-3;
  /// Labellings to start from; at least 1.
  std::size_t restarts = 10;
  /// Trainings and relabellings at each C; at least 1.
  std::size_t max_iterations = 50;
  /// The method that messages name: `mmc` with features runs here, too.
  std::string method = "mmc-alternating";
  /// Memory limit: bytes beside the data. Callback: asked within all trainings but the first, which
  /// is for the answer when the run is stopped.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// Clusters are numbered by size, the largest first, then by their first member.
struct MmcAlternatingClustering {
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  MmcModel model = {};
  /// 1/2 |w|^2 + C sum of losses of the machine on these labels: hinges for two clusters, the
  /// losses of Crammer and Singer for more.
  double objective = 0;
  /// No machine on these labels and features has a smaller objective. With landmarks it says
  /// nothing of machines of the kernel outside of their span, which may be far below.
  double training_bound = 0;
  /// Different labellings started from, where the best came from, and trainings in all.
  std::size_t starts = 0;
  std::string winner = {};
  std::uint64_t trainings = 0;
  /// The objective after every step that led to the answer at the full C; never rises.
  std::vector<double> trace = {};
  /// The joint value of relaxed labels and machine, times C, after every pair of relaxed steps
  /// (`sdp`); never rises.
  std::vector<double> relaxed_trace = {};
  /// What the relaxation says. Its winner is that above; roundings are not counted apart (0).
  std::optional<MmcRelaxation> relaxation = std::nullopt;
  /// Prove relaxation->lower_bound: factored_saddle_bound on the features.
  std::vector<double> certificate = {};
  /// Rows of the landmarks whose features the certificate is for; empty: the points themselves.
  std::vector<std::size_t> landmark_rows = {};
  /// Features used, and the share of the trace of the kernel matrix that they miss.
  std::size_t features = 0;
  double missed = 0;
  /// primal_objective is `objective`; lower_bound that of the relaxation, or 0. Status `solved`:
  /// relabelling changes nothing, the last training reached its gap, and the relaxation, if any, is
  /// solved. iterations are trainings.
  SolveReport report = {};
};

/// Clusters the examples; labels are not looked at. The linear kernel and landmarks train on
/// features (memory grows with n), other kernels on the Gram matrix. The same for any number of
/// threads. Throws InvalidArgument for weights (balance counts points), k above the number of
/// distinct points, a kernel known to be indefinite, and more memory than the limit, saying what to
/// do instead.
[[nodiscard]] MAXMARGIN_EXPORT MmcAlternatingClustering cluster_mmc_alternating(
    const Dataset& data, const Kernel& kernel, const MmcAlternatingOptions& options = {});

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
#include "maxmargin/relax/class_relaxation.hpp"

/// Maximum-margin clustering into several clusters: docs/algorithms/mmc-multiclass.md.
namespace maxmargin {

/// MulticlassMmcOptions::anchors at most, and where it is unset (or k, if that is less).
inline constexpr std::size_t most_anchors = 6;
inline constexpr std::size_t default_anchors = 4;

struct MAXMARGIN_EXPORT MulticlassMmcOptions {
  /// Number of clusters; at least 2.
  std::size_t k = 3;
  /// Finite and > 0.
  double c = 100;
  /// F in [0, 1) of balanced_sizes. Unset: any sizes but 0.
  std::optional<double> balance = 0.1;
  KernelBias bias = KernelBias::center;
  /// Relative gap of the relaxation; in (0, 1).
  double tolerance = 1e-3;
  /// Projections on the semidefinite cone for each relaxation; at least 1.
  std::size_t max_iterations = 2000;
  /// Random roundings of the relaxed labels (Gaussian vectors); at least 1.
  std::size_t restarts = 20;
  /// Points that are told apart for a better bound, 0 to 6; unset: the smaller of k and 4. Their
  /// number of partitions into k classes is that of further relaxations.
  std::optional<std::size_t> anchors = std::nullopt;
  /// Memory limit: bytes beside the data; unset: half of the machine's memory. Where there is room
  /// for the plain relaxation alone no points are told apart, and a warning says so. Callback:
  /// asked during the relaxation and within all trainings but the first, which is for the answer
  /// when the run is stopped.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// What the relaxations say, in units of 1/2 |w|^2 + C sum of losses.
struct MulticlassRelaxation {
  /// Of the relaxation that `bound` rests on (the plain one where that is trivial; with points told
  /// apart the least of theirs): that of its relaxed labels, or its bound where that is larger (the
  /// labels miss their constraints a little); often negative.
  double value = 0;
  /// Of the plain relaxation alone, and of those in which the anchors are told apart (unset: not
  /// tried to the end, as a better bound than the others was out of reach).
  double plain_bound = 0;
  std::optional<double> broken_bound = std::nullopt;
  /// The largest of 0 and these: no balanced labelling has a smaller objective.
  double lower_bound = 0;
  ClassBound bound = ClassBound::trivial;
  /// How well the relaxation behind `value` is solved: the relative gap of value and bound, or what
  /// the matrix misses its constraints by where that is more; the largest of those told apart.
  double relative_gap = 0;
  /// Of the plain relaxation's label matrix.
  std::size_t rank = 0;
  /// Different labellings tried, and where the best one came from.
  std::size_t roundings = 0;
  std::string winner = {};
  /// How the relaxation itself ended, whatever came of the search that it begins.
  Status status = Status::solved;
};

/// A clustering into k. Clusters are numbered by size, the largest first, then by first member.
struct MulticlassMmc {
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// 1/2 sum_r |w_r|^2 + C sum of losses of Crammer and Singer's machine on these labels.
  double objective = 0;
  MulticlassRelaxation relaxation = {};
  /// Prove relaxation.lower_bound / C (proven_class_bound); empty when that is 0.
  std::vector<std::size_t> anchors = {};
  std::vector<ClassProof> proofs = {};
  /// The machine, points x clusters: w_r = sum of coefficients(i, r) times the points (centred or
  /// with the constant, as the bias says).
  DenseMatrix coefficients = {};
  /// primal_objective is `objective`, lower_bound that of the relaxation; status and iterations are
  /// those of the plain relaxation, but a stop while rounding is the status, too, and a warning
  /// names relaxations with points told apart that were not solved.
  SolveReport report = {};
};

struct TrainedMulticlassMmc {
  MulticlassMmc clustering = {};
  /// One function a cluster, also of two.
  MmcModel model = {};
};

/// Clusters the points behind a symmetric positive semidefinite Gram matrix, as the kernel has it:
/// it is taken over, and options.bias applied to it. `candidates` are labellings to be tried beside
/// the roundings. Throws InvalidArgument for fewer points than clusters, a matrix that is not
/// square, symmetric, finite and semidefinite, or one too large for the memory limit, saying what
/// to do instead.
[[nodiscard]] MAXMARGIN_EXPORT MulticlassMmc
cluster_multiclass_mmc(DenseMatrix gram,
                       const MulticlassMmcOptions& options = {},
                       std::span<const ClassCandidate> candidates = {});

/// The same on the examples of a data set, with spectral clusterings at several widths among the
/// candidates when the kernel is an Rbf. Throws InvalidArgument for weights (balance counts
/// points), fewer than k distinct points, and a kernel that is known to be indefinite.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMulticlassMmc cluster_multiclass_mmc(
    const Dataset& data, const Kernel& kernel, const MulticlassMmcOptions& options = {});

}  // namespace maxmargin

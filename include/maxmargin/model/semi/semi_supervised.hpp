// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"

/// What the machines that learn from unlabelled rows share: docs/algorithms/s3vm.md.
namespace maxmargin {

/// Above so many rows a linear machine is solved on the features unless told otherwise: fewer are
/// faster in kernel rows, most of all at large costs.
inline constexpr std::size_t rows_for_features = 5000;

/// Where a semi-supervised machine is solved.
enum class SemiSolver {
  automatic,  ///< `features` for the linear kernel on more than rows_for_features, else `kernel`
  kernel,     ///< in kernel rows: any kernel, O(n^2) kernel values
  features    ///< on the features: the linear kernel alone, O(entries) a pass
};
template <>
inline constexpr auto names_of<SemiSolver> =
    name_table<SemiSolver>({{"automatic", SemiSolver::automatic},
                            {"kernel", SemiSolver::kernel},
                            {"features", SemiSolver::features}});
/// `automatic` decided.
[[nodiscard]] MAXMARGIN_EXPORT SemiSolver resolve_solver(SemiSolver solver,
                                                         const Kernel& kernel,
                                                         std::size_t rows) noexcept;

/// How many rows may be positive.
struct SignWindow {
  std::size_t least = 0;
  std::size_t most = 0;
};
/// Both signs near their share of the labelled rows: of `rows` between (1-F) and (1+F) times their
/// share of them, rounded outwards, are positive, and likewise negative. Requires 0 < share < 1 and
/// 0 <= F < 1; then there is such a number.
[[nodiscard]] MAXMARGIN_EXPORT SignWindow share_window(double positive_share,
                                                       std::size_t rows,
                                                       double balance);

/// One machine trained on the way.
struct SemiStep {
  /// Function of the code.
  std::size_t function = 0;
  /// Costs of unlabelled rows rise from level to level; from 0.
  std::size_t level = 0;
  /// What an unlabelled row's loss cost there, of either sign: the larger of the two.
  double unlabelled_c = 0;
  /// Unlabelled rows whose sign changed for it.
  std::size_t moved = 0;
  /// 1/2 |w|^2 + labelled losses + unlabelled losses at the costs of the level. Within a level it
  /// falls from step to step.
  double objective = 0;
};

/// A machine that has seen the unlabelled rows, and one that has not.
struct MAXMARGIN_EXPORT TrainedSemiSupervised {
  /// report.primal_objective is the semi-supervised objective at this machine. report.lower_bound
  /// is below that objective at every machine (that keeps the balance, where the learner holds
  /// one): the dual value of the problem without its unlabelled losses, which are >= 0. Empty for a
  /// kernel that is not known to be positive semidefinite, whose dual values prove nothing. The gap
  /// between the two is no measure of convergence. With TrainingControl::keep_dual,
  /// dual_coefficients hold the dual point that proves the bound.
  TrainedClassifier semi_supervised = {};
  /// Trained on the labelled rows alone: an ordinary machine with its own primal and dual
  /// objective.
  TrainedClassifier supervised = {};
  /// By function and row: the sign given to an unlabelled row, 0 for one that was left out, and for
  /// labelled rows the sign of their class.
  std::vector<std::vector<std::int8_t>> signs = {};
  std::vector<SemiStep> steps = {};
  /// Share of the objective by which new signs alone or a new machine alone could lower it at most,
  /// the largest of all functions: what status solved promises to be within the tolerance. Empty
  /// for a search that was stopped and where there is no lower_bound.
  std::optional<double> stationary_gap = std::nullopt;
  std::size_t labelled = 0;
  std::size_t unlabelled = 0;
};

}  // namespace maxmargin

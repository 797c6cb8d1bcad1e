// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/robust/robust.hpp"
#include "maxmargin/model/training.hpp"

/// Machines that leave examples out, by convex relaxation and with what it proves:
/// docs/algorithms/robust.md.
namespace maxmargin {

/// What the relaxations of a machine's functions say, in units of 1/2 |w|^2 + C sum of losses.
struct WeightRelaxation {
  /// Of the relaxed weights; summed over the functions, as the bound is.
  double value = 0;
  /// No function and no choice of outliers has a smaller objective.
  double lower_bound = 0;
  /// (value - lower_bound) / value: how well the relaxations are solved.
  double relative_gap = 0;
  /// The largest rank of a function's matrix of unit rows; 1 is a choice of examples.
  std::size_t rank = 0;
  /// Different choices of examples tried, and where the best ones came from, function by function.
  std::size_t roundings = 0;
  std::vector<std::string> winners = {};
  /// How the relaxations themselves ended, the worst.
  Status status = Status::solved;
};

/// A robust classifier that came from a relaxation.
struct TrainedRelaxedClassifier : TrainedRobustClassifier {
  WeightRelaxation relaxation = {};
  /// The relaxed weight of every row, one vector a function; 1 where a function does not look.
  std::vector<std::vector<double>> relaxed_weights = {};
  /// The share kept, as used; 1 for the robust hinge.
  double rho = 1;
};

/// Vectors that control.keep_dual keeps of every function (verify_robust_svc says which).
constexpr std::size_t relaxation_vectors = 5;

struct MAXMARGIN_EXPORT RobustSvcOptions {
  /// Finite and > 0.
  double c = 1;
  KernelChoice kernel = {};
  /// The relaxation knows no free offset.
  KernelBias bias = KernelBias::constant;
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  /// Random roundings of the relaxed weights, >= 1.
  std::size_t restarts = 20;
  /// Convex problems of one descent at most, >= 1.
  std::size_t max_rounds = 100;
  /// The tolerance is that of the relaxation and of the machines, the iterations are the
  /// relaxation's.
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Minimises 1/2 |w|^2 + C sum_i min(1, max(0, 1 - y_i w.x_i)), the robust hinge of ramp-svc: the
/// relaxation over all choices of outliers bounds it from below, and choices rounded from it,
/// each polished by the descent of ramp-svc, are the answer. The report's lower bound is the
/// relaxation's, so the gap is to every function; status and iterations are the relaxation's, but a
/// stop or failure of the machines is the status, too.
///
/// Throws InvalidArgument as classification_task does, for a kernel or kernel matrix that is not
/// positive semidefinite, for examples of different weight, and for more rows than the memory limit
/// holds, saying what to do instead. With control.keep_dual the certificates are handed back.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRelaxedClassifier
train_robust_svc(const Dataset& data, const RobustSvcOptions& options = {});

struct MAXMARGIN_EXPORT OutlierSvcOptions {
  /// Finite and > 0.
  double c = 1;
  KernelChoice kernel = {};
  /// Share of the examples that counts, in (0, 1]; 1 is the plain machine. Unset: choose_rho.
  std::optional<double> rho = 0.9;
  KernelBias bias = KernelBias::constant;
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  CodeChoice code = {};
  std::size_t restarts = 20;
  std::size_t max_rounds = 100;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Minimises 1/2 |w|^2 + C sum_i eta_i max(0, 1 - y_i w.x_i) over w and 0 <= eta <= 1 with sum_i
/// eta_i >= rho n, the problem of trimmed-svc, in the same way. Rows of small relaxed weight are
/// the likely outliers. Exceptions as above.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRelaxedClassifier
train_outlier_svc(const Dataset& data, const OutlierSvcOptions& options = {});

/// The shares that choose_rho looks at, falling; and how near to 1 a weight counts as 1.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> rho_grid();
constexpr double whole_weight = 0.99;

/// What choose_rho found.
struct RhoChoice {
  double rho = 1;
  /// The worst of the relaxations that decided, or of the stop that left some unasked.
  Status status = Status::solved;
};

/// The least share of the grid at which some example of every function still has a relaxed weight
/// of 1 (or 1, when that is so nowhere): below it the relaxation thins out all examples, so what is
/// left above it may be the outliers. It is an upper limit on what the data let go and often far
/// more than what is wrong. Found by halving the grid, taking for granted that the largest weight
/// falls with rho. options.rho is not read; the relaxations are solved to a tolerance of 1e-5 at
/// least. When the run is stopped, the least share known so far of all functions (1 while some are
/// unasked); a relaxation that was not solved for another reason counts, and the status says so.
[[nodiscard]] MAXMARGIN_EXPORT RhoChoice choose_rho(const Dataset& data,
                                                    const OutlierSvcOptions& options = {});

}  // namespace maxmargin

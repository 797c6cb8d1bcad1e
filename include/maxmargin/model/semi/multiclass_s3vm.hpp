// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"
#include "maxmargin/relax/class_relaxation.hpp"

/// Semi-supervised learning of several classes by convex relaxation:
/// docs/algorithms/mmc-multiclass.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT MulticlassS3vmOptions {
  /// Cost of a row's loss, labelled or not; finite and > 0.
  double c = 100;
  KernelChoice kernel = Linear{};
  /// F: of all n rows between (1-F) p n and (1+F) p n, rounded outwards, get a class, p being its
  /// share of the labelled rows. In [0, 1). Unset: any number may.
  std::optional<double> balance = 0.1;
  KernelBias bias = KernelBias::center;
  /// Random roundings of the relaxed labels, >= 1.
  std::size_t restarts = 20;
  /// `tolerance` and `max_iterations` (unset: 2000) are those of the relaxation.
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// What a bound from below on the objective rests on.
enum class SemiBound {
  trivial,     ///< an objective is never below 0
  supervised,  ///< the dual value of the machine of the labelled rows: the other losses are >= 0
  relaxation
};
template <>
inline constexpr auto names_of<SemiBound> =
    name_table<SemiBound>({{"trivial", SemiBound::trivial},
                           {"supervised", SemiBound::supervised},
                           {"relaxation", SemiBound::relaxation}});

/// In units of 1/2 |w|^2 + C sum of losses.
struct MulticlassS3vmRelaxation {
  /// Of the relaxed labels (or the bound where that is larger, as they miss their constraints a
  /// little), and what is proven; both are often negative.
  double value = 0;
  double relaxation_bound = 0;
  /// Of the machine of the labelled rows: no machine on them alone has a smaller objective.
  double supervised_bound = 0;
  /// The largest of 0 and the two bounds: no labelling of the unlabelled rows within the balance
  /// has a smaller objective. 0 as well where the run was stopped before the kernel matrix was
  /// known to be semidefinite, without which the bounds mean nothing.
  double lower_bound = 0;
  SemiBound bound = SemiBound::trivial;
  /// How well it is solved: the relative gap of value and relaxation_bound, or what the labels miss
  /// their constraints by where that is more.
  double relative_gap = 0;
  std::size_t rank = 0;
  /// Different labellings tried, and where the best one came from.
  std::size_t roundings = 0;
  std::string winner = {};
  /// How the relaxation itself ended, whatever came of the search that it begins.
  Status status = Status::solved;
};

struct MAXMARGIN_EXPORT TrainedMulticlassS3vm {
  /// `semi_supervised` is Crammer and Singer's machine on all rows with the labels found: its
  /// report's primal_objective is its objective, lower_bound that of `relaxation`, and the status
  /// the relaxation's; a stop while rounding is one, too. `supervised` is the same machine on the
  /// labelled rows alone. With TrainingControl::keep_dual both keep what verify_multiclass_s3vm
  /// asks for. `signs` are +1 for the class of the function, -1 elsewhere; there are no
  /// steps, and no stationary_gap.
  TrainedSemiSupervised machines = {};
  /// The class of every row, as an index into the model's classes.
  ClassLabels labels = {};
  /// D of the relaxation: rows x classes.
  DenseMatrix memberships = {};
  MulticlassS3vmRelaxation relaxation = {};
  /// The problem that was relaxed, but for its matrix (K after centring), and what proves
  /// relaxation_bound / C.
  ClassSaddle problem = {};
  ClassCertificate certificate = {};
  /// What proves supervised_bound / C: of the problem of the labelled rows alone, with their part
  /// of the matrix and as many points of each class as are known.
  ClassCertificate supervised_certificate = {};
};

/// How many rows may be of each class: their share of the known ones, give or take the balance,
/// rounded outwards, and never fewer than are known. Requires a known class.
[[nodiscard]] MAXMARGIN_EXPORT ClassRules semi_supervised_sizes(
    const std::vector<std::int32_t>& known, std::size_t classes, std::optional<double> balance);

/// Vectors of one number a row that TrainingControl::keep_dual keeps for every class in
/// `semi_supervised`, where its lower bound rests on `bound`.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t kept_class_vectors(SemiBound bound,
                                                              std::size_t classes,
                                                              std::size_t rows,
                                                              std::size_t unlabelled);

/// Looks for labels of the unlabelled rows and a direct multi-class machine on all rows that
/// minimise 1/2 |w|^2 + C sum of losses, by relaxing the labels, rounding and polishing. Two
/// classes will do, but the two-class relaxation is tighter.
///
/// Throws InvalidArgument, naming the source, without rows, without a labelled or without an
/// unlabelled row, with one class among the labels, for example weights (sizes count rows), a
/// kernel known or found not to be positive semidefinite, and too many rows for the memory limit.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMulticlassS3vm
train_multiclass_s3vm(const Dataset& data, const MulticlassS3vmOptions& options = {});

}  // namespace maxmargin

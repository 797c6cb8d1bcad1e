// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "relax/class_rounding.hpp"

/// Local search on labels of several classes by their true objective:
/// docs/algorithms/mmc-multiclass.md, steps 8 and 9.
namespace maxmargin {

/// A labelling and Crammer and Singer's machine without bias that was trained on it.
struct FittedClasses {
  ClassLabels labels = {};
  /// 1/2 sum_r |f_r|^2 + C sum of losses of that machine: above the least for these labels by at
  /// most the tolerance of the training.
  double objective = 0;
  /// The dual value of the training: below the objective of every machine on these labels.
  double dual = 0;
  /// n x classes: f_r = sum_i coefficients(i, r) K(x_i, .), and the values of the f_r on the
  /// points.
  DenseMatrix coefficients = {};
  DenseMatrix values = {};
  Status status = Status::solved;
};

struct ClassPolishOptions {
  /// C; finite and > 0.
  double c = 100;
  /// Relative gap of each training; > 0.
  double tolerance = 1e-4;
  /// Steps of each training on single points, for each of the n points; unset: no limit. Labels
  /// that no machine explains take long to say so.
  std::optional<std::uint64_t> steps_a_point = std::nullopt;
  /// Trainings and relabellings for each C; at least 1.
  std::size_t max_rounds = 50;
  /// Machines trained in search of an exchange before it is given up; 0: no exchanges.
  std::size_t exchanges = 30;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// The loss of Crammer and Singer of every point in every class: max_s (1[s != r] + f_s) - f_r for
/// the values f (n x classes).
[[nodiscard]] DenseMatrix class_losses(DenseView values);

/// Trains the machine of the labels on the points behind a symmetric positive semidefinite Gram
/// matrix. `start`, if not null, is a machine on similar labels.
[[nodiscard]] FittedClasses fit_classes(DenseView gram,
                                        std::size_t classes,
                                        ClassLabels labels,
                                        const ClassPolishOptions& options,
                                        const FittedClasses* start = nullptr);

/// Train, give every point the class of least loss that the rules allow, train, ... until the
/// labels stay, at C/100, C/10 and C. Where C/100 ends in labels that are worse at C than
/// polishing at C alone, the latter is kept.
[[nodiscard]] FittedClasses polish_classes(DenseView gram,
                                           const ClassRules& rules,
                                           const ClassLabels& start,
                                           const ClassPolishOptions& options);

/// Looks for a change of one label, or of the labels of two points in turn, that lowers the
/// objective by more than the tolerance, takes it and begins anew, until none is found among those
/// that raise the loss of the present machine least. Returns false when nothing changed.
bool exchange_classes(DenseView gram,
                      const ClassRules& rules,
                      FittedClasses& fit,
                      const ClassPolishOptions& options);

/// What a search over candidates came to.
struct ClassSearch {
  FittedClasses best = {};
  /// The origin of the best candidate.
  std::string winner = {};
  /// Different candidates.
  std::size_t tried = 0;
  /// Anything but yes: the caller ended it.
  Continue answer = Continue::yes;
};

struct ClassSearchOptions {
  double c = 100;
  /// Callback: asked between and within trainings, but not within the first one.
  Context context = {};
};

/// Trains all candidates, polishes the better ones, searches the best for exchanges and trains them
/// once more to a relative gap of 1e-8. Throws InvalidArgument without candidates, or for one that
/// the rules do not allow.
[[nodiscard]] ClassSearch search_classes(DenseView gram,
                                         const ClassRules& rules,
                                         std::vector<ClassCandidate> candidates,
                                         const ClassSearchOptions& options);

}  // namespace maxmargin

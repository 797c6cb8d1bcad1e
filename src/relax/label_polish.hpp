// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "relax/label_rounding.hpp"

/// Local search on labels by their true objective: docs/algorithms/mmc.md, step 7.
namespace maxmargin {

/// A labelling and the machine without bias that was trained on it.
struct FittedLabels {
  Signs signs = {};
  /// 1/2 |w|^2 + C sum of hinges of that machine: above the least for these labels by at most the
  /// tolerance of the training.
  double objective = 0;
  /// Signed coefficients of w on the points, and w's values on them.
  std::vector<double> coefficients = {};
  std::vector<double> values = {};
  Status status = Status::solved;
};

struct LabelPolishOptions {
  /// C; finite and > 0.
  double c = 100;
  /// Fewest points of a label.
  std::size_t least = 0;
  /// Set: this in place of `least`.
  std::optional<LabelRule> rule = std::nullopt;
  /// Relative gap of each training; > 0.
  double tolerance = 1e-4;
  /// Steps of each training, for each of the n points; unset: as many as solve_smo takes. At a
  /// large C labels that no machine explains take long to say so.
  std::optional<std::uint64_t> steps_a_point = std::nullopt;
  /// Trainings and relabellings for each C; at least 1.
  std::size_t max_rounds = 50;
  /// Machines trained in search of an exchange before it is given up; 0: no exchanges.
  std::size_t exchanges = 40;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Trains the machine of the labels. `start`, if not empty, holds coefficients of a machine on
/// similar labels.
[[nodiscard]] FittedLabels fit_labels(const SymmetricMatrix& matrix,
                                      Signs signs,
                                      const LabelPolishOptions& options,
                                      std::span<const double> start = {});

/// Train, relabel under the balance, train, ... until the labels stay, at C/100, C/10 and C. Where
/// C/100 ends in labels that are worse at C than polishing at C alone, the latter is kept.
[[nodiscard]] FittedLabels polish_labels(const SymmetricMatrix& matrix,
                                         const Signs& start,
                                         const LabelPolishOptions& options);

/// Looks for a flip of one label, or of two opposite ones, that lowers the objective by more than
/// the tolerance (and 1e-6 of it), takes it and
/// begins anew, until none is found among those worth training. For every flip a feasible point of
/// its dual is known in O(1): flips whose dual value is not below the objective are ruled out.
/// Returns false when nothing changed.
bool exchange_labels(const SymmetricMatrix& matrix,
                     FittedLabels& labels,
                     const LabelPolishOptions& options);

}  // namespace maxmargin

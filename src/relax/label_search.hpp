// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/relax/label_relaxation.hpp"
#include "relax/label_polish.hpp"
#include "relax/label_rounding.hpp"

/// The best labelling that roundings and polishing find: docs/algorithms/mmc.md, steps 6 to 8.
namespace maxmargin {

struct LabelSearchOptions {
  /// C; finite and > 0.
  double c = 100;
  LabelRule rule = {};
  /// y and -y count as one labelling, and come out as either: for rules that are the same for both.
  bool either_sign = false;
  /// Random roundings.
  std::size_t restarts = 20;
  /// So many points x labellings are polished, the best ones; never fewer than 6 labellings.
  std::size_t polishing = 40000;
  /// Callback: asked within all trainings. The first one goes on for 20 steps a point, so that
  /// there is an answer when the run is stopped.
  Context context = {};
};

struct LabelSearchAnswer {
  /// The labels and their machine, trained to a relative gap of 1e-8.
  FittedLabels best = {};
  /// Where they came from, before polishing.
  std::string origin = {};
  /// Different labellings tried.
  std::size_t tried = 0;
  /// Anything but yes: the caller ended it.
  Continue answer = Continue::yes;
};

/// Rounds the unit rows V of a label matrix, takes the signs of the principal components of the
/// Gram matrix and the `candidates`, trains a machine without bias on each labelling, polishes the
/// best ones, looks for exchanges, and returns the best by its objective; the first of equals.
/// Throws InvalidArgument for a candidate that does not follow the rule, and a rule that none
/// follows.
[[nodiscard]] LabelSearchAnswer search_roundings(const DenseMatrix& gram,
                                                 DenseView v,
                                                 std::span<const LabelCandidate> candidates,
                                                 const LabelSearchOptions& options);

/// Completes the report of a relaxation by that of the search: the objective and the bound, what
/// ended the search where it was not the end of the work, and a warning when the bound is below the
/// objective by more than a tenth of it.
void note_search(const LabelSearchAnswer& found, double lower_bound, SolveReport& report);

/// The part of it on what ended a search and its last training.
void note_search_end(Continue answer, Status last_training, SolveReport& report);

/// Says so when the bound is more than a tenth below the objective, with `advice` unless empty.
void warn_of_weak_bound(double objective,
                        double lower_bound,
                        std::vector<std::string>& warnings,
                        std::string_view advice = "a narrower kernel often has a better bound");

/// Spectral clusterings at gamma times 1, 4, 16 and 64 as candidates for an Rbf kernel; none for
/// other kernels. Asks `on_progress` before each.
[[nodiscard]] std::vector<LabelCandidate> round_spectral_widths(
    const Examples& examples,
    const Kernel& kernel,
    const LabelRoundingOptions& options,
    const ProgressCallback& on_progress);

}  // namespace maxmargin

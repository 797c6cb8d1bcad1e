// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/relax/label_polish.hpp"
#include "maxmargin/relax/label_rounding.hpp"

/// The best labelling that roundings and polishing find: docs/algorithms/mmc.md, steps 6 to 8.
namespace maxmargin {

struct MAXMARGIN_EXPORT LabelSearchOptions {
  /// C; finite and > 0.
  double c = 100;
  LabelRule rule = {};
  /// y and -y count as one labelling, and come out as either: for rules that are the same for both.
  bool either_sign = false;
  /// Random roundings.
  std::size_t hyperplanes = 20;
  std::uint64_t seed = 0;
  /// Unset: all cores. The answer does not depend on it.
  std::optional<std::size_t> threads = std::nullopt;
  /// Asked within all trainings but the first, which is for the answer when the run is stopped.
  ProgressCallback on_progress = {};
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
[[nodiscard]] MAXMARGIN_EXPORT LabelSearchAnswer
search_roundings(const DenseMatrix& gram,
                 DenseView v,
                 std::span<const LabelCandidate> candidates,
                 const LabelSearchOptions& options);

}  // namespace maxmargin

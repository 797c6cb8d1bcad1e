// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md, "The baseline: a Gibbs sampler"
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/structured/tasks/motif.hpp"

namespace maxmargin {

struct GibbsOptions {
  /// At least 1.
  std::size_t restarts = 10;
  /// Passes over all sequences; at least 1.
  std::size_t sweeps = 100;
  Context context = {};
};

struct GibbsAnswer {
  /// Logarithms of probabilities: the score of a place is its log-likelihood ratio against the
  /// background.
  std::vector<double> w = {};
  /// The best that was sampled: a place in every sequence, and the sum of their scores.
  std::vector<MotifSite> sites = {};
  double log_ratio = 0;
  /// The best of each restart that was begun.
  std::vector<double> of_restarts = {};
  /// Solved, unless the run was stopped.
  Status status = Status::solved;
};

/// Samples places in sequences that all hold the motif once. Requires a sequence, and in each a
/// place.
[[nodiscard]] GibbsAnswer sample_motif(const MotifTask& task,
                                       std::span<const BaseString> sequences,
                                       const GibbsOptions& options = {});

}  // namespace maxmargin

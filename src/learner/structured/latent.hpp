// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "learner/structured/structured.hpp"
#include "maxmargin/learner/model.hpp"
#include "maxmargin/solver/structural/latent.hpp"

/// What learners with hidden parts share: docs/algorithms/latent.md.
namespace maxmargin::learning {

/// Option start-model: whose weights `--start weights` begins with.
struct StartModelChoice {
  std::optional<std::string> path = std::nullopt;

  /// `is_wanted`: the start is weights.
  void describe(OptionVisitor& visit, bool is_wanted);
  /// Throws FileError for a model of a learner that is none of these, and what load_model throws.
  [[nodiscard]] Model load(std::span<const std::string_view> learners) const;
};

/// Throws FileError unless so many weights of the model at `path` fit data with so many.
void require_start_weights(const std::string& path, std::size_t has, std::size_t wanted);

/// Puts into the fit what a search says of itself: the report, metrics `stationary_gap` (relative),
/// `oracle_calls` and, of several runs, the spread of their objectives and measures, and the tables
/// `trace` (steps of the best run) and `runs`. `measured` is what the measure of the runs is called
/// ("accuracy"); empty: none was taken.
void add_search(const LatentSolution& found, std::string_view measured, StructuredFit& fit);

}  // namespace maxmargin::learning

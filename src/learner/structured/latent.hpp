// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learner/structured/structured.hpp"
#include "maxmargin/solver/structural/latent.hpp"

/// What learners with hidden parts share: docs/algorithms/latent.md.
namespace maxmargin::learning {

/// Puts into the fit what a search says of itself: the report, metrics `stationary_gap`,
/// `oracle_calls` and, of several runs, the spread of their objectives and measures, and the tables
/// `trace` (steps of the best run) and `runs`. `measured` is what the measure of the runs is called
/// ("accuracy"); empty: none was taken.
void add_search(const LatentSolution& found, std::string_view measured, StructuredFit& fit);

}  // namespace maxmargin::learning

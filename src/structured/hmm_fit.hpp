// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/rng.hpp"
#include "structured/hmm_emissions.hpp"
#include "structured/hmm_expectation.hpp"

/// Expectation and maximisation, whatever states emit: docs/algorithms/hmm.md.
namespace maxmargin {

struct HmmFitOptions {
  std::size_t restarts = 1;
  std::size_t max_iterations = 200;
  double tolerance = 1e-6;
  double smoothing = 0;
  /// One state a position, `unknown_state` where there is none; empty: all are unknown.
  std::span<const LabelSequence> known = {};
  Context context = {};
};

struct HmmFit {
  HmmChain chain = {};
  /// As HmmEmissions::parameters has them.
  std::vector<double> emissions = {};
  double log_likelihood = 0;
  std::vector<double> trace = {};
  std::size_t best_restart = 0;
  /// Of each run that was begun, in order: its last objective and its steps.
  std::vector<HmmRestart> restarts = {};
  SolveReport report = {};
};

/// Where a run begins: its chain, and what emissions are set to.
struct HmmStart {
  HmmChain chain = {};
  std::vector<double> emissions = {};
};

/// The best of all runs, the first of equals. `start(r)` is where run r begins.
[[nodiscard]] HmmFit fit_hidden_chain(HmmEmissions& emissions,
                                      const std::function<HmmStart(std::size_t)>& start,
                                      const HmmFitOptions& options);

/// Counts of known states and of pairs of them; every known end if `with_end`.
[[nodiscard]] HmmChain count_known(std::span<const LabelSequence> known,
                                   std::size_t states,
                                   bool with_end);
/// Shares of counts, smoothed; rows without counts stay as `before` has them.
[[nodiscard]] HmmChain chain_of_counts(const HmmChain& counts, double smoothing, HmmChain before);
/// Every row uniform.
[[nodiscard]] HmmChain uniform_chain(std::size_t states, bool with_end);
/// Rows of exponential numbers, normalised.
[[nodiscard]] HmmChain drawn_chain(std::size_t states, bool with_end, Rng& rng);
/// The sum of the logs of its parameters.
[[nodiscard]] double sum_of_logs(const HmmChain& chain);

/// Throws InvalidArgument unless there is, for every sequence, nothing or one state below `states`
/// (or unknown_state) for every position.
void require_known(std::span<const LabelSequence> known,
                   std::span<const std::size_t> lengths,
                   std::size_t states);

/// Is any state known?
[[nodiscard]] bool has_known(std::span<const LabelSequence> known);

}  // namespace maxmargin

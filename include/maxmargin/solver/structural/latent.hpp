// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Latent structural machines by the convex-concave procedure: docs/algorithms/latent.md.
namespace maxmargin {

class LatentRisk;

/// What the first run begins with. Those after it begin with random completions.
enum class LatentStart {
  given,   ///< completions that the learner makes
  random,  ///< random completions
  weights  ///< given weights, and the completions that are best for them
};
template <>
inline constexpr auto names_of<LatentStart> =
    name_table<LatentStart>({{"given", LatentStart::given},
                             {"random", LatentStart::random},
                             {"weights", LatentStart::weights}});

struct MAXMARGIN_EXPORT LatentOptions {
  /// C; the tolerance is that of the stationary gap; passes are those of a convex step; the context
  /// of the whole run; on_checkpoint is offered states of the whole run.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::one_slack;
  LatentStart start = LatentStart::given;
  /// Of LatentStart::weights.
  std::vector<double> start_weights = {};
  /// Runs; the one of least objective is the answer.
  std::uint64_t restarts = 1;
  /// Convex steps of a run, at most.
  std::uint64_t outer_iterations = 100;
  /// Every convex step forgets the planes of the one before: for comparisons.
  bool cold_start = false;
  /// What the weights of a run are worth on the training data, for the spread over runs; may be
  /// empty.
  std::function<std::optional<double>(std::span<const double>)> measure = {};

  /// Options solver, C, tolerance, max-iterations, start (of `starts`; none: the learner has its
  /// own), restarts, outer-iterations and cold-start.
  void describe(OptionVisitor& visit, const std::vector<LatentStart>& starts);
  /// Of these restarts, outer-iterations and cold-start alone, for learners that describe the rest
  /// themselves; `condition` says in their help what they belong to.
  void describe_runs(OptionVisitor& visit, std::string_view condition = "");
};

/// A convex step that was taken.
struct LatentStep {
  /// F at its end.
  double objective = 0;
  /// The relative gap that it was solved to; of solvers without one, what was asked for.
  double inner_gap = 0;
  /// Completions that changed at its end.
  std::uint64_t changed = 0;
  /// So far, of the run.
  std::uint64_t oracle_calls = 0;
  /// Steps that were refused before it, because F would have risen.
  std::uint64_t refused = 0;
};

/// How a run ended.
struct LatentRun {
  Status status = Status::local_optimum;
  std::optional<double> objective = std::nullopt;
  std::optional<double> stationary_gap = std::nullopt;
  std::optional<double> measure = std::nullopt;
  std::uint64_t steps = 0;
  std::uint64_t oracle_calls = 0;
};

struct LatentSolution {
  std::vector<double> w = {};
  /// primal_objective is F(w), lower_bound a bound on F anywhere; iterations are convex steps.
  SolveReport report = {};
  /// F(w) less a bound on the convex problem at the completions of w: no convex step gains more.
  std::optional<double> stationary_gap = std::nullopt;
  /// Of the best run.
  std::vector<LatentStep> trace = {};
  /// In their order, the best one's number in `best`.
  std::vector<LatentRun> runs = {};
  std::size_t best = 0;
  /// Calls of largest_plane, of all runs and of the bound.
  std::uint64_t oracle_calls = 0;
};

/// `start`: a state that `solving.on_checkpoint` was given in an earlier run of the same problem
/// and options. Throws InvalidArgument for wrong options or a state that does not fit.
[[nodiscard]] MAXMARGIN_EXPORT LatentSolution solve_latent(LatentRisk& risk,
                                                           const LatentOptions& options,
                                                           const StructuralState* start = nullptr);

}  // namespace maxmargin

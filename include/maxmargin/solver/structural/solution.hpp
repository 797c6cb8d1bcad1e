// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/report.hpp"

namespace maxmargin {

class StructuralRisk;

/// Planes one after the other in plain arrays, which are easily written to a file.
struct PlaneTable {
  /// Example of each plane; the number of examples for a cut, which is a sum over all of them.
  std::vector<std::uint64_t> owners = {};
  std::vector<double> offsets = {};
  /// In the dual: a_p.
  std::vector<double> weights = {};
  /// Turns since the weight was last above 0.
  std::vector<std::uint64_t> ages = {};
  /// Entries of plane p are begins[p] to begins[p + 1], indices ascending.
  std::vector<std::uint64_t> begins = {0};
  std::vector<std::uint32_t> indices = {};
  std::vector<double> values = {};

  [[nodiscard]] std::size_t size() const { return owners.size(); }
};

/// Where a run stands between two passes. A run that begins with it goes on as if it had never
/// stopped, to the same bits.
struct StructuralState {
  /// Whose it is: no other solver takes it.
  std::string solver = {};
  double c = 0;
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  std::uint64_t passes = 0;
  std::uint64_t oracle_calls = 0;
  /// The present point.
  std::vector<double> w = {};
  /// The best point whose objective was seen, and that objective; empty before the first.
  std::vector<double> best_w = {};
  std::optional<double> best_primal = std::nullopt;
  double dual = 0;
  PlaneTable planes = {};
  /// What else the solver remembers, in its own order.
  std::vector<double> numbers = {};
  /// What a loop around the solver remembers (latent machines).
  std::vector<double> outer = {};
  /// The planes are of a problem that has changed since, and were moved with it: the solver takes
  /// them, and what else it remembers begins anew. Never in a file.
  bool is_moved = false;
};

/// Called after every pass. Calls its argument when it wants the state, which is as large as all
/// planes together.
using CheckpointCallback = std::function<void(const std::function<StructuralState()>&)>;

/// Passes that end a run whose options say nothing of them.
inline constexpr std::size_t usual_passes = 1000;
/// The same of the online solvers, which seldom end by themselves.
inline constexpr std::size_t online_passes = 10;

/// What solvers of a StructuralRisk are told alike.
struct MAXMARGIN_EXPORT StructuralOptions {
  /// C, of the sum of losses; finite and > 0.
  double c = 1;
  /// Relative duality gap; > 0.
  double tolerance = 1e-3;
  /// Passes over all examples; at least 1. Unset: as many as the solver takes by default (passes).
  std::optional<std::uint64_t> max_passes = std::nullopt;
  /// Memory limit: bytes for planes, cuts, vectors of the dimension and the tables of argmaxes;
  /// larger keeps more planes, which takes fewer passes. Two cuts, or two planes of every example,
  /// are there whatever it says. Callback: asked between passes and within them.
  Context context = {};
  /// One slack alone: planes of every example that are remembered. Larger asks the oracle less
  /// often; 0: every cut asks it.
  std::size_t cached_planes = 5;
  /// Cutting planes alone: cuts and planes go after so many turns without weight; at least 1.
  std::size_t idle_turns = 20;
  CheckpointCallback on_checkpoint = {};
  /// Hand back the state at the end, for a run on a problem that is alike.
  bool keep_state = false;

  /// Options C, tolerance and max-iterations; the rest is ambient, or of no concern to users.
  /// `default_passes` says in words how many there are by default.
  void describe(OptionVisitor& visit, std::string_view default_passes = "1000, of mira 10");
  /// The limit, or what it is by default.
  [[nodiscard]] std::size_t passes(std::size_t otherwise = usual_passes) const {
    return max_passes.value_or(otherwise);
  }
};

/// What they hand back.
struct StructuralSolution {
  std::vector<double> w = {};
  /// Calls of largest_plane.
  std::uint64_t oracle_calls = 0;
  /// On keep_state, where the solver has states.
  std::optional<StructuralState> state = std::nullopt;
  /// primal_objective is P(w) (an estimate where the risk is not exact), dual_objective D, which
  /// bounds the least P from below; iterations are passes.
  SolveReport report = {};
};

/// How a structural machine is trained.
enum class StructuralMethod {
  block_frank_wolfe,  ///< docs/algorithms/bcfw.md
  one_slack,          ///< docs/algorithms/cutting-plane.md
  n_slack,            ///< the same, a slack for every example
  subgradient,        ///< docs/algorithms/structural-online.md; no gap
  mira                ///< there too; no gap
};

template <>
inline constexpr auto names_of<StructuralMethod> =
    name_table<StructuralMethod>({{"bcfw", StructuralMethod::block_frank_wolfe},
                                  {"one-slack", StructuralMethod::one_slack},
                                  {"n-slack", StructuralMethod::n_slack},
                                  {"subgradient", StructuralMethod::subgradient},
                                  {"mira", StructuralMethod::mira}});

/// Option solver.
MAXMARGIN_EXPORT void describe_method(OptionVisitor& visit, StructuralMethod& method);
/// Whether the method ends by a duality gap.
[[nodiscard]] MAXMARGIN_EXPORT bool has_gap(StructuralMethod method) noexcept;
/// Whether the method's objective is that of the weights it hands back. mira reports the losses
/// that its last pass met.
[[nodiscard]] MAXMARGIN_EXPORT bool has_objective(StructuralMethod method) noexcept;
/// Whether runs of the method can be saved and resumed.
[[nodiscard]] MAXMARGIN_EXPORT bool has_checkpoints(StructuralMethod method) noexcept;

/// Trains by that method. `start` as for the solvers; throws InvalidArgument when the method has no
/// checkpoints.
[[nodiscard]] MAXMARGIN_EXPORT StructuralSolution
solve_structural(const StructuralRisk& risk,
                 StructuralMethod method,
                 const StructuralOptions& options = {},
                 const StructuralState* start = nullptr);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/alignment.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"
#include "maxmargin/structured/tasks/alignment_baselines.hpp"

/// Machines that align pairs of sequences: docs/guide/aligning.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT AlignerOptions {
  /// What is minimised and until when. C multiplies the sum of the pairs' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  /// What is learned: features, gaps, kind and loss.
  AlignmentOptions alignment = {};

  void describe(OptionVisitor& visit);
};

/// A trained one.
struct MAXMARGIN_EXPORT Aligner {
  AlignmentTask task;
  std::vector<double> weights = {};

  /// The best alignment of every pair. The result does not depend on the number of threads.
  [[nodiscard]] std::vector<Alignment> predict(
      std::span<const SequencePair> inputs,
      std::optional<std::size_t> threads = std::nullopt) const;
};

struct TrainedAligner {
  Aligner model;
  /// As of the solver; the dual objective bounds the objective of all weights from below. Warns of
  /// pairs without matches.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
};

/// Trains on pairs with references. Pairs whose reference has no match have no loss and are left
/// out, with a warning. For local alignments end gaps of references do not count. `start`: a state
/// that `solving.on_checkpoint` was given in an earlier run with the same data and options, which
/// is resumed. Throws InvalidArgument when there is nothing to learn from, a sequence lacks a
/// track, or an option is wrong.
[[nodiscard]] MAXMARGIN_EXPORT TrainedAligner train_aligner(const AlignmentData& data,
                                                            const AlignerOptions& options = {},
                                                            const StructuralState* start = nullptr);

/// The objective that training minimises at given weights, by a loop of its own.
[[nodiscard]] MAXMARGIN_EXPORT double aligner_objective(const Aligner& aligner,
                                                        const AlignmentData& data,
                                                        double c,
                                                        const Context& context = {});

/// Where weights of pairs of residues come from that no margin was used for.
enum class SubstitutionTable {
  blosum62,  ///< published; gaps are tuned
  log_odds   ///< counted in the references, as are the gaps: a pair HMM
};
template <>
inline constexpr auto names_of<SubstitutionTable> = name_table<SubstitutionTable>(
    {{"blosum62", SubstitutionTable::blosum62}, {"log-odds", SubstitutionTable::log_odds}});

struct TableAlignerOptions {
  SubstitutionTable table = SubstitutionTable::blosum62;
  /// Must have residues alone and constant gaps. Its rule is what tuned gaps are to reach.
  AlignmentOptions alignment = {};
  /// Scores of gaps to try on the references; unset: usual_gap_grid for blosum62, none for
  /// log_odds, whose counts give them.
  std::optional<GapGrid> gaps = std::nullopt;
  /// Callback: asked between two points of the grid; a search that is stopped takes the best so
  /// far.
  Context context = {};
};

struct TabledAligner {
  Aligner model;
  /// As tuned, given or counted.
  double gap = 0;
  double opening = 0;
  /// Points of the grid that were tried.
  std::size_t tried = 0;
  /// Solved, unless the search was stopped.
  Status status = Status::solved;
};

/// An aligner of a table, the baseline of learned ones. Pairs whose reference has no match are left
/// out. Throws InvalidArgument when there are no others, or for models that tables do not fit.
[[nodiscard]] MAXMARGIN_EXPORT TabledAligner
table_aligner(const AlignmentData& data,
              const TableAlignerOptions& options = {},
              std::optional<std::size_t> threads = std::nullopt);

/// Gaps from -0.5 to -10 in steps of a half; with openings -0.5 to -2, openings from -4 to -14.
[[nodiscard]] MAXMARGIN_EXPORT GapGrid usual_gap_grid(const AlignmentTask& task);

}  // namespace maxmargin

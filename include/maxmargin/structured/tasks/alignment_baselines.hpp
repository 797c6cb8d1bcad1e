// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/metric/structured/alignment.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

/// Weights of alignment that are not learned by a margin: docs/algorithms/alignment.md,
/// "Baselines". They are weights of an AlignmentTask with weights of pairs of residues and
/// constant gaps; anything else is refused with an InvalidArgument.
namespace maxmargin {

/// BLOSUM62 in half bits for the two residues; -1 where one of them is unknown.
[[nodiscard]] MAXMARGIN_EXPORT int blosum62(char a, char b);

/// BLOSUM62 as weights, with a score for every residue left alone and, where the task has openings,
/// one for every opening (both usually negative). An opening that the task does not have must be 0.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> blosum62_weights(const AlignmentTask& task,
                                                                    double gap,
                                                                    double opening = 0);

/// Log-odds from the counts of reference alignments, as of a pair HMM, with or without openings as
/// the task has them. `smoothing` > 0 is added to every count. Throws InvalidArgument when there
/// are no pairs or the numbers differ.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> log_odds_weights(
    const AlignmentTask& task,
    std::span<const SequencePair> inputs,
    std::span<const Alignment> references,
    double smoothing = 1);

/// Scores of gaps to try.
struct GapGrid {
  std::vector<double> gaps = {};
  /// Not used by a task without openings.
  std::vector<double> openings = {};
  /// What to reach; also where the task's own loss is another.
  AlignmentRule rule = {};
  /// Callback: asked between two points of the grid.
  Context context = {};
};

struct TunedGaps {
  double gap = 0;
  double opening = 0;
  /// The mean quality of the predictions with them.
  double quality = 0;
  /// The weights given, with these gaps.
  std::vector<double> weights = {};
  /// Points of the grid that were tried.
  std::size_t tried = 0;
  /// Whether that was all of them, or what ended the search.
  Status status = Status::solved;
};

/// The gaps of the grid with which `weights` align best; the first of equal ones. A search that is
/// stopped gives the best so far, of one point at least. Throws
/// InvalidArgument when the grid or the data is empty, or the numbers differ.
[[nodiscard]] MAXMARGIN_EXPORT TunedGaps tune_gaps(const AlignmentTask& task,
                                                   std::span<const double> weights,
                                                   std::span<const SequencePair> inputs,
                                                   std::span<const Alignment> references,
                                                   const GapGrid& grid);

}  // namespace maxmargin

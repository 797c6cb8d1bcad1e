// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/alignment.hpp"

namespace maxmargin {

/// Pairs that descend from a common ancestor, with the true alignment and all tracks.
struct MAXMARGIN_EXPORT PlantedAlignmentOptions {
  std::size_t pairs = 20;
  /// Residues of the ancestor; at least 1. Sequences become a little shorter or longer.
  std::size_t length = 60;
  /// Chance that a residue of either sequence is still the ancestor's; else it is drawn from those
  /// that its surface likes. Smaller makes residues say less.
  double identity = 0.3;
  /// Chance that structure and surface of the target (predicted, in real data) are right at a
  /// position; those of the known sequence always are.
  double track_accuracy = 0.8;
  /// Chance that a run of gaps opens behind a residue, and that it goes on.
  double gap_opening = 0.05;
  double gap_extension = 0.6;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// An ancestor is a row of helices, strands and coils of 4 to 12 residues, with a surface that
/// turns with the structure (buried every fourth residue of a helix, every second one of a strand,
/// coils are exposed); buried residues are mostly AFILMVWC, exposed ones DEGHKNPQRSTY. Profiles
/// count the ancestor's residue and its group. Families are the numbers of pairs.
[[nodiscard]] MAXMARGIN_EXPORT AlignmentData
generate_alignments(const PlantedAlignmentOptions& options = {});

}  // namespace maxmargin

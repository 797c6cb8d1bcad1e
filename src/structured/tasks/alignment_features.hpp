// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Features of a match" and "Features of a gap"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/data/alignment.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

namespace maxmargin {

/// What a position is coded by, alone or with its neighbours.
enum class Code : std::uint8_t {
  residue,
  structure,
  surface,
  residue_structure,
  structure_surface,
  surface_residue,
  all_three,
  residue_window,
  structure_window,
  surface_window
};
inline constexpr std::size_t code_count = 10;
inline constexpr std::size_t profile_size = 20;

/// How many values a code has on a side.
[[nodiscard]] std::size_t code_size(AlignmentSide side, Code code);
/// The class of a residue letter, below code_size(., Code::residue).
[[nodiscard]] std::uint32_t residue_class(char letter);

/// A one-hot block over a code of the target position and one of the known position.
struct MatchBlock {
  Code target = Code::residue;
  Code known = Code::residue;
  std::uint64_t offset = 0;
};

/// I[code of one side] times the profile of the other.
struct ProfileBlock {
  AlignmentSide coded = AlignmentSide::target;
  Code code = Code::residue;
  std::uint64_t offset = 0;
};

/// Gap features of a side: of the residue left alone, of its structure and surface, of where it
/// stands in the other sequence. Offsets of blocks that a model lacks are not used.
struct GapBlock {
  std::uint64_t residue = 0;
  std::uint64_t track = 0;
  std::uint64_t place = 0;
};

/// Where the features of a model lie.
struct AlignmentLayout {
  explicit AlignmentLayout(const AlignmentOptions& options);

  [[nodiscard]] std::uint64_t index(const MatchBlock& block,
                                    std::uint32_t target,
                                    std::uint32_t known) const {
    if (symmetric) {  // the lower triangle by rows
      const std::uint64_t high = target > known ? target : known;
      const std::uint64_t low = target > known ? known : target;
      return block.offset + high * (high + 1) / 2 + low;
    }
    return block.offset + std::uint64_t{target} * code_size(AlignmentSide::known, block.known) +
           known;
  }

  bool symmetric = false;
  GapModel gaps = GapModel::constant;
  /// Blocks with one known code lie side by side.
  std::vector<MatchBlock> blocks = {};
  std::vector<ProfileBlock> profile_blocks = {};
  /// The outer product of two profiles.
  std::optional<std::uint64_t> profile_product = {};
  std::size_t match_features = 0;
  GapBlock gap_in_known = {};   ///< of target residues left alone
  GapBlock gap_in_target = {};  ///< of known residues left alone
  std::uint64_t constant_gap = 0;
  std::optional<std::uint64_t> opening = {};
  std::size_t dimension = 0;
  /// Codes that the model needs.
  std::array<bool, code_count> needs = {};
};

/// The codes of a sequence, and the places between its residues.
struct SequenceCodes {
  std::size_t size = 0;
  std::array<std::vector<std::uint32_t>, code_count> of = {};
  /// Structure and surface of the residues before and behind a place, of size + 1 places; empty
  /// unless gaps have a context.
  std::vector<std::uint32_t> place = {};
  std::span<const double> profile = {};

  [[nodiscard]] std::uint32_t at(Code code, std::size_t position) const {
    return of[static_cast<std::size_t>(code)][position];
  }
};

/// Throws InvalidArgument when a track is missing or has another length.
[[nodiscard]] SequenceCodes encode(const AnnotatedSequence& sequence,
                                   AlignmentSide side,
                                   const AlignmentLayout& layout);

}  // namespace maxmargin

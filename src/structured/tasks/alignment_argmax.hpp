// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Argmax"
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/data/alignment.hpp"
#include "maxmargin/metric/structured/alignment.hpp"
#include "structured/tasks/alignment_features.hpp"

namespace maxmargin {

/// Scores of gaps at given weights. A gap's score is that of its residue and that of its place; at
/// a free end it is 0.
struct GapScores {
  /// Of target residues, and of the known sequence's places they stand in.
  std::vector<double> target_residue = {};
  std::vector<double> known_place = {};
  /// Of known residues, and of the target's places they stand in.
  std::vector<double> known_residue = {};
  std::vector<double> target_place = {};
  bool has_opening = false;
  double opening = 0;
  bool free_ends = false;
};

[[nodiscard]] GapScores gap_scores(const AlignmentLayout& layout,
                                   const SequenceCodes& target,
                                   const SequenceCodes& known,
                                   std::span<const double> w,
                                   double scale);

/// Scores of matches at given weights, row by row. What it is made of must outlive it.
class MatchScores {
 public:
  MatchScores(const AlignmentLayout& layout,
              const SequenceCodes& target,
              const SequenceCodes& known,
              std::span<const double> w,
              double scale);
  /// Of target residue i with all known residues.
  void row(std::size_t i, std::span<double> scores);

 private:
  /// Blocks with one known code.
  struct Group {
    Code known = Code::residue;
    std::span<const MatchBlock> blocks = {};
    std::span<const ProfileBlock> profiles = {};
  };
  void add_group(const Group& group, std::size_t i, std::span<double> scores);
  void add_profiles(std::size_t i, std::span<double> scores) const;

  const AlignmentLayout& layout_;
  const SequenceCodes& target_;
  const SequenceCodes& known_;
  std::span<const double> w_;
  double scale_;
  std::vector<Group> groups_;
  std::vector<double> table_;
};

/// The cells where a match is right.
class RightCells {
 public:
  RightCells(const Alignment& reference, const AlignmentRule& rule);
  /// Takes 1 / (matches of the reference) from the scores of right matches of row i.
  void take_from_row(std::size_t i, std::span<double> scores) const;

 private:
  AlignmentRule rule_;
  double share_;
  /// The known residue of every target residue in the reference.
  std::vector<std::size_t> partner_;
};

/// match_row(i, scores) fills in the scores of row i.
using MatchRow = std::function<void(std::size_t, std::span<double>)>;

/// Memory of the table of best_path: a byte for every cell.
[[nodiscard]] std::size_t path_table_bytes(std::size_t target_size, std::size_t known_size);

/// The path of the largest sum of scores. Throws InvalidArgument when the table takes more than
/// half of the machine's memory.
[[nodiscard]] Alignment best_path(std::size_t target_size,
                                  std::size_t known_size,
                                  AlignmentKind kind,
                                  const GapScores& gaps,
                                  const MatchRow& match_row);

}  // namespace maxmargin

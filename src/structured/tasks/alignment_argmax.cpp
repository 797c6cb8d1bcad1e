// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Argmax", steps 4 to 6
#include "structured/tasks/alignment_argmax.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/memory_limit.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();

/// What a path ends with. The order is that of ties.
enum State : std::uint8_t { begin, match, gap_in_known, gap_in_target };

struct Choice {
  double value = nowhere;
  State state = begin;

  /// Written without a branch: which of two paths is better is hard to foresee.
  void offer(double other, State by) {
    const bool better = other > value;
    state = better ? by : state;
    value = better ? other : value;
  }
};

/// The scores of the steps that end in the cells of a row.
struct RowScores {
  explicit RowScores(std::size_t known_size)
      : match(known_size), gap_in_known(known_size + 1), gap_in_target(known_size) {}

  void fill(std::size_t i, std::size_t target_size, const GapScores& gaps, const MatchRow& row) {
    const std::size_t n = match.size();
    if (i > 0) {
      row(i - 1, match);
      const double own = gaps.target_residue[i - 1];
      for (std::size_t j = 0; j <= n; ++j) gap_in_known[j] = own + gaps.known_place[j];
    }
    opening_in_target = gaps.opening;
    if (gaps.free_ends) gap_in_known.front() = gap_in_known.back() = 0;
    if (gaps.free_ends && (i == 0 || i == target_size)) {
      opening_in_target = 0;
      std::ranges::fill(gap_in_target, 0.0);
    } else {
      const double place = gaps.target_place[i];
      for (std::size_t j = 0; j < n; ++j) gap_in_target[j] = gaps.known_residue[j] + place;
    }
  }

  std::vector<double> match;          ///< with known residue j
  std::vector<double> gap_in_known;   ///< behind j known residues
  std::vector<double> gap_in_target;  ///< of known residue j
  double opening_in_target = 0;
};

/// A byte for every cell.
class Trace {
 public:
  Trace(std::size_t target_size, std::size_t known_size)
      : columns_(known_size + 1), cells_(path_table_bytes(target_size, known_size)) {}
  std::uint8_t& at(std::size_t i, std::size_t j) { return cells_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::uint8_t> cells_;
};

/// Where the best path ends, and with what.
struct End {
  double value = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  State state = begin;
};

/// Step 6: from the end to the begin. before(i, j, state) tells what the path ended with before
/// the step `state` into cell (i, j), where it is at (p, q) then.
template <class Before>
Alignment go_back(End end, const Before& before) {
  Alignment path;
  while (end.state != begin) {
    const std::size_t p = end.i - (end.state == gap_in_target ? 0 : 1);
    const std::size_t q = end.j - (end.state == gap_in_known ? 0 : 1);
    path.steps.push_back(end.state == match          ? AlignmentStep::match
                         : end.state == gap_in_known ? AlignmentStep::gap_in_known
                                                     : AlignmentStep::gap_in_target);
    end = {0, p, q, before(end, p, q)};
  }
  std::ranges::reverse(path.steps);
  // An empty path begins nowhere.
  if (!path.steps.empty()) {
    path.target_begin = end.i;
    path.known_begin = end.j;
  }
  return path;
}

/// Step 4.
Alignment best_linear(
    std::size_t m, std::size_t n, bool local, const GapScores& gaps, const MatchRow& match_row) {
  Trace trace(m, n);
  RowScores scores(n);
  std::vector<double> value(n + 1, nowhere);  // of the row before, then of this row
  End end;
  for (std::size_t i = 0; i <= m; ++i) {
    scores.fill(i, m, gaps, match_row);
    double diagonal = nowhere;
    double left = nowhere;
    for (std::size_t j = 0; j <= n; ++j) {
      Choice cell;
      if (local || (i == 0 && j == 0)) cell.value = 0;
      if (j > 0) cell.offer(diagonal + scores.match[j - 1], match);
      cell.offer(value[j] + scores.gap_in_known[j], gap_in_known);
      if (j > 0) cell.offer(left + scores.gap_in_target[j - 1], gap_in_target);
      diagonal = value[j];
      left = value[j] = cell.value;
      trace.at(i, j) = cell.state;
      if (local && cell.value > end.value) end = {cell.value, i, j, cell.state};
    }
  }
  if (!local) end = {value[n], m, n, static_cast<State>(trace.at(m, n))};
  return go_back(end, [&](const End&, std::size_t p, std::size_t q) {
    return static_cast<State>(trace.at(p, q));
  });
}

/// The values of paths into a cell by what they end with, and the best of them.
struct Cell {
  double at_match = nowhere;
  double at_gap_in_known = nowhere;
  double at_gap_in_target = nowhere;
  Choice best = {};
};

/// Step 5. A byte holds, for each way to end, what came before: two bits each.
Alignment best_affine(
    std::size_t m, std::size_t n, bool local, const GapScores& gaps, const MatchRow& match_row) {
  Trace trace(m, n);
  RowScores scores(n);
  std::vector<Cell> row(n + 1);  // of the row before, then of this row
  // Of gaps in the known sequence, by where they stand.
  std::vector<double> openings(n + 1, gaps.opening);
  if (gaps.free_ends) openings.front() = openings.back() = 0;
  End end;
  for (std::size_t i = 0; i <= m; ++i) {
    scores.fill(i, m, gaps, match_row);
    Choice diagonal;
    Cell left;
    // The values of paths that begin in the cell above, to the left, and here.
    double begin_above = local && i > 0 ? 0.0 : nowhere;
    if (i == 1) begin_above = 0;
    double begin_left = nowhere;
    for (std::size_t j = 0; j <= n; ++j) {
      const Cell up = row[j];
      const double begin_here = local || (i == 0 && j == 0) ? 0.0 : nowhere;
      const double by_match = diagonal.value + (j > 0 ? scores.match[j - 1] : 0.0);
      Choice by_gap_in_known{begin_above + openings[j], begin};
      by_gap_in_known.offer(up.at_match + openings[j], match);
      by_gap_in_known.offer(up.at_gap_in_known, gap_in_known);
      by_gap_in_known.offer(up.at_gap_in_target + openings[j], gap_in_target);
      by_gap_in_known.value += scores.gap_in_known[j];
      const double opening = scores.opening_in_target;
      Choice by_gap_in_target{begin_left + opening, begin};
      by_gap_in_target.offer(left.at_match + opening, match);
      by_gap_in_target.offer(left.at_gap_in_known + opening, gap_in_known);
      by_gap_in_target.offer(left.at_gap_in_target, gap_in_target);
      by_gap_in_target.value += j > 0 ? scores.gap_in_target[j - 1] : 0.0;
      Choice best{begin_here, begin};
      best.offer(by_match, match);
      best.offer(by_gap_in_known.value, gap_in_known);
      best.offer(by_gap_in_target.value, gap_in_target);
      trace.at(i, j) = static_cast<std::uint8_t>(diagonal.state | (by_gap_in_known.state << 2) |
                                                 (by_gap_in_target.state << 4));
      if (local && best.value > end.value) end = {best.value, i, j, best.state};
      diagonal = up.best;
      left = {by_match, by_gap_in_known.value, by_gap_in_target.value, best};
      row[j] = left;
      begin_left = begin_here;
      if (!local) begin_above = nowhere;
    }
  }
  if (!local) end = {row[n].best.value, m, n, row[n].best.state};
  return go_back(end, [&](const End& at, std::size_t, std::size_t) {
    return static_cast<State>((trace.at(at.i, at.j) >> (2 * (at.state - 1))) & 3);
  });
}

}  // namespace

std::size_t path_table_bytes(std::size_t target_size, std::size_t known_size) {
  return checked_multiply(checked_add(target_size, 1), checked_add(known_size, 1));
}

Alignment best_path(std::size_t target_size,
                    std::size_t known_size,
                    AlignmentKind kind,
                    const GapScores& gaps,
                    const MatchRow& match_row) {
  require_within_limit(path_table_bytes(target_size, known_size),
                       std::nullopt,
                       "an argmax of sequences of " + std::to_string(target_size) + " and " +
                           std::to_string(known_size) + " residues",
                       "use shorter sequences");
  const bool local = kind == AlignmentKind::local;
  return gaps.has_opening ? best_affine(target_size, known_size, local, gaps, match_row)
                          : best_linear(target_size, known_size, local, gaps, match_row);
}

}  // namespace maxmargin

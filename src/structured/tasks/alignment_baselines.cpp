// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Baselines"
#include "maxmargin/structured/tasks/alignment_baselines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// The order of the published table.
constexpr std::string_view blosum_order = "ARNDCQEGHILKMFPSTWYV";
/// Its lower triangle by rows.
constexpr std::array<std::int8_t, 210> blosum_triangle = {
    4,                                                                             // A
    -1, 5,                                                                         // R
    -2, 0,  6,                                                                     // N
    -2, -2, 1,  6,                                                                 // D
    0,  -3, -3, -3, 9,                                                             // C
    -1, 1,  0,  0,  -3, 5,                                                         // Q
    -1, 0,  0,  2,  -4, 2,  5,                                                     // E
    0,  -2, 0,  -1, -3, -2, -2, 6,                                                 // G
    -2, 0,  1,  -1, -3, 0,  0,  -2, 8,                                             // H
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,                                         // I
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2,  4,                                     // L
    -1, 2,  0,  -1, -3, 1,  1,  -2, -1, -3, -2, 5,                                 // K
    -1, -1, -2, -3, -1, 0,  -2, -3, -2, 1,  2,  -1, 5,                             // M
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0,  0,  -3, 0,  6,                         // F
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,                     // P
    1,  -1, 1,  0,  -1, 0,  0,  0,  -1, -2, -2, 0,  -1, -2, -1, 4,                 // S
    0,  -1, 0,  -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1,  5,             // T
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1,  -4, -3, -2, 11,        // W
    -2, -2, -2, -3, -2, -1, -2, -3, 2,  -1, -1, -2, -1, 3,  -3, -2, -2, 2,  7,     // Y
    0,  -3, -3, -3, -1, -2, -2, -3, -3, 3,  1,  -2, 1,  -1, -2, -2, 0,  -3, -1, 4  // V
};

/// The residues that occur, the unknown one last.
constexpr std::string_view letters = "ACDEFGHIKLMNPQRSTVWYX";

std::size_t letter_index(char residue) {
  return std::min(letters.find(residue), letters.size() - 1);
}

void set_gaps(const AlignmentTask& task, double gap, double opening, std::vector<double>& w) {
  w[task.constant_gap_index()] = gap;
  if (task.options().gap_opening) {
    w[task.gap_opening_index()] = opening;
  } else {
    require(opening == 0, "an opening of gaps must be 0 for a task that has none");
  }
}

/// What the references show: pairs of residues, and which step follows which.
struct Counts {
  std::array<std::array<double, letters.size()>, letters.size()> pairs = {};
  double matches = 0;
  double gaps = 0;
  double behind_match = 0;       ///< steps behind a match or at the begin
  double gaps_behind_match = 0;  ///< those of them that are gaps
  double behind_gap = 0;         ///< steps behind a gap, and gaps at the end
  double same_gap_again = 0;

  void add(const SequencePair& pair, const Alignment& alignment, bool free_ends) {
    AlignmentStep before = AlignmentStep::match;
    alignment.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
      const std::size_t place = step == AlignmentStep::gap_in_known ? j : i;
      const std::size_t size =
          step == AlignmentStep::gap_in_known ? pair.known.size() : pair.target.size();
      const bool at_end = step != AlignmentStep::match && (place == 0 || place == size);
      // A gap without features says nothing; what follows it is like a begin.
      if (free_ends && at_end) {
        if (before != AlignmentStep::match) ++behind_gap;
        before = AlignmentStep::match;
        return;
      }
      const bool is_match = step == AlignmentStep::match;
      if (before == AlignmentStep::match) {
        ++behind_match;
        if (!is_match) ++gaps_behind_match;
      } else {
        ++behind_gap;
        if (step == before) ++same_gap_again;
      }
      if (is_match) {
        ++matches;
        ++pairs[letter_index(pair.target.residues[i])][letter_index(pair.known.residues[j])];
      } else {
        ++gaps;
      }
      before = step;
    });
    if (before != AlignmentStep::match) ++behind_gap;
  }
};

/// A share of two outcomes, both smoothed: never 0 or 1.
double smooth_share(double part, double whole, double smoothing) {
  return (part + smoothing) / (whole + 2 * smoothing);
}

}  // namespace

int blosum62(char a, char b) {
  const std::size_t i = blosum_order.find(a);
  const std::size_t j = blosum_order.find(b);
  if (i == std::string_view::npos || j == std::string_view::npos) return -1;
  const std::size_t high = std::max(i, j);
  return blosum_triangle[high * (high + 1) / 2 + std::min(i, j)];
}

std::vector<double> blosum62_weights(const AlignmentTask& task, double gap, double opening) {
  std::vector<double> w(task.dimension());
  for (const char a : letters) {
    for (const char b : letters) w[task.residue_pair_index(a, b)] = blosum62(a, b);
  }
  set_gaps(task, gap, opening, w);
  return w;
}

std::vector<double> log_odds_weights(const AlignmentTask& task,
                                     std::span<const SequencePair> inputs,
                                     std::span<const Alignment> references,
                                     double smoothing) {
  require(smoothing > 0 && std::isfinite(smoothing), "smoothing must be finite and > 0");
  require(!inputs.empty() && inputs.size() == references.size(),
          "there must be pairs, and one reference alignment for each");
  Counts counts;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    require_within(inputs[k], references[k]);
    counts.add(inputs[k], references[k], task.options().free_end_gaps);
  }
  // p_ab is symmetric; q_a is what it says of one side.
  constexpr std::size_t count = letters.size();
  std::array<std::array<double, count>, count> p = {};
  std::array<double, count> q = {};
  const double total = 2 * counts.matches + smoothing * static_cast<double>(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      p[a][b] = (counts.pairs[a][b] + counts.pairs[b][a] + smoothing) / total;
      q[a] += p[a][b];
    }
  }
  const double gap_share = smooth_share(counts.gaps, counts.gaps + counts.matches, smoothing);
  const double opens = smooth_share(counts.gaps_behind_match, counts.behind_match, smoothing);
  const double goes_on = smooth_share(counts.same_gap_again, counts.behind_gap, smoothing);
  const bool affine = task.options().gap_opening;
  const double match_step = std::log(1 - (affine ? opens : gap_share));
  std::vector<double> w(task.dimension());
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      w[task.residue_pair_index(letters[a], letters[b])] =
          std::log(p[a][b] / (q[a] * q[b])) + match_step;
    }
  }
  if (affine) {
    const double opening = std::log(opens / 2 * (1 - goes_on) / (goes_on * (1 - opens)));
    set_gaps(task, std::log(goes_on), opening, w);
  } else {
    set_gaps(task, std::log(gap_share / 2), 0, w);
  }
  return w;
}

TunedGaps tune_gaps(const AlignmentTask& task,
                    std::span<const double> weights,
                    std::span<const SequencePair> inputs,
                    std::span<const Alignment> references,
                    const GapGrid& grid) {
  const bool affine = task.options().gap_opening;
  require(!grid.gaps.empty() && (!affine || !grid.openings.empty()),
          "GapGrid must have gaps, and openings for a task that has them");
  require(!inputs.empty() && inputs.size() == references.size(),
          "there must be pairs, and one reference alignment for each");
  require(weights.size() == task.dimension(), "there must be a weight for every feature");
  const std::size_t threads = thread_count(grid.context.threads);
  const std::vector<double> no_opening = {0};
  TunedGaps best;
  std::vector<Alignment> predicted(inputs.size());
  std::vector<double> w(weights.begin(), weights.end());
  const std::vector<double>& openings = affine ? grid.openings : no_opening;
  Progress progress{.phase = "gap costs", .max_iterations = openings.size() * grid.gaps.size()};
  for (const double opening : openings) {
    for (const double gap : grid.gaps) {
      if (progress.iteration > 0) {
        const Continue answer = grid.context.ask(progress);
        if (answer != Continue::yes) {
          best.status = status_of(answer);
          return best;
        }
      }
      set_gaps(task, gap, opening, w);
      parallel_chunks(threads, inputs.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
        predicted[k] = task.predict(inputs[k], w);
      });
      const double quality = mean_alignment_quality(references, predicted, grid.rule);
      ++progress.iteration;
      if (best.weights.empty() || quality > best.quality) {
        best = {.gap = gap, .opening = opening, .quality = quality, .weights = w};
      }
      best.tried = progress.iteration;
    }
  }
  return best;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/latent.md, "Warm cuts"
#include "solver/structural/moved_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/structural/compact_plane.hpp"

namespace maxmargin {

namespace {

/// What happens to the planes of an owner.
struct Move {
  CompactPlane shift = {};
  bool is_moved = false;
  bool is_dropped = false;
};

CompactPlane compact(const FeatureVector& slope) {
  return CompactPlane(StructuralPlane{.offset = 0, .slope = slope});
}

/// By example; the last one is that of the cuts.
std::vector<Move> moves_of(std::span<const CompletionChange> changes, const StructuralRisk& risk) {
  std::vector<Move> moves(risk.examples() + 1);
  FeatureVector sum;
  Move& cuts = moves.back();
  for (const CompletionChange& change : changes) {
    Move& own = moves[change.example];
    if (change.replaces) {
      own.is_dropped = cuts.is_dropped = true;
      continue;
    }
    own.is_moved = true;
    own.shift = compact(change.shift);
    sum.add(change.shift, risk.weight(change.example));
  }
  sum.settle();
  cuts.is_moved = !sum.empty();
  cuts.shift = compact(sum);
  return moves;
}

}  // namespace

StructuralState moved_state(StructuralState state,
                            std::span<const CompletionChange> changes,
                            const StructuralRisk& risk,
                            std::span<const double> w,
                            double objective) {
  const std::vector<Move> moves = moves_of(changes, risk);
  const std::uint64_t examples = risk.examples();
  PlaneTable planes;
  std::ranges::fill(state.w, 0.0);
  for (std::size_t p = 0; p < state.planes.size(); ++p) {
    const std::uint64_t owner = state.planes.owners[p];
    const double weight = state.planes.weights[p];
    const Move& move = moves[static_cast<std::size_t>(owner)];
    if (move.is_dropped) {
      // Of an example: the weight goes back to its plane 0, where the solver counts that first.
      if (owner < examples && weight > 0) state.numbers[static_cast<std::size_t>(owner)] += weight;
      continue;
    }
    CompactPlane plane = plane_of(state.planes, p);
    if (move.is_moved) plane = CompactPlane::combine(1, plane, 1, move.shift);
    if (weight > 0) plane.add_to(weight, state.w);
    append(planes, owner, plane, weight, state.planes.ages[p]);
  }
  state.planes = std::move(planes);
  state.best_w.assign(w.begin(), w.end());
  state.best_primal = objective;
  // D(0); the planes prove more as soon as the solver looks at them.
  state.dual = 0;
  state.is_moved = true;
  return state;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/bcfw.md
#include "solver/structural/dual_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

namespace {

/// Pair steps for an example in its turn; they need no w, so they cost little.
constexpr std::size_t most_steps = 50;
/// Beyond, the two lightest planes are merged: products grow with the square.
constexpr std::size_t most_planes = 60;

}  // namespace

DualBlocks::DualBlocks(const StructuralRisk& risk,
                       const StructuralOptions& options,
                       std::size_t plane_bytes)
    : risk_(risk),
      threads_(thread_count(options.context.threads)),
      limit_(plane_bytes),
      w_(risk.dimension(), 0.0) {
  blocks_.reserve(risk.examples());
  for (std::size_t i = 0; i < risk.examples(); ++i)
    blocks_.emplace_back(options.c * risk.weight(i));
}

std::vector<DualBlocks::Found> DualBlocks::find(std::span<const std::size_t> examples,
                                                bool with_values) {
  std::vector<Found> all(examples.size());
  parallel_chunks(threads_, examples.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
    Found& found = all[k];
    PlaneBlock& block = blocks_[examples[k]];
    StructuralPlane plane;
    risk_.largest_plane(examples[k], w_, plane);
    found.plane = CompactPlane(plane);
    found.is_new = !block.knows(found.plane);
    if (found.is_new) found.products = block.products_with(found.plane);
    if (!with_values) return;
    block.measure(w_);
    found.set_value = block.largest();
    // An oracle that misses may be below what is known. (In this order what is not a number stays.)
    found.value = std::max(found.plane.value(w_), found.set_value);
    found.gap = block.gap(found.value);
  });
  return all;
}

void DualBlocks::take(std::size_t example, Found found) {
  if (!found.is_new) return;
  forget_size(example);
  blocks_[example].take(std::move(found.plane), std::move(found.products));
  count_size(example);
}

double DualBlocks::ascend(std::size_t example, double least_gap, double& gap) {
  PlaneBlock& block = blocks_[example];
  block.measure(w_);
  gap = block.gap(block.largest());
  const double gain = block.step(least_gap, most_steps);
  if (gain > 0) block.move(w_);
  return gain;
}

void DualBlocks::drop_idle(std::size_t example, std::uint64_t turns) {
  PlaneBlock& block = blocks_[example];
  forget_size(example);
  block.drop_idle(bytes_ > limit_ ? 0 : turns);
  while (block.size() > most_planes) block.merge_lightest();
  if (bytes_ + block.bytes() > limit_) {
    const std::size_t share = limit_ / std::max<std::size_t>(1, size());
    while (block.size() > 1 && block.bytes() > share) block.merge_lightest();
  }
  count_size(example);
}

double DualBlocks::dual() const {
  double sum = 0;
  for (const PlaneBlock& block : blocks_) {
    for (std::size_t p = 0; p < block.size(); ++p) sum += block.weight(p) * block.plane(p).offset();
  }
  return sum - 0.5 * squared_norm(w_);
}

void DualBlocks::refresh() {
  std::ranges::fill(w_, 0.0);
  for (const PlaneBlock& block : blocks_) {
    for (std::size_t p = 0; p < block.size(); ++p) {
      if (block.weight(p) > 0) block.plane(p).add_to(block.weight(p), w_);
    }
  }
}

void DualBlocks::save(StructuralState& state) const {
  state.w = w_;
  for (std::size_t i = 0; i < size(); ++i) {
    const PlaneBlock& block = blocks_[i];
    for (std::size_t p = 0; p < block.size(); ++p) {
      append(state.planes, i, block.plane(p), block.weight(p), block.age(p));
    }
    state.numbers.push_back(block.rest());
  }
}

void DualBlocks::restore(const StructuralState& state) {
  require(state.numbers.size() >= size(), "the checkpoint's numbers: there are too few");
  std::vector<double> sums(size(), 0.0);
  for (std::size_t p = 0; p < state.planes.size(); ++p) {
    const std::uint64_t owner = state.planes.owners[p];
    require(owner < size(), "the checkpoint's planes: a plane belongs to no example");
    const auto i = static_cast<std::size_t>(owner);
    CompactPlane plane = plane_of(state.planes, p);
    std::vector<double> products = blocks_[i].products_with(plane);
    forget_size(i);
    blocks_[i].take(
        std::move(plane), std::move(products), state.planes.weights[p], state.planes.ages[p]);
    count_size(i);
    sums[i] += state.planes.weights[p];
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const double total = blocks_[i].total();
    require(state.numbers[i] >= 0 && sums[i] + state.numbers[i] <= total * (1 + 1e-9),
            "the checkpoint's planes: weights are above C a_i");
    blocks_[i].set_rest(state.numbers[i]);
  }
  // A w of other planes would make a bound that is none. The state's own goes on to the same bits.
  refresh();
  double difference = 0;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    difference = std::max(difference, std::abs(w_[j] - state.w[j]));
  }
  require(difference <= 1e-6 * std::sqrt(squared_norm(w_)),
          "the checkpoint's w: it is not the sum of the planes");
  w_ = state.w;
}

}  // namespace maxmargin

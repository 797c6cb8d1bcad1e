// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/bcfw.md
#include "solver/structural/dual_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/structural/oracle_range.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

bool PlaneBlock::knows(const CompactPlane& plane) const {
  return plane.is_zero() ||
         std::ranges::any_of(members_, [&](const Member& member) { return member.plane == plane; });
}

std::vector<double> PlaneBlock::products_with(const CompactPlane& plane) const {
  std::vector<double> products;
  products.reserve(members_.size() + 1);
  const SpreadPlane spread(plane);
  for (const Member& member : members_) products.push_back(spread.dot(member.plane));
  products.push_back(spread.dot(plane));
  return products;
}

void PlaneBlock::take(CompactPlane plane,
                      std::vector<double> products,
                      double weight,
                      std::uint64_t age) {
  bytes_ += plane.bytes();
  members_.push_back({.plane = std::move(plane),
                      .weight = weight,
                      .value = 0,
                      .weight_before = weight,
                      .age = age});
  products_.push_back(std::move(products));
}

void PlaneBlock::measure(std::span<const double> w) {
  for (Member& member : members_) {
    member.value = member.plane.value(w);
    member.weight_before = member.weight;
  }
}

double PlaneBlock::largest() const {
  double largest = 0;
  for (const Member& member : members_) largest = std::max(largest, member.value);
  return largest;
}

double PlaneBlock::gap(double largest) const {
  double gap = total_ * std::max(0.0, largest);
  for (const Member& member : members_) gap -= member.weight * member.value;
  return gap;
}

std::size_t PlaneBlock::highest() const {
  std::size_t best = size();
  double highest = 0;
  for (std::size_t p = 0; p < size(); ++p) {
    if (members_[p].value > highest) {
      highest = members_[p].value;
      best = p;
    }
  }
  return best;
}

PlaneBlock::Transfer PlaneBlock::best_transfer_to(std::size_t to) const {
  const double high = to == size() ? 0.0 : members_[to].value;
  const double own = product(to, to);
  Transfer best;
  for (std::size_t p = 0; p <= size(); ++p) {
    const double source = p == size() ? rest_ : members_[p].weight;
    const double rise = high - (p == size() ? 0.0 : members_[p].value);
    if (p == to || !(source > 0) || !(rise > 0)) continue;
    // Equal slopes but for rounding: the line has no curvature.
    const double squares = own + product(p, p);
    const double curvature = squares - 2 * product(to, p);
    const double amount = curvature > 1e-14 * squares ? std::min(source, rise / curvature) : source;
    const double gain = amount * (rise - 0.5 * amount * std::max(0.0, curvature));
    if (gain > best.gain) best = {.from = p, .amount = amount, .gain = gain};
  }
  return best;
}

void PlaneBlock::apply(std::size_t to, const Transfer& transfer) {
  const auto add = [&](std::size_t p, double change, bool all) {
    double& weight = p == size() ? rest_ : members_[p].weight;
    weight = all ? 0.0 : weight + change;
  };
  const double source = transfer.from == size() ? rest_ : members_[transfer.from].weight;
  add(transfer.from, -transfer.amount, transfer.amount == source);
  add(to, transfer.amount, false);
  for (std::size_t p = 0; p < size(); ++p) {
    members_[p].value -= transfer.amount * (product(p, to) - product(p, transfer.from));
  }
}

double PlaneBlock::step(double least_gap, std::size_t most_steps) {
  double gained = 0;
  for (std::size_t k = 0; k < most_steps; ++k) {
    const std::size_t to = highest();
    if (!(gap(to == size() ? 0.0 : members_[to].value) > least_gap)) break;
    const Transfer transfer = best_transfer_to(to);
    if (!(transfer.gain > 0)) break;
    apply(to, transfer);
    gained += transfer.gain;
  }
  return gained;
}

void PlaneBlock::move(std::span<double> w) const {
  for (const Member& member : members_) {
    const double change = member.weight - member.weight_before;
    if (change != 0) member.plane.add_to(change, w);
  }
}

void PlaneBlock::drop_idle(std::uint64_t turns) {
  for (std::size_t p = size(); p-- > 0;) {
    Member& member = members_[p];
    member.age = member.weight > 0 ? 0 : member.age + 1;
    if (member.age > turns) erase(p);
  }
}

void PlaneBlock::erase(std::size_t p) {
  const auto at = static_cast<std::ptrdiff_t>(p);
  bytes_ -= members_[p].plane.bytes();
  members_.erase(members_.begin() + at);
  products_.erase(products_.begin() + at);
  for (std::size_t q = p; q < products_.size(); ++q) {
    products_[q].erase(products_[q].begin() + at);
  }
}

void PlaneBlock::merge_lightest() {
  std::size_t first = 0;
  std::size_t second = 1;
  if (members_[second].weight < members_[first].weight) std::swap(first, second);
  for (std::size_t p = 2; p < size(); ++p) {
    if (members_[p].weight < members_[first].weight) {
      second = std::exchange(first, p);
    } else if (members_[p].weight < members_[second].weight) {
      second = p;
    }
  }
  const double weight = members_[first].weight + members_[second].weight;
  const double share = weight > 0 ? members_[first].weight / weight : 0.5;
  CompactPlane mean =
      CompactPlane::combine(share, members_[first].plane, 1 - share, members_[second].plane);
  erase(std::max(first, second));
  erase(std::min(first, second));
  std::vector<double> products = products_with(mean);
  take(std::move(mean), std::move(products), weight);
}

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
  ask_oracle(risk_, examples, w_, threads_, [&](std::size_t k, StructuralPlane& plane) {
    Found& found = all[k];
    PlaneBlock& block = blocks_[examples[k]];
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

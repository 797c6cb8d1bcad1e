// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/bcfw.md
#include "solver/structural/plane_block.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace maxmargin

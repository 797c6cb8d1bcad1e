// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/cutting-plane.md, "One slack"
#include "solver/structural/stored_cuts.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

void StoredCuts::add(CompactPlane cut, std::span<const double> slope) {
  // A row and a column of products come with it.
  const auto needed = [&] { return bytes() + cut.bytes() + 8 * (2 * size() + 1); };
  while (size() >= 2 && needed() > limit_) make_room();
  insert(std::move(cut), slope);
}

void StoredCuts::insert(CompactPlane cut, std::span<const double> slope) {
  // Always the earlier cut with the later one spread out: the same bits after a restart.
  std::vector<double> products(size() + 1);
  parallel_chunks(threads_, size(), 1, [&](std::size_t l, std::size_t, std::size_t) {
    products[l] = cuts_[l].dot(slope);
  });
  products.back() = cut.dot(slope);
  bytes_ += cut.bytes();
  weights_.add(std::move(products), cut.offset());
  cuts_.push_back(std::move(cut));
}

void StoredCuts::erase(std::size_t k) {
  bytes_ -= cuts_[k].bytes();
  cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(k));
  weights_.erase(k);
}

void StoredCuts::prune(std::size_t turns) {
  weights_.prune(turns, [&](std::size_t k) {
    bytes_ -= cuts_[k].bytes();
    cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(k));
  });
}

void StoredCuts::make_room() {
  const std::vector<double>& weights = weights_.weights();
  std::size_t idlest = size();
  for (std::size_t k = 0; k < size(); ++k) {
    if (weights[k] > 0) continue;
    if (idlest == size() || weights_.idle(k) > weights_.idle(idlest)) idlest = k;
  }
  if (idlest < size()) {
    erase(idlest);
    return;
  }
  std::size_t first = 0;
  std::size_t second = 1;
  if (weights[second] < weights[first]) std::swap(first, second);
  for (std::size_t k = 2; k < size(); ++k) {
    if (weights[k] < weights[first]) {
      second = std::exchange(first, k);
    } else if (weights[k] < weights[second]) {
      second = k;
    }
  }
  const double weight = weights[first] + weights[second];
  const double share = weights[first] / weight;
  CompactPlane mean = CompactPlane::combine(share, cuts_[first], 1 - share, cuts_[second]);
  erase(std::max(first, second));
  erase(std::min(first, second));
  restore(mean, weight, 0);
}

void StoredCuts::combine_into(std::span<double> w) const {
  std::ranges::fill(w, 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    if (weights_.weights()[k] > 0) cuts_[k].add_to(weights_.weights()[k], w);
  }
}

double StoredCuts::dual(std::span<const double> w) const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += weights_.weights()[k] * cuts_[k].offset();
  return sum - 0.5 * squared_norm(w);
}

void StoredCuts::save(PlaneTable& table, std::uint64_t owner) const {
  for (std::size_t k = 0; k < size(); ++k) {
    append(table, owner, cuts_[k], weights_.weights()[k], weights_.idle(k));
  }
}

void StoredCuts::restore(const CompactPlane& cut, double weight, std::size_t idle) {
  std::vector<double> slope(dimension_, 0.0);
  cut.add_to(1, slope);
  insert(cut, slope);
  weights_.set(size() - 1, weight, idle);
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mil.md, "Margins of rows"
#include "model/structured/mil_instances.hpp"

#include <algorithm>

#include "maxmargin/core/rng.hpp"
#include "model/structured/hinge.hpp"

namespace maxmargin {

double SignedRows::value(std::size_t j, std::span<const double> w) const {
  const double sum = rows_[j].dot(w.first(features_));
  return constant_ > 0 ? sum + constant_ * w[features_] : sum;
}

void SignedRows::largest_plane(std::size_t j,
                               std::span<const double> w,
                               StructuralPlane& plane) const {
  plane.offset = 0;
  plane.slope.clear();
  const double sign = signs_[j];
  // What is not a number goes on.
  if (1 - sign * value(j, w) <= 0) return;
  plane.offset = 1;
  rows_[j].for_each([&](std::size_t column, double entry) {
    if (column < features_ && entry != 0) plane.slope.add(column, sign * entry);
  });
  if (constant_ > 0) plane.slope.add(features_, sign * constant_);
}

HiddenSigns::HiddenSigns(std::span<const Row> rows,
                         const Bags& bags,
                         std::span<const std::uint8_t> is_positive,
                         std::size_t features,
                         double constant)
    : rows_(rows), bags_(bags), is_positive_(is_positive) {
  for (std::size_t b = 0; b < bags.size(); ++b) {
    const std::size_t count = bags.begins[b + 1] - bags.begins[b];
    const bool has_choice = is_positive[b] != 0 && count > 1;
    weights_.insert(weights_.end(), count, bags.weights[b]);
    is_unique_.insert(is_unique_.end(), count, has_choice ? std::uint8_t{0} : std::uint8_t{1});
  }
  present_.assign(rows.size(), -1);
  (void)begin(nullptr);
  risk_.emplace(rows_, present_, weights_, features, constant);
}

Continue HiddenSigns::begin(Rng* rng) {
  for (std::size_t b = 0; b < bags_.size(); ++b) {
    const std::size_t first = bags_.begins[b];
    const std::size_t end = bags_.begins[b + 1];
    for (std::size_t j = first; j < end; ++j) {
      const bool is_positive = is_positive_[b] != 0 && (rng == nullptr || rng->bernoulli(0.5));
      present_[j] = static_cast<std::int8_t>(is_positive ? 1 : -1);
    }
    // A random one more, where it is needed or not: the numbers drawn do not depend on the others.
    if (is_positive_[b] != 0 && rng != nullptr) present_[first + rng->index(end - first)] = 1;
  }
  proposed_ = present_;
  return Continue::yes;
}

void HiddenSigns::propose(std::size_t bag,
                          std::span<const double> w,
                          std::vector<CompletionChange>& changes) {
  if (is_positive_[bag] == 0) return;
  std::size_t best = bags_.begins[bag];
  double highest = risk_->value(best, w);
  for (std::size_t j = bags_.begins[bag]; j < bags_.begins[bag + 1]; ++j) {
    const double value = risk_->value(j, w);
    if (value > highest) {
      best = j;
      highest = value;
    }
    proposed_[j] = static_cast<std::int8_t>(value > 0 ? 1 : -1);
  }
  // A bag without a positive row: the best one costs least more.
  proposed_[best] = 1;
  for (std::size_t j = bags_.begins[bag]; j < bags_.begins[bag + 1]; ++j) {
    if (proposed_[j] == present_[j]) continue;
    const double value = risk_->value(j, w);
    changes.push_back({.example = j,
                       .gain = hinge_loss(present_[j] * value) - hinge_loss(proposed_[j] * value),
                       .replaces = true});
  }
}

// In place: the risk looks into it.
void HiddenSigns::accept() { std::ranges::copy(proposed_, present_.begin()); }

}  // namespace maxmargin

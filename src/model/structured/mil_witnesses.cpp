// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mil.md, "Margins of bags"
#include "model/structured/mil_witnesses.hpp"

#include <algorithm>

#include "maxmargin/core/rng.hpp"

namespace maxmargin {

std::size_t WitnessedBags::best_row(std::size_t b, std::span<const double> w) const {
  std::size_t best = bags_.begins[b];
  double highest = value(b, best, w);
  for (std::size_t j = best + 1; j < bags_.begins[b + 1]; ++j) {
    const double here = value(b, j, w);
    if (here > highest) {
      best = j;
      highest = here;
    }
  }
  return best;
}

double WitnessedBags::value(std::size_t b, std::size_t row, std::span<const double> w) const {
  const double constant = constant_ > 0 ? constant_ * w[features_] : 0.0;
  if (row != mean_of_rows) return rows_[row].dot(w.first(features_)) + constant;
  double sum = 0;
  for (std::size_t j = bags_.begins[b]; j < bags_.begins[b + 1]; ++j) {
    sum += rows_[j].dot(w.first(features_));
  }
  return sum / static_cast<double>(bags_.begins[b + 1] - bags_.begins[b]) + constant;
}

void WitnessedBags::largest_plane(std::size_t b,
                                  std::span<const double> w,
                                  StructuralPlane& plane) const {
  plane.offset = 0;
  plane.slope.clear();
  const bool is_positive = is_positive_[b] != 0;
  const std::size_t row = is_positive ? witnesses_[b] : best_row(b, w);
  const double sign = is_positive ? 1 : -1;
  // What is not a number goes on.
  if (1 - sign * value(b, row, w) <= 0) return;
  plane.offset = 1;
  const bool is_mean = row == mean_of_rows;
  const std::size_t first = is_mean ? bags_.begins[b] : row;
  const std::size_t end = is_mean ? bags_.begins[b + 1] : row + 1;
  const double share = sign / static_cast<double>(end - first);
  for (std::size_t j = first; j < end; ++j) {
    rows_[j].for_each([&](std::size_t column, double entry) {
      if (column < features_ && entry != 0) plane.slope.add(column, share * entry);
    });
  }
  if (constant_ > 0) plane.slope.add(features_, sign * constant_);
  plane.slope.settle();
}

HiddenWitnesses::HiddenWitnesses(std::span<const Row> rows,
                                 const Bags& bags,
                                 std::span<const std::uint8_t> is_positive,
                                 std::size_t features,
                                 double constant)
    : bags_(bags), is_positive_(is_positive), present_(bags.size()) {
  (void)begin(nullptr);
  risk_.emplace(rows, bags, is_positive, present_, features, constant);
}

Continue HiddenWitnesses::begin(Rng* rng) {
  for (std::size_t b = 0; b < bags_.size(); ++b) {
    const std::size_t first = bags_.begins[b];
    const std::size_t count = bags_.begins[b + 1] - first;
    if (is_unique(b)) {
      present_[b] = first;
    } else {
      present_[b] = rng != nullptr ? first + rng->index(count) : WitnessedBags::mean_of_rows;
    }
  }
  proposed_ = present_;
  return Continue::yes;
}

void HiddenWitnesses::propose(std::size_t b,
                              std::span<const double> w,
                              std::vector<CompletionChange>& changes) {
  if (is_unique(b)) return;
  proposed_[b] = risk_->best_row(b, w);
  if (proposed_[b] == present_[b]) return;
  const auto loss = [&](std::size_t row) { return std::max(0.0, 1 - risk_->value(b, row, w)); };
  changes.push_back(
      {.example = b, .gain = loss(present_[b]) - loss(proposed_[b]), .replaces = true});
}

}  // namespace maxmargin

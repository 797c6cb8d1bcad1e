// SPDX-License-Identifier: Apache-2.0
#include "eval/halving_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

/// How often `whole` can be divided by `factor` and stay at least `least`, plus one.
std::size_t rounds_down_to(double whole, double least, double factor) {
  std::size_t rounds = 1;
  for (double part = whole / factor; part >= least; part /= factor) ++rounds;
  return rounds;
}

std::size_t smallest_training_part(std::span<const Fold> folds) {
  std::size_t least = folds[0].train.size();
  for (const Fold& fold : folds) least = std::min(least, fold.train.size());
  return least;
}

}  // namespace

std::vector<Round> make_rounds(const GridSearchOptions& options,
                               std::size_t points,
                               std::span<const Fold> folds) {
  const Round full{.points = points, .end_fold = folds.size()};
  if (!options.halving) return {full};
  const SuccessiveHalving& halving = *options.halving;
  const bool by_rows = halving.budget == HalvingBudget::rows;
  const auto budget = static_cast<double>(by_rows ? smallest_training_part(folds) : folds.size());
  const double least = by_rows ? static_cast<double>(halving.min_train_rows) : 1;
  const std::size_t count = std::min(rounds_down_to(static_cast<double>(points), 1, halving.factor),
                                     rounds_down_to(budget, least, halving.factor));
  std::vector<Round> rounds;
  for (std::size_t r = 0; r < count; ++r) {
    Round round = full;
    const double share = std::pow(halving.factor, -static_cast<double>(count - 1 - r));
    if (by_rows) {
      round.train_share = share;
    } else {
      round.first_fold = r == 0 ? 0 : rounds.back().end_fold;
      const auto wanted = static_cast<std::size_t>(std::lround(budget * share));
      round.end_fold = r + 1 == count ? folds.size() : std::max(wanted, round.first_fold);
    }
    if (r > 0) {
      const double left = static_cast<double>(rounds.back().points) / halving.factor;
      round.points = static_cast<std::size_t>(std::ceil(left));
    }
    rounds.push_back(round);
  }
  return rounds;
}

std::vector<std::size_t> stratified_order(std::span<const std::size_t> rows,
                                          std::span<const std::int32_t> class_of_row,
                                          std::uint64_t seed) {
  std::vector<std::size_t> order(rows.begin(), rows.end());
  Rng(seed).shuffle(std::span(order));
  if (class_of_row.empty()) return order;
  std::map<std::int32_t, double> size;
  for (const std::size_t row : order) ++size[class_of_row[row]];
  // Row number r (from 0) of a class of m rows stands at r/m of the way.
  struct Keyed {
    double key = 0;
    std::size_t row = 0;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(order.size());
  std::map<std::int32_t, double> seen;
  for (const std::size_t row : order) {
    const std::int32_t c = class_of_row[row];
    keyed.push_back({seen[c]++ / size[c], row});
  }
  std::stable_sort(
      keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].row;
  return order;
}

}  // namespace maxmargin

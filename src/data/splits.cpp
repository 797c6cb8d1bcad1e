// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/splits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "maxmargin/core/option.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

/// The fold number of rows that are never tested.
constexpr std::size_t never = static_cast<std::size_t>(-1);

void check_fold_count(std::size_t k, std::size_t available, const std::string& of_what) {
  if (k >= 2 && k <= available) return;
  throw InvalidArgument(
      breach("folds",
             std::to_string(k),
             "at least 2 and at most the number of " + of_what + ", " + std::to_string(available)));
}

/// Turns "row i is tested in fold fold_of_row[i]" into k folds.
std::vector<Fold> folds_of(std::span<const std::size_t> fold_of_row, std::size_t k) {
  std::vector<Fold> folds(k);
  for (std::size_t row = 0; row < fold_of_row.size(); ++row) {
    for (std::size_t f = 0; f < k; ++f) {
      (fold_of_row[row] == f ? folds[f].test : folds[f].train).push_back(row);
    }
  }
  return folds;
}

/// The labelled rows class by class, in random order within each class.
std::vector<std::size_t> rows_by_class(std::span<const std::int32_t> class_of_row, Rng& rng) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : rng.permutation(class_of_row.size())) {
    require_field(class_of_row[row] >= -1,
                  "class of row " + std::to_string(row),
                  static_cast<double>(class_of_row[row]),
                  ">= 0, or -1 for an unlabelled row");
    if (class_of_row[row] >= 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return class_of_row[a] < class_of_row[b];
  });
  return rows;
}

/// How many of n rows to test on.
std::size_t test_count(std::size_t n, double fraction, const std::string& of_what) {
  require_field(fraction > 0 && fraction < 1, "holdout fraction", fraction, "> 0 and < 1");
  require_field(n >= 2, "number of " + of_what, std::to_string(n), ">= 2 to hold some out");
  const double wanted = std::round(fraction * static_cast<double>(n));
  return std::clamp(static_cast<std::size_t>(wanted), std::size_t{1}, n - 1);
}

/// `count` of the rows, spread evenly over their order from a random start: every row is chosen
/// with the same probability, and every run of m consecutive rows gives m * count / rows of them,
/// up to less than one.
std::vector<std::size_t> spread_evenly(std::span<const std::size_t> rows,
                                       std::size_t count,
                                       Rng& rng) {
  std::vector<std::size_t> chosen;
  std::size_t credit = rng.index(rows.size());
  for (const std::size_t row : rows) {
    credit += count;
    if (credit < rows.size()) continue;
    credit -= rows.size();
    chosen.push_back(row);
  }
  return chosen;
}

/// The fold that tests on `test` and trains on the other rows below n.
Fold fold_testing(std::size_t n, std::span<const std::size_t> test) {
  std::vector<std::size_t> fold_of_row(n, never);
  for (const std::size_t row : test) fold_of_row[row] = 0;
  return std::move(folds_of(fold_of_row, 1).front());
}

}  // namespace

std::vector<Fold> plain_folds(std::size_t n, std::size_t k, std::uint64_t seed) {
  check_fold_count(k, n, "rows");
  const std::vector<std::size_t> order = Rng(seed, "plain folds").permutation(n);
  std::vector<std::size_t> fold_of_row(n);
  for (std::size_t p = 0; p < n; ++p) fold_of_row[order[p]] = p % k;
  return folds_of(fold_of_row, k);
}

std::vector<Fold> stratified_folds(std::span<const std::int32_t> class_of_row,
                                   std::size_t k,
                                   std::uint64_t seed) {
  Rng rng(seed, "stratified folds");
  const std::vector<std::size_t> rows = rows_by_class(class_of_row, rng);
  check_fold_count(k, rows.size(), "labelled rows");
  // Dealt like cards, one class after the other without starting afresh: so each class, and the
  // whole, is even up to one. Where dealing starts is drawn, lest small classes have a fixed place.
  const std::size_t start = rng.index(k);
  std::vector<std::size_t> fold_of_row(class_of_row.size(), never);
  for (std::size_t p = 0; p < rows.size(); ++p) fold_of_row[rows[p]] = (start + p) % k;
  return folds_of(fold_of_row, k);
}

std::vector<Fold> grouped_folds(std::span<const std::int64_t> groups,
                                std::size_t k,
                                std::uint64_t seed) {
  std::vector<std::int64_t> names(groups.begin(), groups.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  check_fold_count(k, names.size(), "groups");
  std::vector<std::size_t> group_of_row;
  group_of_row.reserve(groups.size());
  std::vector<std::size_t> size(names.size(), 0);
  for (const std::int64_t name : groups) {
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    group_of_row.push_back(static_cast<std::size_t>(at - names.begin()));
    ++size[group_of_row.back()];
  }
  std::vector<std::size_t> order = Rng(seed, "grouped folds").permutation(names.size());
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<std::size_t> fold_of_group(names.size());
  std::vector<std::size_t> rows_in_fold(k, 0);
  for (const std::size_t group : order) {
    const auto emptiest = std::min_element(rows_in_fold.begin(), rows_in_fold.end());
    fold_of_group[group] = static_cast<std::size_t>(emptiest - rows_in_fold.begin());
    *emptiest += size[group];
  }
  std::vector<std::size_t> fold_of_row;
  fold_of_row.reserve(groups.size());
  for (const std::size_t group : group_of_row) fold_of_row.push_back(fold_of_group[group]);
  return folds_of(fold_of_row, k);
}

Fold holdout(std::size_t n, double fraction, std::uint64_t seed) {
  const std::size_t count = test_count(n, fraction, "rows");
  return fold_testing(n, Rng(seed, "holdout").sample(n, count));
}

Fold stratified_holdout(std::span<const std::int32_t> class_of_row,
                        double fraction,
                        std::uint64_t seed) {
  Rng rng(seed, "stratified holdout");
  const std::vector<std::size_t> rows = rows_by_class(class_of_row, rng);
  const std::size_t count = test_count(rows.size(), fraction, "labelled rows");
  return fold_testing(class_of_row.size(), spread_evenly(rows, count, rng));
}

Fold bootstrap(std::size_t n, std::uint64_t seed, std::uint64_t index) {
  require_field(n > 0, "number of rows", "0", ">= 1");
  Rng rng(seed, "bootstrap", index);
  std::vector<std::size_t> times_drawn(n, 0);
  for (std::size_t draw = 0; draw < n; ++draw) ++times_drawn[rng.index(n)];
  Fold fold;
  fold.train.reserve(n);
  for (std::size_t row = 0; row < n; ++row) {
    fold.train.insert(fold.train.end(), times_drawn[row], row);
    if (times_drawn[row] == 0) fold.test.push_back(row);
  }
  return fold;
}

}  // namespace maxmargin

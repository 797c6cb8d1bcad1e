// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Ways to part rows into training and test rows. All of them are functions of their arguments
/// alone: the same seed gives the same parts on every machine.
namespace maxmargin {

/// Row numbers to train on and to test on, each in increasing order.
struct Fold {
  std::vector<std::size_t> train = {};
  std::vector<std::size_t> test = {};
};

/// k folds: every row is tested once and trained on k-1 times; test sizes differ by one at most.
/// Throws InvalidArgument unless 2 <= k <= n.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<Fold> plain_folds(std::size_t n,
                                                             std::size_t k,
                                                             std::uint64_t seed = 0);

/// k folds in which the number of test rows of each class, and of all rows, differs by one at most.
/// Rows of class -1 are unlabelled: they can be learned from but not scored, so they are in every
/// training part and in no test part. A class with fewer than k rows is missing from some test
/// parts; one with a single row is missing from one training part. Which parts those are, the seed
/// decides. Throws InvalidArgument unless 2 <= k <= number of labelled rows, and for classes below
/// -1.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<Fold> stratified_folds(
    std::span<const std::int32_t> class_of_row, std::size_t k, std::uint64_t seed = 0);

/// k folds that never part a group: all rows with equal groups[row] are tested together. Groups go,
/// largest first, each to the fold with the fewest rows, so the largest fold holds less than 4/3 of
/// the rows of the best possible one; groups of equal size go in an order drawn with the seed.
/// Throws InvalidArgument unless 2 <= k <= number of groups.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<Fold> grouped_folds(std::span<const std::int64_t> groups,
                                                               std::size_t k,
                                                               std::uint64_t seed = 0);

/// One part: `fraction` of the rows, rounded to the nearest count but at least one and at most
/// n - 1, to test on. Throws InvalidArgument unless n >= 2 and 0 < fraction < 1.
[[nodiscard]] MAXMARGIN_EXPORT Fold holdout(std::size_t n, double fraction, std::uint64_t seed = 0);

/// As `holdout` over the labelled rows, with each class's number of test rows within one of its
/// share; every labelled row is tested with the same probability. Rows of class -1 are in the
/// training part. Throws InvalidArgument with fewer than two
/// labelled rows, for classes below -1 and for a fraction outside (0, 1).
[[nodiscard]] MAXMARGIN_EXPORT Fold stratified_holdout(std::span<const std::int32_t> class_of_row,
                                                       double fraction,
                                                       std::uint64_t seed = 0);

/// Bootstrap sample number `index`: `train` holds n rows drawn with replacement (repetitions side
/// by side), `test` the rows never drawn (about 0.368 n of them; none for n = 1, possibly none for
/// small n). Samples of different index are independent. Throws InvalidArgument for n = 0.
[[nodiscard]] MAXMARGIN_EXPORT Fold bootstrap(std::size_t n,
                                              std::uint64_t seed = 0,
                                              std::uint64_t index = 0);

}  // namespace maxmargin

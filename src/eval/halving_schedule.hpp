// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/grid_search.hpp"

namespace maxmargin {

/// One round of a search: the folds [first_fold, end_fold) are run on this share of their training
/// rows; values of folds below first_fold are kept from the round before.
struct Round {
  std::size_t points = 0;
  double train_share = 1;
  std::size_t first_fold = 0;
  std::size_t end_fold = 0;
};

/// The rounds for that many points: one full round without halving.
[[nodiscard]] std::vector<Round> make_rounds(const GridSearchOptions& options,
                                             std::size_t points,
                                             std::span<const Fold> folds);

/// An order of the rows in which every beginning holds the classes in proportion, each class at
/// least once when it is long enough. Without classes it is a random order.
[[nodiscard]] std::vector<std::size_t> stratified_order(std::span<const std::size_t> rows,
                                                        std::span<const std::int32_t> class_of_row,
                                                        std::uint64_t seed);

}  // namespace maxmargin

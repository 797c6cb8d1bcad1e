// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "solver/kmeans/points.hpp"

namespace maxmargin::kmeans {

/// The lowest rows, in order, that are pairwise different and of positive weight; the search ends
/// at `limit` of them. `order` (empty: 0, 1, ...) is the order in which rows are looked at.
[[nodiscard]] std::vector<std::size_t> distinct_rows(const Points& points,
                                                     std::size_t limit,
                                                     std::span<const std::size_t> order = {});

/// kmeans.md step 1: k different points as centres. Requires k distinct rows of positive weight.
/// With many points `may_continue` is asked before every centre; after a no, the rest of the
/// centres are the lowest rows that are no centre yet.
[[nodiscard]] DenseMatrix choose_centres(const Points& points,
                                         std::size_t k,
                                         KmeansStart start,
                                         Rng& rng,
                                         std::size_t threads,
                                         const std::function<bool()>& may_continue);

}  // namespace maxmargin::kmeans

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/metric/confusion.hpp"

namespace maxmargin {

/// Counts of a search for outliers; -1 marks an outlier in both lists, anything else an ordinary
/// point. precision(), recall() and f1() of classification.hpp take it from here. For a ranking by
/// a score, give roc_auc, average_precision or threshold_curve a truth of 1 for outliers, and a
/// score that grows with suspicion (minus eta, for an eta that is small for outliers).
[[nodiscard]] MAXMARGIN_EXPORT BinaryCounts outlier_counts(std::span<const std::int32_t> truth,
                                                           std::span<const std::int32_t> found);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/learner/data.hpp"

/// The rows that clustering methods see.
namespace maxmargin::learning {

/// The rows as they are; of a kernel matrix its values are the features, and the rows must be all
/// of it in their order: throws InvalidArgument.
[[nodiscard]] Dataset points_of(const TableData& table);

struct ScaledPoints {
  Dataset rows = {};
  Scaler scaler = {};
};
/// The rows, scaled by what they say themselves.
[[nodiscard]] ScaledPoints scaled_points(const TableData& table, const ScalingOptions& scaling);

}  // namespace maxmargin::learning

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/io/model/model_file.hpp"

/// The clusters of the training rows in models whose answers for these rows may be others: sizes
/// were balanced, cuts have no centres, or a run was stopped. Verifying needs them.
namespace maxmargin::learning {

void keep_labels(ModelDocument& model, std::span<const std::int32_t> labels);
[[nodiscard]] bool has_kept_labels(const ModelDocument& model);
/// Throws ModelFormatError when they are not there or no numbers of clusters.
[[nodiscard]] std::vector<std::int32_t> kept_labels(const ModelDocument& model);
/// The same of methods with outliers, whose cluster is -1; none when the model keeps none.
[[nodiscard]] std::vector<std::int32_t> kept_labels_or_outliers(const ModelDocument& model);

}  // namespace maxmargin::learning

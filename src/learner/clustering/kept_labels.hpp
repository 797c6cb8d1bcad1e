// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/io/model/model_file.hpp"

/// The clusters of the training rows in models whose answers for these rows may be others: sizes
/// were balanced, or a run was stopped. Verifying needs them.
namespace maxmargin::learning {

void keep_labels(ModelDocument& model, std::span<const std::int32_t> labels);
/// Throws ModelFormatError when they are not there or no numbers of clusters.
[[nodiscard]] bool has_kept_labels(const ModelDocument& model);
[[nodiscard]] std::vector<std::int32_t> kept_labels(const ModelDocument& model);

}  // namespace maxmargin::learning

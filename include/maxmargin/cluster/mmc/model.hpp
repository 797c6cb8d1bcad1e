// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

namespace maxmargin {

/// The machine of a maximum-margin clustering, for new points: one function for two clusters, >= 0
/// on cluster 0; or one a cluster, of which the largest value names it, the lowest cluster of
/// equals.
struct MAXMARGIN_EXPORT MmcModel {
  /// A linear machine may be an expansion in its own weights.
  KernelExpansion functions = {};

  /// The cluster of every example. Features as in decision_values.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

}  // namespace maxmargin

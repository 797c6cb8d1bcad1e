// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "data_source.hpp"

namespace maxmargin::tool {

/// A scatter plot (SVG) of the data, or of its first two principal components when it has more than
/// two features: colour is the cluster, the marker's shape the known class.
[[nodiscard]] std::string cluster_picture(const LoadedData& loaded,
                                          std::span<const std::int32_t> clusters,
                                          const std::string& method,
                                          std::optional<std::size_t> threads);

}  // namespace maxmargin::tool

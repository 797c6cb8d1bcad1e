// SPDX-License-Identifier: Apache-2.0
#include "feature_checks.hpp"

#include <algorithm>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings) {
  if (data.features() == features) return;
  if (data.examples.is_dense()) {
    throw FileError(data.source,
                    "has " + std::to_string(data.features()) + " features, the model " +
                        std::to_string(features));
  }
  warnings.push_back(
      data.source + " has " + std::to_string(data.features()) + " features, the model " +
      std::to_string(features) +
      (data.features() < features ? ": missing ones count as 0" : ": further ones are ignored"));
}

void check_names(const Dataset& data, const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), data.feature_names.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (names[j] == data.feature_names[j]) continue;
    throw FileError(data.source,
                    "feature " + std::to_string(j + 1) + " is " + data.feature_names[j] +
                        ", the model has " + names[j] + " there");
  }
}

}  // namespace maxmargin::tool

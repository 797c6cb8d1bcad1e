// SPDX-License-Identifier: Apache-2.0
#include "feature_checks.hpp"

#include <algorithm>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

namespace {

std::string features_of(std::size_t found, std::size_t model) {
  return "has " + std::to_string(found) + " features, the model " + std::to_string(model);
}

}  // namespace

void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings) {
  if (data.features() != features && data.examples.is_dense()) {
    throw FileError(data.source, features_of(data.features(), features));
  }
  check_features(data.source, data.features(), features, warnings);
}

void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings) {
  if (found == features) return;
  warnings.push_back(
      source + " " + features_of(found, features) +
      (found < features ? ": missing ones count as 0" : ": further ones are ignored"));
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

// SPDX-License-Identifier: Apache-2.0
#include "learner/feature_checks.hpp"

#include <algorithm>

#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

std::string counts(std::size_t found, std::size_t model) {
  return "has " + std::to_string(found) + " features, the model " + std::to_string(model);
}

/// Data that was in no file has no name.
std::string name_of(const std::string& source) { return source.empty() ? "the data" : source; }

}  // namespace

const TableData& table_of(const LearnerData& data, const LearnerInfo& info) {
  if (const auto* table = std::get_if<TableData>(&data)) return *table;
  throw InvalidArgument("the learner " + std::string(info.name) + " takes rows of features");
}

void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings) {
  if (data.features() != features && data.examples.is_dense()) {
    throw FileError(name_of(data.source), counts(data.features(), features));
  }
  check_features(data.source, data.features(), features, warnings);
}

void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings) {
  if (found == features) return;
  warnings.push_back(
      name_of(source) + " " + counts(found, features) +
      (found < features ? ": missing ones count as 0" : ": further ones are ignored"));
}

void check_names(const Dataset& data, const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), data.feature_names.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (names[j] == data.feature_names[j]) continue;
    throw FileError(name_of(data.source),
                    "feature " + std::to_string(j + 1) + " is " + data.feature_names[j] +
                        ", the model has " + names[j] + " there");
  }
}

}  // namespace maxmargin::learning

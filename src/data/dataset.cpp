// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/dataset.hpp"

#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

template <class T>
std::vector<T> pick(const std::vector<T>& from, std::span<const std::size_t> rows) {
  std::vector<T> chosen;
  if (from.empty()) return chosen;
  chosen.reserve(rows.size());
  for (const std::size_t row : rows) {
    require(row < from.size(), "a part of the data has no such row");
    chosen.push_back(from[row]);
  }
  return chosen;
}

}  // namespace

Dataset Dataset::select(std::span<const std::size_t> rows) const {
  return {.examples = examples.select(rows),
          .labels = labels.empty() ? LabelColumn() : labels.select(rows),
          .label_sets = pick(label_sets, rows),
          .weights = pick(weights, rows),
          .groups = pick(groups, rows),
          .feature_names = feature_names,
          .holds_strings = holds_strings,
          .source = source};
}

void Dataset::validate() const {
  const std::size_t n = size();
  const auto fits = [n](std::size_t length) { return length == 0 || length == n; };
  require(fits(labels.size()), "Dataset: one label a row");
  require(fits(label_sets.size()), "Dataset: one label set a row");
  require(fits(weights.size()), "Dataset: one weight a row");
  require(fits(groups.size()), "Dataset: one group a row");
  require(feature_names.empty() || feature_names.size() == features(),
          "Dataset: one name a feature");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require_field(weights[i] >= 0 && std::isfinite(weights[i]),
                  "the weight of row " + std::to_string(i) + " (from 0)",
                  weights[i],
                  "finite and >= 0");
  }
  for (std::size_t i = 0; i < n; ++i) {
    examples.row(i).for_each([&](std::size_t j, double value) {
      if (std::isfinite(value)) return;
      throw InvalidArgument("Dataset: row " + std::to_string(i) + ", feature " + std::to_string(j) +
                            " is " + format_number(value) + ", must be finite");
    });
  }
}

}  // namespace maxmargin

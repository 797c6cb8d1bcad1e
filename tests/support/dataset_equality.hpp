// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// The same bits: -0 is not 0 here.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double z) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(z);
  });
}

/// Succeeds when all parts of the two data sets are equal, values bit by bit.
[[nodiscard]] inline ::testing::AssertionResult same_dataset(const Dataset& a, const Dataset& b) {
  const auto differ = [](const char* what) { return ::testing::AssertionFailure() << what; };
  if (a.size() != b.size() || a.features() != b.features()) {
    return differ("sizes: ") << a.size() << " x " << a.features() << " and " << b.size() << " x "
                             << b.features();
  }
  if (a.examples.is_dense() != b.examples.is_dense()) return differ("one is dense");
  if (a.examples.is_dense()) {
    if (!same_bits(a.examples.to_dense().values(), b.examples.to_dense().values())) {
      return differ("values");
    }
  } else {
    const SparseView x = a.examples.sparse();
    const SparseView z = b.examples.sparse();
    if (!std::ranges::equal(x.offsets, z.offsets)) return differ("row offsets");
    if (!std::ranges::equal(x.columns, z.columns)) return differ("columns");
    if (!same_bits(x.values, z.values)) return differ("values");
  }
  if (a.labels.size() != b.labels.size()) return differ("numbers of labels");
  for (std::size_t row = 0; row < a.labels.size(); ++row) {
    if (a.labels.at(row) != b.labels.at(row)) return differ("label of row ") << row;
  }
  if (a.label_sets != b.label_sets) return differ("label sets");
  if (!same_bits(a.weights, b.weights)) return differ("weights");
  if (a.groups != b.groups) return differ("groups");
  if (a.feature_names != b.feature_names) return differ("feature names");
  if (a.source != b.source) return differ("sources");
  return ::testing::AssertionSuccess();
}

}  // namespace maxmargin

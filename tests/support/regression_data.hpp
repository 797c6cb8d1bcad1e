// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "maxmargin/data/dataset.hpp"

namespace maxmargin::testing {

/// The first feature of iris as a target for the others.
inline Dataset first_feature_as_target(Dataset iris) {
  const DenseMatrix all = iris.examples.to_dense();
  std::vector<double> targets;
  DenseMatrix rest(all.rows(), all.cols() - 1);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    targets.push_back(all(i, 0));
    for (std::size_t j = 1; j < all.cols(); ++j) rest(i, j - 1) = all(i, j);
  }
  iris.examples = std::move(rest);
  iris.labels = LabelColumn::from_numbers(std::move(targets));
  iris.feature_names.clear();
  return iris;
}

}  // namespace maxmargin::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "svm_data.hpp"

/// Data of which some rows have no label.
namespace maxmargin::testing {

/// Forgets the labels of all rows from `labelled` on.
inline Dataset hide_labels(Dataset data, std::size_t labelled) {
  for (std::size_t i = labelled; i < data.size(); ++i) data.labels.clear(i);
  return data;
}

/// Two Gaussian classes -1 and 1, the first rows labelled, alternately 1 and -1.
inline Dataset semi_classes(std::size_t n,
                            std::size_t labelled,
                            std::uint64_t seed,
                            double shift = 0.8) {
  return hide_labels(two_classes(n, seed, shift), labelled);
}

/// f at every row by plain sums, whatever the functions are.
inline std::vector<double> plain_values(const DecisionFunction& functions,
                                        const Examples& examples,
                                        std::size_t function = 0) {
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions)) {
    return values_by_formula(*expansion, examples, function);
  }
  const auto& linear = std::get<LinearFunctions>(functions);
  std::vector<double> values;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    values.push_back(examples.row(i).dot(linear.weights.row(function)) + linear.offsets[function]);
  }
  return values;
}

}  // namespace maxmargin::testing

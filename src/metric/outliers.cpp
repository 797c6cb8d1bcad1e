// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/outliers.hpp"

#include "metric/check.hpp"

namespace maxmargin {

BinaryCounts outlier_counts(std::span<const std::int32_t> truth,
                            std::span<const std::int32_t> found) {
  check_same_length("outlier_counts", "found labels", found.size(), truth.size());
  BinaryCounts counts;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    check_class("outlier_counts: truth", truth[i]);
    check_class("outlier_counts: found label", found[i]);
    const bool is_outlier = truth[i] == -1;
    const bool is_found = found[i] == -1;
    double& count = is_outlier ? (is_found ? counts.true_positive : counts.false_negative)
                               : (is_found ? counts.false_positive : counts.true_negative);
    ++count;
  }
  return counts;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/model.hpp"

#include <algorithm>

namespace maxmargin {

std::vector<std::int32_t> MmcModel::predict(const Examples& examples,
                                            std::optional<std::size_t> threads) const {
  const DenseMatrix values = decision_values(
      functions, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  std::vector<std::int32_t> clusters(values.rows());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const auto row = values.row(i);
    clusters[i] = row.size() == 1
                      ? (row[0] >= 0 ? 0 : 1)
                      : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
  }
  return clusters;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/transduction.hpp"

#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

double transductive_error(std::span<const std::int32_t> truth,
                          std::span<const std::int32_t> predicted,
                          std::span<const std::int32_t> given) {
  check_same_length("transductive_error", "predictions", predicted.size(), truth.size());
  check_same_length("transductive_error", "given labels", given.size(), truth.size());
  double wrong = 0;
  double rows = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    check_class("transductive_error: truth", truth[i]);
    check_class("transductive_error: prediction", predicted[i]);
    check_class("transductive_error: given label", given[i]);
    if (given[i] >= 0 || truth[i] < 0) continue;
    ++rows;
    if (predicted[i] != truth[i]) ++wrong;
  }
  return ratio(wrong, rows);
}

}  // namespace maxmargin

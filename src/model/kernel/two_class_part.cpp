// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/two_class_part.hpp"

namespace maxmargin {

TwoClassPart part_of(const OutputCode& code, std::size_t function, const ClassificationTask& task) {
  const std::vector<std::int8_t> signs = code.labels_of(function, task.classes.of_row);
  TwoClassPart part;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == 0) continue;
    part.rows.push_back(i);
    part.signs.push_back(signs[i]);
    part.weights.push_back(task.weights[i]);
  }
  return part;
}

void drop_weightless(TwoClassPart& part) {
  TwoClassPart kept;
  for (std::size_t k = 0; k < part.rows.size(); ++k) {
    if (!(part.weights[k] > 0)) continue;
    kept.rows.push_back(part.rows[k]);
    kept.signs.push_back(part.signs[k]);
    kept.weights.push_back(part.weights[k]);
  }
  part = std::move(kept);
}

}  // namespace maxmargin

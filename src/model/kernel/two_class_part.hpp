// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"

namespace maxmargin {

/// The rows a function of a code looks at, with their signs and weights.
struct TwoClassPart {
  std::vector<std::size_t> rows = {};
  std::vector<std::int8_t> signs = {};
  std::vector<double> weights = {};
};

[[nodiscard]] TwoClassPart part_of(const OutputCode& code,
                                   std::size_t function,
                                   const ClassificationTask& task);

/// Takes out the rows of weight 0.
void drop_weightless(TwoClassPart& part);

}  // namespace maxmargin

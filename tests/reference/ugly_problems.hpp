// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "maxmargin/learner/learner.hpp"

/// Small problems with what breaks solvers: examples that weigh 1e-14 to 1e14, the same point with
/// opposite labels, constant and huge columns, a single example in a class, C from 1e-10 to 1e10,
/// points far from the origin.
namespace maxmargin::ugly {

struct Problem {
  Dataset data = {};
  OptionTexts options = {};
  /// What was drawn, for messages.
  std::string story = {};
};

/// Problem number `index` of a learner. Its options are those among the drawn ones that it has.
[[nodiscard]] Problem problem(const Learner& learner, std::uint64_t index);

}  // namespace maxmargin::ugly

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "maxmargin/learner/learner.hpp"

namespace maxmargin::test {

/// Does the learner have an option of that name?
[[nodiscard]] inline bool takes_option(const Learner& learner, std::string_view name) {
  const std::vector<OptionDescription> options = learner.options();
  return std::ranges::any_of(options,
                             [&](const OptionDescription& option) { return option.name == name; });
}

}  // namespace maxmargin::test

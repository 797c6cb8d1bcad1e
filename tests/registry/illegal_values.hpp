// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/core/options.hpp"

/// Values that an option must refuse, found from what its description says to people (kind, names
/// and the words of the rule): a rule whose words and code disagree is seen.
namespace maxmargin::walk {

/// Throws InternalError for a rule whose words are not known here.
[[nodiscard]] std::vector<std::string> illegal_values(const OptionDescription& option);

}  // namespace maxmargin::walk

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// What the tool offers for a command line that is not finished. The scripts of all shells ask it:
/// what a learner takes is known to the descriptions alone.
namespace maxmargin::tool {

/// Lines for the last of the words (which may be empty): a candidate for the whole word, and its
/// help behind a tab; ":files" where the name of a file may stand.
[[nodiscard]] std::string completions(const std::vector<std::string>& words);

}  // namespace maxmargin::tool

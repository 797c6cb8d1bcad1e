// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/learner/learner.hpp"

/// What can be said of data before a learner works on it.
namespace maxmargin {

/// Of those of the report's warnings that the data alone decides: faces show them before the work
/// that may take long because of them (features of very different ranges). Options are those of the
/// training; check_options holds them to be right.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::string> remarks_before(const Learner& learner,
                                                                       const LearnerData& data,
                                                                       const OptionTexts& options);

}  // namespace maxmargin

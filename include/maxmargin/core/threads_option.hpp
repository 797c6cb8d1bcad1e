// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Describes the threads of a context alone: for what has no random choices and no memory to limit.
MAXMARGIN_EXPORT void describe_threads(OptionVisitor& visit, std::optional<std::size_t>& threads);

}  // namespace maxmargin

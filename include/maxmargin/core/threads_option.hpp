// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Describes the threads of a context alone: for what has no random choices.
MAXMARGIN_EXPORT void describe_threads(OptionVisitor& visit, std::optional<std::size_t>& threads);
/// The same of its memory limit.
MAXMARGIN_EXPORT void describe_memory_limit(OptionVisitor& visit,
                                            std::optional<std::size_t>& memory_limit);

}  // namespace maxmargin

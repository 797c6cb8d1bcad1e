// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/progress.hpp"

namespace maxmargin::tool {

/// From here on the first Ctrl-C (or SIGTERM) asks a running solve to stop with its best answer,
/// and the second ends the process at once with code 130.
void install_interrupt_handler();

/// Wraps a callback: answers `stop` after a Ctrl-C and `time_is_up` once `time_limit_seconds` since
/// the start of the process have passed; else what `inner` answers.
[[nodiscard]] ProgressCallback interruptible(ProgressCallback inner,
                                             std::optional<double> time_limit_seconds);

}  // namespace maxmargin::tool

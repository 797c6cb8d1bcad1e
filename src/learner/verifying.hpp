// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/stoppable.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin::learning {

/// What `recompute` finds; when the run is told to stop meanwhile: nothing was verified, and why.
template <class Recompute>
[[nodiscard]] Verification verified_unless_stopped(Recompute&& recompute) {
  try {
    return std::forward<Recompute>(recompute)();
  } catch (const Stopped& stopped) {
    return {.complaint = stopped.answer() == Continue::time_is_up
                             ? "the time was up before the certificate was recomputed"
                             : "stopped before the certificate was recomputed"};
  }
}

}  // namespace maxmargin::learning

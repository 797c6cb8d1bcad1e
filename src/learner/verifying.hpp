// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <utility>

#include "core/over_memory_limit.hpp"
#include "core/stoppable.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin::learning {

/// What `recompute` finds; when the run is told to stop meanwhile, or memory does not suffice:
/// nothing was verified, and why. The model that was trained must not be lost with it.
template <class Recompute>
[[nodiscard]] Verification verified_unless_stopped(Recompute&& recompute) {
  try {
    return std::forward<Recompute>(recompute)();
  } catch (const Stopped& stopped) {
    return {.complaint = stopped.answer() == Continue::time_is_up
                             ? "the time was up before the certificate was recomputed"
                             : "stopped before the certificate was recomputed"};
  } catch (const std::bad_alloc&) {
    return {.complaint = "there is not enough memory to recompute the certificate"};
  } catch (const OverMemoryLimit& limit) {
    return {.complaint = limit.what()};
  }
}

}  // namespace maxmargin::learning

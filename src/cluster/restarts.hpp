// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/progress.hpp"

namespace maxmargin {

/// The run of least objective, the first of equals, and what became of the others.
template <class Run>
struct BestRun {
  Run run = {};
  std::size_t restart = 0;
  std::size_t done = 0;
  /// Runs that ended at their iteration limit.
  std::size_t unfinished = 0;
};

/// Calls run_one(0), ..., run_one(count - 1), on `across` threads, until the callback stops it; the
/// first is always run. A Run has `objective` (less is better; NaN counts as infinite) and
/// `status`.
template <class Run, class RunOne>
[[nodiscard]] BestRun<Run> best_of_restarts(std::size_t count,
                                            std::size_t across,
                                            SharedProgress& progress,
                                            const RunOne& run_one) {
  BestRun<Run> best;
  std::mutex mutex;
  // In groups, so that a stop among very many restarts does not walk through the rest of them.
  constexpr std::size_t group = 256;
  for (std::size_t first = 0; first < count; first += group) {
    if (first > 0 && progress.answer() != Continue::yes) break;
    const std::size_t in_group = std::min(group, count - first);
    parallel_chunks(across, in_group, 1, [&](std::size_t chunk, std::size_t, std::size_t) {
      const std::size_t restart = first + chunk;
      if (restart > 0 && progress.answer() != Continue::yes) return;
      Run run = run_one(restart);
      if (std::isnan(run.objective)) run.objective = std::numeric_limits<double>::infinity();
      const std::lock_guard lock(mutex);
      ++best.done;
      best.unfinished += run.status == Status::iteration_limit ? 1 : 0;
      const bool wins = best.done == 1 || run.objective < best.run.objective ||
                        (run.objective == best.run.objective && restart < best.restart);
      if (!wins) return;
      best.run = std::move(run);
      best.restart = restart;
    });
  }
  return best;
}

}  // namespace maxmargin

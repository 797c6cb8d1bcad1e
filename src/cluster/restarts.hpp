// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/progress.hpp"

namespace maxmargin {

/// A callback that runs side by side may call: never two at once, and not again after it said stop.
class SharedProgress {
 public:
  explicit SharedProgress(const ProgressCallback& callback) : callback_(callback) {}

  Continue operator()(const Progress& progress) {
    if (!callback_) return Continue::yes;
    const std::lock_guard lock(mutex_);
    if (answer_ == Continue::yes) answer_ = callback_(progress);
    return answer_;
  }
  [[nodiscard]] Continue answer() {
    const std::lock_guard lock(mutex_);
    return answer_;
  }

 private:
  const ProgressCallback& callback_;
  std::mutex mutex_;
  Continue answer_ = Continue::yes;
};

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

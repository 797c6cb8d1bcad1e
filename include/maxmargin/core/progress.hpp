// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "maxmargin/core/report.hpp"

/// How a long run speaks while it works, and how it is told to stop.
namespace maxmargin {

/// Where a run stands. Called between outer iterations, never by the clock.
struct Progress {
  std::string_view phase = {};  ///< empty: a part of a run asks, and has nothing to show
  std::uint64_t iteration = 0;
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  std::optional<double> primal_objective = std::nullopt;
  std::optional<double> dual_objective = std::nullopt;
  /// The measure that must fall below `target` for the run to end.
  std::optional<double> gap = std::nullopt;
  std::optional<double> target = std::nullopt;
};

/// What the callback answers. Anything but `yes` ends the run with the best point so far.
enum class Continue { yes, stop, time_is_up };

/// An empty callback means: continue. Must be callable from the thread that runs the solver; it may
/// be called from a worker thread, but never from two at once.
using ProgressCallback = std::function<Continue(const Progress&)>;

/// The callback's answer, or `yes` without a callback.
[[nodiscard]] inline Continue ask(const ProgressCallback& callback, const Progress& progress) {
  return callback ? callback(progress) : Continue::yes;
}

/// The callback for runs side by side, which call it in turn; empty where `callback` is. Both must
/// outlive the runs.
[[nodiscard]] inline ProgressCallback one_at_a_time(const ProgressCallback& callback,
                                                    std::mutex& mutex) {
  if (!callback) return {};
  return [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    return callback(progress);
  };
}

/// A callback that runs side by side may call: never two at once, and not again after it said stop.
/// The callback must outlive it.
class SharedProgress {
 public:
  explicit SharedProgress(const ProgressCallback& callback) : callback_(callback) {}

  Continue operator()(const Progress& progress) {
    if (!callback_) return Continue::yes;
    const std::lock_guard lock(mutex_);
    if (answer_ == Continue::yes) answer_ = callback_(progress);
    return answer_;
  }
  /// The last answer, without asking.
  [[nodiscard]] Continue answer() {
    const std::lock_guard lock(mutex_);
    return answer_;
  }

 private:
  const ProgressCallback& callback_;
  std::mutex mutex_;
  Continue answer_ = Continue::yes;
};

/// The status of a run that the callback ended. Requires: answer is not `yes`.
[[nodiscard]] inline Status status_of(Continue answer) noexcept {
  return answer == Continue::time_is_up ? Status::time_limit : Status::stopped_by_callback;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"

namespace maxmargin::sv_clustering {

/// Asks the caller between parts of the work whether to go on, and keeps a no. What a function that
/// takes one hands back after a stop is unfinished.
class Watch {
 public:
  /// Nobody is asked.
  Watch() = default;
  /// The callback must outlive the watch. A run that was already stopped is not asked about again.
  Watch(const ProgressCallback& on_progress, Status so_far)
      : on_progress_(&on_progress), status_(was_stopped(so_far) ? so_far : Status::solved) {}

  /// Asks, unless it was told to stop before. True: go on.
  bool goes_on(std::string_view phase, std::uint64_t iteration) {
    if (stopped() || on_progress_ == nullptr) return !stopped();
    const Continue answer = ask(*on_progress_, {.phase = phase, .iteration = iteration});
    if (answer != Continue::yes) status_ = status_of(answer);
    return !stopped();
  }
  [[nodiscard]] bool stopped() const noexcept { return status_ != Status::solved; }
  /// solved, or how the caller ended the run.
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  const ProgressCallback* on_progress_ = nullptr;
  Status status_ = Status::solved;
};

}  // namespace maxmargin::sv_clustering

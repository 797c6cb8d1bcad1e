// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "maxmargin/core/progress.hpp"

namespace maxmargin {

/// Runs independent tasks on several threads, tells the callback about each one, and stops
/// starting new ones when it says so. Several batches may follow one another and are counted
/// together.
class TaskRunner {
 public:
  /// `phase` and `progress` must outlive the runner.
  TaskRunner(std::size_t threads,
             std::string_view phase,
             std::uint64_t total,
             const ProgressCallback& progress);

  /// Runs body(0), ..., body(count - 1), each of which says how many units of work it finished (of
  /// the total that progress is shown against). If some throw, the exception of the lowest is
  /// rethrown; tasks after a failed one are not started.
  void run(std::size_t count, const std::function<std::size_t(std::size_t)>& body);

  /// `solved` when the total was reached; otherwise how the callback ended the run.
  [[nodiscard]] Status status() const noexcept;
  /// Units finished.
  [[nodiscard]] std::uint64_t finished() const noexcept { return finished_; }

 private:
  void ask_callback();

  std::size_t threads_;
  std::string_view phase_;
  std::uint64_t total_;
  const ProgressCallback& progress_;
  std::mutex mutex_;
  std::uint64_t finished_ = 0;
  Status stopped_ = Status::solved;
};

}  // namespace maxmargin

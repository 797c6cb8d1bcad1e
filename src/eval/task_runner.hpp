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

/// Runs independent tasks on several threads, tells the callback about each finished one, and stops
/// starting new ones when it says so. Several batches may follow one another and are counted
/// together.
class TaskRunner {
 public:
  /// `phase` and `progress` must outlive the runner.
  TaskRunner(std::size_t threads,
             std::string_view phase,
             std::uint64_t total,
             const ProgressCallback& progress);

  /// Runs body(0), ..., body(count - 1) and says which of them finished. If some throw, the
  /// exception of the lowest is rethrown; tasks after a failed one are not started.
  std::vector<char> run(std::size_t count, const std::function<void(std::size_t)>& body);

  /// `solved` until the callback ends the run.
  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] std::uint64_t finished() const noexcept { return finished_; }

 private:
  void ask_callback();

  std::size_t threads_;
  std::string_view phase_;
  std::uint64_t total_;
  const ProgressCallback& progress_;
  std::mutex mutex_;
  std::uint64_t finished_ = 0;
  Status status_ = Status::solved;
};

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "eval/task_runner.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"

namespace maxmargin {

TaskRunner::TaskRunner(std::size_t threads,
                       std::string_view phase,
                       std::uint64_t total,
                       const ProgressCallback& progress)
    : threads_(threads), phase_(phase), total_(total), progress_(progress) {
  ask_callback();
}

void TaskRunner::ask_callback() {
  const Continue answer =
      ask(progress_, {.phase = phase_, .iteration = finished_, .max_iterations = total_});
  if (answer != Continue::yes && stopped_ == Status::solved) stopped_ = status_of(answer);
}

Status TaskRunner::status() const noexcept {
  if (finished_ == total_) return Status::solved;
  // A task may have been told to stop though the runner was not.
  return stopped_ == Status::solved ? Status::stopped_by_callback : stopped_;
}

void TaskRunner::run(std::size_t count, const std::function<std::size_t(std::size_t)>& body) {
  std::size_t lowest_failure = std::numeric_limits<std::size_t>::max();
  const auto run_one = [&](std::size_t task) {
    {
      // Tasks start in increasing order, so everything below a failed task has started: leaving out
      // what comes after it cannot hide a lower failure.
      const std::lock_guard lock(mutex_);
      if (stopped_ != Status::solved || task > lowest_failure) return;
    }
    std::size_t units = 0;
    try {
      units = body(task);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      lowest_failure = std::min(lowest_failure, task);
      throw;
    }
    const std::lock_guard lock(mutex_);
    finished_ += units;
    ask_callback();
  };
  if (count == 1) {
    run_one(0);  // on this thread, so that the learner's own loops may be parallel
  } else {
    parallel_chunks(
        threads_, count, 1, [&](std::size_t task, std::size_t, std::size_t) { run_one(task); });
  }
}

}  // namespace maxmargin

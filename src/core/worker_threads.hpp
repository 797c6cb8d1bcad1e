// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace maxmargin::detail {

/// Threads that wait for work between parallel loops: a loop of a tenth of a millisecond would
/// otherwise spend as much on starting them, and what they keep for themselves (scratch memory)
/// would be made anew. Several callers may use them at once.
class WorkerThreads {
 public:
  /// Those of the process. They are never joined, for they sleep when the process ends. A forked
  /// child has its own.
  static WorkerThreads& shared();

  /// Runs `work`, which must not throw, on the calling thread and meanwhile on up to `helpers`
  /// others. Waits for those that have begun, not for others to begin: work that is shared out
  /// piece by piece is done when the caller finds no more of it.
  void run(std::size_t helpers, const std::function<void()>& work);

 private:
  struct Job {
    const std::function<void()>* work;
    std::size_t open;  ///< helpers that may still begin
    std::size_t busy = 0;
  };

  void serve();
  [[nodiscard]] Job* open_job() const;
  void start_threads();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<Job*> jobs_;
  std::size_t wanted_ = 0;  ///< helpers of all jobs
  std::size_t threads_ = 0;
};

}  // namespace maxmargin::detail

// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

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

WorkerThreads& WorkerThreads::shared() {
  static WorkerThreads* threads = nullptr;
  static const bool began = [] {
    threads = new WorkerThreads;
    // A fork copies no thread, and the mutex as it happens to be: the child begins anew.
    return pthread_atfork(nullptr, nullptr, [] { threads = new WorkerThreads; }) == 0;
  }();
  (void)began;
  return *threads;
}

void WorkerThreads::run(std::size_t helpers, const std::function<void()>& work) {
  Job job{.work = &work, .open = helpers};
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    wanted_ += helpers;
    start_threads();
  }
  for (std::size_t k = 0; k < helpers; ++k) wake_.notify_one();
  work();
  std::unique_lock lock(mutex_);
  std::erase(jobs_, &job);
  done_.wait(lock, [&] { return job.busy == 0; });
  wanted_ -= helpers;
}

void WorkerThreads::start_threads() {
  try {
    while (threads_ < wanted_) {
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
  } catch (const std::exception&) {
    // The system gives no more threads, or no memory for them: those we have do the work.
  }
}

WorkerThreads::Job* WorkerThreads::open_job() const {
  const auto found = std::ranges::find_if(jobs_, [](const Job* job) { return job->open > 0; });
  return found == jobs_.end() ? nullptr : *found;
}

void WorkerThreads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return open_job() != nullptr; });
    Job& job = *open_job();
    --job.open;
    ++job.busy;
    lock.unlock();
    (*job.work)();
    lock.lock();
    // The caller waits for the mutex, so the job is there until it is released.
    if (--job.busy == 0) done_.notify_all();
  }
}

/// Set on every thread that runs a body, so that a nested call stays on its thread.
thread_local bool inside_parallel_body = false;

/// Sets the mark and puts the old value back.
class BodyScope {
 public:
  BodyScope() : before_(inside_parallel_body) { inside_parallel_body = true; }
  ~BodyScope() { inside_parallel_body = before_; }
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  bool before_;
};

/// Keeps the exception of the lowest chunk.
class FirstError {
 public:
  void keep(std::size_t chunk, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (chunk < chunk_) {
      chunk_ = chunk;
      error_ = std::move(error);
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t chunk_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

}  // namespace

std::size_t thread_count(std::optional<std::size_t> wanted) {
  if (!wanted) return std::max(1u, std::thread::hardware_concurrency());
  require_field(*wanted > 0, "threads", static_cast<double>(*wanted), ">= 1");
  return *wanted;
}

void parallel_chunks(std::size_t threads, std::size_t n, std::size_t chunk, const ChunkBody& body) {
  require(threads > 0 && chunk > 0, "parallel_chunks: threads and chunk must be > 0");
  const std::size_t chunks = chunk_count(n, chunk);
  std::atomic<std::size_t> next = 0;
  FirstError first_error;
  const auto work = [&] {
    for (std::size_t c = next++; c < chunks; c = next++) {
      try {
        body(c, c * chunk, std::min(n, (c + 1) * chunk));
      } catch (...) {
        first_error.keep(c, std::current_exception());
      }
    }
  };
  const std::size_t wanted = inside_parallel_body ? 1 : std::min(threads, chunks);
  if (wanted <= 1) {
    // A loop on one thread leaves the others to the loops inside it.
    work();
  } else {
    const auto marked_work = [&] {
      const BodyScope scope;
      work();
    };
    WorkerThreads::shared().run(wanted - 1, marked_work);
  }
  first_error.rethrow();
}

}  // namespace maxmargin

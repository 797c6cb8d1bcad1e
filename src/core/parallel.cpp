// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "core/worker_threads.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

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
    detail::WorkerThreads::shared().run(wanted - 1, marked_work);
  }
  first_error.rethrow();
}

}  // namespace maxmargin

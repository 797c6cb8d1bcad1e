// SPDX-License-Identifier: Apache-2.0
#include "core/worker_threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <thread>

namespace maxmargin::detail {

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

}  // namespace maxmargin::detail

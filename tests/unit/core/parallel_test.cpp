// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

TEST(Parallel, ChunksCoverTheRangeExactlyOnce) {
  for (const std::size_t n : {0u, 1u, 7u, 64u, 65u, 1000u}) {
    for (const std::size_t chunk : {1u, 8u, 64u, 5000u}) {
      for (const std::size_t threads : {1u, 2u, 4u}) {
        std::vector<std::atomic<int>> visits(n);
        std::vector<std::atomic<int>> chunk_visits(chunk_count(n, chunk));
        parallel_chunks(threads, n, chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
          ++chunk_visits.at(c);
          EXPECT_EQ(begin, c * chunk);
          EXPECT_EQ(end, std::min(n, begin + chunk));
          for (std::size_t i = begin; i < end; ++i) ++visits.at(i);
        });
        for (const auto& count : visits) EXPECT_EQ(count, 1);
        for (const auto& count : chunk_visits) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(Parallel, ChunkCountRoundsUpWithoutOverflow) {
  EXPECT_EQ(chunk_count(0, 8), 0u);
  EXPECT_EQ(chunk_count(8, 8), 1u);
  EXPECT_EQ(chunk_count(9, 8), 2u);
  constexpr std::size_t largest = static_cast<std::size_t>(-1);
  EXPECT_EQ(chunk_count(largest, 2), largest / 2 + 1);
  EXPECT_EQ(chunk_count(largest, largest), 1u);
}

TEST(Parallel, SumsAreBitIdenticalForAnyThreadCount) {
  Rng rng(1);
  std::vector<double> values(10007);
  for (double& value : values) value = rng.normal() * std::exp(10 * rng.normal());
  const auto sum_with = [&](std::size_t threads) {
    return parallel_sum(
        threads, values.size(), 100, 0.5, [&](std::size_t, std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i) sum += values[i];
          return sum;
        });
  };
  const double expected = sum_with(1);
  for (const std::size_t threads : {2u, 3u, 4u, 16u}) EXPECT_EQ(sum_with(threads), expected);
}

TEST(Parallel, SumOfNothingIsTheStart) {
  EXPECT_EQ(parallel_sum(2, 0, 10, 3.5, [](auto, auto, auto) { return 1.0; }), 3.5);
}

TEST(Parallel, TheExceptionOfTheLowestChunkWinsAndAllChunksRun) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    std::atomic<int> ran = 0;
    try {
      parallel_chunks(threads, 100, 1, [&](std::size_t c, std::size_t, std::size_t) {
        ++ran;
        if (c >= 17 && c % 3 == 2) throw std::runtime_error(std::to_string(c));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "17");
    }
    EXPECT_EQ(ran, 100);
  }
}

TEST(Parallel, ANestedCallRunsOnItsOwnThread) {
  std::mutex mutex;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  parallel_chunks(4, 8, 1, [&](std::size_t outer, std::size_t, std::size_t) {
    const std::thread::id self = std::this_thread::get_id();
    parallel_chunks(4, 8, 1, [&](std::size_t inner, std::size_t, std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      const std::lock_guard lock(mutex);
      seen.emplace(outer, inner);
    });
  });
  EXPECT_EQ(seen.size(), 64u);
}

TEST(Parallel, ACallAfterANestedOneIsParallelAgain) {
  parallel_chunks(2, 2, 1, [](auto, auto, auto) {});
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> arrived = 0;
  parallel_chunks(2, 2, 1, [&](std::size_t, std::size_t, std::size_t) {
    ++arrived;
    // Each waits for the other, which only two threads can do; a third of a minute is "never".
    for (int i = 0; i < 20000 && arrived < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
}

TEST(Parallel, RefusesZeroThreadsAndEmptyChunks) {
  const ChunkBody nothing = [](std::size_t, std::size_t, std::size_t) {};
  EXPECT_THROW(parallel_chunks(0, 10, 1, nothing), InvalidArgument);
  EXPECT_THROW(parallel_chunks(1, 10, 0, nothing), InvalidArgument);
  EXPECT_THROW((void)parallel_sum(1, 10, 0, 0.0, [](auto, auto, auto) { return 1.0; }),
               InvalidArgument);
  EXPECT_THROW((void)thread_count(0), InvalidArgument);
  EXPECT_EQ(thread_count(3), 3u);
  EXPECT_GE(thread_count(std::nullopt), 1u);
}

TEST(Parallel, MoreThreadsThanChunksDoNoHarm) {
  std::atomic<int> ran = 0;
  parallel_chunks(64, 3, 2, [&](std::size_t, std::size_t, std::size_t) { ++ran; });
  EXPECT_EQ(ran, 2);
}

// Threads wait between loops: loops at once from several threads must not mix up their work, and
// each has its helpers.
TEST(Parallel, SeveralThreadsMayLoopAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (std::size_t round = 0; round < 300; ++round) {
        std::vector<int> visits(37, 0);
        parallel_chunks(3, visits.size(), 5, [&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        if (visits != std::vector<int>(37, 1)) ++wrong;
      }
      std::barrier meeting(2);
      parallel_chunks(
          2, 2, 1, [&](std::size_t, std::size_t, std::size_t) { meeting.arrive_and_wait(); });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// The thread sanitizer cannot start threads in a forked child.
#ifndef __SANITIZE_THREAD__
TEST(Parallel, AForkedChildHasItsOwnThreads) {
  const auto meet = [] {
    std::barrier meeting(2);
    parallel_chunks(
        2, 2, 1, [&](std::size_t, std::size_t, std::size_t) { meeting.arrive_and_wait(); });
  };
  meet();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // A child that waits for a thread that is not there ends by the signal.
    meet();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  meet();
}
#endif

TEST(Parallel, ALoopOnOneThreadLeavesTheOthersToTheLoopInside) {
  // Both inner chunks must be running at once to meet at the barrier.
  std::barrier meeting(2);
  parallel_chunks(1, 1, 1, [&](std::size_t, std::size_t, std::size_t) {
    parallel_chunks(
        2, 2, 1, [&](std::size_t, std::size_t, std::size_t) { meeting.arrive_and_wait(); });
  });
}

TEST(Parallel, InsideALoopOnSeveralThreadsTheInnerLoopStaysOnItsThread) {
  parallel_chunks(2, 2, 1, [&](std::size_t, std::size_t, std::size_t) {
    const std::thread::id own = std::this_thread::get_id();
    parallel_chunks(4, 8, 1, [&](std::size_t, std::size_t, std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), own);
    });
  });
}

}  // namespace
}  // namespace maxmargin

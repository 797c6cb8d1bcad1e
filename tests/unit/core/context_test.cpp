// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/context.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"

namespace maxmargin {
namespace {

Context full(std::vector<std::uint64_t>& seen) {
  return {.threads = 3,
          .seed = 7,
          .memory_limit = 1000,
          .on_progress = [&seen](const Progress& progress) {
            seen.push_back(progress.iteration);
            return progress.iteration < 2 ? Continue::yes : Continue::time_is_up;
          }};
}

TEST(Context, AsksItsCallbackAndGoesOnWithoutOne) {
  EXPECT_EQ(Context().ask({.iteration = 9}), Continue::yes);
  std::vector<std::uint64_t> seen;
  const Context context = full(seen);
  EXPECT_EQ(context.ask({.iteration = 1}), Continue::yes);
  EXPECT_EQ(context.ask({.iteration = 2}), Continue::time_is_up);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(status_of(context.ask({.iteration = 3})), Status::time_limit);
  EXPECT_EQ(status_of(Continue::stop), Status::stopped_by_callback);
}

TEST(Context, OfAPartDiffersInOneThingAlone) {
  std::vector<std::uint64_t> seen;
  const Context context = full(seen);
  const auto expect = [&](const Context& part,
                          std::optional<std::size_t> threads,
                          std::uint64_t seed,
                          Continue answer) {
    EXPECT_EQ(part.threads, threads);
    EXPECT_EQ(part.seed, seed);
    EXPECT_EQ(part.memory_limit, 1000U);
    EXPECT_EQ(part.ask({.iteration = 5}), answer);
  };
  expect(context.with_threads(1), 1, 7, Continue::time_is_up);
  expect(context.with_threads(std::nullopt), std::nullopt, 7, Continue::time_is_up);
  expect(context.with_seed(8), 3, 8, Continue::time_is_up);
  EXPECT_EQ(seen.size(), 3U);
  expect(
      context.with_progress([](const Progress&) { return Continue::stop; }), 3, 7, Continue::stop);
  expect(context.quiet(), 3, 7, Continue::yes);
  EXPECT_EQ(seen.size(), 3U) << "another callback was asked";
  expect(context, 3, 7, Continue::time_is_up);
}

TEST(Context, HasHalfOfTheMachinesMemoryUnlessToldOtherwise) {
  EXPECT_EQ(Context().memory_bytes(), machine_memory() / 2);
  EXPECT_EQ(Context{.memory_limit = 5}.memory_bytes(), 5U);
}

TEST(SharedProgress, KeepsTheFirstNo) {
  std::size_t asked = 0;
  const ProgressCallback callback = [&](const Progress& progress) {
    ++asked;
    return progress.iteration == 3 ? Continue::stop : Continue::yes;
  };
  SharedProgress progress(callback);
  EXPECT_EQ(progress({.iteration = 1}), Continue::yes);
  EXPECT_EQ(progress.answer(), Continue::yes);
  EXPECT_EQ(progress({.iteration = 3}), Continue::stop);
  EXPECT_EQ(progress({.iteration = 4}), Continue::stop);
  EXPECT_EQ(progress.answer(), Continue::stop);
  EXPECT_EQ(asked, 2U);
}

TEST(SharedProgress, AsksOneThreadAtATime) {
  std::size_t inside = 0;  // not atomic: the thread sanitizer sees what the count might miss
  std::size_t asked = 0;
  const ProgressCallback callback = [&](const Progress&) {
    EXPECT_EQ(++inside, 1U);
    ++asked;
    --inside;
    return Continue::yes;
  };
  SharedProgress progress(callback);
  parallel_chunks(4, 200, 1, [&](std::size_t, std::size_t, std::size_t) { (void)progress({}); });
  EXPECT_EQ(asked, 200U);
}

TEST(SharedProgress, WithoutACallbackGoesOn) {
  const ProgressCallback none;
  SharedProgress progress(none);
  EXPECT_EQ(progress({}), Continue::yes);
  EXPECT_EQ(progress.answer(), Continue::yes);
}

}  // namespace
}  // namespace maxmargin

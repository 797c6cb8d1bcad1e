// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "kernel_cases.hpp"
#include "maxmargin/kernel/gram.hpp"

namespace maxmargin {
namespace {

using testing::as_sparse;
using testing::random_matrix;

template <class T>
std::vector<T> values_of(const BasicKernelRow<T>& row) {
  return {row.values().begin(), row.values().end()};
}

/// Every row against evaluate(), within `bound`; the diagonal and the symmetry exactly.
template <class T>
void expect_the_gram_matrix(const Kernel& kernel, const Examples& examples, double bound) {
  const std::size_t n = examples.rows();
  BasicKernelRows<T> rows(kernel, examples);
  const DenseMatrix plain = testing::plain_gram(kernel, examples, examples);
  DenseMatrix got(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    const BasicKernelRow<T> row = rows.row(i);
    ASSERT_EQ(row.values().size(), n);
    std::ranges::copy(row.values(), got.row(i).begin());
    ASSERT_EQ(row[i], static_cast<T>(rows.diagonal()[i]));
  }
  EXPECT_LT(testing::largest_error(got, plain), bound) << kernel_name(kernel);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(got(i, j), got(j, i)) << kernel_name(kernel);
  }
}

TEST(KernelRows, EveryKernelsRowsAreTheGramMatrixAndExactlySymmetric) {
  for (const auto& c : testing::kernel_cases()) {
    const DenseMatrix narrow_data = testing::data_for(c, 1, 45, 4, 0.3);
    const DenseMatrix wide = testing::data_for(c, 1, 45, 60, 0.9);
    for (const Examples& examples :
         {Examples(narrow_data), as_sparse(narrow_data), Examples(wide), as_sparse(wide)}) {
      expect_the_gram_matrix<float>(c.kernel, examples, 2e-5);
      expect_the_gram_matrix<double>(c.kernel, examples, 1e-12);
    }
  }
}

/// Rows in every company, cached and not, on any number of threads: always the same bits.
template <class T>
void expect_same_values_in(const Examples& examples, const Kernel& kernel) {
  const std::size_t n = examples.rows();
  BasicKernelRows<T> alone(kernel, examples, {.cache_bytes = 0, .threads = 1});
  // Some rows far apart, to keep the test short.
  constexpr std::size_t asked = 30;
  const auto row_number = [&](std::size_t k) { return k * n / asked; };
  std::vector<std::vector<T>> expected;
  for (std::size_t k = 0; k < asked; ++k) expected.push_back(values_of(alone.row(row_number(k))));
  Rng rng(5);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    BasicKernelRows<T> shared(
        kernel, examples, {.cache_bytes = 15 * n * sizeof(T), .threads = threads});
    for (int repeat = 0; repeat < 4; ++repeat) {
      std::vector<std::size_t> chosen(1 + rng.index(20));
      for (std::size_t& k : chosen) k = rng.index(asked);
      std::vector<std::size_t> wanted;
      for (const std::size_t k : chosen) wanted.push_back(row_number(k));
      const auto got = shared.rows(wanted);
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        ASSERT_TRUE(std::ranges::equal(got[k].values(), expected[chosen[k]]))
            << kernel_name(kernel);
      }
    }
  }
}

void expect_same_values(const Examples& examples, const Kernel& kernel) {
  expect_same_values_in<float>(examples, kernel);
  expect_same_values_in<double>(examples, kernel);
}

TEST(KernelRows, ValuesDependOnNothingButTheExamples) {
  const DenseMatrix dense = random_matrix(2, 1100, 9, 0, 1);
  expect_same_values(Examples(dense), Rbf{.gamma = 2});
  expect_same_values(Examples(dense), ChiSquare{});
  expect_same_values(as_sparse(random_matrix(3, 1100, 30, -1, 1, 0.9)), Rbf{.gamma = 2});
  expect_same_values(Examples(dense), sum_of(Laplace{}, normalised(Linear{})));
}

TEST(KernelRows, CacheHitsMissesAndEvictionsAreCounted) {
  const Examples data(random_matrix(4, 10, 3, -1, 1));
  KernelRows rows(Rbf{}, data, {.cache_bytes = 3 * 10 * sizeof(float) + 5});
  const auto ask = [&](std::size_t i) { static_cast<void>(rows.row(i)); };
  for (const std::size_t i : {0u, 1u, 2u, 0u, 3u}) ask(i);  // 3 drops 1, the least recently used
  EXPECT_EQ(rows.counters().hits, 1u);
  EXPECT_EQ(rows.counters().misses, 4u);
  EXPECT_EQ(rows.counters().evictions, 1u);
  EXPECT_EQ(rows.counters().bytes, 3 * 10 * sizeof(float));
  ask(0);
  ask(2);
  EXPECT_EQ(rows.counters().hits, 3u);
  ask(1);
  EXPECT_EQ(rows.counters().misses, 5u);
  rows.clear();
  EXPECT_EQ(rows.counters().bytes, 0u);
  ask(0);
  EXPECT_EQ(rows.counters().misses, 6u);
}

TEST(KernelRows, HandlesOutliveEvictionAndTheObject) {
  const Examples data(random_matrix(5, 20, 3, -1, 1));
  KernelRow kept;
  std::vector<float> copy;
  {
    KernelRows rows(Rbf{}, data, {.cache_bytes = 20 * sizeof(float)});
    kept = rows.row(7);
    copy = values_of(kept);
    for (std::size_t i = 0; i < 20; ++i) static_cast<void>(rows.row(i));
  }
  EXPECT_EQ(values_of(kept), copy);
  EXPECT_EQ(kept[7], 1.0f);
}

TEST(KernelRows, RepetitionsAreComputedOnce) {
  const Examples data(random_matrix(6, 8, 3, -1, 1));
  KernelRows rows(Rbf{}, data);
  const std::vector<std::size_t> wanted = {5, 2, 5, 5, 2};
  const auto got = rows.rows(wanted);
  EXPECT_EQ(rows.counters().misses, 2u);
  EXPECT_EQ(got[0].values().data(), got[3].values().data());
  EXPECT_EQ(values_of(got[1]), values_of(rows.row(2)));
}

TEST(KernelRows, ManyThreadsMayShareOneObject) {
  const std::size_t n = 120;
  const Examples data = as_sparse(random_matrix(7, n, 40, -1, 1, 0.9));
  KernelRows alone(Rbf{}, data, {.cache_bytes = 0, .threads = 1});
  KernelRows shared(Rbf{}, data, {.cache_bytes = 20 * n * sizeof(float), .threads = 1});
  std::vector<std::vector<float>> expected;
  for (std::size_t i = 0; i < n; ++i) expected.push_back(values_of(alone.row(i)));
  std::vector<std::size_t> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Rng rng(t);
        for (int repeat = 0; repeat < 60; ++repeat) {
          const std::vector<std::size_t> wanted = {rng.index(n), rng.index(n), rng.index(n)};
          const auto got = shared.rows(wanted);
          for (std::size_t k = 0; k < 3; ++k) {
            if (!std::ranges::equal(got[k].values(), expected[wanted[k]])) ++wrong[t];
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<std::size_t>(4, 0));
  const RowCacheCounters counters = shared.counters();
  EXPECT_LE(counters.bytes, 20 * n * sizeof(float));
  EXPECT_LE(counters.hits + counters.misses, 4u * 60 * 3);
  EXPECT_GT(counters.hits, 0u);
}

TEST(KernelRows, NoExamplesAndWrongRows) {
  const Examples none(DenseMatrix(0, 3));
  KernelRows rows(Rbf{}, none);
  EXPECT_EQ(rows.size(), 0u);
  EXPECT_TRUE(rows.rows({}).empty());
  EXPECT_THROW(static_cast<void>(rows.row(0)), InvalidArgument);
  EXPECT_THROW(KernelRows(Rbf{.gamma = -1}, none), InvalidArgument);
  const Examples zero(DenseMatrix(1, 1));
  EXPECT_THROW(KernelRows(Sentropic{}, zero), InvalidArgument);
  EXPECT_THROW(KernelRows(Rbf{}, zero, {.threads = 0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

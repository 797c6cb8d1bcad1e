// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/rows/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "kernel_cases.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

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
void expect_the_gram_matrix(const Kernel& kernel,
                            const Examples& examples,
                            const DenseMatrix& plain,
                            double bound) {
  const std::size_t n = examples.rows();
  BasicKernelRows<T> rows(kernel, examples);
  DenseMatrix got(n, n);
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto handles = rows.rows(all);
  for (std::size_t i = 0; i < n; ++i) {
    const BasicKernelRow<T>& row = handles[i];
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
    const DenseMatrix narrow_data = testing::data_for(c, 1, 41, 4, 0.3);
    const DenseMatrix wide = testing::data_for(c, 1, 41, 30, 0.9);
    for (const Examples& examples :
         {Examples(narrow_data), as_sparse(narrow_data), Examples(wide), as_sparse(wide)}) {
      const DenseMatrix plain = testing::plain_gram(c.kernel, examples, examples);
      expect_the_gram_matrix<float>(c.kernel, examples, plain, 2e-5);
      expect_the_gram_matrix<double>(c.kernel, examples, plain, 1e-12);
    }
  }
}

/// Rows in every company, cached and not, on any number of threads: always the same bits.
template <class T>
void expect_same_values_in(const Examples& examples, const Kernel& kernel) {
  const std::size_t n = examples.rows();
  BasicKernelRows<T> alone(kernel, examples, {.cache_bytes = 0, .context = {.threads = 1}});
  // Some rows far apart, to keep the test short.
  constexpr std::size_t asked = 10;
  const auto row_number = [&](std::size_t k) { return k * n / asked; };
  std::vector<std::vector<T>> expected;
  for (std::size_t k = 0; k < asked; ++k) expected.push_back(values_of(alone.row(row_number(k))));
  Rng rng(5);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    BasicKernelRows<T> shared(
        kernel, examples, {.cache_bytes = 5 * n * sizeof(T), .context = {.threads = threads}});
    for (int repeat = 0; repeat < 4; ++repeat) {
      std::vector<std::size_t> chosen(1 + rng.index(12));
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

TEST(KernelRows, AreExactlySymmetricAcrossStripsAndPanels) {
  // More examples than any part of the computation takes at once, in no round number.
  const std::size_t n = 1357;
  const std::vector<std::size_t> some = {0, 31, 32, 255, 256, 700, 1023, 1024, 1343, 1344, 1356};
  for (const std::size_t d : {std::size_t{2}, std::size_t{13}, std::size_t{150}}) {
    const DenseMatrix data = random_matrix(8 + d, n, d, -1, 1, d > 100 ? 0.95 : 0.0);
    for (const Examples& examples : {Examples(data), as_sparse(data)}) {
      KernelRows rows(Rbf{.gamma = 1.0 / static_cast<double>(d)}, examples);
      const auto got = rows.rows(some);
      for (std::size_t a = 0; a < some.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) ASSERT_EQ(got[a][some[b]], got[b][some[a]]);
      }
    }
  }
}

/// Points at a distance of about `offset` from the origin on both sides of it, so that centring
/// does not help, in pairs of neighbours 1, 1/8, 1/64, ... apart.
struct NeighbourPairs {
  DenseMatrix points;
  std::vector<double> squared_distances;
};
NeighbourPairs neighbour_pairs(std::size_t d, std::size_t pairs, double offset) {
  NeighbourPairs result{random_matrix(9, 2 * pairs, d, -1, 1), {}};
  double step = 1;
  for (std::size_t p = 0; p < pairs; ++p) {
    const auto first = result.points.row(2 * p);
    const auto second = result.points.row(2 * p + 1);
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      first[j] += p % 2 == 0 ? offset : -offset;
      second[j] = first[j] + step * (j % 2 == 0 ? 1.0 : -0.5);
      sum += (second[j] - first[j]) * (second[j] - first[j]);
    }
    result.squared_distances.push_back(sum);
    step /= 8;
  }
  return result;
}

template <class T>
void expect_digits_of_close_pairs(const Examples& examples,
                                  std::span<const double> squared_distances) {
  // kernel-rows.md, numerical notes: (d + 4) times the relative error at the closeness below which
  // a distance is computed again, times t exp(-t) <= 1/e; and the roundings of the exponential.
  const double d = static_cast<double>(examples.cols());
  const double rounding = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
  const double share = std::is_same_v<T, float> ? 0x1p-10 : 0x1p-20;
  const double bound = (d + 4) * rounding / share / std::exp(1.0) + 8 * rounding;
  for (std::size_t p = 0; p < squared_distances.size(); ++p) {
    // The width at which this pair's value is 1/e.
    BasicKernelRows<T> rows(Rbf{.gamma = 1 / squared_distances[p]}, examples);
    EXPECT_NEAR(static_cast<double>(rows.row(2 * p)[2 * p + 1]), std::exp(-1.0), bound)
        << "d " << d << " squared distance " << squared_distances[p];
  }
}

TEST(KernelRows, ClosePairsKeepTheirDigits) {
  for (const std::size_t d : {1u, 2u, 8u, 9u, 40u}) {
    for (const double offset : {1.0, 100.0, 10000.0}) {
      const NeighbourPairs pairs = neighbour_pairs(d, 7, offset);
      // The same among many empty columns is kept sparse.
      DenseMatrix wide(14, 20 * d);
      for (std::size_t i = 0; i < 14; ++i) {
        for (std::size_t j = 0; j < d; ++j) wide(i, 7 * j) = pairs.points(i, j);
      }
      for (const Examples& examples : {Examples(pairs.points), as_sparse(wide)}) {
        expect_digits_of_close_pairs<float>(examples, pairs.squared_distances);
        expect_digits_of_close_pairs<double>(examples, pairs.squared_distances);
      }
    }
  }
}

/// The chi-square sum between 0 and z on a single column is exactly z, so that row 0 shows the
/// exponential alone.
template <class T>
void expect_exponentials(std::span<const T> arguments) {
  DenseMatrix data(arguments.size() + 1, 1);
  std::ranges::copy(arguments, data.values().begin() + 1);
  const Examples examples(std::move(data));
  BasicKernelRows<T> rows(ChiSquare{.gamma = 1}, examples);
  const BasicKernelRow<T> row = rows.row(0);
  double worst = 0;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    const long double exact = std::exp(-static_cast<long double>(arguments[j]));
    const auto rounded = static_cast<T>(exact);
    if (rounded < std::numeric_limits<T>::min()) {
      // Subnormal values may become 0.
      ASSERT_GE(row[j + 1], T{0});
      ASSERT_LE(row[j + 1], std::numeric_limits<T>::min());
      continue;
    }
    const T unit = std::nextafter(rounded, T{2}) - rounded;
    const auto error = static_cast<double>(std::abs(row[j + 1] - exact) / unit);
    worst = std::max(worst, error);
  }
  EXPECT_LT(worst, 2);
}

TEST(KernelRows, ExponentialsAreWithinTwoUnits) {
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(110.0f); bits += 20011) {
    floats.push_back(std::bit_cast<float>(bits));
  }
  expect_exponentials<float>(floats);
  Rng rng(12);
  std::vector<double> doubles = {0, 1e-300, 708.3, 709, 745, 1e6, 1e300};
  for (int k = 0; k < 20000; ++k) {
    doubles.push_back(rng.uniform(0, 750));
    doubles.push_back(std::exp(-rng.uniform(0, 40)));
  }
  expect_exponentials<double>(doubles);
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

TEST(KernelRows, RowsInUseAreNeverOverwritten) {
  const std::size_t n = 50;
  const Examples data(random_matrix(10, n, 3, -1, 1));
  const auto rows = std::make_unique<KernelRows>(
      Rbf{}, data, KernelRowsOptions{.cache_bytes = 2 * n * sizeof(float)});
  std::vector<KernelRow> held(n);
  std::vector<std::vector<float>> copies(n);
  Rng rng(11);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const std::size_t i = rng.index(n);
    if (rng.bernoulli(0.5)) {
      held[i] = rows->row(i);
      copies[i] = values_of(held[i]);
    } else {
      held[i] = KernelRow();
      copies[i].clear();
    }
    if (repeat % 100 == 99) rows->clear();
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(values_of(held[k]), copies[k]);
  }
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
  KernelRows alone(Rbf{}, data, {.cache_bytes = 0, .context = {.threads = 1}});
  KernelRows shared(
      Rbf{}, data, {.cache_bytes = 20 * n * sizeof(float), .context = {.threads = 1}});
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
  EXPECT_THROW(KernelRows(Rbf{}, zero, {.context = {.threads = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

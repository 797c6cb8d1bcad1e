// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t d = 12;

/// A dense vector and its sparse twin.
class Twin {
 public:
  explicit Twin(std::uint64_t seed, double zero_share = 0.6) : dense_(1, d) {
    Rng rng(seed, "row");
    for (double& value : dense_.values()) value = rng.bernoulli(zero_share) ? 0.0 : rng.normal();
    sparse_ = to_sparse(dense_.view());
  }
  [[nodiscard]] std::span<const double> numbers() const { return dense_.row(0); }
  /// The row dense (0) or sparse (1).
  [[nodiscard]] Row row(int kind) const {
    return kind == 0 ? Row(dense_.row(0)) : Row(sparse_.row(0));
  }

 private:
  DenseMatrix dense_;
  SparseMatrix sparse_;
};

TEST(Row, EveryMixOfDenseAndSparseGivesTheDenseAnswer) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // Shares of zeros from none to all, so that full, empty and disjoint rows occur.
    const Twin a(seed, static_cast<double>(seed % 5) / 4);
    const Twin b(100 + seed, static_cast<double>(seed % 4) / 3);
    double dot = 0;
    double squares = 0;
    double squared_distance = 0;
    double l1_distance = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double x = a.numbers()[j];
      const double z = b.numbers()[j];
      dot += x * z;
      squares += x * x;
      squared_distance += (x - z) * (x - z);
      l1_distance += std::abs(x - z);
    }
    for (const int kind_a : {0, 1}) {
      EXPECT_NEAR(a.row(kind_a).squared_norm(), squares, 1e-14 * (1 + squares));
      EXPECT_NEAR(a.row(kind_a).dot(b.numbers()), dot, 1e-14 * (1 + squares));
      for (std::size_t j = 0; j < d; ++j) EXPECT_EQ(a.row(kind_a).at(j), a.numbers()[j]);
      EXPECT_EQ(a.row(kind_a).at(d), 0);
      EXPECT_EQ(a.row(kind_a).at(std::size_t{1} << 40), 0);
      for (const int kind_b : {0, 1}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " kinds " << kind_a << kind_b);
        const Row x = a.row(kind_a);
        const Row z = b.row(kind_b);
        EXPECT_NEAR(x.dot(z), dot, 1e-13);
        EXPECT_NEAR(x.squared_distance(z), squared_distance, 1e-13 * (1 + squared_distance));
        EXPECT_NEAR(x.l1_distance(z), l1_distance, 1e-13 * (1 + l1_distance));
        EXPECT_EQ(x.squared_distance(z), z.squared_distance(x));
        EXPECT_EQ(x.dot(z), z.dot(x));
      }
    }
  }
}

TEST(Row, AxpyIntoAddsTheRow) {
  const Twin a(7);
  for (const int kind : {0, 1}) {
    std::vector<double> y(d, 1.0);
    a.row(kind).axpy_into(-2, y);
    for (std::size_t j = 0; j < d; ++j) EXPECT_EQ(y[j], 1 - 2 * a.numbers()[j]);
  }
}

TEST(Row, ShorterWeightsIgnoreTheFeaturesTheyDoNotKnow) {
  const Twin a(8, 0.3);
  const std::vector<double> w(5, 1.0);
  double sum = 0;
  for (std::size_t j = 0; j < 5; ++j) sum += a.numbers()[j];
  for (const int kind : {0, 1}) {
    EXPECT_NEAR(a.row(kind).dot(w), sum, 1e-14);
    std::vector<double> y(5, 0.0);
    a.row(kind).axpy_into(1, y);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(y[j], a.numbers()[j]);
  }
}

TEST(Row, LongerWeightsMeetZeros) {
  const Twin a(9);
  std::vector<double> w(d + 3, 1.0);
  const double expected = a.row(1).dot(std::span<const double>(w).first(d));
  for (const int kind : {0, 1}) EXPECT_NEAR(a.row(kind).dot(w), expected, 1e-14);
}

TEST(Row, SparseRowsMayReachBeyondDenseOnes) {
  const std::vector<double> dense = {1, 2};
  const std::vector<std::int32_t> columns = {1, 4};
  const std::vector<double> values = {3, 5};
  const Row x{std::span<const double>(dense)};
  const Row z{SparseRow{columns, values}};
  EXPECT_EQ(x.dot(z), 6);
  EXPECT_EQ(z.dot(x), 6);
  EXPECT_EQ(x.squared_distance(z), 1 + 1 + 25);
  EXPECT_EQ(z.l1_distance(x), 1 + 1 + 5);
}

TEST(Row, ForEachVisitsEveryStoredEntryInOrder) {
  const std::vector<std::int32_t> columns = {0, 3, 9};
  const std::vector<double> values = {1, -2, 4};
  std::vector<std::pair<std::size_t, double>> seen;
  Row(SparseRow{columns, values}).for_each([&](std::size_t j, double v) {
    seen.emplace_back(j, v);
  });
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, double>>{{0, 1}, {3, -2}, {9, 4}}));
  seen.clear();
  Row(std::span<const double>(values)).for_each([&](std::size_t j, double v) {
    seen.emplace_back(j, v);
  });
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, double>>{{0, 1}, {1, -2}, {2, 4}}));
}

TEST(Row, ForEachPairKeepsTheOrderOfItsArguments) {
  const Twin a(10);
  const Twin b(11);
  for (const int kind_a : {0, 1}) {
    for (const int kind_b : {0, 1}) {
      double sum_a = 0;
      double sum_b = 0;
      for_each_pair(a.row(kind_a), b.row(kind_b), [&](double x, double z) {
        sum_a += x;
        sum_b += 10 * z;
      });
      double expected_a = 0;
      double expected_b = 0;
      for (std::size_t j = 0; j < d; ++j) {
        expected_a += a.numbers()[j];
        expected_b += 10 * b.numbers()[j];
      }
      EXPECT_NEAR(sum_a, expected_a, 1e-13);
      EXPECT_NEAR(sum_b, expected_b, 1e-12);
    }
  }
}

TEST(Row, DenseRowsOfDifferentLengthAreRefused) {
  const std::vector<double> two(2);
  const std::vector<double> three(3);
  const Row x{std::span<const double>(two)};
  const Row z{std::span<const double>(three)};
  EXPECT_THROW(static_cast<void>(x.dot(z)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(x.squared_distance(z)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(z.l1_distance(x)), InvalidArgument);
  EXPECT_THROW(for_each_pair(x, z, [](double, double) {}), InvalidArgument);
}

TEST(Row, DenseDistancesOfEveryLength) {
  // Lengths around the width of the unrolled sum.
  for (std::size_t n = 0; n <= 35; ++n) {
    const DenseMatrix rows = test::random_matrix(2, n, n);
    double squared = 0;
    double absolute = 0;
    for (std::size_t j = 0; j < n; ++j) {
      squared += std::pow(rows(0, j) - rows(1, j), 2);
      absolute += std::abs(rows(0, j) - rows(1, j));
    }
    const Row x(rows.row(0));
    const Row z(rows.row(1));
    EXPECT_NEAR(x.squared_distance(z), squared, 1e-14 * (1 + squared));
    EXPECT_NEAR(x.l1_distance(z), absolute, 1e-14 * (1 + absolute));
  }
}

TEST(Row, EmptyRows) {
  const Row dense{std::span<const double>{}};
  const Row sparse{SparseRow{}};
  for (const Row& x : {dense, sparse}) {
    for (const Row& z : {dense, sparse}) {
      EXPECT_EQ(x.dot(z), 0);
      EXPECT_EQ(x.squared_distance(z), 0);
    }
    EXPECT_EQ(x.squared_norm(), 0);
    EXPECT_EQ(x.at(0), 0);
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "cluster/mmc/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "label_cases.hpp"
#include "maxmargin/data/examples.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t n = 60;

/// Points around (1, 1, 1); a third of the entries are 0.
DenseMatrix some_points() {
  const auto points = normal_points(n, 3, 11);
  DenseMatrix x(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 3; ++j) x(i, j) = (i + j) % 3 == 0 ? 0.0 : 1 + points[i][j];
  }
  return x;
}

/// Labels that no machine can follow: half by a coordinate, half at random.
std::vector<std::int32_t> some_labels(const DenseMatrix& x, std::size_t classes) {
  Rng rng(5, "labels");
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const bool given = rng.bernoulli(0.5);
    labels.push_back(given ? (x(i, 0) > 1 ? 0 : 1) : static_cast<std::int32_t>(i % classes));
  }
  return labels;
}

/// Two machines on the same labels, each within `gap` of the best.
void expect_same(const MmcFit& one, const MmcFit& twin, double gap) {
  EXPECT_EQ(one.status, Status::solved);
  EXPECT_NEAR(one.objective, twin.objective, 2 * gap * twin.objective);
  EXPECT_LE(one.dual, twin.objective * (1 + 1e-9));
  EXPECT_GE(one.dual, (1 - 2 * gap) * one.objective);
  // 1/2 |w - w*|^2 <= gap P: the values of points within distance 6 of the mean follow.
  const double near = 6 * std::sqrt(8 * gap * twin.objective);
  ASSERT_EQ(one.values.rows(), twin.values.rows());
  ASSERT_EQ(one.values.cols(), twin.values.cols());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < one.values.cols(); ++r) {
      EXPECT_NEAR(one.values(i, r), twin.values(i, r), near);
    }
  }
}

/// Values at the points as given, by plain loops.
void expect_own_values(const DenseMatrix& x, const MmcFit& fit) {
  ASSERT_EQ(fit.weights.rows(), fit.offsets.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < fit.weights.rows(); ++r) {
      double value = fit.offsets[r];
      for (std::size_t j = 0; j < 3; ++j) value += fit.weights(r, j) * x(i, j);
      EXPECT_NEAR(value, fit.values(i, r), 1e-9);
    }
  }
}

// The machines of many points, on few: coordinate descent on plain and on shifted rows, cutting
// planes, and Crammer and Singer's, each against the machine of the inner products.
TEST(MmcMachine, FeaturesAndInnerProductsGiveTheSame) {
  constexpr double gap = 1e-6;
  const DenseMatrix x = some_points();
  for (const std::size_t classes : {2U, 3U}) {
    const std::vector<std::int32_t> labels = some_labels(x, classes);
    for (const MmcBias bias : {MmcBias::center, MmcBias::constant, MmcBias::none}) {
      for (const bool sparse : {false, true}) {
        const Examples examples = sparse ? Examples(to_sparse(x.view())) : Examples(x);
        const MmcPoints points = mmc_points(examples, bias, classes, 1);
        const DenseMatrix gram = points_gram(points, 1);
        const MmcTraining training{.c = 0.5, .tolerance = gap, .context = {.threads = 1}};
        MmcFit twin = gram_machine(gram, classes)->train(labels, training, nullptr);
        set_weights(points, twin);
        expect_own_values(x, twin);
        for (const std::size_t cut_points : {n, n - 1}) {
          SCOPED_TRACE(std::string(to_string(bias)) + (sparse ? ", sparse, " : ", dense, ") +
                       std::to_string(classes) + " classes, cut points " +
                       std::to_string(cut_points));
          const auto machine = feature_machine(points, classes, cut_points);
          const MmcFit found = machine->train(labels, training, nullptr);
          expect_same(found, twin, gap);
          expect_own_values(x, found);
          // From a machine on other labels.
          std::vector<std::int32_t> others = labels;
          std::ranges::reverse(others);
          const MmcFit before = machine->train(others, training, nullptr);
          expect_same(machine->train(labels, training, &before), twin, gap);
        }
      }
    }
  }
}

// Chunks of 4,096 rows: the sums over them have one order for any number of threads.
TEST(MmcMachine, SameForAnyNumberOfThreads) {
  const auto many = normal_points(9000, 2, 12);
  DenseMatrix x(many.size(), 2);
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < many.size(); ++i) {
    std::ranges::copy(many[i], x.row(i).begin());
    labels.push_back(many[i][0] + many[i][1] * many[i][1] > 0.5 ? 0 : 1);
  }
  for (const bool sparse : {false, true}) {
    const Examples examples = sparse ? Examples(to_sparse(x.view())) : Examples(x);
    const MmcPoints points = mmc_points(examples, MmcBias::center, 2, 1);
    for (const std::size_t cut_points : {many.size(), std::size_t{1}}) {
      const auto machine = feature_machine(points, 2, cut_points);
      const auto trained = [&](std::size_t threads) {
        return machine->train(
            labels, {.c = 0.01, .tolerance = 1e-2, .context = {.threads = threads}}, nullptr);
      };
      const MmcFit one = trained(1);
      const MmcFit three = trained(3);
      EXPECT_EQ(one.objective, three.objective);
      EXPECT_EQ(one.dual, three.dual);
      EXPECT_TRUE(std::ranges::equal(one.values.values(), three.values.values()));
    }
  }
}

}  // namespace
}  // namespace maxmargin

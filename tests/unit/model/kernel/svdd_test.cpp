// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::values_by_formula;

KernelMachineOptions exact(const Kernel& kernel) {
  return {.kernel = kernel, .control = {.tolerance = 1e-10}};
}

TrainedSvdd sphere(DenseMatrix points, const Kernel& kernel, double nu = 0) {
  return train_svdd({.examples = std::move(points)}, {.nu = nu, .machine = exact(kernel)});
}

TEST(Svdd, ReproducesTheGoldenIrisRows) {  // seed-merat facts 51 and 52, table of the appendix
  struct Golden {
    double q;
    double p;
    double squared_radius;
    double objective;
  };
  const Dataset data = iris();
  for (const Golden& row : {Golden{0.125, 0, 0.64184968, 0.64184968},
                            Golden{0.125, 0.1, 0.59955931, 0.62758701},
                            Golden{0.5, 0, 0.83311698, 0.83311698},
                            Golden{0.5, 0.1, 0.81998923, 0.83048636},
                            Golden{0.5, 0.2, 0.79131471, 0.81750514},
                            Golden{1, 0.2, 0.87333499, 0.88937018},
                            Golden{2, 0, 0.93859523, 0.93859523},
                            Golden{2, 0.2, 0.93270266, 0.93776008}}) {
    SCOPED_TRACE(std::to_string(row.q) + " " + std::to_string(row.p));
    const TrainedSvdd trained =
        train_svdd(data, {.nu = row.p, .machine = exact(Rbf{.gamma = row.q})});
    ASSERT_EQ(trained.fit.report.status, Status::solved);
    EXPECT_NEAR(*trained.fit.report.dual_objective, row.objective, 2e-8);
    EXPECT_NEAR(trained.squared_radius, row.squared_radius, 2e-6);
    EXPECT_LT(trained.squared_radius, 1);
  }
}

TEST(Svdd, SmallCasesHaveTheirExactSpheres) {  // seed-merat fact 49
  EXPECT_NEAR(sphere(matrix(1, {0, 2}), Linear{}).squared_radius, 1, 1e-8);
  const double height = std::sqrt(0.75);
  const TrainedSvdd triangle = sphere(matrix(2, {0, 0, 1, 0, 0.5, height}), Linear{});
  EXPECT_NEAR(triangle.squared_radius, 1.0 / 3, 1e-8);
  for (const double b : expansion(triangle.fit.model.function).coefficients.values()) {
    EXPECT_NEAR(b, 2.0 / 3, 1e-5);  // the function is twice the centre's
  }
  const TrainedSvdd inside = sphere(matrix(2, {0, 0, 4, 0, 2, 0.5}), Linear{});
  EXPECT_NEAR(inside.squared_radius, 4, 1e-7);
  EXPECT_EQ(inside.fit.machines[0].support_vectors, 2U);
  EXPECT_NEAR(
      sphere(matrix(1, {0, 1}), Rbf{.gamma = 0.5}).squared_radius, (1 - std::exp(-0.5)) / 2, 1e-8);
}

TEST(Svdd, OnePointIsItsOwnSphere) {  // seed-merat fact 53
  const TrainedSvdd trained = sphere(matrix(2, {3, 4}), Linear{});
  EXPECT_EQ(trained.fit.report.status, Status::solved);
  EXPECT_NEAR(trained.squared_radius, 0, 1e-9);
  EXPECT_NEAR(trained.fit.model.predict(matrix(2, {3, 5}))[0], -1, 1e-9);
}

TEST(Svdd, TheFunctionIsTheDistanceInsideTheSphere) {  // seed-merat fact 48
  const DenseMatrix x = gaussian_points(50, 2, 1);
  for (const double nu : {0.0, 0.2}) {
    const TrainedSvdd trained = sphere(DenseMatrix(x), Linear{}, nu);
    const KernelExpansion& machine = expansion(trained.fit.model.function);
    double centre[2] = {0, 0};
    double mass = 0;
    for (std::size_t k = 0; k < machine.vectors.rows(); ++k) {
      const double b = machine.coefficients(k, 0) / 2;
      mass += b;
      for (std::size_t j = 0; j < 2; ++j) centre[j] += b * machine.vectors.dense()(k, j);
      EXPECT_GE(b, 0);
      if (nu > 0) {
        EXPECT_LE(b, 1 / (nu * 50) + 1e-15);
      }
    }
    EXPECT_NEAR(mass, 1, 1e-12);
    const std::vector<double> f =
        trained.fit.model.predict(x, {.precision = ValuePrecision::exact});
    std::size_t outside = 0;
    double slacks = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      const double distance = squared_distance(x.row(i), centre);
      EXPECT_NEAR(f[i], trained.squared_radius - distance, 1e-9);
      outside += f[i] < -1e-5 ? 1U : 0U;
      slacks += std::max(0.0, -f[i]);
    }
    EXPECT_LE(static_cast<double>(outside), nu * 50);
    // W = R^2 + C sum of slacks.
    const double cost = nu > 0 ? 1 / (nu * 50) : 1.0;
    EXPECT_NEAR(trained.squared_radius + cost * slacks,
                *trained.fit.report.primal_objective,
                1e-8 * trained.squared_radius);
  }
}

TEST(Svdd, MovingAllPointsMovesTheSphere) {  // seed-merat fact 53
  DenseMatrix x = gaussian_points(40, 3, 2);
  const double before = sphere(DenseMatrix(x), Linear{}, 0.1).squared_radius;
  for (double& value : x.values()) value += 10;
  EXPECT_NEAR(sphere(std::move(x), Linear{}, 0.1).squared_radius, before, 1e-5 * before);
}

TEST(Svdd, AWeightlessPointMayLieOutside) {
  Dataset data{.examples = matrix(1, {0, 2, 100})};
  data.weights = {1, 1, 0};
  const TrainedSvdd trained = train_svdd(data, {.nu = 0, .machine = exact(Linear{})});
  EXPECT_NEAR(trained.squared_radius, 1, 1e-7);
}

TEST(Svdd, RejectsNuOutsideItsRange) {
  for (const double nu : {-0.1, 1.0, 2.0}) {
    EXPECT_THROW(static_cast<void>(sphere(matrix(1, {0, 1}), Linear{}, nu)), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(train_svdd(Dataset{}, {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "cluster/relabeler/annealing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

// seed-merat fact 60 and FC-42
TEST(Cooling, GeometricTemperatureIsBetaToTheStep) {
  const Cooling cooling;
  EXPECT_EQ(cooling.temperature_at(0, 60), 10);
  EXPECT_NEAR(cooling.temperature_at(10, 60), 6.65, 5e-3);
  EXPECT_NEAR(cooling.temperature_at(17, 60), 5.00, 5e-3);
  EXPECT_NEAR(cooling.temperature_at(30, 60), 2.938576, 5e-7);
  EXPECT_NEAR(cooling.temperature_at(50, 60), 1.30, 5e-3);
}

TEST(Cooling, SchedulesFallFromTheSameTemperature) {
  for (const CoolingSchedule schedule :
       {CoolingSchedule::geometric, CoolingSchedule::linear, CoolingSchedule::logarithmic}) {
    const Cooling cooling{.schedule = schedule, .temperature = 6};
    EXPECT_DOUBLE_EQ(cooling.temperature_at(0, 20), 6);
    for (std::size_t step = 1; step <= 20; ++step) {
      EXPECT_LT(cooling.temperature_at(step, 20), cooling.temperature_at(step - 1, 20));
      EXPECT_GE(cooling.temperature_at(step, 20), 0);
    }
  }
  EXPECT_EQ((Cooling{.schedule = CoolingSchedule::linear}.temperature_at(20, 20)), 0);
  EXPECT_THROW(static_cast<void>(Cooling{}.temperature_at(21, 20)), InvalidArgument);
}

// seed-merat fact 60
TEST(Metropolis, AcceptsAFallAlwaysAndARiseWithItsProbability) {
  Rng rng(1);
  constexpr std::size_t trials = 20000;
  std::size_t accepted = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    EXPECT_TRUE(accepts(-1e-12, 0.1, rng));
    EXPECT_TRUE(accepts(0, 0.1, rng));
    if (accepts(2, 4, rng)) ++accepted;
  }
  const double p = std::exp(-0.5);
  EXPECT_NEAR(static_cast<double>(accepted) / trials, p, 5 * std::sqrt(p * (1 - p) / trials));
  EXPECT_FALSE(accepts(1e-300, 0, rng));
}

TEST(Perturbation, StallLawGrowsToAHalf) {
  EXPECT_EQ(perturbation_at(PerturbationLaw::constant, 0.1, 7), 0.1);
  EXPECT_EQ(perturbation_at(PerturbationLaw::stall, 0.1, 0), 0.1);
  EXPECT_DOUBLE_EQ(perturbation_at(PerturbationLaw::stall, 0.1, 3), 0.25);
  EXPECT_EQ(perturbation_at(PerturbationLaw::stall, 0.1, 1000), 0.5);
  EXPECT_EQ(perturbation_at(PerturbationLaw::stall, 0.7, 5), 0.7);
}

// seed-merat fact 59
TEST(PerturbLabels, NeverAtZeroAlwaysAtOne) {
  Rng rng(2);
  const std::vector<std::int32_t> labels = {0, 1, 1, 0, 1, 0, 0};
  std::vector<std::int32_t> moved = labels;
  perturb_labels(moved, 2, 0, rng);
  EXPECT_EQ(moved, labels);
  perturb_labels(moved, 2, 1, rng);
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(moved[i], 1 - labels[i]);
  EXPECT_THROW(perturb_labels(moved, 1, 0.5, rng), InvalidArgument);
}

TEST(PerturbLabels, MovesToAllOtherClassesEquallyOften) {
  Rng rng(3);
  constexpr std::size_t n = 30000;
  std::vector<std::int32_t> labels(n, 1);
  perturb_labels(labels, 4, 0.3, rng);
  const auto share = [&](std::int32_t c) {
    return static_cast<double>(std::ranges::count(labels, c)) / n;
  };
  const double error = 5 * std::sqrt(0.3 * 0.7 / n);
  EXPECT_NEAR(share(1), 0.7, error);
  for (const std::int32_t other : {0, 2, 3}) EXPECT_NEAR(share(other), 0.1, error);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::dual_by_planes;
using testing::faults_of;
using testing::random_planes;
using testing::TableRisk;
using testing::Traced;
using testing::traced;

/// One pass, one cut: the method as the thesis has it.
StructuralOptions plain(double c, double tolerance) {
  return {
      .c = c, .tolerance = tolerance, .max_passes = 5000, .cached_planes = 0, .idle_turns = 100000};
}

/// A state seen as the reduced dual: H, b, c and what follows.
struct ReducedDual {
  explicit ReducedDual(const StructuralState& state, std::size_t dimension)
      : w(dimension, 0.0), slopes(state.planes.size()) {
    const PlaneTable& planes = state.planes;
    for (std::size_t t = 0; t < planes.size(); ++t) {
      sum += planes.weights[t];
      linear += planes.weights[t] * planes.offsets[t];
      for (std::size_t k = planes.begins[t]; k < planes.begins[t + 1]; ++k) {
        w[planes.indices[k]] += planes.weights[t] * planes.values[k];
      }
    }
    for (const double x : w) square += x * x;
    for (std::size_t t = 0; t < planes.size(); ++t) {
      slopes[t] = planes.offsets[t];
      for (std::size_t k = planes.begins[t]; k < planes.begins[t + 1]; ++k) {
        slopes[t] -= planes.values[k] * w[planes.indices[k]];
      }
      slack = std::max(slack, slopes[t]);
    }
  }
  [[nodiscard]] double dual() const { return linear - 0.5 * square; }

  std::vector<double> w;
  std::vector<double> slopes;  ///< c_t - w.g_t
  double sum = 0;              ///< of the weights
  double linear = 0;           ///< c'b
  double square = 0;           ///< |w|^2 = b'Hb
  double slack = 0;            ///< of the reduced problem
};

TEST(OneSlack, CertificateIsRecomputedFromTheCuts) {
  for (const StructuralOptions& options : {StructuralOptions{.max_passes = 5000}, plain(1, 1)}) {
    testing::expect_certificates(solve_one_slack, {1e-2, 1e-5}, options);
  }
}

// The checker itself: weights above C and planes above the risk are found.
TEST(OneSlack, CheckerFindsFaults) {
  const TableRisk risk(4, random_planes(8, 4, 3, 2));
  const StructuralState good = traced(solve_one_slack, risk, plain(0.1, 1e-3)).states.back();
  EXPECT_TRUE(faults_of(risk, good, 0.1).empty());
  StructuralState heavy = good;
  for (double& weight : heavy.planes.weights) weight += 0.1;
  EXPECT_FALSE(faults_of(risk, heavy, 0.1).empty());
  StructuralState high = good;
  high.planes.offsets[0] += 1e-3;
  EXPECT_FALSE(faults_of(risk, high, 0.1).empty());
}

// seed-yu facts 1, 2, 7 and 10: D rises, D_t <= optimum <= P_t, weights and w are bounded, cuts are
// below the risk.
TEST(OneSlack, BoundsHoldInEveryPass) {
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    const std::size_t n = 25;
    const TableRisk risk(5, random_planes(n, 5, 4, seed));
    const double c = 0.1;
    const StructuralSolution best = solve_one_slack(risk, plain(c, 1e-6));
    const Traced run = traced(solve_one_slack, risk, plain(c, 1e-4));
    double before = 0;
    for (const StructuralState& state : run.states) {
      const double dual = dual_by_planes(state, 5);
      EXPECT_GE(dual, before - 1e-9 * *best.report.primal_objective);
      before = dual;
      EXPECT_LE(dual, *best.report.primal_objective);
      EXPECT_GE(structural_primal(risk, c, state.w), *best.report.dual_objective * (1 - 1e-12));
      EXPECT_EQ(faults_of(risk, state, c), std::vector<std::string>());
      const ReducedDual reduced(state, 5);
      EXPECT_LE(reduced.square, 2 * c * static_cast<double>(n) * risk.largest_loss() * (1 + 1e-9));
    }
  }
}

// seed-yu facts 3, 4 and 5, with the reduced dual's own gap, which the thesis takes to be 0:
// P - D = C (violation) + (C slack - sum_t b_t (c_t - w.g_t)).
TEST(OneSlack, GapIsTheViolation) {
  const TableRisk risk(5, random_planes(25, 5, 4, 6));
  const double c = 0.05;
  const double tolerance = 1e-6;
  const Traced run = traced(solve_one_slack, risk, plain(c, tolerance));
  ASSERT_GE(run.states.size(), 5u);
  const double objective = *run.solution.report.primal_objective;
  for (const StructuralState& state : run.states) {
    const ReducedDual reduced(state, 5);
    const double primal = structural_primal(risk, c, reduced.w);
    const double loss = (primal - 0.5 * reduced.square) / c;
    double spent = 0;
    for (std::size_t t = 0; t < reduced.slopes.size(); ++t) {
      spent += state.planes.weights[t] * reduced.slopes[t];
    }
    const double own_gap = c * reduced.slack - spent;
    EXPECT_NEAR(primal - reduced.dual(), c * (loss - reduced.slack) + own_gap, 1e-9 * (1 + primal));
    // Solved to a tenth of what is wanted, of an objective that was at most P(0).
    EXPECT_LE(own_gap, 0.1 * tolerance * structural_primal(risk, c, std::vector<double>(5, 0.0)));
    EXPECT_NEAR((reduced.linear - reduced.square) / c, reduced.slack, own_gap / c + 1e-9);
  }
  const ReducedDual last(run.states.back(), 5);
  const double loss = (structural_primal(risk, c, last.w) - 0.5 * last.square) / c;
  EXPECT_LE(c * (loss - last.slack), 1.01 * tolerance * objective);
}

// seed-yu fact 6.
TEST(OneSlack, FirstCutHasAllLosses) {
  const TableRisk risk(4, random_planes(10, 4, 5, 8), {1, 2, 1, 0, 1, 1, 0.5, 1, 1, 1});
  double losses = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    double largest = 0;
    for (const StructuralPlane& plane : risk.planes()[i]) {
      largest = std::max(largest, plane.offset);
    }
    losses += risk.weight(i) * largest;
  }
  StructuralOptions options = plain(0.3, 1e-9);
  options.max_passes = 1;
  const Traced run = traced(solve_one_slack, risk, options);
  EXPECT_EQ(run.solution.report.status, Status::iteration_limit);
  ASSERT_EQ(run.states.at(0).planes.size(), 1u);
  EXPECT_NEAR(run.states[0].planes.offsets[0], losses, 1e-12 * losses);
  EXPECT_NEAR(*run.solution.report.primal_objective, 0.3 * losses, 1e-12 * losses);
  EXPECT_EQ(run.solution.w, std::vector<double>(4, 0.0));
}

// seed-yu facts 8 and 9, in the mean form: C' = n C, slopes and losses over n.
TEST(OneSlack, CutsRaiseTheDualAsProved) {
  const std::size_t n = 20;
  const TableRisk risk(5, random_planes(n, 5, 4, 9));
  const double c = 0.02;
  const double mean_c = c * static_cast<double>(n);
  const double r = risk.largest_slope();
  const Traced run = traced(solve_one_slack, risk, plain(c, 1e-5));
  const double objective = *run.solution.report.primal_objective;
  // The reduced dual is solved to a tenth of what is wanted of the best P, at most P(0).
  const double inexact = 1e-6 * structural_primal(risk, c, std::vector<double>(5, 0.0));
  for (std::size_t t = 0; t + 1 < run.states.size(); ++t) {
    const ReducedDual now(run.states[t], 5);
    const double loss = (structural_primal(risk, c, now.w) - 0.5 * now.square) / c;
    const double violation = (loss - now.slack) / static_cast<double>(n);
    const double gain = dual_by_planes(run.states[t + 1], 5) - now.dual();
    EXPECT_GE(gain,
              std::min(mean_c * violation / 2, violation * violation / (8 * r * r)) - inexact);
  }
  const double eps = 1e-5 * objective / mean_c;
  ASSERT_LE(eps, 4 * r * r * mean_c);
  const double bound =
      std::max(0.0, std::ceil(std::log2(risk.largest_loss() / (4 * r * r * mean_c)))) +
      std::ceil(16 * r * r * mean_c / eps);
  EXPECT_LE(static_cast<double>(run.solution.report.iterations), bound);
}

// seed-yu fact 13.
TEST(OneSlack, PruningKeepsTheAnswer) {
  const TableRisk risk(8, random_planes(40, 8, 6, 10));
  StructuralOptions options = plain(0.2, 1e-5);
  const Traced all = traced(solve_one_slack, risk, options);
  options.idle_turns = 1;
  const Traced few = traced(solve_one_slack, risk, options);
  EXPECT_EQ(few.solution.report.status, Status::solved);
  EXPECT_LT(few.states.back().planes.size(), all.states.back().planes.size());
  EXPECT_NEAR(*few.solution.report.primal_objective,
              *all.solution.report.primal_objective,
              1e-5 * *all.solution.report.primal_objective);
}

// A step of a latent search begins with planes that say no more than its first cuts: where their
// cut comes again, the oracle is next, not the end.
TEST(OneSlack, KnownPlanesDoNotEndARunBeforeItsOracle) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const TableRisk risk(8, random_planes(60, 8, 6, seed));
    StructuralOptions options = plain(0.2, 1e-12);
    options.cached_planes = 20;
    options.keep_state = true;
    const StructuralSolution first = solve_one_slack(risk, options);
    StructuralState moved = *first.state;
    moved.is_moved = true;
    moved.passes = moved.oracle_calls = 0;
    options.tolerance = 1e-17;
    const StructuralSolution found = solve_one_slack(risk, options, &moved);
    EXPECT_GT(found.oracle_calls, 0u) << seed << " " << to_string(found.report.status);
  }
}

TEST(OneSlack, CacheSavesOracleCalls) {
  const TableRisk risk(8, random_planes(60, 8, 6, 12));
  StructuralOptions options = plain(0.2, 1e-4);
  const StructuralSolution without = solve_one_slack(risk, options);
  options.cached_planes = 5;
  const StructuralSolution with = solve_one_slack(risk, options);
  EXPECT_EQ(with.report.status, Status::solved);
  EXPECT_LT(with.oracle_calls, without.oracle_calls);
  EXPECT_NEAR(*with.report.primal_objective,
              *without.report.primal_objective,
              1e-4 * *without.report.primal_objective);
}

// seed-yu fact 14: slopes times s and C over s^2 give w over s and the objective over s^2.
TEST(OneSlack, ScalesWithTheFeatures) {
  const double s = 4;  // a power of 2: no rounding
  const TableRisk risk(5, random_planes(20, 5, 4, 13));
  const TableRisk scaled(5, random_planes(20, 5, 4, 13, s));
  const StructuralSolution first = solve_one_slack(risk, {.c = 0.5, .tolerance = 1e-4});
  const StructuralSolution second =
      solve_one_slack(scaled, {.c = 0.5 / (s * s), .tolerance = 1e-4});
  EXPECT_EQ(*second.report.primal_objective, *first.report.primal_objective / (s * s));
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(second.w[j], first.w[j] / s);
}

// seed-yu fact 15 in the sum form: every example twice at half the C; and twice is weight 2.
TEST(OneSlack, TwoOfEachAreWeightTwo) {
  std::vector<std::vector<StructuralPlane>> planes = random_planes(15, 5, 4, 14);
  const TableRisk once(5, planes);
  const TableRisk heavy(5, planes, std::vector<double>(15, 2.0));
  const std::vector<std::vector<StructuralPlane>> copy = planes;
  planes.insert(planes.end(), copy.begin(), copy.end());
  const TableRisk twice(5, planes);
  const StructuralOptions options = plain(0.1, 1e-6);
  StructuralOptions half = options;
  half.c = 0.05;
  const double objective = *solve_one_slack(once, options).report.primal_objective;
  EXPECT_NEAR(*solve_one_slack(twice, half).report.primal_objective, objective, 2e-6 * objective);
  EXPECT_NEAR(*solve_one_slack(heavy, half).report.primal_objective, objective, 2e-6 * objective);
}

// seed-yu fact 16.
TEST(OneSlack, ThreadsDoNotShow) {
  const TableRisk risk(8, random_planes(700, 8, 6, 15));
  testing::expect_same_for_threads(solve_one_slack, risk, {.c = 0.01, .tolerance = 1e-3});
}

TEST(OneSlack, OrderOfExamplesDoesNotMatter) {
  std::vector<std::vector<StructuralPlane>> planes = random_planes(30, 5, 4, 16);
  const TableRisk first(5, planes);
  Rng rng(1);
  rng.shuffle(std::span(planes));
  const TableRisk second(5, planes);
  const StructuralOptions options = plain(0.1, 1e-6);
  testing::expect_near_within_gaps(solve_one_slack(first, options),
                                   solve_one_slack(second, options));
}

TEST(OneSlack, GoesOnFromEveryState) {
  const TableRisk risk(8, random_planes(50, 8, 6, 17));
  testing::expect_resumes(solve_one_slack, risk, {.c = 0.2, .tolerance = 1e-4, .idle_turns = 3});
  testing::expect_resumes(
      solve_one_slack, risk, {.c = 0.2, .tolerance = 1e-2, .context = {.memory_limit = 6000}});
  testing::expect_refuses_wrong_states(solve_one_slack, risk, {.c = 0.2, .tolerance = 1e-4});
}

TEST(OneSlack, StopsAnywhere) {
  const TableRisk risk(6, random_planes(1100, 6, 3, 18));
  testing::expect_stops_anywhere(solve_one_slack, risk, {.c = 0.003, .tolerance = 1e-3});
}

TEST(OneSlack, BearsUglyInput) { testing::expect_bears_ugly_input(solve_one_slack); }

TEST(OneSlack, ObeysTheMemoryLimit) { testing::expect_obeys_memory_limit(solve_one_slack, 12000); }

}  // namespace
}  // namespace maxmargin

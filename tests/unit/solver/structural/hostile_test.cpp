// SPDX-License-Identifier: Apache-2.0
// Structural solvers where it is least comfortable: oracles that miss, wrong weights, a
// huge C, states from nowhere. Little memory: memory_test.cpp.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "maxmargin/solver/structural/solution.hpp"
#include "solver/structural/methods.hpp"
#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::dual_by_planes;
using testing::faults_of;
using testing::random_planes;
using testing::StructuralSolver;
using testing::TableRisk;
using testing::Traced;
using testing::traced;

constexpr StructuralSolver with_gap[] = {solve_one_slack, solve_n_slack, solve_block_frank_wolfe};
constexpr StructuralMethod all_methods[] = {StructuralMethod::one_slack,
                                            StructuralMethod::n_slack,
                                            StructuralMethod::block_frank_wolfe,
                                            StructuralMethod::subgradient,
                                            StructuralMethod::mira};

StructuralPlane plane_of(double offset, std::uint64_t index, double value) {
  StructuralPlane plane{.offset = offset};
  plane.slope.add(index, value);
  return plane;
}

/// Ten examples, two planes each: one of loss 1 that is seen from everywhere, and one of loss 10
/// that is seen from w_1 >= 0.01 on alone.
class LateRisk final : public StructuralRisk {
 public:
  explicit LateRisk(bool sees_all) : sees_all_(sees_all) {}
  [[nodiscard]] std::size_t dimension() const override { return 2; }
  [[nodiscard]] std::size_t examples() const override { return 10; }
  [[nodiscard]] bool is_exact() const override { return sees_all_; }
  void largest_plane(std::size_t /*example*/,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    const StructuralPlane light = plane_of(1, 1, 1);
    const StructuralPlane heavy = plane_of(10, 0, 0.1);
    plane = sees_all_ || w[1] >= 0.01 ? heavy : light;
    if (light.offset - w[1] > plane.offset - plane.slope.dot(w)) plane = light;
    if (plane.offset - plane.slope.dot(w) < 0) plane = {};
  }

 private:
  bool sees_all_;
};

// At w = 0 the oracle misses nearly all of P. A bound above that estimate proves that the point was
// not good, not that the run is at its end.
TEST(StructuralHostile, EstimatesBelowTheBoundAreForgotten) {
  const LateRisk risk(false);
  const LateRisk twin(true);
  // sum slopes = 1, hence w_0 = C = 1: 1/2 + 10 (10 - 0.1).
  const double best = 99.5;
  for (const StructuralSolver solver : with_gap) {
    const StructuralSolution found = solver(risk, {.c = 1, .tolerance = 1e-3}, nullptr);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_LE(*found.report.dual_objective, best * (1 + 1e-12));
    EXPECT_GE(*found.report.dual_objective, best * (1 - 2e-3));
    EXPECT_GE(*found.report.relative_gap(), -1e-3);
    EXPECT_LE(structural_primal(twin, 1, found.w), best * (1 + 2e-3));
  }
}

TEST(StructuralHostile, StoppedRunsDoNotReportEstimatesThatWereDisproved) {
  const LateRisk risk(false);
  for (const StructuralSolver solver : with_gap) {
    for (std::size_t at = 1; at < 20; ++at) {
      std::size_t questions = 0;
      const StructuralSolution found =
          solver(risk,
                 {.c = 1,
                  .tolerance = 1e-3,
                  .context = {.on_progress =
                                  [&](const Progress&) {
                                    return ++questions == at ? Continue::stop : Continue::yes;
                                  }}},
                 nullptr);
      ASSERT_EQ(found.w.size(), 2u);
      EXPECT_GE(found.report.relative_gap().value_or(0), -1e-3);
    }
  }
}

/// An oracle that leaves out a third of the planes, another third for every w.
class MissingRisk final : public StructuralRisk {
 public:
  explicit MissingRisk(const TableRisk& all) : all_(all) {}
  [[nodiscard]] std::size_t dimension() const override { return all_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return all_.examples(); }
  [[nodiscard]] bool is_exact() const override { return false; }
  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    plane = {};
    double value = 0;
    const std::uint64_t turn = (std::bit_cast<std::uint64_t>(w[0]) >> 20U) + example;
    const auto& own = all_.planes()[example];
    for (std::size_t k = 0; k < own.size(); ++k) {
      if ((turn + k) % 3 == 0) continue;
      const double here = own[k].offset - own[k].slope.dot(w);
      if (here <= value) continue;
      value = here;
      plane = own[k];
    }
  }

 private:
  const TableRisk& all_;
};

// D needs no oracle: it bounds the true objective, whatever is missed.
TEST(StructuralHostile, BoundsHoldForOraclesThatMiss) {
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    const TableRisk all(6, random_planes(40, 6, 6, seed));
    const MissingRisk risk(all);
    const double c = 0.1;
    const StructuralSolution best =
        solve_n_slack(all, {.c = c, .tolerance = 1e-6, .max_passes = 5000});
    for (const StructuralSolver solver : with_gap) {
      const Traced run = traced(solver, risk, {.c = c, .tolerance = 1e-2, .max_passes = 300});
      EXPECT_LE(*run.solution.report.dual_objective, *best.report.primal_objective * (1 + 1e-12));
      EXPECT_EQ(run.solution.report.warnings.size(), 1u);
      EXPECT_GE(run.solution.report.relative_gap().value_or(0), -1e-2);
      // Planes that were found are planes of the risk that misses nothing.
      EXPECT_EQ(faults_of(all, run.states.back(), c), std::vector<std::string>());
      // Estimates are from below.
      EXPECT_GE(structural_primal(all, c, run.solution.w),
                run.solution.report.primal_objective.value_or(0) * (1 - 1e-9));
    }
  }
}

TEST(StructuralHostile, OraclesThatMissAreTheSameForThreadsAndAfterARest) {
  const TableRisk all(6, random_planes(700, 6, 6, 9));
  const MissingRisk risk(all);
  const StructuralOptions options{.c = 0.01, .tolerance = 1e-3, .max_passes = 30};
  for (const StructuralSolver solver : with_gap) {
    testing::expect_same_for_threads(solver, risk, options);
    testing::expect_resumes(solver, risk, options);
  }
}

TEST(StructuralHostile, WrongWeightsAreRefused) {
  for (const double weight :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const TableRisk risk(3, random_planes(4, 3, 2, 1), {1, 1, weight, 1});
    for (const StructuralMethod method : all_methods) {
      EXPECT_THROW((void)solve_structural(risk, method), InvalidArgument) << to_string(method);
    }
  }
}

/// Its loss is not a number.
class BrokenRisk final : public StructuralRisk {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t examples() const override { return 3; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t /*example*/,
                     std::span<const double> /*w*/,
                     StructuralPlane& plane) const override {
    plane = plane_of(std::nan(""), 0, 1);
  }
};

TEST(StructuralHostile, LossesThatAreNoNumbersAreSeen) {
  const BrokenRisk risk;
  EXPECT_TRUE(std::isnan(structural_primal(risk, 1, std::vector<double>{0})));
  for (const StructuralMethod method : all_methods) {
    const StructuralSolution found = solve_structural(risk, method, {.max_passes = 10});
    EXPECT_EQ(found.report.status, Status::numerical_failure) << to_string(method);
  }
}

// No bound of a state is taken on trust where it contradicts the state's own objective.
TEST(StructuralHostile, StatesThatProveTooMuchAreRefused) {
  const TableRisk risk(8, random_planes(30, 8, 6, 3));
  const StructuralOptions options{.c = 0.2, .tolerance = 1e-6, .max_passes = 300};
  for (const StructuralSolver solver : with_gap) {
    const StructuralState good = traced(solver, risk, options).states.at(1);
    EXPECT_NO_THROW((void)solver(risk, options, &good));
    const auto refused = [&](const auto& spoil) {
      StructuralState state = good;
      spoil(state);
      EXPECT_THROW((void)solver(risk, options, &state), InvalidArgument);
    };
    refused([](StructuralState& state) { state.dual = 2 * *state.best_primal; });
    refused([](StructuralState& state) { state.dual = std::nan(""); });
    refused([](StructuralState& state) { state.best_primal = std::nan(""); });
    refused([](StructuralState& state) { state.w[0] = std::nan(""); });
    refused(
        [](StructuralState& state) { state.best_w[0] = std::numeric_limits<double>::infinity(); });
    refused([](StructuralState& state) { state.numbers[0] = std::nan(""); });
    // One slack makes w anew of its cuts before it proves anything.
    if (solver == solve_one_slack) continue;
    refused([](StructuralState& state) {
      for (double& weight : state.w) weight *= 0.5;
    });
  }
}

// Points of two classes that overlap, one plane each, at a C so large that the dual climbs slowly.
// A run that still rises may end at its limit of passes, but must not call itself stuck.
TEST(StructuralHostile, AHugeCIsSlowNotStuck) {
  Rng rng(4, "huge C");
  std::vector<std::vector<StructuralPlane>> planes;
  for (std::size_t i = 0; i < 80; ++i) {
    StructuralPlane plane{.offset = 1};
    for (std::size_t j = 0; j < 10; ++j) plane.slope.add(j, rng.normal() + (j == 0 ? 0.5 : 0));
    planes.push_back({plane});
  }
  const TableRisk risk(10, planes);
  for (const double c : {1e2, 1e4, 1e6}) {
    const StructuralSolution n = solve_n_slack(risk, {.c = c, .tolerance = 1e-6, .max_passes = 12});
    EXPECT_NE(n.report.status, Status::no_progress) << "n slacks, C = " << c;
    const StructuralSolution one =
        solve_one_slack(risk, {.c = c, .tolerance = 1e-6, .max_passes = 60});
    EXPECT_NE(one.report.status, Status::no_progress) << "one slack, C = " << c;
    EXPECT_LE(*n.report.dual_objective, *one.report.primal_objective * (1 + 1e-9));
    EXPECT_LE(*one.report.dual_objective, *n.report.primal_objective * (1 + 1e-9));
    const StructuralSolution blocks =
        solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-6, .max_passes = 1000});
    EXPECT_NE(blocks.report.status, Status::no_progress) << "blocks, C = " << c;
    EXPECT_LE(*blocks.report.dual_objective, *one.report.primal_objective * (1 + 1e-9));
  }
}

// All margins can be met: D rises in steps that C does not change, while the gap grows with C.
TEST(StructuralHostile, BlocksSolveSeparablePlanesAtAnyC) {
  Rng rng(5, "separable");
  std::vector<std::vector<StructuralPlane>> planes;
  for (std::size_t i = 0; i < 60; ++i) {
    StructuralPlane plane{.offset = 1};
    for (std::size_t j = 0; j < 8; ++j) plane.slope.add(j, j == 0 ? 0.02 : rng.normal());
    planes.push_back({plane});
  }
  const TableRisk risk(8, planes);
  const StructuralSolution hard =
      solve_block_frank_wolfe(risk, {.c = 1e4, .tolerance = 1e-3, .max_passes = 1'000'000});
  EXPECT_EQ(hard.report.status, Status::solved);
  for (const double c : {1e6, 1e8}) {
    const StructuralSolution found =
        solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-3, .max_passes = 1'000'000});
    EXPECT_EQ(found.report.status, Status::solved) << found.report.iterations;
    EXPECT_GE(*found.report.dual_objective, 0.99 * *hard.report.dual_objective);
  }
}

/// Two planes each, found after a while.
class SlowRisk final : public StructuralRisk {
 public:
  [[nodiscard]] std::size_t dimension() const override { return all_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return all_.examples(); }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    all_.largest_plane(example, w, plane);
  }
  [[nodiscard]] const TableRisk& quick() const { return all_; }

 private:
  TableRisk all_ = TableRisk(3, random_planes(120, 3, 2, 7));
};

// An oracle so slow that a pass takes a quarter of a second: the callback is asked several times in
// each, and the answer is that of a quick one.
TEST(StructuralHostile, SlowOraclesAreInterruptedWithinAPass) {
  const SlowRisk risk;
  for (const StructuralSolver solver : {solve_one_slack, solve_n_slack}) {
    std::size_t questions = 0;
    const StructuralOptions options{.c = 0.01,
                                    .tolerance = 1e-9,
                                    .max_passes = 1,
                                    .context = {.threads = 1},
                                    .cached_planes = 0};
    StructuralOptions asking = options;
    asking.context.on_progress = [&](const Progress&) {
      ++questions;
      return Continue::yes;
    };
    const StructuralSolution slow = solver(risk, asking, nullptr);
    EXPECT_GE(questions, 5u);
    EXPECT_EQ(slow.report.dual_objective,
              solver(risk.quick(), options, nullptr).report.dual_objective);
  }
}

// A run that was stopped before it saw an objective still says how good its answer is.
TEST(StructuralHostile, RunsStoppedAtOnceHaveAGap) {
  const TableRisk risk(5, random_planes(40, 5, 4, 11));
  for (const StructuralSolver solve : with_gap) {
    for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
      std::size_t questions = 0;
      const StructuralOptions options{.c = 0.5, .context = {.on_progress = [&](const Progress&) {
                                                  return ++questions == at ? Continue::stop
                                                                           : Continue::yes;
                                                }}};
      const StructuralSolution stopped = solve(risk, options, nullptr);
      EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
      ASSERT_TRUE(stopped.report.primal_objective && stopped.report.dual_objective);
      EXPECT_NEAR(*stopped.report.primal_objective,
                  structural_primal(risk, options.c, stopped.w),
                  1e-12 * *stopped.report.primal_objective);
      EXPECT_LE(*stopped.report.dual_objective, *stopped.report.primal_objective);
    }
  }
}

// seed-yu fact 13, first part: cuts without weight carry nothing, and a run without them ends at
// the same objective.
TEST(StructuralHostile, CutsWithoutWeightCarryNothing) {
  const TableRisk risk(8, random_planes(40, 8, 6, 10));
  const StructuralOptions options{
      .c = 0.2, .tolerance = 1e-5, .max_passes = 5000, .cached_planes = 0, .idle_turns = 100000};
  const Traced whole = traced(solve_one_slack, risk, options);
  const StructuralState& middle = whole.states.at(whole.states.size() / 2);
  StructuralState bare = middle;
  bare.planes = {};
  for (std::size_t p = 0; p < middle.planes.size(); ++p) {
    if (middle.planes.weights[p] == 0) continue;
    bare.planes.owners.push_back(middle.planes.owners[p]);
    bare.planes.offsets.push_back(middle.planes.offsets[p]);
    bare.planes.weights.push_back(middle.planes.weights[p]);
    bare.planes.ages.push_back(middle.planes.ages[p]);
    for (std::size_t k = middle.planes.begins[p]; k < middle.planes.begins[p + 1]; ++k) {
      bare.planes.indices.push_back(middle.planes.indices[k]);
      bare.planes.values.push_back(middle.planes.values[k]);
    }
    bare.planes.begins.push_back(bare.planes.indices.size());
  }
  ASSERT_LT(bare.planes.size(), middle.planes.size());
  EXPECT_EQ(dual_by_planes(bare, 8), dual_by_planes(middle, 8));
  const StructuralSolution rest = solve_one_slack(risk, options, &bare);
  EXPECT_EQ(rest.report.status, Status::solved);
  EXPECT_NEAR(*rest.report.primal_objective,
              *whole.solution.report.primal_objective,
              1e-5 * *whole.solution.report.primal_objective);
}

// One example, an example without planes, an example whose planes are all below 0.
TEST(StructuralHostile, ExamplesThatSayNothingChangeNothing) {
  const std::vector<std::vector<StructuralPlane>> one = {{plane_of(2, 0, 1)}};
  std::vector<std::vector<StructuralPlane>> more = one;
  more.push_back({});
  more.push_back({{.offset = -1}});
  more.push_back({{.offset = 0}});
  for (const StructuralSolver solver : with_gap) {
    const StructuralOptions options{.c = 0.5, .tolerance = 1e-9};
    const StructuralSolution first = solver(TableRisk(1, one), options, nullptr);
    const StructuralSolution second = solver(TableRisk(1, more), options, nullptr);
    EXPECT_EQ(first.report.status, Status::solved);
    EXPECT_EQ(second.report.status, Status::solved);
    // w = min(C, 2), P = w^2/2 + C (2 - w).
    EXPECT_NEAR(first.w[0], 0.5, 1e-6);
    EXPECT_NEAR(*first.report.primal_objective, 0.125 + 0.75, 1e-9);
    EXPECT_NEAR(*second.report.primal_objective, 0.125 + 0.75, 1e-9);
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Structural risks whose planes are known, and what every solver of them must keep. D and
/// feasibility are computed here from a state's planes, by plain loops.
namespace maxmargin::testing {

using StructuralSolver = StructuralSolution (*)(const StructuralRisk&,
                                                const StructuralOptions&,
                                                const StructuralState*);

/// All planes of every example in a table; the plane 0 is one of them.
class TableRisk final : public StructuralRisk {
 public:
  TableRisk(std::size_t dimension,
            std::vector<std::vector<StructuralPlane>> planes,
            std::vector<double> weights = {},
            bool exact = true)
      : dimension_(dimension),
        planes_(std::move(planes)),
        weights_(std::move(weights)),
        exact_(exact) {}

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::size_t examples() const override { return planes_.size(); }
  [[nodiscard]] double weight(std::size_t i) const override {
    return weights_.empty() ? 1.0 : weights_[i];
  }
  [[nodiscard]] bool is_exact() const override { return exact_; }
  void largest_plane(std::size_t i,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    plane = {};
    double value = 0;
    for (const StructuralPlane& each : planes_[i]) {
      const double here = each.offset - each.slope.dot(w);
      if (here > value) {
        value = here;
        plane = each;
      }
    }
  }
  [[nodiscard]] const std::vector<std::vector<StructuralPlane>>& planes() const { return planes_; }
  [[nodiscard]] double largest_loss() const {
    double largest = 0;
    for (const auto& own : planes_) {
      for (const StructuralPlane& plane : own) largest = std::max(largest, plane.offset);
    }
    return largest;
  }
  [[nodiscard]] double largest_slope() const {
    double largest = 0;
    for (const auto& own : planes_) {
      for (const StructuralPlane& plane : own) {
        largest = std::max(largest, std::sqrt(plane.slope.squared_norm()));
      }
    }
    return largest;
  }

 private:
  std::size_t dimension_;
  std::vector<std::vector<StructuralPlane>> planes_;
  std::vector<double> weights_;
  bool exact_;
};

/// `outputs` planes an example: losses between 0 and 3, slopes that lean one way, half of them 0.
inline std::vector<std::vector<StructuralPlane>> random_planes(
    std::size_t n, std::size_t d, std::size_t outputs, std::uint64_t seed, double scale = 1) {
  Rng rng(seed, "structural cases");
  std::vector<double> lean(d);
  for (double& x : lean) x = rng.normal();
  std::vector<std::vector<StructuralPlane>> planes(n);
  for (auto& own : planes) {
    own.resize(outputs);
    for (StructuralPlane& plane : own) {
      plane.offset = std::floor(rng.uniform(0, 7)) / 2;
      for (std::size_t j = 0; j < d; ++j) {
        if (rng.bernoulli(0.5)) plane.slope.add(j, scale * (lean[j] + 2 * rng.normal()));
      }
      plane.slope.settle();
    }
  }
  return planes;
}

/// Runs a solver and keeps the states it offers.
struct Traced {
  StructuralSolution solution = {};
  std::vector<StructuralState> states = {};
};
inline Traced traced(StructuralSolver solver,
                     const StructuralRisk& risk,
                     StructuralOptions options,
                     const StructuralState* start = nullptr) {
  Traced run;
  options.on_checkpoint = [&](const std::function<StructuralState()>& state) {
    run.states.push_back(state());
  };
  run.solution = solver(risk, options, start);
  return run;
}

/// D, straight from the planes of a state.
inline double dual_by_planes(const StructuralState& state, std::size_t dimension) {
  std::vector<double> w(dimension, 0.0);
  double value = 0;
  const PlaneTable& planes = state.planes;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    value += planes.weights[p] * planes.offsets[p];
    for (std::size_t k = planes.begins[p]; k < planes.begins[p + 1]; ++k) {
      w[planes.indices[k]] += planes.weights[p] * planes.values[k];
    }
  }
  for (const double x : w) value -= 0.5 * x * x;
  return value;
}

/// What is wrong with a state as a dual point: weights beyond their bounds, planes that are above
/// the risk somewhere.
[[nodiscard]] inline std::vector<std::string> faults_of(const StructuralRisk& risk,
                                                        const StructuralState& state,
                                                        double c) {
  std::vector<std::string> faults;
  const PlaneTable& planes = state.planes;
  const std::size_t n = risk.examples();
  std::vector<double> sums(n + 1, 0.0);
  for (std::size_t p = 0; p < planes.size(); ++p) {
    if (!(planes.weights[p] >= 0)) faults.emplace_back("a weight is negative");
    sums[planes.owners[p]] += planes.weights[p];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (sums[i] > c * risk.weight(i) * (1 + 1e-12)) faults.emplace_back("weights above C a_i");
  }
  if (sums[n] > c * (1 + 1e-12)) faults.emplace_back("weights of cuts above C");
  Rng rng(7, "minorants");
  for (int round = 0; round < 20; ++round) {
    std::vector<double> w(risk.dimension());
    for (double& x : w) x = rng.normal(0, round % 2 == 0 ? 1 : 0.05);
    std::vector<double> losses(n + 1, 0.0);
    StructuralPlane plane;
    for (std::size_t i = 0; i < n; ++i) {
      risk.largest_plane(i, w, plane);
      losses[i] = std::max(0.0, plane.offset - plane.slope.dot(w));
      losses[n] += risk.weight(i) * losses[i];
    }
    for (std::size_t p = 0; p < planes.size(); ++p) {
      double value = planes.offsets[p];
      for (std::size_t k = planes.begins[p]; k < planes.begins[p + 1]; ++k) {
        value -= planes.values[k] * w[planes.indices[k]];
      }
      const double loss = losses[planes.owners[p]];
      if (value > loss + 1e-9 * (1 + std::abs(loss))) faults.emplace_back("a plane above the risk");
    }
  }
  return faults;
}

/// The report of a run and the state it ended with prove what they say.
inline void expect_certificate(StructuralSolver solver,
                               const StructuralRisk& risk,
                               const StructuralOptions& options) {
  const Traced run = traced(solver, risk, options);
  const SolveReport& report = run.solution.report;
  ASSERT_EQ(report.status, Status::solved);
  const double primal = structural_primal(risk, options.c, run.solution.w);
  EXPECT_NEAR(*report.primal_objective, primal, 1e-9 * primal);
  ASSERT_FALSE(run.states.empty());
  EXPECT_NEAR(
      *report.dual_objective, dual_by_planes(run.states.back(), risk.dimension()), 1e-9 * primal);
  EXPECT_EQ(faults_of(risk, run.states.back(), options.c), std::vector<std::string>());
  EXPECT_LE(*report.relative_gap(), options.tolerance);
  EXPECT_GE(*report.gap(), -1e-9 * primal);
  EXPECT_EQ(run.states.size(), report.iterations);
}

/// The same for little and large C, loose and tight tolerances, and weights that are not 1.
inline void expect_certificates(StructuralSolver solver,
                                std::initializer_list<double> tolerances,
                                StructuralOptions options) {
  const TableRisk risk(6, random_planes(30, 6, 5, 1), std::vector<double>(30, 0.7));
  for (const double c : {0.001, 0.05, 1.0}) {
    for (const double tolerance : tolerances) {
      options.c = c;
      options.tolerance = tolerance;
      expect_certificate(solver, risk, options);
    }
  }
}

/// Two answers to one problem: P is 1-strongly convex, so each w is within sqrt(2 gap) of the best.
inline void expect_near_within_gaps(const StructuralSolution& a, const StructuralSolution& b) {
  ASSERT_EQ(a.w.size(), b.w.size());
  double square = 0;
  for (std::size_t j = 0; j < a.w.size(); ++j) square += (a.w[j] - b.w[j]) * (a.w[j] - b.w[j]);
  EXPECT_LE(std::sqrt(square),
            std::sqrt(2 * std::max(0.0, *a.report.gap())) +
                std::sqrt(2 * std::max(0.0, *b.report.gap())));
}

/// They are near, and no D is above a P.
inline void expect_agree(const StructuralSolution& a, const StructuralSolution& b) {
  EXPECT_LE(*a.report.dual_objective, *b.report.primal_objective);
  EXPECT_LE(*b.report.dual_objective, *a.report.primal_objective);
  expect_near_within_gaps(a, b);
}

/// D, recomputed, never falls, and every state on the way is a dual point.
inline void expect_dual_rises(StructuralSolver solver,
                              const StructuralRisk& risk,
                              const StructuralOptions& options) {
  const Traced run = traced(solver, risk, options);
  EXPECT_EQ(run.solution.report.status, Status::solved);
  double before = 0;
  for (const StructuralState& state : run.states) {
    const double dual = dual_by_planes(state, risk.dimension());
    EXPECT_GE(dual, before * (1 - 1e-12));
    before = dual;
    EXPECT_EQ(faults_of(risk, state, options.c), std::vector<std::string>());
  }
}

/// A run that goes on from any of its states ends with the same bits.
inline void expect_resumes(StructuralSolver solver,
                           const StructuralRisk& risk,
                           const StructuralOptions& options) {
  const Traced whole = traced(solver, risk, options);
  ASSERT_GE(whole.states.size(), 3u);
  for (const StructuralState& state : whole.states) {
    const Traced rest = traced(solver, risk, options, &state);
    ASSERT_EQ(rest.solution.w, whole.solution.w) << "from pass " << state.passes;
    EXPECT_EQ(rest.solution.report.primal_objective, whole.solution.report.primal_objective);
    EXPECT_EQ(rest.solution.report.dual_objective, whole.solution.report.dual_objective);
    EXPECT_EQ(rest.solution.report.iterations, whole.solution.report.iterations);
    EXPECT_EQ(rest.solution.oracle_calls, whole.solution.oracle_calls);
    EXPECT_EQ(rest.solution.report.status, whole.solution.report.status);
  }
}

/// States of another problem, other options or with broken arrays are refused.
inline void expect_refuses_wrong_states(StructuralSolver solver,
                                        const StructuralRisk& risk,
                                        const StructuralOptions& options) {
  const StructuralState good = traced(solver, risk, options).states.at(1);
  const auto refused = [&](const auto& spoil) {
    StructuralState state = good;
    spoil(state);
    EXPECT_THROW((void)solver(risk, options, &state), InvalidArgument);
  };
  refused([](StructuralState& state) { state.solver = "other"; });
  refused([](StructuralState& state) { state.c *= 2; });
  refused([](StructuralState& state) { state.seed += 1; });
  refused([](StructuralState& state) { state.examples += 1; });
  refused([](StructuralState& state) { state.w.pop_back(); });
  refused([](StructuralState& state) { state.numbers.push_back(0); });
  refused([](StructuralState& state) { state.best_w.push_back(0); });
  refused([](StructuralState& state) { state.w[0] = std::nan(""); });
  refused(
      [](StructuralState& state) { state.numbers[0] = std::numeric_limits<double>::infinity(); });
  if (good.planes.size() == 0) return;
  refused([](StructuralState& state) { state.planes.weights[0] = -1; });
  refused([](StructuralState& state) { state.planes.weights[0] = 1e9; });
  refused([](StructuralState& state) { state.planes.weights[0] = std::nan(""); });
  refused([](StructuralState& state) { state.planes.owners[0] = state.examples + 1; });
  refused([](StructuralState& state) { state.planes.offsets.pop_back(); });
  refused([](StructuralState& state) { state.planes.begins.back() += 1; });
  refused([](StructuralState& state) { state.planes.indices[0] = 4000000000; });
}

/// Any number of threads, the same bits.
inline void expect_same_for_threads(StructuralSolver solver,
                                    const StructuralRisk& risk,
                                    StructuralOptions options) {
  options.context.threads = 1;
  const StructuralSolution one = solver(risk, options, nullptr);
  for (const std::size_t threads : {2u, 3u, 8u}) {
    options.context.threads = threads;
    const StructuralSolution many = solver(risk, options, nullptr);
    EXPECT_EQ(many.w, one.w);
    EXPECT_EQ(many.report.primal_objective, one.report.primal_objective);
    EXPECT_EQ(many.report.dual_objective, one.report.dual_objective);
    EXPECT_EQ(many.oracle_calls, one.oracle_calls);
  }
}

/// Stopped at any question the run hands back a point with its own objective, and a bound that
/// holds.
inline void expect_stops_anywhere(StructuralSolver solver,
                                  const StructuralRisk& risk,
                                  StructuralOptions options) {
  const StructuralSolution whole = solver(risk, options, nullptr);
  ASSERT_EQ(whole.report.status, Status::solved);
  std::size_t stops = 0;
  for (std::size_t at = 1;; at += 1 + at / 4) {
    for (const Continue answer : {Continue::stop, Continue::time_is_up}) {
      std::size_t questions = 0;
      options.context.on_progress = [&](const Progress&) {
        return ++questions == at ? answer : Continue::yes;
      };
      const StructuralSolution part = solver(risk, options, nullptr);
      if (part.report.status == Status::solved) {
        EXPECT_EQ(part.w, whole.w);
        EXPECT_GE(stops, 10u);
        return;
      }
      ++stops;
      EXPECT_EQ(questions, at) << "asked after the answer";
      EXPECT_EQ(part.report.status,
                answer == Continue::stop ? Status::stopped_by_callback : Status::time_limit);
      ASSERT_EQ(part.w.size(), risk.dimension());
      EXPECT_LE(*part.report.dual_objective, *whole.report.primal_objective * (1 + 1e-12));
      if (!part.report.primal_objective) continue;
      const double primal = structural_primal(risk, options.c, part.w);
      EXPECT_NEAR(*part.report.primal_objective, primal, 1e-9 * primal);
      EXPECT_GE(primal, *whole.report.dual_objective * (1 - 1e-12));
    }
  }
}

/// No examples, no features, no losses, weights of 0, a C that is huge, numbers that are none.
inline void expect_bears_ugly_input(StructuralSolver solver) {
  const StructuralOptions options{.c = 1, .tolerance = 1e-3, .max_passes = 50};
  {
    const TableRisk risk(3, {});
    const StructuralSolution found = solver(risk, options, nullptr);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_EQ(found.w, std::vector<double>(3, 0.0));
    EXPECT_EQ(found.report.primal_objective, 0.0);
  }
  {
    // Without features the losses stay: both objectives are their sum.
    const TableRisk risk(0, {{{.offset = 2}}, {{.offset = 0.5}, {.offset = 1}}});
    const StructuralSolution found = solver(risk, options, nullptr);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_NEAR(*found.report.primal_objective, 3, 1e-12);
    EXPECT_NEAR(*found.report.dual_objective, 3, 3e-3);
  }
  {
    std::vector<std::vector<StructuralPlane>> planes = random_planes(5, 3, 4, 1);
    for (auto& own : planes) {
      for (StructuralPlane& plane : own) plane.offset = 0;
    }
    const TableRisk risk(3, planes);
    const StructuralSolution found = solver(risk, options, nullptr);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_EQ(found.w, std::vector<double>(3, 0.0));
  }
  {
    // Examples of weight 0 are not there.
    const TableRisk some(3, random_planes(6, 3, 4, 2), {1, 1, 0, 1, 0, 0});
    std::vector<std::vector<StructuralPlane>> kept = random_planes(6, 3, 4, 2);
    kept = {kept[0], kept[1], kept[3]};
    const TableRisk rest(3, kept);
    StructuralOptions precise = options;
    precise.tolerance = 1e-6;
    precise.max_passes = 2000;
    const StructuralSolution first = solver(some, precise, nullptr);
    const StructuralSolution second = solver(rest, precise, nullptr);
    EXPECT_EQ(first.report.status, Status::solved);
    EXPECT_EQ(second.report.status, Status::solved);
    EXPECT_NEAR(*first.report.primal_objective,
                *second.report.primal_objective,
                2e-6 * *second.report.primal_objective);
  }
  for (const double c : {1e-12, 1e9}) {
    const TableRisk risk(3, random_planes(20, 3, 4, 3));
    StructuralOptions extreme = options;
    extreme.c = c;
    const StructuralSolution found = solver(risk, extreme, nullptr);
    const double primal = structural_primal(risk, c, found.w);
    EXPECT_NEAR(*found.report.primal_objective, primal, 1e-9 * primal);
    EXPECT_LE(*found.report.dual_objective, primal * (1 + 1e-9));
  }
  {
    std::vector<std::vector<StructuralPlane>> planes = random_planes(4, 3, 2, 4);
    for (auto& own : planes) own.push_back({.offset = std::numeric_limits<double>::infinity()});
    const StructuralSolution found = solver(TableRisk(3, planes), options, nullptr);
    EXPECT_EQ(found.report.status, Status::numerical_failure);
  }
  {
    const TableRisk risk(3, random_planes(5, 3, 4, 5), {}, false);
    EXPECT_EQ(solver(risk, options, nullptr).report.warnings.size(), 1u);
  }
  const TableRisk risk(3, random_planes(5, 3, 4, 5));
  const auto refused = [&](const auto& spoil) {
    StructuralOptions wrong = options;
    spoil(wrong);
    EXPECT_THROW((void)solver(risk, wrong, nullptr), InvalidArgument);
  };
  refused([](StructuralOptions& wrong) { wrong.c = 0; });
  refused([](StructuralOptions& wrong) { wrong.c = std::numeric_limits<double>::infinity(); });
  refused([](StructuralOptions& wrong) { wrong.tolerance = 0; });
  refused([](StructuralOptions& wrong) { wrong.max_passes = 0; });
  refused([](StructuralOptions& wrong) { wrong.context.threads = 0; });
  refused([](StructuralOptions& wrong) { wrong.idle_turns = 0; });
  refused([](StructuralOptions& wrong) { wrong.context.memory_limit = 10; });
}

/// A little memory costs passes, not the answer.
inline void expect_obeys_memory_limit(StructuralSolver solver, std::size_t limit) {
  const TableRisk risk(40, random_planes(60, 40, 40, 11));
  const StructuralOptions options{.c = 0.2, .tolerance = 1e-2, .max_passes = 5000};
  StructuralOptions tight = options;
  tight.context.memory_limit = limit;
  const Traced free = traced(solver, risk, options);
  const Traced bound = traced(solver, risk, tight);
  ASSERT_EQ(bound.solution.report.status, Status::solved);
  EXPECT_NEAR(*bound.solution.report.primal_objective,
              *free.solution.report.primal_objective,
              1e-2 * *free.solution.report.primal_objective);
  const auto most_entries = [](const Traced& run) {
    std::size_t most = 0;
    for (const StructuralState& state : run.states) {
      most = std::max(most, state.planes.values.size());
    }
    return most;
  };
  EXPECT_LT(most_entries(bound), most_entries(free));
  EXPECT_LE(8 * most_entries(bound), limit);
  EXPECT_EQ(faults_of(risk, bound.states.back(), options.c), std::vector<std::string>());
}

}  // namespace maxmargin::testing

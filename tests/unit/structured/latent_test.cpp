// SPDX-License-Identifier: Apache-2.0
// Latent structural machines: docs/algorithms/latent.md, seed-yu facts 39 to 43.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bag_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "solver/structural/compact_plane.hpp"
#include "solver/structural/moved_state.hpp"

namespace maxmargin {
namespace {

using testing::BagAnswer;
using testing::BagCase;
using testing::BagTask;
using testing::random_bags;

LatentOptions with(StructuralMethod method, double c, double tolerance) {
  LatentOptions options{.method = method};
  options.solving.c = c;
  options.solving.tolerance = tolerance;
  options.solving.context.threads = 1;
  return options;
}

LatentSolution train(const BagCase& bags, const LatentOptions& options, double bias = 1) {
  const BagTask task(bags.features, bias);
  return train_latent<BagTask>(task, bags.bags, bags.truths, {}, options);
}

double objective(const BagCase& bags, double c, std::span<const double> w, double bias = 1) {
  return latent_objective<BagTask>(BagTask(bags.features, bias), bags.bags, bags.truths, {}, c, w);
}

constexpr StructuralMethod methods_with_gap[] = {
    StructuralMethod::one_slack, StructuralMethod::n_slack, StructuralMethod::block_frank_wolfe};

TEST(Latent, BagTaskKeepsTheLaws) {
  const BagCase bags = random_bags(12, 5, 3, 1);
  std::vector<std::pair<std::vector<Row>, BagAnswer>> samples;
  for (std::size_t b = 0; b < bags.bags.size(); ++b) {
    samples.emplace_back(bags.bags[b], bags.truths[b]);
  }
  Rng rng(1);
  const TaskCheck check = check_task<BagTask>(BagTask(3, 1), samples, rng);
  EXPECT_EQ(check.faults, std::vector<std::string>());
  // predict, loss_augmented_argmax and complete
  EXPECT_EQ(check.compared, 12U * 5 * 3);
}

/// A task whose completion is not the best one, has a loss, or changes when repeated.
struct BrokenBagTask : BagTask {
  enum class Fault { worst, loss };
  BrokenBagTask(std::size_t features, Fault f) : BagTask(features, 1), fault(f) {}
  [[nodiscard]] BagAnswer complete(const Input& x,
                                   const BagAnswer& truth,
                                   std::span<const double> w) const {
    if (fault == Fault::loss) return {.is_positive = !truth.is_positive};
    std::vector<double> opposite(w.begin(), w.end());
    for (double& each : opposite) each = -each;
    return BagTask::complete(x, truth, opposite);
  }
  Fault fault;
};

TEST(Latent, CheckTaskSeesWrongCompletions) {
  const BagCase bags = random_bags(6, 4, 3, 2);
  std::vector<std::pair<std::vector<Row>, BagAnswer>> samples;
  for (std::size_t b = 0; b < bags.bags.size(); ++b) {
    samples.emplace_back(bags.bags[b], bags.truths[b]);
  }
  const auto first_fault = [&](BrokenBagTask::Fault fault) {
    Rng rng(1);
    const TaskCheck check = check_task<BrokenBagTask>(BrokenBagTask(3, fault), samples, rng);
    return check.faults.empty() ? std::string() : check.faults.front();
  };
  EXPECT_NE(first_fault(BrokenBagTask::Fault::worst).find("complete reaches"), std::string::npos);
  EXPECT_NE(first_fault(BrokenBagTask::Fault::loss).find("a completion has a loss"),
            std::string::npos);
}

// Fact 39, and the report against the objective computed anew.
TEST(Latent, ObjectiveNeverRisesAndIsTheOneReported) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const BagCase bags = random_bags(30, 6, 4, seed);
    for (const StructuralMethod method : methods_with_gap) {
      for (const double c : {0.1, 10.0}) {
        for (const bool cold : {false, true}) {
          LatentOptions options = with(method, c, 1e-3);
          options.cold_start = cold;
          const LatentSolution found = train(bags, options);
          ASSERT_EQ(found.report.status, Status::local_optimum);
          ASSERT_FALSE(found.trace.empty());
          for (std::size_t t = 1; t < found.trace.size(); ++t) {
            EXPECT_LE(found.trace[t].objective, found.trace[t - 1].objective);
          }
          const double again = objective(bags, c, found.w);
          EXPECT_NEAR(again, *found.report.primal_objective, 1e-9 * again);
          ASSERT_TRUE(found.stationary_gap);
          EXPECT_GE(*found.stationary_gap, 0);
          EXPECT_LE(*found.stationary_gap, 1e-3 * again * (1 + 1e-9));
          EXPECT_LE(*found.report.lower_bound, again);
          EXPECT_GE(*found.report.lower_bound, 0);
          EXPECT_FALSE(found.report.dual_objective);
        }
      }
    }
  }
}

// Fact 40: F(w) <= the convex objective at any completion, with equality at the w it is best for.
TEST(Latent, ConvexProblemsLieAboveAndTouch) {
  const BagCase bags = random_bags(15, 5, 3, 7);
  const BagTask task(3, 1);
  Rng rng(7);
  const auto normal = [&] {
    std::vector<double> w(task.dimension());
    for (double& x : w) x = rng.normal();
    return w;
  };
  for (int k = 0; k < 50; ++k) {
    LatentHinge<BagTask> risk(task, bags.bags, bags.truths);
    const std::vector<double> at = normal();
    std::vector<CompletionChange> changes;
    for (std::size_t i = 0; i < risk.parts(); ++i) risk.propose(i, at, changes);
    // What the gains say of F before the completions are taken.
    double expected = structural_primal(risk.convex(), 2.0, at);
    for (const CompletionChange& change : changes) expected -= 2.0 * change.gain;
    risk.accept();
    const double f = objective(bags, 2.0, at);
    EXPECT_NEAR(structural_primal(risk.convex(), 2.0, at), f, 1e-12 * f);
    EXPECT_NEAR(expected, f, 1e-12 * f);
    const std::vector<double> other = normal();
    EXPECT_GE(structural_primal(risk.convex(), 2.0, other), objective(bags, 2.0, other) - 1e-12);
  }
}

// Fact 41: with one row a bag nothing is hidden, and one step is the structural machine.
TEST(Latent, NothingHiddenIsTheStructuralMachine) {
  const BagCase bags = random_bags(40, 1, 4, 3);
  const BagTask task(4, 1);
  for (const StructuralMethod method : methods_with_gap) {
    const LatentOptions options = with(method, 1, 1e-4);
    const LatentSolution latent = train(bags, options);
    const StructuralHinge<BagTask> hinge(task, bags.bags, bags.truths);
    const StructuralSolution plain = solve_structural(hinge, method, options.solving);
    EXPECT_EQ(latent.w, plain.w);
    EXPECT_EQ(latent.report.iterations, 1U);
    EXPECT_EQ(latent.report.status, Status::solved);
    EXPECT_EQ(latent.oracle_calls, plain.oracle_calls);
    // The bound is that of the convex problem.
    EXPECT_NEAR(*latent.report.lower_bound, *plain.report.dual_objective, 1e-12);
  }
}

// Fact 42.
TEST(Latent, LossesAreNotNegativeAndAboveThoseOfPredictions) {
  const BagCase bags = random_bags(20, 5, 3, 5);
  const BagTask task(3, 1);
  Rng rng(5);
  for (int k = 0; k < 100; ++k) {
    std::vector<double> w(task.dimension());
    for (double& x : w) x = 2 * rng.normal();
    for (std::size_t b = 0; b < bags.bags.size(); ++b) {
      const BagAnswer truth = task.complete(bags.bags[b], bags.truths[b], w);
      const auto value = [&](const BagAnswer& y) {
        FeatureVector psi;
        task.joint_features(bags.bags[b], y, psi);
        return psi.dot(w);
      };
      const BagAnswer rival = task.loss_augmented_argmax(bags.bags[b], truth, w);
      const double loss = task.loss(truth, rival) + value(rival) - value(truth);
      EXPECT_GE(loss, 0);
      EXPECT_GE(loss, task.loss(truth, task.predict(bags.bags[b], w)) - 1e-12);
    }
  }
}

/// Solves one convex problem and hands over its state.
StructuralState state_at(const StructuralRisk& risk, StructuralMethod method, double c) {
  LatentOptions options = with(method, c, 1e-3);
  options.solving.keep_state = true;
  StructuralSolution found = solve_structural(risk, method, options.solving);
  return std::move(*found.state);
}

// Fact 43: planes moved to other completions lie below the new losses, everywhere.
TEST(Latent, MovedPlanesAreValid) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const BagCase bags = random_bags(16, 5, 3, seed);
    const BagTask task(3, 1);
    std::vector<double> weights;
    Rng rng(seed);
    for (std::size_t b = 0; b < bags.bags.size(); ++b) weights.push_back(rng.uniform(0.2, 2));
    for (const StructuralMethod method : methods_with_gap) {
      LatentHinge<BagTask> risk(task, bags.bags, bags.truths, weights);
      StructuralState state = state_at(risk.convex(), method, 3);
      ASSERT_GT(state.planes.size(), 0U);
      std::vector<CompletionChange> changes;
      for (std::size_t i = 0; i < risk.parts(); ++i) risk.propose(i, state.best_w, changes);
      ASSERT_FALSE(changes.empty());
      risk.accept();
      const std::vector<double> at = state.best_w;
      const double f = structural_primal(risk.convex(), 3, at);
      state = moved_state(std::move(state), changes, risk.convex(), at, f);
      for (int k = 0; k < 30; ++k) {
        std::vector<double> w(task.dimension());
        // The first point is where the last cut was tight, or nearly so.
        for (double& x : w) x = 2 * rng.normal();
        if (k == 0) w = state.best_w;
        std::vector<double> losses;
        double all = 0;
        for (std::size_t b = 0; b < bags.bags.size(); ++b) {
          StructuralPlane plane;
          risk.convex().largest_plane(b, w, plane);
          losses.push_back(plane.offset - plane.slope.dot(w));
          all += weights[b] * losses.back();
        }
        losses.push_back(all);
        double highest_cut = 0;
        for (std::size_t p = 0; p < state.planes.size(); ++p) {
          const double value = plane_of(state.planes, p).value(w);
          EXPECT_LE(value, losses[state.planes.owners[p]] + 1e-9);
          if (state.planes.owners[p] == bags.bags.size())
            highest_cut = std::max(highest_cut, value);
        }
        if (k == 0 && method == StructuralMethod::one_slack) {
          EXPECT_GE(highest_cut, all - 2e-3 * f);
        }
      }
      // And the solver goes on from them to the same optimum as from nothing.
      LatentOptions options = with(method, 3, 1e-6);
      state.seed = options.solving.context.seed;
      const StructuralSolution warm =
          solve_structural(risk.convex(), method, options.solving, &state);
      const StructuralSolution cold = solve_structural(risk.convex(), method, options.solving);
      EXPECT_EQ(warm.report.status, Status::solved);
      EXPECT_NEAR(*warm.report.primal_objective,
                  *cold.report.primal_objective,
                  2e-6 * *cold.report.primal_objective);
    }
  }
}

/// The least convex optimum over all completions.
double least_over_completions(const BagCase& bags, double c) {
  const BagTask task(bags.features, 1);
  std::vector<BagAnswer> chosen = bags.truths;
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t)> go = [&](std::size_t b) {
    if (b == chosen.size()) {
      const StructuralHinge<BagTask> hinge(task, bags.bags, chosen);
      StructuralOptions solving{.c = c, .tolerance = 1e-6};
      solving.context.threads = 1;
      const StructuralSolution found =
          solve_structural(hinge, StructuralMethod::one_slack, solving);
      least = std::min(least, *found.report.primal_objective);
      return;
    }
    const std::size_t rows = chosen[b].is_positive ? bags.bags[b].size() : 1;
    for (std::size_t h = 0; h < rows; ++h) {
      chosen[b].witness = h;
      go(b + 1);
    }
  };
  go(0);
  return least;
}

TEST(Latent, RestartsReachTheLeastOfAllCompletions) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const BagCase bags = random_bags(8, 3, 2, seed, 1);
    const double least = least_over_completions(bags, 5);
    LatentOptions options = with(StructuralMethod::one_slack, 5, 1e-5);
    options.restarts = 30;
    options.start = LatentStart::random;
    const LatentSolution found = train(bags, options);
    EXPECT_NEAR(*found.report.primal_objective, least, 1e-4 * least) << "seed " << seed;
    ASSERT_EQ(found.runs.size(), 30U);
    for (const LatentRun& run : found.runs) {
      EXPECT_GE(*run.objective, least * (1 - 1e-5));
      EXPECT_GE(*run.objective, *found.report.primal_objective);
    }
    EXPECT_LE(*found.report.lower_bound, least * (1 + 1e-5));
  }
}

// At a small C both ways end in the same optimum. One slack and Frank-Wolfe, which begin from
// nothing slowest, are saved most; a cold first step and the last, most exact one are in both.
TEST(Latent, WarmCutsReachTheSameWithFewerCalls) {
  const auto most_of = [](StructuralMethod method) {
    switch (method) {
      case StructuralMethod::block_frank_wolfe:
        return 0.5;
      case StructuralMethod::one_slack:
        return 0.6;
      default:
        return 0.8;
    }
  };
  for (const StructuralMethod method : methods_with_gap) {
    std::uint64_t warm_calls = 0;
    std::uint64_t cold_calls = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
      const BagCase bags = random_bags(150, 10, 20, seed, 2);
      LatentOptions options = with(method, 0.02, 1e-4);
      const LatentSolution warm = train(bags, options);
      options.cold_start = true;
      const LatentSolution cold = train(bags, options);
      warm_calls += warm.oracle_calls;
      cold_calls += cold.oracle_calls;
      EXPECT_NEAR(*warm.report.primal_objective,
                  *cold.report.primal_objective,
                  1e-3 * *cold.report.primal_objective)
          << to_string(method) << ", seed " << seed;
    }
    const double share = static_cast<double>(warm_calls) / static_cast<double>(cold_calls);
    EXPECT_LE(share, most_of(method)) << to_string(method);
  }
}

TEST(Latent, StartsFromWeights) {
  const BagCase bags = random_bags(30, 5, 4, 11);
  LatentOptions options = with(StructuralMethod::block_frank_wolfe, 1, 1e-3);
  const LatentSolution first = train(bags, options);
  options.start = LatentStart::weights;
  options.start_weights.assign(5, 0.0);
  options.start_weights[0] = 1;
  const double before = objective(bags, 1, options.start_weights);
  const LatentSolution found = train(bags, options);
  EXPECT_LT(*found.report.primal_objective, before);
  // From a stationary point nothing is gained.
  options.start_weights = first.w;
  const LatentSolution again = train(bags, options);
  EXPECT_GE(*again.report.primal_objective, *first.report.primal_objective * (1 - 1.1e-3));
  options.start_weights.pop_back();
  EXPECT_THROW((void)train(bags, options), InvalidArgument);
}

TEST(Latent, ResumesToTheSameBits) {
  const BagCase bags = random_bags(40, 6, 5, 13);
  for (const StructuralMethod method : {StructuralMethod::one_slack,
                                        StructuralMethod::n_slack,
                                        StructuralMethod::block_frank_wolfe,
                                        StructuralMethod::subgradient}) {
    LatentOptions options = with(method, 1, 1e-3);
    options.restarts = 3;
    std::vector<StructuralState> states;
    options.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
      states.push_back(state());
    };
    const LatentSolution whole = train(bags, options);
    options.solving.on_checkpoint = {};
    ASSERT_GE(states.size(), 4U);
    const BagTask task(5, 1);
    for (std::size_t k = 0; k < states.size(); k += std::max<std::size_t>(1, states.size() / 7)) {
      const LatentSolution rest =
          train_latent<BagTask>(task, bags.bags, bags.truths, {}, options, &states[k]);
      EXPECT_EQ(rest.w, whole.w) << to_string(method) << " from state " << k;
      EXPECT_EQ(rest.oracle_calls, whole.oracle_calls);
      EXPECT_EQ(rest.trace.size(), whole.trace.size());
      EXPECT_EQ(*rest.report.primal_objective, *whole.report.primal_objective);
    }
    StructuralState broken = states.back();
    broken.outer.pop_back();
    EXPECT_THROW((void)train_latent<BagTask>(task, bags.bags, bags.truths, {}, options, &broken),
                 InvalidArgument);
  }
}

TEST(Latent, SameBitsOnAnyThreads) {
  const BagCase bags = random_bags(60, 6, 5, 17);
  for (const StructuralMethod method : methods_with_gap) {
    LatentOptions options = with(method, 1, 1e-3);
    options.restarts = 2;
    const LatentSolution one = train(bags, options);
    options.solving.context.threads = 4;
    EXPECT_EQ(train(bags, options).w, one.w);
  }
}

TEST(Latent, SolversWithoutGapsEndToo) {
  const BagCase bags = random_bags(40, 5, 4, 19);
  for (const StructuralMethod method : {StructuralMethod::subgradient, StructuralMethod::mira}) {
    const LatentSolution found = train(bags, with(method, 1, 1e-3));
    EXPECT_EQ(found.report.status, Status::local_optimum);
    EXPECT_FALSE(found.stationary_gap);
    const double again = objective(bags, 1, found.w);
    EXPECT_NEAR(again, *found.report.primal_objective, 1e-9 * again);
    for (std::size_t t = 1; t < found.trace.size(); ++t) {
      EXPECT_LE(found.trace[t].objective, found.trace[t - 1].objective);
    }
  }
}

// The trace says what a convex step was solved to, not what was asked for.
TEST(Latent, InnerGapsAreThoseReached) {
  const BagCase bags = random_bags(30, 6, 4, 13);
  const BagTask task(4, 1);
  for (const StructuralMethod method : methods_with_gap) {
    const LatentSolution latent = train(bags, with(method, 1, 1e-3));
    // The first step is the machine at the completions given, to a gap of 0.1.
    LatentOptions first = with(method, 1, 0.1);
    first.solving.cached_planes = 20;
    first.solving.idle_turns = 100;
    first.solving.keep_state = true;
    const StructuralHinge<BagTask> hinge(task, bags.bags, bags.truths);
    const StructuralSolution plain = solve_structural(hinge, method, first.solving);
    ASSERT_FALSE(latent.trace.empty());
    EXPECT_EQ(latent.trace.front().inner_gap, plain.report.relative_gap()) << to_string(method);
    EXPECT_LT(latent.trace.front().inner_gap, 0.1);
  }
}

// Stopped at the last question, which is the bound's: the answer is there, and no bound, which
// would be a matter of the clock.
TEST(Latent, AStopInTheBoundIsReported) {
  // Few enough to be one portion of the oracle: questions do not depend on time.
  const BagCase bags = random_bags(14, 4, 3, 21);
  for (const StructuralMethod method : methods_with_gap) {
    LatentOptions options = with(method, 1, 1e-3);
    std::size_t asked = 0;
    options.solving.context.on_progress = [&](const Progress&) {
      ++asked;
      return Continue::yes;
    };
    const LatentSolution whole = train(bags, options);
    ASSERT_EQ(whole.report.status, Status::local_optimum);
    ASSERT_TRUE(whole.report.lower_bound);
    const std::size_t last = std::exchange(asked, 0);
    options.solving.context.on_progress = [&](const Progress&) {
      return ++asked < last ? Continue::yes : Continue::time_is_up;
    };
    const LatentSolution found = train(bags, options);
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_FALSE(found.report.lower_bound);
    EXPECT_EQ(found.report.primal_objective, whole.report.primal_objective);
    EXPECT_EQ(found.w, whole.w);
  }
}

TEST(Latent, StopsWithWhatThereIs) {
  const BagCase bags = random_bags(60, 6, 5, 23);
  for (const std::size_t allowed : {0U, 1U, 5U, 20U, 60U}) {
    LatentOptions options = with(StructuralMethod::one_slack, 10, 1e-4);
    options.restarts = 5;
    std::size_t asked = 0;
    options.solving.context.on_progress = [&](const Progress&) {
      return asked++ < allowed ? Continue::yes : Continue::time_is_up;
    };
    const LatentSolution found = train(bags, options);
    EXPECT_EQ(found.report.status, Status::time_limit) << allowed;
    ASSERT_EQ(found.w.size(), 6U);
    ASSERT_TRUE(found.report.primal_objective);
    const double again = objective(bags, 10, found.w);
    EXPECT_NEAR(again, *found.report.primal_objective, 1e-9 * again);
  }
}

}  // namespace
}  // namespace maxmargin

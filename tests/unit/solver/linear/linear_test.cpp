// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/linear.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "linear_problems.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using testing::all_linear_losses;
using testing::iris_pair;
using testing::linear_case;
using testing::LinearCase;
using testing::random_linear_case;

/// The point is what the report says it is and meets the tolerance; measured by the problem's own
/// checker.
void expect_certified(const LinearRisk& problem, const LinearSolution& solution, double tolerance) {
  ASSERT_EQ(solution.report.status, Status::solved) << solution.report.message;
  const LinearResiduals at = residuals(problem, solution.w, solution.coefficients);
  const double scale = std::max(std::abs(at.primal), 1e-12);
  EXPECT_LE(at.dual_violation, 1e-12 * problem.c);
  EXPECT_NEAR(*solution.report.primal_objective, at.primal, 1e-10 * scale);
  EXPECT_NEAR(*solution.report.dual_objective, at.dual, 1e-10 * scale);
  EXPECT_LE(relative_gap(at.primal, at.dual), tolerance * (1 + 1e-6) + 1e-12);
}

double objective(const LinearRisk& problem, double tolerance = 1e-9) {
  const LinearSolution solution = solve_linear(problem, {.tolerance = tolerance});
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  return *solution.report.primal_objective;
}

/// Ascends the dual by projected gradients far past convergence and returns D. For smooth losses
/// descends P instead. Shares nothing with the solvers.
double optimum_by_gradients(const LinearCase& data, const LinearRisk& problem) {
  const std::size_t n = data.dense.rows();
  const std::size_t d = data.dense.cols();
  const auto x = [&](std::size_t i, std::size_t j) {
    return j < d ? data.dense(i, j) : problem.bias;
  };
  double norms = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= d; ++j) norms += x(i, j) * x(i, j);
  }
  std::vector<double> w(d + 1, 0.0);
  if (is_smooth(problem.loss)) {
    const double step = 1 / (1 + 2 * problem.c * norms);
    for (int k = 0; k < 100'000; ++k) {
      std::vector<double> g = w;
      for (std::size_t i = 0; i < n; ++i) {
        double s = 0;
        for (std::size_t j = 0; j <= d; ++j) s += w[j] * x(i, j);
        const double y = data.targets[i];
        double slope = 0;
        if (problem.loss == LinearLoss::squared_hinge) {
          slope = -2 * y * std::max(0.0, 1 - y * s);
        } else if (problem.loss == LinearLoss::logistic) {
          slope = -y / (1 + std::exp(y * s));
        } else {
          slope = 2 * std::copysign(std::max(0.0, std::abs(s - y) - problem.epsilon), s - y);
        }
        for (std::size_t j = 0; j <= d; ++j) g[j] += problem.c * slope * x(i, j);
      }
      double squared = 0;
      for (std::size_t j = 0; j <= d; ++j) {
        w[j] -= step * g[j];
        squared += g[j] * g[j];
      }
      if (squared < 1e-26) break;
    }
    if (problem.bias == 0) w.pop_back();
    return testing::primal_by_formula(data, problem, w);
  }
  std::vector<double> b(n, 0.0);
  const double step = 1 / norms;
  double value = 0;
  for (int k = 0; k < 100'000; ++k) {
    std::fill(w.begin(), w.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= d; ++j) w[j] += b[i] * x(i, j);
    }
    value = 0;
    for (const double component : w) value -= component * component / 2;
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = data.targets[i];
      double s = 0;
      for (std::size_t j = 0; j <= d; ++j) s += w[j] * x(i, j);
      double next = 0;
      if (problem.loss == LinearLoss::hinge) {
        value += y * b[i];
        next = y * std::clamp(y * b[i] + step * (1 - y * s), 0.0, problem.c);
      } else {
        value += y * b[i] - problem.epsilon * std::abs(b[i]);
        const double free = b[i] + step * (y - s);
        const double shrunk = std::max(0.0, std::abs(free) - step * problem.epsilon);
        next = std::clamp(std::copysign(shrunk, free), -problem.c, problem.c);
      }
      moved = std::max(moved, std::abs(next - b[i]));
      b[i] = next;
    }
    if (moved < 1e-15) break;
  }
  return value;
}

TEST(Linear, EverySolutionCarriesItsCertificate) {
  for (const LinearLoss loss : all_linear_losses) {
    LinearCase data = random_linear_case(60, 8, is_classification(loss), 17);
    Rng rng(4);
    for (std::size_t i = 0; i < 60; ++i) data.weights.push_back(i % 9 == 0 ? 0 : rng.uniform());
    for (const double c : {0.01, 1.0, 30.0}) {
      for (const double bias : {0.0, 1.5}) {
        for (const double tolerance : {1e-2, 1e-6}) {
          SCOPED_TRACE(std::string(to_string(loss)) + " C " + std::to_string(c));
          LinearRisk problem = data.problem(loss, c, bias);
          expect_certified(problem, solve_linear(problem, {.tolerance = tolerance}), tolerance);
          problem.examples = data.dense.view();
          expect_certified(problem, solve_linear(problem, {.tolerance = tolerance}), tolerance);
        }
      }
    }
  }
}

TEST(Linear, MatchesProjectedGradients) {
  for (const LinearLoss loss : all_linear_losses) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const LinearCase data = random_linear_case(8, 3, is_classification(loss), seed);
      const LinearRisk problem = data.problem(loss, 0.5, seed == 1 ? 0.0 : 1.0);
      const double optimum = optimum_by_gradients(data, problem);
      EXPECT_NEAR(objective(problem, 1e-10), optimum, 1e-8 * optimum) << to_string(loss);
    }
  }
}

/// P is 1-strongly convex, so two points within the gaps of the optimum are near each other.
/// With 10 columns Newton makes the Hessian in full, with 40 its products go row by row.
TEST(Linear, DualCoordinatesAndNewtonAgree) {
  for (const auto& [loss, columns] : {std::pair{LinearLoss::squared_hinge, std::size_t{10}},
                                      {LinearLoss::squared_hinge, std::size_t{40}},
                                      {LinearLoss::squared_epsilon_insensitive, std::size_t{10}},
                                      {LinearLoss::squared_epsilon_insensitive, std::size_t{40}}}) {
    SCOPED_TRACE(std::string(to_string(loss)) + ", " + std::to_string(columns));
    const LinearCase data = random_linear_case(80, columns, is_classification(loss), 5);
    const LinearRisk problem = data.problem(loss, 3, 1);
    const LinearSolution dual = solve_dual_coordinate(problem, {.tolerance = 1e-9});
    const LinearSolution newton = solve_primal_newton(problem, {.tolerance = 1e-9});
    expect_certified(problem, dual, 1e-9);
    expect_certified(problem, newton, 1e-9);
    const double reach = std::sqrt(2 * *dual.report.gap()) + std::sqrt(2 * *newton.report.gap());
    double squared = 0;
    for (std::size_t j = 0; j < dual.w.size(); ++j) {
      squared += (dual.w[j] - newton.w[j]) * (dual.w[j] - newton.w[j]);
    }
    EXPECT_LE(std::sqrt(squared), reach);
  }
}

/// Sparse rows of ones are walked without their values; dense ones are not. The optimum is between
/// D and P of either walk.
TEST(Linear, SparseRowsOfOnesAgreeWithDenseOnes) {
  for (const LinearLoss loss : all_linear_losses) {
    SCOPED_TRACE(std::string(to_string(loss)));
    LinearCase data = random_linear_case(60, 12, is_classification(loss), 8);
    for (std::size_t i = 0; i < data.dense.rows(); ++i) {
      for (double& value : data.dense.row(i)) value = value != 0 ? 1 : 0;
    }
    data = linear_case(std::move(data.dense), std::move(data.targets));
    const LinearRisk sparse = data.problem(loss, 2, 1);
    LinearRisk dense = sparse;
    dense.examples = data.dense.view();
    const LinearSolution one = solve_linear(sparse, {.tolerance = 1e-8});
    const LinearSolution other = solve_linear(dense, {.tolerance = 1e-8});
    expect_certified(sparse, one, 1e-8);
    expect_certified(dense, one, 1e-8);
    expect_certified(dense, other, 1e-8);
    EXPECT_GE(*one.report.primal_objective, *other.report.dual_objective);
    EXPECT_GE(*other.report.primal_objective, *one.report.dual_objective);
    if (!is_smooth(loss)) continue;
    expect_certified(sparse, solve_primal_newton(sparse, {.tolerance = 1e-8}), 1e-8);
    expect_certified(dense, solve_primal_newton(dense, {.tolerance = 1e-8}), 1e-8);
  }
}

/// Primal values of LIBLINEAR 2.3.0 (liblinear-train -s 3, 2, 0, 5, 13, 11 -e 1e-13 -p 0.1, at
/// most 1000 passes), recomputed in double from its model files: no optimum is above them. Where it
/// converged they are the optimum to all digits.
struct Peer {
  LinearLoss loss;
  LinearPenalty penalty;
  double c;
  double bias;
  double value;
  bool converged;
};

TEST(Linear, IsNotAboveLiblinearOnIris) {
  const auto l1 = LinearPenalty::l1;
  const auto l2 = LinearPenalty::l2;
  const std::vector<Peer> peers = {
      {LinearLoss::hinge, l2, 1, 0, 22.9515102443, false},
      {LinearLoss::hinge, l2, 1, 1, 20.9286593855, false},
      {LinearLoss::squared_hinge, l2, 1, 0, 19.9251376340, true},
      {LinearLoss::squared_hinge, l2, 1, 1, 17.6662705302, true},
      {LinearLoss::squared_hinge, l2, 10, 1, 107.7412154267, true},
      {LinearLoss::logistic, l2, 1, 0, 32.5249716877, true},
      {LinearLoss::logistic, l2, 1, 1, 31.6854057195, true},
      {LinearLoss::logistic, l2, 10, 1, 156.3037412091, true},
      {LinearLoss::squared_hinge, l1, 1, 0, 21.2055734205, false},
      {LinearLoss::squared_hinge, l1, 10, 1, 97.9512677120, false},
      {LinearLoss::epsilon_insensitive, l2, 1, 0, 8.9197865078, false},
      {LinearLoss::epsilon_insensitive, l2, 1, 1, 8.8664593082, false},
      {LinearLoss::squared_epsilon_insensitive, l2, 1, 0, 2.2902046959, true},
      {LinearLoss::squared_epsilon_insensitive, l2, 10, 1, 20.8268835959, true}};
  for (const Peer& peer : peers) {
    SCOPED_TRACE(std::string(to_string(peer.loss)) + " " + std::to_string(peer.value));
    const LinearCase data = iris_pair(is_classification(peer.loss));
    LinearRisk problem = data.problem(peer.loss, peer.c, peer.bias);
    problem.penalty = peer.penalty;
    const double tolerance = 1e-7;
    const LinearSolution solution = solve_linear(problem, {.tolerance = tolerance});
    expect_certified(problem, solution, tolerance);
    EXPECT_LE(*solution.report.dual_objective, peer.value * (1 + 1e-9));
    EXPECT_LE(*solution.report.primal_objective, peer.value * (1 + tolerance));
    if (peer.converged) {
      EXPECT_NEAR(*solution.report.dual_objective, peer.value, 2e-7 * peer.value);
    }
  }
}

TEST(Linear, DuplicatesCountAsWeightTwo) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase once = random_linear_case(20, 4, is_classification(loss), 9);
    LinearCase weighted = once;
    weighted.weights.assign(20, 1.0);
    DenseMatrix twice(30, 4);
    std::vector<double> targets = once.targets;
    for (std::size_t i = 0; i < 30; ++i) {
      const auto row = once.dense.row(i % 20);
      std::copy(row.begin(), row.end(), twice.row(i).begin());
      if (i >= 20) {
        targets.push_back(once.targets[i - 20]);
        weighted.weights[i - 20] = 2;
      }
    }
    const LinearCase repeated = linear_case(std::move(twice), std::move(targets));
    const double a = objective(repeated.problem(loss));
    EXPECT_NEAR(a, objective(weighted.problem(loss)), 1e-8 * a);
  }
}

TEST(Linear, ScalingTheDataBySAndCByItsSquareScalesTheObjective) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(30, 5, is_classification(loss), 13);
    LinearCase scaled = data;
    for (double& value : scaled.sparse.values()) value *= 4;
    const double a = objective(data.problem(loss, 2, 1));
    EXPECT_NEAR(16 * objective(scaled.problem(loss, 2.0 / 16, 4)), a, 1e-8 * a);
  }
}

TEST(Linear, OrderSignsAndDeadFeaturesDoNotMatter) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(30, 5, is_classification(loss), 21);
    DenseMatrix changed(30, 6);  // rows backwards, a column of zeros in the middle, targets swapped
    std::vector<double> targets(30);
    for (std::size_t i = 0; i < 30; ++i) {
      targets[i] = -data.targets[29 - i];
      for (std::size_t j = 0; j < 5; ++j) changed(i, j < 2 ? j : j + 1) = data.dense(29 - i, j);
    }
    const LinearCase other = linear_case(std::move(changed), std::move(targets));
    const double a = objective(data.problem(loss, 1, 1));
    EXPECT_NEAR(objective(other.problem(loss, 1, 1)), a, 1e-8 * a);
  }
}

TEST(Linear, RestartFromTheOptimumTakesNoIterations) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(40, 6, is_classification(loss), 8);
    const LinearRisk problem = data.problem(loss, 2, 1);
    const LinearSolution first = solve_linear(problem, {.tolerance = 1e-6});
    // The gap's last digits depend on the order of sums.
    const LinearSolution again = solve_linear(problem, {.tolerance = 1.001e-6}, &first);
    EXPECT_EQ(again.report.iterations, 0U) << to_string(loss);
    EXPECT_EQ(again.report.status, Status::solved);
  }
}

TEST(Linear, SameSeedSameBits) {
  const LinearCase data = random_linear_case(60, 6, true, 8);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 2, 1);
  const LinearSolution a = solve_linear(problem, {.context = {.seed = 3}});
  const LinearSolution b = solve_linear(problem, {.context = {.seed = 3}});
  const LinearSolution c = solve_linear(problem, {.context = {.seed = 4}});
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.coefficients, b.coefficients);
  EXPECT_NE(a.w, c.w);
}

TEST(Linear, ShrinkingChangesTheWayNotTheAnswer) {
  for (const LinearLoss loss : {LinearLoss::hinge, LinearLoss::epsilon_insensitive}) {
    const LinearCase data = random_linear_case(100, 6, is_classification(loss), 19);
    const LinearRisk problem = data.problem(loss, 5, 1);
    const LinearSolution with = solve_dual_coordinate(problem, {.tolerance = 1e-8});
    const LinearSolution without =
        solve_dual_coordinate(problem, {.tolerance = 1e-8, .shrinking = false});
    expect_certified(problem, with, 1e-8);
    expect_certified(problem, without, 1e-8);
  }
}

/// Two points at +1 and -1 on a line: w = min(1, 2C), as each coefficient is at most C.
TEST(Linear, TwoPointsHaveTheTextbookMargin) {
  const LinearCase data =
      linear_case(DenseMatrix(2, 1, Buffer<double>(std::vector<double>{1, -1})), {1.0, -1.0});
  for (const double c : {0.125, 4.0}) {
    const LinearSolution solution =
        solve_linear(data.problem(LinearLoss::hinge, c), {.tolerance = 1e-12});
    EXPECT_NEAR(solution.w[0], std::min(1.0, 2 * c), 1e-9);
    EXPECT_EQ(solution.bounded, c < 0.5 ? 2U : 0U);
  }
}

TEST(Linear, NoRowsNoColumnsAndEmptyRowsHaveExactAnswers) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase none = linear_case(DenseMatrix(0, 3), {});
    const LinearSolution nothing = solve_linear(none.problem(loss, 1, 1));
    EXPECT_EQ(nothing.report.status, Status::solved);
    EXPECT_EQ(*nothing.report.primal_objective, 0);
    EXPECT_EQ(nothing.w, std::vector<double>(4, 0.0));

    const LinearCase blank = linear_case(DenseMatrix(3, 0), {1, -1, 1});
    const LinearSolution zero = solve_linear(blank.problem(loss, 2));
    EXPECT_EQ(zero.report.status, Status::solved);
    const double each = testing::loss_by_formula(loss, 0.1, 0, 1);
    EXPECT_NEAR(*zero.report.primal_objective, 6 * each, 1e-12);
    EXPECT_NEAR(*zero.report.dual_objective, 6 * each, 6e-3 * each);
  }
}

TEST(Linear, EmptyRowsAmongOthersSitAtTheirBound) {
  DenseMatrix examples(4, 2);
  examples(0, 0) = 1;
  examples(1, 1) = 2;
  const LinearCase data = linear_case(std::move(examples), {1, -1, 1, -1});
  const LinearRisk problem = data.problem(LinearLoss::hinge, 0.5);
  const LinearSolution solution = solve_linear(problem, {.tolerance = 1e-10});
  expect_certified(problem, solution, 1e-10);
  EXPECT_EQ(solution.coefficients[2], 0.5);
  EXPECT_EQ(solution.coefficients[3], -0.5);
}

TEST(Linear, OneClassAndContradictionsAreSolvedToo) {
  for (const LinearLoss loss :
       {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
    LinearCase one = random_linear_case(20, 3, true, 3);
    std::fill(one.targets.begin(), one.targets.end(), 1.0);
    const LinearRisk problem = one.problem(loss, 1, 1);
    expect_certified(problem, solve_linear(problem, {.tolerance = 1e-6}), 1e-6);
    LinearCase torn = random_linear_case(20, 3, true, 4);
    for (std::size_t i = 0; i < 20; i += 2) {  // the same point with both labels
      const auto row = torn.dense.row(i);
      std::copy(row.begin(), row.end(), torn.dense.row(i + 1).begin());
      torn.targets[i] = 1;
      torn.targets[i + 1] = -1;
    }
    torn.sparse = to_sparse(torn.dense.view());
    const LinearRisk both = torn.problem(loss, 1, 0);
    expect_certified(both, solve_linear(both, {.tolerance = 1e-6}), 1e-6);
  }
}

TEST(Linear, HugeAndTinyCStayCertified) {
  for (const LinearLoss loss : {LinearLoss::squared_hinge, LinearLoss::logistic}) {
    const LinearCase data = random_linear_case(30, 4, true, 6);
    for (const double c : {1e-8, 1e6}) {
      const LinearRisk problem = data.problem(loss, c, 1);
      expect_certified(problem, solve_linear(problem, {.tolerance = 1e-4}), 1e-4);
    }
  }
  const LinearCase data = random_linear_case(30, 4, true, 6);
  const LinearRisk tiny = data.problem(LinearLoss::hinge, 1e-8, 1);
  expect_certified(tiny, solve_linear(tiny, {.tolerance = 1e-4}), 1e-4);
}

TEST(Linear, NumbersBeyondDoubleEndAsAStatus) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data =
        linear_case(DenseMatrix(2, 1, Buffer<double>(std::vector<double>{1e200, -1e200})), {1, -1});
    const LinearSolution solution = solve_linear(data.problem(loss, 1));
    EXPECT_EQ(solution.report.status, Status::numerical_failure) << to_string(loss);
    EXPECT_FALSE(solution.report.message.empty());
  }
}

TEST(Linear, AToleranceBelowRoundingEndsWithoutProgressNotForEver) {
  const LinearCase data = random_linear_case(30, 4, true, 6);
  for (const LinearLoss loss :
       {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
    const LinearSolution solution = solve_linear(data.problem(loss, 1, 1), {.tolerance = 1e-300});
    EXPECT_LE(*solution.report.relative_gap(), 1e-9) << to_string(loss);
  }
}

TEST(Linear, LimitsAndCallbacksEndWithAMeasuredPoint) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(200, 10, is_classification(loss), 6);
    const LinearRisk problem = data.problem(loss, 50, 1);
    const LinearSolution limited = solve_linear(problem, {.tolerance = 1e-14, .max_iterations = 2});
    EXPECT_EQ(limited.report.status, Status::iteration_limit) << to_string(loss);
    EXPECT_EQ(limited.report.iterations, 2U);
    const LinearResiduals at = residuals(problem, limited.w, limited.coefficients);
    EXPECT_NEAR(*limited.report.primal_objective, at.primal, 1e-9 * at.primal);
    EXPECT_NEAR(*limited.report.dual_objective, at.dual, 1e-9 * at.primal);
    EXPECT_NE(limited.report.message.find("relative gap"), std::string::npos);

    int calls = 0;
    const LinearSolution stopped = solve_linear(
        problem, {.tolerance = 1e-14, .context = {.on_progress = [&](const Progress& state) {
                                        EXPECT_TRUE(state.dual_objective.has_value());
                                        return ++calls < 3 ? Continue::yes : Continue::time_is_up;
                                      }}});
    EXPECT_EQ(stopped.report.status, Status::time_limit);
    EXPECT_TRUE(stopped.report.gap().has_value());
  }
}

/// LIBLINEAR's rule: with a small eps the answer is as good as a small gap's.
TEST(Linear, KktToleranceStopsByProjectedGradients) {
  for (const LinearLoss loss : {LinearLoss::hinge, LinearLoss::epsilon_insensitive}) {
    const LinearCase data = random_linear_case(60, 5, is_classification(loss), 14);
    const LinearRisk problem = data.problem(loss, 1, 1);
    const LinearSolution loose = solve_linear(problem, {.kkt_tolerance = 0.5});
    const LinearSolution tight = solve_linear(problem, {.kkt_tolerance = 1e-8});
    EXPECT_EQ(loose.report.status, Status::solved);
    EXPECT_EQ(tight.report.status, Status::solved);
    EXPECT_LT(loose.report.iterations, tight.report.iterations);
    EXPECT_LE(*tight.report.relative_gap(), 1e-6);
    EXPECT_GT(*loose.report.relative_gap(), *tight.report.relative_gap());
  }
}

TEST(Linear, PathMeetsTheToleranceAtEveryCAndSavesPasses) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(150, 10, is_classification(loss), 25);
    const std::vector<double> cs{0.01, 0.03, 0.1, 0.3, 1, 3};
    const LinearOptions options{.tolerance = 1e-5};
    const std::vector<LinearSolution> path =
        solve_linear_path(data.problem(loss, 7, 1), cs, options);
    ASSERT_EQ(path.size(), cs.size());
    for (std::size_t k = 0; k < cs.size(); ++k) {
      expect_certified(data.problem(loss, cs[k], 1), path[k], 1e-5);
    }
    if (loss != LinearLoss::hinge) continue;
    std::uint64_t together = 0;
    std::uint64_t alone = 0;
    for (std::size_t k = 0; k < cs.size(); ++k) {
      together += path[k].report.iterations;
      alone += solve_linear(data.problem(loss, cs[k], 1), options).report.iterations;
    }
    EXPECT_LT(together, alone);
  }
}

TEST(Linear, PathMayAlsoDescend) {
  const LinearCase data = random_linear_case(60, 5, true, 25);
  const std::vector<double> cs{10, 0.1};
  const auto path = solve_linear_path(data.problem(LinearLoss::hinge, 1, 1), cs);
  expect_certified(data.problem(LinearLoss::hinge, 0.1, 1), path[1], 1e-3);
}

TEST(Linear, WrongCallsAreRefused) {
  const LinearCase data = random_linear_case(4, 2, true, 1);
  const LinearRisk hinge = data.problem(LinearLoss::hinge);
  EXPECT_THROW((void)solve_linear(hinge, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_linear(hinge, {.kkt_tolerance = -1}), InvalidArgument);
  EXPECT_THROW((void)solve_primal_newton(hinge), InvalidArgument);
  EXPECT_THROW((void)solve_dual_coordinate(data.problem(LinearLoss::logistic)), InvalidArgument);
  EXPECT_THROW((void)solve_l1_coordinate(hinge), InvalidArgument);
  const std::vector<double> start(3, 0.0);
  EXPECT_THROW((void)solve_dual_coordinate(hinge, {}, start), InvalidArgument);
  const std::vector<double> nan(4, NAN);
  EXPECT_THROW((void)solve_dual_coordinate(hinge, {}, nan), InvalidArgument);
  const std::vector<double> cs{1, -1};
  EXPECT_THROW((void)solve_linear_path(hinge, cs), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

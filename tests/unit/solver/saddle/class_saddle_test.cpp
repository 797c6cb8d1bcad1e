// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/class_saddle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "class_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/saddle/label_saddle.hpp"
#include "solver/sdp/interior_point.hpp"

namespace maxmargin {
namespace {

ClassSaddleSolution solve(const ClassSaddle& problem, double tolerance = 1e-7) {
  return solve_class_saddle(problem, {.tolerance = tolerance, .max_iterations = 200000});
}

/// seed-xu fact 44, up to the tolerance of the runs here.
void expect_feasible(const ClassSaddle& problem, const ClassSaddleSolution& found, double slack) {
  const std::size_t n = problem.size();
  DenseMatrix rest = found.m;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(found.m(i, i), 1, 1e-9);
    const std::span<const double> d = found.d.row(i);
    EXPECT_NEAR(std::accumulate(d.begin(), d.end(), 0.0), 1, 1e-9);
    const std::span<const double> row = found.m.row(i);
    const double size = std::accumulate(row.begin(), row.end(), 0.0);
    EXPECT_GE(size, problem.row_least() - slack * static_cast<double>(n));
    EXPECT_LE(size, problem.row_most() + slack * static_cast<double>(n));
    for (std::size_t r = 0; r < problem.classes; ++r) EXPECT_GE(d[r], -slack);
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_GE(found.m(i, j), -slack);
      EXPECT_LE(found.m(i, j), 1 + slack);
      for (std::size_t r = 0; r < problem.classes; ++r) rest(i, j) -= d[r] * found.d(j, r);
    }
  }
  EXPECT_GE(eigenvalues_symmetric(rest.view()).front(), -slack * static_cast<double>(n));
}

/// Value and bound meet at `expected`, and the bound follows from the certificate.
void expect_value(const ClassSaddle& problem, const ClassSaddleSolution& found, double expected) {
  const double slack = 1e-6 * std::max(1.0, std::abs(expected));
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.value, expected, slack);
  EXPECT_NEAR(found.lower_bound, expected, slack);
  EXPECT_LE(found.lower_bound, expected + 1e-8);
  EXPECT_EQ(class_saddle_bound(problem, found.certificate), found.lower_bound);
  expect_feasible(problem, found, 1e-5);
}

// Golden MC of the notes: the same M for both beta (fact 46), D = 1/3.
TEST(ClassSaddle, GoldenMcWithoutLabels) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle small = class_problem(gram, 0.5, 3, 0.1);
  const ClassSaddle large = class_problem(gram, 5, 3, 0.1);
  const ClassSaddleSolution first = solve(small);
  const ClassSaddleSolution second = solve(large);
  expect_value(small, first, -3.384411646);
  expect_value(large, second, 3.261558835);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(first.m(i, j), second.m(i, j), 2e-3);
    for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(first.d(i, r), 1.0 / 3);
  }
  // seed-xu fact 46: omega = n (1 - 1/kappa) - C/2 (<K, M> - e'Ke / kappa).
  double within = 0;
  double all = 0;
  for (std::size_t k = 0; k < 36; ++k) {
    within += gram.values()[k] * first.m.values()[k];
    all += gram.values()[k];
  }
  EXPECT_NEAR(first.value, 4 - (within - all / 3), 1e-9);
}

// Golden C of the notes.
TEST(ClassSaddle, GoldenMcWithLabels) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
  const ClassSaddleSolution found = solve(problem, 1e-8);
  expect_value(problem, found, 0.497207237);
  const std::vector<std::vector<double>> rows = {{0.872362, 0.094689, 0.032948},
                                                 {0.070176, 0.847342, 0.082482},
                                                 {0.028776, 0.028521, 0.942703}};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(found.d(2 * k + 1, r), rows[k][r], 2e-4);
  }
  // seed-xu fact 43: known rows of M are columns of D.
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(found.m(2 * k, j), found.d(j, k));
  }
}

// The published program in full, by interior points, with and without labels; as printed, without
// De = e, it has the other golden values. Its value lacks the constant n (facts 46 and 47).
TEST(ClassSaddle, FullProgramAgrees) {
  const DenseMatrix gram = golden_mc();
  const auto value = [](const ClassSaddle& problem, bool row_sums) {
    const SdpSolution solved =
        solve_sdp_interior_point(full_class_program(problem, row_sums), {.tolerance = 1e-8});
    return *solved.report.primal_objective + static_cast<double>(problem.size());
  };
  const ClassSaddle plain = class_problem(gram, 0.5, 3, 0.1);
  const ClassSaddle semi = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
  EXPECT_NEAR(value(plain, false), -8.927190636, 1e-5);
  EXPECT_NEAR(value(class_problem(gram, 5, 3, 0.1), false), 3.089952618, 1e-5);
  // Known classes leave the full program no interior, and interior points some digits.
  EXPECT_NEAR(value(semi, true), 0.497207237, 1e-3);
  EXPECT_NEAR(value(semi, false), 0.164390177, 1e-3);
}

// seed-xu fact 46 in the full program: D has nothing to say, and M is that of the reduced form, for
// any beta.
TEST(ClassSaddle, FullProgramWithoutLabelsHasTheReducedMatrix) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddleSolution reduced = solve(class_problem(gram, 0.5, 3, 0.1));
  for (const auto& [beta, expected] : {std::pair{0.5, -3.384411646}, std::pair{5.0, 3.261558835}}) {
    const SdpSolution full = solve_sdp_interior_point(
        full_class_program(class_problem(gram, beta, 3, 0.1), true), {.tolerance = 1e-8});
    EXPECT_NEAR(*full.report.primal_objective + 6, expected, 1e-5);
    const DenseMatrix& labels = full.x[0];  // [I, D'; D, M]
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(labels(3 + i, r), 1.0 / 3, 1e-3);
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(labels(3 + i, 3 + j), reduced.m(i, j), 2e-3) << beta;
      }
    }
  }
}

// Other data, other kernels: both ways to the same number.
TEST(ClassSaddle, AgreesWithTheFullProgramOnRandomPoints) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(5, 2, seed), 0.5);
    const ClassSaddle problem = class_problem(gram, 1.5, 3, 0.15, {0, -1, 1, -1, -1});
    const SdpSolution full =
        solve_sdp_interior_point(full_class_program(problem, true), {.tolerance = 1e-8});
    const ClassSaddleSolution found = solve(problem, 1e-6);
    const double expected = *full.report.primal_objective + 5;
    // The full program has no interior, as in FullProgramAgrees.
    EXPECT_NEAR(found.value, expected, 1e-3);
    EXPECT_NEAR(found.lower_bound, expected, 1e-3);
    EXPECT_EQ(found.report.status, Status::solved);
  }
}

// All labellings of up to 7 points: none is below the bound, with and without known classes, and
// more known classes give a larger value.
TEST(ClassSaddle, BoundIsBelowEveryLabelling) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(6, 2, seed), 0.6);
    const ClassSaddle plain = class_problem(gram, 3, 3, 0.2);
    ClassSaddle told = plain;
    told.labels = {0, -1, -1, 1, -1, -1};
    const ClassSaddleSolution without = solve(plain, 1e-5);
    const ClassSaddleSolution with = solve(told, 1e-5);
    EXPECT_LE(without.lower_bound, best_labelling_omega(plain, 150));
    EXPECT_LE(with.lower_bound, best_labelling_omega(told, 150));
    EXPECT_GE(with.value, without.lower_bound - 1e-6);
  }
}

// seed-xu fact 43: all classes known is the machine itself.
TEST(ClassSaddle, AllKnownIsTheMachine) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.1, {0, 0, 1, 1, 2, 2});
  const ClassSaddleSolution found = solve(problem, 1e-8);
  EXPECT_NEAR(found.value, 0.549347642, 1e-7);
  EXPECT_NEAR(found.lower_bound, 0.549347642, 1e-7);
  const ClassSaddle other = class_problem(gram, 5, 3, 0.1, {0, 0, 1, 1, 2, 2});
  EXPECT_NEAR(solve(other, 1e-8).value, 4.357366069, 1e-6);
}

// seed-xu fact 45: names of classes do not matter.
TEST(ClassSaddle, RenamedClassesHaveTheSameValue) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddleSolution first =
      solve(class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1}), 1e-7);
  const ClassSaddleSolution second =
      solve(class_problem(gram, 0.5, 3, 0.1, {2, -1, 0, -1, 1, -1}), 1e-7);
  EXPECT_NEAR(first.value, second.value, 1e-6);
  const DenseMatrix d = indicator({0, 1, 2, 2, 1, 0}, 3);
  const DenseMatrix renamed = indicator({2, 0, 1, 1, 0, 2}, 3);
  const DenseMatrix m = equivalence(d);
  EXPECT_NEAR(xu_omega(m, d, gram, 0.5), xu_omega(m, renamed, gram, 0.5), 1e-9);
  // The mean over all names is never worse.
  const DenseMatrix mean(6, 3, 1.0 / 3);
  EXPECT_LE(xu_omega(m, mean, gram, 0.5), xu_omega(m, d, gram, 0.5));
  // Nor do they where D is anything between.
  Rng rng(4, "soft classes");
  DenseMatrix soft(6, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (double& entry : soft.row(i)) sum += entry = rng.uniform();
    for (double& entry : soft.row(i)) entry /= sum;
  }
  const DenseMatrix between = equivalence(soft);
  const double value = xu_omega(between, soft, gram, 0.5);
  EXPECT_LE(xu_omega(between, mean, gram, 0.5), value + 1e-9);
  std::vector<std::size_t> names = {0, 1, 2};
  do {
    DenseMatrix other(6, 3);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t r = 0; r < 3; ++r) other(i, names[r]) = soft(i, r);
    }
    EXPECT_NEAR(xu_omega(between, other, gram, 0.5), value, 1e-9);
  } while (std::ranges::next_permutation(names).found);
}

// seed-xu fact 48: an ideal kernel of equal clusters and no slack in sizes is solved exactly.
TEST(ClassSaddle, IdealBlocksAreRecovered) {
  const std::vector<std::int32_t> truth = {0, 1, 2, 2, 0, 1, 1, 0, 2};
  const DenseMatrix gram = equivalence(indicator(truth, 3));
  const ClassSaddle problem = class_problem(gram, 1, 3, 0);
  const ClassSaddleSolution found = solve(problem, 1e-6);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(found.m(i, j), gram(i, j), 1e-3);
  }
  EXPECT_EQ(found.rank, 3U);
}

// seed-xu fact 49: for two classes the feasible set is that of the two-class relaxation.
TEST(ClassSaddle, TwoClassesHaveTheTwoClassSet) {
  const DenseMatrix gram = golden_b();
  // Two-class M, balance |Me| <= 1: epsilon_two = 2 n epsilon_multi.
  const LabelSaddle two{
      .matrix = gram.view(), .c = 1, .balance = LabelBalance::rows, .imbalance = 1};
  const LabelSaddleSolution labels = solve_label_saddle(two, {.tolerance = 1e-6});
  const ClassSaddle problem = class_problem(gram, 1, 2, 1.0 / 12);
  DenseMatrix m(6, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < labels.v.cols(); ++k) product += labels.v(i, k) * labels.v(j, k);
      m(i, j) = (product + 1) / 2;
    }
  }
  ClassSaddleSolution mapped;
  mapped.m = m;
  mapped.d = DenseMatrix(6, 2, 0.5);
  expect_feasible(problem, mapped, 1e-4);
  // With a smaller allowance it is not: the balance is active.
  const ClassSaddle tighter = class_problem(gram, 1, 2, 0.9 / 12);
  double outside = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double size = std::accumulate(m.row(i).begin(), m.row(i).end(), 0.0);
    outside = std::max({outside, size - tighter.row_most(), tighter.row_least() - size});
  }
  EXPECT_GT(outside, 1e-2);
  // And back: the solution here is feasible there.
  const ClassSaddleSolution found = solve(problem, 1e-6);
  DenseMatrix back = found.m;
  for (double& x : back.values()) x = 2 * x - 1;
  EXPECT_GE(eigenvalues_symmetric(back.view()).front(), -1e-4);
  for (std::size_t i = 0; i < 6; ++i) {
    const std::span<const double> row = back.row(i);
    EXPECT_LE(std::abs(std::accumulate(row.begin(), row.end(), 0.0)), 1 + 1e-4);
  }
}

// The iteration limit and a caller who stops: the bound still holds.
TEST(ClassSaddle, StopsWithAValidBound) {
  const DenseMatrix gram = golden_mc();
  const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
  const ClassSaddleSolution limited =
      solve_class_saddle(problem, {.tolerance = 1e-9, .max_iterations = 3});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 3U);
  EXPECT_LE(limited.lower_bound, 0.497207238);
  const ClassSaddleSolution stopped = solve_class_saddle(
      problem, {.tolerance = 1e-9, .context = {.on_progress = [](const Progress&) {
                                     return Continue::stop;
                                   }}});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  EXPECT_LE(stopped.lower_bound, 0.497207238);
  EXPECT_EQ(class_saddle_bound(problem, stopped.certificate), stopped.lower_bound);
}

TEST(ClassSaddle, SameBitsForAnyNumberOfThreads) {
  // Enough points for two jobs.
  const DenseMatrix gram = rbf_gram(normal_points(70, 2, 5), 0.5);
  ClassSaddle problem = class_problem(gram, 1, 3, 0.1);
  std::vector<std::int32_t> some(70, -1);
  some[0] = 0;
  some[7] = 1;
  some[19] = 2;
  for (const std::vector<std::int32_t>& labels : {std::vector<std::int32_t>{}, some}) {
    problem.labels = labels;
    const ClassSaddleSolution one =
        solve_class_saddle(problem, {.max_iterations = 20, .context = {.threads = 1}});
    for (const std::size_t threads : {2U, 4U}) {
      const ClassSaddleSolution more =
          solve_class_saddle(problem, {.max_iterations = 20, .context = {.threads = threads}});
      EXPECT_EQ(more.lower_bound, one.lower_bound);
      EXPECT_TRUE(std::ranges::equal(more.m.values(), one.m.values()));
      EXPECT_TRUE(std::ranges::equal(more.d.values(), one.d.values()));
    }
  }
}

// A value by a smooth kernel takes many passes, and the caller may end them.
TEST(ClassSaddle, AsksWhileAValueIsComputed) {
  const DenseMatrix gram = rbf_gram(normal_points(30, 2, 4), 0.01);
  ClassSaddle problem = class_problem(gram, 0.01, 3, 0.1);
  problem.labels.assign(30, -1);
  for (std::int32_t k = 0; k < 3; ++k) problem.labels[static_cast<std::size_t>(k)] = k;
  std::size_t questions = 0;
  const ClassSaddleSolution stopped =
      solve_class_saddle(problem,
                         {.tolerance = 1e-6,
                          .max_iterations = 50,
                          .context = {.on_progress = [&](const Progress& now) {
                            if (now.phase != "value") return Continue::yes;
                            return ++questions < 3 ? Continue::yes : Continue::stop;
                          }}});
  EXPECT_EQ(questions, 3U);
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  EXPECT_EQ(class_saddle_bound(problem, stopped.certificate), stopped.lower_bound);
  EXPECT_GE(stopped.value, stopped.lower_bound);
}

// A known point whose kernel row is what rounding left of 0: its curvature is next to nothing, its
// gradient is not.
TEST(ClassSaddle, KnownPointAtTheOrigin) {
  for (const double rounding : {0.0, 1e-17, 1e-160}) {
    DenseMatrix gram = golden_mc();
    for (std::size_t j = 0; j < 6; ++j) {
      gram(0, j) = gram(j, 0) = j == 0 ? 0.0 : rounding * (static_cast<double>(j) - 2.5);
    }
    const ClassSaddle problem = class_problem(gram, 0.5, 3, 0.1, {0, -1, 1, -1, 2, -1});
    const ClassSaddleSolution found = solve(problem, 1e-5);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_LE(found.lower_bound, best_labelling_omega(problem, 1000) + 1e-9);
  }
}

// Ugly: two points, points that are all alike, a kernel of zeros, one class without a known point.
TEST(ClassSaddle, DegenerateData) {
  for (const double entry : {0.0, 1.0}) {
    const DenseMatrix alike(4, 4, entry);
    const ClassSaddle problem = class_problem(alike, 1, 2, 0.25);
    const ClassSaddleSolution found = solve(problem, 1e-6);
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_LE(found.lower_bound, best_labelling_omega(problem, 500) + 1e-9);
  }
  const DenseMatrix pair = golden_mc();
  const ClassSaddle partial = class_problem(pair, 1, 3, 0.1, {0, -1, 0, -1, -1, -1});
  const ClassSaddleSolution found = solve(partial, 1e-5);
  EXPECT_LE(found.lower_bound, best_labelling_omega(partial, 500));
  EXPECT_THROW((void)solve_class_saddle(partial, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_class_saddle(partial, {.max_iterations = 0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// 1/2 sum_j a_j (w_j - b_j)^2 + 7: least value 7, modulus min a.
struct Bowl {
  std::vector<double> a;
  std::vector<double> b;

  explicit Bowl(std::size_t n, double condition, std::uint64_t seed) {
    Rng rng(seed);
    for (std::size_t j = 0; j < n; ++j) {
      a.push_back(std::pow(condition, static_cast<double>(j) / static_cast<double>(n - 1)));
      b.push_back(rng.normal());
    }
  }
  double operator()(std::span<const double> w, std::span<double> gradient) const {
    double sum = 7;
    for (std::size_t j = 0; j < w.size(); ++j) {
      gradient[j] = a[j] * (w[j] - b[j]);
      sum += 0.5 * a[j] * (w[j] - b[j]) * (w[j] - b[j]);
    }
    return sum;
  }
};

double rosenbrock(std::span<const double> w, std::span<double> gradient) {
  const double u = 1 - w[0];
  const double v = w[1] - w[0] * w[0];
  gradient[0] = -2 * u - 400 * w[0] * v;
  gradient[1] = 200 * v;
  return u * u + 100 * v * v;
}

TEST(Lbfgs, FindsTheBottomOfBowlsWithinItsCertifiedGap) {
  for (const double condition : {1.0, 100.0, 1e4}) {
    const Bowl bowl(30, condition, 1);
    const LbfgsSolution found =
        solve_lbfgs(bowl, std::vector<double>(30, 0.0), {.modulus = 1, .tolerance = 1e-10});
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_LE(*found.report.lower_bound, 7 * (1 + 1e-14));
    EXPECT_GE(*found.report.primal_objective, 7);
    EXPECT_LE(*found.report.relative_gap(), 1e-10);
    EXPECT_FALSE(found.report.dual_objective);
    // |w - w*|^2 <= 2 gap, both rounded.
    double distance = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      distance += (found.w[j] - bowl.b[j]) * (found.w[j] - bowl.b[j]);
    }
    EXPECT_LE(distance, 2 * *found.report.gap() + 1e-13);
  }
}

// The bound is one from the first look on, however early the run ends.
TEST(Lbfgs, BoundHoldsAfterEveryNumberOfSteps) {
  const Bowl bowl(20, 1000, 2);
  double last = -std::numeric_limits<double>::infinity();
  double value = std::numeric_limits<double>::infinity();
  for (std::size_t limit = 1; limit < 40; ++limit) {
    const LbfgsSolution found =
        solve_lbfgs(bowl,
                    std::vector<double>(20, 0.0),
                    {.modulus = 1, .tolerance = 1e-12, .max_iterations = limit});
    EXPECT_LE(*found.report.lower_bound, 7 * (1 + 1e-14));
    EXPECT_GE(*found.report.lower_bound, last);
    EXPECT_LE(*found.report.primal_objective, value * (1 + 1e-12));
    last = *found.report.lower_bound;
    value = *found.report.primal_objective;
    if (found.report.status == Status::solved) break;
    EXPECT_EQ(found.report.status, Status::iteration_limit);
    EXPECT_EQ(found.report.iterations, limit);
  }
}

TEST(Lbfgs, GoesThroughRosenbrocksValley) {
  const LbfgsSolution found = solve_lbfgs(rosenbrock, {-1.2, 1.0}, {.tolerance = 1e-9});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.w[0], 1, 1e-8);
  EXPECT_NEAR(found.w[1], 1, 1e-8);
  EXPECT_FALSE(found.report.lower_bound);
  EXPECT_LE(*found.report.dual_residual, 1e-9 * std::sqrt(2.0) * 1.001);
  EXPECT_LT(found.evaluations, 100u);
}

TEST(Lbfgs, RestartFromTheOptimumTakesNoSteps) {
  const Bowl bowl(10, 100, 3);
  const LbfgsSolution found = solve_lbfgs(bowl, bowl.b, {.modulus = 1, .tolerance = 1e-12});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(found.report.iterations, 0u);
  EXPECT_EQ(found.evaluations, 1u);
  EXPECT_EQ(found.w, bowl.b);
}

// A function that is infinite beyond a wall: trials there are too far.
TEST(Lbfgs, ComesBackFromWhereTheFunctionIsNotFinite) {
  const auto barrier = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = 100 - 1 / w[0];
    return 100 * w[0] - std::log(w[0]);  // NaN for w < 0
  };
  const LbfgsSolution found = solve_lbfgs(barrier, {5.0}, {.tolerance = 1e-8});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.w[0], 0.01, 1e-9);
}

TEST(Lbfgs, SaysWhatWentWrong) {
  const auto nothing = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = 1;
    return std::nan("");
  };
  EXPECT_EQ(solve_lbfgs(nothing, {0.0}).report.status, Status::numerical_failure);
  // A gradient that lies: no step goes down.
  const auto liar = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = -1;
    return 1 + w[0] * w[0];
  };
  const LbfgsSolution found = solve_lbfgs(liar, {0.0});
  EXPECT_EQ(found.report.status, Status::no_progress);
  EXPECT_EQ(found.w, std::vector<double>{0.0});
}

TEST(Lbfgs, StopsWhenToldAndKeepsTheBestPoint) {
  const Bowl bowl(20, 1000, 4);
  for (const Continue answer : {Continue::stop, Continue::time_is_up}) {
    int asked = 0;
    const LbfgsSolution found = solve_lbfgs(
        bowl,
        std::vector<double>(20, 0.0),
        {.modulus = 1, .tolerance = 1e-12, .context = {.on_progress = [&](const Progress&) {
                                             return ++asked > 5 ? answer : Continue::yes;
                                           }}});
    EXPECT_EQ(found.report.status, status_of(answer));
    std::vector<double> gradient(20);
    EXPECT_EQ(bowl(found.w, gradient), *found.report.primal_objective);
    EXPECT_EQ(asked, 6);
  }
}

TEST(Lbfgs, BitsDoNotDependOnThreads) {
  const Bowl bowl(200000, 50, 5);
  const auto run = [&](std::size_t threads) {
    return solve_lbfgs(bowl,
                       std::vector<double>(200000, 0.0),
                       {.modulus = 1, .tolerance = 1e-6, .context = {.threads = threads}});
  };
  const LbfgsSolution one = run(1);
  const LbfgsSolution three = run(3);
  EXPECT_EQ(one.w, three.w);
  EXPECT_EQ(one.evaluations, three.evaluations);
}

TEST(Lbfgs, TakesAnEmptyPoint) {
  const auto constant = [](std::span<const double>, std::span<double>) { return 3.0; };
  const LbfgsSolution found = solve_lbfgs(constant, {}, {.modulus = 1});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(*found.report.primal_objective, 3);
}

TEST(Lbfgs, NamesWrongOptions) {
  const auto message = [](const LbfgsOptions& options) {
    try {
      validate(options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.modulus = 0}), "--modulus 0: must be a finite number > 0");
  EXPECT_EQ(message({.tolerance = 0}), "--tolerance 0: must be a finite number > 0");
  EXPECT_EQ(message({.pairs = 0}), "--pairs 0: must be a whole number >= 1");
  EXPECT_EQ(message({.max_iterations = 0}), "--max-iterations 0: must be a whole number >= 1");
  EXPECT_THROW((void)solve_lbfgs(rosenbrock, {std::nan(""), 0.0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

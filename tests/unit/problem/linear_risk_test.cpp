// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/linear_risk.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "linear_problems.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

using testing::all_linear_losses;
using testing::LinearCase;
using testing::primal_by_formula;
using testing::random_linear_case;

std::vector<double> random_vector(std::size_t n, Rng& rng, double size = 1) {
  std::vector<double> result(n);
  for (double& value : result) value = size * rng.normal();
  return result;
}

/// A coefficient in the domain of the dual.
std::vector<double> random_dual(const LinearRisk& problem, Rng& rng) {
  std::vector<double> b(problem.rows());
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double u = rng.uniform();
    b[i] = problem.upper(i) * u;
    if (is_classification(problem.loss)) {
      b[i] *= problem.targets[i];
    } else if (rng.bernoulli(0.5)) {
      b[i] = -b[i];
    }
  }
  return b;
}

TEST(LinearRisk, PrimalIsTheFormula) {
  for (const LinearLoss loss : all_linear_losses) {
    LinearCase data = random_linear_case(20, 5, is_classification(loss), 3);
    Rng rng(5);
    for (std::size_t i = 0; i < 20; ++i) data.weights.push_back(i % 7 == 0 ? 0 : rng.uniform());
    const LinearRisk problem = data.problem(loss, 2.5, 0.5);
    const std::vector<double> w = random_vector(6, rng);
    const std::vector<double> b(20, 0.0);
    EXPECT_NEAR(residuals(problem, w, b).primal, primal_by_formula(data, problem, w), 1e-12);
  }
}

TEST(LinearRisk, DualIsNeverAbovePrimal) {
  for (const LinearLoss loss : all_linear_losses) {
    const LinearCase data = random_linear_case(15, 4, is_classification(loss), 11);
    Rng rng(7);
    for (int trial = 0; trial < 200; ++trial) {
      const LinearRisk problem = data.problem(loss, 0.3, trial % 2);
      const auto w = random_vector(problem.components(), rng, 0.3);
      const auto b = random_dual(problem, rng);
      const LinearResiduals at = residuals(problem, w, b);
      EXPECT_LE(at.dual, at.primal + 1e-12) << to_string(loss);
      EXPECT_EQ(at.dual_violation, 0);
    }
  }
}

/// Fenchel's equality: b = -C loss'(s) closes the gap up to half the squared gradient.
TEST(LinearRisk, GapOfAPrimalPointIsHalfItsSquaredGradient) {
  for (const LinearLoss loss :
       {LinearLoss::squared_hinge, LinearLoss::logistic, LinearLoss::squared_epsilon_insensitive}) {
    const LinearCase data = random_linear_case(25, 4, is_classification(loss), 2);
    const LinearRisk problem = data.problem(loss, 0.7);
    Rng rng(1);
    const auto w = random_vector(4, rng, 0.3);
    const double step = 1e-5;
    std::vector<double> b(25);
    for (std::size_t i = 0; i < 25; ++i) {
      double s = 0;
      for (std::size_t j = 0; j < 4; ++j) s += w[j] * data.dense(i, j);
      const auto value = [&](double score) {
        return 0.7 * testing::loss_by_formula(loss, 0.1, score, data.targets[i]);
      };
      b[i] = -(value(s + step) - value(s - step)) / (2 * step);
    }
    double squared = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      double g = w[j];
      for (std::size_t i = 0; i < 25; ++i) g -= b[i] * data.dense(i, j);
      squared += g * g;
    }
    const LinearResiduals at = residuals(problem, w, b);
    EXPECT_NEAR(at.primal - at.dual, squared / 2, 1e-7 * (1 + squared)) << to_string(loss);
  }
}

TEST(LinearRisk, CoefficientsOutsideTheDomainAreSeen) {
  const LinearCase data = random_linear_case(3, 2, true, 1);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1);
  std::vector<double> b(3, 0.0);
  b[1] = data.targets[1] * 1.25;
  const LinearResiduals at = residuals(problem, std::vector<double>(2, 0.0), b);
  EXPECT_NEAR(at.dual_violation, 0.25, 1e-15);
  EXPECT_EQ(at.dual, -std::numeric_limits<double>::infinity());
}

TEST(LinearRisk, L1DualPointMustKeepEveryFeatureWithinOne) {
  const LinearCase data = testing::linear_case(DenseMatrix(1, 1, 2.0), {1.0});
  LinearRisk problem = data.problem(LinearLoss::squared_hinge, 1);
  problem.penalty = LinearPenalty::l1;
  const std::vector<double> w{0.0};
  EXPECT_DOUBLE_EQ(residuals(problem, w, std::vector<double>{0.5}).dual, 0.5 - 0.25 / 4);
  EXPECT_EQ(residuals(problem, w, std::vector<double>{0.75}).dual_violation, 0.5);
}

TEST(LinearRisk, RefusesWhatItCannotMean) {
  const LinearCase data = random_linear_case(4, 2, true, 1);
  const auto message = [&](auto&& change) -> std::string {
    LinearRisk problem = data.problem(LinearLoss::hinge);
    std::vector<double> room(4, 1.0);
    change(problem, room);
    try {
      validate(problem);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "accepted";
  };
  using Room = std::vector<double>;
  EXPECT_EQ(message([](LinearRisk&, Room&) {}), "accepted");
  EXPECT_NE(
      message([](LinearRisk& p, Room&) { p.c = 0; }).find("-C 0: must be a finite number > 0"),
      std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room&) {
              p.c = std::numeric_limits<double>::infinity();
            }).find("hard margins"),
            std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room& r) {
              r[2] = 0.5;
              p.targets = r;
            }).find("targets[2] = 0.5, must be +1 or -1"),
            std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room& r) {
              r[1] = -1;
              p.weights = r;
            }).find("weights[1] = -1"),
            std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room&) {
              p.targets = p.targets.first(3);
            }).find("targets.size() = 3"),
            std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room&) { p.penalty = LinearPenalty::l1; }).find("penalty"),
            std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room&) { p.bias = NAN; }).find("bias"), std::string::npos);
  EXPECT_NE(message([](LinearRisk& p, Room&) {
              p.loss = LinearLoss::epsilon_insensitive;
              p.epsilon = -1;
            }).find("--epsilon -1"),
            std::string::npos);
  DenseMatrix bad(4, 2);
  bad(3, 1) = NAN;
  EXPECT_NE(message([&](LinearRisk& p, Room&) { p.examples = bad.view(); }).find("not finite"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin

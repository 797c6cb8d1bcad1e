// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/chain_m3n.hpp"

#include <gtest/gtest.h>

#include "label_chain_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// Marginals of random distributions over labellings, times the costs.
std::vector<ChainMarginals> random_marginals(const ChainM3n& problem, std::uint64_t seed) {
  Rng rng(seed, "marginals");
  const std::size_t k = problem.layout().labels;
  std::vector<ChainMarginals> all;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    const std::size_t length = problem.data->labels[i].size();
    ChainMarginals marginals{DenseMatrix(length, k, 0.0),
                             DenseMatrix(length > 0 ? (length - 1) * k : 0, k, 0.0)};
    double total = 0;
    for_each_labelling(length, k, [&](const LabelSequence& y) {
      const double p = rng.exponential();
      total += p;
      for (std::size_t t = 0; t < length; ++t) {
        marginals.nodes(t, y[t]) += p;
        if (t > 0) marginals.pairs((t - 1) * k + y[t - 1], y[t]) += p;
      }
    });
    for (double& x : marginals.nodes.values()) x *= problem.cost(i) / total;
    for (double& x : marginals.pairs.values()) x *= problem.cost(i) / total;
    all.push_back(std::move(marginals));
  }
  return all;
}

TEST(ChainM3n, ResidualsEqualTheListAndKeepWeakDuality) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SequenceData data = random_sequences(5, 4, 4, 3, seed % 2 == 0, seed);
    const ChainM3n problem{
        .data = &data, .c = 1.5, .weights = {1, 2, 1, 0, 0.5}, .ends = seed % 3 == 0};
    const ListedChains risk(data, problem.layout(), problem.weights);
    Rng rng(seed);
    std::vector<double> w(problem.layout().dimension());
    for (double& x : w) x = rng.normal();
    const ChainM3nResiduals found = residuals(problem, w, random_marginals(problem, seed));
    EXPECT_NEAR(found.primal, structural_primal(risk, 1.5, w), 1e-11 * found.primal);
    EXPECT_LE(found.dual, found.primal);
    for (const double violation : {found.negative, found.sum, found.after, found.before}) {
      EXPECT_LE(violation, 1e-14 * 10);
    }
  }
}

// A checker that cannot fail checks nothing.
TEST(ChainM3n, ResidualsSeeEveryKindOfWrongPoint) {
  const SequenceData data = random_sequences(2, 4, 4, 3, false, 1);
  ChainM3n problem{.data = &data, .c = 1};
  const std::vector<double> w(problem.layout().dimension(), 0.0);
  const std::vector<ChainMarginals> good = random_marginals(problem, 2);
  std::vector<ChainMarginals> wrong = good;
  wrong[0].nodes(0, 0) += 0.25;
  EXPECT_NEAR(residuals(problem, w, wrong).sum, 0.25, 1e-14);
  wrong = good;
  wrong[0].pairs(0, 0) = -0.5;
  EXPECT_NEAR(residuals(problem, w, wrong).negative, 0.5, 1e-14);
  // Mass moved between predecessors: the position after agrees, the one before does not.
  wrong = good;
  wrong[0].pairs(3, 1) += 0.125;
  wrong[0].pairs(4, 1) -= 0.125;
  EXPECT_NEAR(residuals(problem, w, wrong).before, 0.125, 1e-14);
  EXPECT_LE(residuals(problem, w, wrong).after, 1e-14);
  problem.agreement = false;
  EXPECT_EQ(residuals(problem, w, wrong).before, 0);
  problem.agreement = true;
  wrong = good;
  wrong[0].pairs(3, 1) += 0.125;
  wrong[0].pairs(3, 2) -= 0.125;
  EXPECT_NEAR(residuals(problem, w, wrong).after, 0.125, 1e-14);
  EXPECT_LE(residuals(problem, w, wrong).before, 1e-14);
}

TEST(ChainM3n, RefusesPointsOfOtherSizes) {
  const SequenceData data = random_sequences(2, 4, 4, 3, false, 1);
  const ChainM3n problem{.data = &data};
  const std::vector<double> w(problem.layout().dimension(), 0.0);
  std::vector<ChainMarginals> point = random_marginals(problem, 2);
  EXPECT_THROW((void)residuals(problem, std::span(w).first(3), point), InvalidArgument);
  EXPECT_THROW((void)residuals(problem, w, std::span(point).first(1)), InvalidArgument);
  point[0].pairs = DenseMatrix(1, 3);
  EXPECT_THROW((void)residuals(problem, w, point), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

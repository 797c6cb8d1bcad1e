// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/marginal_m3n.hpp"

#include <gtest/gtest.h>

#include "label_chain_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

/// Sequences of single symbols.
SequenceData symbol_data(const std::vector<std::vector<std::uint32_t>>& symbols,
                         const std::vector<LabelSequence>& labels,
                         std::size_t features) {
  SequenceData data;
  data.features = features;
  data.labels = labels;
  for (const auto& each : symbols) {
    Sequence sequence;
    for (const std::uint32_t symbol : each) {
      sequence.indices.push_back(symbol);
      sequence.begins.push_back(sequence.indices.size());
    }
    data.inputs.push_back(std::move(sequence));
  }
  return data;
}

SequenceData golden_data() {
  return symbol_data({{0, 1, 0}, {1, 1, 0}}, {{0, 1, 1}, {1, 0, 0}}, 2);
}

/// Witness and report agree, and the witness is feasible to rounding.
void expect_certified(const ChainM3n& problem, const MarginalM3nSolution& found, double tolerance) {
  EXPECT_EQ(found.report.status, Status::solved) << found.report.iterations;
  const ChainM3nResiduals checked = residuals(problem, found.w, found.marginals);
  const double scale = std::max(1.0, std::abs(checked.primal));
  EXPECT_NEAR(checked.primal, *found.report.primal_objective, 1e-12 * scale);
  EXPECT_NEAR(checked.dual, *found.report.dual_objective, 1e-12 * scale);
  EXPECT_LE(relative_gap(checked.primal, checked.dual), tolerance + 1e-13);
  EXPECT_EQ(checked.negative, 0);
  EXPECT_LE(checked.sum, 1e-13 * problem.c * 100);
  EXPECT_LE(checked.after, 1e-13 * problem.c * 100);
  EXPECT_LE(checked.before, 1e-13 * problem.c * 100);
}

// Golden value M3N of seed-xu: (beta/2)|w|^2 + sum xi is beta times ours at C = 1/beta. The program
// as printed misses one marginalisation line and exceeds the truth (E2).
TEST(MarginalM3n, MeetsTheGoldenValuesExactAndAsPrinted) {
  const SequenceData data = golden_data();
  struct Case {
    double beta;
    double exact;
    double printed;
  };
  for (const Case& each : {Case{0.3, 4.071038251, 4.15}, Case{1, 4.491803279, 4.5}}) {
    ChainM3n problem{.data = &data, .c = 1 / each.beta, .ends = false};
    const MarginalM3nSolution exact = solve_marginal_m3n(problem, {.tolerance = 1e-11});
    expect_certified(problem, exact, 1e-11);
    EXPECT_NEAR(each.beta * *exact.report.primal_objective, each.exact, 6e-10);
    EXPECT_NEAR(each.beta * *exact.report.dual_objective, each.exact, 6e-10);
    problem.agreement = false;
    const MarginalM3nSolution printed = solve_marginal_m3n(problem, {.tolerance = 1e-11});
    expect_certified(problem, printed, 1e-11);
    EXPECT_NEAR(each.beta * *printed.report.primal_objective, each.printed, 1e-8);
  }
}

// seed-xu fact 23: marginal dual = dual over all labellings = primal, and another of our solvers.
TEST(MarginalM3n, EqualsTheDualOverAllLabellingsAndFrankWolfe) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const bool ends = seed % 2 == 0;
    const SequenceData data = random_sequences(5, 4, 4, seed < 5 ? 2 : 3, seed % 3 == 0, seed);
    const std::vector<double> weights =
        seed % 4 == 3 ? std::vector<double>{1, 0, 2, 0.5, 3} : std::vector<double>();
    for (const double c : {0.05, 1.0, 20.0}) {
      const ChainM3n problem{.data = &data, .c = c, .weights = weights, .ends = ends};
      const MarginalM3nSolution found = solve_marginal_m3n(problem, {.tolerance = 1e-9});
      expect_certified(problem, found, 1e-9);
      const ListedChains risk(data, problem.layout(), weights);
      EXPECT_NEAR(structural_primal(risk, c, found.w),
                  *found.report.primal_objective,
                  1e-11 * *found.report.primal_objective);
      const ListedOptimum listed(risk, c, 1e-5 * *found.report.primal_objective);
      EXPECT_LE(listed.primal - listed.dual, 1.01e-5 * listed.primal) << "the twin must converge";
      EXPECT_LE(*found.report.dual_objective, listed.primal * (1 + 1e-12));
      EXPECT_GE(*found.report.primal_objective, listed.dual * (1 - 1e-12));
      const StructuralSolution blocks =
          solve_block_frank_wolfe(risk, {.c = c, .tolerance = 1e-5, .max_passes = 20000});
      EXPECT_EQ(blocks.report.status, Status::solved);
      EXPECT_LE(*found.report.dual_objective, *blocks.report.primal_objective * (1 + 1e-12));
      EXPECT_GE(*found.report.primal_objective, *blocks.report.dual_objective * (1 - 1e-12));
      double distance = 0;
      for (std::size_t j = 0; j < found.w.size(); ++j) {
        distance += (found.w[j] - blocks.w[j]) * (found.w[j] - blocks.w[j]);
      }
      EXPECT_LE(std::sqrt(distance),
                std::sqrt(2 * *found.report.gap()) + std::sqrt(2 * *blocks.report.gap()) + 1e-9);
    }
  }
}

// The linear algebra near the end: weights on the truth of nearly C, and flows that vanish. Without
// features counted from the truth, or S as I + G'G, these end at gaps of 1e-8 to 1e-5.
TEST(MarginalM3n, ReachesSmallGapsAtLargeCosts) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const SequenceData data = random_sequences(6, 5, 4, 2 + seed % 3, seed % 3 == 0, seed + 100);
    for (const bool agreement : {true, false}) {
      for (const double c : {20.0, 1000.0}) {
        const ChainM3n problem{
            .data = &data, .c = c, .ends = seed % 2 == 0, .agreement = agreement};
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", C " << c << ", " << agreement);
        // Errors of w move P by C times as much, whatever P is: the page's floor for each C.
        const double tolerance = c == 20 ? 1e-10 : 1e-8;
        const MarginalM3nSolution found = solve_marginal_m3n(problem, {.tolerance = tolerance});
        EXPECT_EQ(found.report.status, Status::solved)
            << *found.report.relative_gap() << " after " << found.report.iterations;
        EXPECT_GE(*found.report.gap(), -1e-12 * *found.report.primal_objective);
      }
    }
  }
}

// seed-xu fact 23: without the left marginals the value is never smaller.
TEST(MarginalM3n, DroppingAgreementNeverLowersTheValue) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const SequenceData data = random_sequences(5, 5, 4, 3, false, seed + 40);
    ChainM3n problem{.data = &data, .c = 2, .ends = seed % 2 == 0};
    const MarginalM3nSolution exact = solve_marginal_m3n(problem);
    problem.agreement = false;
    const MarginalM3nSolution printed = solve_marginal_m3n(problem);
    expect_certified(problem, printed, 1e-8);
    EXPECT_GE(*printed.report.primal_objective, *exact.report.dual_objective * (1 - 1e-12));
  }
}

// seed-xu fact 24: one position each is the machine of Crammer and Singer.
TEST(MarginalM3n, LengthOneIsTheMultiClassMachine) {
  Rng rng(9);
  constexpr std::size_t n = 25;
  const DenseMatrix points = random_table(n, 4, 1, rng);
  SequenceData data;
  data.features = 4;
  CrammerSinger machine{.points = PointRows(points.view()), .class_count = 3};
  for (std::size_t i = 0; i < n; ++i) {
    const auto cls = static_cast<std::uint32_t>(rng.index(3));
    data.inputs.push_back({.begins = {0, 4},
                           .indices = {0, 1, 2, 3},
                           .values = {points.row(i).begin(), points.row(i).end()}});
    data.labels.push_back({cls});
    machine.classes.push_back(static_cast<std::int32_t>(cls));
    machine.costs.push_back(1.5);
  }
  const ChainM3n problem{.data = &data, .c = 1.5, .ends = false};
  const MarginalM3nSolution found = solve_marginal_m3n(problem, {.tolerance = 1e-10});
  expect_certified(problem, found, 1e-10);
  const CrammerSingerSolution direct = solve_crammer_singer(machine, {.tolerance = 1e-7});
  EXPECT_LE(*found.report.dual_objective, *direct.report.primal_objective * (1 + 1e-12));
  EXPECT_GE(*found.report.primal_objective, *direct.report.dual_objective * (1 - 1e-12));
  const double distance =
      std::sqrt(2 * *found.report.gap()) + std::sqrt(2 * *direct.report.gap()) + 1e-9;
  for (std::size_t f = 0; f < 4; ++f) {
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(found.w[problem.layout().node(f, r)], direct.weights(r, f), distance);
    }
  }
}

// seed-xu fact 25: the truth itself has violation 0, so the largest is never below; at w = 0 every
// position is wrong.
TEST(MarginalM3n, LossAtZeroIsTheNumberOfPositions) {
  const SequenceData data = golden_data();
  const ChainM3n problem{.data = &data, .c = 2, .ends = false};
  const MarginalM3nSolution found = solve_marginal_m3n(problem);
  const std::vector<double> zero(found.w.size(), 0.0);
  EXPECT_EQ(residuals(problem, zero, found.marginals).primal, 2 * 6);
  double half_square = 0;
  for (const double x : found.w) half_square += 0.5 * x * x;
  EXPECT_GE(*found.report.primal_objective, half_square);
}

// seed-yu fact 14 in our scale: features times s and C / s^2 give objective / s^2.
TEST(MarginalM3n, ScalingFeaturesAndC) {
  SequenceData data;
  data.features = 3;
  Rng rng(12);
  for (int i = 0; i < 6; ++i) {
    data.inputs.push_back({.begins = {0, 3}, .indices = {0, 1, 2}, .values = {}});
    for (int f = 0; f < 3; ++f) data.inputs.back().values.push_back(rng.normal());
    data.labels.push_back({static_cast<std::uint32_t>(i % 2)});
  }
  SequenceData scaled = data;
  for (Sequence& sequence : scaled.inputs) {
    for (double& value : sequence.values) value *= 3;
  }
  const ChainM3n problem{.data = &data, .c = 0.9, .ends = false};
  const ChainM3n other{.data = &scaled, .c = 0.1, .ends = false};
  const double value = *solve_marginal_m3n(problem).report.primal_objective;
  EXPECT_NEAR(*solve_marginal_m3n(other).report.primal_objective, value / 9, 2e-8 * value);
}

TEST(MarginalM3n, TakesNothingAndWhatCostsNothing) {
  SequenceData data;
  data.label_names = {"a", "b"};
  data.features = 2;
  ChainM3n problem{.data = &data};
  MarginalM3nSolution found = solve_marginal_m3n(problem);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(*found.report.primal_objective, 0);
  EXPECT_EQ(found.w, std::vector<double>(problem.layout().dimension(), 0.0));
  // An empty sequence and one of weight 0.
  data.inputs = {{}, {.begins = {0, 1}, .indices = {1}}};
  data.labels = {{}, {1}};
  problem.weights = {1, 0};
  found = solve_marginal_m3n(problem);
  expect_certified(problem, found, 1e-8);
  EXPECT_EQ(*found.report.primal_objective, 0);
  EXPECT_EQ(found.marginals[0].nodes.rows(), 0u);
  EXPECT_EQ(found.marginals[1].nodes.rows(), 1u);
}

TEST(MarginalM3n, OneLabelCostsNothing) {
  SequenceData data = symbol_data({{0, 1}, {1}}, {{0, 0}, {0}}, 2);
  const ChainM3n problem{.data = &data};
  const MarginalM3nSolution found = solve_marginal_m3n(problem);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(*found.report.primal_objective, 0, 1e-15);
}

TEST(MarginalM3n, StopsWhenToldWithBothSides) {
  const SequenceData data = random_sequences(5, 4, 4, 3, false, 3);
  const ChainM3n problem{.data = &data, .c = 3};
  const double best = *solve_marginal_m3n(problem).report.primal_objective;
  for (std::size_t steps = 0; steps < 6; ++steps) {
    std::size_t asked = 0;
    const MarginalM3nSolution found = solve_marginal_m3n(
        problem, {.context = {.on_progress = [&](const Progress&) {
                    return ++asked > steps ? Continue::time_is_up : Continue::yes;
                  }}});
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.report.iterations, steps);
    EXPECT_LE(*found.report.dual_objective, best * (1 + 1e-12));
    EXPECT_GE(*found.report.primal_objective, best * (1 - 1e-7));
    const ChainM3nResiduals checked = residuals(problem, found.w, found.marginals);
    EXPECT_NEAR(checked.primal, *found.report.primal_objective, 1e-11 * best);
    EXPECT_NEAR(checked.dual, *found.report.dual_objective, 1e-11 * best);
    EXPECT_LE(checked.before, 1e-12);
  }
  EXPECT_EQ(solve_marginal_m3n(problem, {.max_iterations = 2}).report.status,
            Status::iteration_limit);
}

TEST(MarginalM3n, RefusesWrongProblemsAndOptions) {
  const SequenceData data = golden_data();
  EXPECT_THROW((void)solve_marginal_m3n({}), InvalidArgument);
  EXPECT_THROW((void)solve_marginal_m3n({.data = &data, .c = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_marginal_m3n({.data = &data, .weights = {1}}), InvalidArgument);
  const ChainM3n problem{.data = &data};
  EXPECT_THROW((void)solve_marginal_m3n(problem, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_marginal_m3n(problem, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_marginal_m3n(problem, {.context = {.memory_limit = 100}}),
               InvalidArgument);
}

// 60 labels and a length of 50: the edges alone have 60^2 x 49 places of 100 bytes.
TEST(MarginalM3n, NetworksCountWithinTheMemoryLimit) {
  std::vector<std::uint32_t> symbols(50, 0);
  LabelSequence labels(50, 0);
  labels.back() = 59;
  const SequenceData data = symbol_data({symbols}, {labels}, 1);
  try {
    (void)solve_marginal_m3n({.data = &data}, {.context = {.memory_limit = 10'000'000}});
    FAIL();
  } catch (const InvalidArgument& refused) {
    // Of the networks: the matrices, which come later, are far larger.
    EXPECT_TRUE(std::string(refused.what())
                    .starts_with("the interior-point method on marginals needs 16 MiB"))
        << refused.what();
  }
}

}  // namespace
}  // namespace maxmargin

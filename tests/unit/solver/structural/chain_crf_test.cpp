// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/chain_crf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "label_chain_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

// The bound lies below what a far more exact run reaches, at every tolerance, and the gradient that
// proves it is that of plain_objective's w.
TEST(SolveChainCrf, CertificateHoldsAtEveryTolerance) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const SequenceData data = random_sequences(30, 8, 12, 3, seed == 1, seed);
    const ChainCrf crf(data);
    for (const double c : {0.1, 10.0}) {
      const StructuralSolution best = solve_chain_crf(crf, {.c = c, .tolerance = 1e-11});
      EXPECT_EQ(best.report.status, Status::solved);
      for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
        const StructuralSolution found = solve_chain_crf(crf, {.c = c, .tolerance = tolerance});
        EXPECT_EQ(found.report.status, Status::solved);
        EXPECT_LE(*found.report.relative_gap(), tolerance);
        EXPECT_LE(*found.report.lower_bound, *best.report.primal_objective);
        EXPECT_GE(*found.report.primal_objective, *best.report.lower_bound);
        const double plain = crf.plain_objective(c, found.w);
        EXPECT_NEAR(*found.report.primal_objective, plain, 1e-11 * plain);
        double distance = 0;
        for (std::size_t j = 0; j < found.w.size(); ++j) {
          distance += (found.w[j] - best.w[j]) * (found.w[j] - best.w[j]);
        }
        EXPECT_LE(std::sqrt(distance),
                  std::sqrt(2 * *found.report.gap()) + std::sqrt(2 * *best.report.gap()));
      }
    }
  }
}

// Fewer remembered steps take another way to the same optimum.
TEST(SolveChainCrf, RemembersWithinTheMemoryLimit) {
  const SequenceData data = random_sequences(30, 8, 12, 3, false, 5);
  const ChainCrf crf(data);
  const std::size_t vector = 8 * crf.dimension();
  StructuralOptions options{.c = 10, .tolerance = 1e-6};
  const StructuralSolution full = solve_chain_crf(crf, options);
  // The residuals of all positions, three tables of the longest sequence, four forms of the
  // transitions and a thread's counts of them, and the sums of a chunk and of all chunks.
  std::size_t positions = 0;
  std::size_t longest = 0;
  for (const Sequence& sequence : data.inputs) {
    positions += sequence.size();
    longest = std::max(longest, sequence.size());
  }
  const std::size_t sums = 8 * ((positions + 3 * longest) * 3 + 5 * (3 * 3) + 2 * (3 * 3 + 2 * 3));
  EXPECT_EQ(crf.objective_bytes(1), sums);
  // There is but one chunk.
  EXPECT_EQ(crf.objective_bytes(4), sums);
  options.context.memory_limit = 7 * vector + sums;
  const StructuralSolution least = solve_chain_crf(crf, options);
  EXPECT_EQ(least.report.status, Status::solved);
  EXPECT_NE(least.w, full.w);
  EXPECT_LE(*least.report.lower_bound, *full.report.primal_objective);
  EXPECT_LE(*full.report.lower_bound, *least.report.primal_objective);
  options.context.memory_limit = 7 * vector + sums - 1;
  EXPECT_THROW((void)solve_chain_crf(crf, options), InvalidArgument);
}

// Every thread has tables of its own, for the longest sequence of its chunk.
TEST(SolveChainCrf, TablesOfAllThreadsCountAsMemory) {
  SequenceData data = random_sequences(40, 8, 12, 3, false, 5);
  for (const std::size_t place : {3U, 35U}) {
    Sequence& x = data.inputs[place];
    LabelSequence& y = data.labels[place];
    while (x.size() < 5000 + place) {
      x.indices.push_back(0);
      x.begins.push_back(x.indices.size());
      y.push_back(0);
    }
  }
  const ChainCrf crf(data);
  const std::size_t one = crf.objective_bytes(1);
  const std::size_t two = crf.objective_bytes(2);
  EXPECT_EQ(two - one, 8 * (3 * 5003 * 3 + 3 * 3));
  EXPECT_EQ(crf.objective_bytes(3), two);
  StructuralOptions options{
      .c = 1,
      .max_passes = 1,
      .context = {.threads = 2, .memory_limit = 7 * 8 * crf.dimension() + two - 1}};
  EXPECT_NE(problem_of<InvalidArgument>([&] {
              (void)solve_chain_crf(crf, options);
            }).find(": use fewer threads, features or positions"),
            std::string::npos);
  ++*options.context.memory_limit;
  EXPECT_NO_THROW((void)solve_chain_crf(crf, options));
  // The steps that are remembered do not depend on the threads, nor does the answer.
  options.max_passes = 12;
  for (const std::size_t pairs : {0U, 2U, 8U}) {
    options.context.memory_limit = (7 + 2 * pairs) * 8 * crf.dimension() + two;
    options.context.threads = 2;
    const std::vector<double> w = solve_chain_crf(crf, options).w;
    options.context.threads = 1;
    EXPECT_EQ(solve_chain_crf(crf, options).w, w) << pairs;
  }
  options.context.memory_limit = 7 * 8 * crf.dimension() + one;
  EXPECT_NO_THROW((void)solve_chain_crf(crf, options));
  --*options.context.memory_limit;
  EXPECT_NE(problem_of<InvalidArgument>([&] {
              (void)solve_chain_crf(crf, options);
            }).find(": use fewer features or positions"),
            std::string::npos);
}

// One position, one feature, two labels: w = (u, -u) with u - C n0 s(-2u) + C n1 s(2u) = 0, s the
// logistic function.
TEST(SolveChainCrf, OnePositionIsLogisticRegression) {
  SequenceData data;
  data.features = 1;
  data.label_names = {"a", "b"};
  const int n0 = 7;
  const int n1 = 3;
  for (int i = 0; i < n0 + n1; ++i) {
    data.inputs.push_back({.begins = {0, 1}, .indices = {0}});
    data.labels.push_back({i < n0 ? 0u : 1u});
  }
  const double c = 0.8;
  const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
  double low = 0;
  double high = 10;
  for (int k = 0; k < 200; ++k) {
    const double u = 0.5 * (low + high);
    (u - c * n0 * s(-2 * u) + c * n1 * s(2 * u) < 0 ? low : high) = u;
  }
  const double least =
      low * low + c * (n0 * std::log1p(std::exp(-2 * low)) + n1 * std::log1p(std::exp(2 * low)));
  const ChainCrf crf(data, {}, false);
  const StructuralSolution found = solve_chain_crf(crf, {.c = c, .tolerance = 1e-13});
  EXPECT_NEAR(*found.report.primal_objective, least, 1e-12);
  EXPECT_NEAR(found.w[0], low, 2e-6);
  EXPECT_NEAR(found.w[1], -low, 2e-6);
}

TEST(SolveChainCrf, LearnsWhatTransitionsAloneTell) {
  // Observations say nothing; labels alternate after a first one that is always 0.
  SequenceData data;
  data.features = 1;
  data.label_names = {"a", "b"};
  for (int i = 0; i < 20; ++i) {
    Sequence sequence;
    LabelSequence labels;
    for (std::uint32_t t = 0; t < 6; ++t) {
      sequence.indices.push_back(0);
      sequence.begins.push_back(t + 1);
      labels.push_back(t % 2);
    }
    data.inputs.push_back(sequence);
    data.labels.push_back(labels);
  }
  const ChainCrf crf(data);
  const StructuralSolution found = solve_chain_crf(crf, {.c = 1});
  EXPECT_EQ(best_labelling(crf.layout(), data.inputs[0], found.w), data.labels[0]);
}

TEST(SolveChainCrf, BitsDoNotDependOnThreads) {
  const SequenceData data = random_sequences(100, 8, 40, 4, true, 7);
  const ChainCrf crf(data);
  const StructuralSolution one =
      solve_chain_crf(crf, {.tolerance = 1e-5, .context = {.threads = 1}});
  const StructuralSolution four =
      solve_chain_crf(crf, {.tolerance = 1e-5, .context = {.threads = 4}});
  EXPECT_EQ(one.w, four.w);
  EXPECT_EQ(one.oracle_calls, four.oracle_calls);
  EXPECT_EQ(one.oracle_calls % 100, 0u);
}

TEST(SolveChainCrf, StopsWhenToldWithAnHonestGap) {
  const SequenceData data = random_sequences(40, 8, 20, 3, true, 8);
  const ChainCrf crf(data);
  int asked = 0;
  const StructuralSolution found = solve_chain_crf(
      crf, {.c = 10, .tolerance = 1e-9, .context = {.on_progress = [&](const Progress&) {
                                          return ++asked > 4 ? Continue::stop : Continue::yes;
                                        }}});
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  const StructuralSolution best = solve_chain_crf(crf, {.c = 10, .tolerance = 1e-9});
  EXPECT_LE(*found.report.lower_bound, *best.report.primal_objective);
  EXPECT_NEAR(*found.report.primal_objective,
              crf.plain_objective(10, found.w),
              1e-11 * *found.report.primal_objective);
  EXPECT_EQ(solve_chain_crf(crf, {.c = 10, .tolerance = 1e-9, .max_passes = 2}).report.status,
            Status::iteration_limit);
}

TEST(SolveChainCrf, TakesEmptyDataAndRefusesWrongOptions) {
  const SequenceData nothing;
  const StructuralSolution found = solve_chain_crf(ChainCrf(nothing));
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(*found.report.primal_objective, 0);
  EXPECT_THROW((void)solve_chain_crf(ChainCrf(nothing), {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_chain_crf(ChainCrf(nothing), {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_chain_crf(ChainCrf(nothing), {.max_passes = 0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

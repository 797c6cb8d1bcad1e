// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hmm_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"

namespace maxmargin {
namespace {

struct Drawn {
  std::vector<SymbolSequence> symbols;
  std::vector<LabelSequence> states;

  Drawn(const Hmm& model, std::size_t n, std::size_t length, std::uint64_t seed) {
    Rng rng(seed, "drawn");
    for (std::size_t i = 0; i < n; ++i) {
      HmmSample sample = sample_hmm(model, length, rng);
      symbols.push_back(std::move(sample.symbols));
      states.push_back(std::move(sample.states));
    }
  }
};

double total_log_likelihood(const Hmm& model, std::span<const SymbolSequence> symbols) {
  double sum = 0;
  for (const SymbolSequence& each : symbols) sum += log_likelihood(model, each);
  return sum;
}

void expect_equal(const Hmm& a, const Hmm& b, double tolerance) {
  ASSERT_EQ(a.states(), b.states());
  ASSERT_EQ(a.symbols(), b.symbols());
  ASSERT_EQ(a.end.size(), b.end.size());
  for (std::size_t i = 0; i < a.states(); ++i) {
    EXPECT_NEAR(a.start[i], b.start[i], tolerance);
    if (!a.end.empty()) {
      EXPECT_NEAR(a.end[i], b.end[i], tolerance);
    }
    for (std::size_t j = 0; j < a.states(); ++j) {
      EXPECT_NEAR(a.transitions(i, j), b.transitions(i, j), tolerance) << i << ' ' << j;
    }
    for (std::size_t o = 0; o < a.symbols(); ++o) {
      EXPECT_NEAR(a.emissions(i, o), b.emissions(i, o), tolerance) << i << ' ' << o;
    }
  }
}

TEST(EstimateHmm, CountsWhatIsThere) {
  const std::vector<SymbolSequence> symbols{{0, 1, 1}, {2}, {}};
  const std::vector<LabelSequence> states{{0, 0, 1}, {0}, {}};
  const Hmm plain = estimate_hmm(symbols, states, {.smoothing = 0});
  expect_equal(plain,
               {.start = {1, 0},
                .transitions = table({{0.5, 0.5}, {0.5, 0.5}}),  // the second row was never seen
                .emissions = table({{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0, 1, 0}})},
               1e-15);
  const Hmm smooth = estimate_hmm(symbols, states, {.states = 3, .smoothing = 1, .with_end = true});
  smooth.validate();
  expect_equal(
      smooth,
      {.start = {3.0 / 5, 1.0 / 5, 1.0 / 5},
       .transitions =
           table({{2.0 / 7, 2.0 / 7, 1.0 / 7}, {1.0 / 5, 1.0 / 5, 1.0 / 5}, {0.25, 0.25, 0.25}}),
       .emissions =
           table({{2.0 / 6, 2.0 / 6, 2.0 / 6}, {0.25, 0.5, 0.25}, {1.0 / 3, 1.0 / 3, 1.0 / 3}}),
       .end = {2.0 / 7, 2.0 / 5, 0.25}},
      1e-15);
}

// No neighbour of the relative frequencies makes the data likelier.
TEST(EstimateHmm, RelativeFrequenciesHaveTheLargestLikelihood) {
  Rng rng(1);
  const Drawn drawn(random_hmm(3, 4, true, rng), 30, 10, 1);
  const auto total = [&](const Hmm& model) {
    double sum = 0;
    for (std::size_t i = 0; i < drawn.symbols.size(); ++i) {
      sum += log_joint(model, drawn.symbols[i], drawn.states[i]);
    }
    return sum;
  };
  const Hmm best = estimate_hmm(drawn.symbols, drawn.states, {.smoothing = 0, .with_end = true});
  best.validate();
  for (int round = 0; round < 50; ++round) {
    Hmm other = random_hmm(3, 4, true, rng);
    const auto mix = [](std::span<double> to, std::span<const double> from) {
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = 0.02 * to[j] + 0.98 * from[j];
    };
    mix(other.start, best.start);
    mix(other.end, best.end);
    mix(other.transitions.values(), best.transitions.values());
    mix(other.emissions.values(), best.emissions.values());
    EXPECT_LT(total(other), total(best));
  }
}

TEST(EstimateHmm, RefusesWhatDoesNotFit) {
  const std::vector<SymbolSequence> symbols{{0, 1}};
  const std::vector<LabelSequence> states{{0, 1}};
  EXPECT_THROW((void)estimate_hmm(symbols, std::vector<LabelSequence>{}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm(symbols, std::vector<LabelSequence>{{0}}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm(symbols, states, {.states = 1}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm(symbols, states, {.symbols = 1}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm(symbols, states, {.smoothing = -1}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm({}, {}), InvalidArgument);
  EXPECT_THROW((void)estimate_hmm(symbols, states, {.symbols = machine_memory() / 64}),
               InvalidArgument);
  EXPECT_NEAR(estimate_hmm({}, {}, {.states = 2, .symbols = 3}).emissions(1, 2), 1.0 / 3, 1e-15);
}

// seed-xu fact 21: the objective never falls; rows stay distributions.
TEST(BaumWelch, ObjectiveNeverFalls) {
  Rng rng(2);
  for (int round = 0; round < 8; ++round) {
    const bool with_end = round % 2 == 0;
    const double smoothing = round < 4 ? 0.0 : 0.3;
    const Drawn drawn(random_hmm(3, 5, with_end, rng), 12, 15, static_cast<std::uint64_t>(round));
    const BaumWelchResult found = train_baum_welch(drawn.symbols,
                                                   {.states = 3,
                                                    .symbols = 5,
                                                    .with_end = with_end,
                                                    .restarts = 2,
                                                    .max_iterations = 60,
                                                    .tolerance = 1e-9,
                                                    .smoothing = smoothing,
                                                    .context = {.seed = 5}});
    ASSERT_GT(found.trace.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(found.trace));
    found.model.validate();
    EXPECT_EQ(found.model.end.empty(), !with_end);
    EXPECT_NEAR(total_log_likelihood(found.model, drawn.symbols), found.log_likelihood, 1e-9);
    double objective = found.log_likelihood;
    const auto add = [&](std::span<const double> row) {
      for (const double x : row) objective += smoothing > 0 ? smoothing * std::log(x) : 0.0;
    };
    add(found.model.start);
    add(found.model.transitions.values());
    add(found.model.emissions.values());
    add(found.model.end);
    EXPECT_NEAR(found.trace.back(), objective, 1e-9);
    EXPECT_EQ(*found.report.primal_objective, -found.trace.back());
    EXPECT_FALSE(found.report.gap());
  }
}

// One step against the formulas, with posteriors from the list of all states.
TEST(BaumWelch, OneStepIsTheTextbooks) {
  Rng rng(3);
  for (const bool with_end : {false, true}) {
    const Hmm start = random_hmm(2, 3, with_end, rng);
    const std::vector<SymbolSequence> symbols{{0, 1, 2, 1}, {2}, {}, {1, 1, 0}};
    Hmm sums{.start = {0, 0},
             .transitions = DenseMatrix(2, 2, 0.0),
             .emissions = DenseMatrix(2, 3, 0.0)};
    std::vector<double> left(2, 0.0);  // positions with a transition after them, or an end
    std::vector<double> all(2, 0.0);
    sums.end = {0, 0};
    for (const SymbolSequence& x : symbols) {
      if (x.empty()) continue;
      const HmmPosterior posterior = hmm_posterior(start, x);
      for (std::size_t i = 0; i < 2; ++i) {
        sums.start[i] += posterior.states(0, i) / 3;
        for (std::size_t t = 0; t < x.size(); ++t) {
          sums.emissions(i, x[t]) += posterior.states(t, i);
          all[i] += posterior.states(t, i);
          if (with_end || t + 1 < x.size()) left[i] += posterior.states(t, i);
        }
        for (std::size_t j = 0; j < 2; ++j) sums.transitions(i, j) += posterior.transitions(i, j);
        sums.end[i] += posterior.states(x.size() - 1, i);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (double& x : sums.transitions.row(i)) x /= left[i];
      for (double& x : sums.emissions.row(i)) x /= all[i];
      sums.end[i] /= left[i];
    }
    if (!with_end) sums.end.clear();
    const BaumWelchResult found = train_baum_welch(symbols, {.start = start, .max_iterations = 1});
    EXPECT_EQ(found.report.status, Status::iteration_limit);
    expect_equal(found.model, sums, 1e-13);
  }
}

// Symbols that give their state away make one step equal to counting.
TEST(BaumWelch, VisibleStatesAreCounted) {
  Hmm truth;
  truth.start = {0.3, 0.7};
  truth.transitions = table({{0.8, 0.2}, {0.4, 0.6}});
  truth.emissions = table({{0.9, 0.1, 0, 0}, {0, 0, 0.5, 0.5}});
  const Drawn drawn(truth, 20, 12, 3);
  Hmm start = truth;
  start.start = {0.5, 0.5};
  start.transitions = DenseMatrix(2, 2, 0.5);
  start.emissions = table({{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}});
  const BaumWelchResult found = train_baum_welch(drawn.symbols, {.start = start});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_LE(found.report.iterations, 2u);
  expect_equal(found.model,
               estimate_hmm(drawn.symbols, drawn.states, {.symbols = 4, .smoothing = 0}),
               1e-12);
}

TEST(BaumWelch, FindsAPlantedModel) {
  Hmm truth;
  truth.start = {0.6, 0.4};
  truth.transitions = table({{0.9, 0.1}, {0.2, 0.8}});
  truth.emissions = table({{0.7, 0.2, 0.1}, {0.1, 0.2, 0.7}});
  const Drawn drawn(truth, 300, 40, 4);
  BaumWelchResult found =
      train_baum_welch(drawn.symbols, {.restarts = 4, .max_iterations = 500, .tolerance = 1e-8});
  EXPECT_EQ(found.report.status, Status::solved);
  // The maximum is above the truth.
  EXPECT_GE(found.log_likelihood, total_log_likelihood(truth, drawn.symbols));
  if (found.model.emissions(0, 0) < 0.4) {
    Hmm& model = found.model;
    std::swap(model.start[0], model.start[1]);
    std::swap(model.transitions(0, 0), model.transitions(1, 1));
    std::swap(model.transitions(0, 1), model.transitions(1, 0));
    for (std::size_t o = 0; o < 3; ++o) std::swap(model.emissions(0, o), model.emissions(1, o));
  }
  // 300 first states: a deviation of 0.03 each were they visible; four times that, and a half more
  // because they are not. The other rows have thousands of positions.
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.model.start[i], truth.start[i], 0.18);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(found.model.transitions(i, j), truth.transitions(i, j), 0.04);
    }
    for (std::size_t o = 0; o < 3; ++o) {
      EXPECT_NEAR(found.model.emissions(i, o), truth.emissions(i, o), 0.04);
    }
  }
}

TEST(BaumWelch, MoreRestartsAreNeverWorseAndTheBestIsNamed) {
  Rng rng(6);
  const Drawn drawn(random_hmm(3, 4, false, rng), 10, 12, 6);
  double last = -std::numeric_limits<double>::infinity();
  for (const std::size_t restarts : {1u, 3u, 6u}) {
    const BaumWelchResult found =
        train_baum_welch(drawn.symbols, {.states = 3, .restarts = restarts, .max_iterations = 30});
    EXPECT_GE(found.log_likelihood, last);
    EXPECT_LT(found.best_restart, restarts);
    last = found.log_likelihood;
  }
}

TEST(BaumWelch, BitsDoNotDependOnThreads) {
  Rng rng(7);
  const Drawn drawn(random_hmm(3, 4, true, rng), 50, 12, 7);
  const auto run = [&](std::size_t threads) {
    return train_baum_welch(drawn.symbols,
                            {.states = 3,
                             .with_end = true,
                             .restarts = 2,
                             .max_iterations = 10,
                             .context = {.threads = threads}});
  };
  const BaumWelchResult one = run(1);
  const BaumWelchResult four = run(4);
  EXPECT_EQ(one.trace, four.trace);
  expect_equal(one.model, four.model, 0);
}

TEST(BaumWelch, KeepsUnusedStatesAndSurvivesLongSequences) {
  // The second state cannot be reached.
  Hmm start;
  start.start = {1, 0};
  start.transitions = table({{1, 0}, {0.25, 0.75}});
  start.emissions = table({{0.5, 0.5}, {0.1, 0.9}});
  Rng rng(8);
  SymbolSequence coin(10000);
  std::size_t heads = 0;
  for (std::uint32_t& x : coin) {
    x = rng.bernoulli(0.3) ? 1 : 0;
    heads += x;
  }
  const std::vector<SymbolSequence> symbols{coin};
  const BaumWelchResult found = train_baum_welch(symbols, {.start = start});
  EXPECT_NEAR(found.model.emissions(0, 1), static_cast<double>(heads) / 10000, 1e-9);
  EXPECT_EQ(found.model.transitions(1, 1), 0.75);
  EXPECT_EQ(found.model.emissions(1, 1), 0.9);
  found.model.validate();
}

TEST(BaumWelch, StopsWhenTold) {
  Rng rng(9);
  const Drawn drawn(random_hmm(3, 4, false, rng), 10, 12, 9);
  for (const Continue answer : {Continue::stop, Continue::time_is_up}) {
    int asked = 0;
    const BaumWelchResult found = train_baum_welch(
        drawn.symbols,
        {.states = 3, .tolerance = 0, .context = {.on_progress = [&](const Progress&) {
                                        return ++asked > 7 ? answer : Continue::yes;
                                      }}});
    EXPECT_EQ(found.report.status, status_of(answer));
    EXPECT_EQ(asked, 8);
    EXPECT_EQ(found.trace.size(), 8u);
    EXPECT_NEAR(total_log_likelihood(found.model, drawn.symbols), found.log_likelihood, 1e-9);
  }
}

TEST(BaumWelch, RefusesWhatDoesNotFit) {
  const std::vector<SymbolSequence> symbols{{0, 1}, {2}};
  const auto refused = [&](const BaumWelchOptions& options) {
    EXPECT_THROW((void)train_baum_welch(symbols, options), InvalidArgument);
  };
  refused({.states = 0});
  refused({.symbols = 2});
  refused({.symbols = machine_memory() / 64});
  refused({.restarts = 0});
  refused({.max_iterations = 0});
  refused({.tolerance = -1});
  refused({.smoothing = -1});
  Hmm start{.start = {1}, .transitions = table({{1}}), .emissions = table({{0.5, 0.5}})};
  refused({.start = start});  // knows two symbols
  start.emissions = table({{0.5, 0.5, 0}});
  refused({.start = start});  // forbids the third
  start.emissions = table({{0.5, 0.4, 0}});
  refused({.start = start});  // is no distribution
  EXPECT_THROW((void)train_baum_welch({}, {}), InvalidArgument);
  EXPECT_THROW((void)train_baum_welch(std::vector<SymbolSequence>{{}}, {}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

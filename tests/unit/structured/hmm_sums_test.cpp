// SPDX-License-Identifier: Apache-2.0
//
// Expected counts in scaled numbers and blocks, against all paths, sums in logs, and hmmlearn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hmm_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "structured/hmm_decoder.hpp"
#include "structured/hmm_expectation.hpp"

namespace maxmargin {
namespace {

HmmChain chain_of(const Hmm& model) {
  return {.start = model.start, .transitions = model.transitions, .end = model.end};
}

SymbolSequence drawn_symbols(std::size_t length, std::size_t symbols, Rng& rng) {
  SymbolSequence x(length);
  for (std::uint32_t& each : x) each = static_cast<std::uint32_t>(rng.index(symbols));
  return x;
}

HmmCounts counts_of(const Hmm& model,
                    std::span<const SymbolSequence> symbols,
                    std::span<const LabelSequence> known,
                    std::size_t threads,
                    std::size_t* in_logs = nullptr) {
  HmmSymbols emissions(symbols, model.emissions);
  emissions.prepare(1);
  HmmExpectation expectation(emissions, known, model.states(), threads);
  HmmCounts counts = expectation.counts(chain_of(model));
  if (in_logs != nullptr) *in_logs = expectation.in_logs();
  return counts;
}

/// Calls visit(y, p(x, y)) for all states y that agree with what is known.
template <class Visit>
void over_paths(const Hmm& model,
                const SymbolSequence& x,
                const LabelSequence& known,
                const Visit& visit) {
  LabelSequence y(x.size(), 0);
  for (;;) {
    bool agrees = true;
    for (std::size_t t = 0; t < y.size(); ++t) {
      agrees = agrees && (known[t] == unknown_state || known[t] == y[t]);
    }
    if (agrees) visit(y, plain_joint(model, x, y));
    std::size_t t = 0;
    while (t < y.size() && ++y[t] == model.states()) y[t++] = 0;
    if (t == y.size()) return;
  }
}

// States from 1 to 9: all widths of rows and remainders of groups.
TEST(HmmSums, CountsEqualTheSumOverAllPathsWithSomeStatesKnown) {
  for (std::size_t k = 1; k <= 9; ++k) {
    Rng rng(k, "paths");
    const bool with_end = k % 2 == 0;
    const Hmm model = random_hmm(k, 3, with_end, rng);
    const std::size_t length = k <= 3 ? 6 : 4;
    const std::vector<SymbolSequence> symbols{drawn_symbols(length, 3, rng),
                                              drawn_symbols(1, 3, rng)};
    std::vector<LabelSequence> known{LabelSequence(length, unknown_state), {unknown_state}};
    if (k > 1) known[0][1] = 1;
    known[0][2] = 0;
    double log_likelihood = 0;
    Hmm sums{.start = std::vector<double>(k, 0.0),
             .transitions = DenseMatrix(k, k, 0.0),
             .emissions = DenseMatrix(k, 3, 0.0),
             .end = std::vector<double>(k, 0.0)};
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      double all = 0;
      over_paths(model, symbols[i], known[i], [&](const LabelSequence&, double p) { all += p; });
      log_likelihood += std::log(all);
      over_paths(model, symbols[i], known[i], [&](const LabelSequence& y, double p) {
        const double share = p / all;
        sums.start[y.front()] += share;
        sums.end[y.back()] += share;
        for (std::size_t t = 0; t < y.size(); ++t) {
          sums.emissions(y[t], symbols[i][t]) += share;
          if (t > 0) sums.transitions(y[t - 1], y[t]) += share;
        }
      });
    }
    const HmmCounts found = counts_of(model, symbols, known, 1);
    EXPECT_NEAR(found.log_likelihood, log_likelihood, 1e-12);
    const std::size_t stride = (k + 3) / 4 * 4;
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_NEAR(found.chain.start[i], sums.start[i], 1e-12);
      if (with_end) {
        EXPECT_NEAR(found.chain.end[i], sums.end[i], 1e-12);
      }
      for (std::size_t j = 0; j < k; ++j) {
        EXPECT_NEAR(found.chain.transitions(i, j), sums.transitions(i, j), 1e-12) << k;
      }
      for (std::size_t o = 0; o < 3; ++o) {
        EXPECT_NEAR(found.emissions[o * stride + i], sums.emissions(i, o), 1e-12) << k;
      }
    }
  }
}

// Sequences around the borders of blocks, against sums in another order and in whole sequences.
TEST(HmmSums, BlocksAreTheWholeSequence) {
  for (const std::size_t k : {2U, 5U, 18U}) {
    Rng rng(k, "blocks");
    const Hmm model = random_hmm(k, 6, k == 5, rng);
    std::vector<SymbolSequence> symbols{{}};
    for (const std::size_t length : {1U, 2U, 340U, 341U, 2047U, 2048U, 2049U, 7000U}) {
      symbols.push_back(drawn_symbols(length, 6, rng));
    }
    const HmmCounts found = counts_of(model, symbols, {}, 1);
    HmmCounts whole{.chain = {.transitions = DenseMatrix(k, k, 0.0)}};
    double positions = 0;
    for (const SymbolSequence& x : symbols) {
      const HmmPosterior each = hmm_posterior(model, x);
      whole.log_likelihood += each.log_likelihood;
      positions += static_cast<double>(x.size());
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
          whole.chain.transitions(i, j) += each.transitions(i, j);
        }
      }
    }
    EXPECT_NEAR(found.log_likelihood, whole.log_likelihood, 1e-12 * -whole.log_likelihood);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        EXPECT_NEAR(
            found.chain.transitions(i, j), whole.chain.transitions(i, j), 1e-12 * positions);
      }
    }
    // The same bits for any number of threads, which go over the blocks in other ways.
    for (const std::size_t threads : {2U, 3U, 8U}) {
      const HmmCounts other = counts_of(model, symbols, {}, threads);
      EXPECT_EQ(other.log_likelihood, found.log_likelihood);
      EXPECT_EQ(other.emissions, found.emissions);
      EXPECT_TRUE(
          std::ranges::equal(other.chain.transitions.values(), found.chain.transitions.values()));
    }
  }
}

TEST(HmmSums, PosteriorsAreThoseOfSumsInLogs) {
  Rng rng(3);
  const Hmm model = random_hmm(6, 4, false, rng);
  const std::vector<SymbolSequence> symbols{drawn_symbols(5000, 4, rng), drawn_symbols(3, 4, rng)};
  HmmSymbols emissions(symbols, model.emissions);
  const HmmChain chain = chain_of(model);
  const HmmDecoder decoder(emissions, chain, 1);
  for (std::size_t s = 0; s < 2; ++s) {
    DenseMatrix states(symbols[s].size(), 6);
    EXPECT_TRUE(decoder.posterior(s, states.view()));
    const HmmPosterior expected = hmm_posterior(model, symbols[s]);
    for (std::size_t t = 0; t < states.rows(); ++t) {
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(states(t, i), expected.states(t, i), 1e-12);
      }
    }
    LabelSequence best;
    EXPECT_TRUE(decoder.best(s, best));
    EXPECT_EQ(best, most_likely_states(model, symbols[s]));
    EXPECT_NEAR(decoder.log_likelihood(s), expected.log_likelihood, 1e-9);
  }
}

// Symbol 1 says state 0 until its probability of being in state 1 is below every double; symbol 2
// then says that it was state 1 all along, which nothing leads to.
TEST(HmmSums, LogsAreTakenWhereScaledNumbersLose) {
  Hmm model;
  model.start = {1 - 1e-200, 1e-200};
  model.transitions = table({{1, 0}, {0, 1}});
  model.emissions = table({{0.5, 0.5 - 1e-300, 1e-300}, {0.5, 1e-30, 0.5 - 1e-30}});
  SymbolSequence x(12, 1);
  x.push_back(2);
  x.push_back(2);
  x.push_back(2);
  const std::vector<SymbolSequence> symbols{{0, 1, 0}, x};
  std::size_t in_logs = 0;
  const HmmCounts found = counts_of(model, symbols, {}, 1, &in_logs);
  EXPECT_EQ(in_logs, 1u);
  // State 1: 1e-200 * 1e-360 / 8; state 0: 1e-900 / 4096.
  const double expected = std::log(1e-200) + 12 * std::log(1e-30) + 3 * std::log(0.5) +
                          2 * std::log(0.5) + std::log(0.5);
  EXPECT_NEAR(found.log_likelihood, expected, 1e-9);
  EXPECT_NEAR(found.chain.start[1], 1, 1e-12);
  // Logs near -1300 have 3e-13 of rounding each, over 15 positions from both sides.
  EXPECT_NEAR(found.chain.transitions(1, 1), 14, 1e-10);
  EXPECT_NEAR(found.chain.transitions(0, 0), 2, 1e-12);
}

// Of three states the fourth column of rows is padding. A long sequence whose rows become 0, so
// that scales are infinite, says nothing of the short ones behind it.
TEST(HmmSums, ALostSequenceLosesNoOther) {
  Hmm model;
  model.start = {0.25, 0.25, 0.5};
  model.transitions = table({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  model.emissions = table({{0.5, 0.5, 0}, {0.5, 1e-200, 0.5}, {1, 0, 0}});
  // State 1 is below every double after two symbols 1, and no other has the symbol 2.
  SymbolSequence lost(40, 1);
  lost.push_back(2);
  lost.insert(lost.end(), 60, 0);
  std::vector<SymbolSequence> symbols{lost};
  for (std::size_t i = 0; i < 200; ++i) symbols.emplace_back(i % 3 + 1, 0);
  double expected = 0;
  for (const SymbolSequence& x : symbols) expected += log_likelihood(model, x);
  for (const std::size_t threads : {1U, 3U}) {
    std::size_t in_logs = 0;
    const HmmCounts found = counts_of(model, symbols, {}, threads, &in_logs);
    EXPECT_EQ(in_logs, 1u);
    EXPECT_NEAR(found.log_likelihood, expected, 1e-12 * -expected);
  }
}

// A known state whose share of the largest is 8.75 times the least double: doubles hold 9 times.
TEST(HmmSums, AKnownStateFarBelowTheLargestKeepsItsDigits) {
  const double least = std::numeric_limits<double>::denorm_min();
  Hmm model;
  model.start = {0.5, 0.5};
  model.transitions = table({{0.5, 0.5}, {0.5, 0.5}});
  model.emissions = table({{0.2, 0.8}, {1, 7 * least}});
  const std::vector<SymbolSequence> symbols{{1}};
  const std::vector<LabelSequence> known{{1}};
  std::size_t in_logs = 0;
  const HmmCounts found = counts_of(model, symbols, known, 1, &in_logs);
  EXPECT_NEAR(found.log_likelihood, std::log(0.5) + std::log(7 * least), 1e-12);
  EXPECT_EQ(in_logs, 1u);
}

TEST(HmmSums, NamesASequenceThatCannotOccur) {
  Hmm model;
  model.start = {1, 0};
  model.transitions = table({{1, 0}, {0, 1}});
  model.emissions = table({{1, 0}, {0, 1}});
  const std::vector<SymbolSequence> symbols{{0, 0}, {0, 1}};
  try {
    (void)counts_of(model, symbols, {}, 1);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "sequence 2 cannot occur under the model");
  }
  HmmSymbols emissions(symbols, model.emissions);
  const HmmChain chain = chain_of(model);
  const HmmDecoder decoder(emissions, chain, 1);
  DenseMatrix states(2, 2);
  EXPECT_FALSE(decoder.posterior(1, states.view()));
  EXPECT_EQ(states(0, 0), 0.5);
  LabelSequence best;
  EXPECT_FALSE(decoder.best(1, best));
  EXPECT_EQ(decoder.log_likelihood(1), -std::numeric_limits<double>::infinity());
}

/// 400 symbols by a rule that other programs repeat: a few of three kinds, then of five.
SymbolSequence ruled_symbols() {
  SymbolSequence x;
  std::uint64_t s = 1;
  for (std::size_t t = 0; t < 400; ++t) {
    s = (s * 1103515245 + 12345) % 2147483648;
    const std::uint64_t kinds = t / 20 % 2 == 1 ? 5 : 3;
    x.push_back(static_cast<std::uint32_t>((s >> 16) % kinds));
  }
  return x;
}

// hmmlearn 0.3.3, CategoricalHMM(2, implementation="scaling", n_iter=20, tol=-inf): score,
// predict_proba, monitor_.history and score after the last step.
TEST(HmmSums, EqualsHmmlearn) {
  const std::vector<SymbolSequence> symbols{ruled_symbols()};
  Hmm start;
  start.start = {0.6, 0.4};
  start.transitions = table({{0.7, 0.3}, {0.4, 0.6}});
  start.emissions = table({{0.3, 0.3, 0.2, 0.1, 0.1}, {0.1, 0.2, 0.2, 0.3, 0.2}});
  EXPECT_NEAR(log_likelihood(start, symbols[0]), -626.68121160009673, 1e-9);
  EXPECT_NEAR(hmm_posterior(start, symbols[0]).states(17, 0), 0.88339304839833876, 1e-12);
  const BaumWelchResult found =
      train_baum_welch(symbols, {.start = start, .max_iterations = 20, .tolerance = 0});
  ASSERT_EQ(found.trace.size(), 21u);
  EXPECT_NEAR(found.trace[0], -626.68121160009673, 1e-9);
  EXPECT_NEAR(found.trace[1], -608.96574958456449, 1e-9);
  EXPECT_NEAR(found.trace[2], -607.31461982693679, 1e-9);
  EXPECT_NEAR(found.trace[19], -581.79915740602507, 1e-8);
  EXPECT_NEAR(found.trace[20], -581.79152856044868, 1e-8);
  EXPECT_NEAR(found.model.transitions(0, 1), 0.060126825443252416, 1e-9);
  EXPECT_NEAR(found.model.transitions(1, 0), 0.06302496092124217, 1e-9);
}

TEST(HmmSums, AMillionPositions) {
  Rng rng(5);
  const Hmm model = random_hmm(3, 4, false, rng);
  const std::vector<SymbolSequence> symbols{sample_hmm(model, 1'000'000, rng).symbols};
  const BaumWelchResult found = train_baum_welch(
      symbols, {.start = random_hmm(3, 4, false, rng), .max_iterations = 3, .tolerance = 0});
  EXPECT_TRUE(std::ranges::is_sorted(found.trace));
  const double whole = log_likelihood(found.model, symbols[0]);
  EXPECT_NEAR(found.log_likelihood, whole, 1e-12 * -whole);
}

// What is known stays as it is, and the likelihood, that of what is known included, never falls.
TEST(HmmSums, KnownStatesAreKept) {
  Rng rng(6);
  const Hmm truth = random_hmm(3, 5, true, rng);
  std::vector<SymbolSequence> symbols;
  std::vector<LabelSequence> known;
  for (int i = 0; i < 20; ++i) {
    HmmSample sample = sample_hmm(truth, 30, rng);
    for (std::uint32_t& state : sample.states) {
      if (rng.bernoulli(0.5)) state = unknown_state;
    }
    symbols.push_back(std::move(sample.symbols));
    known.push_back(std::move(sample.states));
  }
  const BaumWelchResult found = train_baum_welch(
      symbols, {.states = 3, .with_end = true, .restarts = 3, .tolerance = 1e-12, .known = known});
  EXPECT_TRUE(std::ranges::is_sorted(found.trace));
  ASSERT_EQ(found.restarts.size(), 3u);
  HmmSymbols emissions(symbols, found.model.emissions);
  const HmmChain chain = chain_of(found.model);
  const HmmDecoder decoder(emissions, chain, 1);
  double total = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i) total += decoder.log_likelihood(i, known[i]);
  EXPECT_NEAR(total, found.log_likelihood, 1e-9);
  // All known: one step is the count.
  std::vector<LabelSequence> all;
  for (const LabelSequence& y : known) {
    all.push_back(y);
    std::ranges::replace(all.back(), unknown_state, std::uint32_t{2});
  }
  const Hmm counted =
      estimate_hmm(symbols, all, {.states = 3, .symbols = 5, .smoothing = 0, .with_end = true});
  const BaumWelchResult stepped = train_baum_welch(symbols,
                                                   {.states = 3,
                                                    .symbols = 5,
                                                    .with_end = true,
                                                    .restarts = 1,
                                                    .max_iterations = 1,
                                                    .known = all});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(stepped.model.transitions(i, j), counted.transitions(i, j), 1e-12);
    }
  }
}

// Shares of counts reach the bound that no model passes.
TEST(HmmSums, CountsReachTheirBound) {
  Rng rng(7);
  const Hmm truth = random_hmm(3, 4, true, rng);
  std::vector<SymbolSequence> symbols;
  std::vector<LabelSequence> states;
  for (int i = 0; i < 10; ++i) {
    HmmSample sample = sample_hmm(truth, 20, rng);
    symbols.push_back(std::move(sample.symbols));
    states.push_back(std::move(sample.states));
  }
  states[0][0] = unknown_state;
  for (const bool with_end : {false, true}) {
    for (const double smoothing : {0.0, 0.1, 3.0}) {
      const HmmCountOptions options{
          .states = 3, .symbols = 4, .smoothing = smoothing, .with_end = with_end};
      const double bound = hmm_count_bound(symbols, states, options);
      const Hmm best = estimate_hmm(symbols, states, options);
      const double reached = hmm_count_objective(best, symbols, states, smoothing);
      EXPECT_NEAR(reached, bound, 1e-12 * -bound);
      for (int trial = 0; trial < 20; ++trial) {
        const Hmm other = random_hmm(3, 4, with_end, rng);
        EXPECT_LT(hmm_count_objective(other, symbols, states, smoothing), bound);
      }
    }
  }
}

TEST(HmmSums, CountsOfWhatDoesNotFitAreRefused) {
  Hmm model;
  model.start = {0.5, 0.5};
  model.transitions = table({{0.5, 0.5}, {0.5, 0.5}});
  model.emissions = table({{0.5, 0.5}, {0.5, 0.5}});
  const std::vector<SymbolSequence> symbols{{0, 1}};
  const std::vector<LabelSequence> states{{0, 1}};
  EXPECT_NEAR(hmm_count_objective(model, symbols, states, 0), 4 * std::log(0.5), 1e-12);
  const std::vector<SymbolSequence> unseen{{0, 2}};
  const std::vector<SymbolSequence> nowhere{{0, unknown_state}};
  EXPECT_THROW((void)hmm_count_objective(model, unseen, states, 0), InvalidArgument);
  EXPECT_THROW((void)hmm_count_objective(model, nowhere, states, 0), InvalidArgument);
  const std::vector<std::vector<LabelSequence>> misfits{
      {}, {{0}}, {{0, 1, 0}}, {{0, 1}, {0}}, {{0, 2}}};
  for (const std::vector<LabelSequence>& misfit : misfits) {
    EXPECT_THROW((void)hmm_count_objective(model, symbols, misfit, 0), InvalidArgument);
    EXPECT_THROW((void)hmm_count_bound(symbols, misfit, {.states = 2}), InvalidArgument);
  }
}

}  // namespace
}  // namespace maxmargin

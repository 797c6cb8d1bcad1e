// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "chain_cases.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

using namespace chain_cases;

std::string joined(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

/// What check_task says of a chain on inputs up to a length.
TaskCheck check_chain(const ChainOptions& options, std::size_t longest, std::uint64_t seed) {
  Rng rng(seed, "chain");
  const ChainTask task(options);
  const auto samples = random_samples(rng, options, longest);
  return check_task(
      task, std::span<const std::pair<Sequence, LabelSequence>>(samples), rng, {.rounds = 3});
}

/// Every kind of chain: order, begin, end, observed steps, costs, rules.
class EveryChain : public testing::TestWithParam<std::uint64_t> {
 protected:
  static std::vector<ChainOptions> kinds(std::uint64_t seed) {
    Rng rng(seed, "kinds");
    std::vector<ChainOptions> list;
    for (const std::size_t order : {0u, 1u, 2u}) {
      for (const std::size_t labels : {1u, 2u, 3u}) {
        ChainOptions options{.labels = labels, .features = 4, .order = order};
        options.begin = rng.bernoulli(0.5);
        options.end = rng.bernoulli(0.5);
        options.step_features = rng.index(3);
        list.push_back(options);
        // Costs of halves, some of them 0.
        for (std::size_t at = 0; at < labels * labels; ++at) {
          const bool right = at / labels == at % labels;
          options.costs.push_back(right ? 0 : 0.5 * static_cast<double>(rng.index(4)));
        }
        list.push_back(options);
        // The step from a label to itself is always there, so that every length has outputs.
        for (std::size_t at = 0; at < labels * labels; ++at) {
          const bool same = at / labels == at % labels;
          options.rules.next.push_back(same || rng.bernoulli(0.6) ? 1 : 0);
        }
        options.rules.first.assign(labels, 1);
        options.rules.first[rng.index(labels)] = labels == 1 ? 1 : 0;
        list.push_back(options);
      }
    }
    return list;
  }
};

// seed-yu facts 26 (Viterbi), 27 (loss-augmented) and 28 (error counts in the state): all
// enumerated; 38 for chains: feature_difference and scores agree with the features.
TEST_P(EveryChain, FindsWhatEnumerationFinds) {
  for (const ChainOptions& options : kinds(GetParam())) {
    const TaskCheck check = check_chain(options, 5, GetParam());
    EXPECT_TRUE(check.faults.empty()) << joined(check.faults);
    EXPECT_EQ(check.missed, 0u);
    EXPECT_EQ(check.compared, 6u * 3 * 3);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, EveryChain, testing::Range<std::uint64_t>(1, 5));

TEST(ChainTask, FindsWhatEnumerationFindsWithMoreLabels) {
  // Beyond one register of labels, and beyond four.
  for (const std::size_t labels : {8u, 9u, 17u, 25u, 33u, 41u}) {
    for (const std::size_t order : {1u, 2u}) {
      const ChainOptions options{.labels = labels, .features = 3, .order = order};
      const TaskCheck check = check_chain(options, 2, 7);
      EXPECT_TRUE(check.faults.empty()) << labels << " labels\n" << joined(check.faults);
    }
  }
  const TaskCheck check = check_chain({.labels = 9, .features = 3, .order = 2}, 3, 8);
  EXPECT_TRUE(check.faults.empty()) << joined(check.faults);
}

/// A chain whose refinement leaves the last emission out.
struct ForgetfulChain : ChainTask {
  using ChainTask::ChainTask;
  void feature_difference(const Sequence& x,
                          const LabelSequence& y,
                          const LabelSequence& rival,
                          FeatureVector& psi) const {
    FeatureVector whole;
    ChainTask::feature_difference(x, y, rival, whole);
    for (std::size_t k = 0; k + 1 < whole.entries().size(); ++k) {
      psi.add(whole.entries()[k].index, whole.entries()[k].value);
    }
  }
};

TEST(CheckTask, SeesAWrongFeatureDifference) {
  Rng rng(3);
  const ForgetfulChain task({.labels = 2, .features = 2});
  const auto samples = random_samples(rng, task.options(), 2);
  const TaskCheck check =
      check_task(task, std::span<const std::pair<Sequence, LabelSequence>>(samples), rng);
  ASSERT_FALSE(check.faults.empty());
  EXPECT_NE(check.faults[0].find("feature_difference"), std::string::npos);
}

/// A chain whose Viterbi ends at label 0.
struct StubbornChain : ChainTask {
  using ChainTask::ChainTask;
  [[nodiscard]] LabelSequence predict(const Sequence& x, std::span<const double> w) const {
    LabelSequence y = ChainTask::predict(x, w);
    if (!y.empty()) y.back() = 0;
    return y;
  }
};

TEST(CheckTask, SeesAWrongViterbi) {
  Rng rng(4);
  const StubbornChain task({.labels = 3, .features = 2});
  const auto samples = random_samples(rng, task.options(), 4);
  const TaskCheck check =
      check_task(task, std::span<const std::pair<Sequence, LabelSequence>>(samples), rng);
  EXPECT_GT(check.missed, 0u);
}

// seed-yu fact 29, with begin and end beside the chain's own steps.
TEST(ChainTask, CountsLEmissionsAndLessOneSteps) {
  const ChainTask task({.labels = 3, .features = 5, .begin = false, .end = false});
  Sequence x{.begins = {0, 1, 2, 3, 4}, .indices = {4, 0, 4, 2}};
  FeatureVector psi;
  task.joint_features(x, {2, 1, 2, 0}, psi);
  double emissions = 0;
  double steps = 0;
  for (const auto& entry : psi.entries()) {
    (entry.index < task.pair_index(0, 0) ? emissions : steps) += entry.value;
  }
  EXPECT_EQ(emissions, 4);
  EXPECT_EQ(steps, 3);

  const ChainTask second({.labels = 3, .features = 5, .order = 2});
  FeatureVector more;
  second.joint_features(x, {2, 1, 2, 0}, more);
  // 4 emissions, 3 pairs, 2 triples; begin and end of one label and of two.
  EXPECT_EQ(more.entries().size(), 4u + 3 + 2 + 4);
  EXPECT_EQ(second.dimension(), 5u * 3 + 9 + 3 + 3 + 27 + 9 + 9);
  EXPECT_EQ(ChainTask({.labels = 3, .features = 5, .order = 0}).dimension(), 5u * 3 + 3 + 3);
}

// seed-yu fact 30: the table's own probabilities, END included, as weights of a chain.
TEST(ChainTask, ScoresTheHiddenMarkovExample) {
  // Words I, like, machines, support, vector; labels N, V.
  const ChainTask task({.labels = 2, .features = 5});
  std::vector<double> w(task.dimension(), -50);
  w[task.begin_index(0)] = std::log(0.25);
  w[task.end_index(0)] = std::log(0.1);
  w[task.pair_index(0, 1)] = std::log(0.5);
  w[task.pair_index(1, 0)] = std::log(0.4);
  w[task.pair_index(0, 0)] = std::log(0.3);
  w[task.emission_index(0, 0)] = std::log(0.05);
  w[task.emission_index(1, 1)] = std::log(0.02);
  w[task.emission_index(2, 0)] = std::log(0.001);
  w[task.emission_index(3, 0)] = std::log(0.005);
  w[task.emission_index(3, 1)] = std::log(0.01);
  w[task.emission_index(4, 0)] = std::log(0.001);
  const Sequence x{.begins = {0, 1, 2, 3, 4, 5}, .indices = {0, 1, 3, 4, 2}};
  const LabelSequence y{0, 1, 0, 0, 0};
  EXPECT_NEAR(std::exp(task.score(x, y, w)), 2.25e-15, 1e-27);
  EXPECT_EQ(task.predict(x, w), y);
}

TEST(ChainTask, LossesAreCostsOfPairs) {
  const std::vector<double> weights{1, 0.25, 2};
  const ChainTask hamming({.labels = 3});
  const ChainTask weighted({.labels = 3, .costs = costs_of_label_weights(weights)});
  const LabelSequence truth{0, 1, 2, 1};
  const LabelSequence wrong{1, 1, 0, 2};
  EXPECT_EQ(hamming.loss(truth, wrong), 3);
  EXPECT_EQ(hamming.loss(truth, truth), 0);
  EXPECT_EQ(weighted.loss(truth, wrong), 1 + 2 + 0.25);
  EXPECT_EQ(weighted.cost_unit(), 0.25);
}

TEST(ChainTask, FindsTheUnitOfCosts) {
  const auto unit = [](double a, double b) {
    return ChainTask({.labels = 2, .costs = {0, a, b, 0}}).cost_unit();
  };
  EXPECT_EQ(unit(1, 1), 1.0);
  EXPECT_EQ(unit(1, 1.5), 0.5);
  EXPECT_NEAR(unit(0.3, 0.7).value(), 0.1, 1e-15);
  EXPECT_EQ(unit(0, 0), 1.0);
  EXPECT_FALSE(unit(1, std::sqrt(2.0)).has_value());
  EXPECT_FALSE(unit(1, 2000).has_value());
  const ChainTask task({.labels = 2, .costs = {0, 1, std::sqrt(2.0), 0}});
  const std::vector<double> w(task.dimension(), 0.0);
  EXPECT_THROW((void)task.loss_scaled_argmax(Sequence{.begins = {0, 0}}, {1}, w), InvalidArgument);
}

TEST(ChainTask, TiesGoToTheSmallestLabelFromTheEnd) {
  for (const std::size_t order : {1u, 2u}) {
    const ChainTask task({.labels = 3, .order = order});
    const Sequence x{.begins = {0, 0, 0, 0}};
    std::vector<double> w(task.dimension(), 0.0);
    EXPECT_EQ(task.predict(x, w), (LabelSequence{0, 0, 0}));
    EXPECT_EQ(task.loss_augmented_argmax(x, {0, 1, 0}, w), (LabelSequence{1, 0, 1}));
    EXPECT_EQ(task.loss_scaled_argmax(x, {0, 1, 0}, w), (LabelSequence{1, 0, 1}));
    // 0 0 1 and 0 1 0 have one such step each: the last position decides first.
    w[task.pair_index(0, 1)] = 1;
    EXPECT_EQ(task.predict(x, w), (LabelSequence{0, 1, 0}));
  }
}

TEST(ChainTask, EmptyAndSingleInputs) {
  for (const std::size_t order : {1u, 2u}) {
    const ChainTask task({.labels = 2, .features = 1, .order = order});
    Rng rng(5);
    const std::vector<double> w = random_weights(rng, task.dimension());
    const Sequence empty;
    EXPECT_TRUE(task.predict(empty, w).empty());
    EXPECT_TRUE(task.loss_augmented_argmax(empty, {}, w).empty());
    EXPECT_TRUE(task.loss_scaled_argmax(empty, {}, w).empty());
    EXPECT_TRUE(task.margins(empty, w).empty());
    ASSERT_EQ(task.n_best(empty, w, 3).size(), 1u);
    EXPECT_EQ(task.n_best(empty, w, 3)[0].score, 0);
    FeatureVector psi;
    task.joint_features(empty, {}, psi);
    EXPECT_TRUE(psi.empty());
    // One position: begin and end of one label, and no pair.
    task.joint_features(Sequence{.begins = {0, 0}}, {1}, psi);
    EXPECT_EQ(psi.entries().size(), 2u);
  }
}

TEST(ChainTask, OneLabelHasOneOutput) {
  const ChainTask task({.labels = 1, .features = 1, .order = 2});
  Rng rng(6);
  const std::vector<double> w = random_weights(rng, task.dimension());
  const Sequence x{.begins = {0, 1, 2, 3}, .indices = {0, 0, 0}};
  EXPECT_EQ(task.predict(x, w), (LabelSequence{0, 0, 0}));
  EXPECT_EQ(task.n_best(x, w, 5).size(), 1u);
  for (const double margin : task.margins(x, w)) {
    EXPECT_EQ(margin, std::numeric_limits<double>::infinity());
  }
}

TEST(ChainTask, DoesNotDependOnTheLastInputOfTheThread) {
  // Tables are reused: a long input, then a short one, then another task, then the first again.
  Rng rng(7);
  const ChainTask large({.labels = 5, .features = 4, .step_features = 2, .order = 2});
  const ChainTask small({.labels = 2, .features = 4});
  const std::vector<double> w_large = random_weights(rng, large.dimension());
  const std::vector<double> w_small = random_weights(rng, small.dimension());
  const Sequence longer = random_sequence(rng, 12, large.options());
  const Sequence shorter = random_sequence(rng, 3, large.options());
  const LabelSequence truth = random_labels(rng, 12, 5);
  const LabelSequence first = large.predict(longer, w_large);
  const LabelSequence scaled = large.loss_scaled_argmax(longer, truth, w_large);
  (void)small.predict(shorter, w_small);
  (void)large.predict(shorter, w_large);
  EXPECT_EQ(large.predict(longer, w_large), first);
  (void)small.loss_scaled_argmax(shorter, {0, 1, 0}, w_small);
  EXPECT_EQ(large.loss_scaled_argmax(longer, truth, w_large), scaled);
  EXPECT_EQ(large.predict(longer, w_large), first);
}

TEST(ChainTask, ThreadsShareATask) {
  Rng rng(8);
  const ChainTask task({.labels = 6, .features = 20});
  const std::vector<double> w = random_weights(rng, task.dimension());
  std::vector<Sequence> inputs;
  std::vector<LabelSequence> alone;
  for (std::size_t i = 0; i < 64; ++i) {
    inputs.push_back(random_sequence(rng, 1 + rng.index(20), task.options()));
    alone.push_back(task.predict(inputs.back(), w));
  }
  std::vector<LabelSequence> together(inputs.size());
  parallel_chunks(4, inputs.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    together[i] = task.predict(inputs[i], w);
  });
  EXPECT_EQ(together, alone);
}

TEST(ChainTask, AddressesTenMillionFeatures) {
  // Indices beyond 32 bits; no weights are needed for features.
  const ChainTask task({.labels = 500, .features = 10'000'000});
  EXPECT_EQ(task.dimension(), 5'000'000'000u + 250'000 + 1000);
  const Sequence x{.begins = {0, 1}, .indices = {9'999'999}};
  FeatureVector psi;
  task.joint_features(x, {499}, psi);
  EXPECT_EQ(psi.entries()[0].index, 4'999'999'999u);
}

TEST(ChainTask, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ChainTask({.labels = 0}), InvalidArgument);
  EXPECT_THROW(ChainTask({.labels = 2, .order = 3}), InvalidArgument);
  EXPECT_THROW(ChainTask({.labels = 2, .costs = {0, 1, 1}}), InvalidArgument);
  EXPECT_THROW(ChainTask({.labels = 2, .costs = {0, -1, 1, 0}}), InvalidArgument);
  EXPECT_THROW(ChainTask({.labels = 2, .costs = {1, 1, 1, 0}}), InvalidArgument);
  EXPECT_THROW(ChainTask({.labels = 2, .rules = {.next = {1, 1}}}), InvalidArgument);
  const ChainTask task({.labels = 2});
  const std::vector<double> w(task.dimension(), 0.0);
  const Sequence x{.begins = {0, 0, 0}};
  FeatureVector psi;
  EXPECT_THROW(task.joint_features(x, {0}, psi), InvalidArgument);
  EXPECT_THROW(task.joint_features(x, {0, 2}, psi), InvalidArgument);
  EXPECT_THROW((void)task.predict(x, std::vector<double>(1)), InvalidArgument);
  EXPECT_THROW((void)task.loss({0}, {0, 1}), InvalidArgument);
  const std::vector<double> broken(task.dimension(), std::nan(""));
  EXPECT_THROW((void)task.predict(x, broken), InvalidArgument);
}

TEST(ChainTask, SaysWhenTheRulesLeaveNothing) {
  // Label 1 may not come first, and nothing follows label 0.
  const ChainTask task({.labels = 2, .rules = {.first = {1, 0}, .next = {0, 0, 1, 1}}});
  const std::vector<double> w(task.dimension(), 0.0);
  EXPECT_EQ(task.predict(Sequence{.begins = {0, 0}}, w), LabelSequence{0});
  const Sequence x{.begins = {0, 0, 0}};
  EXPECT_THROW((void)task.predict(x, w), InvalidArgument);
  EXPECT_THROW((void)task.n_best(x, w, 1), InvalidArgument);
  EXPECT_THROW((void)task.loss_scaled_argmax(x, {0, 0}, w), InvalidArgument);
}

TEST(ChainTask, TablesBeyondTheMachineAreRefused) {
  // With slack rescaling a table grows with the square of the length.
  const ChainTask task({.labels = 2});
  const std::vector<double> w(task.dimension(), 0.0);
  const auto length = static_cast<std::size_t>(std::sqrt(machine_memory() / 64)) + 64;
  const Sequence x{.begins = std::vector<std::size_t>(length + 1, 0)};
  const LabelSequence truth(length, 0);
  EXPECT_LT(task.argmax_bytes(x), machine_memory() / 2);
  EXPECT_GT(task.loss_scaled_argmax_bytes(x, truth), machine_memory() / 2);
  EXPECT_EQ(task.predict(x, w), truth);
  const std::string said =
      problem_of<InvalidArgument>([&] { (void)task.loss_scaled_argmax(x, truth, w); });
  EXPECT_TRUE(said.starts_with("an argmax of " + std::to_string(length) + " positions needs "))
      << said;
  EXPECT_NE(said.find("margin rescaling"), said.npos) << said;
}

// The tables of 8-byte numbers that the page names, and no more than a few rows beside.
TEST(ChainTask, TablesAreMeasured) {
  constexpr std::size_t k = 16;
  constexpr std::size_t length = 100;
  const Sequence x{.begins = std::vector<std::size_t>(length + 1, 0)};
  const ChainTask pairs({.labels = k});
  EXPECT_GE(pairs.argmax_bytes(x), 8 * 2 * length * k);
  EXPECT_LE(pairs.argmax_bytes(x), 8 * (3 * length * k + 4 * k * k));
  const ChainTask triples({.labels = k, .order = 2});
  EXPECT_GE(triples.argmax_bytes(x), 8 * (length * k * k + k * k * k));
  EXPECT_LE(triples.argmax_bytes(x), 8 * (length * (k * k + 2 * k) + 2 * k * k * k));
  // Losses 0 to t at position t; costs of 3 and 1 have 3 units at most.
  const LabelSequence truth(length, 0);
  const std::size_t layers = length * (length + 1) / 2;
  EXPECT_GE(pairs.loss_scaled_argmax_bytes(x, truth), 8 * layers * k);
  EXPECT_LE(pairs.loss_scaled_argmax_bytes(x, truth), 8 * (layers + 5 * length) * k);
  std::vector<double> costs = pairs.options().costs;
  costs[1] = 3;
  const ChainTask costly({.labels = k, .costs = costs});
  EXPECT_GE(costly.loss_scaled_argmax_bytes(x, truth), 8 * 3 * layers * k);
  costs[1] = std::sqrt(2);
  const ChainTask without_unit({.labels = k, .costs = costs});
  EXPECT_THROW((void)without_unit.loss_scaled_argmax_bytes(x, truth), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// The n best outputs, and margins, against the enumeration of all outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "chain_cases.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

namespace maxmargin {
namespace {

using namespace chain_cases;

struct Case {
  ChainTask task;
  Sequence x;
  std::vector<double> w;
};

/// All orders, with rules and observed steps in some of them.
std::vector<Case> cases(std::uint64_t seed) {
  Rng rng(seed, "answers");
  std::vector<Case> list;
  for (const std::size_t order : {0u, 1u, 2u}) {
    for (std::size_t length = 1; length <= 5; ++length) {
      ChainOptions options{.labels = 3, .features = 4, .step_features = rng.index(3)};
      options.order = order;
      if (rng.bernoulli(0.5))
        options.rules = {.next = {1, 1, 0, 1, 1, 1, 0, 1, 1}, .last = {1, 1, 0}};
      ChainTask task(options);
      Sequence x = random_sequence(rng, length, options);
      std::vector<double> w = random_weights(rng, task.dimension());
      list.push_back({std::move(task), std::move(x), std::move(w)});
    }
  }
  return list;
}

std::vector<ScoredLabels> all_outputs(const Case& each) {
  std::vector<ScoredLabels> outputs;
  each.task.for_each_output(each.x, [&](const LabelSequence& y) {
    outputs.push_back({.labels = y, .score = each.task.score(each.x, y, each.w)});
  });
  std::ranges::stable_sort(outputs, std::greater<>{}, &ScoredLabels::score);
  return outputs;
}

class ChainAnswers : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ChainAnswers, NBestAreTheFirstOfAllOutputs) {
  for (const Case& each : cases(GetParam())) {
    const std::vector<ScoredLabels> all = all_outputs(each);
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, all.size() + 5}) {
      const std::vector<ScoredLabels> found = each.task.n_best(each.x, each.w, count);
      ASSERT_EQ(found.size(), std::min(count, all.size()));
      std::set<LabelSequence> different;
      for (std::size_t k = 0; k < found.size(); ++k) {
        // Scores decide; outputs of one score may change places.
        EXPECT_NEAR(found[k].score, all[k].score, 1e-12 * (1 + std::abs(all[k].score)));
        EXPECT_NEAR(found[k].score, each.task.score(each.x, found[k].labels, each.w), 1e-12);
        different.insert(found[k].labels);
      }
      EXPECT_EQ(different.size(), found.size());
      EXPECT_EQ(found[0].labels, each.task.predict(each.x, each.w));
    }
  }
}

TEST_P(ChainAnswers, MarginsAreDistancesToTheBestDifferentLabel) {
  for (const Case& each : cases(GetParam())) {
    const std::vector<ScoredLabels> all = all_outputs(each);
    const LabelSequence best = each.task.predict(each.x, each.w);
    const std::vector<double> margins = each.task.margins(each.x, each.w);
    ASSERT_EQ(margins.size(), best.size());
    for (std::size_t t = 0; t < best.size(); ++t) {
      double other = -std::numeric_limits<double>::infinity();
      for (const ScoredLabels& y : all) {
        if (y.labels[t] != best[t]) other = std::max(other, y.score);
      }
      if (std::isinf(other)) {
        EXPECT_TRUE(std::isinf(margins[t]));
      } else {
        EXPECT_NEAR(margins[t], all[0].score - other, 1e-12 * (1 + std::abs(all[0].score)));
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ChainAnswers, testing::Range<std::uint64_t>(1, 7));

TEST(ChainTask, NBestOfEqualScoresBeginsWithThePrediction) {
  // 3^12 outputs of one score: the queue must go deep, not broad.
  const ChainTask task({.labels = 3, .order = 2});
  const Sequence x{.begins = std::vector<std::size_t>(13, 0)};
  const std::vector<double> w(task.dimension(), 0.0);
  const std::vector<ScoredLabels> found = task.n_best(x, w, 10);
  ASSERT_EQ(found.size(), 10u);
  EXPECT_EQ(found[0].labels, task.predict(x, w));
  for (const ScoredLabels& answer : found) EXPECT_EQ(answer.score, 0);
  for (const double margin : task.margins(x, w)) EXPECT_EQ(margin, 0);
}

TEST(ChainTask, NBestOfNothingIsNothing) {
  const ChainTask task({.labels = 2});
  const std::vector<double> w(task.dimension(), 0.0);
  EXPECT_TRUE(task.n_best(Sequence{.begins = {0, 0}}, w, 0).empty());
}

}  // namespace
}  // namespace maxmargin

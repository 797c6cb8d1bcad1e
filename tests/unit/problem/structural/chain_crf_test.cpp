// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/chain_crf.hpp"

#include <gtest/gtest.h>

#include "label_chain_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

std::vector<double> random_weights(std::size_t dimension, double scale, std::uint64_t seed) {
  Rng rng(seed, "weights");
  std::vector<double> w(dimension);
  for (double& x : w) x = scale * rng.normal();
  return w;
}

/// P(w) by listing all labellings.
double listed_objective(const SequenceData& data,
                        const ChainLayout& layout,
                        std::span<const double> weights,
                        double c,
                        std::span<const double> w) {
  double sum = 0;
  for (const double x : w) sum += 0.5 * x * x;
  for (std::size_t i = 0; i < data.size(); ++i) {
    double z = 0;
    for_each_labelling(data.labels[i].size(), layout.labels, [&](const LabelSequence& y) {
      z += std::exp(chain_features(layout, data.inputs[i], y).dot(w));
    });
    const double own = chain_features(layout, data.inputs[i], data.labels[i]).dot(w);
    sum += c * (weights.empty() ? 1.0 : weights[i]) * (std::log(z) - own);
  }
  return sum;
}

TEST(ChainCrf, ObjectiveEqualsTheListOfAllLabellings) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const bool ends = seed % 2 == 0;
    const SequenceData data = random_sequences(8, 5, 6, 3, seed % 3 == 0, seed);
    const std::vector<double> weights =
        seed % 2 == 0 ? std::vector<double>() : std::vector<double>{1, 0, 2, 0.5, 3, 1, 1, 0.25};
    const ChainCrf crf(data, weights, ends);
    const std::vector<double> w = random_weights(crf.dimension(), 1, seed);
    std::vector<double> gradient(w.size());
    const double listed = listed_objective(data, crf.layout(), weights, 0.7, w);
    EXPECT_NEAR(crf.objective(0.7, w, gradient, 1), listed, 1e-12 * listed);
    EXPECT_NEAR(crf.plain_objective(0.7, w), listed, 1e-12 * listed);
  }
}

TEST(ChainCrf, GradientEqualsCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SequenceData data = random_sequences(6, 6, 5, 3, seed % 2 == 0, seed + 10);
    const ChainCrf crf(data, {}, seed < 2);
    std::vector<double> w = random_weights(crf.dimension(), 1, seed);
    std::vector<double> gradient(w.size());
    crf.objective(2, w, gradient, 1);
    constexpr double h = 1e-5;
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double middle = w[j];
      w[j] = middle + h;
      const double above = crf.plain_objective(2, w);
      w[j] = middle - h;
      const double below = crf.plain_objective(2, w);
      w[j] = middle;
      // Rounding of P / h, and h^2 times a third derivative of some units.
      EXPECT_NEAR(gradient[j], (above - below) / (2 * h), 1e-7) << j;
    }
  }
}

TEST(ChainCrf, BitsDoNotDependOnThreads) {
  const SequenceData data = random_sequences(150, 9, 3000, 5, true, 3);
  const ChainCrf crf(data);
  const std::vector<double> w = random_weights(crf.dimension(), 1, 1);
  std::vector<double> one(w.size());
  const double value = crf.objective(1, w, one, 1);
  for (const std::size_t threads : {2u, 4u, 7u}) {
    std::vector<double> many(w.size());
    EXPECT_EQ(crf.objective(1, w, many, threads), value);
    EXPECT_EQ(many, one);
  }
}

// A sequence of 10,000 positions: Z is beyond every double.
// 64 chunks of 32 sequences are summed at once.
TEST(ChainCrf, ManySequencesAreSummedInRounds) {
  const SequenceData data = random_sequences(2 * 64 * 32 + 7, 3, 4, 2, false, 21);
  const ChainCrf crf(data);
  const std::vector<double> w = random_weights(crf.dimension(), 1, 21);
  std::vector<double> gradient(w.size());
  std::vector<double> other(w.size());
  const double value = crf.objective(0.1, w, gradient, 1);
  EXPECT_NEAR(value, crf.plain_objective(0.1, w), 1e-11 * value);
  EXPECT_EQ(crf.objective(0.1, w, other, 3), value);
  EXPECT_EQ(other, gradient);
  // Transitions and ends, whose sums the rounds add to.
  constexpr double h = 1e-5;
  for (std::size_t j = crf.layout().transition(0, 0); j < w.size(); ++j) {
    std::vector<double> more = w;
    std::vector<double> less = w;
    more[j] += h;
    less[j] -= h;
    const double slope =
        (crf.plain_objective(0.1, more) - crf.plain_objective(0.1, less)) / (2 * h);
    EXPECT_NEAR(gradient[j], slope, 1e-5 * (1 + std::abs(slope)));
  }
}

TEST(ChainCrf, LongSequencesDoNotOverflow) {
  SequenceData data = random_sequences(1, 10000, 20, 4, false, 5);
  const ChainCrf crf(data);
  const std::vector<double> w = random_weights(crf.dimension(), 1, 2);
  std::vector<double> gradient(w.size());
  const double value = crf.objective(1, w, gradient, 2);
  EXPECT_GT(value, 1e4);
  EXPECT_NEAR(value, crf.plain_objective(1, w), 1e-11 * value);
  // Residuals of a position sum to 0 over labels, so those of a feature do.
  for (std::size_t f = 0; f < 20; ++f) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += gradient[f * 4 + j] - w[f * 4 + j];
    EXPECT_NEAR(sum, 0, 1e-8);
  }
}

TEST(ChainCrf, ProbabilitiesAndBestLabellingEqualTheList) {
  const SequenceData data = random_sequences(5, 5, 6, 3, true, 8);
  const ChainLayout layout{.features = 6, .labels = 3};
  const std::vector<double> w = random_weights(layout.dimension(), 1, 3);
  for (const Sequence& sequence : data.inputs) {
    DenseMatrix listed(sequence.size(), 3, 0.0);
    double z = 0;
    double best = -std::numeric_limits<double>::infinity();
    LabelSequence winner;
    for_each_labelling(sequence.size(), 3, [&](const LabelSequence& y) {
      const double score = chain_features(layout, sequence, y).dot(w);
      z += std::exp(score);
      if (score > best) winner = y;
      best = std::max(best, score);
      for (std::size_t t = 0; t < y.size(); ++t) listed(t, y[t]) += std::exp(score);
    });
    EXPECT_EQ(best_labelling(layout, sequence, w), winner);
    const DenseMatrix found = label_probabilities(layout, sequence, w);
    ASSERT_EQ(found.rows(), sequence.size());
    for (std::size_t j = 0; j < listed.values().size(); ++j) {
      EXPECT_NEAR(found.values()[j], listed.values()[j] / z, 1e-12);
    }
  }
  // A model knows fewer features than the sequence has: they count for nothing.
  Sequence extended = data.inputs[0];
  const LabelSequence before = best_labelling(layout, extended, w);
  extended.indices.push_back(1000);
  extended.values.push_back(5.0);
  ++extended.begins.back();
  EXPECT_EQ(best_labelling(layout, extended, w), before);
}

// Twice the weight is the sequence twice.
TEST(ChainCrf, WeightTwoIsTheSequenceTwice) {
  SequenceData data = random_sequences(6, 5, 6, 3, false, 9);
  const std::vector<double> weights{2, 1, 1, 1, 1, 1};
  SequenceData twice = data;
  twice.inputs.push_back(data.inputs[0]);
  twice.labels.push_back(data.labels[0]);
  const ChainCrf weighted(data, weights);
  const ChainCrf repeated(twice);
  const std::vector<double> w = random_weights(weighted.dimension(), 1, 4);
  std::vector<double> a(w.size());
  std::vector<double> b(w.size());
  const double value = weighted.objective(1, w, a, 1);
  EXPECT_NEAR(value, repeated.objective(1, w, b, 1), 1e-12 * value);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-12);
}

TEST(ChainCrf, EmptyDataCostsNothing) {
  SequenceData data;
  const ChainCrf none(data);
  std::vector<double> w(none.dimension(), 2.0);
  std::vector<double> gradient(w.size());
  EXPECT_EQ(none.objective(1, w, gradient, 2), 2.0 * static_cast<double>(w.size()));
  EXPECT_EQ(gradient, w);
}

TEST(ChainCrf, RefusesWhatDoesNotFit) {
  const SequenceData good = random_sequences(4, 4, 5, 3, true, 1);
  const auto expect_refused = [](const SequenceData& data) {
    EXPECT_THROW(ChainCrf crf(data), InvalidArgument);
  };
  SequenceData data = good;
  data.labels.pop_back();
  expect_refused(data);
  data = good;
  data.labels[0].pop_back();
  expect_refused(data);
  data = good;
  data.features = 1;
  data.inputs[0].indices.assign(data.inputs[0].indices.size(), 1);
  ASSERT_FALSE(data.inputs[0].indices.empty());
  expect_refused(data);
  data = good;
  ASSERT_FALSE(data.inputs[0].values.empty());
  data.inputs[0].values[0] = std::nan("");
  expect_refused(data);
  data = good;
  data.inputs[0].values.push_back(1);
  expect_refused(data);
  const std::vector<double> two{1, 1};
  EXPECT_THROW(ChainCrf crf(good, two), InvalidArgument);
  const std::vector<double> negative{1, 1, -1, 1};
  EXPECT_THROW(ChainCrf crf(good, negative), InvalidArgument);
  const ChainCrf crf(good);
  std::vector<double> gradient(crf.dimension());
  EXPECT_THROW(crf.objective(1, two, gradient, 1), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

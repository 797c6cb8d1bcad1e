// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/label_chain.hpp"

#include <gtest/gtest.h>

#include "label_chain_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr double forbidden = -std::numeric_limits<double>::infinity();

/// All sums and expectations by listing labellings.
struct Listed {
  double log_sum = forbidden;
  double best = forbidden;
  DenseMatrix probabilities;
  DenseMatrix counts;

  explicit Listed(const ChainTables& tables)
      : probabilities(tables.nodes.rows(), tables.transitions.rows(), 0.0),
        counts(tables.transitions.rows(), tables.transitions.rows(), 0.0) {
    const auto each = [&](const auto& visit) {
      for_each_labelling(tables.nodes.rows(), tables.transitions.rows(), visit);
    };
    each([&](const LabelSequence& y) { best = std::max(best, tables.score(y)); });
    double sum = 0;
    each([&](const LabelSequence& y) { sum += std::exp(tables.score(y) - best); });
    log_sum = best + std::log(sum);
    each([&](const LabelSequence& y) {
      const double p = std::exp(tables.score(y) - log_sum);
      for (std::size_t t = 0; t < y.size(); ++t) {
        probabilities(t, y[t]) += p;
        if (t > 0) counts(y[t - 1], y[t]) += p;
      }
    });
  }
};

void expect_near(const DenseMatrix& a, const DenseMatrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    EXPECT_NEAR(a.values()[i], b.values()[i], tolerance) << i;
  }
}

void expect_like_listing(const ChainTables& tables) {
  const Listed listed(tables);
  const LabelChain chain = tables.chain();
  const double size = std::max(1.0, std::abs(listed.log_sum));
  DenseMatrix probabilities(tables.nodes.rows(), chain.labels());
  DenseMatrix counts(chain.labels(), chain.labels(), 0.0);
  EXPECT_NEAR(chain.log_sum(tables.nodes.view()), listed.log_sum, 1e-13 * size);
  EXPECT_NEAR(chain.expectations(tables.nodes.view(), probabilities.view(), counts.view()),
              listed.log_sum,
              1e-13 * size);
  expect_near(probabilities, listed.probabilities, 1e-12 * size);
  expect_near(counts, listed.counts, 1e-12 * size);
  LabelSequence y;
  EXPECT_NEAR(chain.best(tables.nodes.view(), y), listed.best, 1e-13 * size);
  EXPECT_NEAR(tables.score(y), listed.best, 1e-13 * size);
  EXPECT_NEAR(chain.score(tables.nodes.view(), y), listed.best, 1e-13 * size);
}

// seed-xu facts 20 to 22, seed-yu fact 26, in both ways of summing.
TEST(LabelChain, EqualsTheListOfAllLabellings) {
  Rng rng(1);
  for (const double scale : {0.0, 0.5, 5.0, 1000.0}) {
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      for (std::size_t length = 0; length <= 5; ++length) {
        const ChainTables tables(length, labels, scale, rng);
        if (scale <= 5) {
          EXPECT_TRUE(tables.chain().uses_scaled_numbers());
        }
        if (scale == 1000 && labels == 4) {
          EXPECT_FALSE(tables.chain().uses_scaled_numbers());
        }
        expect_like_listing(tables);
      }
    }
  }
}

TEST(LabelChain, ScaledNumbersAndLogsAgreeUpToTheRangeOfTheSwitch) {
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    // Node scores beyond every exponential's range, transitions at the border: what scaled numbers
    // lose in a node may be what transitions want.
    ChainTables tables(6, 3, 300, rng);
    for (double& value : tables.transitions.values()) value = rng.bernoulli(0.5) ? 150 : -150;
    for (double& value : tables.end) value = rng.bernoulli(0.5) ? 150 : -150;
    EXPECT_TRUE(tables.chain().uses_scaled_numbers());
    expect_like_listing(tables);
    tables.transitions(1, 2) = 150.1;
    tables.transitions(0, 1) = -150;
    EXPECT_FALSE(tables.chain().uses_scaled_numbers());
    expect_like_listing(tables);
  }
}

TEST(LabelChain, ForbidsWhatHasScoreMinusInfinity) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    ChainTables tables(5, 3, 1, rng);
    tables.transitions(0, 1) = forbidden;
    tables.transitions(2, 2) = forbidden;
    tables.nodes(2, 0) = forbidden;
    tables.begin[1] = forbidden;
    tables.end[0] = forbidden;
    expect_like_listing(tables);
    // Forbidden nodes alone leave scaled numbers in use.
    ChainTables open(5, 3, 1, rng);
    open.nodes(2, 0) = forbidden;
    open.begin[1] = forbidden;
    EXPECT_TRUE(open.chain().uses_scaled_numbers());
    expect_like_listing(open);
  }
}

TEST(LabelChain, RefusesExpectationsWhereNothingIsAllowed) {
  Rng rng(4);
  for (const bool in_logs : {false, true}) {
    ChainTables tables(3, 2, 1, rng);
    for (double& value : tables.nodes.row(1)) value = forbidden;
    if (in_logs) tables.end[0] = forbidden;
    const LabelChain chain = tables.chain();
    EXPECT_EQ(chain.uses_scaled_numbers(), !in_logs);
    EXPECT_EQ(chain.log_sum(tables.nodes.view()), forbidden);
    DenseMatrix probabilities(3, 2);
    DenseMatrix counts(2, 2, 0.0);
    EXPECT_THROW(chain.expectations(tables.nodes.view(), probabilities.view(), counts.view()),
                 InvalidArgument);
    LabelSequence y;
    EXPECT_EQ(chain.best(tables.nodes.view(), y), forbidden);
    EXPECT_EQ(y.size(), 3u);
  }
}

TEST(LabelChain, TiesGoToTheLowestLabel) {
  const DenseMatrix zero(3, 3, 0.0);
  const LabelChain chain(zero.view());
  LabelSequence y;
  EXPECT_EQ(chain.best(DenseMatrix(4, 3, 0.0).view(), y), 0);
  EXPECT_EQ(y, LabelSequence({0, 0, 0, 0}));
  // Two labellings of score 1: the last position decides first.
  DenseMatrix transitions(2, 2, 0.0);
  transitions(0, 1) = transitions(1, 0) = 1;
  const LabelChain swap(transitions.view());
  EXPECT_EQ(swap.best(DenseMatrix(2, 2, 0.0).view(), y), 1);
  EXPECT_EQ(y, LabelSequence({1, 0}));
}

// The product of forward and backward numbers is one at every position (seed-xu fact 20), where no
// product of probabilities fits a double.
TEST(LabelChain, LongChainsDoNotUnderflow) {
  Rng rng(5);
  for (const double scale : {1.0, 1000.0}) {
    const ChainTables tables(10000, 3, scale, rng);
    const LabelChain chain = tables.chain();
    const double log_sum = chain.log_sum(tables.nodes.view());
    const DenseMatrix forward = chain.forward_logs(tables.nodes.view());
    const DenseMatrix backward = chain.backward_logs(tables.nodes.view());
    EXPECT_GT(std::abs(log_sum), 2000);
    for (std::size_t t = 0; t < 10000; t += 777) {
      double largest = forbidden;
      for (std::size_t j = 0; j < 3; ++j)
        largest = std::max(largest, forward(t, j) + backward(t, j));
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += std::exp(forward(t, j) + backward(t, j) - largest);
      EXPECT_NEAR(largest + std::log(sum), log_sum, 1e-11 * std::abs(log_sum));
    }
    DenseMatrix probabilities(10000, 3);
    DenseMatrix counts(3, 3, 0.0);
    chain.expectations(tables.nodes.view(), probabilities.view(), counts.view());
    double transitions = 0;
    for (const double value : counts.values()) transitions += value;
    // Logs of size |log_sum| are rounded at each of 10,000 positions.
    const double rounding = 1e-12 * std::abs(log_sum);
    EXPECT_NEAR(transitions, 9999, 9999 * rounding);
    for (std::size_t t = 0; t < 10000; t += 333) {
      double sum = 0;
      for (const double value : probabilities.row(t)) sum += value;
      EXPECT_NEAR(sum, 1, rounding);
    }
  }
}

// Expected transitions add up to the expected labels they leave and reach (seed-xu fact 21).
TEST(LabelChain, TransitionsAgreeWithLabels) {
  Rng rng(6);
  const ChainTables tables(20, 4, 2, rng);
  DenseMatrix probabilities(20, 4);
  DenseMatrix counts(4, 4, 1.0);
  tables.chain().expectations(tables.nodes.view(), probabilities.view(), counts.view(), 3);
  for (std::size_t i = 0; i < 4; ++i) {
    double left = 0;
    double reached = 0;
    double out = 0;
    double in = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      out += (counts(i, j) - 1) / 3;
      in += (counts(j, i) - 1) / 3;
    }
    for (std::size_t t = 0; t < 20; ++t) {
      left += t + 1 < 20 ? probabilities(t, i) : 0.0;
      reached += t > 0 ? probabilities(t, i) : 0.0;
    }
    EXPECT_NEAR(out, left, 1e-12);
    EXPECT_NEAR(in, reached, 1e-12);
  }
}

TEST(LabelChain, RefusesSizesThatDoNotFit) {
  EXPECT_THROW(LabelChain(DenseMatrix(2, 3, 0.0).view()), InvalidArgument);
  EXPECT_THROW(LabelChain(DenseMatrix().view()), InvalidArgument);
  const std::vector<double> three(3, 0.0);
  EXPECT_THROW(LabelChain(DenseMatrix(2, 2, 0.0).view(), three), InvalidArgument);
  EXPECT_THROW(LabelChain(DenseMatrix(2, 2, 0.0).view(), {}, three), InvalidArgument);
  const LabelChain chain(DenseMatrix(2, 2, 0.0).view());
  LabelSequence y;
  EXPECT_THROW((void)chain.log_sum(DenseMatrix(2, 3, 0.0).view()), InvalidArgument);
  EXPECT_THROW(chain.best(DenseMatrix(2, 3, 0.0).view(), y), InvalidArgument);
  y = {0, 2};
  EXPECT_THROW((void)chain.score(DenseMatrix(2, 2, 0.0).view(), y), InvalidArgument);
  y = {0};
  EXPECT_THROW((void)chain.score(DenseMatrix(2, 2, 0.0).view(), y), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

constexpr ScalingOptions range = {.kind = ScalingKind::range};
constexpr ScalingOptions standard = {.kind = ScalingKind::standard};

DenseMatrix matrix(std::size_t cols, const std::vector<double>& values) {
  return DenseMatrix(values.size() / cols, cols, Buffer<double>(std::span<const double>(values)));
}

DenseMatrix random_matrix(std::size_t rows, std::size_t cols, double share_of_zeros) {
  Rng rng(3, "scaling", rows * cols);
  DenseMatrix x(rows, cols);
  for (double& value : x.values()) {
    value = rng.bernoulli(share_of_zeros) ? 0.0 : rng.normal(2, 5);
  }
  return x;
}

void expect_equal(const DenseMatrix& a, const DenseMatrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) EXPECT_EQ(a(i, j), b(i, j)) << i << ", " << j;
  }
}

TEST(RangeScaling, PutsBordersExactlyAndTheRestLinearly) {
  const Examples data = matrix(2, {0.1, -7, 0.3, 13, 0.2, 3});
  const Scaler scaler = fit_scaler(data, range);
  EXPECT_EQ(scaler.minimum, (std::vector<double>{0.1, -7}));
  EXPECT_EQ(scaler.maximum, (std::vector<double>{0.3, 13}));
  const DenseMatrix x = scaler.apply(data).to_dense();
  EXPECT_EQ(x(0, 0), -1);
  EXPECT_EQ(x(1, 0), 1);
  EXPECT_NEAR(x(2, 0), 0, 1e-15);
  EXPECT_EQ(x(0, 1), -1);
  EXPECT_EQ(x(1, 1), 1);
  EXPECT_EQ(x(2, 1), 0);
}

TEST(RangeScaling, TakesOtherBordersAndExtrapolates) {
  const Examples data = matrix(1, {10, 20});
  const Scaler scaler = fit_scaler(data, {.kind = ScalingKind::range, .lower = 0, .upper = 4});
  EXPECT_EQ(scaler.scaled(0, 10), 0);
  EXPECT_EQ(scaler.scaled(0, 15), 2);
  EXPECT_EQ(scaler.scaled(0, 20), 4);
  EXPECT_EQ(scaler.scaled(0, 25), 6);
  EXPECT_EQ(scaler.scaled(0, 0), -4);
}

TEST(RangeScaling, AConstantFeatureBecomesZeroForEveryValue) {
  const Examples data = matrix(2, {5, 1, 5, 2, 5, 3});
  const Scaler scaler = fit_scaler(data, range);
  const DenseMatrix x = scaler.apply(data).to_dense();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(x(i, 0), 0);
  EXPECT_EQ(scaler.scaled(0, 99), 0);
}

// svm-scale counts missing entries as 0 and writes what they become; here feature 0 lies in [2, 4]
// without missing entries, feature 1 in [0, 5] and feature 2 in [-3, 0] with some.
TEST(RangeScaling, CountsAndFillsTheZerosOfSparseData) {
  const DenseMatrix dense = matrix(3, {2, 0, -3, 3, 5, 0, 4, 0, 0});
  const Scaler scaler = fit_scaler(to_sparse(dense.view()), range);
  EXPECT_EQ(scaler.minimum, (std::vector<double>{2, 0, -3}));
  EXPECT_EQ(scaler.maximum, (std::vector<double>{4, 5, 0}));
  EXPECT_EQ(scaler.features_with_moved_zero(), 3u);
  const Examples scaled = scaler.apply(to_sparse(dense.view()));
  ASSERT_FALSE(scaled.is_dense());
  expect_equal(scaled.to_dense(), matrix(3, {-1, -1, -1, 0, 1, 1, 1, -1, 1}));
  EXPECT_EQ(scaled.entries(), 8u);  // the middle 3 of feature 0 became 0 and is not stored
}

TEST(RangeScaling, KeepsSparseZerosWhenTheRangeStartsAtZero) {
  const DenseMatrix dense = matrix(2, {0, 3, 2, 0, 0, 0, 8, 1});
  const Scaler scaler =
      fit_scaler(to_sparse(dense.view()), {.kind = ScalingKind::range, .lower = 0, .upper = 1});
  EXPECT_EQ(scaler.features_with_moved_zero(), 0u);
  EXPECT_EQ(scaler.apply(to_sparse(dense.view())).entries(), 4u);
}

TEST(RangeScaling, DenseAndSparseDataGiveTheSameNumbers) {
  const DenseMatrix dense = random_matrix(30, 6, 0.6);
  const Scaler from_dense = fit_scaler(dense, range);
  const Scaler from_sparse = fit_scaler(to_sparse(dense.view()), range);
  EXPECT_EQ(from_dense.minimum, from_sparse.minimum);
  EXPECT_EQ(from_dense.maximum, from_sparse.maximum);
  expect_equal(from_dense.apply(dense).to_dense(),
               from_sparse.apply(to_sparse(dense.view())).to_dense());
}

TEST(StandardScaling, DenseDataHaveMeanZeroAndVarianceOneWithDenominatorN) {
  const Dataset data = iris();
  const Scaler scaler = fit_scaler(data.examples, standard);
  EXPECT_NEAR(scaler.mean[0], 876.5 / 150, 1e-12);
  const DenseMatrix x = scaler.apply(data.examples).to_dense();
  for (std::size_t j = 0; j < 4; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < 150; ++i) {
      sum += x(i, j);
      squares += x(i, j) * x(i, j);
    }
    EXPECT_NEAR(sum, 0, 150 * 1e-14);
    EXPECT_NEAR(squares, 150, 150 * 1e-13);
  }
}

TEST(StandardScaling, SparseDataKeepTheirZerosAndGetVarianceOne) {
  const DenseMatrix dense = random_matrix(40, 3, 0.7);
  const SparseMatrix sparse = to_sparse(dense.view());
  const Scaler scaler = fit_scaler(sparse, standard);
  EXPECT_TRUE(scaler.mean.empty());
  EXPECT_EQ(scaler.features_with_moved_zero(), 0u);
  const Examples scaled = scaler.apply(sparse);
  EXPECT_EQ(scaled.entries(), sparse.entries());
  const std::vector<double> from_dense = fit_scaler(dense, standard).deviation;
  const DenseMatrix x = scaled.to_dense();
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(scaler.deviation[j], from_dense[j], 1e-13 * from_dense[j]);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(x(i, j), dense(i, j) / scaler.deviation[j]);
  }
}

TEST(StandardScaling, AConstantFeatureIsNotDividedByItsRoundingError) {
  std::vector<double> values(1000, 0.1);  // 1000 * 0.1 does not sum to 100 in doubles
  const Examples data = matrix(1, values);
  const Scaler scaler = fit_scaler(data, standard);
  EXPECT_EQ(scaler.mean[0], 0.1);
  EXPECT_EQ(scaler.deviation[0], 1);
  EXPECT_EQ(scaler.apply(data).dense()(7, 0), 0);
}

TEST(StandardScaling, SurvivesALargeMean) {
  // Values 1e9 + {0, 1, 2}: a one-pass sum of squares would lose the variance 2/3.
  const Examples data = matrix(1, {1e9, 1e9 + 1, 1e9 + 2});
  const Scaler scaler = fit_scaler(data, standard);
  EXPECT_NEAR(scaler.deviation[0], std::sqrt(2.0 / 3.0), 1e-15);
}

class ExtremeValues : public ::testing::TestWithParam<ScalingKind> {};

TEST_P(ExtremeValues, GiveFiniteResults) {
  constexpr double huge = std::numeric_limits<double>::max();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const Examples data = matrix(4, {-huge, huge, tiny, 1, huge, huge, 0, 1, 0, huge, -tiny, 1});
  const Scaler scaler = fit_scaler(data, {.kind = GetParam()});
  scaler.validate();
  const DenseMatrix x = scaler.apply(data).to_dense();
  for (const double value : x.values()) EXPECT_TRUE(std::isfinite(value)) << value;
  EXPECT_LT(x(0, 0), 0);
  EXPECT_GT(x(1, 0), 0);
  EXPECT_NEAR(x(2, 0), 0, 1e-15);
  for (const double value : {huge, -huge, 1.0, tiny}) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_TRUE(std::isfinite(scaler.scaled(j, value))) << value << ", feature " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scaling,
                         ExtremeValues,
                         ::testing::Values(ScalingKind::range, ScalingKind::standard));

class EveryKind : public ::testing::TestWithParam<ScalingKind> {};

TEST_P(EveryKind, IsFittedOnTheGivenRowsAlone) {
  const DenseMatrix x = random_matrix(20, 3, 0.2);
  const std::vector<std::size_t> rows = {3, 4, 11, 4};
  const Scaler some = fit_scaler(x, rows, {.kind = GetParam()});
  const Scaler same = fit_scaler(Examples(x).select(rows), {.kind = GetParam()});
  EXPECT_EQ(some.minimum, same.minimum);
  EXPECT_EQ(some.maximum, same.maximum);
  EXPECT_EQ(some.mean, same.mean);
  EXPECT_EQ(some.deviation, same.deviation);
}

TEST_P(EveryKind, DoesNotDependOnTheOrderOfTheRowsBeyondRounding) {
  const DenseMatrix x = random_matrix(50, 2, 0.1);
  const std::vector<std::size_t> order = Rng(8).permutation(50);
  const Scaler a = fit_scaler(x, {.kind = GetParam()});
  const Scaler b = fit_scaler(x, order, {.kind = GetParam()});
  for (std::size_t j = 0; j < a.features(); ++j) {
    // Means of 50 values below 30: rounding of at most 50 * 30 * eps in each.
    EXPECT_NEAR(a.scaled(j, 1.5), b.scaled(j, 1.5), 50 * 30 * 2.3e-16);
  }
}

TEST_P(EveryKind, SparseDataMayHaveMoreOrFewerColumns) {
  const DenseMatrix x = random_matrix(12, 4, 0.5);
  const Scaler scaler = fit_scaler(to_sparse(x.view()), {.kind = GetParam()});
  // Two columns more, and the last column less.
  DenseMatrix wide(12, 6, 7.0);
  DenseMatrix narrow(12, 3);
  DenseMatrix without_last = x;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 4; ++j) wide(i, j) = x(i, j);
    for (std::size_t j = 0; j < 3; ++j) narrow(i, j) = x(i, j);
    without_last(i, 3) = 0;
  }
  if (GetParam() == ScalingKind::none) {
    EXPECT_EQ(scaler.apply(to_sparse(wide.view())).cols(), 6u);
    return;
  }
  expect_equal(scaler.apply(to_sparse(wide.view())).to_dense(),
               scaler.apply(to_sparse(x.view())).to_dense());
  expect_equal(scaler.apply(to_sparse(narrow.view())).to_dense(),
               scaler.apply(to_sparse(without_last.view())).to_dense());
  // Dense data must fit.
  EXPECT_THROW((void)scaler.apply(wide), InvalidArgument);
  EXPECT_THROW((void)scaler.apply(narrow), InvalidArgument);
  expect_equal(scaler.apply(x).to_dense(), scaler.apply(to_sparse(x.view())).to_dense());
}

TEST_P(EveryKind, IsRebuiltFromItsMembers) {
  const DenseMatrix x = random_matrix(9, 3, 0.3);
  const Scaler fitted = fit_scaler(x, {.kind = GetParam()});
  const Scaler rebuilt = {.options = parse_scaling(to_string(fitted.options)),
                          .minimum = fitted.minimum,
                          .maximum = fitted.maximum,
                          .mean = fitted.mean,
                          .deviation = fitted.deviation};
  rebuilt.validate();
  expect_equal(fitted.apply(x).to_dense(), rebuilt.apply(x).to_dense());
}

TEST_P(EveryKind, RefusesValuesThatAreNotFinite) {
  if (GetParam() == ScalingKind::none) return;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)fit_scaler(matrix(2, {1, 2, bad, 4}), {.kind = GetParam()}),
                 InvalidArgument);
  }
  EXPECT_THROW((void)fit_scaler(DenseMatrix(0, 2), {.kind = GetParam()}), InvalidArgument);
  EXPECT_THROW(
      (void)fit_scaler(DenseMatrix(2, 2), std::vector<std::size_t>{2}, {.kind = GetParam()}),
      InvalidArgument);
}

TEST_P(EveryKind, TakesRowsWithoutFeatures) {
  const Scaler scaler = fit_scaler(DenseMatrix(3, 0), {.kind = GetParam()});
  EXPECT_EQ(scaler.features(), 0u);
  EXPECT_EQ(scaler.apply(DenseMatrix(3, 0)).rows(), 3u);
  const Scaler one_row = fit_scaler(matrix(2, {3, -4}), {.kind = GetParam()});
  EXPECT_TRUE(std::isfinite(one_row.apply(matrix(2, {3, -4})).dense()(0, 1)));
}

INSTANTIATE_TEST_SUITE_P(Scaling,
                         EveryKind,
                         ::testing::Values(ScalingKind::none,
                                           ScalingKind::range,
                                           ScalingKind::standard));

TEST(Scaler, ByDefaultChangesNothing) {
  const DenseMatrix x = random_matrix(5, 2, 0.2);
  expect_equal(Scaler().apply(x).to_dense(), x);
  EXPECT_EQ(Scaler().features_with_moved_zero(), 0u);
}

TEST(Scaler, ValidateFindsMembersThatDoNotFit) {
  EXPECT_THROW((Scaler{.options = range, .minimum = {1, 2}, .maximum = {3}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = range, .minimum = {4}, .maximum = {3}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = range, .minimum = {std::nan("")}, .maximum = {3}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = standard, .mean = {0}, .deviation = {0}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = standard, .mean = {0, 1}, .deviation = {1}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = standard, .minimum = {0}, .maximum = {1}}.validate()),
               InvalidArgument);
  EXPECT_THROW((Scaler{.options = {}, .deviation = {1}}.validate()), InvalidArgument);
  EXPECT_NO_THROW((Scaler{.options = standard, .deviation = {1}}.validate()));
}

TEST(ScalingText, IsReadAndWritten) {
  EXPECT_EQ(parse_scaling("none").kind, ScalingKind::none);
  EXPECT_EQ(parse_scaling("standard").kind, ScalingKind::standard);
  EXPECT_EQ(to_string(parse_scaling("range")), "range");
  const ScalingOptions custom = parse_scaling("range:0,0.5");
  EXPECT_EQ(custom.lower, 0);
  EXPECT_EQ(custom.upper, 0.5);
  EXPECT_EQ(to_string(custom), "range:0,0.5");
  for (const char* text : {"",
                           "Range",
                           "range:",
                           "range:1",
                           "range:1,0",
                           "range:0,0",
                           "range:0,inf",
                           "range:0,nan",
                           "range:0,1,2",
                           "minmax"}) {
    EXPECT_THROW((void)parse_scaling(text), InvalidArgument) << text;
  }
}

TEST(ScalingOption, IsOneTextForThreeMembers) {
  ScalingOptions options;
  set_options(options, {{"scale", "range:0,0.5"}}, "this test");
  EXPECT_EQ(options.kind, ScalingKind::range);
  EXPECT_EQ(options.upper, 0.5);
  ASSERT_EQ(option_values(options).size(), 1u);
  EXPECT_EQ(text_of(option_values(options)[0].second), "range:0,0.5");
  EXPECT_EQ(describe_options(ScalingOptions{})[0].fallback, "none");
  const auto message_of = [](auto&& run) {
    try {
      run();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string rule = ": must be none, range, range:LOWER,UPPER or standard";
  EXPECT_EQ(message_of([&] {
              set_options(options, {{"scale", "range:1,0"}}, "this test");
            }),
            "--scale range:1,0" + rule);
  options.lower = 2;
  EXPECT_EQ(message_of([&] { validate(options); }), "--scale range:2,0.5" + rule);
}

TEST(FeatureRangeRatio, ComparesTheWidestWithTheNarrowestVaryingFeature) {
  EXPECT_EQ(feature_range_ratio(matrix(3, {0, 5, 100, 1, 5, 900})), 800);
  EXPECT_EQ(feature_range_ratio(matrix(2, {3, 7, 3, 7})), 1);
  EXPECT_EQ(feature_range_ratio(DenseMatrix(0, 3)), 1);
  EXPECT_EQ(feature_range_ratio(DenseMatrix(3, 0)), 1);
  // A missing entry counts as 0: feature 0 lies in [0, 8].
  EXPECT_EQ(feature_range_ratio(to_sparse(matrix(2, {8, 1, 0, 2}).view())), 8);
}

TEST(Scaling, MoreFeaturesThanTheMachineHoldsAreRefused) {
  constexpr std::size_t claimed = 2147483646;
  if (machine_memory() >= 3 * claimed * sizeof(double)) GTEST_SKIP() << "this machine holds them";
  const Examples one = SparseMatrix(claimed,
                                    Buffer<std::int64_t>(std::vector<std::int64_t>{0, 1}),
                                    Buffer<std::int32_t>(1, 2147483645),
                                    Buffer<double>(1, 1.0));
  EXPECT_THROW(static_cast<void>(fit_scaler(one, {.kind = ScalingKind::range})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

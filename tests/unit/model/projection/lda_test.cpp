// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/lda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin {
namespace {

const LinearFunctions& functions(const TrainedClassifier& trained) {
  return std::get<LinearFunctions>(trained.model.functions);
}

std::size_t errors(const TrainedClassifier& trained, const Dataset& data) {
  const std::vector<Label> answers = trained.model.predict(data);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (answers[i] != *data.labels.at(i)) ++wrong;
  }
  return wrong;
}

Dataset two_irises() {
  std::vector<std::size_t> rows(100);
  std::iota(rows.begin(), rows.end(), std::size_t{50});
  return iris().select(rows);
}

Dataset gaussians(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, d);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      points(i, j) = rng.normal((i % k) == (j % k) ? 2.0 : 0.0, 1.0 + static_cast<double>(j));
    }
    labels.push_back(static_cast<double>(i % k));
  }
  return {.examples = std::move(points), .labels = LabelColumn::from_numbers(std::move(labels))};
}

// scikit-learn 1.9.1, LinearDiscriminantAnalysis(solver='lsqr') on the same table; its shrinkage
// has another target, so those numbers are numpy's, from the formula. Functions are compared as
// differences to the first class.
TEST(Lda, AgreesWithScikitLearnAndNumpyOnIris) {
  const Dataset data = iris();
  const std::vector<std::vector<double>> plain = {
      {-8.00607923, -16.85240883, 22.08376526, 24.31902039, 13.73047201},
      {-11.32481401, -20.30876621, 29.79304489, 39.26277938, -18.42841838}};
  const std::vector<std::vector<double>> shrunk = {
      {-2.40878658, -14.69877332, 16.07126008, 24.43485317, -6.45569979},
      {-3.3740957, -17.2740671, 21.93638446, 39.33481872, -46.7613328}};
  const auto check = [&](double shrinkage, const std::vector<std::vector<double>>& known) {
    const TrainedClassifier trained = train_lda(data, {.shrinkage = shrinkage});
    const LinearFunctions& f = functions(trained);
    for (std::size_t c = 1; c < 3; ++c) {
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(f.weights(c, j) - f.weights(0, j), known[c - 1][j], 1e-7);
      }
      EXPECT_NEAR(f.offsets[c] - f.offsets[0], known[c - 1][4], 1e-6);
    }
    EXPECT_TRUE(trained.report.warnings.empty());
    EXPECT_LE(*trained.report.primal_residual, 1e-13);
  };
  check(0, plain);
  check(0.3, shrunk);
  EXPECT_EQ(errors(train_lda(data), data), 3u);
}

TEST(Lda, TwoClassesAreOneFunction) {
  const Dataset data = two_irises();
  const TrainedClassifier trained = train_lda(data);
  ASSERT_EQ(functions(trained).weights.rows(), 1u);
  const std::vector<double> known = {-3.6288803, -5.69247004, 7.11237519, 12.6388175};
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(functions(trained).weights(0, j), known[j], 1e-7);
  }
  EXPECT_NEAR(functions(trained).offsets[0], -17.00314842, 1e-6);
  EXPECT_EQ(errors(trained, data), 3u);
}

TEST(Lda, ReportsNoGapItDoesNotHave) {
  const TrainedClassifier trained = train_lda(iris());
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_FALSE(trained.report.primal_objective.has_value());
  EXPECT_FALSE(trained.report.dual_objective.has_value());
  EXPECT_FALSE(trained.report.gap().has_value());
  EXPECT_NO_THROW(trained.model.validate());
}

// Generalised eigenvalues of the covariances between and within classes: scipy.linalg.eigh.
TEST(LdaProjection, HasTheFisherRatiosOfIris) {
  const LdaProjection projection = lda_projection(iris());
  ASSERT_EQ(projection.ratios.size(), 2u);
  EXPECT_NEAR(projection.ratios[0], 32.1919292, 5e-7);
  EXPECT_NEAR(projection.ratios[1], 0.285391043, 5e-9);
}

TEST(LdaProjection, IsWhatItsDefinitionSays) {
  const Dataset data = gaussians(300, 5, 4, 2);
  const LdaProjection projection = lda_projection(data);
  const DenseMatrix scores = projection.transform(data.examples);
  const Classes classes = classes_of(data.labels);
  ASSERT_EQ(projection.ratios.size(), 3u);
  // Scores have within-class covariance I and between-class covariance diag(ratios).
  std::vector<std::vector<double>> mean(4, std::vector<double>(3, 0.0));
  std::vector<double> count(4, 0.0);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto c = static_cast<std::size_t>(classes.of_row[i]);
    ++count[c];
    for (std::size_t t = 0; t < 3; ++t) mean[c][t] += scores(i, t);
  }
  for (std::size_t c = 0; c < 4; ++c) {
    for (double& value : mean[c]) value /= count[c];
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double within = 0;
      double between = 0;
      for (std::size_t i = 0; i < 300; ++i) {
        const auto c = static_cast<std::size_t>(classes.of_row[i]);
        within += (scores(i, a) - mean[c][a]) * (scores(i, b) - mean[c][b]) / 300;
      }
      for (std::size_t c = 0; c < 4; ++c) between += count[c] / 300 * mean[c][a] * mean[c][b];
      EXPECT_NEAR(within, a == b ? 1 : 0, 1e-12);
      EXPECT_NEAR(between, a == b ? projection.ratios[a] : 0, 1e-12);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(projection.ratios, std::greater<>()));
}

// Two balanced classes: the metric divides by the sum of the variances, the ratio here by their
// mean, and the variance of two means is a quarter of the squared difference.
TEST(LdaProjection, TwoClassRatioIsHalfTheFisherMetric) {
  const Dataset data = two_irises();
  const LdaProjection projection = lda_projection(data);
  const DenseMatrix scores = projection.transform(data.examples);
  const double metric = fisher_ratio(scores.values(), classes_of(data.labels).of_row);
  EXPECT_NEAR(projection.ratios[0], metric / 2, 1e-10);
  // No other direction is better.
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values(100, 0.0);
    std::vector<double> direction(4);
    for (std::size_t j = 0; j < 4; ++j) {
      direction[j] = projection.directions(0, j) + 0.3 * rng.normal();
    }
    for (std::size_t i = 0; i < 100; ++i) values[i] = data.examples.row(i).dot(direction);
    EXPECT_LE(fisher_ratio(values, classes_of(data.labels).of_row), metric * (1 + 1e-12));
  }
}

TEST(Lda, LinearMapsOfTheFeaturesKeepTheScores) {
  const Dataset data = gaussians(90, 3, 3, 5);
  Dataset mapped = data;
  for (std::size_t i = 0; i < 90; ++i) {
    const std::span<double> x = mapped.examples.writable_values(i);
    x[0] = 1e6 * x[0] + 5e6;
    x[1] = 1e-4 * (x[1] + x[2]);
  }
  const TrainedClassifier a = train_lda(data);
  const TrainedClassifier b = train_lda(mapped);
  EXPECT_TRUE(b.report.warnings.empty());
  const DenseMatrix x = decision_values(a.model.functions, data.examples);
  const DenseMatrix z = decision_values(b.model.functions, mapped.examples);
  for (std::size_t i = 0; i < 90; ++i) {
    for (std::size_t c = 1; c < 3; ++c) {
      EXPECT_NEAR(x(i, c) - x(i, 0), z(i, c) - z(i, 0), 1e-8);
    }
  }
}

TEST(Lda, WeightTwoIsATwin) {
  Dataset data = gaussians(40, 3, 2, 6);
  data.weights.assign(40, 1.0);
  data.weights[4] = 2;
  data.weights[7] = 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    for (int copy = 0; copy < static_cast<int>(data.weights[i]); ++copy) rows.push_back(i);
  }
  Dataset twin = data.select(rows);
  twin.weights.clear();
  const TrainedClassifier a = train_lda(data);
  const TrainedClassifier b = train_lda(twin);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(functions(a).weights(0, j), functions(b).weights(0, j), 1e-12);
  }
  EXPECT_NEAR(functions(a).offsets[0], functions(b).offsets[0], 1e-12);
}

TEST(Lda, SingularCovarianceGetsARidgeAndAWarning) {
  // More features than examples, a copy of a feature, and a constant one.
  const Dataset wide = gaussians(10, 20, 2, 7);
  const TrainedClassifier trained = train_lda(wide);
  ASSERT_EQ(trained.report.warnings.size(), 1u);
  EXPECT_EQ(errors(trained, wide), 0u);
  // Classes without any spread: the nearest mean, with a ridge of the total variance.
  const Dataset points{
      .examples = DenseMatrix(4, 1, Buffer<double>(std::vector<double>{0, 0, 3, 3})),
      .labels = LabelColumn::from_numbers({0, 0, 1, 1})};
  const TrainedClassifier exact = train_lda(points);
  EXPECT_EQ(errors(exact, points), 0u);
  EXPECT_EQ(exact.report.warnings.size(), 1u);
}

TEST(Lda, ConstantFeaturesGetNoWeightAndNoWarning) {
  Dataset data = two_irises();
  DenseMatrix wider(100, 5, 7.3);
  for (std::size_t i = 0; i < 100; ++i) {
    std::ranges::copy(data.examples.dense().row(i), wider.row(i).begin());
  }
  Dataset with_constant = data;
  with_constant.examples = std::move(wider);
  with_constant.feature_names.clear();
  const TrainedClassifier a = train_lda(data);
  const TrainedClassifier b = train_lda(with_constant);
  EXPECT_TRUE(b.report.warnings.empty());
  EXPECT_EQ(functions(b).weights(0, 4), 0);
  EXPECT_NEAR(functions(b).weights(0, 0), functions(a).weights(0, 0), 1e-12);
}

TEST(Lda, SparseAndDenseAgreeForAnyThreadCount) {
  const Dataset dense = gaussians(200, 6, 3, 9);
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.dense());
  const TrainedClassifier a = train_lda(dense);
  const TrainedClassifier b = train_lda(sparse);
  for (std::size_t i = 0; i < functions(a).weights.values().size(); ++i) {
    EXPECT_NEAR(functions(a).weights.values()[i], functions(b).weights.values()[i], 1e-11);
  }
  for (const std::size_t threads : {1u, 2u, 4u}) {
    LdaOptions options;
    options.control.context.threads = threads;
    EXPECT_TRUE(std::ranges::equal(functions(train_lda(dense, options)).weights.values(),
                                   functions(a).weights.values()));
  }
}

// Asked in the covariance, then in its factor.
TEST(Lda, OnManyFeaturesAStopLeavesTheDiagonal) {
  const Dataset data = gaussians(700, 520, 2, 11);
  const TrainedLda whole = train_lda(data);
  ASSERT_EQ(whole.report.status, Status::solved);
  EXPECT_EQ(whole.ratios.size(), 1U);
  const LinearFunctions naive = functions(train_lda(data, {.shrinkage = 1}));
  std::size_t questions = 0;
  (void)train_lda(data, {.control = {.context = {.on_progress = [&](const Progress&) {
                                       ++questions;
                                       return Continue::yes;
                                     }}}});
  ASSERT_GT(questions, 4U);
  for (std::size_t patience = 0; patience < questions; ++patience) {
    std::size_t asked = 0;
    const TrainedLda cut = train_lda(
        data, {.control = {.context = {.on_progress = [&](const Progress&) {
                             return asked++ < patience ? Continue::yes : Continue::time_is_up;
                           }}}});
    EXPECT_EQ(cut.report.status, Status::time_limit);
    EXPECT_TRUE(cut.ratios.empty());
    for (std::size_t j = 0; j < 520; ++j) {
      EXPECT_NEAR(functions(cut).weights(0, j), naive.weights(0, j), 1e-9);
    }
    EXPECT_NEAR(functions(cut).offsets[0], naive.offsets[0], 1e-9);
  }
}

TEST(Lda, RefusesWrongInput) {
  const Dataset data = gaussians(20, 2, 2, 1);
  EXPECT_THROW((void)train_lda(data, {.shrinkage = 1.5}), InvalidArgument);
  Dataset without = data;
  without.weights.assign(20, 1.0);
  for (std::size_t i = 0; i < 20; i += 2) without.weights[i] = 0;
  EXPECT_THROW((void)train_lda(without), InvalidArgument);
  LdaOptions small;
  small.control.context.memory_limit = 8;
  EXPECT_THROW((void)train_lda(data, small), InvalidArgument);
  Dataset one = data.select(std::vector<std::size_t>{0, 2, 4});
  EXPECT_THROW((void)train_lda(one), InvalidArgument);
  EXPECT_EQ(train_lda(one, {.allow_one_class = true}).model.predict(one)[1], Label(0.0));
  EXPECT_TRUE(lda_projection(one, {.allow_one_class = true}).ratios.empty());
}

TEST(FeatureImportance, IsTheShareOfStandardisedWeights) {
  LinearFunctions linear{.weights = DenseMatrix(2, 3), .offsets = {0, 0}};
  linear.weights(0, 0) = -2;
  linear.weights(1, 2) = 1;
  EXPECT_EQ(feature_importance(linear), (std::vector<double>{2.0 / 3, 0, 1.0 / 3}));
  const std::vector<double> deviations = {1, 5, 2};
  EXPECT_EQ(feature_importance(linear, deviations), (std::vector<double>{0.5, 0, 0.5}));
  EXPECT_EQ(feature_importance(LinearFunctions{.weights = DenseMatrix(1, 2), .offsets = {1}}),
            (std::vector<double>{0, 0}));
  EXPECT_THROW((void)feature_importance(linear, std::vector<double>{1}), InvalidArgument);
}

TEST(FeatureImportance, DoesNotDependOnUnits) {
  const Dataset data = two_irises();
  Dataset scaled = data;
  for (std::size_t i = 0; i < 100; ++i) scaled.examples.writable_values(i)[2] *= 1000;
  const auto importance = [](const Dataset& set) {
    return feature_importance(functions(train_lda(set)), feature_deviations(set));
  };
  const std::vector<double> a = importance(data);
  const std::vector<double> b = importance(scaled);
  double sum = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(a[j], b[j], 1e-10);
    sum += a[j];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  Dataset sparse = data;
  sparse.examples = to_sparse(data.examples.dense());
  const std::vector<double> from_sparse = feature_deviations(sparse);
  const std::vector<double> from_dense = feature_deviations(data);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(from_sparse[j], from_dense[j], 1e-12);
}

}  // namespace
}  // namespace maxmargin

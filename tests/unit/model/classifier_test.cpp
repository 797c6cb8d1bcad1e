// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/classifier.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

std::vector<Label> numbered(std::size_t k) {
  std::vector<Label> labels;
  for (std::size_t c = 0; c < k; ++c) labels.emplace_back(static_cast<double>(c + 1));
  return labels;
}

/// Random functions whose values crowd around 0, so that float values leave many rows undecided.
Classifier crowded(const OutputCode& code, std::uint64_t seed) {
  Rng rng(seed);
  KernelExpansion expansion{.kernel = Rbf{.gamma = 0.5}, .vectors = gaussian_points(60, 2, seed)};
  expansion.coefficients = DenseMatrix(60, code.functions);
  for (double& c : expansion.coefficients.values()) c = rng.bernoulli(0.5) ? 1e5 : -1e5;
  expansion.offsets.assign(code.functions, 0.0);
  return {.classes = numbered(code.classes), .code = code, .functions = std::move(expansion)};
}

/// Points at which the first function is within 1e-3 of 0: between two points of different sign,
/// by bisection.
DenseMatrix points_near_the_border(const Classifier& model, std::size_t n, std::uint64_t seed) {
  DenseMatrix result(n, 2);
  Rng rng(seed);
  const auto value = [&](const DenseMatrix& x) {
    return decision_values(model.functions, x, {.precision = ValuePrecision::exact})(0, 0);
  };
  for (std::size_t i = 0; i < n;) {
    DenseMatrix a(1, 2);
    DenseMatrix b(1, 2);
    for (double& x : a.values()) x = rng.normal();
    for (double& x : b.values()) x = rng.normal();
    if (value(a) >= 0 || value(b) < 0) continue;
    for (int step = 0; step < 40; ++step) {
      const DenseMatrix middle = matrix(2, {(a(0, 0) + b(0, 0)) / 2, (a(0, 1) + b(0, 1)) / 2});
      (value(middle) < 0 ? a : b) = middle;
    }
    std::ranges::copy(i % 2 == 0 ? a.row(0) : b.row(0), result.row(i).begin());
    ++i;
  }
  return result;
}

TEST(Classifier, LabelsDoNotDependOnThePrecision) {
  OutputCode hamming = exhaustive_code(4);
  hamming.decoding = Decoding::hamming;
  OutputCode refined = one_vs_one_code(4);
  refined.decoding = Decoding::votes_then_margin;
  for (const OutputCode& code : {one_vs_one_code(2),
                                 one_vs_one_code(5),
                                 refined,
                                 one_vs_rest_code(4),
                                 exhaustive_code(4),
                                 hamming,
                                 direct_code(3)}) {
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      const Classifier model = crowded(code, seed);
      const Examples examples = gaussian_points(400, 2, seed + 100);
      const ClassifierAnswer fast = model.answer(examples);
      const ClassifierAnswer exact = model.answer(examples, {.precision = ValuePrecision::exact});
      EXPECT_EQ(fast.classes, exact.classes);
      EXPECT_EQ(fast.classes, predicted_classes(fast.scores.view()));
    }
  }
}

TEST(Classifier, PointsOnTheBorderGetTheLabelOfDoublePrecision) {
  const Classifier model = crowded(one_vs_one_code(2), 5);
  const DenseMatrix points = points_near_the_border(model, 40, 6);
  const DenseMatrix fast = decision_values(model.functions, points);
  const DenseMatrix exact =
      decision_values(model.functions, points, {.precision = ValuePrecision::exact});
  std::size_t changed = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if ((fast(i, 0) >= 0) != (exact(i, 0) >= 0)) ++changed;
  }
  EXPECT_GT(changed, 0u) << "the points are not close enough to test anything";
  EXPECT_EQ(model.answer(points).classes, predicted_classes(exact.view()));
}

TEST(Classifier, LargeBatchesAnswerAsSmallOnes) {
  const Classifier model = crowded(one_vs_one_code(3), 7);
  const Examples all = gaussian_points(9000, 2, 8);
  const ClassifierAnswer together = model.answer(all);
  ASSERT_EQ(together.classes.size(), 9000u);
  ASSERT_EQ(together.scores.rows(), 9000u);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 9000; i += 37) rows.push_back(i);
  const ClassifierAnswer some = model.answer(all.select(rows));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(some.classes[r], together.classes[rows[r]]);
  }
}

TEST(Classifier, CalibratedModelsPredictTheMostProbableClass) {
  Classifier model = crowded(one_vs_one_code(4), 9);
  Calibration calibration;
  for (std::size_t f = 0; f < model.code.functions; ++f) {
    calibration.curves.emplace_back(PlattCurve{-1e-5, 0.2 * static_cast<double>(f)});
  }
  model.calibration = calibration;
  const Examples examples = gaussian_points(300, 2, 10);
  const ClassifierAnswer answer = model.answer(examples);
  ASSERT_EQ(answer.probabilities.cols(), 4u);
  std::size_t against_the_scores = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const auto row = answer.probabilities.row(i);
    EXPECT_EQ(answer.classes[i], std::ranges::max_element(row) - row.begin());
    const auto scores = answer.scores.row(i);
    if (answer.classes[i] != std::ranges::max_element(scores) - scores.begin()) {
      ++against_the_scores;
    }
  }
  EXPECT_GT(against_the_scores, 0u);
  const ClassifierAnswer exact = model.answer(examples, {.precision = ValuePrecision::exact});
  EXPECT_TRUE(std::ranges::equal(answer.probabilities.values(), exact.probabilities.values()));
}

TEST(Classifier, ScalesItsInput) {
  Classifier model{.classes = {Label("no"), Label("yes")},
                   .code = one_vs_one_code(2),
                   .functions = LinearFunctions{matrix(2, {1, 1}), {0}},
                   .feature_names = {"a", "b"}};
  const DenseMatrix points = matrix(2, {0, 0, 10, 4, 6, 1});
  model.scaler = fit_scaler(points, {.kind = ScalingKind::range});
  Dataset data;
  data.examples = points;
  const ClassifierAnswer answer = model.answer(points);
  EXPECT_EQ(answer.scores(0, 0), -2);
  EXPECT_EQ(answer.scores(1, 0), 2);
  EXPECT_NEAR(answer.scores(2, 0), -0.3, 1e-15);
  EXPECT_EQ(model.predict(data), (std::vector<Label>{Label("no"), Label("yes"), Label("no")}));
}

TEST(Classifier, RefusesPartsThatDoNotFit) {
  const Classifier good = crowded(one_vs_one_code(3), 11);
  good.validate();
  Classifier bad = good;
  bad.classes.pop_back();
  EXPECT_THROW(bad.validate(), InvalidArgument);
  bad = good;
  bad.classes[1] = bad.classes[0];
  EXPECT_THROW(bad.validate(), InvalidArgument);
  bad = good;
  bad.code = one_vs_one_code(4);
  bad.classes = numbered(4);
  EXPECT_THROW(bad.validate(), InvalidArgument);
  bad = good;
  bad.calibration = Calibration{};
  EXPECT_THROW(bad.validate(), InvalidArgument);
  bad = good;
  bad.feature_names = {"only one"};
  EXPECT_THROW(bad.validate(), InvalidArgument);
  bad = good;
  bad.scaler = fit_scaler(gaussian_points(5, 3, 12), {.kind = ScalingKind::standard});
  EXPECT_THROW(bad.validate(), InvalidArgument);
  EXPECT_THROW(static_cast<void>(good.answer(gaussian_points(5, 3, 13))), InvalidArgument);
}

TEST(Classifier, AnswersNothingForNothing) {
  const ClassifierAnswer answer = crowded(one_vs_one_code(3), 14).answer(DenseMatrix(0, 2));
  EXPECT_TRUE(answer.classes.empty());
  EXPECT_EQ(answer.scores.rows(), 0u);
}

TEST(Regressor, SignsDoNotDependOnThePrecision) {
  const Classifier model = crowded(one_vs_one_code(2), 15);
  const DenseMatrix points = points_near_the_border(model, 20, 16);
  const Regressor regressor{.function = model.functions};
  const std::vector<double> fast = regressor.predict(points);
  const std::vector<double> exact = regressor.predict(points, {.precision = ValuePrecision::exact});
  for (std::size_t i = 0; i < points.rows(); ++i) EXPECT_EQ(fast[i] >= 0, exact[i] >= 0);
  Regressor two{.function = LinearFunctions{DenseMatrix(2, 2), {0, 0}}};
  EXPECT_THROW(static_cast<void>(two.predict(points)), InvalidArgument);
}

TEST(SumOfReports, AddsObjectivesAndTakesTheWorstStatus) {
  MachineReport a;
  a.report.primal_objective = 3;
  a.report.dual_objective = 2.5;
  a.report.iterations = 10;
  a.report.seconds = {{"solve", 1.0}};
  a.report.warnings = {"w"};
  MachineReport b = a;
  b.report.status = Status::iteration_limit;
  b.report.message = "too long";
  b.report.seconds = {{"kernel", 0.5}, {"solve", 2.0}};
  const SolveReport sum = sum_of_reports({a, b});
  EXPECT_EQ(sum.status, Status::iteration_limit);
  EXPECT_EQ(sum.message, "too long");
  EXPECT_EQ(sum.primal_objective, 6.0);
  EXPECT_EQ(sum.dual_objective, 5.0);
  EXPECT_EQ(sum.gap(), 1.0);
  EXPECT_FALSE(sum.lower_bound.has_value());
  EXPECT_EQ(sum.iterations, 20u);
  EXPECT_EQ(sum.warnings.size(), 1u);
  ASSERT_EQ(sum.seconds.size(), 2u);
  EXPECT_EQ(sum.seconds[0].second, 3.0);
  b.report.dual_objective = std::nullopt;
  EXPECT_FALSE(sum_of_reports({a, b}).dual_objective.has_value());
  EXPECT_FALSE(sum_of_reports({}).primal_objective.has_value());
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "eval/cross_calibration.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "change_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/splits.hpp"
#include "toy_learners.hpp"

namespace maxmargin {
namespace {

/// The line half way between two class means, as a linear classifier.
TrainedClassifier between_the_means(const Dataset& train) {
  const Classes classes = classes_of(train.labels);
  DenseMatrix means(2, train.features());
  const std::vector<std::size_t> sizes = classes.sizes();
  for (std::size_t i = 0; i < train.size(); ++i) {
    const auto c = static_cast<std::size_t>(classes.of_row[i]);
    train.examples.row(i).axpy_into(1.0 / static_cast<double>(sizes[c]), means.row(c));
  }
  DenseMatrix weights(1, train.features());
  double offset = 0;
  for (std::size_t j = 0; j < train.features(); ++j) {
    weights(0, j) = means(1, j) - means(0, j);
    offset -= weights(0, j) * (means(1, j) + means(0, j)) / 2;
  }
  TrainedClassifier fit;
  fit.model.classes = classes.names;
  fit.model.code = one_vs_one_code(2);
  fit.model.functions = LinearFunctions{std::move(weights), {offset}};
  return fit;
}

PlattCurve curve_of(const CrossCalibration& found) {
  return std::get<PlattCurve>(found.calibration.value().curves.at(0));
}

TEST(CrossCalibration, FitsTheCurveOnValuesOfMachinesThatDidNotSeeTheRow) {
  const Dataset data = toy::two_clouds(57, 1);
  const Classifier model = between_the_means(data).model;
  const CrossCalibration found =
      cross_calibrate(model, data, between_the_means, {.folds = 4, .context = {.seed = 9}});
  EXPECT_EQ(found.status, Status::solved);

  // The same by hand.
  const Classes classes = classes_of(data.labels);
  std::vector<double> values(data.size());
  std::vector<std::int8_t> signs(data.size());
  for (const Fold& fold : stratified_folds(classes.of_row, 4, 9)) {
    const Classifier part = between_the_means(data.select(fold.train)).model;
    const auto& line = std::get<LinearFunctions>(part.functions);
    for (const std::size_t row : fold.test) {
      values[row] = data.examples.row(row).dot(line.weights.row(0)) + line.offsets[0];
      signs[row] = classes.of_row[row] == 1 ? 1 : -1;
    }
  }
  const PlattCurve by_hand = fit_platt(values, signs);
  EXPECT_NEAR(curve_of(found).slope, by_hand.slope, 1e-9 * std::abs(by_hand.slope));
  EXPECT_NEAR(curve_of(found).intercept, by_hand.intercept, 1e-9);
  EXPECT_LT(by_hand.slope, 0);
}

TEST(CrossCalibration, IsTheSameForAnyThreadCount) {
  const Dataset data = toy::two_clouds(80, 2);
  const Classifier model = between_the_means(data).model;
  const PlattCurve one =
      curve_of(cross_calibrate(model, data, between_the_means, {.context = {.threads = 1}}));
  for (const std::size_t threads : {2u, 4u}) {
    const PlattCurve many = curve_of(
        cross_calibrate(model, data, between_the_means, {.context = {.threads = threads}}));
    EXPECT_EQ(many.slope, one.slope);
    EXPECT_EQ(many.intercept, one.intercept);
  }
}

TEST(CrossCalibration, AppliesTheScalerOfEachFold) {
  Dataset data = toy::two_clouds(60, 3);
  const Classifier model = between_the_means(data).model;
  const ClassifierTrainer scaled = [](const Dataset& train) {
    Dataset rows = train;
    const Scaler scaler = fit_scaler(rows.examples, {.kind = ScalingKind::standard});
    rows.examples = scaler.apply(std::move(rows.examples));
    TrainedClassifier fit = between_the_means(rows);
    fit.model.scaler = scaler;
    return fit;
  };
  const PlattCurve plain = curve_of(cross_calibrate(model, data, scaled));
  // Standardised data forget the units they came in.
  change_values(data.examples, [&](double& value) { value = 100 * value + 7; });
  const PlattCurve other_units = curve_of(cross_calibrate(model, data, scaled));
  EXPECT_NEAR(plain.slope, other_units.slope, 1e-6 * std::abs(plain.slope));
}

TEST(CrossCalibration, HasNoCurveWhenStopped) {
  const Dataset data = toy::two_clouds(60, 1);
  const Classifier model = between_the_means(data).model;
  const CrossCalibration by_callback = cross_calibrate(
      model,
      data,
      between_the_means,
      {.context = {.threads = 1, .on_progress = [](const Progress& progress) {
                     return progress.iteration < 2 ? Continue::yes : Continue::time_is_up;
                   }}});
  EXPECT_FALSE(by_callback.calibration.has_value());
  EXPECT_EQ(by_callback.status, Status::time_limit);

  const CrossCalibration by_training = cross_calibrate(model, data, [](const Dataset& train) {
    TrainedClassifier fit = between_the_means(train);
    fit.report.status = Status::stopped_by_callback;
    return fit;
  });
  EXPECT_FALSE(by_training.calibration.has_value());
  EXPECT_EQ(by_training.status, Status::stopped_by_callback);
}

TEST(CrossCalibration, RefusesAClassWithOneExampleAndForeignClasses) {
  Dataset data = toy::two_clouds(20, 1);
  const Classifier model = between_the_means(data).model;
  Classifier other = model;
  other.classes = {Label(1.0), Label(2.0)};
  EXPECT_THROW((void)cross_calibrate(other, data, between_the_means), InvalidArgument);
  std::vector<double> lonely(20, -1.0);
  lonely[3] = 1;
  data.labels = LabelColumn::from_numbers(lonely);
  EXPECT_THROW((void)cross_calibrate(model, data, between_the_means), InvalidArgument);
  EXPECT_THROW((void)cross_calibrate(model, data, between_the_means, {.folds = 1}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

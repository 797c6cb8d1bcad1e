// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/robust/centroid_svc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

CentroidSvcOptions tight_options(std::optional<double> lambda, bool bias = true) {
  return {.c = 1,
          .kernel = Linear{},
          .lambda = lambda,
          .bias = bias,
          .control = {.tolerance = 1e-9, .context = {.threads = 1}}};
}

TEST(CentroidSvc, DistancesAreThoseToTheMeans) {
  // Class 0 has its mean at (1, 0), class 1 at (0, 2).
  const Dataset data = dataset({{0, 0}, {2, 0}, {0, 1}, {0, 3}}, {0, 0, 1, 1});
  const std::vector<std::int32_t> classes = {0, 0, 1, 1};
  const std::vector<double> ones(4, 1.0);
  EXPECT_EQ(squared_distances_to_class_centres(Linear{}, data.examples, classes, ones),
            (std::vector<double>{1, 1, 1, 1}));
  // Weights move the mean of class 0 to (1.5, 0).
  const std::vector<double> weights = {1, 3, 1, 1};
  const std::vector<double> found =
      squared_distances_to_class_centres(Linear{}, data.examples, classes, weights);
  EXPECT_NEAR(found[0], 2.25, 1e-14);
  EXPECT_NEAR(found[1], 0.25, 1e-14);
  // A class without weight has no mean.
  EXPECT_EQ(squared_distances_to_class_centres(
                Linear{}, data.examples, classes, std::vector<double>{0, 0, 1, 1})[0],
            0);
}

TEST(CentroidSvc, DistancesInFeatureSpaceFollowFromTheKernel) {
  const Dataset data = noisy_points(30, 2);
  const Classes classes = classes_of(data.labels);
  const Kernel kernel = Rbf{.gamma = 0.7};
  const std::vector<double> found = squared_distances_to_class_centres(
      kernel, data.examples, classes.of_row, std::vector<double>(30, 1.0));
  for (std::size_t i = 0; i < 30; ++i) {
    double count = 0;
    double first = 0;
    double second = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      if (classes.of_row[j] != classes.of_row[i]) continue;
      ++count;
      first += evaluate(kernel, data.examples.row(i), data.examples.row(j));
      for (std::size_t k = 0; k < 30; ++k) {
        if (classes.of_row[k] != classes.of_row[i]) continue;
        second += evaluate(kernel, data.examples.row(j), data.examples.row(k));
      }
    }
    EXPECT_NEAR(found[i], 1 - 2 * first / count + second / (count * count), 1e-13);
  }
}

// seed-xu fact 64.
TEST(CentroidSvc, LambdaZeroIsThePlainMachine) {
  const Dataset data = noisy_points(40, 3);
  const TrainedCentroidClassifier trained = train_centroid_svc(data, tight_options(0));
  const TrainedClassifier plain = train_svc(
      data,
      {.c = 1, .kernel = Linear{}, .control = {.tolerance = 1e-9, .context = {.threads = 1}}});
  EXPECT_EQ(*trained.report.primal_objective, *plain.report.primal_objective);
  EXPECT_EQ(trained.lambda, 0);
}

TEST(CentroidSvc, ReportsTheObjectiveOfItsModelAndClosesTheGap) {
  for (const bool bias : {false, true}) {
    const Dataset data = noisy_points(40, 4);
    const CentroidSvcOptions options = tight_options(0.2, bias);
    const TrainedCentroidClassifier trained = train_centroid_svc(data, options);
    const Classes classes = classes_of(data.labels);
    const std::vector<double> d = squared_distances_to_class_centres(
        Linear{}, data.examples, classes.of_row, std::vector<double>(40, 1.0));
    double sum = 0.5 * squared_norm_of(trained.model);
    const std::vector<double> margins = margins_on(trained.model, data);
    for (std::size_t i = 0; i < 40; ++i) sum += std::max(0.0, 1 - 0.2 * d[i] - margins[i]);
    EXPECT_NEAR(*trained.report.primal_objective, sum, 1e-9 * sum);
    EXPECT_LE(*trained.report.relative_gap(), 1e-9);
    EXPECT_GE(*trained.report.relative_gap(), -1e-9);
    const Certificate found = verify_centroid_svc(trained.model, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-8);
    EXPECT_NEAR(found.dual, *trained.report.dual_objective, 1e-8);
  }
}

TEST(CentroidSvc, ALargeLambdaAsksNothing) {
  const Dataset data = dataset({{0, 1}, {2, 1}, {0, -1}, {2, -1}}, {1, 1, -1, -1});
  const TrainedCentroidClassifier trained = train_centroid_svc(data, tight_options(1));
  // Every d is 1: margins of 0 are enough, and w = 0 gives them.
  EXPECT_NEAR(*trained.report.primal_objective, 0, 1e-12);
}

TEST(CentroidSvc, ScalingTheDataCAndLambdaLeavesTheMachineAlone) {
  const Dataset data = noisy_points(30, 5);
  Dataset scaled = data;
  DenseMatrix points = data.examples.to_dense();
  for (double& value : points.values()) value *= 3;
  scaled.examples = std::move(points);
  CentroidSvcOptions options = tight_options(0.3);
  const TrainedCentroidClassifier one = train_centroid_svc(data, options);
  options.c = 1.0 / 9;
  options.lambda = 0.3 / 9;
  const TrainedCentroidClassifier other = train_centroid_svc(scaled, options);
  EXPECT_NEAR(*one.report.primal_objective, 9 * *other.report.primal_objective, 1e-6);
  // The default scales by itself.
  EXPECT_NEAR(train_centroid_svc(data, tight_options({})).lambda,
              9 * train_centroid_svc(scaled, tight_options({})).lambda,
              1e-9);
}

TEST(CentroidSvc, SeveralClassesAndWeightsAreVerified) {
  Dataset data = iris();
  data.weights.assign(150, 1.0);
  data.weights[7] = 3;
  data.weights[70] = 0;
  CentroidSvcOptions options{.c = 2,
                             .class_weights = parse_class_weights("balanced"),
                             .multiclass = MulticlassKind::one_vs_rest};
  const TrainedCentroidClassifier trained = train_centroid_svc(data, options);
  EXPECT_GT(trained.lambda, 0);
  options.lambda = trained.lambda;
  const Certificate found = verify_centroid_svc(trained.model, data, options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
  EXPECT_NEAR(found.dual, *trained.report.dual_objective, 1e-6 * found.primal);
  options.lambda = 2 * trained.lambda;
  EXPECT_GT(std::abs(verify_centroid_svc(trained.model, data, options).primal - found.primal),
            1e-3);
}

TEST(CentroidSvc, StopsWhileMeasuringDistances) {
  const Dataset data = noisy_points(2500, 7);
  CentroidSvcOptions options = tight_options({});
  std::vector<std::string> phases;
  options.control.context.on_progress = [&](const Progress& progress) {
    phases.emplace_back(progress.phase);
    return phases.size() > 2 ? Continue::time_is_up : Continue::yes;
  };
  const TrainedCentroidClassifier trained = train_centroid_svc(data, options);
  EXPECT_EQ(phases, std::vector<std::string>(3, "distances"));
  EXPECT_EQ(trained.report.status, Status::time_limit);
  EXPECT_FALSE(trained.report.primal_objective.has_value());
  EXPECT_EQ(values_on(trained.model, data).rows(), 2500U);
}

// More rows than are measured at a time.
TEST(CentroidSvc, DistancesOfManyRowsAreThoseOfFew) {
  const Dataset data = noisy_points(1200, 8);
  const std::vector<std::int32_t> classes(1200, 0);
  const std::vector<double> ones(1200, 1.0);
  const std::vector<double> found =
      squared_distances_to_class_centres(Linear{}, data.examples, classes, ones);
  double x = 0;
  double y = 0;
  const DenseMatrix points = data.examples.to_dense();
  for (std::size_t i = 0; i < 1200; ++i) {
    x += points(i, 0) / 1200;
    y += points(i, 1) / 1200;
  }
  for (std::size_t i = 0; i < 1200; ++i) {
    const double dx = points(i, 0) - x;
    const double dy = points(i, 1) - y;
    EXPECT_NEAR(found[i], dx * dx + dy * dy, 1e-11) << i;
  }
}

TEST(CentroidSvc, RefusesWrongOptions) {
  const Dataset data = noisy_points(6, 1);
  EXPECT_THROW(static_cast<void>(train_centroid_svc(data, {.c = INFINITY})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_centroid_svc(data, {.lambda = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_centroid_svc(data, {.lambda = NAN})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_centroid_svc(Dataset{}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(squared_distances_to_class_centres(
                   Linear{}, data.examples, std::vector<std::int32_t>{0}, std::vector<double>{1})),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

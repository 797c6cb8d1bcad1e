// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/linear/svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "linear_problems.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

const LinearFunctions& functions_of(const TrainedClassifier& trained) {
  return std::get<LinearFunctions>(trained.model.functions);
}

std::size_t errors(const Classifier& model, const Dataset& data) {
  const std::vector<Label> answers = model.predict(data);
  const Classes classes = classes_of(data.labels);
  std::size_t count = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& name = classes.names[static_cast<std::size_t>(classes.of_row[i])];
    if (!(answers[i] == name)) ++count;
  }
  return count;
}

Dataset iris_rows(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> rows;
  for (std::size_t i = begin; i < end; ++i) rows.push_back(i);
  return iris().select(rows);
}

TEST(LinearSvc, TwoClassesAreOneMachineWithItsOptimum) {
  // LIBLINEAR 2.3.0, -s 2 -c 1 -B 1, versicolor against virginica, P recomputed in double.
  const Dataset data = iris_rows(50, 150);
  const TrainedClassifier trained =
      train_linear_svc(data, {.loss = LinearLoss::squared_hinge, .control = {.tolerance = 1e-8}});
  ASSERT_EQ(trained.machines.size(), 1U);
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_NEAR(*trained.report.primal_objective, 17.6662705302, 1e-6);
  EXPECT_LE(*trained.report.relative_gap(), 1e-8);
  EXPECT_EQ(trained.model.classes[1].text(), "virginica");
  trained.model.validate();
}

/// The reported objective is that of the weights in the model.
TEST(LinearSvc, ModelHoldsTheWeightsThatTheReportMeasures) {
  const Dataset data = iris_rows(50, 150);
  const testing::LinearCase pair = testing::iris_pair(true);
  for (const LinearLoss loss :
       {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
    const TrainedClassifier trained =
        train_linear_svc(data, {.c = 3, .loss = loss, .bias_scale = 2});
    const LinearFunctions& f = functions_of(trained);
    std::vector<double> w(f.weights.row(0).begin(), f.weights.row(0).end());
    w.push_back(f.offsets[0] / 2);
    const LinearRisk problem = pair.problem(loss, 3, 2);
    EXPECT_NEAR(*trained.report.primal_objective,
                testing::primal_by_formula(pair, problem, w),
                1e-9 * *trained.report.primal_objective);
    double squared = 0;
    for (const double value : w) squared += value * value;
    EXPECT_NEAR(trained.machines[0].squared_norm, squared, 1e-12 * squared);
  }
}

TEST(LinearSvc, EveryReductionSeparatesIris) {
  const Dataset data = iris();
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    LinearSvcOptions options{.c = 10, .multiclass = kind};
    if (kind == MulticlassKind::ecoc) options.code = exhaustive_code(3);
    const TrainedClassifier trained = train_linear_svc(data, options);
    EXPECT_EQ(trained.machines.size(), trained.model.code.functions);
    EXPECT_EQ(functions_of(trained).weights.rows(), trained.model.code.functions);
    // A one-vs-rest plane cannot cut off versicolor, which lies between the others.
    const std::size_t allowed = kind == MulticlassKind::one_vs_one ? 6 : 20;
    EXPECT_LE(errors(trained.model, data), allowed) << to_string(kind);
    double sum = 0;
    for (const MachineReport& machine : trained.machines) sum += *machine.report.primal_objective;
    EXPECT_DOUBLE_EQ(*trained.report.primal_objective, sum);
  }
}

TEST(LinearSvc, ThreadsDoNotChangeABit) {
  const Dataset data = iris();
  const auto weights = [&](std::size_t threads) {
    const TrainedClassifier trained =
        train_linear_svc(data, {.control = {.context = {.threads = threads}}});
    const auto values = functions_of(trained).weights.values();
    return std::vector<double>(values.begin(), values.end());
  };
  const auto path = [&](std::size_t threads) {
    const std::vector<double> cs{0.1, 0.3, 1, 3, 10};
    std::vector<double> all;
    for (const auto& at :
         train_linear_path(data, {.control = {.context = {.threads = threads}}}, cs)) {
      const auto values = functions_of(at).weights.values();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  EXPECT_EQ(path(1), path(2));
  EXPECT_EQ(path(1), path(4));
  const auto one = weights(1);
  EXPECT_EQ(one, weights(2));
  EXPECT_EQ(one, weights(4));
}

TEST(LinearSvc, DenseAndSparseDataAgreeWithinTheirGaps) {
  Dataset dense = iris_rows(50, 150);
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.to_dense().view());
  const LinearSvcOptions options{.control = {.tolerance = 1e-6}};
  const double a = *train_linear_svc(dense, options).report.primal_objective;
  EXPECT_NEAR(*train_linear_svc(sparse, options).report.primal_objective, a, 2e-6 * a);
}

TEST(LinearSvc, ClassWeightsScaleC) {
  Dataset data = iris_rows(50, 150);
  LinearSvcOptions weighted{.control = {.tolerance = 1e-7}};
  weighted.class_weights.by_class = {{Label::parse("virginica"), 3.0}};
  Dataset by_rows = data;
  by_rows.weights.assign(100, 1.0);
  for (std::size_t i = 50; i < 100; ++i) by_rows.weights[i] = 3;
  const auto a = train_linear_svc(data, weighted);
  const auto b = train_linear_svc(by_rows, {.control = {.tolerance = 1e-7}});
  EXPECT_EQ(*a.report.primal_objective, *b.report.primal_objective);
}

TEST(LinearSvc, PathGivesOneCertifiedClassifierForEveryC) {
  const Dataset data = iris();
  const std::vector<double> cs{0.01, 0.1, 1};
  const auto path = train_linear_path(data, {}, cs);
  ASSERT_EQ(path.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const TrainedClassifier alone = train_linear_svc(data, {.c = cs[k]});
    EXPECT_EQ(path[k].report.status, Status::solved);
    EXPECT_LE(*path[k].report.dual_objective, *alone.report.primal_objective);
    EXPECT_LE(*alone.report.dual_objective, *path[k].report.primal_objective);
  }
}

TEST(LinearSvc, L1KeepsFewerFeatures) {
  const Dataset data = iris_rows(50, 150);
  const TrainedClassifier trained = train_linear_svc(
      data, {.c = 0.02, .loss = LinearLoss::squared_hinge, .penalty = LinearPenalty::l1});
  EXPECT_EQ(trained.report.status, Status::solved);
  const auto row = functions_of(trained).weights.row(0);
  EXPECT_GE(std::count(row.begin(), row.end(), 0.0), 1);
}

TEST(LinearSvc, OneClassAloneIsAnErrorUnlessAllowed) {
  const Dataset data = iris_rows(0, 50);
  EXPECT_THROW((void)train_linear_svc(data), InvalidArgument);
  const TrainedClassifier trained = train_linear_svc(data, {.allow_one_class = true});
  EXPECT_EQ(errors(trained.model, data), 0U);
}

TEST(LinearSvc, WrongOptionsNameTheField) {
  const Dataset data = iris();
  const auto message = [&](const LinearSvcOptions& options) -> std::string {
    try {
      (void)train_linear_svc(data, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({.c = 0}).find("-C 0: must be a finite number > 0"), std::string::npos);
  EXPECT_NE(message({.c = std::numeric_limits<double>::infinity()}).find("finite"),
            std::string::npos);
  EXPECT_NE(message({.bias_scale = -1}).find("--bias-scale -1"), std::string::npos);
  EXPECT_NE(message({.loss = LinearLoss::epsilon_insensitive}).find("--loss epsilon"),
            std::string::npos);
  EXPECT_NE(message({.penalty = LinearPenalty::l1}).find("--penalty l1"), std::string::npos);
  EXPECT_NE(message({.multiclass = MulticlassKind::direct}).find("direct"), std::string::npos);
  EXPECT_NE(message({.control = {.tolerance = 0}}).find("tolerance"), std::string::npos);
  EXPECT_THROW((void)train_linear_path(data, {}, {}), InvalidArgument);
}

TEST(LinearSvc, ACallbackEndsAllMachinesWithAUsableModel) {
  const Dataset data = iris();
  std::atomic<int> inside = 0;
  TrainingControl control{.tolerance = 1e-12, .context = {.threads = 2}};
  control.context.on_progress = [&](const Progress&) {
    EXPECT_EQ(inside.fetch_add(1), 0) << "called from two threads at once";
    inside.fetch_sub(1);
    return Continue::stop;
  };
  const TrainedClassifier trained = train_linear_svc(data, {.c = 100, .control = control});
  EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
  EXPECT_TRUE(trained.report.gap().has_value());
  EXPECT_EQ(trained.model.predict(data).size(), 150U);
}

}  // namespace
}  // namespace maxmargin

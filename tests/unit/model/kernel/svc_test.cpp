// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "change_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::hinge_dual;
using testing::hinge_primal;
using testing::iris_pair;
using testing::labelled;
using testing::two_classes;
using testing::values_by_formula;

constexpr double infinity = std::numeric_limits<double>::infinity();

double dual_of(const TrainedClassifier& trained) { return *trained.report.dual_objective; }

std::size_t training_errors(const Classifier& model, const Dataset& data) {
  const std::vector<Label> predicted = model.predict(data);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < data.size(); ++i) errors += predicted[i] != *data.labels.at(i);
  return errors;
}

/// Ends a training that would never end.
ProgressCallback at_most(int calls) {
  auto left = std::make_shared<std::atomic<int>>(calls);
  return [left](const Progress&) { return --*left >= 0 ? Continue::yes : Continue::stop; };
}

struct GoldenRow {
  const char* negative;
  Kernel kernel;
  double c;
  double objective;
  double norm;
  double b;  ///< f = w.x - b
  std::size_t vectors;
  std::size_t bounded;
  std::size_t errors;
};

TEST(Svc, ReproducesTheGoldenIrisTable) {  // seed-merat facts 10 and 11, table A.2
  const Kernel narrow_absdiff = Absdiff{.gamma = 0.5};
  const std::vector<GoldenRow> table = {
      {"", Rbf{.gamma = 0.125}, 1.5, 3.56498145, 6.46514859, 0.24894647, 9, 2, 0},
      {"", Linear{}, 1.5, 0.74805793, 1.49611585, -1.45056104, 3, 0, 0},
      {"", Linear{}, infinity, 0.74805793, 1.49611585, -1.45056104, 3, 0, 0},
      {"", Absdiff{.gamma = 0.125}, 1.5, 11.32919212, 21.84852883, 0.20729569, 41, 3, 0},
      {"virginica", Rbf{.gamma = 0.125}, 1.5, 34.25348438, 27.12586607, 0.27500824, 34, 27, 2},
      {"virginica", Linear{}, 1.5, 21.09977230, 11.80045539, -8.28871748, 19, 16, 2},
      {"virginica", Linear{}, 1.0, 15.75987190, 9.46110394, -6.78106122, 23, 19, 1},
      {"virginica", Laplace{.gamma = 0.5}, 1.5, 21.08457586, 21.10957344, 0.14709261, 35, 12, 2},
      {"virginica", narrow_absdiff, 1.5, 23.99531263, 30.83281214, 0.09713134, 68, 11, 1}};
  for (const GoldenRow& row : table) {
    const bool rest = std::string(row.negative).empty();
    SCOPED_TRACE(kernel_name(row.kernel) + (rest ? " setosa" : " versicolor"));
    const Dataset data = iris_pair(rest ? "setosa" : "versicolor", row.negative);
    const TrainedClassifier trained =
        train_svc(data,
                  {.c = row.c,
                   .kernel = row.kernel,
                   .control = {.tolerance = 1e-9, .context = {.on_progress = at_most(20000)}}});
    ASSERT_EQ(trained.report.status, Status::solved);
    EXPECT_NEAR(dual_of(trained), row.objective, 2e-8 * row.objective);
    EXPECT_NEAR(*trained.report.primal_objective, row.objective, 2e-8 * row.objective);
    // An error of g in the objective leaves one of sqrt(2 g) in w.
    const double w_error = 2 * std::sqrt(2e-9 * row.objective * row.norm);
    EXPECT_NEAR(trained.machines[0].squared_norm, row.norm, w_error);
    EXPECT_NEAR(testing::squared_norm(expansion(trained.model.functions)),
                trained.machines[0].squared_norm,
                1e-8 * row.norm);
    EXPECT_NEAR(expansion(trained.model.functions).offsets[0], -row.b, 20 * w_error);
    EXPECT_NEAR(
        static_cast<double>(trained.machines[0].bounded), static_cast<double>(row.bounded), 1);
    EXPECT_NEAR(static_cast<double>(trained.machines[0].support_vectors),
                static_cast<double>(row.vectors),
                row.vectors == 3 ? 0 : 2);
    EXPECT_EQ(training_errors(trained.model, data), row.errors);
  }
}

TEST(Svc, ReportsTheObjectivesOfItsModel) {  // seed-merat facts 1 and 3
  Dataset data = two_classes(90, 1);
  Rng rng(1);
  for (std::size_t i = 0; i < data.size(); ++i) data.weights.push_back(rng.uniform(0.1, 3));
  for (const Kernel& kernel : {Kernel{Rbf{.gamma = 0.4}}, Kernel{Linear{}}, Kernel{Cosine{}}}) {
    for (const double tolerance : {1e-2, 1e-6}) {
      const TrainedClassifier trained =
          train_svc(data, {.c = 2, .kernel = kernel, .control = {.tolerance = tolerance}});
      EXPECT_EQ(trained.report.status, Status::solved);
      EXPECT_LE(*trained.report.relative_gap(), tolerance);
      const KernelExpansion& machine = expansion(trained.model.functions);
      EXPECT_NEAR(hinge_primal(machine, data, 2), *trained.report.primal_objective, 1e-8);
      EXPECT_NEAR(hinge_dual(machine), dual_of(trained), 1e-8);
      EXPECT_EQ(machine.vectors.rows(), trained.machines[0].support_vectors);
      EXPECT_EQ(machine.training_rows.size(), machine.vectors.rows());
    }
  }
}

TEST(Svc, PermutingTheExamplesKeepsTheFunction) {
  const Dataset data = two_classes(60, 2);
  Rng rng(2);
  const SvcOptions options{.c = 1, .kernel = Rbf{.gamma = 0.5}, .control = {.tolerance = 1e-9}};
  const TrainedClassifier a = train_svc(data, options);
  const TrainedClassifier b = train_svc(data.select(rng.permutation(60)), options);
  EXPECT_NEAR(dual_of(a), dual_of(b), 2e-9 * dual_of(a));
  const std::vector<double> f = values_by_formula(expansion(a.model.functions), data.examples);
  const std::vector<double> g = values_by_formula(expansion(b.model.functions), data.examples);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(f[i], g[i], 1e-3);
}

TEST(Svc, AnExampleTwiceIsAnExampleOfWeightTwo) {
  const Dataset once = two_classes(50, 3);
  Dataset heavy = once;
  heavy.weights.assign(50, 1.0);
  std::vector<std::size_t> rows(50);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::size_t i = 0; i < 50; i += 3) {
    heavy.weights[i] = 2;
    rows.push_back(i);
  }
  for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
    const SvcOptions options{
        .c = 0.7, .kernel = Rbf{.gamma = 0.5}, .slacks = slacks, .control = {.tolerance = 1e-8}};
    const TrainedClassifier a = train_svc(heavy, options);
    const TrainedClassifier b = train_svc(once.select(rows), options);
    EXPECT_NEAR(dual_of(a), dual_of(b), 2e-8 * dual_of(a));
  }
}

TEST(Svc, ScalingTheFeaturesIsScalingTheParameters) {
  const Dataset data = two_classes(60, 4);
  for (const double s : {0.01, 30.0}) {
    Dataset scaled = data;
    change_values(scaled.examples, [&](double& value) { value *= s; });
    const TrainingControl control{.tolerance = 1e-8};
    const TrainedClassifier linear =
        train_svc(data, {.c = 2, .kernel = Linear{}, .control = control});
    const TrainedClassifier linear_scaled =
        train_svc(scaled, {.c = 2 / (s * s), .kernel = Linear{}, .control = control});
    EXPECT_NEAR(dual_of(linear_scaled) * s * s, dual_of(linear), 3e-8 * dual_of(linear));
    const TrainedClassifier rbf =
        train_svc(data, {.c = 2, .kernel = Rbf{.gamma = 0.3}, .control = control});
    const TrainedClassifier rbf_scaled =
        train_svc(scaled, {.c = 2, .kernel = Rbf{.gamma = 0.3 / (s * s)}, .control = control});
    EXPECT_NEAR(dual_of(rbf_scaled), dual_of(rbf), 3e-8 * dual_of(rbf));
  }
}

TEST(Svc, SwappingTheLabelsNegatesTheFunction) {  // seed-merat fact 8
  const Dataset data = two_classes(60, 5);
  Dataset swapped = data;
  std::vector<double> labels(data.labels.numbers().begin(), data.labels.numbers().end());
  for (double& label : labels) label = -label;
  swapped.labels = LabelColumn::from_numbers(labels);
  const SvcOptions options{.c = 1, .kernel = Rbf{.gamma = 0.5}, .control = {.tolerance = 1e-9}};
  const TrainedClassifier a = train_svc(data, options);
  const TrainedClassifier b = train_svc(swapped, options);
  EXPECT_NEAR(dual_of(a), dual_of(b), 2e-9 * dual_of(a));
  EXPECT_NEAR(
      expansion(a.model.functions).offsets[0], -expansion(b.model.functions).offsets[0], 1e-3);
}

TEST(Svc, FeaturesThatAreConstantOrZeroChangeNothing) {
  const Dataset data = two_classes(50, 6);
  DenseMatrix wider(50, 5);
  for (std::size_t i = 0; i < 50; ++i) {
    std::ranges::copy(data.examples.dense().row(i), wider.row(i).begin());
    wider(i, 4) = 7;
  }
  Dataset more = data;
  more.examples = wider;
  const SvcOptions rbf{.c = 1, .kernel = Rbf{.gamma = 0.5}, .control = {.tolerance = 1e-8}};
  EXPECT_NEAR(dual_of(train_svc(data, rbf)), dual_of(train_svc(more, rbf)), 1e-6);
  // The offset takes up a constant feature of the linear kernel.
  const SvcOptions linear{.c = 1, .kernel = Linear{}, .control = {.tolerance = 1e-8}};
  EXPECT_NEAR(dual_of(train_svc(data, linear)), dual_of(train_svc(more, linear)), 1e-6);
}

TEST(Svc, NothingButConstantFeaturesIsTheMajority) {
  const Dataset data = labelled(DenseMatrix(5, 2, 3.0), std::vector<double>{1, 1, 1, 2, 2});
  for (const Kernel& kernel : {Kernel{Linear{}}, Kernel{Rbf{}}}) {
    const TrainedClassifier trained = train_svc(
        data, {.c = 1, .kernel = kernel, .control = {.context = {.on_progress = at_most(1000)}}});
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_NEAR(dual_of(trained), 4, 1e-2);
    EXPECT_EQ(training_errors(trained.model, data), 2U);
  }
}

TEST(Svc, SparseRowsGiveTheAnswerOfDenseOnes) {
  Dataset dense = two_classes(50, 7);
  for (std::size_t i = 0; i < 50; i += 10)
    std::ranges::fill(dense.examples.writable_values(i), 0.0);
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.dense());
  for (const Kernel& kernel : {Kernel{Linear{}}, Kernel{Rbf{.gamma = 0.5}}}) {
    const SvcOptions options{.c = 1, .kernel = kernel, .control = {.tolerance = 1e-8}};
    const TrainedClassifier a = train_svc(dense, options);
    const TrainedClassifier b = train_svc(sparse, options);
    EXPECT_NEAR(dual_of(a), dual_of(b), 2e-8 * dual_of(a));
    EXPECT_FALSE(expansion(b.model.functions).vectors.is_dense());
  }
}

TEST(Svc, ThreadsDoNotChangeABit) {
  const Dataset data = generate_gaussians({.n = 120, .k = 4, .separation = 2, .seed = 8});
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    std::vector<KernelExpansion> machines;
    for (const std::size_t threads : {1U, 2U, 4U}) {
      const TrainedClassifier trained = train_svc(data,
                                                  {.c = 3,
                                                   .kernel = Rbf{.gamma = 0.5},
                                                   .multiclass = kind,
                                                   .control = {.context = {.threads = threads}}});
      machines.push_back(expansion(trained.model.functions));
    }
    for (const KernelExpansion& machine : machines) {
      EXPECT_TRUE(
          std::ranges::equal(machine.coefficients.values(), machines[0].coefficients.values()));
      EXPECT_EQ(machine.offsets, machines[0].offsets);
      EXPECT_EQ(machine.training_rows, machines[0].training_rows);
    }
  }
}

TEST(Svc, APathIsTheTrainingsOneByOne) {
  const Dataset data = generate_gaussians({.n = 90, .k = 3, .separation = 2, .seed = 9});
  const std::vector<double> c_values = {0.01, 0.1, 1, 1, 10, 100};
  for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
    SvcOptions options{
        .kernel = Rbf{.gamma = 0.5}, .slacks = slacks, .control = {.tolerance = 1e-6}};
    const std::vector<TrainedClassifier> path = train_svc_path(data, options, c_values);
    ASSERT_EQ(path.size(), c_values.size());
    double before = 0;
    for (std::size_t k = 0; k < path.size(); ++k) {
      options.c = c_values[k];
      const TrainedClassifier alone = train_svc(data, options);
      EXPECT_EQ(path[k].report.status, Status::solved);
      EXPECT_NEAR(dual_of(path[k]), dual_of(alone), 2e-6 * dual_of(alone));
      EXPECT_GE(dual_of(path[k]), before * (1 - 1e-6));
      before = dual_of(path[k]);
    }
    EXPECT_EQ(path[3].report.iterations, 0U);  // the same C again
  }
  EXPECT_TRUE(train_svc_path(data, {}, {}).empty());
  const std::vector<double> falling = {1, 0.5};
  EXPECT_THROW(static_cast<void>(train_svc_path(data, {}, falling)), InvalidArgument);
  const std::vector<double> zero = {0, 0.5};
  EXPECT_THROW(static_cast<void>(train_svc_path(data, {}, zero)), InvalidArgument);
}

/// The two-class data set of one function of a code: labels 1 and -1, unused rows left out.
Dataset part_of(const Dataset& data, const OutputCode& code, std::size_t function) {
  const std::vector<std::int8_t> signs = code.labels_of(function, classes_of(data.labels).of_row);
  std::vector<std::size_t> rows;
  std::vector<double> labels;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (signs[i] == 0) continue;
    rows.push_back(i);
    labels.push_back(signs[i]);
  }
  Dataset part = data.select(rows);
  part.labels = LabelColumn::from_numbers(labels);
  return part;
}

TEST(Svc, SeveralClassesAreTheirTwoClassMachines) {  // seed-xu fact 10
  const Dataset data = generate_gaussians({.n = 100, .k = 4, .separation = 2, .seed = 10});
  const OutputCode code = exhaustive_code(4);
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    SCOPED_TRACE(to_string(kind));
    SvcOptions options{
        .c = 2, .kernel = Rbf{.gamma = 0.4}, .multiclass = kind, .control = {.tolerance = 1e-9}};
    if (kind == MulticlassKind::ecoc) options.code = code;
    const TrainedClassifier trained = train_svc(data, options);
    const std::size_t functions = trained.model.code.functions;
    EXPECT_EQ(functions,
              kind == MulticlassKind::one_vs_one ? 6U
              : kind == MulticlassKind::ecoc     ? 7U
                                                 : 4U);
    ASSERT_EQ(trained.machines.size(), functions);
    DenseMatrix values(data.size(), functions);
    double sum = 0;
    for (std::size_t f = 0; f < functions; ++f) {
      const TrainedClassifier alone =
          train_svc(part_of(data, trained.model.code, f),
                    {.c = 2, .kernel = Rbf{.gamma = 0.4}, .control = {.tolerance = 1e-9}});
      EXPECT_NEAR(
          *trained.machines[f].report.dual_objective, dual_of(alone), 2e-9 * dual_of(alone));
      sum += dual_of(alone);
      const std::vector<double> column =
          values_by_formula(expansion(alone.model.functions), data.examples);
      for (std::size_t i = 0; i < data.size(); ++i) values(i, f) = column[i];
    }
    EXPECT_NEAR(dual_of(trained), sum, 1e-8 * sum);
    const ClassifierAnswer answer = trained.model.answer(data.examples);
    EXPECT_EQ(answer.classes, predicted_classes(answer.scores.view()));
    const DenseMatrix scores = decode(trained.model.code, values.view());
    EXPECT_EQ(answer.classes, predicted_classes(scores.view()));
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(answer.scores(i, c), scores(i, c), 2e-3);
    }
  }
}

TEST(Svc, WithTwoClassesEveryReductionIsTheOneMachine) {  // seed-merat 62, seed-xu 10
  const Dataset data = two_classes(60, 11);
  std::vector<Classifier> models;
  for (const MulticlassKind kind : {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest}) {
    models.push_back(train_svc(data, {.kernel = Rbf{.gamma = 0.5}, .multiclass = kind}).model);
    EXPECT_EQ(models.back().code.functions, 1U);
  }
  EXPECT_TRUE(std::ranges::equal(expansion(models[0].functions).coefficients.values(),
                                 expansion(models[1].functions).coefficients.values()));
  EXPECT_EQ(models[0].predict(data), models[1].predict(data));
}

TEST(Svc, HasNoDirectMachineAndChecksTheUsersCode) {
  const Dataset data = generate_gaussians({.n = 30, .k = 3, .seed = 12});
  EXPECT_THROW(static_cast<void>(train_svc(data, {.multiclass = MulticlassKind::direct})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svc(
                   data, {.multiclass = MulticlassKind::ecoc, .code = exhaustive_code(4)})),
               InvalidArgument);
}

TEST(Svc, TheShareOfSupportVectorsBoundsTheLeaveOneOutError) {  // seed-xu fact 9
  Dataset data = two_classes(24, 13, 3.0);
  const SvcOptions hard{.c = infinity,
                        .kernel = Linear{},
                        .control = {.tolerance = 1e-8, .context = {.on_progress = at_most(10000)}}};
  const TrainedClassifier trained = train_svc(data, hard);
  ASSERT_EQ(trained.report.status, Status::solved);
  std::size_t errors = 0;
  for (std::size_t out = 0; out < data.size(); ++out) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (i != out) rows.push_back(i);
    }
    SvcOptions again = hard;
    again.control.context.on_progress = at_most(10000);
    const std::size_t row[] = {out};
    errors += training_errors(train_svc(data.select(rows), again).model, data.select(row));
  }
  EXPECT_LE(errors, trained.machines[0].support_vectors);
}

TEST(Svc, OneClassAloneIsAnErrorUnlessAllowed) {  // seed-merat fact 9
  const Dataset data = labelled(gaussian_points(5, 2, 1), std::vector<double>(5, 3.0));
  EXPECT_THROW(static_cast<void>(train_svc(data, {})), InvalidArgument);
  for (const double c : {1.0, infinity}) {
    const TrainedClassifier trained = train_svc(data, {.c = c, .allow_one_class = true});
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_EQ(trained.model.predict(data), std::vector<Label>(5, Label(3.0)));
    EXPECT_EQ(trained.machines[0].support_vectors, 0U);
  }
  const std::size_t first[] = {0};
  EXPECT_EQ(
      train_svc(data.select(first), {.allow_one_class = true}).model.predict(data.select(first)),
      std::vector<Label>{Label(3.0)});
}

TEST(Svc, TwoExamplesAreEnough) {
  const Dataset data = labelled(matrix(1, {0, 2}), {1, 2});
  const TrainedClassifier trained =
      train_svc(data, {.c = infinity, .kernel = Linear{}, .control = {.tolerance = 1e-9}});
  EXPECT_NEAR(dual_of(trained), 0.5, 1e-8);
  EXPECT_NEAR(expansion(trained.model.functions).offsets[0], -1, 1e-8);
}

TEST(Svc, ZeroWeightsTakeExamplesOut) {
  Dataset data = two_classes(40, 14);
  data.weights.assign(40, 1.0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    if (i % 4 == 1) {
      data.weights[i] = 0;
    } else {
      rows.push_back(i);
    }
  }
  for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
    const SvcOptions options{
        .kernel = Rbf{.gamma = 0.5}, .slacks = slacks, .control = {.tolerance = 1e-8}};
    const TrainedClassifier with = train_svc(data, options);
    const TrainedClassifier without = train_svc(data.select(rows), options);
    EXPECT_NEAR(dual_of(with), dual_of(without), 2e-8 * dual_of(with));
  }
}

TEST(Svc, AClassOfWeightZeroIsNeverPredicted) {
  const Dataset data = two_classes(30, 15);
  for (const double c : {1.0, infinity}) {
    for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
      const TrainedClassifier trained =
          train_svc(data,
                    {.c = c,
                     .slacks = slacks,
                     .class_weights = {.by_class = {{Label(-1.0), 0.0}}},
                     .control = {.context = {.on_progress = at_most(1000)}}});
      EXPECT_EQ(trained.report.status, Status::solved);
      EXPECT_EQ(trained.model.predict(data), std::vector<Label>(30, Label(1.0)));
    }
  }
}

TEST(Svc, ClassWeightsAreExampleWeights) {
  const Dataset data = generate_gaussians({.n = 90, .k = 2, .separation = 2, .seed = 16});
  std::vector<std::size_t> rows;  // unbalanced
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels.numbers()[i] == 2 || i < 30) rows.push_back(i);
  }
  const Dataset part = data.select(rows);
  const std::vector<std::size_t> sizes = classes_of(part.labels).sizes();
  const auto n = static_cast<double>(part.size());
  const double first = n / (2 * static_cast<double>(sizes[0]));
  const double second = n / (2 * static_cast<double>(sizes[1]));
  Dataset weighted = part;
  for (const double label : part.labels.numbers()) {
    weighted.weights.push_back(label == 1 ? first : second);
  }
  const auto dual = [&](const Dataset& on, const ClassWeights& weights) {
    return dual_of(train_svc(
        on, {.kernel = Linear{}, .class_weights = weights, .control = {.tolerance = 1e-9}}));
  };
  const double expected = dual(weighted, {});
  EXPECT_NEAR(dual(part, {.balanced = true}), expected, 2e-9 * expected);
  EXPECT_NEAR(dual(part, {.by_class = {{Label(1.0), first}, {Label(2.0), second}}}),
              expected,
              2e-9 * expected);
}

TEST(Svc, AHugeCIsTheHardMarginOfSeparableData) {
  const Dataset data = two_classes(40, 17, 3.0);
  const auto train = [&](double c) {
    return train_svc(data,
                     {.c = c,
                      .kernel = Linear{},
                      .control = {.tolerance = 1e-7, .context = {.on_progress = at_most(10000)}}});
  };
  const TrainedClassifier hard = train(infinity);
  EXPECT_EQ(hard.report.status, Status::solved);
  EXPECT_NEAR(dual_of(train(1e10)), dual_of(hard), 1e-6 * dual_of(hard));
  EXPECT_EQ(training_errors(hard.model, data), 0U);
  // The tiniest C leaves the class means: every coefficient at its bound.
  const TrainedClassifier tiny = train(1e-8);
  EXPECT_EQ(tiny.machines[0].bounded, 40U);
  EXPECT_NEAR(dual_of(tiny), 40e-8, 1e-12);
}

TEST(Svc, LimitsGiveAUsableModelWithItsGap) {
  const Dataset data = two_classes(200, 18);
  const SvcOptions options{.c = 10, .kernel = Rbf{.gamma = 0.5}};
  SvcOptions short_run = options;
  short_run.control.max_iterations = 20;
  const TrainedClassifier limited = train_svc(data, short_run);
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 20U);
  EXPECT_NEAR(hinge_primal(expansion(limited.model.functions), data, 10),
              *limited.report.primal_objective,
              1e-7);
  EXPECT_GT(*limited.report.relative_gap(), 1e-3);
  EXPECT_EQ(limited.model.predict(data).size(), 200U);
  SvcOptions stopped = options;
  stopped.control.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  EXPECT_EQ(train_svc(data, stopped).report.status, Status::time_limit);
  stopped.control.context.on_progress = [](const Progress&) { return Continue::stop; };
  EXPECT_EQ(train_svc(data, stopped).report.status, Status::stopped_by_callback);
}

TEST(Svc, AnIndefiniteKernelMustBeAllowed) {
  const Dataset data = two_classes(50, 19);
  SvcOptions options{.kernel = Sigmoid{.gamma = 0.5, .coef0 = -0.5}};
  EXPECT_THROW(static_cast<void>(train_svc(data, options)), InvalidArgument);
  options.allow_indefinite = true;
  double before = 0;
  int calls = 0;
  options.control.context.on_progress = [&](const Progress& progress) {
    EXPECT_GE(*progress.dual_objective, before - 1e-9);
    before = *progress.dual_objective;
    return ++calls < 10000 ? Continue::yes : Continue::stop;
  };
  const TrainedClassifier trained = train_svc(data, options);
  EXPECT_NE(trained.report.status, Status::stopped_by_callback);
}

TEST(Svc, RejectsWhatItCannotTrainOn) {
  const Dataset data = two_classes(10, 20);
  for (const double c : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(static_cast<void>(train_svc(data, {.c = c})), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(train_svc(data, {.kernel = Rbf{.gamma = 0}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svc(data, {.kkt_tolerance = 0.0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svc(Dataset{}, {})), InvalidArgument);
  Dataset spoiled = data;
  spoiled.examples.writable_values(3)[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(train_svc(spoiled, {})), InvalidArgument);
  Dataset unlabelled = data;
  unlabelled.labels.clear(4);
  EXPECT_THROW(static_cast<void>(train_svc(unlabelled, {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/lp_svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Dataset dataset(const std::vector<std::vector<double>>& points, std::vector<double> labels) {
  DenseMatrix matrix(points.size(), points.empty() ? 0 : points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], matrix.row(i).begin());
  }
  return {.examples = std::move(matrix), .labels = LabelColumn::from_numbers(std::move(labels))};
}

Dataset line(const std::vector<double>& points, std::vector<double> labels) {
  std::vector<std::vector<double>> rows;
  for (const double x : points) rows.push_back({x});
  return dataset(rows, std::move(labels));
}

Dataset identity_kernel_data() {
  return {.examples = index_examples(4), .labels = LabelColumn::from_numbers({1, 1, 1, -1})};
}
Kernel identity_kernel() {
  auto matrix = std::make_shared<DenseMatrix>(4, 4);
  for (std::size_t i = 0; i < 4; ++i) (*matrix)(i, i) = 1;
  return Precomputed{.matrix = matrix};
}

Dataset versicolor_virginica() {
  std::vector<std::size_t> rows;
  for (std::size_t i = 50; i < 150; ++i) rows.push_back(i);
  return iris().select(rows);
}

/// Noisy two-class points in the plane.
Dataset noisy_points(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<double>> points;
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double label = i % 3 == 0 ? 1 : -1;
    points.push_back({rng.normal(label, 1.2), rng.normal()});
    labels.push_back(label);
  }
  return dataset(points, labels);
}

const KernelExpansion& expansion(const TrainedClassifier& trained) {
  return std::get<KernelExpansion>(trained.model.functions);
}

/// The objective from its definition: coefficients, values of the model, hinge.
double objective_of(const TrainedClassifier& trained,
                    const Dataset& data,
                    double c,
                    const std::vector<double>& weights = {}) {
  const DenseMatrix values =
      decision_values(trained.model.functions, data.examples, {.precision = ValuePrecision::exact});
  double sum = 0;
  for (const double u : expansion(trained).coefficients.values()) sum += std::abs(u);
  const Classes classes = classes_of(data.labels);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double z = classes.of_row[i] == 1 ? 1 : -1;
    const double weight = weights.empty() ? 1 : weights[i];
    sum += c * weight * std::max(0.0, 1 - z * values(i, 0));
  }
  return sum;
}

void expect_certified(const TrainedClassifier& trained) {
  EXPECT_EQ(trained.report.status, Status::solved) << trained.report.message;
  ASSERT_TRUE(trained.report.primal_objective && trained.report.dual_objective);
  // Weak duality up to rounding, and an optimal vertex.
  EXPECT_GE(*trained.report.relative_gap(), -1e-12);
  EXPECT_LE(*trained.report.relative_gap(), 1e-7);
}

struct Golden {
  const char* name;
  Dataset data;
  Kernel kernel;
  double c;
  double objective;
};

// seed-merat facts 13 and 14, table of appendix A.2 (exact rational simplex).
TEST(LpSvc, ReachesTheGoldenObjectives) {
  const std::vector<double> six = {-2, -1, 0.5, 1, -0.5, 3};
  const std::vector<double> six_labels = {-1, -1, -1, 1, 1, 1};
  const Kernel quadratic = Polynomial{.gamma = 1, .coef0 = 1, .degree = 2};
  const Dataset xor_data = dataset({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {1, 1, -1, -1});
  const std::vector<Golden> cases = {
      {"line", line({-2, -1, 1, 3}, {-1, -1, 1, 1}), Linear{}, 10, 1.0 / 3},
      {"line", line({-2, -1, 1, 3}, {-1, -1, 1, 1}), Linear{}, 0.25, 1.0 / 3},
      {"xor", xor_data, quadratic, 10, 0.5},
      {"six points", line(six, six_labels), Linear{}, 0.1, 37.0 / 75},
      {"six points", line(six, six_labels), Linear{}, 1, 10.0 / 3},
      {"six points", line(six, six_labels), Linear{}, 10, 91.0 / 3},
      {"identity", identity_kernel_data(), identity_kernel(), 10, 2}};
  for (const Golden& golden : cases) {
    const TrainedClassifier trained =
        train_lp_svc(golden.data, {.c = golden.c, .kernel = golden.kernel});
    expect_certified(trained);
    EXPECT_NEAR(*trained.report.primal_objective, golden.objective, 1e-10) << golden.name;
    EXPECT_NEAR(*trained.report.dual_objective, golden.objective, 1e-10) << golden.name;
    EXPECT_NEAR(objective_of(trained, golden.data, golden.c), golden.objective, 1e-10);
  }
}

// seed-merat fact 14: w_0 = 1 and a_4 = 2; the constraint as printed would give 6.
TEST(LpSvc, IdentityKernelHasItsUniqueSolution) {
  const TrainedClassifier trained =
      train_lp_svc(identity_kernel_data(), {.c = 10, .kernel = identity_kernel()});
  EXPECT_EQ(expansion(trained).training_rows, (std::vector<std::size_t>{3}));
  EXPECT_NEAR(expansion(trained).coefficients(0, 0), -2, 1e-12);
  EXPECT_NEAR(expansion(trained).offsets[0], 1, 1e-12);
  EXPECT_EQ(trained.machines[0].support_vectors, 1u);
  EXPECT_NEAR(trained.machines[0].squared_norm, 4, 1e-12);
}

// seed-merat fact 13. scipy 1.17.1 linprog (HiGHS, tolerances 1e-10) on the primal program.
TEST(LpSvc, AgreesWithHighsOnIris) {
  const Dataset data = versicolor_virginica();
  struct Known {
    double c;
    LpSvmForm form;
    double objective;
  };
  for (const Known& known : {Known{0.1, LpSvmForm::slides, 7.430679242804312},
                             Known{1.5, LpSvmForm::slides, 34.7240709108458},
                             Known{100, LpSvmForm::slides, 663.8327309346776},
                             Known{100, LpSvmForm::l1_norm, 654.5821905184856}}) {
    const TrainedClassifier trained =
        train_lp_svc(data, {.c = known.c, .kernel = Rbf{0.125}, .form = known.form});
    expect_certified(trained);
    EXPECT_NEAR(*trained.report.primal_objective, known.objective, 1e-6 * known.objective);
    EXPECT_NEAR(objective_of(trained, data, known.c), known.objective, 1e-6 * known.objective);
  }
}

// seed-merat fact 15: K need not be positive semidefinite. Values from HiGHS as above.
TEST(LpSvc, WorksWithAnIndefiniteKernelAndWarns) {
  const Dataset data = versicolor_virginica();
  const Kernel sigmoid = Sigmoid{.gamma = 0.05, .coef0 = -1};
  const TrainedClassifier slides = train_lp_svc(data, {.c = 2, .kernel = sigmoid});
  expect_certified(slides);
  EXPECT_NEAR(*slides.report.primal_objective, 140.4641978590571, 1e-4);
  ASSERT_EQ(slides.report.warnings.size(), 1u);
  const TrainedClassifier free =
      train_lp_svc(data, {.c = 2, .kernel = sigmoid, .form = LpSvmForm::l1_norm});
  expect_certified(free);
  EXPECT_NEAR(*free.report.primal_objective, 126.76778967693295, 1e-4);
}

// seed-merat fact 15.
TEST(LpSvc, SmallCGivesNoCoefficientsAndTheObjectiveGrowsWithC) {
  const Dataset data = noisy_points(40, 3);
  const TrainedClassifier tiny = train_lp_svc(data, {.c = 1e-4, .kernel = Rbf{0.5}});
  expect_certified(tiny);
  EXPECT_EQ(tiny.machines[0].support_vectors, 0u);
  EXPECT_EQ(expansion(tiny).vectors.rows(), 0u);
  double previous = 0;
  for (const double c : {1e-4, 1e-2, 0.1, 1.0, 10.0, 1e3}) {
    const double value = *train_lp_svc(data, {.c = c, .kernel = Rbf{0.5}}).report.primal_objective;
    EXPECT_GE(value, previous * (1 - 1e-9));
    previous = value;
  }
}

TEST(LpSvc, FreeCoefficientsAreNeverWorse) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Dataset data = noisy_points(30, seed);
    const LpSvcOptions slides{.c = 5, .kernel = Rbf{1}};
    LpSvcOptions free = slides;
    free.form = LpSvmForm::l1_norm;
    EXPECT_LE(*train_lp_svc(data, free).report.primal_objective,
              *train_lp_svc(data, slides).report.dual_objective * (1 + 1e-7));
  }
}

TEST(LpSvc, HardMarginSeparatesOrSaysWhyNot) {
  const Dataset data = line({-2, -1, 1, 3}, {-1, -1, 1, 1});
  const TrainedClassifier hard = train_lp_svc(data, {.c = inf, .kernel = Linear{}});
  expect_certified(hard);
  EXPECT_NEAR(*hard.report.primal_objective, 1.0 / 3, 1e-10);
  // Equal points with different labels: no function can do it.
  const Dataset clash = line({0, 0, 1, 2}, {1, -1, 1, -1});
  const TrainedClassifier none = train_lp_svc(clash, {.c = inf, .kernel = Rbf{1}});
  EXPECT_EQ(none.report.status, Status::primal_infeasible);
  EXPECT_NE(none.report.message.find("finite C"), std::string::npos);
  EXPECT_FALSE(none.report.primal_objective.has_value());
  EXPECT_NO_THROW(none.model.validate());
  EXPECT_NO_THROW((void)none.model.predict(clash));
}

TEST(LpSvc, WeightTwoIsATwinAndWeightZeroIsAbsent) {
  Dataset data = noisy_points(24, 7);
  std::vector<std::size_t> rows;
  data.weights.assign(24, 1.0);
  data.weights[3] = 2;
  data.weights[8] = 0;
  data.weights[9] = 3;
  for (std::size_t i = 0; i < 24; ++i) {
    for (int copy = 0; copy < static_cast<int>(data.weights[i]); ++copy) rows.push_back(i);
  }
  Dataset twin = data.select(rows);
  twin.weights.clear();
  const LpSvcOptions options{.c = 2, .kernel = Rbf{0.7}};
  const TrainedClassifier weighted = train_lp_svc(data, options);
  expect_certified(weighted);
  EXPECT_NEAR(*weighted.report.primal_objective,
              *train_lp_svc(twin, options).report.primal_objective,
              1e-8);
  EXPECT_NEAR(
      objective_of(weighted, data, 2, data.weights), *weighted.report.primal_objective, 1e-9);
}

TEST(LpSvc, ClassWeightsScaleC) {
  const Dataset data = versicolor_virginica();
  LpSvcOptions options{.c = 1.5, .kernel = Rbf{0.125}};
  options.class_weights.by_class = {{Label::parse("virginica"), 3.0}};
  // HiGHS as above.
  EXPECT_NEAR(*train_lp_svc(data, options).report.primal_objective, 43.67536399407787, 1e-5);
}

TEST(LpSvc, OrderOfTheExamplesAndSwappedLabelsKeepTheObjective) {
  const Dataset data = noisy_points(30, 11);
  const LpSvcOptions options{.c = 3, .kernel = Rbf{0.5}};
  const double value = *train_lp_svc(data, options).report.primal_objective;
  EXPECT_NEAR(*train_lp_svc(data.select(Rng(4).permutation(30)), options).report.primal_objective,
              value,
              1e-8 * value);
  Dataset swapped = data;
  std::vector<double> labels(data.labels.numbers().begin(), data.labels.numbers().end());
  for (double& label : labels) label = -label;
  swapped.labels = LabelColumn::from_numbers(labels);
  EXPECT_NEAR(*train_lp_svc(swapped, options).report.primal_objective, value, 1e-8 * value);
}

TEST(LpSvc, SeveralClassesSumTheirMachines) {
  const Dataset data = iris();
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    LpSvcOptions options{.c = 1.5, .kernel = Rbf{0.125}, .multiclass = kind};
    if (kind == MulticlassKind::ecoc) options.code = exhaustive_code(3);
    const TrainedClassifier trained = train_lp_svc(data, options);
    expect_certified(trained);
    ASSERT_EQ(trained.machines.size(), 3u);
    double sum = 0;
    for (const MachineReport& machine : trained.machines) sum += *machine.report.primal_objective;
    EXPECT_NEAR(*trained.report.primal_objective, sum, 1e-12 * sum);
    EXPECT_NO_THROW(trained.model.validate());
    std::size_t wrong = 0;
    const std::vector<Label> answers = trained.model.predict(data);
    for (std::size_t i = 0; i < data.size(); ++i)
      wrong += answers[i] == *data.labels.at(i) ? 0u : 1u;
    EXPECT_LE(wrong, 6u);
  }
  // One of the machines is the two-class one: setosa against the rest, HiGHS as above.
  const TrainedClassifier rest = train_lp_svc(
      data, {.c = 1.5, .kernel = Rbf{0.125}, .multiclass = MulticlassKind::one_vs_rest});
  EXPECT_NEAR(*rest.machines[0].report.primal_objective, 4.671722233504145, 1e-6);
}

// seed-merat fact 62: with two classes all reductions are the binary machine.
TEST(LpSvc, ReductionsOfTwoClassesAreTheBinaryMachine) {
  const Dataset data = noisy_points(20, 2);
  LpSvcOptions options{.c = 2, .kernel = Rbf{1}};
  const TrainedClassifier a = train_lp_svc(data, options);
  options.multiclass = MulticlassKind::one_vs_rest;
  const TrainedClassifier b = train_lp_svc(data, options);
  EXPECT_EQ(expansion(a).training_rows, expansion(b).training_rows);
  EXPECT_TRUE(
      std::ranges::equal(expansion(a).coefficients.values(), expansion(b).coefficients.values()));
  EXPECT_EQ(expansion(a).offsets, expansion(b).offsets);
}

TEST(LpSvc, ThreadsDoNotChangeTheModel) {
  const Dataset data = noisy_points(60, 5);
  LpSvcOptions options{.c = 2, .kernel = Rbf{1}};
  options.control.context.threads = 1;
  const TrainedClassifier one = train_lp_svc(data, options);
  for (const std::size_t threads : {2u, 4u}) {
    options.control.context.threads = threads;
    const TrainedClassifier more = train_lp_svc(data, options);
    EXPECT_TRUE(std::ranges::equal(expansion(one).coefficients.values(),
                                   expansion(more).coefficients.values()));
    EXPECT_EQ(expansion(one).offsets, expansion(more).offsets);
  }
}

TEST(LpSvc, LimitsGiveAUsableModelWithAnHonestGap) {
  const Dataset data = noisy_points(150, 9);
  LpSvcOptions options{.c = 10, .kernel = Rbf{5}};
  options.control.max_iterations = 20;
  const TrainedClassifier limited = train_lp_svc(data, options);
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_GE(*limited.report.gap(), 0);
  EXPECT_NEAR(objective_of(limited, data, 10),
              *limited.report.primal_objective,
              1e-8 * *limited.report.primal_objective);
  options.control.max_iterations.reset();
  const double optimum = *train_lp_svc(data, options).report.primal_objective;
  EXPECT_LE(*limited.report.dual_objective, optimum * (1 + 1e-9));
  EXPECT_GE(*limited.report.primal_objective, optimum * (1 - 1e-9));
  options.control.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  const TrainedClassifier stopped = train_lp_svc(data, options);
  EXPECT_EQ(stopped.report.status, Status::time_limit);
  EXPECT_GE(*stopped.report.gap(), 0);
}

TEST(LpSvc, OneClassIsAConstantWhereAllowed) {
  const Dataset data = line({1, 2, 3}, {4, 4, 4});
  EXPECT_THROW((void)train_lp_svc(data), InvalidArgument);
  const TrainedClassifier trained = train_lp_svc(data, {.allow_one_class = true});
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_EQ(*trained.report.primal_objective, 0);
  EXPECT_EQ(trained.model.predict(data)[0], Label(4.0));
}

TEST(LpSvc, RefusesWrongOptionsAndTooLittleMemory) {
  const Dataset data = noisy_points(10, 1);
  EXPECT_THROW((void)train_lp_svc(data, {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)train_lp_svc(data, {.c = NAN}), InvalidArgument);
  EXPECT_THROW((void)train_lp_svc(data, {.c = 1e30}), InvalidArgument);
  EXPECT_THROW((void)train_lp_svc(data, {.kernel = Rbf{-1}}), InvalidArgument);
  EXPECT_THROW((void)train_lp_svc(data, {.multiclass = MulticlassKind::direct}), InvalidArgument);
  LpSvcOptions options;
  options.control.context.memory_limit = 1000;
  try {
    (void)train_lp_svc(data, options);
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("memory limit"), std::string::npos);
  }
}

}  // namespace
}  // namespace maxmargin

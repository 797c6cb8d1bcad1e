// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/mil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "bag_task.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using namespace testing;

/// Bags of 1 to `largest` rows; a positive one has a row that is moved.
Dataset random_bags(std::size_t count, std::size_t largest, std::uint64_t seed, double shift = 2) {
  Rng rng(seed, "bags");
  std::vector<double> labels;
  std::vector<std::int64_t> groups;
  std::vector<std::size_t> moved;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t size = 1 + rng.index(largest);
    if (b % 2 == 0) moved.push_back(labels.size() + rng.index(size));
    for (std::size_t h = 0; h < size; ++h) {
      labels.push_back(b % 2 == 0 ? 1 : -1);
      groups.push_back(static_cast<std::int64_t>(100 + b));
    }
  }
  DenseMatrix x = gaussian_points(labels.size(), 3, seed);
  for (const std::size_t row : moved) x(row, 0) += shift;
  Dataset data = labelled(std::move(x), std::move(labels));
  data.groups = std::move(groups);
  return data;
}

MilOptions options_of(MilMargin margin, double c, KernelChoice kernel = Linear{}) {
  MilOptions options{.margin = margin, .kernel = std::move(kernel)};
  options.search.solving.c = c;
  options.search.solving.tolerance = 1e-4;
  options.search.solving.context.threads = 1;
  return options;
}

constexpr MilMargin margins[] = {MilMargin::bag, MilMargin::instance};

TEST(Mil, ObjectiveByFormulaIsTheOneReported) {
  const Dataset data = random_bags(30, 5, 1);
  for (const MilMargin margin : margins) {
    for (const double constant : {0.0, 1.0, 4.0}) {
      for (const KernelChoice& kernel :
           {KernelChoice(Linear{}), KernelChoice(Rbf{.gamma = 0.3}), KernelChoice(Polynomial{})}) {
        for (const StructuralMethod method : {StructuralMethod::one_slack,
                                              StructuralMethod::n_slack,
                                              StructuralMethod::block_frank_wolfe}) {
          MilOptions options = options_of(margin, 1, kernel);
          options.search.method = method;
          options.bias = constant > 0;
          if (options.bias) options.bias_scale = constant;
          const TrainedMil trained = train_mil(data, options);
          const SolveReport& report = trained.search.report;
          EXPECT_EQ(report.status, Status::local_optimum);
          EXPECT_NEAR(mil_objective(trained.model, data, options),
                      *report.primal_objective,
                      1e-6 * *report.primal_objective);
          EXPECT_LE(*report.lower_bound, *report.primal_objective);
          EXPECT_LE(*trained.search.stationary_gap, 1.0001e-4 * *report.primal_objective);
          for (std::size_t t = 1; t < trained.search.trace.size(); ++t) {
            EXPECT_LE(trained.search.trace[t].objective, trained.search.trace[t - 1].objective);
          }
        }
      }
    }
  }
}

TEST(Mil, BagsOfOneRowAreTheSupportVectorMachine) {
  const Dataset data = random_bags(60, 1, 2, 1.5);
  for (const KernelChoice& kernel : {KernelChoice(Linear{}), KernelChoice(Rbf{.gamma = 0.5})}) {
    SvcOptions svc{.c = 2, .kernel = kernel, .bias = false};
    svc.control.tolerance = 1e-6;
    const TrainedClassifier plain = train_svc(data, svc);
    for (const MilMargin margin : margins) {
      MilOptions options = options_of(margin, 2, kernel);
      options.search.solving.tolerance = 1e-5;
      options.bias = false;
      const TrainedMil trained = train_mil(data, options);
      const double optimum = *plain.report.primal_objective;
      EXPECT_NEAR(*trained.search.report.primal_objective, optimum, 2e-5 * optimum);
      // Nothing is hidden, so the bound is the optimum's.
      EXPECT_NEAR(*trained.search.report.lower_bound, optimum, 2e-5 * optimum);
      EXPECT_EQ(trained.model.predict(data), plain.model.predict(data));
    }
  }
}

TEST(Mil, BagsOfOneRowWithAConstantAreTheLinearMachine) {
  const Dataset data = random_bags(60, 1, 2, 1.5);
  for (const double constant : {0.5, 1.0, 5.0}) {
    LinearSvcOptions svc{.c = 2, .bias_scale = constant};
    svc.control.tolerance = 1e-6;
    const TrainedClassifier plain = train_linear_svc(data, svc);
    for (const MilMargin margin : margins) {
      MilOptions options = options_of(margin, 2);
      options.search.solving.tolerance = 1e-5;
      options.bias_scale = constant;
      const TrainedMil trained = train_mil(data, options);
      const double optimum = *plain.report.primal_objective;
      EXPECT_NEAR(*trained.search.report.primal_objective, optimum, 2e-5 * optimum);
      EXPECT_NEAR(*trained.search.report.lower_bound, optimum, 2e-5 * optimum);
      EXPECT_EQ(trained.model.predict(data), plain.model.predict(data));
    }
  }
}

/// The least of the svc optima over all signs of the rows of positive bags, one + in each.
double least_over_signs(const Dataset& data, double c) {
  const Bags bags = bags_of(data);
  std::vector<double> signs(data.size(), -1);
  std::vector<std::size_t> hidden;
  for (std::size_t j = 0; j < data.size(); ++j) {
    if (data.labels.numbers()[j] > 0) hidden.push_back(j);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t code = 0; code < (std::size_t{1} << hidden.size()); ++code) {
    for (std::size_t k = 0; k < hidden.size(); ++k) {
      signs[hidden[k]] = (code >> k & 1U) != 0 ? 1 : -1;
    }
    bool is_legal = true;
    for (std::size_t b = 0; b < bags.size(); ++b) {
      bool has_positive = data.labels.numbers()[bags.begins[b]] < 0;
      for (std::size_t j = bags.begins[b]; j < bags.begins[b + 1]; ++j) {
        has_positive = has_positive || signs[j] > 0;
      }
      is_legal = is_legal && has_positive;
    }
    if (!is_legal) continue;
    Dataset labelled_rows{.examples = data.examples, .labels = LabelColumn::from_numbers(signs)};
    SvcOptions svc{.c = c, .kernel = Linear{}, .bias = false, .allow_one_class = true};
    svc.control.tolerance = 1e-5;
    least = std::min(least, *train_svc(labelled_rows, svc).report.primal_objective);
  }
  return least;
}

TEST(Mil, RestartsReachTheLeastOfAllSigns) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = random_bags(6, 3, seed, 1);
    const double least = least_over_signs(data, 3);
    MilOptions options = options_of(MilMargin::instance, 3);
    options.bias = false;
    options.search.restarts = 30;
    const TrainedMil trained = train_mil(data, options);
    EXPECT_NEAR(*trained.search.report.primal_objective, least, 1e-3 * least) << seed;
    for (const LatentRun& run : trained.search.runs) EXPECT_GE(*run.objective, least * (1 - 1e-4));
  }
}

/// The least convex optimum over all witnesses, by the machine of one's own task: its convex
/// problems lie higher than those of the search, and both reach the least objective.
double least_over_witnesses(const Dataset& data, double c) {
  const Bags bags = bags_of(data);
  const BagTask task(data.features(), 0);
  std::vector<std::vector<Row>> inputs(bags.size());
  std::vector<BagAnswer> chosen;
  for (std::size_t b = 0; b < bags.size(); ++b) {
    for (std::size_t j = bags.begins[b]; j < bags.begins[b + 1]; ++j) {
      inputs[b].push_back(data.examples.row(j));
    }
    chosen.push_back({.is_positive = bags.labels[b] == Label(1.0)});
  }
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t)> go = [&](std::size_t b) {
    if (b == chosen.size()) {
      const StructuralHinge<BagTask> hinge(task, inputs, chosen);
      const StructuralSolution found = solve_structural(
          hinge, StructuralMethod::n_slack, {.c = c, .tolerance = 1e-6, .context = {.threads = 1}});
      least = std::min(least, *found.report.primal_objective);
      return;
    }
    const std::size_t choices = chosen[b].is_positive ? inputs[b].size() : 1;
    for (std::size_t h = 0; h < choices; ++h) {
      chosen[b].witness = h;
      go(b + 1);
    }
  };
  go(0);
  return least;
}

// What MI-SVM is trained by.
TEST(Mil, RestartsReachTheLeastOfAllWitnesses) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Dataset data = random_bags(8, 3, seed, 1);
    const double least = least_over_witnesses(data, 3);
    MilOptions options = options_of(MilMargin::bag, 3);
    options.bias = false;
    options.search.restarts = 30;
    const TrainedMil trained = train_mil(data, options);
    EXPECT_NEAR(*trained.search.report.primal_objective, least, 1e-3 * least) << seed;
    for (const LatentRun& run : trained.search.runs) EXPECT_GE(*run.objective, least * (1 - 1e-5));
  }
}

TEST(Mil, LinearAsAKernelIsLinear) {
  const Dataset data = random_bags(24, 4, 5);
  const KernelChoice as_kernel = KernelChoice::parse("0.5*linear + 0.5*linear");
  for (const MilMargin margin : margins) {
    const TrainedMil plain = train_mil(data, options_of(margin, 1));
    const TrainedMil kernel = train_mil(data, options_of(margin, 1, as_kernel));
    const double f = *plain.search.report.primal_objective;
    EXPECT_NEAR(*kernel.search.report.primal_objective, f, 1e-3 * f);
    EXPECT_EQ(kernel.weights, 4U);  // three features and the constant
  }
}

TEST(Mil, WeightsAreCopies) {
  Dataset data = random_bags(20, 4, 6);
  data.weights.assign(data.size(), 1.0);
  const Bags bags = bags_of(data);
  std::vector<std::size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<std::int64_t> groups = data.groups;
  std::int64_t next = 1000;
  for (std::size_t b = 0; b < bags.size(); b += 3) {
    const std::size_t copies = b % 2 == 0 ? 1 : 2;
    for (std::size_t copy = 0; copy < copies; ++copy, ++next) {
      for (std::size_t j = bags.begins[b]; j < bags.begins[b + 1]; ++j) {
        rows.push_back(j);
        groups.push_back(next);
      }
    }
    for (std::size_t j = bags.begins[b]; j < bags.begins[b + 1]; ++j) {
      data.weights[j] = static_cast<double>(1 + copies);
    }
  }
  Dataset copied = data.select(rows);
  copied.groups = groups;
  copied.weights.clear();
  for (const MilMargin margin : margins) {
    for (const StructuralMethod method : {StructuralMethod::one_slack,
                                          StructuralMethod::n_slack,
                                          StructuralMethod::block_frank_wolfe}) {
      MilOptions options = options_of(margin, 1);
      options.search.method = method;
      const TrainedMil weighted = train_mil(data, options);
      // What the training says of its weighted bags is what the copies cost.
      const double said = *weighted.search.report.primal_objective;
      EXPECT_NEAR(mil_objective(weighted.model, copied, options), said, 1e-6 * said);
    }
  }
}

TEST(Mil, IsVerifiedAndForgeriesAreSeen) {
  const Dataset data = random_bags(24, 4, 8);
  for (const char* const margin : {"bag", "instance"}) {
    for (const char* const kernel : {"linear", "rbf"}) {
      const Training trained = train("mil",
                                     data,
                                     {{"margin", margin},
                                      {"kernel", kernel},
                                      {"scale", "standard"},
                                      {"bias-scale", 3},
                                      {"restarts", 2}});
      const Model again = load_model_bytes(model_bytes(*trained.model));
      EXPECT_EQ(predict(again, data).lines, predict(*trained.model, data).lines);
      EXPECT_EQ(verify(again, data).agrees, true) << verify(again, data).complaint;
      Dataset other = data;
      for (std::size_t j = 0; j < other.size(); ++j) other.examples.writable_values(j)[0] *= 0.5;
      EXPECT_EQ(verify(again, other).agrees, false);
      EXPECT_EQ(trained.report.solve.status, Status::local_optimum);
      ASSERT_EQ(trained.report.tables.size(), 3U);  // labels, runs, trace
      EXPECT_EQ(trained.report.tables[1].second.size(), 2U);
      EXPECT_TRUE(trained.report.metric("roc_auc"));
      EXPECT_LE(*trained.report.metric("least_objective"),
                *trained.report.metric("largest_objective"));
    }
  }
}

TEST(Mil, WitnessesAreTheBestRows) {
  const Dataset data = random_bags(16, 4, 9);
  const Training trained = train("mil", data);
  const std::string lines = predict(*trained.model, data, {{"instances", true}}).lines;
  EXPECT_TRUE(lines.starts_with("bag,row,score,witness\n100,1,"));
  EXPECT_EQ(std::ranges::count(lines, '\n'), static_cast<std::ptrdiff_t>(data.size()) + 1);
  const Prediction bags = predict(*trained.model, data, {{"scores", true}});
  EXPECT_EQ(bags.labels.size(), 16U);
  EXPECT_EQ(bags.values.size(), 16U);
  for (std::size_t b = 0; b < 16; ++b) {
    EXPECT_EQ(bags.values[b] > 0, bags.labels[b] == Label(1.0));
  }
}

TEST(Mil, RefusesWrongBags) {
  const auto problem = [](const Dataset& data) {
    try {
      (void)train_mil(data, {});
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Dataset good = random_bags(8, 3, 1);
  Dataset data = good;
  data.groups.clear();
  EXPECT_NE(problem(data).find("--bag or qid"), std::string::npos);
  data = good;
  data.groups.back() = data.groups.front();
  EXPECT_EQ(problem(data),
            "row " + std::to_string(data.size()) +
                " (from 1): the bag 100 comes back after another one; expected the rows of a bag "
                "together");
  data = random_bags(8, 3, 1);
  std::vector<double> labels(data.labels.numbers().begin(), data.labels.numbers().end());
  const Bags bags = bags_of(data);
  std::size_t inside = 0;
  while (bags.begins[inside + 1] - bags.begins[inside] < 2) ++inside;
  labels[bags.begins[inside] + 1] *= -1;
  data.labels = LabelColumn::from_numbers(labels);
  EXPECT_NE(problem(data).find("has another label than the first row of its bag"),
            std::string::npos);
  data = good;
  data.labels = LabelColumn::from_numbers(std::vector<double>(data.size(), 1.0));
  EXPECT_NE(problem(data).find("two labels"), std::string::npos);
  EXPECT_NE(problem(Dataset{}), "");
  data = good;
  data.labels.clear(0);
  EXPECT_NE(problem(data), "");
  EXPECT_THROW((void)bag_values(std::vector<double>{1.0}, std::vector<std::size_t>{0, 0, 1}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

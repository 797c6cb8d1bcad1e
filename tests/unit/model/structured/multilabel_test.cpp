// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/multilabel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/model/linear/svc.hpp"

namespace maxmargin {
namespace {

/// Three labels that follow the columns, with noise; some rows have none.
Dataset label_rows(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "multilabel model");
  DenseMatrix x(n, 4);
  Dataset data;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Label> set;
    for (std::size_t j = 0; j < 4; ++j) x(i, j) = rng.normal();
    if (x(i, 0) + 0.4 * rng.normal() > 0.3) set.emplace_back(1.0);
    if (x(i, 1) + 0.4 * rng.normal() > 0.3) set.emplace_back(5.0);
    if (x(i, 2) - x(i, 0) + 0.4 * rng.normal() > 0.6) set.emplace_back(std::string("rare"));
    data.label_sets.push_back(std::move(set));
  }
  data.examples = to_sparse(x.view());
  data.source = "rows";
  return data;
}

std::string problem_of(const Dataset& data, const MultilabelTrainingOptions& options = {}) {
  try {
    static_cast<void>(train_multilabel(data, options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

// Without interactions it is a linear machine for each label: the objectives add up.
TEST(Multilabel, IsALinearMachineForEachLabel) {
  const Dataset data = label_rows(60, 1);
  const TrainedMultilabel trained =
      train_multilabel(data, {.solving = {.c = 0.3, .tolerance = 1e-5, .max_passes = 20000}});
  ASSERT_EQ(trained.report.status, Status::solved);
  EXPECT_EQ(trained.model.labels,
            (std::vector<Label>{Label(1.0), Label(5.0), Label(std::string("rare"))}));
  double primal = 0;
  double dual = 0;
  for (const Label& label : trained.model.labels) {
    Dataset one;
    one.examples = data.examples;
    std::vector<double> signs;
    for (const std::vector<Label>& set : data.label_sets) {
      signs.push_back(std::ranges::find(set, label) != set.end() ? 1.0 : -1.0);
    }
    one.labels = LabelColumn::from_numbers(std::move(signs));
    const TrainedClassifier twin =
        train_linear_svc(one, {.c = 0.3, .control = {.tolerance = 1e-6}});
    primal += *twin.report.primal_objective;
    dual += *twin.report.dual_objective;
  }
  EXPECT_LE(*trained.report.dual_objective, primal);
  EXPECT_LE(dual, *trained.report.primal_objective);
}

TEST(Multilabel, MethodsAgreeAndTheObjectiveIsTheModels) {
  const Dataset data = label_rows(50, 2);
  for (const bool interactions : {false, true}) {
    for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
      double least = std::numeric_limits<double>::infinity();
      double bound = 0;
      for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                            StructuralMethod::one_slack,
                                            StructuralMethod::n_slack}) {
        const TrainedMultilabel trained =
            train_multilabel(data,
                             {.solving = {.c = 0.2, .tolerance = 1e-4, .max_passes = 20000},
                              .method = method,
                              .rescaling = rescaling,
                              .task = {.interactions = interactions}});
        EXPECT_EQ(trained.report.status, Status::solved) << to_string(method);
        const double objective = multilabel_objective(trained.model, data, 0.2, rescaling);
        EXPECT_NEAR(objective, *trained.report.primal_objective, 1e-9 * objective);
        least = std::min(least, objective);
        bound = std::max(bound, *trained.report.dual_objective);
      }
      EXPECT_LE(bound, least);
      EXPECT_GE(bound, least * (1 - 1.1e-4));
    }
  }
}

TEST(Multilabel, SetsAreThoseOfPositiveScores) {
  const Dataset data = label_rows(80, 3);
  const MultilabelClassifier model = train_multilabel(data).model;
  const DenseMatrix scores = model.scores(data.examples, 1);
  const std::vector<std::vector<Label>> sets = model.predict(data.examples, 3);
  std::size_t there = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<Label> set;
    for (std::size_t l = 0; l < 3; ++l) {
      if (scores(i, l) >= 0) set.push_back(model.labels[l]);
    }
    EXPECT_EQ(sets[i], set);
    there += set.size();
  }
  EXPECT_GT(there, 0u);
  // Missing features are 0, further ones ignored.
  const DenseMatrix narrow(1, 2, 1.0);
  DenseMatrix wide(1, 6, 7.0);
  wide(0, 0) = wide(0, 1) = 1;
  wide(0, 2) = wide(0, 3) = 0;
  EXPECT_EQ(model.predict(to_sparse(narrow.view())), model.predict(to_sparse(wide.view())));
  EXPECT_THROW(static_cast<void>(model.predict(narrow)), InvalidArgument);
}

TEST(Multilabel, FilesGiveBackTheSameModel) {
  Dataset data = label_rows(40, 4);
  data.feature_names = {"a", "b", "c", "d"};
  for (const bool interactions : {false, true}) {
    for (const double bias : {0.0, 1.0}) {
      TrainedMultilabel trained =
          train_multilabel(data, {.task = {.bias = bias, .interactions = interactions}});
      trained.model.scaler = fit_scaler(data.examples, parse_scaling("range"));
      ModelDocument document("multilabel");
      add_multilabel(document, trained.model);
      const MultilabelClassifier back = multilabel_of(document);
      EXPECT_EQ(back.weights, trained.model.weights);
      EXPECT_EQ(back.labels, trained.model.labels);
      EXPECT_EQ(back.feature_names, data.feature_names);
      EXPECT_EQ(back.predict(data.examples), trained.model.predict(data.examples));
    }
  }
  ModelDocument broken("multilabel");
  broken.set_labels("labels", {Label(2.0), Label(1.0)});
  EXPECT_THROW(static_cast<void>(multilabel_of(broken)), ModelFormatError);
}

TEST(Multilabel, WrongDataIsNamed) {
  EXPECT_NE(problem_of({}).find("no rows"), std::string::npos);
  Dataset data = label_rows(5, 5);
  data.label_sets.assign(5, {});
  EXPECT_NE(problem_of(data).find("no row with a label"), std::string::npos);
  data.label_sets.clear();
  data.labels = LabelColumn::from_numbers({1, 2, 1, 2, 1});
  EXPECT_NE(problem_of(data).find("no sets of labels"), std::string::npos);
  data = label_rows(40, 6);
  for (std::size_t i = 0; i < 25; ++i) data.label_sets[i] = {Label(static_cast<double>(i))};
  EXPECT_NE(problem_of(data, {.task = {.interactions = true}}).find("at most 20"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/model.hpp"

namespace maxmargin {
namespace {

/// Learners of this test: those from labelled rows whose example is trained on in no time. Robust
/// and semi-supervised ones have a test of their own.
std::vector<std::string> learners_of_labelled_rows() {
  std::vector<std::string> found;
  for (const Learner* const each : learners()) {
    const LearnerInfo& info = each->info();
    const bool is_of_rows =
        info.task == Task::classify || info.task == Task::regress || info.task == Task::detect;
    const bool has_own_test = info.learns_from_unlabelled ||
                              info.page == "docs/algorithms/robust.md" || each->can_evaluate();
    if (is_of_rows && info.data == DataKind::table && !has_own_test) {
      found.emplace_back(info.name);
    }
  }
  return found;
}

TEST(SupervisedLearners, AreThoseOfTheRegistry) {
  const std::vector<std::string> names = learners_of_labelled_rows();
  EXPECT_GE(names.size(), 12U);
  EXPECT_TRUE(std::ranges::count(names, "svc") == 1 && std::ranges::count(names, "lda") == 1);
}

TableData example_of(const Learner& learner) {
  return {.data = make_builtin(learner.info().example)};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SupervisedLearners, ModelsAreSavedAndLoadedAsTheyAre) {
  for (const std::string& name : learners_of_labelled_rows()) {
    SCOPED_TRACE(name);
    const Learner& chosen = learner(name);
    const TableData data = example_of(chosen);
    const Training trained = train(name, data.data);
    ASSERT_TRUE(trained.model);
    EXPECT_EQ(trained.model->header().learner, name);
    EXPECT_EQ(trained.model->header().examples, data.data.size());
    const std::string bytes = model_bytes(*trained.model);
    const Model again = load_model_bytes(bytes);
    EXPECT_EQ(model_bytes(again), bytes);
    EXPECT_EQ(again.header().options, trained.model->header().options);
    const Prediction before = predict(*trained.model, data.data);
    const Prediction after = predict(again, data.data);
    EXPECT_EQ(before.lines, after.lines);
    EXPECT_EQ(before.labels, after.labels);
    EXPECT_EQ(before.values, after.values);
    const bool has_labels = chosen.info().task != Task::regress;
    EXPECT_EQ(after.labels.size(), has_labels ? data.data.size() : 0U);
    EXPECT_EQ(std::ranges::count(after.lines, '\n'), static_cast<std::ptrdiff_t>(data.data.size()));
  }
}

TEST(SupervisedLearners, CertificatesAreRecomputedFromTheModel) {
  for (const std::string& name : learners_of_labelled_rows()) {
    SCOPED_TRACE(name);
    const Learner& chosen = learner(name);
    const TableData data = example_of(chosen);
    const Training trained = train(name, data.data);
    const Model again = load_model_bytes(model_bytes(*trained.model, ModelFormat::binary));
    if (!chosen.can_verify()) {
      const Verification none = chosen.verify(again, data, {});
      EXPECT_FALSE(none.agrees);
      EXPECT_EQ(none.complaint, "the learner " + name + " has no certificate to recompute");
      continue;
    }
    const Verification found = chosen.verify(again, data, {});
    EXPECT_EQ(found.agrees, true) << found.complaint;
    ASSERT_TRUE(found.primal);
    EXPECT_NEAR(*found.primal,
                *trained.report.solve.primal_objective,
                1e-6 * (1 + std::abs(*found.primal)));
    TableData fewer = data;
    fewer.data = data.data.select(std::vector<std::size_t>{0, 1, 2});
    EXPECT_EQ(chosen.verify(again, fewer, {}).agrees, false);
  }
}

TEST(SupervisedLearners, WhereNoMachineExistsThereIsNothingToVerify) {
  const Dataset data = iris();
  Dataset doubled = data.select(std::vector<std::size_t>{0, 0, 60, 60});
  doubled.labels = LabelColumn::from_numbers({0, 1, 0, 1});
  const Training trained = train("lp-svc", doubled, {{"C", "inf"}});
  ASSERT_EQ(trained.report.solve.status, Status::primal_infeasible);
  const Verification found =
      learner("lp-svc").verify(*trained.model, TableData{.data = doubled}, {});
  EXPECT_FALSE(found.agrees);
  EXPECT_TRUE(contains(found.complaint, "primal_infeasible"));
}

TEST(SupervisedLearners, OptionsThatBreakARuleAreNamed) {
  for (const std::string& name : learners_of_labelled_rows()) {
    const Learner& chosen = learner(name);
    for (const OptionDescription& option : chosen.options()) {
      SCOPED_TRACE(name + " " + option.name);
      EXPECT_FALSE(option.help.empty());
      EXPECT_LE(option.help.size(), 90U);
      if (option.name == "code") continue;  // any text is the name of a file
      const std::string said = message_of([&] {
        chosen.check_options({{option.name, "no such value"}});
      });
      EXPECT_TRUE(contains(said, flag_of(option.name))) << said;
      if (option.kind != OptionKind::number) continue;
      const std::string of_nan = message_of([&] { chosen.check_options({{option.name, "nan"}}); });
      EXPECT_TRUE(contains(of_nan, flag_of(option.name))) << of_nan;
    }
    chosen.check_options({});
  }
}

TEST(SupervisedLearners, NamesThatNoOptionHasAreRefusedWithTheNearest) {
  const Learner& svc = learner("svc");
  EXPECT_TRUE(contains(message_of([&] { svc.check_options({{"gama", "1"}}); }), "--gamma?"));
  EXPECT_TRUE(contains(message_of([&] { svc.check_options({{"scal", "range"}}); }), "--scale?"));
  EXPECT_TRUE(contains(message_of([&] {
                         svc.check_options({{"gamma", "1"}, {"kernel", "linear"}});
                       }),
                       "the kernel linear does not have it"));
  EXPECT_TRUE(contains(message_of([&] {
                         (void)predict(*train("lda", iris()).model,
                                       LearnerData(TableData{.data = iris()}),
                                       {{"score", true}});
                       }),
                       "--scores?"));
}

TEST(SupervisedLearners, TheDefaultOfALossFollowsItsPenalty) {
  const Training trained = train("linear-svc", iris(), {{"penalty", "l1"}, {"C", 0.1}});
  const OptionScalars& used = trained.model->header().options;
  EXPECT_NE(
      std::ranges::find(used, OptionScalars::value_type("loss", std::string("squared-hinge"))),
      used.end());
  EXPECT_TRUE(
      contains(message_of([&] {
                 learner("linear-svc").check_options({{"loss", "hinge"}, {"penalty", "l1"}});
               }),
               "--penalty l1 goes with --loss squared-hinge alone"));
}

TEST(SupervisedLearners, AllClassesAtOnceIsAnotherLearner) {
  const Dataset data = iris();
  EXPECT_EQ(&effective_learner(learner("svc"), {{"C", "2"}}), &learner("svc"));
  const Training by_svc = train("svc", data, {{"multiclass", "direct"}, {"C", 2}});
  const Training by_name = train("cs-svc", data, {{"C", 2}});
  EXPECT_EQ(model_bytes(*by_svc.model), model_bytes(*by_name.model));
  const Training linear = train("linear-svc", data, {{"multiclass", "direct"}});
  const Training on_features = train("cs-svc", data, {{"kernel", "linear"}});
  EXPECT_EQ(model_bytes(*linear.model), model_bytes(*on_features.model));
  EXPECT_TRUE(
      contains(message_of([&] {
                 learner("linear-svc").check_options({{"multiclass", "direct"}, {"kernel", "rbf"}});
               }),
               "the learner linear-svc does not take it"));
  EXPECT_TRUE(
      contains(message_of([&] {
                 learner("svc").check_options({{"multiclass", "direct"}, {"loss", "hinge"}});
               }),
               "svc with --multiclass direct does not take it"));
}

TEST(SupervisedLearners, ReportsShowTheOptionsAsUsed) {
  const Dataset data = iris();
  const Training trained = train("svc", data, {{"C", "inf"}, {"scale", "standard"}, {"seed", 7}});
  const auto used = [&](const std::string& key) {
    const auto at =
        std::ranges::find(trained.report.options, key, &ReportFields::value_type::first);
    return at == trained.report.options.end() ? ReportValue{} : at->second;
  };
  EXPECT_EQ(used("C"), ReportValue(std::string("inf")));
  EXPECT_EQ(used("kernel"), ReportValue(std::string("rbf")));
  EXPECT_TRUE(std::holds_alternative<double>(used("gamma")));
  EXPECT_EQ(used("scale"), ReportValue(std::string("standard")));
  EXPECT_EQ(used("seed"), ReportValue(std::int64_t{7}));
  EXPECT_EQ(trained.model->header().seed, 7U);
  EXPECT_EQ(trained.report.n, data.size());
  EXPECT_GT(*trained.report.metric("accuracy"), 0.9);
  EXPECT_GT(*trained.report.metric("support_vectors"), 0);
}

TEST(SupervisedLearners, ProbabilitiesAreThoseOfACalibration) {
  const Dataset data = iris();
  const LearnerData rows = TableData{.data = data};
  const Training trained = train("svc", data, {{"probabilities", "true"}});
  const Prediction said = predict(*trained.model, rows, {{"probabilities", true}});
  ASSERT_EQ(said.probabilities.rows(), data.size());
  ASSERT_EQ(said.probabilities.cols(), 3U);
  for (std::size_t i = 0; i < data.size(); ++i) {
    double sum = 0;
    for (const double p : said.probabilities.row(i)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  const Training plain = train("svc", data);
  EXPECT_TRUE(contains(message_of([&] {
                         (void)predict(*plain.model, rows, {{"probabilities", true}});
                       }),
                       "the model has none"));
  EXPECT_TRUE(
      contains(message_of([&] {
                 (void)predict(*plain.model, rows, {{"probabilities", true}, {"scores", true}});
               }),
               "exclude each other"));
  const Prediction scores = predict(*plain.model, rows, {{"scores", true}});
  EXPECT_EQ(scores.scores.cols(), 3U);
  EXPECT_TRUE(contains(scores.lines, "setosa"));
}

TEST(SupervisedLearners, AKernelComputedElsewhereIsTheSameKernel) {
  const Dataset data = iris();
  const auto kernel = std::make_shared<const DenseMatrix>(gram(Rbf{.gamma = 0.5}, data.examples));
  TableData given{.data = data, .kernel_matrix = kernel};
  given.data.examples = index_examples(data.size());
  given.data.feature_names.clear();
  const LearnerData rows = given;
  const Training trained = train("svc", rows, {{"kernel", "precomputed"}});
  const Training direct = train("svc", data, {{"kernel", "rbf"}, {"gamma", 0.5}});
  EXPECT_NEAR(*trained.report.solve.primal_objective,
              *direct.report.solve.primal_objective,
              1e-3 * *direct.report.solve.primal_objective);
  EXPECT_EQ(predict(*trained.model, rows).labels, predict(*direct.model, data).labels);
  EXPECT_EQ(learner("svc").verify(*trained.model, rows, {}).agrees, true);
  EXPECT_TRUE(contains(message_of([&] {
                         (void)train("svc", data, {{"kernel", "precomputed"}});
                       }),
                       "--kernel precomputed"));
  EXPECT_TRUE(contains(message_of([&] {
                         (void)train("svc", rows, {{"kernel", "precomputed"}, {"scale", "range"}});
                       }),
                       "--scale"));
  DenseMatrix indefinite = *kernel;
  for (std::size_t i = 0; i < data.size(); ++i) indefinite(i, i) = -1;
  given.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(indefinite));
  const LearnerData worse_rows = given;
  EXPECT_TRUE(contains(message_of([&] {
                         (void)train("svc", worse_rows, {{"kernel", "precomputed"}});
                       }),
                       "--allow-indefinite takes it all the same"));
  EXPECT_TRUE(contains(message_of([&] {
                         (void)train("cs-svc", worse_rows, {{"kernel", "precomputed"}});
                       }),
                       "cs-svc needs a kernel that is"));
}

TEST(SupervisedLearners, FiguresOfAModelAreForPeople) {
  const Dataset data = iris();
  const Model kernel_machine = *train("svc", data).model;
  const ModelFigures figures = kernel_machine.learner().figures(kernel_machine);
  const auto field = [&](const std::string& key) {
    return std::ranges::find(figures.fields, key, &ReportFields::value_type::first) !=
           figures.fields.end();
  };
  for (const char* const key : {"task",
                                "features",
                                "classes",
                                "kernel",
                                "gamma",
                                "support_vectors",
                                "status",
                                "margin",
                                "relative_gap"}) {
    EXPECT_TRUE(field(key)) << key;
  }
  const auto vectors = kernel_machine.learner().support_vectors(kernel_machine);
  ASSERT_TRUE(vectors);
  EXPECT_EQ(vectors->cols(), 4U);
  const Model linear = *train("linear-svc", data).model;
  EXPECT_FALSE(linear.learner().support_vectors(linear));
}

TEST(SupervisedLearners, DataMustFitTheModel) {
  const Dataset data = iris();
  const Model model = *train("linear-svc", data).model;
  Dataset narrow = data;
  narrow.examples = DenseMatrix(2, 3);
  narrow.labels = {};
  narrow.feature_names = {};
  EXPECT_THROW((void)predict(model, narrow), FileError);
  Dataset other = data;
  other.feature_names = {"a", "b", "c", "d"};
  EXPECT_THROW((void)predict(model, other), FileError);
  Dataset renamed = data.select(std::vector<std::size_t>{0, 1});
  renamed.labels = LabelColumn::from_numbers({7, 7});
  const Prediction said = predict(model, renamed);
  EXPECT_EQ(said.report.metric("accuracy"), 0.0);
  ASSERT_FALSE(said.report.solve.warnings.empty());
  EXPECT_TRUE(contains(said.report.solve.warnings.front(), "never saw"));
  EXPECT_THROW((void)train("svc", LearnerData(AlignmentData{})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

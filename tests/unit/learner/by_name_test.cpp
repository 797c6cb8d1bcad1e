// SPDX-License-Identifier: Apache-2.0
//
// The short form: options as values of C++, and what predictions say of their own columns.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/linear/svc.hpp"

namespace maxmargin {
namespace {

static_assert(!std::is_constructible_v<OptionSetting, std::string, std::nullptr_t>);

TEST(ByName, OptionsTakeNumbersOfAnyType) {
  EXPECT_EQ(OptionSetting("n", std::int64_t{-7}).text, "-7");
  EXPECT_EQ(OptionSetting("n", 7U).text, "7");
  EXPECT_EQ(OptionSetting("n", 7LL).text, "7");
  EXPECT_EQ(OptionSetting("n", std::uint64_t{18446744073709551615U}).text, "18446744073709551615");
  EXPECT_EQ(OptionSetting("x", 1e6).text, "1000000");
  EXPECT_EQ(OptionSetting("x", 0.1).text, "0.1");
  EXPECT_EQ(OptionSetting("x", 1e300).text, "1e+300");
  EXPECT_EQ(OptionSetting("b", true).text, "true");
  EXPECT_EQ(OptionSetting("t", "text").text, "text");
  const Dataset iris = make_builtin("iris");
  EXPECT_EQ(train("svc", iris, {{"max-iterations", 1e6}}).report.solve.status, Status::solved);
}

TEST(ByName, PredictionsSayWhatTheirColumnsAre) {
  const Dataset iris = make_builtin("iris");
  for (const char* const name : {"svc", "multiclass"}) {
    const Model model = *train(name, iris).model;
    const Prediction said = predict(model, iris, {{"scores", true}});
    EXPECT_EQ(said.classes, classes_of(iris.labels).names) << name;
    EXPECT_EQ(said.scores.cols(), said.classes.size()) << name;
  }
}

/// The structs of typed calls train the same machines by name, whose models can be saved.
template <class Options>
Model trained_alike(const char* name,
                    const Dataset& data,
                    const Options& options,
                    double primal_objective) {
  const Training trained = train(name, data, options);
  EXPECT_EQ(trained.report.solve.primal_objective, primal_objective) << name;
  Model again = load_model_bytes(model_bytes(trained.model.value()));
  EXPECT_EQ(again.learner().verify(again, TableData{.data = data}, {}).agrees, true) << name;
  return again;
}

TEST(ByName, TypedOptionsTrainWhatTheTypedCallDoes) {
  const Dataset iris = make_builtin("iris");
  const SvcOptions svc{.c = 0.1,
                       .kernel = Polynomial{.gamma = 0.5, .coef0 = 1, .degree = 2},
                       .bias = false,
                       .class_weights = parse_class_weights("virginica=3"),
                       .multiclass = MulticlassKind::ecoc,
                       .control = {.tolerance = 1e-5}};
  trained_alike("svc", iris, svc, *train_svc(iris, svc).report.primal_objective);
  const LinearSvcOptions linear{.c = 0.3, .control = {.tolerance = 1e-4}};
  trained_alike(
      "linear-svc", iris, linear, *train_linear_svc(iris, linear).report.primal_objective);
  const NuSvcOptions nu{.nu = 0.2, .kernel = KernelChoice::with_rule(Rbf{}, GammaRule::median())};
  trained_alike("nu-svc", iris, nu, *train_nu_svc(iris, nu).report.primal_objective);

  const KmeansOptions kmeans{.k = 4, .restarts = 3, .context = {.seed = 11}};
  const Model clusters =
      trained_alike("kmeans", iris, kmeans, *cluster_kmeans(iris, kmeans).report.primal_objective);
  EXPECT_EQ(clusters.header().seed, 11U);
}

TEST(ByName, TypedOptionsBringTheirContextAndRules) {
  const Dataset iris = make_builtin("iris");
  SvcOptions options;
  options.control.context.on_progress = [](const Progress&) { return Continue::stop; };
  EXPECT_EQ(train("svc", iris, options).report.solve.status, Status::stopped_by_callback);
  const auto message = [&](const char* name, const auto& typed) {
    try {
      (void)train(name, iris, typed);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message("svc", SvcOptions{.c = -1}), "-C -1: must be a number > 0, or inf");
  EXPECT_EQ(message("nu-svc", SvcOptions{}).substr(0, 3), "-C:");
}

TEST(ByName, ASeedIsShownWhole) {
  constexpr std::uint64_t largest = 18446744073709551615U;
  const Dataset iris = make_builtin("iris");
  const auto seed_of = [&](const char* name, const std::vector<OptionSetting>& options) {
    const Training trained = train(name, iris, options, {.seed = largest});
    for (const auto& [key, value] : trained.report.options) {
      if (key == "seed") return value;
    }
    return ReportValue{};
  };
  const ReportValue shown = seed_of("svc", {});
  EXPECT_EQ(seed_of("kmeans", {{"k", 3}}), shown);
  EXPECT_EQ(seed_of("multiclass", {}), shown);
  EXPECT_FALSE(std::holds_alternative<std::int64_t>(shown) && std::get<std::int64_t>(shown) < 0);
}

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(ByName, OfSeveralSeedsTheLastCounts) {
  const Dataset iris = make_builtin("iris");
  const auto bytes = [&](const std::vector<OptionSetting>& options) {
    return model_bytes(*train("kmeans", iris, options).model);
  };
  EXPECT_EQ(bytes({{"k", 3}, {"seed", 1}, {"seed", 2}}), bytes({{"k", 3}, {"seed", 2}}));
  EXPECT_EQ(problem_of([&] {
              (void)train("svc", iris, {{"seed", "18446744073709551616"}});
            }),
            "--seed 18446744073709551616: must be a whole number from 0 to 18446744073709551615");
}

TEST(ByName, AMachineThatStandsForAnotherIsNotNamed) {
  EXPECT_EQ(problem_of([] {
              (void)train("svc",
                          make_builtin("iris"),
                          {{"multiclass", "direct"}, {"loss", "squared-hinge"}});
            }).substr(0, 53),
            "--loss: svc with --multiclass direct does not take it");
}

TEST(ByName, AModelIsAskedThroughItsOwnLearner) {
  const Dataset iris = make_builtin("iris");
  const LearnerData data = TableData{.data = iris};
  const Model clusters = *train("kmeans", iris, {{"k", 3}}).model;
  const Model machine = *train("svc", iris).model;
  for (const Learner* const each : learners()) {
    if (each->info().data != DataKind::table) continue;
    const Model& other = each->info().task == Task::cluster ? machine : clusters;
    const std::string problem = "the model is one of " + std::string(other.learner().info().name) +
                                ", not of " + std::string(each->info().name);
    EXPECT_EQ(problem_of([&] { (void)each->predict(other, data, {}, {}); }), problem);
    EXPECT_EQ(problem_of([&] { (void)each->verify(other, data, {}); }), problem);
  }
}

TEST(ByName, OptionsWithoutEffectAreRefused) {
  const auto refusal = [](const char* name, const OptionTexts& options) {
    return problem_of([&] { learner(name).check_options(options); });
  };
  for (const char* const name : {"svc", "svr", "one-class", "linear-svc", "linear-svr"}) {
    EXPECT_EQ(refusal(name, {{"kkt-tolerance", "0.5"}}), "none");
    EXPECT_EQ(refusal(name, {{"kkt-tolerance", "0.5"}, {"tolerance", "1e-5"}}),
              "--tolerance and --kkt-tolerance exclude each other: one of them ends a solve");
  }
  EXPECT_EQ(refusal("s3vm", {{"balance-form", "rows"}}), "none");
  EXPECT_EQ(refusal("s3vm", {{"balance-form", "rows"}, {"balance", "none"}}),
            "--balance-form: needs a balance, and --balance is none");
}

/// Stops as soon as it is asked.
Context stopping() {
  return {.on_progress = [](const Progress&) { return Continue::stop; }};
}

TEST(ByName, WhatClaimsNothingIsNotWrong) {
  const Dataset data = make_builtin("gaussians,n=60,k=2,seed=1");
  const Training trained = train("centroid-svc", data, {}, stopping());
  ASSERT_TRUE(trained.model);
  ASSERT_FALSE(trained.report.solve.primal_objective);
  const Verification found =
      learner("centroid-svc").verify(*trained.model, LearnerData(TableData{.data = data}), {});
  EXPECT_FALSE(found.agrees);
  EXPECT_NE(found.complaint.find("there is nothing to verify"), std::string::npos)
      << found.complaint;
}

constexpr const char* libsvm_model =
    "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\n"
    "probA -2\nprobB 0.1\nnr_sv 1 1\nSV\n0.5 1:1 \n-0.5 1:-1 \n";

TEST(ByName, AModelOfLibsvmKeepsItsProbabilities) {
  const Model model = load_model_bytes(libsvm_model, "old.model");
  Dataset rows;
  rows.examples = DenseMatrix(3, 1, 0.25);
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Model again = load_model_bytes(model_bytes(model, format));
    for (const char* const option : {"scores", "probabilities"}) {
      const Prediction before = predict(model, rows, {{option, true}});
      const Prediction after = predict(again, rows, {{option, true}});
      EXPECT_EQ(after.lines, before.lines);
      EXPECT_EQ(after.probabilities.rows(), std::string(option) == "probabilities" ? 3U : 0U);
    }
  }
}

TEST(ByName, AModelOfLibsvmTakesWiderRowsOnceItIsSaved) {
  const Model model = load_model_bytes(libsvm_model, "old.model");
  Dataset rows;
  rows.examples = DenseMatrix(2, 3, 0.25);
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Model again = load_model_bytes(model_bytes(model, format));
    EXPECT_TRUE(again.is_foreign());
    EXPECT_EQ(predict(again, rows).lines, predict(model, rows).lines);
    EXPECT_EQ(model_bytes(again), model_bytes(model));
  }
}

TEST(ByName, AModelMakesItsMachineOnce) {
  const std::vector<Model> copies(2, *train("svc", make_builtin("iris")).model);
  EXPECT_EQ(&copies[0].machine(), &copies[1].machine());
  const Model groups = *train("kmeans", make_builtin("iris"), {{"k", 3}}).model;
  EXPECT_THROW((void)groups.machine(), ModelFormatError);
}

/// What a file with another value in that field is refused with.
std::string problem_with(const Model& model, const std::string& field, const OptionScalar& value) {
  const ModelDocument& document = model.document();
  ModelDocument made(document.learner(), "changed.mm");
  const auto put = [&](const std::string& name, const auto& content) {
    using T = std::decay_t<decltype(content)>;
    if constexpr (std::is_same_v<T, bool>) made.set_boolean(name, content);
    if constexpr (std::is_same_v<T, std::int64_t>) made.set_integer(name, content);
    if constexpr (std::is_same_v<T, double>) made.set_number(name, content);
    if constexpr (std::is_same_v<T, std::string>) made.set_string(name, content);
  };
  for (const ModelDocument::Field& each : document.fields()) {
    if (each.name == field) continue;
    std::visit([&](const auto& content) { put(each.name, content); }, each.value);
  }
  std::visit([&](const auto& content) { put(field, content); }, value);
  try {
    (void)Model(std::move(made));
  } catch (const ModelFormatError& error) {
    return error.what();
  }
  return "none";
}

TEST(ByName, AModelsHeaderIsCheckedWhenItIsRead) {
  const Model model = *train("svc", make_builtin("iris")).model;
  EXPECT_EQ(problem_with(model, "training.examples", std::int64_t{150}), "none");
  EXPECT_EQ(problem_with(model, "training.examples", std::int64_t{-3}),
            "changed.mm: the model's 'training.examples' is -3, must be >= 0");
  EXPECT_EQ(problem_with(model, "task", std::string("regression")),
            "changed.mm: the model's 'task' is regression, that of svc is classification");
  EXPECT_EQ(problem_with(model, "option.tolerence", 0.5),
            "changed.mm: --tolerence: the learner svc does not take it; did you mean --tolerance?");
  EXPECT_EQ(problem_with(model, "option.nu", 0.5),
            "changed.mm: --nu: the learner svc does not take it");
}

}  // namespace
}  // namespace maxmargin

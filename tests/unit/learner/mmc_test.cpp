// SPDX-License-Identifier: Apache-2.0
//
// Support vector clustering, the relabeler and maximum-margin clustering as the table has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "learner/clustering/clustering.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {
namespace {

using learning::ClusterLearner;

const ClusterLearner& method(std::string_view name) {
  return dynamic_cast<const ClusterLearner&>(learner(name));
}

template <class Run>
std::string message_of(const Run& run) {
  try {
    run();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

std::string refusal(std::string_view name, const OptionTexts& options) {
  return message_of([&] { method(name).check_options(options); });
}

/// One way to an answer.
struct Way {
  std::string name = {};
  std::string method = {};
  OptionTexts options = {};
  std::string data = "gaussians,n=24,seed=2";
};

std::vector<Way> ways() {
  const std::string three = "gaussians,n=12,k=3,seed=1";
  return {
      {"Two", "mmc", {{"k", "2"}, {"C", "10"}}},
      {"TwoRows", "mmc", {{"k", "2"}, {"balance-form", "rows"}, {"bias", "none"}}},
      {"TwoFree", "mmc", {{"k", "2"}, {"balance", "none"}, {"bias", "constant"}}},
      {"Three", "mmc", {{"k", "3"}, {"C", "0.1"}, {"anchors", "2"}}, three},
      {"Features", "mmc", {{"k", "2"}, {"features", "nystroem:8"}}},
      {"Alternating", "mmc-alternating", {{"k", "2"}, {"bound", "relaxation"}}},
      {"AlternatingThree", "mmc-alternating", {{"k", "3"}, {"features", "nystroem:6"}}, three},
      {"CuttingPlane", "mmc-cutting-plane", {{"k", "2"}}},
      {"Relabeler", "relabeler", {{"k", "2"}, {"restarts", "3"}}},
      {"RelabelerThree",
       "relabeler",
       {{"k", "3"}, {"anneal", "true"}, {"anneal-steps", "2"}},
       three},
      {"SvClustering", "sv-clustering", {{"nu", "0.1"}}},
      {"SvSweep", "sv-clustering", {{"gamma-sweep", "3"}}},
  };
}

class EveryWay : public testing::TestWithParam<Way> {};

TEST_P(EveryWay, TrainsAndItsModelAnswersTheSameFromBytes) {
  const Way& way = GetParam();
  const ClusterLearner& tried = method(way.method);
  const TableData data{.data = make_builtin(way.data)};
  const Training trained =
      tried.train(data, {.options = way.options, .context = {.threads = 2, .seed = 5}});
  EXPECT_EQ(trained.clusters.size(), data.data.size());
  ASSERT_TRUE(trained.model);
  EXPECT_EQ(trained.model->header().learner, way.method);
  EXPECT_EQ(tried.verify_labels(trained, data).agrees, true);
  const Prediction now = tried.predict(*trained.model, data, {}, {});
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Model again = load_model_bytes(model_bytes(*trained.model, format));
    EXPECT_EQ(&again.learner(), &tried);
    EXPECT_EQ(again.header().options, trained.model->header().options);
    EXPECT_EQ(tried.predict(again, data, {}, {.threads = 1}).clusters, now.clusters);
    EXPECT_EQ(tried.verify(again, data, {}).agrees, true)
        << tried.verify(again, data, {}).complaint;
  }
}

TEST_P(EveryWay, SeesAWrongObjective) {
  const Way& way = GetParam();
  const ClusterLearner& tried = method(way.method);
  const TableData data{.data = make_builtin(way.data)};
  Training trained = tried.train(data, {.options = way.options});
  trained.report.solve.primal_objective = *trained.report.solve.primal_objective * 1.001 + 1e-3;
  EXPECT_EQ(tried.verify_labels(trained, data).agrees, false);
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay, testing::ValuesIn(ways()), [](const auto& tested) {
  return tested.param.name;
});

/// The model with another field lower_bound.
ModelDocument with_bound(const ModelDocument& document, double bound) {
  ModelDocument changed(document.learner());
  for (const ModelDocument::Field& field : document.fields()) {
    if (field.name == "lower_bound") {
      changed.set_number(field.name, bound);
    } else if (const auto* number = std::get_if<double>(&field.value)) {
      changed.set_number(field.name, *number);
    } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
      changed.set_integer(field.name, *whole);
    } else if (const auto* truth = std::get_if<bool>(&field.value)) {
      changed.set_boolean(field.name, *truth);
    } else {
      changed.set_string(field.name, std::get<std::string>(field.value));
    }
  }
  for (const ModelDocument::Section& section : document.sections()) {
    if (const auto* numbers = std::get_if<std::vector<double>>(&section.content)) {
      changed.set_numbers(section.name, *numbers);
    } else if (const auto* matrix = std::get_if<DenseMatrix>(&section.content)) {
      changed.set_dense(section.name, *matrix);
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&section.content)) {
      changed.set_strings(section.name, *texts);
    }
  }
  return changed;
}

TEST(MmcLearner, ModelsClaimNoBoundThatTheirCertificateDoesNotProve) {
  const ClusterLearner& mmc = method("mmc");
  const TableData data{.data = make_builtin("gaussians,n=16,seed=2")};
  for (const OptionTexts& options : {OptionTexts{{"k", "2"}, {"C", "1"}},
                                     OptionTexts{{"k", "2"}, {"features", "nystroem:16"}}}) {
    const Training trained = mmc.train(data, {.options = options});
    const double bound = *trained.report.solve.lower_bound;
    ASSERT_GT(bound, 0);
    // Below the objective, so that nothing but the certificate can tell.
    ASSERT_LT(1.01 * bound, *trained.report.solve.primal_objective);
    const ModelDocument& document = trained.model->document();
    EXPECT_EQ(mmc.verify(Model(with_bound(document, bound)), data, {}).agrees, true);
    EXPECT_EQ(mmc.verify(Model(with_bound(document, 1.01 * bound)), data, {}).agrees, false);
  }
}

TEST(MmcLearner, TakesAPrecomputedKernel) {
  const Dataset points = make_builtin("gaussians,n=20,seed=4");
  const auto square = std::make_shared<const DenseMatrix>(gram(Linear{}, points.examples));
  const TableData data{.data = {.examples = index_examples(20), .labels = points.labels},
                       .kernel_matrix = square};
  const ClusterLearner& mmc = method("mmc");
  const Training of_matrix = mmc.train(data, {.options = {{"k", "2"}, {"kernel", "precomputed"}}});
  const Training of_points =
      mmc.train(TableData{.data = points}, {.options = {{"k", "2"}, {"kernel", "linear"}}});
  EXPECT_EQ(of_matrix.clusters, of_points.clusters);
  EXPECT_EQ(mmc.predict(*of_matrix.model, data, {}, {}).clusters, of_matrix.clusters);
  EXPECT_EQ(mmc.verify(*of_matrix.model, data, {}).agrees, true);
}

TEST(MmcLearner, RefusesWrongOptionsByTheirFlags) {
  EXPECT_EQ(refusal("mmc", {{"C", "1"}}), "-k: the number of clusters is missing");
  EXPECT_EQ(refusal("mmc", {{"k", "1"}}), "-k 1: the method mmc makes two clusters or more");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, {"C", "inf"}}), "-C inf: must be a finite number > 0");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, {"tolerance", "-1"}}),
            "--tolerance -1: must be a number in (0, 1)");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, {"restarts", "0"}}),
            "--restarts 0: must be a whole number >= 1");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, {"balance", "1"}}),
            "--balance 1: must be a number in [0, 1), or none");
  EXPECT_EQ(refusal("mmc", {{"k", "3"}, {"anchors", "7"}}),
            "--anchors 7: must be a whole number from 0 to 6");
  EXPECT_EQ(refusal("mmc", {{"anchors", "2"}, {"k", "2"}}),
            "--anchors: two clusters have a bound of their own, only -k 3 or more use it");
  EXPECT_EQ(refusal("mmc", {{"k", "3"}, {"balance-form", "total"}}),
            "--balance-form total: more than two clusters have the form rows");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, {"features", "fourier:4"}}),
            "--features fourier:4: must be nystroem:M with a whole number M >= 1");
  const OptionTexts::value_type features{"features", "nystroem:4"};
  EXPECT_EQ(refusal("mmc", {{"k", "3"}, features}),
            "-k 3: the method mmc makes two clusters of features; mmc-alternating makes more");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, features, {"balance-form", "rows"}}),
            "--balance-form: the bound from --features does not use the balance");
  EXPECT_EQ(refusal("mmc", {{"k", "2"}, features, {"anchors", "1"}}),
            "--anchors: the bound from --features does not use them");
  EXPECT_NE(refusal("mmc", {{"k", "2"}, {"kernel", "sigmoid"}})
                .find("--kernel sigmoid: not positive semidefinite"),
            std::string::npos);
  EXPECT_EQ(refusal("mmc-alternating", {{"k", "3"}, {"bound", "relaxation"}}),
            "--bound relaxation: only for two clusters, not -k 3");
  EXPECT_EQ(refusal("mmc-alternating", {{"k", "3"}, {"steps", "sdp"}}),
            "--steps sdp: only for two clusters, not -k 3");
  EXPECT_EQ(refusal("mmc-cutting-plane", {{"k", "3"}}),
            "-k 3: the method mmc-cutting-plane makes two clusters");
  EXPECT_NE(refusal("mmc-cutting-plane", {{"k", "2"}, {"kernel", "rbf"}}).find("--kernel rbf"),
            std::string::npos);
  EXPECT_EQ(refusal("mmc", {{"k", "3"}, {"anchors", "0"}, {"balance-form", "rows"}}), "");
}

TEST(RelabelerLearner, RefusesWhatItsEngineAndSearchDoNotHave) {
  const auto refused = [](OptionTexts options) {
    options.emplace_back("k", "2");
    return refusal("relabeler", options);
  };
  EXPECT_EQ(refused({{"nu", "0.3"}}), "--nu: the engine svc takes -C in its place");
  EXPECT_EQ(refused({{"C", "1"}, {"engine", "nu-svc"}}),
            "-C: the engine nu-svc takes --nu in its place");
  EXPECT_EQ(refused({{"temperature", "5"}}), "--temperature: needs --anneal");
  EXPECT_EQ(refused({{"anneal-steps", "5"}}), "--anneal-steps: needs --anneal or --perturb");
  EXPECT_EQ(refused({{"perturb", "0.1"}, {"cooling", "0.5"}}), "--cooling: needs --anneal");
  EXPECT_EQ(refused({{"anneal", "true"}, {"cooling", "1.5"}}),
            "--cooling 1.5: must be a number in (0, 1)");
  EXPECT_EQ(refused({{"perturb", "2"}}), "--perturb 2: must be a number in [0, 1]");
  EXPECT_EQ(refused({{"multiclass", "direct"}, {"engine", "nu-svc"}}),
            "--multiclass direct: the engine must be svc");
  EXPECT_EQ(refused({{"p-value", "2"}}), "--p-value 2: must be a number in (0, 1]");
  EXPECT_EQ(refused({{"perturb-law", "stall"}, {"anneal-steps", "5"}}), "");
}

TEST(SvClusteringLearner, RefusesWrongOptionsByTheirFlags) {
  EXPECT_EQ(refusal("sv-clustering", {{"nu", "1"}}), "--nu 1: must be a number in [0, 1)");
  EXPECT_EQ(refusal("sv-clustering", {{"samples", "10001"}}),
            "--samples 10001: must be a whole number from 1 to 10000");
  EXPECT_EQ(refusal("sv-clustering", {{"gamma", "1"}, {"gamma-sweep", "5"}}),
            "--gamma: --gamma-sweep and --gamma exclude each other");
  EXPECT_EQ(refusal("sv-clustering", {{"kernel", "linear"}, {"gamma-sweep", "5"}}),
            "--gamma-sweep: takes the kernel rbf alone, not linear");
  EXPECT_NE(refusal("sv-clustering", {{"kernel", "precomputed"}}).find("--kernel precomputed"),
            std::string::npos);
  EXPECT_NE(refusal("sv-clustering", {{"k", "2"}}).find("-k"), std::string::npos);
}

// Help shows every option with its default, also those that other options switch on.
TEST(MmcLearner, DescribesAllOptions) {
  const auto fallback = [](std::string_view name, std::string_view option) {
    const std::vector<OptionDescription> all = method(name).options();
    const auto found = std::ranges::find(all, option, &OptionDescription::name);
    return found == all.end() ? "missing" : found->fallback;
  };
  EXPECT_EQ(fallback("mmc", "anchors"), "the smaller of k and 4");
  EXPECT_EQ(fallback("mmc", "balance"), "0.1");
  EXPECT_EQ(fallback("mmc", "bias"), "center");
  EXPECT_EQ(fallback("mmc-alternating", "bound"), "none");
  EXPECT_EQ(fallback("mmc-cutting-plane", "kernel"), "linear");
  EXPECT_EQ(fallback("relabeler", "temperature"), "10");
  EXPECT_EQ(fallback("relabeler", "cooling-schedule"), "geometric");
  EXPECT_EQ(fallback("relabeler", "perturb"), "0.1");
  EXPECT_EQ(fallback("relabeler", "nu"), "0.5");
  EXPECT_EQ(fallback("sv-clustering", "graph"), "knn");
  for (const char* name :
       {"mmc", "mmc-alternating", "mmc-cutting-plane", "relabeler", "sv-clustering"}) {
    for (const OptionDescription& option : method(name).options()) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_LE(option.help.size(), 90U) << option.name;
    }
  }
}

// The options that a model keeps lead to the same clusters again.
TEST_P(EveryWay, TakesBackTheOptionsItsModelKeeps) {
  const Way& way = GetParam();
  const ClusterLearner& tried = method(way.method);
  const TableData data{.data = make_builtin(way.data)};
  const Training trained = tried.train(data, {.options = way.options});
  OptionTexts kept;
  for (const auto& [key, value] : trained.model->header().options) {
    for (const OptionDescription& option : tried.options()) {
      if (key_of(option.name) == key) kept.emplace_back(option.name, text_of(value));
    }
  }
  EXPECT_EQ(tried.train(data, {.options = kept}).clusters, trained.clusters);
}

// Files of format 1: three clusters had a name of their own, and mmc of features wrote models of
// mmc-alternating.
TEST(MmcLearner, ReadsModelsOfFormatOne) {
  const std::string folder = MAXMARGIN_SOURCE_DIR "/tests/fixtures/v1/";
  const TableData data{.data = make_builtin("gaussians,n=9,k=3")};
  for (const char* const end : {".mm", ".bin.mm"}) {
    const Model three = load_model(folder + "mmc-3" + end);
    EXPECT_EQ(three.learner().info().name, "mmc");
    Input answers = Input::open(folder + "mmc-3.txt");
    EXPECT_EQ(predict(three, data).lines, answers.read_all());
    const Model features = load_model(folder + "mmc-features" + end);
    EXPECT_EQ(features.learner().info().name, "mmc-alternating");
    EXPECT_EQ(predict(features, make_builtin("gaussians,n=9")).clusters.size(), 9U);
  }
}

}  // namespace
}  // namespace maxmargin

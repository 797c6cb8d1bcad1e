// SPDX-License-Identifier: Apache-2.0
//
// Clustering methods as the table of learners has them.
#include "learner/clustering/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/learner/cluster.hpp"

namespace maxmargin {
namespace {

using learning::ClusterLearner;
using learning::LearnerList;

/// The methods of the families below, which the table has, too.
const LearnerList& methods() {
  static const LearnerList list = [] {
    LearnerList all;
    learning::add_partition_methods(all);
    learning::add_kernel_kmeans(all);
    learning::add_hierarchical_methods(all);
    learning::add_mixtures(all);
    learning::add_spectral_methods(all);
    return all;
  }();
  return list;
}

const ClusterLearner& method(std::string_view name) {
  for (const auto& each : methods()) {
    if (each->info().name == name) return dynamic_cast<const ClusterLearner&>(*each);
  }
  throw InternalError("no method " + std::string(name));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& each : methods()) found.emplace_back(each->info().name);
  return found;
}

TableData blobs() { return {.data = make_builtin("gaussians,n=60,k=3,separation=8,seed=1")}; }

template <class Run>
std::string message_of(const Run& run) {
  try {
    run();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, TrainsAndItsModelPredictsTheSameFromBytes) {
  const ClusterLearner& tried = method(GetParam());
  const TableData data = blobs();
  const Training trained = tried.train(
      data, {.options = {{"k", "3"}, {"scale", "standard"}}, .context = {.threads = 2, .seed = 5}});
  EXPECT_TRUE(is_success(trained.report.solve.status));
  EXPECT_EQ(trained.report.kind, "method");
  EXPECT_EQ(trained.report.n, 60U);
  EXPECT_EQ(trained.report.metric("clusters"), 3);
  ASSERT_TRUE(trained.report.metric("silhouette"));
  ASSERT_TRUE(trained.report.metric("ari"));
  EXPECT_EQ(trained.clusters.size(), 60U);
  ASSERT_TRUE(trained.model);

  const ModelHeader& header = trained.model->header();
  EXPECT_EQ(header.learner, GetParam());
  EXPECT_EQ(header.task, "clustering");
  EXPECT_EQ(header.seed, 5U);
  EXPECT_EQ(header.examples, 60U);
  EXPECT_EQ(header.primal_objective, trained.report.solve.primal_objective);

  const Prediction now = tried.predict(*trained.model, data, {}, {});
  EXPECT_EQ(now.clusters.size(), 60U);
  EXPECT_EQ(now.lines, cluster_lines(now.clusters));
  EXPECT_EQ(now.report.metric("ari"), trained.report.metric("ari"));
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Model again = load_model_bytes(model_bytes(*trained.model, format));
    EXPECT_EQ(again.header().options, header.options);
    const Prediction later = tried.predict(again, data, {}, {.threads = 1});
    EXPECT_EQ(later.clusters, now.clusters);
    EXPECT_EQ(tried.verify(again, data, {}).agrees, true)
        << tried.verify(again, data, {}).complaint;
  }
}

TEST_P(EveryMethod, VerifiesItsLabelsAndSeesWrongOnes) {
  const ClusterLearner& tried = method(GetParam());
  const TableData data = blobs();
  Training trained =
      cluster(tried, data, {.options = {{"k", "3"}}}, {.validate = false, .verify = true});
  EXPECT_EQ(trained.report.verified, true);
  EXPECT_EQ(tried.verify_labels(trained, data).agrees, true);
  trained.report.solve.primal_objective = *trained.report.solve.primal_objective * 1.001 + 1e-3;
  const Verification wrong = tried.verify_labels(trained, data);
  EXPECT_EQ(wrong.agrees, false);
  EXPECT_NE(wrong.complaint.find("the objective is"), std::string::npos);
}

TEST_P(EveryMethod, RefusesWrongOptionsByTheirFlags) {
  const ClusterLearner& tried = method(GetParam());
  const auto check = [&](const OptionTexts& options) {
    return message_of([&] { tried.check_options(options); });
  };
  EXPECT_EQ(check({}), "-k: the number of clusters is missing");
  EXPECT_EQ(check({{"k", "0"}}), "-k 0: must be a whole number >= 1");
  EXPECT_EQ(check({{"clusters", "2.5"}}), "-k 2.5: must be a whole number >= 1");
  EXPECT_EQ(check({{"k", "3"}, {"balance-form", "x"}}),
            "--balance-form: the method " + GetParam() + " does not take it");
  EXPECT_NE(check({{"k", "3"}, {"scale", "tiny"}}).find("--scale tiny: must be"),
            std::string::npos);
  EXPECT_EQ(check({{"k", "auto"}}), "");
  EXPECT_EQ(check({{"clusters", "3"}, {"scale", "range"}}), "");
  // Every number breaks a rule when it is NaN.
  for (const OptionDescription& option : tried.options()) {
    if (option.kind != OptionKind::number || option.name == "coef0") continue;
    EXPECT_NE(check({{"k", "3"}, {option.name, "nan"}}).find("--" + option.name + " nan: must be"),
              std::string::npos)
        << option.name;
  }
}

TEST_P(EveryMethod, DescribesItsOptions) {
  const std::vector<OptionDescription> options = method(GetParam()).options();
  const auto find = [&](std::string_view name) {
    return std::ranges::find(options, name, &OptionDescription::name);
  };
  ASSERT_NE(find("k"), options.end());
  EXPECT_EQ(find("k")->alias, "clusters");
  EXPECT_EQ(find("k")->fallback, "");
  EXPECT_EQ(find("k")->rule, "a whole number >= 1, or auto");
  ASSERT_NE(find("scale"), options.end());
  EXPECT_EQ(find("scale")->fallback, "none");
  for (const OptionDescription& option : options) {
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_LE(option.help.size(), 90U) << option.name;
  }
}

TEST_P(EveryMethod, TakesBackTheOptionsItsModelKeeps) {
  const ClusterLearner& tried = method(GetParam());
  const Training trained = tried.train(blobs(), {.options = {{"k", "3"}}});
  OptionTexts kept;
  for (const auto& [key, value] : trained.model->header().options) {
    if (key == "seed") continue;
    for (const OptionDescription& option : tried.options()) {
      if (key_of(option.name) == key) kept.emplace_back(option.name, text_of(value));
    }
  }
  EXPECT_EQ(tried.train(blobs(), {.options = kept}).clusters, trained.clusters);
}

TEST_P(EveryMethod, RefusesDataOfOtherFeatures) {
  const ClusterLearner& tried = method(GetParam());
  const Training trained = tried.train(blobs(), {.options = {{"k", "3"}}});
  const TableData iris{.data = make_builtin("iris")};
  EXPECT_THROW((void)tried.predict(*trained.model, iris, {}, {}), FileError);
  EXPECT_THROW((void)tried.train(SequenceCollection{}, {.options = {{"k", "3"}}}), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::erase(name, '-');
  return name;
});

TEST(Clustering, ChoosesTheNumberOfClusters) {
  const Training trained =
      method("kmeans").train(blobs(), {.options = {{"k", "auto"}, {"restarts", "2"}}});
  EXPECT_EQ(trained.report.metric("clusters"), 3);
  ASSERT_EQ(trained.report.tables.front().first, "tried");
  EXPECT_EQ(trained.report.tables.front().second.size(), 9U);
  ASSERT_FALSE(trained.report.options.empty());
  EXPECT_EQ(trained.report.options.front().first, "k");
  EXPECT_EQ(trained.report.options.front().second, ReportValue(std::int64_t{3}));
}

TEST(Clustering, ValidatesOnDemand) {
  const Training trained =
      cluster(method("kernel-kmeans"), blobs(), {.options = {{"k", "3"}}}, {.validate = true});
  for (const char* name : {"stability", "kernel_sse_p_value", "refit_test_error", "fisher_ratio"}) {
    EXPECT_TRUE(trained.report.metric(name)) << name;
  }
  EXPECT_EQ(trained.report.tables.back().first, "clusters");
}

TEST(Clustering, StopsAtTheCallbacksWord) {
  const Context context{.on_progress = [](const Progress&) { return Continue::stop; }};
  const Training trained = cluster(method("kmeans"),
                                   TableData{.data = make_builtin("gaussians,n=300,k=3,seed=2")},
                                   {.options = {{"k", "3"}}, .context = context},
                                   {.validate = true});
  EXPECT_EQ(trained.report.solve.status, Status::stopped_by_callback);
  EXPECT_FALSE(trained.report.metric("stability"));
}

TEST(Clustering, TakesAPrecomputedKernel) {
  const Dataset points = make_builtin("gaussians,n=40,k=2,separation=6,seed=3");
  const Kernel kernel = Rbf{.gamma = 0.1};
  const auto square = std::make_shared<const DenseMatrix>(gram(kernel, points.examples, {}));
  const ClusterLearner& kmeans = method("kernel-kmeans");
  const TableData data{.data = {.examples = index_examples(40), .labels = points.labels},
                       .kernel_matrix = square};
  const Training from_matrix =
      kmeans.train(data, {.options = {{"k", "2"}, {"kernel", "precomputed"}}});
  const Training from_points =
      kmeans.train(TableData{.data = points}, {.options = {{"k", "2"}, {"gamma", "0.1"}}});
  EXPECT_EQ(from_matrix.clusters, from_points.clusters);
  EXPECT_FALSE(from_matrix.kernel);
  EXPECT_EQ(kmeans.predict(*from_matrix.model, data, {}, {}).clusters, from_matrix.clusters);
  EXPECT_EQ(kmeans.verify(*from_matrix.model, data, {}).agrees, true);
  const auto refusal = [&](const OptionTexts& more) {
    OptionTexts options = {{"kernel", "precomputed"}};
    options.insert(options.end(), more.begin(), more.end());
    return message_of([&] { (void)kmeans.train(data, {.options = options}); });
  };
  EXPECT_NE(refusal({{"k", "2"}, {"scale", "range"}}).find("--scale"), std::string::npos);
  EXPECT_NE(refusal({{"k", "auto"}}).find("-k auto"), std::string::npos);
  EXPECT_NE(
      message_of([&] {
        (void)method("spectral").train(data, {.options = {{"k", "2"}, {"kernel", "precomputed"}}});
      }).find("--kernel precomputed: this method takes points"),
      std::string::npos);
}

TEST(Clustering, MixturesHaveProbabilities) {
  const ClusterLearner& mixture = method("mixture");
  const Training trained = mixture.train(blobs(), {.options = {{"k", "3"}}});
  EXPECT_EQ(recorded_rows(trained, true).front().front().first, "iteration");
  const Prediction found =
      mixture.predict(*trained.model, blobs(), {{"probabilities", "true"}}, {});
  EXPECT_EQ(found.probabilities.cols(), 3U);
  EXPECT_EQ(found.lines.substr(0, 6), "0,1,2\n");
  const ClusterLearner& kmeans = method("kmeans");
  const Training plain = kmeans.train(blobs(), {.options = {{"k", "3"}}});
  EXPECT_EQ(message_of([&] {
              (void)kmeans.predict(*plain.model, blobs(), {{"probabilities", "true"}}, {});
            }),
            "--probabilities: a clustering by kmeans has none");
}

TEST(ClusterComparison, RunsMethodsWithTheOptionsTheyTake) {
  const ClusterComparison found = compare_clusterings({"kmeans", "kmedoids", "min-cut"},
                                                      blobs(),
                                                      {{"k", "3"}, {"distance", "manhattan"}},
                                                      {.seed = 1},
                                                      {.verify = true});
  EXPECT_EQ(found.failed, 0U);
  EXPECT_EQ(found.report.name, "kmeans,kmedoids,min-cut");
  EXPECT_EQ(found.report.verified, true);
  ASSERT_EQ(found.report.tables.front().second.size(), 3U);
  EXPECT_EQ(comparison_csv(found).substr(0, 23), "kmeans,kmedoids,min-cut");
}

TEST(ClusterComparison, KeepsGoingWhenAMethodFails) {
  const ClusterComparison found = compare_clusterings(
      {"hierarchical", "kmeans"}, blobs(), {{"k", "3"}, {"distance", "cosine"}}, {});
  EXPECT_EQ(found.failed, 1U);
  EXPECT_NE(found.contestants[0].problem.find("--distance cosine: Ward's linkage"),
            std::string::npos);
  EXPECT_TRUE(found.contestants[1].problem.empty());
  const auto refusal = [](const std::vector<std::string>& names_of_methods,
                          const OptionTexts& options) {
    return message_of([&] { (void)compare_clusterings(names_of_methods, blobs(), options, {}); });
  };
  EXPECT_EQ(refusal({"kmeans"}, {}), "-k: the number of clusters is missing");
  EXPECT_EQ(refusal({"kmeans"}, {{"k", "3"}, {"nu", "1"}}), "--nu: none of the methods takes it");
  EXPECT_EQ(refusal({"kmeans", "kmeans"}, {{"k", "3"}}), "--compare: kmeans is named twice");
  EXPECT_NE(refusal({"kmens"}, {{"k", "3"}}).find("did you mean kmeans"), std::string::npos);
  EXPECT_NE(refusal({"kmeans"}, {{"k", "61"}}).find("has fewer distinct points"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin

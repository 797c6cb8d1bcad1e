// SPDX-License-Identifier: Apache-2.0
//
// docs/design/scaling.md: data times a power of two, with what depends on it to match, is the same
// problem, and has the same course and the same answer. Walks the table of learners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "law_tables.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {
namespace {

/// An option that is `at_one` times s^power where the data are multiplied by s.
struct Matched {
  const char* name;
  double at_one;
  double power;
};

/// One line of the table of laws.
struct Law {
  std::string_view learner;
  OptionTexts fixed = {};
  std::vector<Matched> matched = {};
  /// Objectives and bounds are multiplied by s to this power.
  double objective = 0;
  /// Targets of a regression are multiplied by s to this power.
  double targets = 0;
  /// Half powers of s occur, so that s must be a square.
  bool even = false;
  /// Below it options would break their rules.
  int least_k = -100;
};

using Options = OptionTexts;

/// Every learner of tables that has a law, with every family of kernels at least once.
std::vector<Law> table_of_laws() {
  const Options linear = {{"kernel", "linear"}};
  const Options rbf = {{"kernel", "rbf"}};
  const Options poly = {{"kernel", "poly"}, {"degree", "2"}, {"coef0", "1"}};
  const auto with = [](Options base, const Options& more) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  const Matched cost = {"C", 1, -2};
  const Matched large_cost = {"C", 100, -2};
  const Matched width = {"gamma", 0.25, -2};
  const Options flat_k = {{"k", "3"}};
  const Options two = {{"k", "2"}};
  return {
      {"svc", linear, {cost}, -2},
      {"svc", rbf, {width}},
      {"svc", rbf},  // the width by the data
      {"svc", with(rbf, {{"gamma", "median"}})},
      {"svc", poly, {width}},
      {"svc", {{"kernel", "poly"}, {"degree", "2"}}, {{"C", 0.01, -4}}, -4},
      {"svc", {{"kernel", "laplace"}}, {{"gamma", 0.25, -1}}},
      {.learner = "svc",
       .fixed = {{"kernel", "absdiff"}},
       .matched = {{"gamma", 0.25, -0.5}},
       .even = true},
      {"svc", {{"kernel", "chi-square"}}, {{"gamma", 0.25, -1}}},
      {"svc", {{"kernel", "intersection"}}, {{"C", 1, -1}}, -1},
      {"svc",
       {{"kernel", "sigmoid"}, {"allow-indefinite", "true"}, {"C", "0.1"}},
       {{"gamma", 0.001, -2}}},
      {"svc", with(linear, {{"loss", "squared-hinge"}}), {cost}, -2},
      {"svc", with(linear, {{"multiclass", "ovr"}, {"no-bias", "true"}}), {cost}, -2},
      {"nu-svc", with(linear, {{"nu", "0.2"}}), {}, 2},
      {"nu-svc", with(rbf, {{"nu", "0.2"}}), {width}},
      {"linear-svc", {{"no-bias", "true"}}, {cost}, -2},
      {"linear-svc", {}, {cost, {"bias-scale", 1, 1}}, -2},
      {"linear-svc", {{"loss", "squared-hinge"}}, {cost, {"bias-scale", 1, 1}}, -2},
      {"linear-svc", {{"loss", "logistic"}}, {cost, {"bias-scale", 1, 1}}, -2},
      {"linear-svc", {{"penalty", "l1"}}, {{"C", 1, -1}, {"bias-scale", 1, 1}}, -1},
      {"linear-svr", {}, {cost, {"bias-scale", 1, 1}}, -2},
      {"linear-svr", {{"loss", "squared-epsilon"}}, {cost, {"bias-scale", 1, 1}}, -2},
      {.learner = "linear-svr",
       .matched = {{"C", 1, -1}, {"bias-scale", 1, 1}, {"epsilon", 0.1, 1}},
       .targets = 1},
      {"cs-svc", with(linear, {{"no-bias", "true"}}), {cost}, -2},
      {"cs-svc", rbf, {width}},
      {"svr", linear, {cost}, -2},
      {.learner = "svr",
       .fixed = rbf,
       .matched = {width, {"C", 1, 1}, {"epsilon", 0.1, 1}},
       .objective = 2,
       .targets = 1},
      {.learner = "nu-svr",
       .fixed = rbf,
       .matched = {width, {"C", 1, 1}},
       .objective = 2,
       .targets = 1},
      {"nu-svr", linear, {cost}, -2},
      {"one-class", linear, {}, 2},
      {"one-class", rbf, {width}},
      {"svdd", linear, {}, 2},
      {"svdd", rbf, {width}},
      {"svdd", with(linear, {{"nu", "0"}}), {}, 2},
      {"ramp-svc", linear, {cost}, -2},
      {"ramp-svc", rbf, {width}},
      {"linear-ramp-svc", {}, {cost, {"bias-scale", 1, 1}}, -2},
      {"trimmed-svc", linear, {cost}, -2},
      {"trimmed-svc", rbf, {width}},
      {"centroid-svc", linear, {cost}, -2},
      {"centroid-svc", rbf, {width}},
      {"loo-svc", linear},
      {"loo-svc", rbf, {width}},
      {"robust-svc", with(linear, {{"bias", "none"}}), {cost}, -2},
      {"robust-svc", rbf, {width}},
      {"outlier-svc", with(linear, {{"bias", "none"}}), {cost}, -2},
      {"outlier-svc", rbf, {width}},
      {"mil", with(linear, {{"no-bias", "true"}}), {cost}, -2},
      {"mil", linear, {cost, {"bias-scale", 1, 1}}, -2},
      {"mil", with(linear, {{"no-bias", "true"}, {"margin", "instance"}}), {cost}, -2},
      {"mil", with(linear, {{"margin", "instance"}}), {cost, {"bias-scale", 1, 1}}, -2},
      {"mil", rbf, {width}},
      {"s3vm", linear, {cost}, -2},
      {"s3vm", rbf, {width}},
      {"tsvm", with(linear, {{"solver", "kernel"}}), {cost}, -2},
      {"s3vm-cccp", with(linear, {{"solver", "kernel"}}), {cost}, -2},
      {.learner = "lp-svc", .fixed = linear, .matched = {cost}, .objective = -2, .least_k = -20},
      {"lp-svc", rbf, {width}},
      {.learner = "lda"},
      {"perceptron", {{"no-bias", "true"}}, {}, -2},
      {"rank", {}, {cost}, -2},
      {"multiclass", {{"no-bias", "true"}}, {cost}, -2},
      {"multiclass", {{"no-bias", "true"}, {"solver", "one-slack"}}, {cost}, -2},
      {"multiclass", {{"no-bias", "true"}, {"solver", "n-slack"}}, {cost}, -2},
      {"multilabel", {{"no-bias", "true"}}, {cost}, -2},
      {"kmeans", flat_k, {}, 2},
      {"kmedoids", flat_k, {}, 1},
      {"kernel-kmeans", with(linear, flat_k), {}, 2},
      {"kernel-kmeans", with(rbf, flat_k), {width}},
      {"hierarchical", flat_k, {}, 2},
      {"hierarchical", with(flat_k, {{"linkage", "average"}}), {}, 1},
      {"spectral", flat_k},
      {"spectral", with(rbf, flat_k), {width}},
      {"normalized-cut", flat_k},
      {"ratio-cut", flat_k},
      {"min-cut", two},
      {"sv-clustering", {}},
      {"sv-clustering", rbf, {width}},
      {"relabeler", with(linear, two), {cost}, 2},
      {"relabeler", with(rbf, two), {width}},
      {"mmc", with(linear, two), {large_cost}, -2},
      {"mmc", with(rbf, two), {width}},
      {"mmc-alternating", with(linear, two), {large_cost}, -2},
      {"mmc-alternating", with(rbf, flat_k), {width}},
      {"mmc-cutting-plane", two, {large_cost}, -2},
  };
}

/// Learners without a law, and why.
const std::vector<std::pair<std::string_view, std::string_view>> lawless = {
    {"mixture", "densities of other units: logarithms of determinants are rounded otherwise"},
    {"sequence", "features of text are counts"},
    {"hmm", "symbols have no unit"},
    {"partition", "features hold a constant, which is not multiplied"},
    {"coreference", "features hold a constant, which is not multiplied"},
    {"align", "features count residues"},
    {"motif", "bases have no unit"},
};

/// All powers of x and of the options are exact.
double power_of_two(int k, double power) { return std::exp2(k * power); }

LearnerData data_of(const Learner& entry, const Dataset& base, const Law& law, int k) {
  DenseMatrix x = base.examples.to_dense();
  for (double& value : x.values()) value = std::ldexp(value, k);
  return laws::data_with(entry, base, std::move(x), power_of_two(k, law.targets));
}

struct Course {
  SolveReport solve = {};
  std::vector<std::int32_t> clusters = {};
  Prediction said = {};
};

Course run_at(const Learner& entry, const Dataset& base, const Law& law, int k) {
  Options options = law.fixed;
  for (const Matched& each : law.matched) {
    options.emplace_back(each.name, format_number(each.at_one * power_of_two(k, each.power)));
  }
  const LearnerData data = data_of(entry, base, law, k);
  Training trained =
      entry.train(data, {.options = options, .context = {.threads = 1}, .is_part = true});
  Course run{.solve = trained.report.solve, .clusters = std::move(trained.clusters)};
  if (trained.model) run.said = entry.predict(*trained.model, data, {}, {});
  return run;
}

void expect_scaled(const char* what,
                   std::optional<double> at_one,
                   std::optional<double> found,
                   double scale) {
  ASSERT_EQ(found.has_value(), at_one.has_value()) << what;
  if (!found) return;
  EXPECT_NEAR(*found / scale, *at_one, 1e-12 * std::abs(*at_one)) << what;
}

void expect_same(const Course& at_one, const Course& run, const Law& law, int k) {
  EXPECT_EQ(to_string(run.solve.status), to_string(at_one.solve.status)) << run.solve.message;
  EXPECT_EQ(run.solve.iterations, at_one.solve.iterations);
  EXPECT_TRUE(run.clusters == at_one.clusters) << "other clusters";
  EXPECT_TRUE(run.said.labels == at_one.said.labels) << "other labels";
  EXPECT_TRUE(run.said.clusters == at_one.said.clusters) << "clusters of a prediction";
  EXPECT_TRUE(run.said.label_sets == at_one.said.label_sets) << "other sets of labels";
  const double scale = power_of_two(k, law.objective);
  expect_scaled("primal", at_one.solve.primal_objective, run.solve.primal_objective, scale);
  expect_scaled("dual", at_one.solve.dual_objective, run.solve.dual_objective, scale);
  expect_scaled("bound", at_one.solve.lower_bound, run.solve.lower_bound, scale);
}

class ScalingLaw : public ::testing::TestWithParam<const Learner*> {};

TEST_P(ScalingLaw, PowersOfTwoChangeNothing) {
  const Learner& entry = *GetParam();
  const auto is_lawless = [&](const auto& each) { return each.first == entry.info().name; };
  bool has_law = std::ranges::any_of(lawless, is_lawless);
  for (const laws::Rows& table : laws::tables) {
    const Dataset base = laws::rows_of(table);
    for (const Law& law : table_of_laws()) {
      if (law.learner != entry.info().name) continue;
      has_law = true;
      const Course at_one = run_at(entry, base, law, 0);
      for (const int k : {-100, -60, -20, -1, 1, 20, 60, 100}) {
        if ((law.even && k % 2 != 0) || k < law.least_k) continue;
        SCOPED_TRACE(std::string(table.name) + ":" + laws::text_of(law.fixed) + " times 2^" +
                     std::to_string(k));
        expect_same(at_one, run_at(entry, base, law, k), law, k);
      }
    }
  }
  EXPECT_TRUE(has_law) << "docs/design/scaling.md and this test say nothing of it";
}

/// Iris times `scale`, as a user in other units has it.
Dataset iris_times(double scale) {
  Dataset data = make_builtin("iris");
  DenseMatrix x = data.examples.to_dense();
  for (double& value : x.values()) value *= scale;
  data.examples = std::move(x);
  return data;
}

TEST(OtherUnits, ASmallSphereIsSolvedAsWellAsALargeOne) {
  const SolveReport large = train("svdd", iris_times(1), {{"kernel", "linear"}}).report.solve;
  const SolveReport small = train("svdd", iris_times(1e-8), {{"kernel", "linear"}}).report.solve;
  EXPECT_NEAR(*small.primal_objective, 1e-16 * *large.primal_objective, 1e-19);
  EXPECT_LE(*small.relative_gap(), 1e-3);
}

TEST(OtherUnits, SmallTargetsAreFitted) {
  Dataset data = iris_times(1);
  std::vector<double> targets;
  for (std::size_t i = 0; i < data.size(); ++i)
    targets.push_back(1e-9 * data.examples.to_dense()(i, 3));
  data.labels = LabelColumn::from_numbers(std::move(targets));
  const RunReport report = train("svr", data, {{"epsilon", 1e-10}, {"C", 1e-9}}).report;
  EXPECT_GT(report.metric("r2").value(), 0.9);
  EXPECT_GT(report.solve.iterations, 0U);
}

TEST(OtherUnits, HugeFeaturesAreTold) {
  const RunReport report =
      train("svc", iris_times(1e10), {{"kernel", "linear"}, {"C", 1e-20}}).report;
  EXPECT_GT(report.metric("accuracy").value(), 0.95);
}

TEST(OtherUnits, TheGapOfClustersDoesNotDependOnThem) {
  const auto gap = [](double scale) {
    return train("kmeans", iris_times(scale), {{"k", 3}}).report.solve.relative_gap().value();
  };
  EXPECT_GT(gap(1), 0.5);
  EXPECT_NEAR(gap(1e-15), gap(1), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Learners,
                         ScalingLaw,
                         ::testing::ValuesIn(learners().begin(), learners().end()),
                         [](const auto& each) { return laws::test_name(*each.param); });

}  // namespace
}  // namespace maxmargin

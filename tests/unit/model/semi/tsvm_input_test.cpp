// SPDX-License-Identifier: Apache-2.0
//
// What the transductive machine makes of rows, weights, classes and options of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "model/verify/semi.hpp"
#include "semi_data.hpp"
#include "semi_methods.hpp"

namespace maxmargin {
namespace {

using namespace testing;

TsvmOptions options_of(const Method& method, double c = 1) {
  return method_options<TsvmOptions>(method, c);
}

TEST(Tsvm, OrderOfRowsDoesNotMatter) {
  const Dataset data = semi_classes(30, 6, 8, 2.0);
  std::vector<std::size_t> reversed(30);
  for (std::size_t i = 0; i < 30; ++i) reversed[i] = 29 - i;
  for (const Method& method : methods()) {
    const double first =
        *train_tsvm(data, options_of(method)).semi_supervised.report.primal_objective;
    const double second = *train_tsvm(data.select(reversed), options_of(method))
                               .semi_supervised.report.primal_objective;
    EXPECT_NEAR(first, second, 2 * exact * first) << method.name;
  }
}

TEST(Tsvm, ThreadsDoNotMatter) {
  const Dataset data = semi_classes(120, 10, 9, 0.6);
  for (const Method& method : methods()) {
    TsvmOptions options = options_of(method);
    options.control.context.threads = 1;
    const TrainedSemiSupervised one = train_tsvm(data, options);
    for (const std::size_t threads : {2U, 4U}) {
      options.control.context.threads = threads;
      const TrainedSemiSupervised several = train_tsvm(data, options);
      EXPECT_TRUE(std::ranges::equal(one.semi_supervised.training_values.values(),
                                     several.semi_supervised.training_values.values()))
          << method.name;
    }
  }
}

TEST(Tsvm, SeveralClassesAreOneAgainstTheRest) {
  const Dataset data = [] {
    Dataset all = iris();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % 10 != 0) all.labels.clear(i);
    }
    return all;
  }();
  const TrainedSemiSupervised trained = train_tsvm(data, {.c = 1, .control = {.keep_dual = true}});
  EXPECT_EQ(trained.labelled, 15U);
  EXPECT_EQ(trained.semi_supervised.machines.size(), 3U);
  EXPECT_EQ(trained.signs.size(), 3U);
  const Dataset truth = iris();
  const std::vector<Label> said = trained.semi_supervised.model.predict(truth);
  std::size_t right = 0;
  for (std::size_t i = 0; i < said.size(); ++i) right += said[i] == *truth.labels.at(i) ? 1U : 0U;
  EXPECT_GT(right, 100U);  // setosa and more
  const Certificate found = verify_tsvm(
      trained.semi_supervised.model, trained.semi_supervised.dual_coefficients, data, {.c = 1});
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal,
              *trained.semi_supervised.report.primal_objective,
              1e-8 * *trained.semi_supervised.report.primal_objective);
}

TEST(Tsvm, WeightTwoIsTheRowTwice) {
  // Without a window: it counts rows.
  const Dataset data = semi_classes(20, 6, 12, 1.5);
  std::vector<std::size_t> rows;
  Dataset weighted = data;
  for (std::size_t i = 0; i < 20; ++i) {
    rows.push_back(i);
    weighted.weights.push_back(i % 3 == 0 ? 2.0 : 1.0);
    if (i % 3 == 0) rows.push_back(i);
  }
  for (const Method& method : methods()) {
    TsvmOptions options = options_of(method);
    options.balance = std::nullopt;
    const double once = *train_tsvm(weighted, options).semi_supervised.report.primal_objective;
    const double twice =
        *train_tsvm(data.select(rows), options).semi_supervised.report.primal_objective;
    EXPECT_NEAR(once, twice, 2 * exact * once) << method.name;
  }
}

TEST(Tsvm, StopsWhenTold) {
  const Dataset data = semi_classes(80, 8, 10, 0.4);
  int asked = 0;
  TsvmOptions options = options_of(methods()[0], 10);
  options.control.context.on_progress = [&](const Progress&) {
    return ++asked > 3 ? Continue::stop : Continue::yes;
  };
  const TrainedSemiSupervised trained = train_tsvm(data, options);
  EXPECT_EQ(trained.semi_supervised.report.status, Status::stopped_by_callback);
  EXPECT_TRUE(std::isfinite(*trained.semi_supervised.report.primal_objective));
}

std::string message_of(const Dataset& data, const TsvmOptions& options = {}) {
  try {
    (void)train_tsvm(data, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(SemiSolver, IsDecidedByKernelAndRows) {
  const auto decided = [](const Kernel& kernel, std::size_t rows) {
    return resolve_solver(SemiSolver::automatic, kernel, rows);
  };
  EXPECT_EQ(decided(Linear{}, rows_for_features), SemiSolver::kernel);
  EXPECT_EQ(decided(Linear{}, rows_for_features + 1), SemiSolver::features);
  EXPECT_EQ(decided(Rbf{}, rows_for_features + 1), SemiSolver::kernel);
  EXPECT_EQ(resolve_solver(SemiSolver::features, Linear{}, 1), SemiSolver::features);
  for (const SemiSolver solver :
       {SemiSolver::automatic, SemiSolver::kernel, SemiSolver::features}) {
    EXPECT_EQ(parse_name<SemiSolver>(to_string(solver), "solver"), solver);
  }
  EXPECT_THROW((void)parse_name<SemiSolver>("newton", "solver"), InvalidArgument);
}

TEST(Tsvm, SaysWhatIsWrongWithTheData) {
  const Dataset all = two_classes(10, 1);
  EXPECT_NE(message_of(all).find("every row has a label"), std::string::npos);
  EXPECT_NE(message_of(hide_labels(all, 0)).find("no row has a label"), std::string::npos);
  EXPECT_NE(message_of(hide_labels(all, 1)).find("all labels are 1"), std::string::npos);
  EXPECT_NE(message_of({}).find("no examples"), std::string::npos);
  Dataset unlabelled = all;
  unlabelled.labels = {};
  EXPECT_NE(message_of(unlabelled).find("no row has a label"), std::string::npos);
}

TEST(Tsvm, SaysWhatIsWrongWithTheOptions) {
  const Dataset data = semi_classes(10, 4, 1);
  EXPECT_NE(message_of(data, {.c = 0}).find("-C 0: must be a finite number > 0"),
            std::string::npos);
  EXPECT_NE(message_of(data, {.unlabelled_c = -1})
                .find("--unlabeled-cost -1: must be a finite number >= 0"),
            std::string::npos);
  EXPECT_NE(
      message_of(data, {.balance = 1.0}).find("--balance 1: must be a number in [0, 1), or none"),
      std::string::npos);
  EXPECT_NE(message_of(data, {.kernel = Rbf{}, .solver = SemiSolver::features})
                .find("--solver features: the kernel rbf is not linear"),
            std::string::npos);
  EXPECT_NE(message_of(data, {.kernel = Sigmoid{}}).find("positive semidefinite"),
            std::string::npos);
}

TEST(Tsvm, TakesEqualPointsConstantFeaturesAndEmptyRows) {
  DenseMatrix same(8, 2);
  const Dataset equal = hide_labels(labelled(same, {1, -1, 1, -1, 1, -1, 1, -1}), 4);
  for (const Method& method : methods()) {
    const TrainedSemiSupervised trained = train_tsvm(equal, options_of(method));
    EXPECT_TRUE(std::isfinite(*trained.semi_supervised.report.primal_objective)) << method.name;
    Dataset sparse = equal;
    sparse.examples = to_sparse(same.view());
    EXPECT_TRUE(std::isfinite(
        *train_tsvm(sparse, options_of(method)).semi_supervised.report.primal_objective));
  }
}

}  // namespace
}  // namespace maxmargin

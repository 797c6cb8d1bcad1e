// SPDX-License-Identifier: Apache-2.0
//
// Robust and semi-supervised learners from data in memory to bytes and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "semi_data.hpp"

namespace maxmargin::learning {
namespace {

const Learner& learner_named(std::string_view name) {
  static const LearnerList list = [] {
    LearnerList all;
    add_robust_machines(all);
    add_relaxed_machines(all);
    add_s3vm(all);
    add_semi_supervised(all);
    return all;
  }();
  for (const auto& each : list) {
    if (each->info().name == name) return *each;
  }
  throw InternalError("no learner " + std::string(name));
}

/// Classes 0, 1 and 2, of which the first rows have labels.
Dataset some_labels(std::size_t labelled) {
  return testing::hide_labels(make_builtin("gaussians,n=36,k=3,separation=3,seed=2"), labelled);
}

struct Trial {
  std::string learner;
  OptionTexts options = {};
};

std::ostream& operator<<(std::ostream& out, const Trial& trial) {
  out << trial.learner;
  for (const auto& [name, text] : trial.options) out << " " << name << "=" << text;
  return out;
}

class RobustSemiLearner : public ::testing::TestWithParam<Trial> {};

TEST_P(RobustSemiLearner, VerifiesFromBytes) {
  const Learner& tried = learner_named(GetParam().learner);
  const Dataset data = tried.info().learns_from_unlabelled
                           ? some_labels(18)
                           : make_builtin("ring-outliers,n=30,outliers=4,seed=1");
  const Training trained = tried.train(
      TableData{.data = data},
      {.options = GetParam().options, .context = {.threads = 2}, .keep_certificate = true});
  ASSERT_TRUE(trained.model);
  ASSERT_TRUE(trained.report.solve.primal_objective);
  const Model again = load_model_bytes(model_bytes(*trained.model));
  const Verification found = tried.verify(again, TableData{.data = data}, {.threads = 2});
  EXPECT_EQ(found.agrees, true) << found.complaint;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RobustSemiLearner,
    ::testing::Values(Trial{"ramp-svc"},
                      Trial{"ramp-svc",
                            {{"solver", "alternating"}, {"ramp", "-0.5"}, {"restarts", "2"}}},
                      Trial{"ramp-svc", {{"multiclass", "direct"}, {"kernel", "linear"}}},
                      Trial{"linear-ramp-svc", {{"bias-scale", "2"}, {"bound-rounds", "2"}}},
                      Trial{"trimmed-svc", {{"rho", "0.8"}, {"no-bias", "true"}}},
                      Trial{"centroid-svc"},
                      Trial{"loo-svc", {{"lambda", "0.5"}}},
                      Trial{"robust-svc", {{"C", "0.1"}, {"bias", "center"}}},
                      Trial{"outlier-svc", {{"C", "0.1"}, {"rho", "auto"}}},
                      Trial{"s3vm", {{"C", "1"}}},
                      Trial{"s3vm", {{"C", "1"}, {"balance", "none"}}},
                      Trial{"s3vm", {{"C", "1"}, {"multiclass", "direct"}, {"restarts", "2"}}},
                      Trial{"tsvm", {{"C", "1"}, {"unlabeled-cost", "0.5"}, {"balance", "none"}}},
                      Trial{"tsvm", {{"C", "1"}, {"solver", "features"}, {"safe", "true"}}},
                      Trial{"s3vm-cccp", {{"C", "1"}, {"ramp", "-0.1"}, {"continuation", "true"}}},
                      Trial{"s3vm-cccp", {{"C", "1"}, {"balance", "none"}, {"kernel", "rbf"}}}));

/// The option as the training used it, as text.
std::string used(const Training& trained, const std::string& key) {
  for (const auto& [name, value] : trained.report.options) {
    if (name == key) return text_of(value);
  }
  return "none";
}

TEST(RobustSemiLearners, ShowWhatTheDataDecided) {
  const Dataset rows = make_builtin("ring-outliers,n=30,outliers=4,seed=1");
  const Training ramp = learner_named("ramp-svc").train(TableData{.data = rows}, {});
  EXPECT_EQ(used(ramp, "restarts"), "10");
  EXPECT_EQ(used(ramp, "bound_rounds"), "5");
  EXPECT_EQ(used(ramp, "solver"), "cccp");
  EXPECT_TRUE(ramp.report.metric("outliers"));
  const Training centroid = learner_named("centroid-svc").train(TableData{.data = rows}, {});
  EXPECT_NE(used(centroid, "lambda"), "none");

  const Training outlier =
      learner_named("outlier-svc")
          .train(TableData{.data = rows}, {.options = {{"C", "0.1"}, {"rho", "auto"}}});
  EXPECT_NE(used(outlier, "rho"), "auto");
  EXPECT_EQ(outlier.model->document().string("found.rho_rule"), "auto");
  EXPECT_EQ(outlier.row_weights.size(), 30U);

  const Training tsvm =
      learner_named("tsvm").train(TableData{.data = some_labels(18)}, {.options = {{"C", "2"}}});
  EXPECT_EQ(used(tsvm, "unlabeled_cost"), "2");
  EXPECT_EQ(used(tsvm, "solver"), "kernel");
  EXPECT_EQ(tsvm.model->document().string("found.machine"), "semi-supervised");
  EXPECT_TRUE(tsvm.report.metric("cv_supervised"));
}

/// A model of format 1, and what it was trained with.
struct OldModel {
  std::string name;
  std::string data;
  Trial trial;
};

/// Scores as text, number by number, within a part of the largest of them: the last digits are the
/// compiler's. (That one compiler gives equal bytes is what tools/compare_versions.py shows.)
void expect_scores_near(const std::string& found,
                        const std::string& wanted,
                        double tolerance,
                        const std::string& name) {
  const std::size_t head = wanted.find('\n');
  ASSERT_EQ(found.substr(0, head), wanted.substr(0, head)) << name;
  const auto numbers = [head](std::string text) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text.substr(head));
    return std::vector<double>(std::istream_iterator<double>(words), {});
  };
  const std::vector<double> have = numbers(found);
  const std::vector<double> want = numbers(wanted);
  ASSERT_EQ(have.size(), want.size()) << name;
  ASSERT_FALSE(want.empty()) << name;
  double largest = 0;
  for (const double score : want) largest = std::max(largest, std::abs(score));
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(have[i], want[i], tolerance * largest) << name << ", number " << i;
  }
}

TEST(RobustSemiLearners, VerifyModelsOfFormatOneAndTrainThemAgain) {
  const std::string folder = MAXMARGIN_SOURCE_DIR "/tests/fixtures/v1/";
  const OptionTexts two = {{"restarts", "2"}};
  const OptionTexts four = {{"restarts", "4"}};
  const std::vector<OldModel> models = {
      {"ramp-svc", "two.svm", {"ramp-svc", two}},
      {"ramp-svc-direct", "three.csv", {"ramp-svc", {{"restarts", "2"}, {"multiclass", "direct"}}}},
      {"linear-ramp-svc", "two.svm", {"linear-ramp-svc", two}},
      {"trimmed-svc", "two.svm", {"trimmed-svc", two}},
      {"centroid-svc", "two.svm", {"centroid-svc"}},
      {"loo-svc", "two.svm", {"loo-svc"}},
      {"robust-svc", "two.svm", {"robust-svc", four}},
      {"outlier-svc", "two.svm", {"outlier-svc", four}},
      {"s3vm", "half.svm", {"s3vm", four}},
      {"s3vm-direct",
       "half.csv",
       {"s3vm", {{"restarts", "4"}, {"C", "1"}, {"multiclass", "direct"}}}},
      {"tsvm", "half.svm", {"tsvm"}},
      {"s3vm-cccp", "half.svm", {"s3vm-cccp"}}};
  for (const OldModel& old : models) {
    const Learner& tried = learner_named(old.trial.learner);
    const bool is_csv = old.data.ends_with(".csv");
    const TableData data{.data = read_data(folder + old.data)};
    const TableData unseen{.data = read_data(folder + (is_csv ? "three.t.csv" : "two.t.svm"))};
    Input scores = Input::open(folder + old.name + "1.txt");
    const std::string answer = scores.read_all();
    const auto scores_of = [&](const Model& model) {
      return tried.predict(model, unseen, {{"scores", "true"}}, {}).lines;
    };
    std::optional<double> found_primal;
    for (const char* const end : {".mm", ".bin.mm"}) {
      const Model model = load_model(folder + old.name + end);
      const Verification found = tried.verify(model, data, {});
      found_primal = found.primal;
      EXPECT_EQ(found.agrees, true) << old.name << ": " << found.complaint;
      expect_scores_near(scores_of(model), answer, 1e-12, old.name);
    }
    const Training trained =
        tried.train(data, {.options = old.trial.options, .context = {.seed = 1}});
    // Both runs end at a relative gap g of 1e-3, where another compiler's rounding may lead
    // elsewhere: objectives agree to g, and weights w, as |w - w*|^2 / 2 <= g P, to 2 sqrt(2 g).
    const std::optional<double> objective = trained.report.solve.primal_objective;
    ASSERT_TRUE(objective && found_primal) << old.name;
    EXPECT_NEAR(*objective, *found_primal, 2e-3 * std::abs(*found_primal)) << old.name;
    expect_scores_near(scores_of(*trained.model), answer, 2 * std::sqrt(2e-3), old.name);
  }
}

TEST(RobustSemiLearners, RefuseAKernelThatIsMeasuredIndefinite) {
  const auto kernel = std::make_shared<const DenseMatrix>([] {
    DenseMatrix matrix(4, 4);
    for (std::size_t i = 0; i < 4; ++i) matrix(i, 3 - i) = 1;
    return matrix;
  }());
  Dataset rows{.examples = index_examples(4)};
  rows.labels = LabelColumn::from_numbers({1, 2, 1, 2});
  const auto said = [&](const char* name, OptionTexts options) {
    options.emplace_back("kernel", "precomputed");
    try {
      (void)learner_named(name).train(TableData{.data = rows, .kernel_matrix = kernel},
                                      {.options = options});
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string start = "--kernel precomputed: not positive semidefinite (an eigenvalue is -1)";
  EXPECT_EQ(said("ramp-svc", {}), start + "; --allow-indefinite takes it all the same");
  EXPECT_EQ(said("ramp-svc", {{"allow-indefinite", "true"}}), "");
  EXPECT_EQ(said("ramp-svc", {{"multiclass", "direct"}}),
            start + ", --multiclass direct needs one that is");
  EXPECT_EQ(said("loo-svc", {}), "");
  EXPECT_EQ(said("robust-svc", {}),
            start +
                ", the relaxation needs a kernel that is; ramp-svc and trimmed-svc take it with "
                "--allow-indefinite");
}

}  // namespace
}  // namespace maxmargin::learning

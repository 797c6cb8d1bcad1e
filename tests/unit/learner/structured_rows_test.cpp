// SPDX-License-Identifier: Apache-2.0
//
// Learners of rank, multiclass and multilabel: from memory to a model, and back from its bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "learner/structured/checkpoints.hpp"
#include "learner/structured/sources.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t n = 60;
constexpr std::size_t d = 4;

/// Rows around the centres of three classes.
Dataset rows_of_classes() {
  Rng rng(7, "rows", 0);
  DenseMatrix points(n, d);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(static_cast<double>(i % 3));
    for (std::size_t j = 0; j < d; ++j) points(i, j) = rng.normal() + (j == i % 3 ? 2.0 : 0.0);
  }
  Dataset data;
  data.examples = std::move(points);
  data.labels = LabelColumn::from_numbers(std::move(labels));
  return data;
}

/// Six queries of ten rows, the class is the grade.
Dataset queries() {
  Dataset data = rows_of_classes();
  for (std::size_t i = 0; i < n; ++i) data.groups.push_back(static_cast<std::int64_t>(i / 10));
  return data;
}

Dataset sets() {
  Dataset data = rows_of_classes();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Label> set = {Label(static_cast<double>(i % 3))};
    if (i % 2 == 0) set.emplace_back(3.0);
    data.label_sets.push_back(std::move(set));
  }
  data.labels = {};
  return data;
}

Training trained(const std::string& name, const Dataset& data, const OptionTexts& options) {
  return learner(name).train(
      TableData{.data = data},
      {.options = options, .context = {.threads = 1}, .keep_certificate = true});
}

std::string problem_of(const std::string& name, const OptionTexts& options) {
  try {
    learner(name).check_options(options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

/// Trains, writes to bytes, reads, and holds prediction and certificate to the first model's.
Model expect_same_after_bytes(const std::string& name,
                              const Dataset& data,
                              const OptionTexts& options) {
  const Training training = trained(name, data, options);
  EXPECT_EQ(training.report.solve.status, Status::solved);
  EXPECT_EQ(training.report.n, n);
  EXPECT_EQ(training.report.oracle, "exact");
  Model again = load_model_bytes(model_bytes(*training.model));
  EXPECT_EQ(model_bytes(again), model_bytes(*training.model));
  EXPECT_EQ(again.header().learner, name);
  EXPECT_EQ(again.header().examples, n);
  EXPECT_EQ(again.header().primal_objective, training.report.solve.primal_objective);
  const Prediction first = learner(name).predict(*training.model, TableData{.data = data}, {}, {});
  const Prediction second = predict(again, data);
  EXPECT_FALSE(first.lines.empty());
  EXPECT_EQ(first.lines, second.lines);
  EXPECT_EQ(first.report.metrics, second.report.metrics);
  const Verification found = learner(name).verify(again, TableData{.data = data}, {});
  EXPECT_EQ(found.agrees, true) << found.complaint;
  EXPECT_TRUE(found.complaint.empty()) << found.complaint;
  return again;
}

TEST(StructuredRows, RankingsComeBackFromBytes) {
  for (const char* loss : {"pairs", "roc-area", "error", "f1", "precision-at-k", "recall-at-k"}) {
    for (const char* scale : {"none", "standard"}) {
      SCOPED_TRACE(std::string(loss) + ", scale " + scale);
      const Model model = expect_same_after_bytes(
          "rank", queries(), {{"loss", loss}, {"C", "0.1"}, {"scale", scale}});
      const bool by_sign = std::string(loss) == "error" || std::string(loss) == "f1";
      // Other orders have no bias, and would refuse the option.
      EXPECT_EQ(model.document().has("option.bias"), by_sign);
      EXPECT_FALSE(model.document().has("option.checkpoint"));
    }
  }
}

TEST(StructuredRows, ClassesComeBackFromBytes) {
  const Dataset data = rows_of_classes();
  expect_same_after_bytes("multiclass", data, {});
  expect_same_after_bytes("multiclass", data, {{"no-bias", "true"}, {"scale", "range"}});
  const Model weighted = expect_same_after_bytes(
      "multiclass", data, {{"class-weight", "1=2"}, {"solver", "one-slack"}});
  EXPECT_EQ(weighted.document().string("option.class_weight"), "1=2");
  const Prediction answer = predict(weighted, data);
  EXPECT_EQ(answer.labels.size(), n);
  EXPECT_EQ(answer.scores.cols(), 3u);
}

TEST(StructuredRows, LabelSetsComeBackFromBytes) {
  expect_same_after_bytes("multilabel", sets(), {{"C", "0.5"}});
  const Model model =
      expect_same_after_bytes("multilabel", sets(), {{"C", "0.5"}, {"interactions", "true"}});
  EXPECT_EQ(predict(model, sets()).label_sets.size(), n);
}

/// A file that is gone with the test.
class TextFile {
 public:
  TextFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              (name + std::to_string(::testing::UnitTest::GetInstance()->random_seed()))) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(StructuredRows, TreesAndCostsAreFilesThatTheModelKeeps) {
  const Dataset data = rows_of_classes();
  const TextFile tree("maxmargin_tree", "0 a\n1 a\n2 b\na top\nb top\n");
  const Model model =
      expect_same_after_bytes("multiclass", data, {{"taxonomy", tree.path()}, {"C", "0.1"}});
  EXPECT_TRUE(model.document().has("taxonomy"));
  EXPECT_TRUE(predict(model, data).report.metric("tree_loss").has_value());
  const TextFile costs("maxmargin_costs", "0 1 3\n2 0 0.5\n");
  const Model costly =
      expect_same_after_bytes("multiclass", data, {{"cost-matrix", costs.path()}, {"C", "0.1"}});
  EXPECT_TRUE(predict(costly, data).report.metric("mean_cost").has_value());
}

TEST(StructuredRows, ATreeWithoutItsNodesHasNothingToVerify) {
  const TextFile tree("maxmargin_bare_tree", "0 a\n1 a\n2 b\n");
  const Training training =
      learner("multiclass")
          .train(TableData{.data = rows_of_classes()}, {.options = {{"taxonomy", tree.path()}}});
  const Verification found =
      learner("multiclass").verify(*training.model, TableData{.data = rows_of_classes()}, {});
  EXPECT_EQ(found.agrees, std::nullopt);
  EXPECT_NE(found.complaint.find("without the weights of the tree's nodes"), std::string::npos);
}

TEST(StructuredRows, OtherDataDoesNotAgree) {
  Dataset data = queries();
  const Training training = trained("rank", data, {});
  data.groups.assign(n, 1);
  const Verification found = learner("rank").verify(*training.model, TableData{.data = data}, {});
  EXPECT_EQ(found.agrees, false);
  EXPECT_NE(found.complaint.find("the objective is"), std::string::npos);
  RunReport report = training.report;
  add_verification(found, report);
  EXPECT_EQ(report.verified, false);
  EXPECT_EQ(report.objects.front().first, "verification");
  EXPECT_TRUE(report.verify_reason.starts_with("the objective is"));
  EXPECT_EQ(report.verify_reason, found.complaint);
}

TEST(StructuredRows, OnlineSolversHaveNoCertificate) {
  const Training training = trained("multiclass", rows_of_classes(), {{"solver", "mira"}});
  EXPECT_LE(training.report.solve.iterations, 10u);
  const Verification found =
      learner("multiclass").verify(*training.model, TableData{.data = rows_of_classes()}, {});
  EXPECT_FALSE(found.agrees.has_value());
  EXPECT_NE(found.complaint.find("--solver mira reports"), std::string::npos);
  RunReport report = training.report;
  add_verification(found, report);
  EXPECT_FALSE(report.verified);
  EXPECT_EQ(report.verify_reason, found.complaint);
  EXPECT_NE(to_json(report).find("\"verified\": null"), std::string::npos);
}

TEST(StructuredRows, WrongOptionsAreNamedInTheirWords) {
  EXPECT_EQ(problem_of("rank", {{"C", "0"}}), "-C 0: must be a finite number > 0");
  EXPECT_EQ(problem_of("rank", {{"C", "inf"}}), "-C inf: must be a finite number > 0");
  EXPECT_EQ(problem_of("rank", {{"tolerance", "nan"}}),
            "--tolerance nan: must be a number in (0, 1)");
  EXPECT_EQ(problem_of("rank", {{"max-iterations", "0"}}),
            "--max-iterations 0: must be a whole number >= 1");
  EXPECT_EQ(problem_of("rank", {{"k", "3"}}),
            "-k: belongs to --loss precision-at-k and recall-at-k");
  EXPECT_EQ(problem_of("rank", {{"no-bias", "true"}}),
            "--no-bias: belongs to --loss error and f1, other orders have no bias");
  EXPECT_EQ(problem_of("rank", {{"loss", "f1"}, {"no-bias", "true"}}), "none");
  EXPECT_NE(problem_of("rank", {{"rescaling", "slack"}}).find("does not take it"),
            std::string::npos);
  EXPECT_EQ(problem_of("multiclass", {{"inner-nodes", "true"}}),
            "--inner-nodes: belongs to --taxonomy");
  EXPECT_EQ(problem_of("multiclass", {{"taxonomy", "a"}, {"cost-matrix", "b"}}),
            "--taxonomy and --cost-matrix exclude each other: a tree has its own loss");
  EXPECT_EQ(problem_of("multilabel", {{"resume", "true"}}),
            "--resume: needs --checkpoint FILE to continue from");
  EXPECT_EQ(problem_of("multilabel", {{"checkpoint-every", "1"}}),
            "--checkpoint-every: belongs to --checkpoint");
  EXPECT_EQ(problem_of("multilabel", {{"checkpoint", "x"}, {"checkpoint-every", "-1"}}),
            "--checkpoint-every -1: must be a number >= 0, or inf");
}

TEST(StructuredRows, DataOfAnotherKindIsRefused) {
  for (const char* name : {"rank", "multiclass", "multilabel"}) {
    EXPECT_THROW((void)learner(name).train(SequenceCollection{}, {}), InvalidArgument) << name;
    EXPECT_THROW((void)learner(name).train(TableData{}, {}), Error) << name;
  }
}

TEST(StructuredRows, CheckpointsBelongToOneRun) {
  const TextFile state("maxmargin_state", "");
  std::filesystem::remove(state.path());
  const OptionTexts saved = {{"checkpoint", state.path()}, {"checkpoint-every", "0"}};
  OptionTexts few = saved;
  few.insert(few.end(), {{"tolerance", "1e-6"}, {"max-iterations", "3"}});
  EXPECT_EQ(trained("multiclass", rows_of_classes(), few).report.solve.status,
            Status::iteration_limit);
  OptionTexts rest = saved;
  rest.insert(rest.end(), {{"tolerance", "1e-6"}, {"resume", "true"}});
  const Training resumed = trained("multiclass", rows_of_classes(), rest);
  const Training whole = trained("multiclass", rows_of_classes(), {{"tolerance", "1e-6"}});
  EXPECT_EQ(resumed.report.solve.primal_objective, whole.report.solve.primal_objective);
  EXPECT_EQ(resumed.report.solve.iterations, whole.report.solve.iterations);
  rest.emplace_back("C", "2");
  EXPECT_THROW((void)trained("multiclass", rows_of_classes(), rest), ModelFormatError);
  EXPECT_THROW(
      (void)trained(
          "multiclass", rows_of_classes(), {{"solver", "mira"}, {"checkpoint", state.path()}}),
      InvalidArgument);
}

TEST(StructuredRows, AnswersComeInSeveralForms) {
  const Dataset data = rows_of_classes();
  const Model model = *trained("multiclass", data, {}).model;
  const auto lines = [&](const OptionTexts& options) {
    return learner("multiclass").predict(model, TableData{.data = data}, options, {}).lines;
  };
  EXPECT_TRUE(lines({{"scores", "true"}}).starts_with("0,1,2\n"));
  EXPECT_TRUE(lines({{"n-best", "2"}}).starts_with("# row 1 rank 1 score = "));
  EXPECT_NE(lines({{"margins", "true"}}).find('\t'), std::string::npos);
  EXPECT_THROW((void)lines({{"margins", "true"}, {"scores", "true"}}), InvalidArgument);
}

TEST(StructuredRows, FilesOfAnswersAreMeasured) {
  const TextFile truth("maxmargin_truth", "2 qid:1 1:1\n0 qid:1 1:0\n1 qid:2 1:1\n0 qid:2 1:2\n");
  const TextFile scores("maxmargin_scores", "2\n1\n0\n3\n");
  const RunReport report = learner("rank").evaluate(truth.path(), scores.path(), {{"k", "1"}}, {});
  EXPECT_EQ(report.name, "rank");
  EXPECT_EQ(report.n, 4u);
  EXPECT_EQ(report.metric("queries"), 2.0);
  EXPECT_EQ(report.metric("precision_at_1"), 0.5);
  const TextFile sets_file("maxmargin_sets", "1,4\n\n2\n");
  EXPECT_EQ(
      learner("multilabel").evaluate(sets_file.path(), sets_file.path(), {}, {}).metric("micro_f1"),
      1.0);
  const TextFile few("maxmargin_few", "2\n1\n");
  EXPECT_THROW((void)learner("rank").evaluate(truth.path(), few.path(), {}, {}), FileError);
  EXPECT_THROW((void)learner("multilabel")
                   .evaluate(sets_file.path(), sets_file.path(), {{"format", "csv"}}, {}),
               InvalidArgument);
}

TEST(StructuredRows, QueriesAndLabelSetsAreReadFromFiles) {
  const TextFile file("maxmargin_queries", "2 qid:1 1:1\n0 qid:1 1:0\n1 qid:2 1:1\n");
  learning::QueriesReading reading{.use = learning::RowsUse::train};
  set_options(reading, {{"format", "svmlight"}}, "queries");
  EXPECT_EQ(learning::read_queries(file.path(), reading, {}).data.groups,
            (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_THROW(set_options(reading, {{"unlabeled", "0"}}, "queries"), InvalidArgument);
  const TextFile set_file("maxmargin_label_sets", "1 1:1\n2,3 1:0\n");
  EXPECT_EQ(learning::read_rows_with_label_sets(set_file.path(), {}, {}).data.label_sets.size(),
            2u);
  const TextFile table("maxmargin_table", "a,y\n1,2\n2,3\n");
  EXPECT_THROW((void)learning::read_rows_with_label_sets(table.path(), {}, {}), FileError);
}

}  // namespace
}  // namespace maxmargin

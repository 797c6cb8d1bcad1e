// SPDX-License-Identifier: Apache-2.0
//
// Data in memory that is not sound, and data that a model was not trained on: refused by name in
// training, prediction and verification, whatever the learner.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "learner_options.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"
#include "walk_data.hpp"

namespace maxmargin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TableData blobs(std::size_t rows = 24) {
  TableData table{
      .data = make_builtin("gaussians,n=" + std::to_string(rows) + ",k=2,separation=6,seed=1")};
  table.data.source.clear();
  return table;
}

std::vector<OptionSetting> options_for(std::string_view name) {
  if (learner(name).info().task == Task::cluster && test::takes_option(learner(name), "k")) {
    return {{"k", 2}};
  }
  return {};
}

Training trained(const std::string& name, const LearnerData& data) {
  return train(name, data, options_for(name));
}

struct Broken {
  std::string problem;
  std::function<void(Dataset&)> breaks;
};

std::vector<Broken> broken_tables() {
  return {{"the data has 23 labels, but 24 rows",
           [](Dataset& data) {
             const std::vector<double> numbers(23, 1.0);
             data.labels = LabelColumn::from_numbers(numbers);
           }},
          {"the data has 2 weights, but 24 rows",
           [](Dataset& data) {
             data.weights = {1, 1};
           }},
          {"the data has 3 groups, but 24 rows",
           [](Dataset& data) {
             data.groups = {1, 2, 3};
           }},
          {"the data has 1 names of features, but 2 features",
           [](Dataset& data) { data.feature_names = {"x"}; }},
          {"the data: the weight of row 3 is -1, must be finite and >= 0",
           [](Dataset& data) {
             data.weights.assign(24, 1.0);
             data.weights[2] = -1;
           }},
          {"the data: feature 2 of row 5 is nan, must be finite", [](Dataset& data) {
             DenseMatrix values = data.examples.to_dense();
             values(4, 1) = nan;
             data.examples = std::move(values);
           }}};
}

TEST(DataChecks, EveryFamilyRefusesTablesThatAreNotSound) {
  for (const std::string name :
       {"svc", "linear-svr", "one-class", "multiclass", "rank", "kmeans", "kmedoids", "mmc"}) {
    SCOPED_TRACE(name);
    const Learner& tried = learner(name);
    TableData sound = blobs();
    if (name == "rank") sound.data.groups.assign(24, 1);
    const Training model = trained(name, sound);
    for (const Broken& broken : broken_tables()) {
      TableData table = sound;
      broken.breaks(table.data);
      EXPECT_EQ(problem_of([&] { (void)trained(name, table); }), broken.problem);
      EXPECT_EQ(problem_of([&] { (void)predict(*model.model, LearnerData(table)); }),
                broken.problem);
      EXPECT_EQ(problem_of([&] { (void)tried.verify(*model.model, table, {}); }), broken.problem);
    }
  }
}

TEST(DataChecks, OtherRowsThanThoseOfTheTrainingDoNotVerify) {
  for (const std::string name : {"svc", "multiclass", "kmeans", "hierarchical", "relabeler"}) {
    SCOPED_TRACE(name);
    const Training model = trained(name, blobs(12));
    for (const std::size_t rows : {8U, 30U}) {
      const Verification found = learner(name).verify(*model.model, LearnerData(blobs(rows)), {});
      EXPECT_EQ(found.agrees, false);
      EXPECT_EQ(found.complaint,
                "the data has " + std::to_string(rows) + " rows, the training had 12");
    }
  }
}

TEST(DataChecks, OtherFeaturesThanThoseOfAClusteringDoNotVerify) {
  TableData wide = blobs(12);
  wide.data.examples = DenseMatrix(12, 5, 1.0);
  for (const std::string name : {"kmeans", "hierarchical", "kernel-kmeans", "mixture"}) {
    const Training model = trained(name, blobs(12));
    const Verification found = learner(name).verify(*model.model, LearnerData(wide), {});
    EXPECT_EQ(found.agrees, false) << name;
    EXPECT_EQ(found.complaint, "the data has 5 features, the model 2") << name;
  }
}

/// The same data with one feature more, which is 1 everywhere; empty where there are no features
/// to count.
std::optional<LearnerData> with_one_more(const LearnerData& data) {
  LearnerData wide = data;
  if (auto* const table = std::get_if<TableData>(&wide)) {
    const DenseMatrix narrow = table->data.examples.to_dense();
    DenseMatrix values(narrow.rows(), narrow.cols() + 1, 1.0);
    for (std::size_t i = 0; i < narrow.rows(); ++i) {
      for (std::size_t j = 0; j < narrow.cols(); ++j) values(i, j) = narrow(i, j);
    }
    if (table->data.examples.is_dense()) {
      table->data.examples = std::move(values);
    } else {
      table->data.examples = to_sparse(values.view());
    }
    if (!table->data.feature_names.empty()) table->data.feature_names.emplace_back("more");
    return wide;
  }
  if (auto* const documents = std::get_if<PartitionCollection>(&wide)) {
    ++documents->data.features;
    return wide;
  }
  return std::nullopt;
}

void expect_no_agreement(const Learner& tried, const Model& model, const LearnerData& data) {
  const std::optional<LearnerData> wide = with_one_more(data);
  if (!wide || !tried.can_verify()) return;
  SCOPED_TRACE(tried.info().name);
  EXPECT_NE(tried.verify(model, data, {}).agrees, false);
  const Verification found = tried.verify(model, *wide, {});
  EXPECT_EQ(found.agrees, false);
  EXPECT_NE(found.complaint.find(" features, the model "), std::string::npos) << found.complaint;
}

TEST(DataChecks, OtherFeaturesThanThoseOfTheTrainingDoNotVerify) {
  for (const Learner* const each : learners()) {
    const LearnerData data = walk::data_for(each->info());
    const Training model =
        each->train(data, {.options = walk::needed_options(*each), .keep_certificate = true});
    expect_no_agreement(*each, *model.model, data);
  }
}

TEST(DataChecks, AClusteringHoldsItsFeaturesByName) {
  TableData named = blobs();
  named.data.feature_names = {"a", "b"};
  const Training model = trained("kmeans", named);
  named.data.feature_names = {"b", "a"};
  EXPECT_NE(problem_of([&] {
              (void)predict(*model.model, LearnerData(named));
            }).find("feature 1 is b, the model has a there"),
            std::string::npos);
}

// Kernel matrices

TableData kernel_table(std::size_t n, double skew = 0) {
  const Dataset points = make_builtin("gaussians,n=" + std::to_string(n) + ",k=2,seed=1");
  DenseMatrix kernel(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = points.examples.row(i).squared_distance(points.examples.row(j));
      kernel(i, j) = std::exp(-distance);
    }
  }
  kernel(3, 1) += skew;
  TableData table{.data = points};
  table.data.source.clear();
  table.data.feature_names.clear();
  table.data.examples = index_examples(n);
  table.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(kernel));
  return table;
}

TEST(DataChecks, AKernelMatrixMustBeSymmetric) {
  for (const std::string name : {"svc", "svr", "one-class", "kernel-kmeans", "mmc"}) {
    SCOPED_TRACE(name);
    std::vector<OptionSetting> options = options_for(name);
    options.emplace_back("kernel", "precomputed");
    EXPECT_EQ(problem_of([&] { (void)train(name, LearnerData(kernel_table(20)), options); }),
              "none");
    const std::string problem =
        problem_of([&] { (void)train(name, LearnerData(kernel_table(20, 0.5)), options); });
    EXPECT_TRUE(problem.starts_with("the data is not symmetric: example 4 with example 2 is "))
        << problem;
  }
}

TEST(DataChecks, AKernelMatrixIsForThePrecomputedKernelAlone) {
  const std::string problem = "the data has a kernel matrix, which kernel=precomputed alone takes";
  for (const std::string name : {"svc", "lda", "kmeans", "kernel-kmeans"}) {
    EXPECT_EQ(problem_of([&] { (void)trained(name, kernel_table(20)); }), problem) << name;
    const Training model = trained(name, blobs());
    EXPECT_EQ(problem_of([&] { (void)predict(*model.model, LearnerData(kernel_table(20))); }),
              problem)
        << name;
  }
  TableData beyond = kernel_table(20);
  beyond.data.examples = DenseMatrix(20, 1, 20.0);
  EXPECT_EQ(problem_of([&] {
              (void)train("svc", LearnerData(beyond), {{"kernel", "precomputed"}});
            }),
            "the data: row 1 is row 20 of a kernel matrix of 20 rows");
}

TEST(DataChecks, AModelOfSomeRowsOfAKernelMatrixPredicts) {
  const TableData all = kernel_table(24);
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < 24; i += 2) some.push_back(i);
  const TableData part{.data = all.data.select(some), .kernel_matrix = all.kernel_matrix};
  const Training model = train("svc", LearnerData(part), {{"kernel", "precomputed"}});
  for (const TableData* rows : {&all, &part}) {
    EXPECT_EQ(predict(*model.model, LearnerData(*rows)).labels.size(), rows->data.size());
  }
  EXPECT_EQ(learner("svc").verify(*model.model, part, {}).agrees, true);
}

TEST(DataChecks, OfOptionsThatAreGivenTwiceTheLastCounts) {
  const TableData iris{.data = make_builtin("iris")};
  const auto learned_by = [&](const std::vector<OptionSetting>& options) {
    return train("svc", LearnerData(iris), options).model->header().learner;
  };
  EXPECT_EQ(learned_by({{"multiclass", "ovo"}, {"multiclass", "direct"}}), "cs-svc");
  EXPECT_EQ(learned_by({{"multiclass", "direct"}, {"multiclass", "ovo"}}), "svc");
  // The matrix below is not positive semidefinite.
  TableData indefinite = kernel_table(12);
  DenseMatrix kernel = *indefinite.kernel_matrix;
  for (std::size_t i = 0; i < 12; ++i) kernel(i, i) = -1;
  indefinite.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(kernel));
  const std::string problem = problem_of([&] {
    (void)train(
        "svc",
        LearnerData(indefinite),
        {{"kernel", "precomputed"}, {"allow-indefinite", true}, {"allow-indefinite", false}});
  });
  EXPECT_NE(problem.find("not positive semidefinite"), std::string::npos) << problem;
}

// Sequences and alignments

SequenceCollection sequences() {
  SequenceData data{.label_names = {"a", "b"}, .features = 3};
  for (std::uint32_t i = 0; i < 6; ++i) {
    Sequence input;
    LabelSequence labels;
    for (std::uint32_t t = 0; t < 4; ++t) {
      input.indices.push_back((i + t) % 3);
      input.begins.push_back(input.indices.size());
      labels.push_back((i + t) % 3 == 0 ? 1 : 0);
    }
    data.inputs.push_back(std::move(input));
    data.labels.push_back(std::move(labels));
  }
  return {.format = SequenceFormat::svmhmm, .numbers = std::move(data)};
}

struct BrokenSequence {
  std::string problem;
  std::function<void(SequenceData&)> breaks;
};

TEST(DataChecks, SequencesThatDoNotFitAreRefused) {
  const Learner& tagger = learner("sequence");
  const Training model = train("sequence", LearnerData(sequences()));
  const std::string begins = "begins must rise from 0 to the number of entries";
  const std::vector<BrokenSequence> cases = {
      {begins,
       [](SequenceData& data) {
         data.inputs[1].begins = {0, 3, 1, 3, 4};
       }},
      {begins, [](SequenceData& data) { data.inputs[1].begins.back() = 1000; }},
      {begins, [](SequenceData& data) { data.inputs[1].begins.clear(); }},
      {"one value for every entry", [](SequenceData& data) { data.inputs[1].values = {1.0}; }},
      {"a value is nan", [](SequenceData& data) { data.inputs[1].values.assign(4, nan); }},
      {"the feature 99 is not below", [](SequenceData& data) { data.inputs[1].indices[0] = 99; }},
      {"step_begins must rise", [](SequenceData& data) { data.inputs[1].step_begins = {0}; }},
      {"4 positions, but 3 labels", [](SequenceData& data) { data.labels[1].pop_back(); }},
      {"a label has no name", [](SequenceData& data) { data.labels[1][0] = 7; }}};
  for (const BrokenSequence& broken : cases) {
    SequenceCollection given = sequences();
    broken.breaks(*given.numbers);
    for (const std::string& problem :
         {problem_of([&] { (void)train("sequence", LearnerData(given)); }),
          problem_of([&] { (void)predict(*model.model, LearnerData(given)); }),
          problem_of([&] { (void)tagger.verify(*model.model, LearnerData(given), {}); })}) {
      EXPECT_TRUE(problem.starts_with("the data: sequence 2")) << problem;
      EXPECT_NE(problem.find(broken.problem), std::string::npos) << problem;
    }
  }
  SequenceCollection fewer = sequences();
  fewer.numbers->inputs.pop_back();
  fewer.numbers->labels.pop_back();
  EXPECT_EQ(tagger.verify(*model.model, LearnerData(fewer), {}).complaint,
            "the data has 5 sequences, the training had 6");
}

AlignmentData alignments() {
  AlignmentData data;
  for (int k = 0; k < 3; ++k) {
    data.inputs.push_back({.target = {.name = "t", .residues = "ACDEFG"},
                           .known = {.name = "k", .residues = "ACEFG"}});
    data.references.push_back(alignment_of_rows("ACDEFG", "AC-EFG"));
  }
  return data;
}

TEST(DataChecks, AlignmentsThatDoNotFitAreRefused) {
  const Learner& aligner = learner("align");
  const Training model = train("align", LearnerData(alignments()));
  const std::vector<std::pair<std::string, std::function<void(AlignmentData&)>>> cases = {
      {"the data: pair 2, t: a residue is 'a', must be an upper-case letter",
       [](AlignmentData& data) { data.inputs[1].target.residues = "ac1 FG"; }},
      {"the data: pair 2, k: the secondary structure has 1 entries, must have 5 or none",
       [](AlignmentData& data) { data.inputs[1].known.structure = "H"; }},
      {"the data: pair 2, k: a number of the profile is nan, must be finite",
       [](AlignmentData& data) { data.inputs[1].known.profile.assign(100, nan); }},
      {"the data: pair 2: a step is unknown",
       [](AlignmentData& data) { data.references[1].steps[0] = static_cast<AlignmentStep>(9); }},
      {"the data: there must be an alignment for every pair, or none",
       [](AlignmentData& data) { data.references.pop_back(); }},
      {"the data: there must be a family for every pair, or none",
       [](AlignmentData& data) { data.families = {"one"}; }}};
  for (const auto& broken : cases) {
    AlignmentData given = alignments();
    broken.second(given);
    EXPECT_EQ(problem_of([&] { (void)train("align", LearnerData(given)); }), broken.first);
    EXPECT_EQ(problem_of([&] { (void)predict(*model.model, LearnerData(given)); }), broken.first);
    EXPECT_EQ(problem_of([&] { (void)aligner.verify(*model.model, LearnerData(given), {}); }),
              broken.first);
  }
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
//
// Models of clusterings in which one field or section is not what the training wrote: whatever it
// is, predicting, verifying and showing end with an answer or an error of this library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "changed_model.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {
namespace {

/// The upper left part of a matrix, zeros where there was none.
DenseMatrix resized(const DenseMatrix& matrix, std::size_t rows, std::size_t cols) {
  DenseMatrix made(rows, cols);
  for (std::size_t i = 0; i < std::min(rows, matrix.rows()); ++i) {
    for (std::size_t j = 0; j < std::min(cols, matrix.cols()); ++j) made(i, j) = matrix(i, j);
  }
  return made;
}

struct Mutation {
  std::string what;
  ModelDocument document;
};

constexpr double wrong_numbers[] = {-1.0, 0.5, 1e9, 1e300, std::numeric_limits<double>::infinity()};

void add_mutations_of(const ModelDocument& document,
                      const ModelDocument::Field& field,
                      std::vector<Mutation>& all) {
  const std::string& name = field.name;
  const auto add = [&](const std::string& what, const test::Change& change) {
    all.push_back({name + " " + what, test::changed(document, name, change)});
  };
  add("is missing", [](ModelDocument&) {});
  if (std::holds_alternative<std::int64_t>(field.value)) {
    for (const std::int64_t value : {std::int64_t{-1},
                                     std::int64_t{0},
                                     std::int64_t{1},
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()}) {
      add(std::to_string(value), [&](ModelDocument& made) { made.set_integer(name, value); });
    }
  }
  if (std::holds_alternative<double>(field.value)) {
    for (const double value : wrong_numbers) {
      add(std::to_string(value), [&](ModelDocument& made) { made.set_number(name, value); });
    }
  }
  if (std::holds_alternative<std::string>(field.value)) {
    for (const char* const value : {"", "zzz", "precomputed"}) {
      add(value, [&](ModelDocument& made) { made.set_string(name, value); });
    }
  }
}

void add_mutations_of(const ModelDocument& document,
                      const ModelDocument::Section& section,
                      std::vector<Mutation>& all) {
  const std::string& name = section.name;
  const auto add = [&](const std::string& what, const test::Change& change) {
    all.push_back({name + " " + what, test::changed(document, name, change)});
  };
  add("is missing", [](ModelDocument&) {});
  if (const auto* numbers = std::get_if<std::vector<double>>(&section.content)) {
    add("is empty", [&](ModelDocument& made) { made.set_numbers(name, {}); });
    std::vector<double> other = *numbers;
    if (!other.empty()) other.pop_back();
    add("is short", [&](ModelDocument& made) { made.set_numbers(name, other); });
    other = *numbers;
    other.push_back(0);
    add("is long", [&](ModelDocument& made) { made.set_numbers(name, other); });
    for (const double value : wrong_numbers) {
      other.assign(numbers->size(), value);
      add("all " + std::to_string(value),
          [&](ModelDocument& made) { made.set_numbers(name, other); });
    }
  }
  if (const auto* matrix = std::get_if<DenseMatrix>(&section.content)) {
    const std::size_t rows = matrix->rows();
    const std::size_t cols = matrix->cols();
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {0, cols}, {rows + 1, cols}, {rows, cols + 1}, {rows > 1 ? rows - 1 : 0, cols}, {0, 0}};
    for (const auto& shape : shapes) {
      add("has " + std::to_string(shape.first) + " rows", [&](ModelDocument& made) {
        made.set_dense(name, resized(*matrix, shape.first, shape.second));
      });
    }
    for (const double value : wrong_numbers) {
      add("all " + std::to_string(value),
          [&](ModelDocument& made) { made.set_dense(name, DenseMatrix(rows, cols, value)); });
    }
  }
}

std::vector<Mutation> mutations_of(const ModelDocument& document) {
  std::vector<Mutation> all;
  for (const ModelDocument::Field& field : document.fields()) {
    add_mutations_of(document, field, all);
  }
  for (const ModelDocument::Section& section : document.sections()) {
    add_mutations_of(document, section, all);
  }
  return all;
}

/// Anything but an answer or an error that says what is wrong with the file or the data.
std::string escape_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InternalError& error) {
    return error.what();
  } catch (const Error&) {
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

class MutatedModels : public testing::TestWithParam<std::string> {};

TEST_P(MutatedModels, EndInAnAnswerOrAnError) {
  const std::string name = GetParam();
  const Dataset data = make_builtin("gaussians,n=18,k=3,separation=6,seed=1");
  std::vector<OptionSetting> options;
  if (test::takes_option(learner(name), "k")) options.emplace_back("k", name == "mmc" ? 3 : 2);
  const Training trained = train(name, data, options);
  ASSERT_TRUE(trained.model);
  for (const Mutation& mutation : mutations_of(trained.model->document())) {
    SCOPED_TRACE(mutation.what);
    EXPECT_EQ(escape_of([&] {
                const Model model(mutation.document);
                const Learner& own = model.learner();
                const LearnerData table(TableData{.data = data});
                EXPECT_EQ(escape_of([&] { (void)predict(model, data); }), "");
                EXPECT_EQ(escape_of([&] { (void)own.verify(model, table, {}); }), "");
                EXPECT_EQ(escape_of([&] { (void)own.figures(model); }), "");
                EXPECT_EQ(escape_of([&] { (void)own.model_features(model); }), "");
                EXPECT_EQ(escape_of([&] { (void)own.support_vectors(model); }), "");
              }),
              "");
  }
}

std::vector<std::string> clusterings() {
  std::vector<std::string> names;
  for (const Learner* const each : learners()) {
    if (each->info().task == Task::cluster) names.emplace_back(each->info().name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Clusterings,
                         MutatedModels,
                         testing::ValuesIn(clusterings()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// What a file says of its own certificate is not what proves it.

TEST(ForgedModels, NeitherADoubtNorABoundIsTakenFromTheFile) {
  const Dataset data = make_builtin("gaussians,n=18,k=3,separation=6,seed=1");
  for (const char* const name : {"kmeans", "kernel-kmeans", "sv-clustering", "mmc"}) {
    SCOPED_TRACE(name);
    std::vector<OptionSetting> options;
    if (test::takes_option(learner(name), "k")) options.emplace_back("k", 2);
    const Training trained = train(name, data, options);
    const ModelDocument& honest = trained.model->document();
    EXPECT_EQ(test::verified(honest, data).agrees, true) << test::verified(honest, data).complaint;
    ModelDocument forged =
        test::changed(honest, "training.primal_objective", [&](ModelDocument& made) {
          made.set_number("training.primal_objective",
                          1.001 * *trained.report.solve.primal_objective + 1e-3);
        });
    if (!forged.has("objective_doubt")) forged.set_number("objective_doubt", 1e300);
    EXPECT_EQ(test::verified(forged, data).agrees, false);
  }
  const Training trained = train("mmc", data, {{"k", 2}});
  const ModelDocument& honest = trained.model->document();
  const double objective = *trained.report.solve.primal_objective;
  ASSERT_LT(*trained.report.solve.lower_bound, 0.999 * objective);
  const Verification found =
      test::verified(test::changed(honest,
                                   "training.lower_bound",
                                   [&](ModelDocument& made) {
                                     made.set_number("training.lower_bound", 0.9999 * objective);
                                   }),
                     data);
  EXPECT_EQ(found.agrees, false);
  EXPECT_TRUE(found.complaint.starts_with("the lower bound proved is ")) << found.complaint;
}

TEST(ForgedModels, KernelKMeansKeepsTheLabelsThatItFound) {
  // With a kernel that is not positive semidefinite the nearest centre need not be a point's own.
  const Dataset data = make_builtin("iris");
  const Training trained = train(
      "kernel-kmeans", data, {{"k", 3}, {"kernel", "sigmoid"}, {"gamma", 0.1}, {"coef0", -1.0}});
  const Verification found = test::verified(trained.model->document(), data);
  EXPECT_EQ(found.agrees, true) << found.complaint;
}

}  // namespace
}  // namespace maxmargin

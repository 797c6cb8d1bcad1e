// SPDX-License-Identifier: Apache-2.0
// Kernels of kernels and of strings through the learners, as a program that links the library
// meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/model.hpp"
#include "maxmargin/learner/tune.hpp"
#include "maxmargin/model/kernel/svc.hpp"

namespace maxmargin {
namespace {

const char* const expressions[] = {"0.5*rbf(gamma=0.1) + normalize(poly(degree=2))*linear",
                                   "center(rbf(gamma=median))",
                                   "iterate(laplace(gamma=0.5)) + exp(0.01*linear)",
                                   "center(linear)*rbf + center(normalize(center(laplace)))^2"};

DenseMatrix scores_of(const Model& model, const Dataset& data) {
  return predict(model, TableData{.data = data}, {{"scores", "true"}}).scores;
}

void expect_equal(const DenseMatrix& a, const DenseMatrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_TRUE(std::ranges::equal(a.values(), b.values()));
}

TEST(KernelExpressions, ModelsAreSavedLoadedAndVerified) {
  const Dataset data = iris();
  for (const char* const expression : expressions) {
    const Training trained = train("svc", data, {{"kernel", expression}});
    const DenseMatrix scores = scores_of(*trained.model, data);
    for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
      const Model copy = load_model_bytes(model_bytes(*trained.model, format));
      expect_equal(scores_of(copy, data), scores);
      EXPECT_EQ(copy.learner().verify(copy, TableData{.data = data}, {}).agrees, true)
          << expression;
    }
    // What the header says trains the same machine.
    for (const auto& [key, value] : trained.model->header().options) {
      if (key != "kernel") continue;
      const Training again = train("svc", data, {{"kernel", std::get<std::string>(value)}});
      expect_equal(scores_of(*again.model, data), scores);
    }
  }
}

TEST(KernelExpressions, ATypedKernelIsFittedByTheTraining) {
  const Dataset data = iris();
  const Kernel kernel = sum_of(Rbf{.gamma = 0.3}, centred(Linear{}));
  const TrainedClassifier typed = train_svc(data, {.c = 2, .kernel = kernel});
  const Training named =
      train("svc", data, {{"C", "2"}, {"kernel", "rbf(gamma=0.3)+center(linear)"}});
  EXPECT_EQ(typed.report.primal_objective, named.report.solve.primal_objective);
}

/// Scores on the training rows are those of the training: the means are the same.
TEST(KernelExpressions, CentringPredictsTrainingRowsAsItTrainedThem) {
  // Two classes: the function sees all rows.
  std::vector<std::size_t> rows(100);
  std::iota(rows.begin(), rows.end(), std::size_t{50});
  const Dataset data = iris().select(rows);
  const TrainedClassifier trained = train_svc(data, {.kernel = centred(Rbf{.gamma = 0.5})});
  const DenseMatrix values = decision_values(trained.model.functions, data.examples);
  ASSERT_EQ(values.rows(), trained.training_values.rows());
  for (std::size_t i = 0; i < values.values().size(); ++i) {
    EXPECT_NEAR(values.values()[i], trained.training_values.values()[i], 1e-9);
  }
}

TEST(KernelExpressions, StringsTrainAndPredictFromMemory) {
  Dataset data;
  data.holds_strings = true;
  std::vector<std::string> strings;
  for (int i = 0; i < 20; ++i) {
    strings.push_back(std::string(static_cast<std::size_t>(i + 3), "ab"[i % 2]) + "xyz");
    data.labels.push_back(Label(std::string(i % 2 == 0 ? "a" : "b")));
  }
  data.examples = encode_strings(strings);
  const Training trained = train("svc", data, {{"kernel", "normalize(spectrum(length=2))"}});
  Dataset fresh;
  fresh.holds_strings = true;
  const std::vector<std::string> others = {"aaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
  fresh.examples = encode_strings(others);
  const Prediction prediction = predict(*trained.model, TableData{.data = fresh});
  ASSERT_EQ(prediction.labels.size(), 2u);
  EXPECT_EQ(prediction.labels.at(0).text(), "a");
  EXPECT_EQ(prediction.labels.at(1).text(), "b");
  EXPECT_THROW(static_cast<void>(train("svc", data)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train("linear-svc", data)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train("svc", iris(), {{"kernel", "spectrum"}})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin

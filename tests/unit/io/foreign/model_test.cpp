// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/foreign/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

/// Files written by hand, whose answers follow from the definition of the format.
namespace maxmargin {
namespace {

ForeignModel read_text(const std::string& text) {
  Input input = Input::from_memory("m", text);
  return read_foreign_model(input);
}

std::string problem_in(const std::string& text) {
  return problem_of<ModelFormatError>([&] { return read_text(text).learner; });
}

std::string libsvm_bytes(const ForeignModel& model) {
  return written_bytes([&](OutputFile& file) { write_libsvm_model(model, file); });
}
std::string liblinear_bytes(const ForeignModel& model) {
  return written_bytes([&](OutputFile& file) { write_liblinear_model(model, file); });
}

const Classifier& classifier_in(const ForeignModel& model) {
  return std::get<Classifier>(model.machine);
}

Examples row(std::vector<double> values) {
  const std::size_t cols = values.size();
  return to_sparse(DenseMatrix(1, cols, Buffer<double>(std::span<const double>(values))).view());
}

double label_of(const ForeignModel& model, const std::vector<double>& x) {
  return classifier_in(model).predict({.examples = row(x)}).front().number();
}

double value_of(const ForeignModel& model, const std::vector<double>& x) {
  return std::get<Regressor>(model.machine).predict(row(x)).front();
}

/// f(x) = 2 x_1 - x_2 - 0.5 by a linear kernel; > 0 is class 3, else class 7.
const std::string two_classes =
    "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 3 7\n"
    "nr_sv 1 1\nSV\n2 1:1 \n-1 2:1 \n";

TEST(LibsvmModel, ThePositiveSideOfTwoClassesIsTheFirstLabel) {
  const ForeignModel model = read_text(two_classes);
  EXPECT_EQ(model.learner, "svc");
  EXPECT_EQ(classifier_in(model).classes, (std::vector<Label>{Label(3.0), Label(7.0)}));
  EXPECT_EQ(label_of(model, {1, 0}), 3);
  EXPECT_EQ(label_of(model, {0, 1}), 7);
}

/// svm-predict: value > 0 ? label[0] : label[1].
TEST(LibsvmModel, AValueOfExactlyZeroIsTheSecondLabel) {
  const ForeignModel model = read_text(two_classes);
  EXPECT_EQ(label_of(model, {0.25, 0}), 7);
  EXPECT_EQ(label_of(model, {0.25, -1e-9}), 3);
  EXPECT_EQ(label_of(model, {0.25, 1e-9}), 7);
}

/// Functions of the pairs (0,1), (0,2), (1,2) are x_1, x_2, x_3 less rho; first class when > 0.
const std::string three_classes =
    "svm_type nu_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel 5 -2 9\n"
    "nr_sv 2 1 0\nSV\n1 0 1:1\n0 1 2:1\n0 1 3:1\n";

TEST(LibsvmModel, MoreClassesAreDecidedByVotesAndTheFirstMaximum) {
  const ForeignModel model = read_text(three_classes);
  EXPECT_EQ(model.learner, "nu-svc");
  EXPECT_EQ(label_of(model, {1, 1, 1}), 5);
  EXPECT_EQ(label_of(model, {-1, 1, 1}), -2);
  EXPECT_EQ(label_of(model, {1, -1, -1}), 9);
  // One vote each: the first label of the file, though -2 is less.
  EXPECT_EQ(label_of(model, {1, -1, 1}), 5);
  EXPECT_EQ(label_of(model, {-1, 1, -1}), 5);
  // A value of 0 is a vote for the second class of the pair.
  EXPECT_EQ(label_of(model, {0, 0, 1}), -2);
  EXPECT_EQ(label_of(model, {0, 0, 0}), 9);
  EXPECT_EQ(label_of(model, {0, 1, 0}), 5);
}

TEST(LibsvmModel, RegressionSubtractsRho) {
  const std::string text =
      "svm_type epsilon_svr\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 2\n"
      "total_sv 2\nrho -0.25\nprobA 0.125\nSV\n3 1:2\n-1.5 2:4\n";
  const ForeignModel model = read_text(text);
  EXPECT_EQ(model.learner, "svr");
  EXPECT_DOUBLE_EQ(value_of(model, {1, 1}), 3 * 4 - 1.5 * 9 + 0.25);
}

/// svm-predict: value > 0 ? 1 : -1, where ours calls >= 0 inside.
TEST(LibsvmModel, OneClassIsStrictlyAboveRho) {
  for (const char* rho : {"0.5", "0", "-3", "1e-300"}) {
    const std::string text = std::string("svm_type one_class\nkernel_type linear\nnr_class 2\n") +
                             "total_sv 1\nrho " + rho + "\nSV\n1 1:1\n";
    const ForeignModel model = read_text(text);
    const double border = std::stod(rho);
    EXPECT_LT(value_of(model, {border}), 0) << rho;
    EXPECT_GE(value_of(model, {std::nextafter(border, 10)}), 0) << rho;
    EXPECT_LT(value_of(model, {std::nextafter(border, -10)}), 0) << rho;
    EXPECT_EQ(libsvm_bytes(model), text.substr(0, text.size() - 1) + " \n");
  }
}

TEST(LibsvmModel, PrecomputedKernelsNameTrainingRows) {
  const std::string text =
      "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\n"
      "nr_sv 1 1\nSV\n1 0:2 \n-1 0:5 \n";
  ForeignModel model = read_text(text);
  auto& expansion = std::get<KernelExpansion>(std::get<Classifier>(model.machine).functions);
  EXPECT_EQ(std::get<Precomputed>(expansion.kernel).matrix->cols(), 5u);
  EXPECT_EQ(libsvm_bytes(model), text);
  DenseMatrix matrix(3, 5);
  matrix(0, 1) = 2;  // above row 5
  matrix(1, 4) = 2;
  expansion.kernel = Precomputed{std::make_shared<const DenseMatrix>(matrix)};
  const ClassifierAnswer answer = classifier_in(model).answer(index_examples(3));
  EXPECT_EQ(answer.classes, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST(LibsvmModel, FeaturesThatNoVectorHasCountOnceTheModelIsWidened) {
  ForeignModel model = read_text(
      "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho 0.5\nlabel 1 -1\n"
      "nr_sv 1 0\nSV\n1 1:1\n");
  EXPECT_EQ(label_of(model, {1, 5}), 1);
  widen_features(model, 2);
  EXPECT_EQ(label_of(model, {1, 5}), -1);
  EXPECT_EQ(label_of(model, {1, 0}), 1);
  widen_features(model, 1);  // never narrower
  EXPECT_EQ(feature_count(classifier_in(model).functions), 2u);
}

TEST(LibsvmModel, OneClassAloneIsAlwaysPredicted) {
  const std::string text =
      "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 1\ntotal_sv 0\nrho\nlabel 4\nnr_sv 0\n"
      "SV\n";
  const ForeignModel model = read_text(text);
  EXPECT_EQ(label_of(model, {1, 2}), 4);
  EXPECT_EQ(libsvm_bytes(model), text);
}

/// P(first label) = 1 / (1 + exp(A value + B)).
TEST(LibsvmModel, ProbabilitiesAreKeptApartAndTurnedWithTheSign) {
  std::string text = two_classes;
  text.insert(text.find("nr_sv"), "probA -1.5\nprobB 0.25\n");
  ForeignModel model = read_text(text);
  EXPECT_FALSE(classifier_in(model).calibration);
  ASSERT_TRUE(model.calibration);
  EXPECT_EQ(libsvm_bytes(model), text);

  // At f = 0.1 the value says class 3 and the probability class 7.
  const std::vector<double> x = {0.3, 0};
  EXPECT_EQ(label_of(model, x), 3);
  auto& classifier = std::get<Classifier>(model.machine);
  classifier.calibration = std::move(model.calibration);
  model.calibration.reset();
  const ClassifierAnswer answer = classifier.answer(row(x));
  EXPECT_NEAR(answer.probabilities(0, 0), 1 / (1 + std::exp(-1.5 * 0.1 + 0.25)), 1e-12);
  EXPECT_EQ(label_of(model, x), 7);
  EXPECT_EQ(libsvm_bytes(model), text);
}

TEST(LibsvmModel, EveryKernelReadsBackAsWritten) {
  for (const std::string kernel :
       {"kernel_type linear\n",
        "kernel_type polynomial\ndegree 3\ngamma 0.3333333333333333\ncoef0 -0.1\n",
        "kernel_type rbf\ngamma 0.1\n",
        "kernel_type sigmoid\ngamma 0.1\ncoef0 0\n"}) {
    for (const std::string& model : {two_classes, three_classes}) {
      std::string text = model;
      text.replace(text.find("kernel_type linear\n"), 19, kernel);
      const std::string again = libsvm_bytes(read_text(text));
      EXPECT_EQ(libsvm_bytes(read_text(again)), again);
      EXPECT_NE(again.find(kernel), std::string::npos) << again;
      for (const double a : {-1.0, 0.0, 0.5}) {
        EXPECT_EQ(label_of(read_text(text), {a, 1, a}), label_of(read_text(again), {a, 1, a}));
      }
    }
  }
}

TEST(LibsvmModel, BlanksAndLineEndsDoNotMatter) {
  std::string text = "  \n";
  for (const char c : two_classes) text += c == '\n' ? std::string(" \r\n\n") : std::string(1, c);
  text = text.substr(text.find("svm_type"));
  EXPECT_EQ(libsvm_bytes(read_text(text)), libsvm_bytes(read_text(two_classes)));
  EXPECT_EQ(problem_in(two_classes.substr(0, two_classes.size() - 2)), "");  // no last line end
}

TEST(LibsvmModel, DoublesSurviveBitForBit) {
  Rng rng(5, "foreign-model-test");
  Classifier model;
  model.classes = {Label(-1.0), Label(1.0)};
  model.code = one_vs_one_code(2);
  DenseMatrix vectors(20, 4);
  DenseMatrix coefficients(20, 1);
  for (double& v : vectors.values()) v = rng.normal() * std::exp(50 * rng.normal());
  for (double& v : coefficients.values()) v = rng.normal() * std::exp(50 * rng.normal());
  model.functions = KernelExpansion{.kernel = Rbf{.gamma = 1.0 / 3},
                                    .vectors = vectors,
                                    .coefficients = coefficients,
                                    .offsets = {1.0 / 7}};
  const ForeignModel again = read_text(libsvm_bytes({.learner = "svc", .machine = model}));
  const auto& read = std::get<KernelExpansion>(classifier_in(again).functions);
  EXPECT_EQ(std::get<Rbf>(read.kernel).gamma, 1.0 / 3);
  EXPECT_EQ(read.offsets[0], 1.0 / 7);
  // The classes' vectors are written one class after the other: those of the first label first.
  const DenseMatrix dense = read.vectors.to_dense();
  std::size_t next = 0;
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < 20; ++i) {
      if ((coefficients(i, 0) < 0) != first) continue;
      EXPECT_EQ(read.coefficients(next, 0), coefficients(i, 0));
      EXPECT_TRUE(std::ranges::equal(dense.row(next), vectors.row(i)));
      ++next;
    }
  }
  EXPECT_EQ(next, 20u);
}

TEST(LibsvmModel, WhatTheFormatCannotHoldIsRefused) {
  const ForeignModel good = read_text(three_classes);
  ASSERT_NE(libsvm_bytes(good), "");
  const auto problem = [&](auto change) {
    ForeignModel model = good;
    change(model, std::get<Classifier>(model.machine));
    return problem_of<InvalidArgument>([&] { return libsvm_bytes(model); });
  };
  const auto expansion = [](Classifier& c) -> KernelExpansion& {
    return std::get<KernelExpansion>(c.functions);
  };
  using M = ForeignModel;
  using C = Classifier;
  EXPECT_NE(problem([](M&, C& c) { c.classes[1] = Label("cat"); }), "");
  EXPECT_NE(problem([](M&, C& c) { c.classes[1] = Label(1.5); }), "");
  EXPECT_NE(problem([](M&, C& c) { c.classes[1] = Label(3e9); }), "");
  EXPECT_NE(problem([&](M&, C& c) { expansion(c).kernel = Laplace{}; }).find("laplace"),
            std::string::npos);
  EXPECT_NE(problem([&](M&, C& c) { expansion(c).minus_self = true; }), "");
  EXPECT_NE(problem([](M&, C& c) { c.code.decoding = Decoding::votes_then_margin; }), "");
  EXPECT_NE(problem([](M&, C& c) { c.code = one_vs_rest_code(3); }), "");
  EXPECT_NE(problem([](M&, C& c) { c.functions = LinearFunctions{}; }), "");
  EXPECT_NE(problem([](M&, C& c) {
              c.scaler = fit_scaler(DenseMatrix(2, 3, 1.0), parse_scaling("range"));
            }),
            "");
  EXPECT_NE(problem([](M& m, C&) {
              const IsotonicCurve curve{{0.0}, {0.5}};
              m.calibration =
                  Calibration{.kind = CalibrationKind::isotonic, .curves = {curve, curve, curve}};
            }),
            "");
  // A vector with a coefficient in all three pairs belongs to no single class.
  EXPECT_NE(problem([&](M&, C& c) {
              for (double& value : expansion(c).coefficients.row(0)) value = 1;
            }),
            "");
}

// ---- LIBLINEAR ----

std::string linear_text(const std::string& solver, const std::string& rest) {
  return "solver_type " + solver + "\n" + rest;
}

TEST(LiblinearModel, OneColumnSeparatesTwoClasses) {
  for (const std::string solver : {"L2R_LR",
                                   "L2R_L2LOSS_SVC_DUAL",
                                   "L2R_L2LOSS_SVC",
                                   "L2R_L1LOSS_SVC_DUAL",
                                   "L1R_L2LOSS_SVC",
                                   "L1R_LR",
                                   "L2R_LR_DUAL"}) {
    const std::string text =
        linear_text(solver, "nr_class 2\nlabel 3 7\nnr_feature 2\nbias 1\nw\n2 \n-1 \n-0.5 \n");
    const ForeignModel model = read_text(text);
    EXPECT_EQ(model.learner, solver.find("LR") != std::string::npos ? "logistic" : "linear-svc");
    EXPECT_EQ(model.calibration.has_value(), model.learner == "logistic");
    EXPECT_EQ(label_of(model, {1, 0}), 3);
    EXPECT_EQ(label_of(model, {0, 1}), 7);
    EXPECT_EQ(label_of(model, {0.25, 0}), 7);      // exactly 0
    EXPECT_EQ(label_of(model, {0.3, 0, 100}), 3);  // a feature the model does not know
    EXPECT_EQ(liblinear_bytes(model), text);
  }
}

/// predict looks at the first of the two columns that Crammer and Singer's machine has.
TEST(LiblinearModel, CrammerSingerHasAColumnForEachClassEvenOfTwo) {
  const std::string two =
      linear_text("MCSVM_CS", "nr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n2 -2 \n-1 1 \n");
  const ForeignModel model = read_text(two);
  EXPECT_EQ(model.learner, "cs-svc");
  EXPECT_EQ(label_of(model, {1, 0}), 1);
  EXPECT_EQ(label_of(model, {0, 1}), -1);
  EXPECT_EQ(label_of(model, {0, 0}), -1);
  EXPECT_EQ(liblinear_bytes(model), two);
  const std::string three = linear_text(
      "MCSVM_CS", "nr_class 3\nlabel 5 1 3\nnr_feature 2\nbias -1\nw\n2 -2 0.5 \n-1 1 0.5 \n");
  EXPECT_EQ(liblinear_bytes(read_text(three)), three);
}

TEST(LiblinearModel, MoreClassesGoToTheFirstLargestValue) {
  const std::string text = linear_text(
      "L2R_L2LOSS_SVC", "nr_class 3\nlabel 9 5 1\nnr_feature 1\nbias 2\nw\n1 -1 0 \n0 0 0.25 \n");
  const ForeignModel model = read_text(text);
  EXPECT_EQ(label_of(model, {1}), 9);
  EXPECT_EQ(label_of(model, {-1}), 5);
  EXPECT_EQ(label_of(model, {0}), 1);
  EXPECT_EQ(label_of(model, {0.5}), 9);  // 0.5 and 0.25 * 2: the first of equals
  EXPECT_EQ(label_of(read_text(liblinear_bytes(model)), {0.5}), 9);
}

TEST(LiblinearModel, RegressionAndOneClass) {
  for (const std::string solver :
       {"L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL"}) {
    const std::string text =
        linear_text(solver, "nr_class 2\nnr_feature 1\nbias 1\nw\n2 \n-0.5 \n");
    const ForeignModel model = read_text(text);
    EXPECT_EQ(model.learner, "linear-svr");
    EXPECT_EQ(value_of(model, {3}), 5.5);
    EXPECT_EQ(liblinear_bytes(model), text);
  }
  const std::string text =
      linear_text("ONECLASS_SVM", "nr_class 2\nnr_feature 1\nbias -1\nrho 0.5\nw\n2 \n");
  const ForeignModel model = read_text(text);
  EXPECT_EQ(model.learner, "one-class");
  EXPECT_LT(value_of(model, {0.25}), 0);  // not above rho
  EXPECT_GE(value_of(model, {0.2500001}), 0);
  EXPECT_EQ(liblinear_bytes(model), text);
}

TEST(LiblinearModel, TheLogisticLinkGivesTheProbabilities) {
  ForeignModel model = read_text(
      linear_text("L2R_LR", "nr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n1 -1 0 \n"));
  auto& classifier = std::get<Classifier>(model.machine);
  classifier.calibration = model.calibration;
  const ClassifierAnswer answer = classifier.answer(row({2}));
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double sum = logistic(2) + logistic(-2) + logistic(0);
  EXPECT_NEAR(answer.probabilities(0, 0), logistic(2) / sum, 1e-12);
  EXPECT_NEAR(answer.probabilities(0, 2), logistic(0) / sum, 1e-12);
}

TEST(LiblinearModel, WhatTheFormatCannotHoldIsRefused) {
  const ForeignModel good = read_text(
      linear_text("L2R_LR", "nr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n1 2 3\n"));
  const auto problem = [&](auto change) {
    ForeignModel model = good;
    change(model, std::get<Classifier>(model.machine));
    return problem_of<InvalidArgument>([&] { return liblinear_bytes(model); });
  };
  EXPECT_EQ(problem([](ForeignModel&, Classifier&) {}), "");
  EXPECT_NE(problem([](ForeignModel& m, Classifier&) { m.solver = "NEWTON"; }), "");
  EXPECT_NE(problem([](ForeignModel& m, Classifier&) { m.solver = "L2R_L2LOSS_SVR"; }), "");
  EXPECT_NE(problem([](ForeignModel&, Classifier& c) { c.code = one_vs_one_code(3); }), "");
  EXPECT_NE(problem([](ForeignModel&, Classifier& c) { c.functions = KernelExpansion{}; }), "");
  EXPECT_NE(problem([](ForeignModel&, Classifier& c) { c.classes[0] = Label("a"); }), "");
  EXPECT_NE(problem_of<InvalidArgument>([&] { return liblinear_bytes(read_text(two_classes)); }),
            "");
}

// ---- damage ----

TEST(ForeignModelDamage, OtherFilesAreNotForeignModels) {
  for (const std::string text : {"", "1 1:0.5\n", "maxmargin-model 1\n", "svm_typo c_svc\n"}) {
    Input input = Input::from_memory("m", text);
    EXPECT_FALSE(looks_like_foreign_model(input)) << text;
    EXPECT_TRUE(problem_in(text).starts_with("m:1:1: not a model")) << text;
  }
  Input input = Input::from_memory("m", two_classes);
  EXPECT_TRUE(looks_like_foreign_model(input));
}

TEST(ForeignModelDamage, EveryCutAtALineIsNoticedWithItsPlace) {
  const std::string liblinear =
      linear_text("L2R_LR", "nr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n2 \n-1 \n3 \n");
  for (const std::string& text : {two_classes, three_classes, liblinear}) {
    ASSERT_EQ(problem_in(text), "");
    for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
      EXPECT_TRUE(problem_in(text.substr(0, at + 1)).starts_with("m:")) << text.substr(0, at);
    }
  }
}

TEST(ForeignModelDamage, EveryMissingHeaderLineIsNoticed) {
  const std::string rbf =
      "svm_type c_svc\nkernel_type sigmoid\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 2\nrho 0.5\n"
      "label 3 7\nnr_sv 1 1\nSV\n2 1:1 \n-1 2:1 \n";
  const std::string liblinear =
      linear_text("L2R_LR", "nr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n2 \n-1 \n3 \n");
  for (const std::string& text : {rbf, liblinear}) {
    ASSERT_EQ(problem_in(text), "");
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      EXPECT_NE(problem_in(text.substr(0, begin) + text.substr(end)), "")
          << text.substr(begin, end - begin);
      begin = end;
    }
  }
}

/// Whatever a single changed word says, the file is refused or gives a model that predicts.
TEST(ForeignModelDamage, NoChangedWordBreaksTheReader) {
  const std::string liblinear =
      linear_text("MCSVM_CS",
                  "nr_class 3\nlabel 1 -1 4\nnr_feature 2\nbias 1\nw\n2 1 1 \n-1 1 1 \n3 "
                  "2 2 \n");
  std::string probable = two_classes;
  probable.insert(probable.find("nr_sv"), "probA -1.5\nprobB 0.25\n");
  for (const std::string& text : {probable, three_classes, liblinear}) {
    std::size_t refused = 0;
    std::size_t accepted = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find_first_of(" :\n", begin);
      for (const char* word : {"nan",
                               "-1",
                               "0",
                               "1",
                               "7",
                               "1e308",
                               "99999999999999999999",
                               "x",
                               "",
                               "c_svc",
                               "rbf",
                               "2147483647",
                               "1 1",
                               "1:1"}) {
        try {
          const ForeignModel model = read_text(text.substr(0, begin) + word + text.substr(end));
          if (const auto* classifier = std::get_if<Classifier>(&model.machine)) {
            classifier->validate();
            EXPECT_EQ(classifier->answer(row({1, 2, 3})).classes.size(), 1u);
          } else {
            std::get<Regressor>(model.machine).validate();
          }
          ++accepted;
        } catch (const ModelFormatError&) {
          ++refused;
        }
      }
      begin = end + 1;
    }
    EXPECT_GT(refused, 50u);
    EXPECT_GT(accepted, 10u);
  }
}

TEST(ForeignModelDamage, ClaimedCountsDoNotTakeMemory) {
  EXPECT_NE(problem_in("svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2000000000\n"
                       "rho 0\nlabel 1 -1\nnr_sv 1000000000 1000000000\nSV\n1 1:1\n"),
            "");
  EXPECT_NE(problem_in("svm_type epsilon_svr\nkernel_type linear\nnr_class 2\n"
                       "total_sv 2147483647\nrho 0\nSV\n1 1:1\n"),
            "");
  EXPECT_NE(problem_in(linear_text(
                "L2R_LR", "nr_class 2\nlabel 1 -1\nnr_feature 2147483646\nbias 1\nw\n1\n")),
            "");
}

}  // namespace
}  // namespace maxmargin

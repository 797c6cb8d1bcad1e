// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "io/table/svmlight.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "written_bytes.hpp"

/// The programs of LIBSVM and LIBLINEAR beside us: they train and we predict, we train and they
/// predict, and the labels must be identical. Skipped where a program is not installed.
namespace maxmargin {
namespace {

bool is_installed(const std::string& program) {
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(std::filesystem::path(folder) / program)) return true;
  }
  return false;
}

#define MAXMARGIN_NEEDS(program) \
  if (!is_installed(program)) GTEST_SKIP() << program << " is not installed"

void run(const std::string& command) {
  ASSERT_EQ(std::system((command + " > /dev/null 2>&1").c_str()), 0) << command;
}

std::vector<double> numbers_in(const std::string& path) {
  std::istringstream text(Input::open(path).read_all());
  std::vector<double> numbers;
  for (double number = 0; text >> number;) numbers.push_back(number);
  return numbers;
}

Dataset data_in(const std::string& path, bool precomputed = false) {
  Input input = Input::open(path);
  return read_svmlight(input, {.precomputed = precomputed});
}

void write_data_file(const Dataset& data, const std::string& path) {
  OutputFile file(path);
  write_svmlight(data, file);
  file.commit();
}

ForeignModel model_in(const std::string& path) {
  Input input = Input::open(path);
  return read_foreign_model(input);
}

/// What we predict for the data: labels, or values of a regression, or +-1 of a one-class machine.
std::vector<double> predicted(ForeignModel& model, const Dataset& data) {
  widen_features(model, data.features());
  std::vector<double> answers;
  if (const auto* classifier = std::get_if<Classifier>(&model.machine)) {
    for (const Label& label : classifier->predict(data)) answers.push_back(label.number());
    return answers;
  }
  answers = std::get<Regressor>(model.machine)
                .predict(data.examples, {.precision = ValuePrecision::exact});
  if (model.learner == "one-class") {
    for (double& answer : answers) answer = answer >= 0 ? 1 : -1;
  }
  return answers;
}

/// Labels must be the same; real values as far as the program prints them (%g: six digits).
void expect_same(const std::vector<double>& ours, const std::vector<double>& theirs, bool real) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (real) {
      EXPECT_NEAR(ours[i], theirs[i], 1e-5 * std::max(1.0, std::abs(theirs[i]))) << "row " << i;
    } else {
      EXPECT_EQ(ours[i], theirs[i]) << "row " << i;
    }
  }
}

/// Points on a small grid, so that values of exactly 0 and equal votes do happen; classes
/// 4, 3, 1, ... in an order of their own. Some rows are empty, some have features no other has.
Dataset grid_points(std::size_t n, std::size_t classes, std::uint64_t seed) {
  Rng rng(seed, "foreign-programs-test");
  DenseMatrix points(n, 6);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      points(i, j) = static_cast<double>(rng.index(5)) / 2 - 1;
    }
    if (i % 37 == 5) points(i, 5) = 1;
    const double score = points(i, 0) + points(i, 1) * points(i, 2) + 0.7 * rng.normal();
    const auto bin = static_cast<std::size_t>(std::clamp(score + 2, 0.0, 3.999));
    labels.push_back(static_cast<double>(7 - 3 * static_cast<int>(bin % classes)));
  }
  return {.examples = to_sparse(points.view()), .labels = LabelColumn::from_numbers(labels)};
}

/// A folder with the files train and test.
class Programs : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  void use(const Dataset& train, const Dataset& test) {
    write_data_file(train, path("train"));
    write_data_file(test, path("test"));
    test_ = data_in(path("test"));
  }

  /// They train, both predict; then they predict with the file as we write it.
  void compare_libsvm(const std::string& options, bool real = false) {
    SCOPED_TRACE("svm-train " + options);
    run("svm-train -q " + options + " " + path("train") + " " + path("model"));
    run("svm-predict " + path("test") + " " + path("model") + " " + path("out"));
    const std::vector<double> theirs = numbers_in(path("out"));
    ForeignModel model = model_in(path("model"));
    expect_same(predicted(model, test_), theirs, real);

    OutputFile file(path("again"));
    write_libsvm_model(model, file);
    file.commit();
    run("svm-predict " + path("test") + " " + path("again") + " " + path("out"));
    EXPECT_EQ(numbers_in(path("out")), theirs);
  }

  void compare_liblinear(const std::string& options, bool real = false) {
    SCOPED_TRACE("liblinear-train " + options);
    run("liblinear-train -q " + options + " " + path("train") + " " + path("model"));
    run("liblinear-predict " + path("test") + " " + path("model") + " " + path("out"));
    const std::vector<double> theirs = numbers_in(path("out"));
    ForeignModel model = model_in(path("model"));
    expect_same(predicted(model, test_), theirs, real);

    OutputFile file(path("again"));
    write_liblinear_model(model, file);
    file.commit();
    run("liblinear-predict " + path("test") + " " + path("again") + " " + path("out"));
    EXPECT_EQ(numbers_in(path("out")), theirs);
  }

  /// We train, they predict.
  void compare_ours(const ForeignModel& model, bool real = false) {
    SCOPED_TRACE(model.learner);
    OutputFile file(path("ours"));
    write_libsvm_model(model, file);
    file.commit();
    run("svm-predict " + path("test") + " " + path("ours") + " " + path("out"));
    ForeignModel copy = model;
    expect_same(predicted(copy, test_), numbers_in(path("out")), real);
  }

  TemporaryFolder folder_;
  Dataset test_;
};

TEST_F(Programs, LibsvmClassifiersPredictTheSameLabels) {
  MAXMARGIN_NEEDS("svm-train");
  for (const std::size_t classes : {2u, 3u, 4u}) {
    use(grid_points(150, classes, 1), grid_points(400, classes, 2));
    for (const char* options : {"-t 0",
                                "-t 1 -g 1 -r 1 -d 2",
                                "-t 2 -g 0.5 -c 4",
                                "-t 3 -g 0.1 -r -0.5",
                                "-s 1 -n 0.1 -g 0.3"}) {
      compare_libsvm(options);
    }
  }
}

TEST_F(Programs, LibsvmRegressionAndOneClassAgree) {
  MAXMARGIN_NEEDS("svm-train");
  use(grid_points(150, 4, 3), grid_points(300, 4, 4));
  compare_libsvm("-s 3 -g 0.5", true);
  compare_libsvm("-s 3 -t 0 -b 1", true);
  compare_libsvm("-s 4 -n 0.3 -t 1 -g 0.5 -r 1", true);
  compare_libsvm("-s 2 -n 0.2 -g 0.5");
  compare_libsvm("-s 2 -n 0.5 -t 0");
}

/// Without -b the labels go by votes though the file has probabilities; with it by them.
TEST_F(Programs, LibsvmProbabilitiesDoNotChangeLabelsUnlessAsked) {
  MAXMARGIN_NEEDS("svm-train");
  for (const std::size_t classes : {2u, 3u}) {
    use(grid_points(150, classes, 5), grid_points(300, classes, 6));
    compare_libsvm("-b 1 -g 0.5");
    ForeignModel model = model_in(path("model"));
    ASSERT_TRUE(model.calibration);
    run("svm-predict -b 1 " + path("test") + " " + path("model") + " " + path("out"));
    std::istringstream out(Input::open(path("out")).read_all());
    std::string header;
    std::getline(out, header);  // "labels 7 4": the columns are in the file's order
    widen_features(model, test_.features());
    auto& classifier = std::get<Classifier>(model.machine);
    classifier.calibration = model.calibration;
    const ClassifierAnswer answer = classifier.answer(test_.examples);
    for (std::size_t i = 0; i < test_.size(); ++i) {
      double label = 0;
      out >> label;
      std::vector<double> theirs(classes);
      for (double& p : theirs) out >> p;
      // svm-predict stops its coupling at 0.005 / k.
      for (std::size_t c = 0; c < classes; ++c) {
        EXPECT_NEAR(answer.probabilities(i, c), theirs[c], 0.006) << "row " << i;
      }
      std::ranges::sort(theirs);
      if (theirs[classes - 1] - theirs[classes - 2] > 0.02) {
        EXPECT_EQ(classifier.classes[static_cast<std::size_t>(answer.classes[i])], Label(label));
      }
    }
  }
}

TEST_F(Programs, LibsvmPrecomputedKernelsPredictTheSameLabels) {
  MAXMARGIN_NEEDS("svm-train");
  const Dataset train = grid_points(60, 3, 7);
  const Dataset test = grid_points(80, 3, 8);
  const auto write_products = [&](const Dataset& rows, const std::string& name) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += rows.labels.at(i)->text() + " 0:" + std::to_string(i + 1);
      for (std::size_t j = 0; j < train.size(); ++j) {
        const double product = rows.examples.row(i).dot(train.examples.row(j));
        text += " " + std::to_string(j + 1) + ":" + std::to_string(product);
      }
      text += "\n";
    }
    write_file(path(name), text);
  };
  write_products(train, "train");
  write_products(test, "test");
  run("svm-train -q -t 4 " + path("train") + " " + path("model"));
  run("svm-predict " + path("test") + " " + path("model") + " " + path("out"));
  ForeignModel model = model_in(path("model"));
  // Column 0 of the data holds the serial numbers.
  const DenseMatrix rows = data_in(path("test"), true).examples.to_dense();
  DenseMatrix products(rows.rows(), rows.cols() - 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::ranges::copy(rows.row(i).subspan(1), products.row(i).begin());
  }
  auto& classifier = std::get<Classifier>(model.machine);
  std::get<KernelExpansion>(classifier.functions).kernel =
      Precomputed{std::make_shared<const DenseMatrix>(std::move(products))};
  std::vector<double> ours;
  for (const Label& label : classifier.predict({.examples = index_examples(test.size())})) {
    ours.push_back(label.number());
  }
  expect_same(ours, numbers_in(path("out")), false);
}

TEST_F(Programs, LiblinearModelsPredictTheSame) {
  MAXMARGIN_NEEDS("liblinear-train");
  for (const std::size_t classes : {2u, 3u, 4u}) {
    use(grid_points(150, classes, 9), grid_points(300, classes, 10));
    for (int solver = 0; solver <= 7; ++solver) {
      compare_liblinear("-s " + std::to_string(solver));
      compare_liblinear("-B 2 -s " + std::to_string(solver));
    }
  }
  for (const char* solver : {"-s 11", "-s 12", "-s 13 -B 1"}) compare_liblinear(solver, true);
}

TEST_F(Programs, SvmPredictReadsOurModels) {
  MAXMARGIN_NEEDS("svm-predict");
  for (const std::size_t classes : {2u, 3u, 4u}) {
    const Dataset train = grid_points(150, classes, 11);
    use(train, grid_points(400, classes, 12));
    // Agreement does not need a converged model, so no solver may take long.
    const TrainingControl brief = {.max_iterations = 20000};
    for (const Kernel& kernel : std::vector<Kernel>{
             Linear{}, Rbf{.gamma = 0.5}, Polynomial{.gamma = 1, .coef0 = 1, .degree = 2}}) {
      const auto svc = train_svc(train, {.kernel = kernel, .control = brief});
      compare_ours({.learner = "svc", .machine = svc.model});
    }
    // With the other kernels the best w is 0, and the labels would be those of rounding errors.
    const auto nu_svc =
        train_nu_svc(train, {.nu = 0.4, .kernel = Rbf{.gamma = 0.5}, .control = brief});
    compare_ours({.learner = "nu-svc", .machine = nu_svc.model});
    const KernelMachineOptions machine = {.kernel = Rbf{.gamma = 0.5}, .control = brief};
    const auto svr = train_svr(train, {.machine = machine});
    compare_ours({.learner = "svr", .machine = svr.model}, true);
    const auto nu_svr = train_nu_svr(train, {.machine = machine});
    compare_ours({.learner = "nu-svr", .machine = nu_svr.fit.model}, true);
    const auto one_class = train_one_class(train, {.nu = 0.2, .machine = machine});
    compare_ours({.learner = "one-class", .machine = one_class.model});
  }
}

/// Real data from the shared folder beside the project, where it is present.
TEST_F(Programs, RealDataGetsTheSameLabels) {
  MAXMARGIN_NEEDS("svm-train");
  const std::string data = std::string(MAXMARGIN_SOURCE_DIR) + "/../shared/data/libsvm/";
  if (!std::filesystem::exists(data + "svmguide1.gz")) GTEST_SKIP() << "no shared data";
  struct Set {
    const char* train;
    const char* test;
    const char* options;
  };
  // Rows are thinned, so that the test stays quick.
  for (const Set& set : {Set{"svmguide1.gz", "svmguide1.t.gz", "-g 0.001 -c 10"},
                         Set{"satimage.scale.gz", "satimage.scale.gz", "-g 1 -c 16"},
                         Set{"letter.scale.gz", "letter.scale.t.gz", "-g 4 -c 16"},
                         Set{"a1a", "a1a.t.gz", "-g 0.05"},
                         Set{"heart_scale", "heart_scale", "-b 1"}}) {
    const auto thinned = [](const Dataset& all, std::size_t most, std::size_t first) {
      std::vector<std::size_t> rows;
      const std::size_t step = std::max<std::size_t>(1, all.size() / most);
      for (std::size_t i = first % step; i < all.size(); i += step) rows.push_back(i);
      return all.select(rows);
    };
    SCOPED_TRACE(set.train);
    use(thinned(data_in(data + set.train), 500, 0), thinned(data_in(data + set.test), 400, 1));
    compare_libsvm(set.options);
  }
}

}  // namespace
}  // namespace maxmargin

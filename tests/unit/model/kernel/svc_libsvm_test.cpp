// SPDX-License-Identifier: Apache-2.0
// train_svc beside LIBSVM 3.24 (Debian libsvm-tools 3.24+ds-6), svm-train -s 0 -e 1e-6. The table
// is what tests/reference/libsvm_objectives.py prints: the dual objectives of the model files in
// double.
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;

struct LibsvmCase {
  const char* data;
  int keep;    ///< rows of class 1 that are kept; 0: all
  int copies;  ///< of every row
  const char* kernel;
  double c;
  double weight_1;
  double weight_2;
  double dual;
};

std::ostream& operator<<(std::ostream& out, const LibsvmCase& which) {
  return out << which.data << ", " << which.kernel << ", C = " << which.c;
}

constexpr LibsvmCase cases[] = {
    {"gaussians,n=80,seed=1", 0, 1, "linear", 0.01, 1, 1, 0.3663222758352171},
    {"gaussians,n=80,seed=1", 0, 1, "linear", 1, 1, 1, 8.176017520109474},
    {"gaussians,n=60,seed=2", 0, 1, "linear", 1000, 1, 1, 6971.992922638295},
    {"gaussians,n=100,d=5,separation=1.5,seed=3", 0, 1, "rbf 0.2", 1, 1, 1, 53.18207059818692},
    {"circles,n=80,seed=4", 0, 1, "rbf 1", 10, 1, 1, 7.911525602207899},
    {"circles,n=80,noise=0.3,seed=5", 0, 1, "rbf 0.5", 1000, 1, 1, 1732.6013192983285},
    {"moons,n=100,noise=0.2,seed=6", 0, 1, "rbf 2", 0.01, 1, 1, 0.9453396170646732},
    {"moons,n=100,noise=0.2,seed=6", 0, 1, "rbf 2", 100, 1, 1, 341.105800232791},
    {"checkers,n=150,seed=7", 0, 1, "rbf 5", 1, 1, 1, 63.630295003521695},
    {"checkers,n=150,seed=7", 0, 1, "rbf 1", 1000, 1, 1, 4122.387545028612},
    {"ring-outliers,seed=8", 0, 1, "linear", 0.1, 1, 1, 3.213814274290536},
    {"ring-outliers,seed=8", 0, 1, "rbf 0.01", 10, 1, 1, 98.49684027528573},
    {"moons,n=80,noise=0.15,seed=9", 0, 1, "poly 0.5 1 3", 1, 1, 1, 19.512469924711844},
    {"circles,n=60,noise=0.1,seed=10", 0, 1, "poly 1 0 2", 0.1, 1, 1, 0.7083808153691803},
    {"gaussians,n=60,separation=2,seed=11", 0, 1, "poly 0.1 1 4", 100, 1, 1, 934.1430753668736},
    {"gaussians,n=80,separation=2,seed=12", 0, 1, "linear", 1, 10, 1, 66.19123058458008},
    {"checkers,n=100,seed=13", 0, 1, "rbf 3", 10, 0.1, 5, 46.77822516240836},
    {"gaussians,n=50,separation=2,seed=14", 0, 2, "rbf 0.5", 5, 1, 1, 215.92120755785177},
    {"gaussians,n=150,separation=2.5,seed=15", 5, 1, "linear", 1, 8, 1, 21.02774317600045},
    {"checkers,n=160,seed=16", 6, 3, "rbf 2", 100, 1, 0.5, 42.301231164220276},
    {"gaussians,n=90,k=3,separation=2,seed=17", 0, 1, "linear", 1, 1, 3, 102.00230805433245},
    {"circle-and-balls,n=90,noise=0.3,ball=0.8,seed=18",
     0,
     1,
     "rbf 0.5",
     10,
     1,
     1,
     205.90172660843388},
};

Kernel kernel_of(const std::string& text) {
  std::istringstream words(text);
  std::string name;
  words >> name;
  if (name == "linear") return Linear{};
  double gamma = 0;
  words >> gamma;
  if (name == "rbf") return Rbf{.gamma = gamma};
  double coef0 = 0;
  int degree = 0;
  words >> coef0 >> degree;
  return Polynomial{.gamma = gamma, .coef0 = coef0, .degree = degree};
}

Dataset data_of(const LibsvmCase& which) {
  const Dataset all = make_builtin(which.data);
  std::vector<std::size_t> rows;
  int kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = all.labels.numbers()[i] == 1;
    kept += first ? 1 : 0;
    if (which.keep == 0 || kept <= which.keep || !first) rows.push_back(i);
  }
  const std::size_t once = rows.size();
  for (int copy = 1; copy < which.copies; ++copy) {
    for (std::size_t k = 0; k < once; ++k) rows.push_back(rows[k]);
  }
  return all.select(rows);
}

/// Primal of function j, whose rows and signs the code tells.
double primal_of(const TrainedClassifier& trained,
                 const Dataset& data,
                 const LibsvmCase& which,
                 std::size_t function) {
  const KernelExpansion& machine = expansion(trained.model.functions);
  const std::vector<std::int8_t> signs =
      trained.model.code.labels_of(function, classes_of(data.labels).of_row);
  const std::vector<double> f = testing::values_by_formula(machine, data.examples, function);
  double value = 0.5 * testing::squared_norm(machine, function);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (signs[i] == 0) continue;
    const double label = data.labels.numbers()[i];
    const double weight = label == 1 ? which.weight_1 : label == 2 ? which.weight_2 : 1.0;
    value += which.c * weight * std::max(0.0, 1 - signs[i] * f[i]);
  }
  return value;
}

class BesideLibsvm : public ::testing::TestWithParam<LibsvmCase> {};
INSTANTIATE_TEST_SUITE_P(Svc, BesideLibsvm, ::testing::ValuesIn(cases));

TEST_P(BesideLibsvm, TheDualIsNotBelowAndTheGapIsHonest) {
  const LibsvmCase& which = GetParam();
  const Dataset data = data_of(which);
  const TrainedClassifier trained = train_svc(
      data,
      {.c = which.c,
       .kernel = kernel_of(which.kernel),
       .class_weights = {.by_class = {{Label(1.0), which.weight_1}, {Label(2.0), which.weight_2}}},
       .control = {.tolerance = 1e-7}});
  ASSERT_EQ(trained.report.status, Status::solved);
  double dual = 0;
  double primal = 0;
  for (std::size_t f = 0; f < trained.model.code.functions; ++f) {
    dual += testing::hinge_dual(expansion(trained.model.functions), f);
    primal += primal_of(trained, data, which, f);
  }
  EXPECT_GE(dual, which.dual * (1 - 1e-6));
  // LIBSVM's point is feasible, so it cannot lie above our primal; but this build keeps C in float.
  EXPECT_LE(which.dual / primal - 1, 1.2e-7);
  EXPECT_NEAR(dual, *trained.report.dual_objective, 1e-9 * dual);
  EXPECT_NEAR(primal, *trained.report.primal_objective, 1e-9 * primal);
  EXPECT_LE(dual, primal * (1 + 1e-12));
  EXPECT_LE(primal - dual, *trained.report.gap() + 1e-9 * primal);
}

}  // namespace
}  // namespace maxmargin

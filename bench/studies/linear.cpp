// SPDX-License-Identifier: Apache-2.0
// The linear study's work; bench/studies/linear.py calls it. Prints "key value" lines.
//   study_linear generate FILE                      200,000 x 500,000, 100 entries a row
//   study_linear primal FILE LOSS C MODEL           objective of a LIBLINEAR model
//   study_linear compare FILE LOSS SOLVER C         solvers alone, ours and LIBLINEAR's (-s SOLVER)
//   study_linear threads FILE                       several machines on one thread and on two
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "solver/linear/linear.hpp"

namespace {

using namespace maxmargin;

void print(std::string_view key, double value) {
  std::cout << key << ' ' << format_number(value) << '\n';
}

double number_of(std::string_view text) {
  const auto value = parse_number(text);
  if (!value) throw InvalidArgument(std::string(text) + " is not a number");
  return *value;
}

LinearLoss loss_of(std::string_view text) {
  for (const LinearLoss loss :
       {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
    if (text == to_string(loss)) return loss;
  }
  throw InvalidArgument("no such loss: " + std::string(text));
}

/// Unit rows; popular features have low numbers; labels follow a plane with noise.
void generate(const std::string& path) {
  constexpr std::size_t rows = 200'000;
  constexpr std::size_t cols = 500'000;
  constexpr std::size_t entries = 100;
  Rng rng(1, "linear study");
  std::vector<double> plane(cols);
  for (double& value : plane) value = rng.normal();
  std::ofstream file(path, std::ios::binary);
  std::string line;
  std::vector<std::size_t> columns;
  std::vector<double> values(entries);
  for (std::size_t i = 0; i < rows; ++i) {
    columns.clear();
    while (columns.size() < entries) {
      const double u = rng.uniform();
      const auto column = static_cast<std::size_t>(u * u * static_cast<double>(cols));
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
    }
    std::sort(columns.begin(), columns.end());
    double squares = 0;
    for (double& value : values) {
      value = rng.uniform(0.0001, 1.0);
      squares += value * value;
    }
    double score = rng.normal(0, 0.3);
    line.clear();
    for (std::size_t k = 0; k < entries; ++k) {
      const double value = std::round(values[k] / std::sqrt(squares) * 1e6) / 1e6;
      score += value * plane[columns[k]];
      line += ' ' + std::to_string(columns[k] + 1) + ':' + format_number(value);
    }
    file << (score > 0 ? "+1" : "-1") << line << '\n';
  }
  if (!file) throw FileError(path, "cannot write");
}

/// The larger class +1.
std::vector<double> signs_of(const Dataset& data) {
  const Classes classes = classes_of(data.labels);
  if (classes.count() != 2) throw InvalidArgument("two classes are wanted");
  std::vector<double> signs(data.size());
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = classes.of_row[i] == 1 ? 1 : -1;
  return signs;
}

LinearRisk problem_of(const Dataset& data,
                      const std::vector<double>& signs,
                      LinearLoss loss,
                      double c) {
  return {.examples = data.examples.sparse(), .targets = signs, .c = c, .loss = loss};
}

void primal(char** argument) {
  const Dataset data = read_data(argument[0]);
  const std::vector<double> signs = signs_of(data);
  const LinearRisk problem = problem_of(data, signs, loss_of(argument[1]), number_of(argument[2]));
  Input input = Input::open(argument[3]);
  const ForeignModel model = read_foreign_model(input);
  const auto& classifier = std::get<Classifier>(model.machine);
  const auto& functions = std::get<LinearFunctions>(classifier.functions);
  const double side = classifier.classes[0] < classifier.classes[1] ? 1 : -1;
  std::vector<double> w(functions.weights.row(0).begin(), functions.weights.row(0).end());
  for (double& value : w) value *= side;
  w.resize(problem.components(), 0.0);
  const std::vector<double> b(problem.rows(), 0.0);
  print("primal", residuals(problem, w, b).primal);
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// LIBLINEAR 2.3's own library, as its header declares it.
namespace peer {

struct Node {
  int index;
  double value;
};
struct Problem {
  int l;
  int n;
  double* y;
  Node** x;
  double bias;
};
struct Parameter {
  int solver_type;
  double eps;
  double c;
  int nr_weight;
  int* weight_label;
  double* weight;
  double p;
  double* init_sol;
  double room_for_later_versions[8];
};
using Train = void* (*)(const Problem*, const Parameter*);
using Coefficient = double (*)(const void*, int, int);
using Free = void (*)(void**);
using SetPrint = void (*)(void (*)(const char*));

}  // namespace peer

template <class Function>
Function symbol(void* library, const char* name) {
  void* address = dlsym(library, name);
  if (address == nullptr) throw InvalidArgument(std::string("LIBLINEAR has no ") + name);
  return reinterpret_cast<Function>(address);
}

/// Trains at ever smaller eps until the objective is within 1e-3 of the bound from below.
class PeerSolver {
 public:
  PeerSolver(const SparseView& rows, const std::vector<double>& signs)
      : targets_(signs), nodes_(rows.values.size() + rows.rows()), starts_(rows.rows()) {
    library_ = dlopen("liblinear.so.4", RTLD_NOW);
    if (library_ == nullptr) throw InvalidArgument("liblinear.so.4 is not installed");
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      starts_[i] = nodes_.data() + next;
      const SparseRow row = rows.row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        nodes_[next++] = {row.columns[k] + 1, row.values[k]};
      }
      nodes_[next++] = {-1, 0};
    }
    problem_ = {static_cast<int>(rows.rows()),
                static_cast<int>(rows.cols),
                targets_.data(),
                starts_.data(),
                -1};
    symbol<peer::SetPrint>(library_, "set_print_string_function")([](const char*) {});
  }

  /// Processor seconds; w is the answer. Of labels +1 and -1 LIBLINEAR takes +1 as its first.
  double solve(int solver, double eps, double c, std::vector<double>& w) {
    peer::Parameter parameter{};
    parameter.solver_type = solver;
    parameter.eps = eps;
    parameter.c = c;
    parameter.p = 0.1;
    const double begin = processor_seconds();
    void* model = symbol<peer::Train>(library_, "train")(&problem_, &parameter);
    const double spent = processor_seconds() - begin;
    const auto coefficient = symbol<peer::Coefficient>(library_, "get_decfun_coef");
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] = coefficient(model, static_cast<int>(j) + 1, 0);
    }
    symbol<peer::Free>(library_, "free_and_destroy_model")(&model);
    return spent;
  }

 private:
  std::vector<double> targets_;
  std::vector<peer::Node> nodes_;
  std::vector<peer::Node*> starts_;
  peer::Problem problem_{};
  void* library_ = nullptr;
};

void compare(char** argument) {
  constexpr double tolerance = 1e-3;
  constexpr int rounds = 3;
  const Dataset data = read_data(argument[0]);
  const std::vector<double> signs = signs_of(data);
  const double c = number_of(argument[3]);
  const LinearRisk problem = problem_of(data, signs, loss_of(argument[1]), c);
  const int solver = static_cast<int>(number_of(argument[2]));
  const double bound = *solve_linear(problem, {.tolerance = 1e-6}).report.dual_objective;
  PeerSolver other(data.examples.sparse(), signs);
  std::vector<double> w(problem.components());
  const std::vector<double> b(problem.rows(), 0.0);
  double eps = 3;
  double reached = 0;
  do {
    eps /= 1.5;
    (void)other.solve(solver, eps, c, w);
    reached = residuals(problem, w, b).primal;
  } while (relative_gap(reached, bound) > tolerance && eps > 1e-6);
  double ours = 1e300;
  double theirs = 1e300;
  LinearSolution solution;
  for (int round = 0; round < rounds; ++round) {  // alternating, so that both see the same machine
    const double begin = processor_seconds();
    solution = solve_linear(problem, {.tolerance = tolerance});
    ours = std::min(ours, processor_seconds() - begin);
    theirs = std::min(theirs, other.solve(solver, eps, c, w));
  }
  print("bound", bound);
  print("eps", eps);
  print("peer_primal", reached);
  print("peer_gap", relative_gap(reached, bound));
  print("peer_seconds", theirs);
  print("primal", *solution.report.primal_objective);
  print("gap", *solution.report.relative_gap());
  print("iterations", static_cast<double>(solution.report.iterations));
  print("seconds", ours);
}

void threads(char** argument) {
  const Dataset data = read_data(argument[0]);
  const std::vector<double> cs{0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8};
  std::array<double, 2> single{1e300, 1e300};
  std::array<double, 2> path = single;
  for (int round = 0; round < 5; ++round) {  // alternating, so that both see the same machine
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
      const LinearSvcOptions options{.control = {.context = {.threads = count}}};
      const Stopwatch watch;
      (void)train_linear_svc(data, options);
      single[count - 1] = std::min(single[count - 1], watch.seconds());
      const Stopwatch along;
      (void)train_linear_path(data, options, cs);
      path[count - 1] = std::min(path[count - 1], along.seconds());
    }
  }
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    print("train" + std::to_string(count), single[count - 1]);
    print("path" + std::to_string(count), path[count - 1]);
  }
}

int run(int count, char** argument) {
  const std::string_view command = count > 1 ? argument[1] : "";
  if (command == "generate" && count == 3) {
    generate(argument[2]);
  } else if (command == "primal" && count == 6) {
    primal(argument + 2);
  } else if (command == "compare" && count == 6) {
    compare(argument + 2);
  } else if (command == "threads" && count == 3) {
    threads(argument + 2);
  } else {
    throw InvalidArgument("see the head of bench/studies/linear.cpp for the arguments");
  }
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& error) {
    std::cerr << "study_linear: " << error.what() << '\n';
    return 1;
  }
}

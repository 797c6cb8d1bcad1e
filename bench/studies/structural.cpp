// SPDX-License-Identifier: Apache-2.0
// Trainings of the structural study; bench/studies/structural.py calls it.
//   study_structural words FILE METHOD C TOLERANCE SECONDS THREADS
//       A chain on an SVM-hmm file. Lines "at SECONDS PRIMAL DUAL" whenever the solver knew more
//       (DUAL 0: no bound), then "key value" lines of the end.
//   study_structural ranking ROWS
//       The pairwise ranking machine by one-slack cutting planes on one query: "key value" lines.
#include <cmath>
#include <exception>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "structural_words.hpp"

namespace {

using namespace maxmargin;

struct Moment {
  double seconds = 0;
  double primal = std::numeric_limits<double>::infinity();
  double dual = 0;
};

/// Remembers when P or D became better, and ends the run when its time is up.
class Trace {
 public:
  explicit Trace(double limit) : limit_(limit) {}

  Continue see(const Progress& progress) {
    const double seconds = watch_.seconds();
    add(seconds, progress.primal_objective, progress.dual_objective);
    return seconds > limit_ ? Continue::time_is_up : Continue::yes;
  }
  void add(double seconds, std::optional<double> primal, std::optional<double> dual) {
    if (!primal) return;
    const Moment now{seconds, *primal, dual.value_or(0)};
    const bool knows_more =
        moments_.empty() || now.primal < moments_.back().primal || now.dual > moments_.back().dual;
    if (knows_more) moments_.push_back(now);
  }
  void show() const {
    for (const Moment& moment : moments_) {
      std::cout << "at " << format_number(moment.seconds) << ' ' << format_number(moment.primal)
                << ' ' << format_number(moment.dual) << '\n';
    }
  }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }

 private:
  Stopwatch watch_;
  double limit_;
  std::vector<Moment> moments_;
};

void show_phases(const SolveReport& report) {
  for (const auto& [phase, seconds] : report.seconds) print("phase " + phase, seconds);
}

void train_words(char** argument) {
  const Words words = read_words(argument[0]);
  const StructuralMethod method = parse_name<StructuralMethod>(argument[1], "solver");
  StructuralOptions options;
  options.c = number_of(argument[2]);
  options.tolerance = number_of(argument[3]);
  options.context.threads = static_cast<std::size_t>(number_of(argument[5]));
  options.max_passes = 1'000'000;
  const double cpu_before = cpu_seconds();
  Trace trace(number_of(argument[4]));
  options.context.on_progress = [&](const Progress& progress) { return trace.see(progress); };
  // The time begins before the risk is made: dlib's features of the truth are within its time, too.
  const StructuralHinge<ChainTask> risk(words.task, words.data.inputs, words.data.labels);
  const StructuralSolution found = solve_structural(risk, method, options);
  const double seconds = trace.seconds();
  const double cpu = cpu_seconds() - cpu_before;
  trace.add(seconds, found.report.primal_objective, found.report.dual_objective);
  trace.show();
  print("words", static_cast<double>(words.data.size()));
  print("weights", static_cast<double>(words.task.dimension()));
  print("seconds", seconds);
  print("cpu_seconds", cpu);
  print("objective", structural_primal(risk, options.c, found.w));
  if (found.report.dual_objective) print("bound", *found.report.dual_objective);
  print("solved", found.report.status == Status::solved ? 1 : 0);
  print("passes", static_cast<double>(found.report.iterations));
  print("oracle_calls", static_cast<double>(found.oracle_calls));
  show_phases(found.report);
}

/// Rows of 20 normal features; five grades of equal size by a plane with noise.
void train_ranking(std::size_t n) {
  constexpr std::size_t features = 20;
  constexpr std::size_t grades = 5;
  Rng rng(1, "ranking study");
  std::vector<double> plane(features);
  for (double& value : plane) value = rng.normal();
  DenseMatrix rows(n, features);
  Queries queries{.begins = {0, n}};
  std::vector<double> scores(n);
  for (std::size_t i = 0; i < n; ++i) {
    double score = rng.normal(0, 2);
    for (std::size_t j = 0; j < features; ++j) {
      rows(i, j) = rng.normal();
      score += plane[j] * rows(i, j);
    }
    scores[i] = score;
  }
  std::vector<double> sorted = scores;
  std::ranges::sort(sorted);
  for (const double score : scores) {
    std::size_t grade = 0;
    while (grade + 1 < grades && score >= sorted[(grade + 1) * n / grades]) ++grade;
    queries.grades.push_back(static_cast<double>(grade));
  }

  const RankingRisk risk(PointRows(rows.view()), queries);
  StructuralOptions options;
  options.c = 100;
  options.tolerance = 1e-3;
  // Without the cache every cut is one question to the oracle.
  options.cached_planes = 0;
  const Stopwatch watch;
  const StructuralSolution found = solve_structural(risk, StructuralMethod::one_slack, options);
  print("seconds", watch.seconds());
  print("pairs", risk.pairs(0));
  print("objective", found.report.primal_objective.value_or(std::nan("")));
  print("gap", found.report.relative_gap().value_or(std::nan("")));
  print("oracle_calls", static_cast<double>(found.oracle_calls));
  show_phases(found.report);
}

int run(int count, char** argument) {
  const std::string command = count > 1 ? argument[1] : "";
  if (command == "words" && count == 8) {
    train_words(argument + 2);
  } else if (command == "ranking" && count == 3) {
    train_ranking(static_cast<std::size_t>(number_of(argument[2])));
  } else {
    throw InvalidArgument("see the head of bench/studies/structural.cpp");
  }
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& problem) {
    std::cerr << "study_structural: " << problem.what() << '\n';
    return 2;
  }
}

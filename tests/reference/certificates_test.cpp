// SPDX-License-Identifier: Apache-2.0
//
// Trainings of small ugly problems against a reference in long double that shares no code with the
// library: no bound above the optimum, no `solved` with a larger gap, no right answer that fails
// its verification. MAXMARGIN_UGLY_PROBLEMS=N looks at N problems a learner instead of a few, and
// MAXMARGIN_UGLY_FIRST=K begins at number K.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "maxmargin/core/error.hpp"
#include "reference_machines.hpp"
#include "ugly_problems.hpp"

namespace maxmargin {
namespace {

using reference::Number;

/// Differences this small, in relation to the objectives, are none: what verifying allows.
constexpr Number slack = 1e-6L;
/// A training asks its callback after so many questions to stop: counted, never timed.
constexpr int most_questions = 3000;

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::optional<Training> trained(const Learner& learner, const ugly::Problem& problem) {
  Context context{.threads = 1};
  int questions = 0;
  context.on_progress = [&](const Progress&) {
    return ++questions > most_questions ? Continue::stop : Continue::yes;
  };
  try {
    Training training =
        learner.train(TableData{.data = problem.data},
                      {.options = problem.options, .context = context, .keep_certificate = true});
    return training.model ? std::optional(std::move(training)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // options or data that the learner refuses
  }
}

Number tolerance_of(const Model& model) {
  for (const auto& [name, value] : model.header().options) {
    if (name == "tolerance" && std::holds_alternative<double>(value))
      return std::get<double>(value);
  }
  return 1e-3L;
}

/// How far a training may honestly be from the reference: what the last digits of doubles change.
Number size_of(const reference::Verdict& truth) {
  return std::max(
      {std::abs(truth.objective), std::abs(truth.optimum.low), std::abs(truth.optimum.high)});
}

/// The reference is not sure of a problem whose optimum it encloses loosely.
bool is_sure(const reference::Verdict& truth) {
  const Number width = std::abs(truth.optimum.high - truth.optimum.low);
  const Number size = std::max(std::abs(truth.optimum.low), std::abs(truth.optimum.high));
  constexpr Number nothing = 1e-100L;
  if (!std::isfinite(size)) return false;
  return width <= 0.1L * slack * size || size <= nothing;
}

void expect_truth(const Training& training, const reference::Verdict& truth) {
  const SolveReport& report = training.report.solve;
  const Number size = size_of(truth);
  const Number optimum = truth.optimum.high;
  const Number shown = truth.rounding + slack * size;
  EXPECT_GE(truth.objective, truth.optimum.low - shown) << "the reference contradicts itself";
  for (const std::optional<double>& bound : {report.dual_objective, report.lower_bound}) {
    if (!bound) continue;
    EXPECT_LE(*bound, optimum + shown) << "a bound above the optimum";
  }
  if (report.primal_objective && std::isfinite(*report.primal_objective)) {
    EXPECT_NEAR(static_cast<double>(*report.primal_objective - truth.objective),
                0,
                static_cast<double>(shown))
        << "the objective is not that of the model";
  }
  const bool is_convex = report.dual_objective.has_value();
  if (report.status == Status::solved && is_convex) {
    const Number gap = truth.objective - optimum;
    EXPECT_LE(gap, tolerance_of(*training.model) * size + shown) << "solved with a larger gap";
  }
}

class Certificates : public ::testing::TestWithParam<const Learner*> {};

TEST_P(Certificates, HoldOnUglyProblems) {
  const Learner& learner = *GetParam();
  const std::uint64_t first = number_in("MAXMARGIN_UGLY_FIRST", 0);
  const std::uint64_t count = number_in("MAXMARGIN_UGLY_PROBLEMS", 15);
  std::size_t looked_at = 0;
  std::size_t unsure = 0;
  for (std::uint64_t number = first; number < first + count; ++number) {
    const ugly::Problem problem = ugly::problem(learner, number);
    SCOPED_TRACE("problem " + std::to_string(number) + ": " + problem.story);
    const std::optional<Training> training = trained(learner, problem);
    if (!training) continue;
    ++looked_at;
    const Verification found = verify(*training->model, problem.data);
    EXPECT_NE(found.agrees, false) << found.complaint;
    // A reason is given wherever the answer is not "true".
    EXPECT_EQ(found.complaint.empty(), found.agrees == true);
    const auto truth = reference::judge(*training->model, problem.data);
    if (!truth) continue;
    if (is_sure(*truth)) {
      expect_truth(*training, *truth);
    } else {
      ++unsure;
    }
  }
  // Weights 10^28 apart are beyond long double, too.
  EXPECT_LE(2 * unsure, looked_at) << "the reference is to know most problems";
}

std::vector<const Learner*> verified_learners() {
  std::vector<const Learner*> all;
  for (const Learner* each : learners()) {
    if (each->info().data == DataKind::table && each->can_verify()) all.push_back(each);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Learners,
                         Certificates,
                         ::testing::ValuesIn(verified_learners()),
                         [](const auto& each) {
                           std::string name(each.param->info().name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace maxmargin

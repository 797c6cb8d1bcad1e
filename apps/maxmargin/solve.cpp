// SPDX-License-Identifier: Apache-2.0
//
// maxmargin solve: a semidefinite program from an SDPA file.
#include <cmath>
#include <iostream>

#include "commands.hpp"
#include "data_source.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/io/sdpa/sdpa.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/admm.hpp"
#include "maxmargin/solver/sdp/interior_point.hpp"
#include "maxmargin/solver/sdp/low_rank.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// What the options ask for, defaults filled in.
struct SolveChoice {
  std::string method = {};
  double tolerance = 0;
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  std::uint64_t seed = 0;
};

SolveChoice choice_of(const Arguments& arguments) {
  SolveChoice choice;
  choice.method =
      arguments.choice_or("method", "interior-point", {"interior-point", "admm", "low-rank"});
  const double fallback = choice.method == "interior-point" ? 1e-8 : 1e-6;
  choice.tolerance = arguments.positive("tolerance").value_or(fallback);
  choice.max_iterations = arguments.whole("max-iterations", 1);
  choice.seed = arguments.whole("seed", 0).value_or(0);
  if (arguments.has("seed") && choice.method != "low-rank") {
    throw UsageError("--seed belongs to --method low-rank");
  }
  return choice;
}

SdpSolution solve(const SdpProblem& problem,
                  const SolveChoice& choice,
                  const Arguments& arguments) {
  const ProgressCallback on_progress =
      interruptible(progress_line(arguments.has("quiet")), arguments.positive("time-limit"));
  const auto fill = [&](auto options) {
    options.tolerance = choice.tolerance;
    options.max_iterations = choice.max_iterations.value_or(options.max_iterations);
    options.threads = threads_of(arguments);
    options.on_progress = on_progress;
    return options;
  };
  const SolveScope scope;
  if (choice.method == "interior-point") {
    return solve_sdp_interior_point(problem, fill(SdpInteriorPointOptions{}));
  }
  if (choice.method == "admm") return solve_sdp_admm(problem, fill(SdpAdmmOptions{}));
  SdpLowRankOptions options = fill(SdpLowRankOptions{});
  options.seed = choice.seed;
  return solve_sdp_low_rank(problem, options);
}

bool is_answered(Status status) {
  return status == Status::solved || status == Status::primal_infeasible ||
         status == Status::dual_infeasible;
}

/// The written answer, read back and held to the program. Measured by problem/sdp/residuals.hpp in
/// plain loops; the certified bound has one implementation only.
bool is_verified(const SdpProblem& problem,
                 const SdpaSolution& written,
                 const SolveReport& report,
                 double tolerance) {
  if (report.status == Status::primal_infeasible) {
    return infeasibility_proof(problem, written.y).proven;
  }
  if (report.status == Status::dual_infeasible) {
    return unboundedness_proof(problem, written.x).proven;
  }
  const SdpResiduals found = residuals(problem, written.x, written.y, written.z);
  const auto agrees = [](double value, std::optional<double> reported) {
    return !reported || std::abs(value - *reported) <= 1e-9 * (1 + std::abs(value));
  };
  const double bound = certified_lower_bound(problem, written.y, found.primal).value;
  if (!report.primal_objective || !agrees(found.primal, report.primal_objective) ||
      !agrees(found.dual, report.dual_objective) || !agrees(bound, report.lower_bound)) {
    return false;
  }
  // Every answer promises X and Z in the cone, to rounding of their sizes.
  const auto rounding = [&](const BlockMatrix& point) {
    double squares = 0;
    for (const DenseMatrix& block : point) {
      for (const double value : block.values()) squares += value * value;
    }
    return 1e-12 * (1 + std::sqrt(squares));
  };
  if (found.least_eigenvalue_x < -rounding(written.x) ||
      found.least_eigenvalue_z < -rounding(written.z)) {
    return false;
  }
  if (report.status != Status::solved) return true;
  // The tolerance is of the scaled iterate; what is returned may miss it by a little.
  const double allowed = 2 * tolerance;
  return std::abs(found.relative_gap) <= allowed && found.primal_infeasibility <= allowed &&
         found.dual_infeasibility <= allowed;
}

/// The triple, or the ray with zeros beside it, as it is written.
std::string answer_text(const SdpProblem& problem, const SdpSolution& solution) {
  if (solution.report.status == Status::primal_infeasible) {
    return sdpa_solution_text(
        problem, problem.zero_point(), solution.dual_ray, problem.zero_point());
  }
  if (solution.report.status == Status::dual_infeasible) {
    const std::vector<double> none(problem.constraints(), 0.0);
    return sdpa_solution_text(problem, solution.primal_ray, none, problem.zero_point());
  }
  return sdpa_solution_text(problem, solution.x, solution.y, solution.z);
}

RunReport report_of(const SdpProblem& problem,
                    const SolveChoice& choice,
                    const SdpSolution& solution,
                    const Arguments& arguments) {
  RunReport report{.kind = "method", .name = choice.method};
  report.n = problem.order();
  report.d = problem.constraints();
  report.solve = solution.report;
  const auto negated = [](std::optional<double> value) {
    return value ? std::optional(-*value) : std::nullopt;
  };
  std::optional<double> dual = std::nullopt;
  if (solution.report.primal_objective) {
    dual = 0;
    for (std::size_t i = 0; i < solution.y.size(); ++i) *dual += problem.rhs()[i] * solution.y[i];
  }
  // The file's own values are ours negated, and its primal is our dual.
  report.metrics = {{"sdpa_primal", negated(dual)},
                    {"sdpa_dual", negated(solution.report.primal_objective)},
                    {"primal_infeasibility", solution.report.primal_residual},
                    {"dual_infeasibility", solution.report.dual_residual}};
  report.options = {{"file", arguments.positionals.at(0)},
                    {"method", choice.method},
                    {"tolerance", choice.tolerance}};
  if (choice.max_iterations) {
    report.options.emplace_back("max_iterations",
                                static_cast<std::int64_t>(*choice.max_iterations));
  }
  if (choice.method == "low-rank") {
    report.options.emplace_back("seed", static_cast<std::int64_t>(choice.seed));
  }
  const std::optional<std::size_t> threads = threads_of(arguments);
  report.options.emplace_back(
      "threads",
      threads ? ReportValue(static_cast<std::int64_t>(*threads)) : ReportValue(std::monostate{}));
  return report;
}

}  // namespace

int run_solve(const Arguments& arguments) {
  const SolveChoice choice = choice_of(arguments);
  Outputs outputs;
  for (const std::string_view option : {"output", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  PhaseTimer timer;
  timer.enter("read");
  const SdpProblem problem = [&] {
    Input input = Input::open(arguments.positionals.at(0));
    return read_sdpa(input);
  }();
  timer.leave();
  const SdpSolution solution = solve(problem, choice, arguments);
  end_progress_line();

  timer.enter("write");
  RunReport report = report_of(problem, choice, solution, arguments);
  OutputFile* file_of_answer = outputs.file("output");
  const bool verify = arguments.has("verify");
  const std::string text =
      verify || file_of_answer != nullptr ? answer_text(problem, solution) : "";
  if (verify) {
    Input input = Input::from_memory("the solution", text);
    report.verified =
        is_verified(problem, read_sdpa_solution(problem, input), solution.report, choice.tolerance);
  }
  if (file_of_answer != nullptr) file_of_answer->write(text);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!arguments.has("quiet")) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return is_answered(report.solve.status) ? 0 : 2;
}

}  // namespace maxmargin::tool

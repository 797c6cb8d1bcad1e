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
#include "maxmargin/io/sdpa.hpp"
#include "maxmargin/problem/sdp_residuals.hpp"
#include "maxmargin/solver/sdp_admm.hpp"
#include "maxmargin/solver/sdp_interior_point.hpp"
#include "maxmargin/solver/sdp_low_rank.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// What the options ask for, defaults filled in.
struct SolveChoice {
  std::string solver = {};
  double tolerance = 0;
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  std::uint64_t seed = 0;
};

SolveChoice choice_of(const Arguments& arguments) {
  SolveChoice choice;
  choice.solver =
      arguments.choice_or("solver", "interior-point", {"interior-point", "admm", "low-rank"});
  const double fallback = choice.solver == "interior-point" ? 1e-8 : 1e-6;
  choice.tolerance = arguments.positive("tolerance").value_or(fallback);
  choice.max_iterations = arguments.whole("max-iterations", 1);
  choice.seed = arguments.whole("seed", 0).value_or(0);
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
  if (choice.solver == "interior-point") {
    return solve_sdp_interior_point(problem, fill(SdpInteriorPointOptions{}));
  }
  if (choice.solver == "admm") return solve_sdp_admm(problem, fill(SdpAdmmOptions{}));
  SdpLowRankOptions options = fill(SdpLowRankOptions{});
  options.seed = choice.seed;
  return solve_sdp_low_rank(problem, options);
}

bool is_answered(Status status) {
  return status == Status::solved || status == Status::primal_infeasible ||
         status == Status::dual_infeasible;
}

/// The answer held to the data by code that no solver shares.
bool is_verified(const SdpProblem& problem, const SdpSolution& solution, double tolerance) {
  const Status status = solution.report.status;
  if (status == Status::primal_infeasible) {
    const SdpRayProof proof = infeasibility_proof(problem, solution.dual_ray);
    return proof.proven || proof.violation <= 1e-7;
  }
  if (status == Status::dual_infeasible) {
    const SdpRayProof proof = unboundedness_proof(problem, solution.primal_ray);
    return proof.proven || proof.violation <= 1e-7;
  }
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  const auto agrees = [](double value, std::optional<double> reported) {
    return reported && std::abs(value - *reported) <= 1e-9 * (1 + std::abs(value));
  };
  if (!agrees(found.primal, solution.report.primal_objective) ||
      !agrees(found.dual, solution.report.dual_objective)) {
    return false;
  }
  const double bound = certified_lower_bound(problem, solution.y, found.primal).value;
  if (solution.report.lower_bound && !agrees(bound, solution.report.lower_bound)) return false;
  if (status != Status::solved) return true;
  // The tolerance is of the scaled iterate; what is returned may miss it by a little.
  const double allowed = 10 * tolerance;
  return std::abs(found.relative_gap) <= allowed && found.primal_infeasibility <= allowed &&
         found.dual_infeasibility <= allowed && found.least_eigenvalue_x >= -allowed &&
         found.least_eigenvalue_z >= -allowed;
}

/// The triple, or the ray with zeros beside it.
void write_answer(const SdpProblem& problem, const SdpSolution& solution, OutputFile& output) {
  if (solution.report.status == Status::primal_infeasible) {
    write_sdpa_solution(
        problem, problem.zero_point(), solution.dual_ray, problem.zero_point(), output);
  } else if (solution.report.status == Status::dual_infeasible) {
    const std::vector<double> none(problem.constraints(), 0.0);
    write_sdpa_solution(problem, solution.primal_ray, none, problem.zero_point(), output);
  } else {
    write_sdpa_solution(problem, solution.x, solution.y, solution.z, output);
  }
}

RunReport report_of(const SdpProblem& problem,
                    const SolveChoice& choice,
                    const SdpSolution& solution,
                    const Arguments& arguments) {
  RunReport report{.kind = "method", .name = choice.solver};
  report.n = problem.order();
  report.d = problem.constraints();
  report.solve = solution.report;
  const auto negated = [](std::optional<double> value) {
    return value ? std::optional(-*value) : std::nullopt;
  };
  // The file's own values are ours negated, and its primal is our dual.
  report.metrics = {{"sdpa_primal", negated(solution.report.dual_objective)},
                    {"sdpa_dual", negated(solution.report.primal_objective)},
                    {"primal_infeasibility", solution.report.primal_residual},
                    {"dual_infeasibility", solution.report.dual_residual}};
  report.options = {{"file", arguments.positionals.at(0)},
                    {"solver", choice.solver},
                    {"tolerance", choice.tolerance}};
  if (choice.max_iterations) {
    report.options.emplace_back("max_iterations",
                                static_cast<std::int64_t>(*choice.max_iterations));
  }
  if (choice.solver == "low-rank") {
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
  if (arguments.has("verify")) {
    report.verified = is_verified(problem, solution, choice.tolerance);
  }
  if (OutputFile* file = outputs.file("output")) write_answer(problem, solution, *file);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!arguments.has("quiet")) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return is_answered(report.solve.status) ? 0 : 2;
}

}  // namespace maxmargin::tool

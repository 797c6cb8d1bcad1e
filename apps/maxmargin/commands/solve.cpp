// SPDX-License-Identifier: Apache-2.0
//
// maxmargin solve: a semidefinite program from an SDPA file.
#include <cmath>
#include <iostream>
#include <new>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/io/sdpa/sdpa.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/solution.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct SolveOptions {
  SdpChoice sdp = {};
  std::optional<std::string> output = std::nullopt;
  bool verify = false;
  ReportOptions report = {};
  Context context = {};
  std::optional<double> time_limit = std::nullopt;
  bool quiet = false;

  void describe(OptionVisitor& visit) {
    sdp.describe(visit);
    visit.text({.name = "output",
                .help = "write the solution in SDPA's form",
                .value = "FILE",
                .alias = "o"},
               output);
    visit.yes_no({.name = "verify", .help = "read the written solution back and check it"}, verify);
    report.describe(visit);
    describe_threads(visit, context.threads);
    describe_memory_limit(visit, context.memory_limit);
    describe_time_limit(visit, time_limit);
    visit.yes_no({.name = "quiet", .help = "no progress and no summary"}, quiet);
  }
};

SdpSolution solve(const SdpProblem& problem, const SolveOptions& own) {
  Context running = own.context;
  running.on_progress = interruptible(progress_line(own.quiet), own.time_limit);
  return solve_sdp(problem, own.sdp, running);
}

bool is_answered(Status status) {
  return status == Status::solved || status == Status::primal_infeasible ||
         status == Status::dual_infeasible;
}

/// The written answer, read back and held to the program. Measured by problem/sdp/residuals.hpp in
/// plain loops; the certified bound has one implementation only. Returns what does not agree;
/// empty: all does.
std::string difference_of(const SdpProblem& problem,
                          const SdpaSolution& written,
                          const SolveReport& report,
                          double tolerance) {
  const std::string no_proof = "the ray that was written proves nothing";
  if (report.status == Status::primal_infeasible) {
    return infeasibility_proof(problem, written.y).proven ? "" : no_proof;
  }
  if (report.status == Status::dual_infeasible) {
    return unboundedness_proof(problem, written.x).proven ? "" : no_proof;
  }
  const SdpResiduals found = residuals(problem, written.x, written.y, written.z);
  const auto agrees = [](double value, std::optional<double> reported) {
    return !reported || std::abs(value - *reported) <= 1e-9 * (1 + std::abs(value));
  };
  const double bound = certified_lower_bound(problem, written.y, found.primal).value;
  if (!report.primal_objective || !agrees(found.primal, report.primal_objective) ||
      !agrees(found.dual, report.dual_objective) || !agrees(bound, report.lower_bound)) {
    return "the solution that was written has other objectives or another bound";
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
    return "the solution that was written is not in the cone";
  }
  if (report.status != Status::solved) return {};
  // The tolerance is of the scaled iterate; what is returned may miss it by a little.
  const double allowed = 2 * tolerance;
  const bool is_solved = std::abs(found.relative_gap) <= allowed &&
                         found.primal_infeasibility <= allowed &&
                         found.dual_infeasibility <= allowed;
  if (!is_solved) return "the solution that was written misses the tolerance";
  const bool is_proven = proven_gap(problem, found.primal, bound) <= tolerance;
  return is_proven ? "" : "the bound of the solution that was written misses the tolerance";
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
                    const SdpSolution& solution,
                    const std::string& where,
                    const SolveOptions& own) {
  RunReport report{.kind = "method", .name = std::string(to_string(own.sdp.method))};
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
  // A ray of value 1: how far it misses its cone or its equations.
  if (solution.report.status == Status::primal_infeasible) {
    const double violation = infeasibility_proof(problem, solution.dual_ray).violation;
    report.metrics.emplace_back("ray_violation", violation);
  }
  if (solution.report.status == Status::dual_infeasible) {
    const double violation = unboundedness_proof(problem, solution.primal_ray).violation;
    report.metrics.emplace_back("ray_violation", violation);
  }
  report.options = {{"file", where}};
  for (auto& option : option_values(own.sdp)) report.options.push_back(std::move(option));
  add_threads(own.context, report);
  return report;
}

}  // namespace

std::vector<OptionGroup> solve_groups(const Learner* /*learner*/) {
  return {group_of<SolveOptions>("Options")};
}

int run_solve(Call& call) {
  SolveOptions own;
  call.take(own);
  bound_memory(own.context);
  own.sdp = own.sdp.resolved();
  Outputs outputs(call, {{"output", own.output}, {"json", own.report.json}});
  PhaseTimer timer;
  enter_phase(timer, "read");
  const std::string& where = call.positionals.at(0);
  const SdpProblem problem = [&] {
    Input input = Input::open(where);
    return read_sdpa(input);
  }();
  timer.leave();
  const SolveScope scope;
  const SdpSolution solution = [&] {
    try {
      return solve(problem, own);
    } catch (const std::bad_alloc&) {
      throw FileError(where, "this program needs more memory than there is to solve it");
    } catch (const InvalidArgument& wrong) {
      if (std::string_view(wrong.what()).starts_with('-')) throw;
      throw FileError(where, wrong.what());
    }
  }();
  end_progress_line();

  enter_phase(timer, "write");
  RunReport report = report_of(problem, solution, where, own);
  OutputFile* file_of_answer = outputs.file("output");
  const std::string text =
      own.verify || file_of_answer != nullptr ? answer_text(problem, solution) : "";
  if (own.verify) {
    Input input = Input::from_memory("the solution", text);
    report.verify_reason = difference_of(
        problem, read_sdpa_solution(problem, input), solution.report, *own.sdp.tolerance);
    report.verified = report.verify_reason.empty();
  }
  if (file_of_answer != nullptr) file_of_answer->write(text);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  show_summary(report, own.quiet);
  if (report.verified == false) return 3;
  return is_answered(report.solve.status) ? 0 : 2;
}

}  // namespace maxmargin::tool

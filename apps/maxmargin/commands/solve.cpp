// SPDX-License-Identifier: Apache-2.0
//
// maxmargin solve: a semidefinite program from an SDPA file.
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "interrupt.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/io/sdpa/sdpa.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/admm.hpp"
#include "maxmargin/solver/sdp/interior_point.hpp"
#include "maxmargin/solver/sdp/low_rank.hpp"
#include "terminal.hpp"

namespace maxmargin {

namespace tool {
enum class SdpMethod { interior_point, admm, low_rank };
}

template <>
inline constexpr auto names_of<tool::SdpMethod> =
    name_table<tool::SdpMethod>({{"interior-point", tool::SdpMethod::interior_point},
                                 {"admm", tool::SdpMethod::admm},
                                 {"low-rank", tool::SdpMethod::low_rank}});

}  // namespace maxmargin

namespace maxmargin::tool {

namespace {

struct SolveOptions {
  SdpMethod method = SdpMethod::interior_point;
  std::optional<double> tolerance = std::nullopt;
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
  std::optional<std::string> output = std::nullopt;
  bool verify = false;
  ReportOptions report = {};
  std::optional<std::size_t> threads = std::nullopt;
  std::optional<double> time_limit = std::nullopt;
  bool quiet = false;

  void describe(OptionVisitor& visit) {
    visit.name({.name = "method", .help = "how it is solved"}, method);
    visit.number({.name = "tolerance",
                  .help = "relative gap and infeasibility at which it stops",
                  .value = "GAP",
                  .fallback = "1e-8, least 1e-12; admm 1e-6, 1e-10; low-rank 1e-6, 1e-9"},
                 tolerance,
                 rules::positive);
    visit.whole({.name = "max-iterations",
                 .help = "upper limit on the iterations",
                 .fallback = "by the method"},
                max_iterations,
                {.least = 1});
    visit.whole({.name = "seed", .help = "seed of the first point of low-rank", .fallback = "0"},
                seed);
    visit.text({.name = "output",
                .help = "write the solution in SDPA's form",
                .value = "FILE",
                .alias = "o"},
               output);
    visit.yes_no({.name = "verify", .help = "read the written solution back and check it"}, verify);
    report.describe(visit);
    visit.whole({.name = "threads", .help = "threads to use", .fallback = "all cores"},
                threads,
                {.least = 1});
    visit.number({.name = "time-limit",
                  .help = "stop after so long with the best answer so far",
                  .value = "SECONDS",
                  .fallback = "none"},
                 time_limit,
                 rules::positive);
    visit.yes_no({.name = "quiet", .help = "no progress and no summary"}, quiet);
    visit.rule(!seed || method == SdpMethod::low_rank, "--seed belongs to --method low-rank");
  }
  [[nodiscard]] double gap() const {
    return tolerance.value_or(method == SdpMethod::interior_point ? 1e-8 : 1e-6);
  }
};

SdpSolution solve(const SdpProblem& problem, const SolveOptions& own) {
  const ProgressCallback on_progress = interruptible(progress_line(own.quiet), own.time_limit);
  const auto filled = [&](auto solver) {
    solver.tolerance = own.gap();
    solver.max_iterations = own.max_iterations.value_or(solver.max_iterations);
    solver.threads = own.threads;
    solver.on_progress = on_progress;
    return solver;
  };
  const SolveScope scope;
  if (own.method == SdpMethod::interior_point) {
    return solve_sdp_interior_point(problem, filled(SdpInteriorPointOptions{}));
  }
  if (own.method == SdpMethod::admm) return solve_sdp_admm(problem, filled(SdpAdmmOptions{}));
  SdpLowRankOptions low_rank = filled(SdpLowRankOptions{});
  low_rank.seed = own.seed.value_or(0);
  return solve_sdp_low_rank(problem, low_rank);
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
                    const SdpSolution& solution,
                    const std::string& where,
                    const SolveOptions& own) {
  RunReport report{.kind = "method", .name = std::string(to_string(own.method))};
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
  report.options = {{"file", where}, {"method", report.name}};
  report.options.emplace_back("tolerance", own.gap());
  if (own.max_iterations) {
    report.options.emplace_back("max_iterations", static_cast<std::int64_t>(*own.max_iterations));
  }
  if (own.method == SdpMethod::low_rank) {
    report.options.emplace_back("seed", static_cast<std::int64_t>(own.seed.value_or(0)));
  }
  report.options.emplace_back(
      "threads",
      own.threads ? ReportValue(static_cast<std::int64_t>(*own.threads)) : ReportValue());
  return report;
}

}  // namespace

std::vector<OptionGroup> solve_groups(const Learner* /*learner*/) {
  return {group_of<SolveOptions>("Options")};
}

int run_solve(Call& call) {
  SolveOptions own;
  call.take(own);
  Outputs outputs;
  if (own.output) outputs.open("output", *own.output);
  if (own.report.json) outputs.open("json", *own.report.json);
  PhaseTimer timer;
  timer.enter("read");
  const std::string& where = call.positionals.at(0);
  const SdpProblem problem = [&] {
    Input input = Input::open(where);
    return read_sdpa(input);
  }();
  timer.leave();
  const SdpSolution solution = solve(problem, own);
  end_progress_line();

  timer.enter("write");
  RunReport report = report_of(problem, solution, where, own);
  OutputFile* file_of_answer = outputs.file("output");
  const std::string text =
      own.verify || file_of_answer != nullptr ? answer_text(problem, solution) : "";
  if (own.verify) {
    Input input = Input::from_memory("the solution", text);
    report.verified =
        is_verified(problem, read_sdpa_solution(problem, input), solution.report, own.gap());
  }
  if (file_of_answer != nullptr) file_of_answer->write(text);
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!own.quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return is_answered(report.solve.status) ? 0 : 2;
}

}  // namespace maxmargin::tool

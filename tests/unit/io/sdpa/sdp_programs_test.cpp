// SPDX-License-Identifier: Apache-2.0
//
// CSDP and SDPA beside us, on instances of our own writer: their stored values, and CSDP itself
// where it is installed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "infeasible_sdp.hpp"
#include "maxmargin/io/sdpa/sdpa.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/solution.hpp"
#include "sdp_cases.hpp"
#include "solver/sdp/admm.hpp"
#include "solver/sdp/interior_point.hpp"
#include "solver/sdp/low_rank.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// An instance and what CSDP 6.2.0 (its primal value) and SDPA 7.3.16 (its primal and dual values)
/// of Debian 12 said of the file that write_sdpa makes of it, at their default settings. Their
/// values are ours negated.
struct Instance {
  const char* name;
  SdpProblem problem;
  double csdp;
  double sdpa_primal;
  double sdpa_dual;
};

std::vector<Instance> instances() {
  std::vector<double> points(12);
  Rng rng(7, "points");
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = (i % 2 == 0 ? 0.0 : 3.0) + rng.normal();
  std::vector<Instance> list;
  list.push_back(
      {"max-cut", max_cut(30, random_graph(30, 0.3, 11)), 94.731928, 94.73192912, 94.73192346});
  list.push_back(
      {"theta", lovasz_theta(20, random_graph(20, 0.3, 12)), 7.0, 7.000000116, 6.999999655});
  list.push_back({"lyapunov",
                  lyapunov(std::vector<double>{0.3, 0.7, 1.1, 1.9, 2.3}),
                  3.316047,
                  3.31604739,
                  3.316046789});
  list.push_back({"random", random_sdp(8, 12, 13), -6.6965993, -6.696599206, -6.696599318});
  list.push_back({"mmc-2",
                  mmc2_program(rbf_gram(points, 0.5), 0.1, 2.0),
                  -0.19206647,
                  -0.1920664135,
                  -0.1920665356});
  return list;
}

bool is_installed(const std::string& program) {
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(std::filesystem::path(folder) / program)) return true;
  }
  return false;
}

TEST(SdpPrograms, StoredValuesOfCsdpAndSdpaAreOurs) {
  for (const Instance& instance : instances()) {
    const SdpSolution ours = solve_sdp_interior_point(instance.problem);
    ASSERT_EQ(ours.report.status, Status::solved) << instance.name;
    const double value = -*ours.report.primal_objective;
    // CSDP prints 8 digits; SDPA stops at a relative gap of 1e-7 of max(1, |value|).
    EXPECT_NEAR(value, instance.csdp, 1e-7 * (1 + std::abs(value))) << instance.name;
    EXPECT_NEAR(value, instance.sdpa_primal, 5e-7 * (1 + std::abs(value))) << instance.name;
    EXPECT_NEAR(value, instance.sdpa_dual, 5e-7 * (1 + std::abs(value))) << instance.name;
  }
}

TEST(SdpPrograms, FirstOrderSolversComeWithinFiveDigitsOfCsdp) {
  for (const Instance& instance : instances()) {
    const SdpSolution admm = solve_sdp_admm(instance.problem);
    EXPECT_EQ(admm.report.status, Status::solved) << instance.name;
    EXPECT_NEAR(-*admm.report.primal_objective, instance.csdp, 1e-5 * (1 + std::abs(instance.csdp)))
        << instance.name;
    // Theta is where factors are slow (docs/algorithms/sdp-low-rank.md).
    if (instance.name == std::string("theta")) continue;
    const SdpSolution low_rank = solve_sdp_low_rank(instance.problem);
    EXPECT_EQ(low_rank.report.status, Status::solved) << instance.name;
    EXPECT_NEAR(
        -*low_rank.report.primal_objective, instance.csdp, 1e-5 * (1 + std::abs(instance.csdp)))
        << instance.name;
  }
}

TEST(SdpPrograms, CsdpFindsTheSameSolutions) {
  if (!is_installed("csdp")) GTEST_SKIP() << "csdp is not installed";
  for (const Instance& instance : instances()) {
    const TemporaryFolder folder;
    OutputFile file(folder.path("program.dat-s"));
    write_sdpa(instance.problem, file, instance.name);
    file.commit();
    const std::string command = "csdp " + folder.path("program.dat-s") + " " +
                                folder.path("solution") + " > /dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << instance.name;
    Input input = Input::open(folder.path("solution"));
    const SdpaSolution theirs = read_sdpa_solution(instance.problem, input);
    // CSDP's solution measured by our residuals, and its value beside ours.
    const SdpResiduals found = residuals(instance.problem, theirs.x, theirs.y, theirs.z);
    EXPECT_LE(std::abs(found.relative_gap), 1e-6) << instance.name;
    EXPECT_LE(found.primal_infeasibility, 1e-6) << instance.name;
    EXPECT_LE(found.dual_infeasibility, 1e-6) << instance.name;
    const SdpSolution ours = solve_sdp_interior_point(instance.problem);
    EXPECT_EQ(ours.report.status, Status::solved) << instance.name;
    EXPECT_NEAR(*ours.report.primal_objective, found.primal, 2e-6 * (1 + std::abs(found.primal)))
        << instance.name;
  }
}

// Its exit codes: 1 for a program without a feasible point, 2 for one whose dual has none.
TEST(SdpPrograms, CsdpFindsTheSameProgramsInfeasible) {
  if (!is_installed("csdp")) GTEST_SKIP() << "csdp is not installed";
  const auto csdp_says = [](const SdpProblem& problem) {
    const TemporaryFolder folder;
    OutputFile file(folder.path("program.dat-s"));
    write_sdpa(problem, file, "infeasible");
    file.commit();
    const std::string command = "csdp " + folder.path("program.dat-s") + " " +
                                folder.path("solution") + " > /dev/null 2>&1";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  // The sizes of infp1, infp2, infd1 and infd2 of SDPLIB, and one with several blocks.
  const std::vector<std::pair<BlockSizes, std::size_t>> shapes = {
      {{.semidefinite = {30}}, 10}, {{.semidefinite = {6, 4}, .nonnegative = 3}, 12}};
  for (const auto& [sizes, rows] : shapes) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const SdpProblem none = sdp_without_a_point(sizes, rows, seed);
      const SdpProblem endless = sdp_without_a_dual_point(sizes, rows, seed);
      EXPECT_EQ(csdp_says(none), 1) << rows << ' ' << seed;
      EXPECT_EQ(csdp_says(endless), 2) << rows << ' ' << seed;
      for (const SdpMethod method :
           {SdpMethod::interior_point, SdpMethod::admm, SdpMethod::low_rank}) {
        const SdpSolution primal = solve_sdp(none, {.method = method}, {.threads = 1});
        EXPECT_EQ(primal.report.status, Status::primal_infeasible) << to_string(method);
        EXPECT_TRUE(infeasibility_proof(none, primal.dual_ray).proven);
        const SdpSolution dual = solve_sdp(endless, {.method = method}, {.threads = 1});
        EXPECT_EQ(dual.report.status, Status::dual_infeasible) << to_string(method);
        EXPECT_TRUE(unboundedness_proof(endless, dual.primal_ray).proven);
      }
    }
  }
}

}  // namespace
}  // namespace maxmargin

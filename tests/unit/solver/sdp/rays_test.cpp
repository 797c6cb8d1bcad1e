// SPDX-License-Identifier: Apache-2.0
//
// Proofs of infeasibility by every method, held to plain sums and Jacobi's eigenvalues.
#include "solver/sdp/rays.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "infeasible_sdp.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/solution.hpp"
#include "solver/sdp/face.hpp"

namespace maxmargin {
namespace {

const std::vector<BlockSizes>& shapes() {
  static const std::vector<BlockSizes> list = {
      {.semidefinite = {5}}, {.semidefinite = {6, 4}, .nonnegative = 3}, {.nonnegative = 8}};
  return list;
}
std::size_t rows_for(const BlockSizes& sizes) { return sizes.semidefinite.size() == 2 ? 12 : 4; }

/// sum y_i A_i <= 0 and b'y = 1, to rounding; beyond it says infeasibility_proof.
void expect_proof(const SdpProblem& problem, const std::vector<double>& y) {
  ASSERT_EQ(y.size(), problem.constraints());
  EXPECT_TRUE(infeasibility_proof(problem, y).proven);
  double slope = 0;
  double size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    slope += y[i] * problem.rhs()[i];
    size += std::abs(y[i]);
  }
  EXPECT_NEAR(slope, 1, 1e-12);
  BlockMatrix slack = plain_dual_matrix(problem, y);
  add_blocks(-1.0, plain_dual_matrix(problem, std::vector<double>(y.size(), 0.0)), slack);
  EXPECT_GE(plain_least_eigenvalue(problem, slack), -1e-13 * size);
}

/// X in the cone, A(X) = 0 to rounding and <C, X> < 0.
void expect_proof(const SdpProblem& problem, const BlockMatrix& x) {
  EXPECT_TRUE(unboundedness_proof(problem, x).proven);
  EXPECT_LE(unboundedness_proof(problem, x).violation, 1e-12);
  const std::vector<double> none(problem.constraints(), 0.0);
  const SdpResiduals found = residuals(problem, x, none, problem.zero_point());
  EXPECT_LT(found.primal, 0);
  EXPECT_GE(found.least_eigenvalue_x, -1e-14);
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    double sum = 0;
    double size = 0;
    for (const SdpEntry& e : problem.constraint(i)) {
      const bool vector = problem.blocks()[e.block].cone == SdpCone::nonnegative;
      const double term =
          (e.row == e.column ? 1 : 2) * e.value * x[e.block](vector ? 0 : e.row, e.column);
      sum += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(sum, 0, 1e-12 * (1 + size)) << i;
  }
}

class SdpRays : public ::testing::TestWithParam<SdpMethod> {
 protected:
  static SdpSolution solve(const SdpProblem& problem) {
    return solve_sdp(problem, {.method = GetParam()}, {.threads = 1});
  }
};

TEST_P(SdpRays, ProveThatNoPointIsFeasible) {
  for (const BlockSizes& sizes : shapes()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const SdpProblem problem = sdp_without_a_point(sizes, rows_for(sizes), seed);
      const SdpSolution solution = solve(problem);
      ASSERT_EQ(solution.report.status, Status::primal_infeasible)
          << seed << ' ' << solution.report.message;
      expect_proof(problem, solution.dual_ray);
    }
  }
}

// Numbers without any pattern: A(X) = 0 is met exactly by a neighbour of the ray alone.
TEST_P(SdpRays, ProveThatTheDualHasNoPoint) {
  for (const BlockSizes& sizes : shapes()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const SdpProblem problem = sdp_without_a_dual_point(sizes, rows_for(sizes), seed);
      const SdpSolution solution = solve(problem);
      ASSERT_EQ(solution.report.status, Status::dual_infeasible)
          << seed << ' ' << solution.report.message;
      expect_proof(problem, solution.primal_ray);
    }
  }
}

TEST_P(SdpRays, ProveItOnAFaceOfTheCone) {
  // On the rows 0 .. 2 as above; the rows 3 and 4 must vanish, since X_33 + X_44 does.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SdpProblem inner = sdp_without_a_dual_point({.semidefinite = {3}}, 2, seed);
    Rng rng(seed, "border");
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 5);
    for (const SdpEntry& entry : inner.cost()) builder.add_cost(entry);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<SdpEntry> row(inner.constraint(i).begin(), inner.constraint(i).end());
      row.push_back(sdp_entry(0, 3, 0, rng.normal()));
      row.push_back(sdp_entry(0, 4, 3, rng.normal()));
      row.push_back(sdp_entry(0, 4, 4, rng.normal()));
      builder.add_equality(row, inner.rhs()[i]);
    }
    builder.add_equality(std::vector{sdp_entry(0, 3, 3, 1), sdp_entry(0, 4, 4, 1)}, 1e-3);
    const SdpProblem problem = builder.build();
    const SdpSolution solution = solve(problem);
    ASSERT_EQ(solution.report.status, Status::dual_infeasible)
        << seed << ' ' << solution.report.message;
    expect_proof(problem, solution.primal_ray);
    EXPECT_EQ(solution.primal_ray[0](3, 3), 0);
    EXPECT_EQ(solution.primal_ray[0](4, 0), 0);
  }
}

TEST_P(SdpRays, AreNotFoundOfFeasibleProgramsNearby) {
  // tr X = 1 and X_00 + X_11 / 2 = 1 + t: no point for t = 1e-3, one for t = -1e-3.
  for (const double t : {1e-3, -1e-3}) {
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 2);
    builder.add_cost(sdp_entry(0, 1, 0, 1));
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 1);
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 0.5)}, 1 + t);
    const SdpProblem problem = builder.build();
    const SdpSolution solution = solve(problem);
    EXPECT_EQ(solution.report.status, t > 0 ? Status::primal_infeasible : Status::solved) << t;
    if (t > 0) expect_proof(problem, solution.dual_ray);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         SdpRays,
                         ::testing::Values(SdpMethod::interior_point,
                                           SdpMethod::admm,
                                           SdpMethod::low_rank),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(SdpFace, KeepsRowsAndPutsThemBack) {
  const SdpProblem problem = random_sdp(4, 3, 1);
  BlockMatrix x = problem.zero_point();
  for (const std::size_t i : {0U, 2U}) x[0](i, i) = 1;
  x[0](2, 0) = x[0](0, 2) = 0.5;
  x[2](0, 1) = 2;
  const Face face(problem, x, 1e-6);
  EXPECT_FALSE(face.is_whole());
  const SdpProblem& part = face.program();
  ASSERT_EQ(part.blocks().size(), 3U);
  EXPECT_EQ(part.blocks()[0].size, 2U);
  EXPECT_EQ(part.blocks()[1].size, 0U);
  EXPECT_EQ(part.blocks()[2].size, 1U);
  EXPECT_EQ(part.rhs()[0], 0);
  const BlockMatrix inside = face.part_of(x);
  EXPECT_EQ(inside[0](1, 0), 0.5);
  const BlockMatrix back = face.whole_of(inside);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < x[k].values().size(); ++i) {
      EXPECT_EQ(back[k].values()[i], x[k].values()[i]);
    }
  }
  // The values of its rows are those of the whole program.
  const std::vector<double> y(3, 0.0);
  const double whole = residuals(problem, x, y, problem.zero_point()).primal;
  EXPECT_NEAR(residuals(part, inside, y, part.zero_point()).primal, whole, 1e-14);
}

}  // namespace
}  // namespace maxmargin

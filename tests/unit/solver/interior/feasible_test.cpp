// SPDX-License-Identifier: Apache-2.0
#include "solver/interior/feasible.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "maxmargin/problem/kernel_machines.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "solver/interior/held_triangle.hpp"

namespace maxmargin {
namespace {

using interior::HeldTriangle;
using interior::ScaledProblem;

/// Four rows with K = diag(1, 1, 2^40, 2^40), of both classes each.
struct FourRows {
  HeldMatrix held{[] {
    DenseMatrix k(4, 4);
    for (std::size_t i = 0; i < 4; ++i) k(i, i) = i < 2 ? 1 : 0x1p40;
    return k;
  }()};
  std::vector<std::int8_t> signs{1, -1, 1, -1};
  SvmDual problem = c_svc_dual(held, signs, std::vector<double>(4, 1.0), {.c = 1});
  HeldTriangle matrix{4, interior::rows_of(held), 1};
  ScaledProblem scaled{problem, matrix};

  [[nodiscard]] std::vector<double> in_scaled_numbers(std::vector<double> b) const {
    for (double& entry : b) entry /= scaled.coefficient(1);
    return b;
  }
};

TEST(InteriorFeasible, SumsAreRestoredWhereTheFunctionHardlyFeelsIt) {
  const FourRows rows;
  // 2^-20 is missing from the sum of a point whose heavy coefficients are as far from their bounds.
  const std::vector<double> before = rows.in_scaled_numbers({0.25, -0.25 - 0x1p-20, 0.25, -0.25});
  std::vector<double> b = before;
  interior::restore_sums(rows.scaled, b);
  EXPECT_EQ(rows.scaled.sum_of(b, 0), 0);
  const double missing = rows.in_scaled_numbers({0x1p-20})[0];
  for (const std::size_t heavy : {2U, 3U}) {
    EXPECT_LE(std::abs(b[heavy] - before[heavy]), 0x1p-39 * missing);
  }
}

TEST(InteriorFeasible, GrowsOnlyWithinTheBounds) {
  const FourRows rows;
  const std::vector<double> inside = rows.in_scaled_numbers({0.25, -0.25, 0.5, -0.5});
  const std::vector<double> longer = interior::grown(rows.scaled, inside, 0x1p-4);
  ASSERT_EQ(longer.size(), 4U);
  for (std::size_t v = 0; v < 4; ++v) EXPECT_EQ(longer[v], inside[v] * (1 + 0x1p-4));
  const std::vector<double> at_bound = rows.in_scaled_numbers({1, -1, 0.5, -0.5});
  EXPECT_TRUE(interior::grown(rows.scaled, at_bound, 0x1p-4).empty());
}

}  // namespace
}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "problem/saddle/weight_saddle.hpp"

/// Weight saddles as the semidefinite programs they were published as, for the solvers of any
/// semidefinite program: docs/algorithms/robust.md. It has n (n + 1) / 2 + 3 n
/// constraints, so it serves some dozens of examples; solve_weight_saddle takes more.
namespace maxmargin::test {

/// The minimum of the saddle is that of the program plus `constant`.
struct WeightSdp {
  SdpProblem program = {};
  double constant = 0;
};

namespace detail {

/// Entries of one constraint. Off the diagonal an entry counts twice, so half of it is put there.
class Constraint {
 public:
  void add(std::size_t block, std::size_t row, std::size_t column, double value) {
    entries_.push_back({.block = static_cast<std::uint32_t>(block),
                        .row = static_cast<std::uint32_t>(row),
                        .column = static_cast<std::uint32_t>(column),
                        .value = row == column ? value : value / 2});
  }
  [[nodiscard]] const std::vector<SdpEntry>& entries() const { return entries_; }

 private:
  std::vector<SdpEntry> entries_;
};

}  // namespace detail

/// Blocks: [1 eta'; eta M], [c Q o M, u; u', 2 t] with u = eta + mu - nu, and (mu, nu) >= 0; the
/// cost is t + e'nu (- e'eta for the robust hinge). By the Schur complement the least t + e'nu at a
/// given (eta, M) is omega(eta, M). Throws InvalidArgument for a problem that does not validate.
[[nodiscard]] inline WeightSdp build_weight_sdp(const WeightSaddle& problem) {
  validate(problem);
  const std::size_t n = problem.size();
  SdpBuilder builder;
  // In `lifted` example i is row i + 1, in `schur` row i.
  const std::size_t lifted = builder.add_block(SdpCone::semidefinite, n + 1);
  const std::size_t schur = builder.add_block(SdpCone::semidefinite, n + 1);
  const std::size_t bounds = builder.add_block(SdpCone::nonnegative, 2 * n);

  detail::Constraint cost;
  cost.add(schur, n, n, 0.5);
  for (std::size_t i = 0; i < n; ++i) {
    cost.add(bounds, n + i, n + i, 1);
    if (!problem.kept) cost.add(lifted, i + 1, 0, -1);
  }
  for (const SdpEntry& entry : cost.entries()) builder.add_cost(entry);

  detail::Constraint corner;
  corner.add(lifted, 0, 0, 1);
  builder.add_equality(corner.entries(), 1);
  for (std::size_t i = 0; i < n; ++i) {
    detail::Constraint diagonal;  // M_ii = eta_i: what the printed outlier program leaves out
    diagonal.add(lifted, i + 1, i + 1, 1);
    diagonal.add(lifted, i + 1, 0, -1);
    builder.add_equality(diagonal.entries(), 0);
    detail::Constraint border;  // u_i = eta_i + mu_i - nu_i
    border.add(schur, n, i, 1);
    border.add(lifted, i + 1, 0, -1);
    border.add(bounds, i, i, -1);
    border.add(bounds, n + i, n + i, 1);
    builder.add_equality(border.entries(), 0);
    for (std::size_t j = 0; j <= i; ++j) {
      detail::Constraint product;
      product.add(schur, i, j, 1);
      product.add(lifted, i + 1, j + 1, -problem.c * problem.matrix(i, j));
      builder.add_equality(product.entries(), 0);
    }
  }
  if (problem.kept) {
    detail::Constraint kept;
    for (std::size_t i = 0; i < n; ++i) kept.add(lifted, i + 1, 0, 1);
    builder.add_inequality(
        kept.entries(), SdpSense::at_least, *problem.kept * static_cast<double>(n));
  }
  builder.bound_trace(lifted, static_cast<double>(n) + 1);
  return {.program = builder.build(), .constant = problem.kept ? 0.0 : static_cast<double>(n)};
}

/// eta at a point X of that program.
[[nodiscard]] inline std::vector<double> weights_of_sdp(const BlockMatrix& x) {
  require(!x.empty() && x.front().rows() > 0, "weights_of_sdp: there is no block of weights");
  std::vector<double> eta;
  for (std::size_t i = 1; i < x.front().rows(); ++i) eta.push_back(x.front()(i, 0));
  return eta;
}

}  // namespace maxmargin::test

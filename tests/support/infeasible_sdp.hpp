// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sdp_cases.hpp"

/// Random programs without a feasible point, or whose dual has none, beyond rounding: some
/// combination of the constraints, or some direction, lies well inside the cone.
namespace maxmargin {

/// The blocks of such a program: semidefinite ones, then perhaps a nonnegative one.
struct BlockSizes {
  std::vector<std::size_t> semidefinite = {};
  std::size_t nonnegative = 0;
};

/// Draws matrices of one shape.
class SdpDraws {
 public:
  SdpDraws(const BlockSizes& sizes, std::uint64_t seed) : rng_(seed, "infeasible") {
    for (const std::size_t n : sizes.semidefinite) blocks_.push_back({SdpCone::semidefinite, n});
    if (sizes.nonnegative > 0) blocks_.push_back({SdpCone::nonnegative, sizes.nonnegative});
  }
  double normal() { return rng_.normal(); }
  void add_blocks(SdpBuilder& builder) const {
    for (const SdpBlock& block : blocks_) builder.add_block(block.cone, block.size);
  }
  /// Half of the entries, drawn normally.
  std::vector<SdpEntry> sparse() {
    std::vector<SdpEntry> entries;
    for_each_place([&](std::size_t k, std::size_t p, std::size_t q) {
      if (rng_.uniform() < 0.5) entries.push_back(sdp_entry(k, p, q, rng_.normal()));
    });
    return entries;
  }
  /// A point well inside the cone, as a data matrix.
  std::vector<SdpEntry> interior() {
    std::vector<DenseMatrix> roots;
    for (const SdpBlock& block : blocks_) {
      const bool vector = block.cone == SdpCone::nonnegative;
      roots.emplace_back(vector ? 1 : block.size, block.size);
      for (double& v : roots.back().values()) v = rng_.normal() / std::sqrt(double(block.size));
    }
    std::vector<SdpEntry> entries;
    for_each_place([&](std::size_t k, std::size_t p, std::size_t q) {
      const DenseMatrix& root = roots[k];
      double sum = p == q ? 0.3 : 0.0;
      if (blocks_[k].cone == SdpCone::nonnegative) {
        sum += std::abs(root(0, p));
      } else {
        for (std::size_t l = 0; l < root.cols(); ++l) sum += root(p, l) * root(q, l);
      }
      entries.push_back(sdp_entry(k, p, q, sum));
    });
    return entries;
  }

 private:
  template <class Visit>
  void for_each_place(const Visit& visit) {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const bool vector = blocks_[k].cone == SdpCone::nonnegative;
      for (std::size_t p = 0; p < blocks_[k].size; ++p) {
        for (std::size_t q = vector ? p : 0; q <= p; ++q) visit(k, p, q);
      }
    }
  }

  Rng rng_;
  std::vector<SdpBlock> blocks_ = {};
};

/// <A, B> of two data matrices, B with an entry at every place of A.
inline double sdp_inner(const std::vector<SdpEntry>& a, const std::vector<SdpEntry>& b) {
  double sum = 0;
  for (const SdpEntry& x : a) {
    for (const SdpEntry& y : b) {
      if (x.block != y.block || x.row != y.row || x.column != y.column) continue;
      sum += (x.row == x.column ? 1 : 2) * x.value * y.value;
    }
  }
  return sum;
}

/// entries += factor * others.
inline void add_entries(double factor,
                        const std::vector<SdpEntry>& others,
                        std::vector<SdpEntry>& entries) {
  for (SdpEntry entry : others) {
    entry.value *= factor;
    entries.push_back(entry);
  }
}

/// Some y has sum y_i A_i = -P for a P inside the cone, and b'y = 1.
inline SdpProblem sdp_without_a_point(const BlockSizes& sizes, std::size_t m, std::uint64_t seed) {
  SdpDraws draws(sizes, seed);
  SdpBuilder builder;
  draws.add_blocks(builder);
  std::vector<SdpEntry> last;
  add_entries(-1, draws.interior(), last);
  double slope = 0;
  for (std::size_t i = 0; i + 1 < m; ++i) {
    const std::vector<SdpEntry> row = draws.sparse();
    const double y = draws.normal();
    const double rhs = draws.normal();
    add_entries(-y, row, last);
    slope += y * rhs;
    builder.add_equality(row, rhs);
  }
  builder.add_equality(last, 1 - slope);
  for (const SdpEntry& entry : draws.interior()) builder.add_cost(entry);
  return builder.build();
}

/// Some X inside the cone has A(X) = 0 (to rounding of the data) and <C, X> = -1; some other is
/// feasible.
inline SdpProblem sdp_without_a_dual_point(const BlockSizes& sizes,
                                           std::size_t m,
                                           std::uint64_t seed) {
  SdpDraws draws(sizes, seed);
  SdpBuilder builder;
  draws.add_blocks(builder);
  const std::vector<SdpEntry> ray = draws.interior();
  const std::vector<SdpEntry> feasible = draws.interior();
  const double squares = sdp_inner(ray, ray);
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<SdpEntry> row = draws.sparse();
    add_entries(-sdp_inner(row, ray) / squares, ray, row);
    builder.add_equality(row, sdp_inner(row, feasible));
  }
  std::vector<SdpEntry> cost = draws.sparse();
  add_entries(-(1 + sdp_inner(cost, ray)) / squares, ray, cost);
  for (const SdpEntry& entry : cost) builder.add_cost(entry);
  return builder.build();
}

}  // namespace maxmargin

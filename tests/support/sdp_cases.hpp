// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "label_cases.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"

/// Semidefinite programs for tests: classical ones with known values, random ones with interior
/// points, and two-class maximum-margin clustering (Xu (3.5)) as a plain block program.
namespace maxmargin {

/// An entry by plain numbers.
inline SdpEntry sdp_entry(std::size_t block, std::size_t row, std::size_t column, double value) {
  return {static_cast<std::uint32_t>(block),
          static_cast<std::uint32_t>(row),
          static_cast<std::uint32_t>(column),
          value};
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

inline Edges cycle(std::size_t n) {
  Edges edges;
  for (std::size_t i = 0; i < n; ++i) edges.emplace_back(i, (i + 1) % n);
  return edges;
}

/// Outer 5-cycle, inner 5-star, spokes.
inline Edges petersen() {
  Edges edges;
  for (std::size_t i = 0; i < 5; ++i) {
    edges.emplace_back(i, (i + 1) % 5);
    edges.emplace_back(5 + i, 5 + (i + 2) % 5);
    edges.emplace_back(i, 5 + i);
  }
  return edges;
}

inline Edges random_graph(std::size_t n, double density, std::uint64_t seed) {
  Rng rng(seed, "random graph");
  Edges edges;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (rng.uniform() < density) edges.emplace_back(i, j);
    }
  }
  return edges;
}

/// min -<L, X>/4, diag(X) = e: minus the max-cut relaxation of Goemans and Williamson.
inline SdpProblem max_cut(std::size_t n, const Edges& edges) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);
  for (const auto& [i, j] : edges) {
    builder.add_cost(sdp_entry(0, i, i, -0.25));
    builder.add_cost(sdp_entry(0, j, j, -0.25));
    builder.add_cost(sdp_entry(0, i, j, 0.25));
  }
  for (std::size_t i = 0; i < n; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  return builder.build();
}

/// min -<J, X>, tr X = 1, X_ij = 0 on edges: minus Lovasz's theta.
inline SdpProblem lovasz_theta(std::size_t n, const Edges& edges) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);
  std::vector<SdpEntry> trace;
  for (std::size_t i = 0; i < n; ++i) {
    trace.push_back(sdp_entry(0, i, i, 1));
    for (std::size_t j = 0; j <= i; ++j) builder.add_cost(sdp_entry(0, i, j, -1));
  }
  builder.add_equality(trace, 1);
  for (const auto& [i, j] : edges) builder.add_equality(std::vector{sdp_entry(0, i, j, 1)}, 0);
  return builder.build();
}

/// The least trace of P with A'P + PA + I <= 0, P >= 0, in the multipliers' side of the program: A
/// is -T diag(rates) T' for an orthogonal T, so the value is sum 1 / (2 rate), negated here.
inline SdpProblem lyapunov(std::span<const double> rates) {
  const std::size_t n = rates.size();
  // T = I - 2 vv' with a fixed v.
  std::vector<double> v(n);
  double length = 0;
  for (std::size_t i = 0; i < n; ++i) length += std::pow(v[i] = 1.0 + 0.3 * double(i % 3), 2);
  DenseMatrix a(n, n);
  const auto t = [&](std::size_t i, std::size_t j) {
    return (i == j ? 1.0 : 0.0) - 2 * v[i] * v[j] / length;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) a(i, j) -= t(i, k) * rates[k] * t(j, k);
    }
  }
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);  // -(A'P + PA) - I
  builder.add_block(SdpCone::semidefinite, n);  // P
  for (std::size_t i = 0; i < n; ++i) builder.add_cost(sdp_entry(0, i, i, -1));
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      // E = e_p e_q' + e_q e_p' (or e_p e_p'); A'E + EA, entry (i, j).
      DenseMatrix image(n, n);
      for (std::size_t i = 0; i < n; ++i) {
        image(i, q) += a(p, i);
        image(q, i) += a(p, i);
        if (p == q) continue;
        image(i, p) += a(q, i);
        image(p, i) += a(q, i);
      }
      std::vector<SdpEntry> entries = {sdp_entry(1, p, q, -1)};
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          if (image(i, j) != 0) entries.push_back(sdp_entry(0, i, j, image(i, j)));
        }
      }
      builder.add_equality(entries, p == q ? -1 : 0);
    }
  }
  return builder.build();
}

/// A random program with points inside both cones: two semidefinite blocks of sizes n and n - 1,
/// and 3 nonnegative numbers.
inline SdpProblem random_sdp(std::size_t n, std::size_t m, std::uint64_t seed) {
  Rng rng(seed, "random sdp");
  SdpBuilder builder;
  const std::vector<std::size_t> sizes = {n, n - 1, 3};
  builder.add_block(SdpCone::semidefinite, n);
  builder.add_block(SdpCone::semidefinite, n - 1);
  builder.add_block(SdpCone::nonnegative, 3);
  std::vector<std::vector<SdpEntry>> rows(m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t p = 0; p < sizes[k]; ++p) {
        for (std::size_t q = k == 2 ? p : 0; q <= p; ++q) {
          if (rng.uniform() < 0.4) rows[i].push_back(sdp_entry(k, p, q, rng.normal()));
        }
      }
    }
    // X0 = 2 I is feasible.
    double b = 0;
    for (const SdpEntry& entry : rows[i]) b += entry.row == entry.column ? 2 * entry.value : 0;
    builder.add_equality(rows[i], b);
  }
  // C = I + sum y_i A_i: Z0 = I.
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t p = 0; p < sizes[k]; ++p) builder.add_cost(sdp_entry(k, p, p, 1));
  }
  for (std::size_t i = 0; i < m; ++i) {
    const double y = rng.normal();
    for (SdpEntry entry : rows[i]) {
      entry.value *= y;
      builder.add_cost(entry);
    }
  }
  return builder.build();
}

/// Two-class maximum-margin clustering, Xu (3.5): M (block 0), the bordered matrix
/// [K o M, e + mu - nu; ., (2/beta)(zeta - nu'e)] (block 1), mu and nu (block 2). zeta is
/// beta/2 times the corner plus nu'e and is the value of the program. Without `balance` (epsilon)
/// the rows |Me| <= epsilon are left out.
inline SdpProblem mmc2_program(const DenseMatrix& kernel,
                               double beta,
                               std::optional<double> balance,
                               const std::vector<std::size_t>& labelled = {},
                               const std::vector<double>& labels = {}) {
  const std::size_t n = kernel.rows();
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);
  builder.add_block(SdpCone::semidefinite, n + 1);
  builder.add_block(SdpCone::nonnegative, 2 * n);
  builder.add_cost(sdp_entry(1, n, n, beta / 2));
  for (std::size_t i = 0; i < n; ++i) builder.add_cost(sdp_entry(2, n + i, n + i, 1));
  for (std::size_t i = 0; i < n; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
    for (std::size_t j = 0; j <= i; ++j) {
      builder.add_equality(std::vector{sdp_entry(1, i, j, 1), sdp_entry(0, i, j, -kernel(i, j))},
                           0);
    }
    // The entry off the diagonal counts twice.
    builder.add_equality(
        std::vector{sdp_entry(1, n, i, 0.5), sdp_entry(2, i, i, -1), sdp_entry(2, n + i, n + i, 1)},
        1);
  }
  for (std::size_t a = 0; a < labelled.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      builder.add_equality(std::vector{sdp_entry(0, labelled[a], labelled[b], 0.5)},
                           labels[a] * labels[b]);
    }
  }
  if (balance) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<SdpEntry> row;
      for (std::size_t j = 0; j < n; ++j) row.push_back(sdp_entry(0, i, j, i == j ? 1 : 0.5));
      builder.add_inequality(row, SdpSense::at_most, *balance);
      builder.add_inequality(row, SdpSense::at_least, -*balance);
    }
  }
  return builder.build();
}

/// The Gram matrix of points on a line, straight from the formula.
inline DenseMatrix rbf_gram(const std::vector<double>& points, double gamma) {
  DenseMatrix k(points.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      k(i, j) = std::exp(-gamma * std::pow(points[i] - points[j], 2));
    }
  }
  return k;
}

/// All eigenvalues by cyclic Jacobi rotations, ascending: shares nothing with LAPACK.
inline std::vector<double> jacobi_eigenvalues(DenseMatrix a) {
  const std::size_t n = a.rows();
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        off += a(p, q) * a(p, q);
        if (a(p, q) == 0) continue;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t =
            (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double kp = a(k, p);
          const double kq = a(k, q);
          a(k, p) = c * kp - s * kq;
          a(k, q) = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double pk = a(p, k);
          const double qk = a(q, k);
          a(p, k) = c * pk - s * qk;
          a(q, k) = s * pk + c * qk;
        }
      }
    }
    if (off < 1e-30) break;
  }
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = a(i, i);
  std::sort(values.begin(), values.end());
  return values;
}

/// C - sum y_i A_i in full, entry by entry.
inline BlockMatrix plain_dual_matrix(const SdpProblem& problem, std::span<const double> y) {
  BlockMatrix z = problem.zero_point();
  const auto add = [&](std::span<const SdpEntry> entries, double factor) {
    for (const SdpEntry& e : entries) {
      if (problem.blocks()[e.block].cone == SdpCone::nonnegative) {
        z[e.block](0, e.row) += factor * e.value;
        continue;
      }
      z[e.block](e.row, e.column) += factor * e.value;
      if (e.row != e.column) z[e.block](e.column, e.row) += factor * e.value;
    }
  };
  add(problem.cost(), 1);
  for (std::size_t i = 0; i < y.size(); ++i) add(problem.constraint(i), -y[i]);
  return z;
}

/// The least eigenvalue over all blocks, by Jacobi.
inline double plain_least_eigenvalue(const SdpProblem& problem, const BlockMatrix& z) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < z.size(); ++k) {
    if (z[k].cols() == 0) continue;
    if (problem.blocks()[k].cone == SdpCone::nonnegative) {
      for (const double value : z[k].values()) least = std::min(least, value);
    } else {
      least = std::min(least, jacobi_eigenvalues(z[k]).front());
    }
  }
  return least;
}

}  // namespace maxmargin

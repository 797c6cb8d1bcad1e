// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_per_chunk = 256;

double inner(std::span<const SdpTerm> terms, const DenseMatrix& x, bool vector) {
  double sum = 0;
  for (const SdpTerm& term : terms) {
    const double weight = term.row == term.column ? term.value : 2 * term.value;
    sum += weight * x(vector ? 0 : term.row, term.column);
  }
  return sum;
}

void add_terms(double factor, std::span<const SdpTerm> terms, bool vector, DenseMatrix& z) {
  for (const SdpTerm& term : terms) {
    const double value = factor * term.value;
    z(vector ? 0 : term.row, term.column) += value;
    if (term.row != term.column) z(term.column, term.row) += value;
  }
}

BlockMatrix times(double factor, BlockMatrix x) {
  for (DenseMatrix& block : x) {
    for (double& value : block.values()) value *= factor;
  }
  return x;
}

}  // namespace

BlockMatrix ScaledSdp::cost() const {
  BlockMatrix c = problem->zero_point();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    add_terms(1.0, blocks[k].cost, blocks[k].is_vector(), c[k]);
  }
  return c;
}

double ScaledSdp::cost_of(const BlockMatrix& x) const {
  double sum = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    sum += inner(blocks[k].cost, x[k], blocks[k].is_vector());
  }
  return sum;
}

void ScaledSdp::apply(const BlockMatrix& x, std::span<double> values, std::size_t threads) const {
  std::ranges::fill(values, 0.0);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const SdpBlockRows& block = blocks[k];
    // A block's rows are different constraints, so chunks write to different places.
    parallel_chunks(threads,
                    block.rows(),
                    rows_per_chunk,
                    [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                      for (std::size_t r = begin; r < end; ++r) {
                        values[block.constraint[r]] += inner(block.row(r), x[k], block.is_vector());
                      }
                    });
  }
}

void ScaledSdp::add_adjoint(double factor, std::span<const double> y, BlockMatrix& z) const {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const SdpBlockRows& block = blocks[k];
    for (std::size_t r = 0; r < block.rows(); ++r) {
      const double multiplier = factor * y[block.constraint[r]];
      if (multiplier != 0) add_terms(multiplier, block.row(r), block.is_vector(), z[k]);
    }
  }
}

BlockMatrix ScaledSdp::scaled_x(const BlockMatrix& x) const {
  BlockMatrix scaled = times(1 / rhs_scale, x);
  symmetrise(scaled);
  return scaled;
}
BlockMatrix ScaledSdp::scaled_z(const BlockMatrix& z) const {
  BlockMatrix scaled = times(1 / cost_scale, z);
  symmetrise(scaled);
  return scaled;
}
BlockMatrix ScaledSdp::original_x(const BlockMatrix& x) const { return times(rhs_scale, x); }
BlockMatrix ScaledSdp::original_z(const BlockMatrix& z) const { return times(cost_scale, z); }

std::vector<double> ScaledSdp::scaled_y(std::span<const double> y) const {
  std::vector<double> scaled(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) scaled[i] = y[kept[i]] * norms[i] / cost_scale;
  return scaled;
}

std::vector<double> ScaledSdp::original_y(std::span<const double> y) const {
  std::vector<double> original(problem->constraints(), 0.0);
  for (std::size_t i = 0; i < kept.size(); ++i) original[kept[i]] = y[i] * cost_scale / norms[i];
  return original;
}

double ScaledSdp::primal_infeasibility(std::span<const double> scaled_misses) const {
  std::vector<double> misses(scaled_misses.begin(), scaled_misses.end());
  for (std::size_t i = 0; i < kept.size(); ++i) misses[i] *= norms[i] * rhs_scale;
  double largest = 0;
  for (const double b : problem->rhs()) largest = std::max(largest, std::abs(b));
  return norm(misses) / (1 + largest);
}

double ScaledSdp::dual_infeasibility(double scaled_norm) const {
  double largest = 0;
  for (const SdpEntry& entry : problem->cost()) largest = std::max(largest, std::abs(entry.value));
  return scaled_norm * cost_scale / (1 + largest);
}

double ScaledSdp::relative_gap(double scaled_primal, double scaled_dual) const {
  const double primal = scaled_primal * value_scale();
  const double dual = scaled_dual * value_scale();
  return std::abs(primal - dual) / (least_unit() + std::abs(primal) + std::abs(dual));
}

double worst_of(double a, double b, double c) {
  const bool finite = std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
  return finite ? std::max({a, b, c}) : std::numeric_limits<double>::infinity();
}

void symmetrise(BlockMatrix& x) {
  for (DenseMatrix& block : x) {
    if (block.rows() != block.cols()) continue;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        block(i, j) = block(j, i) = 0.5 * (block(i, j) + block(j, i));
      }
    }
  }
}

double frobenius(const BlockMatrix& z) { return std::sqrt(inner_product(z, z)); }

double inner_product(const BlockMatrix& x, const BlockMatrix& z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t i = 0; i < x[k].rows(); ++i) sum += dot(x[k].row(i), z[k].row(i));
  }
  return sum;
}

void add_blocks(double alpha, const BlockMatrix& x, BlockMatrix& y) {
  for (std::size_t k = 0; k < x.size(); ++k) axpy(alpha, x[k].values(), y[k].values());
}

}  // namespace maxmargin

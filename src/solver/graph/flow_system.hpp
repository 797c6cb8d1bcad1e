// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linalg/cholesky.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/chain_m3n.hpp"
#include "solver/graph/flow_network.hpp"

namespace maxmargin {

/// A point of the interior-point method, or a direction: flows x and their multipliers z.
struct FlowPoint {
  std::vector<double> x = {};
  std::vector<double> z = {};
};

/// The linear algebra of docs/algorithms/m3n.md: all networks together, with the symbols A, F, l of
/// the page. Sequences that are empty or cost nothing take no part.
class FlowSystem {
 public:
  /// Requires a valid problem, which must outlive the system.
  explicit FlowSystem(const ChainM3n& problem);

  /// A sequence that takes part. Its edges have their places among those of all.
  struct Part {
    std::size_t sequence = 0;
    FlowNetwork network = {};
    std::size_t first_edge = 0;
    /// Of every local column, the place among all columns that occur.
    std::vector<std::size_t> places = {};
    /// Theta^1/2 of every edge, the factor of M, and G, one row a local column.
    std::vector<double> roots = {};
    Cholesky factor = {};
    DenseMatrix g = {};

    /// What belongs to the part's edges.
    template <class T>
    [[nodiscard]] std::span<T> of_edges(std::span<T> all) const {
      return all.subspan(first_edge, network.edges.size());
    }
    /// v - B M^-1 B'v in place: what is left has no sources and sinks.
    void project(std::span<double> v) const;
  };
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  /// Indices of w that occur, ascending.
  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
  /// What factor() needs.
  [[nodiscard]] std::size_t bytes() const;

  /// Step 1.
  [[nodiscard]] FlowPoint start() const;
  /// w = -F x.
  [[nodiscard]] std::vector<double> weights_of(std::span<const double> flows) const;
  /// l + F'w.
  [[nodiscard]] std::vector<double> lengths_of(std::span<const double> w) const;
  /// l'x.
  [[nodiscard]] double loss_of(std::span<const double> flows) const;

  /// Supplies sent on in the proportions of `flows`, which become feasible to rounding.
  void push(std::span<double> flows) const;

  /// Step 2; false when a matrix is not positive definite to rounding.
  [[nodiscard]] bool factor(const FlowPoint& point);
  /// The direction in which x z changes by `target`, and all lines are met. Requires factor() at
  /// the same point.
  [[nodiscard]] FlowPoint newton(const FlowPoint& point, std::span<const double> target) const;

 private:
  void number_columns();
  /// Theta, M and G of a part; adds to the lower triangle of S.
  [[nodiscard]] bool factor_part(const FlowPoint& point, Part& part, DenseMatrix& s);
  /// In place, all parts, twice: the second time removes what rounding left of the first.
  void project(std::span<double> v) const;

  const ChainM3n& problem_;
  ChainLayout layout_;
  std::vector<Part> parts_;
  std::vector<std::size_t> columns_;
  std::size_t edges_ = 0;
  Cholesky weights_factor_;
  /// What the line of z lacks, scaled and projected.
  std::vector<double> lack_;
};

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/cholesky.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/chain_m3n.hpp"
#include "solver/flow_network.hpp"

namespace maxmargin::detail {

/// A point of the interior-point method, or a direction: flows x, multipliers y of nodes and z of
/// flows, and those components of w that occur.
struct FlowPoint {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> z = {};
  std::vector<double> w = {};
};

/// The linear algebra of docs/algorithms/m3n.md: all networks together, with the symbols A, F, l, g
/// of the page. Sequences that are empty or cost nothing take no part.
class FlowSystem {
 public:
  /// Requires a valid problem, which must outlive the system.
  explicit FlowSystem(const ChainM3n& problem);

  /// A sequence that takes part. Its edges and nodes have their places among those of all.
  struct Part {
    std::size_t sequence = 0;
    FlowNetwork network = {};
    std::size_t first_edge = 0;
    std::size_t first_row = 0;
    /// Of every local column, the place among all columns that occur.
    std::vector<std::size_t> places = {};
    /// Factor of M, and Q' = (L^-1 A Theta F')', one row a local column.
    Cholesky factor = {};
    DenseMatrix q = {};

    /// What belongs to the part's edges, or nodes.
    template <class T>
    [[nodiscard]] std::span<T> of_edges(std::span<T> all) const {
      return all.subspan(first_edge, network.edges.size());
    }
    template <class T>
    [[nodiscard]] std::span<T> of_rows(std::span<T> all) const {
      return all.subspan(first_row, network.rows());
    }
  };
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  /// Indices of w that occur, ascending.
  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
  /// g, the costs times the features of the truth.
  [[nodiscard]] const std::vector<double>& truth() const noexcept { return truth_; }
  /// What factor() needs.
  [[nodiscard]] std::size_t bytes() const;

  /// Step 1.
  [[nodiscard]] FlowPoint start() const;
  /// g - F x.
  [[nodiscard]] std::vector<double> weights_of(std::span<const double> flows) const;
  /// l + F'w.
  [[nodiscard]] std::vector<double> lengths_of(std::span<const double> w) const;
  /// l'x.
  [[nodiscard]] double loss_of(std::span<const double> flows) const;

  /// Step 2; false when a matrix is not positive definite to rounding.
  [[nodiscard]] bool factor(const FlowPoint& point);
  /// The direction in which x z changes by `target`, and all lines are met. Requires factor() at
  /// the same point.
  [[nodiscard]] FlowPoint newton(const FlowPoint& point, std::span<const double> target) const;

 private:
  void number_columns();
  void add_truth(const Part& part);
  void add_features(std::span<const double> flows, double factor, std::span<double> total) const;

  const ChainM3n& problem_;
  ChainLayout layout_;
  std::vector<Part> parts_;
  std::vector<std::size_t> columns_;
  std::vector<double> truth_;
  std::size_t edges_ = 0;
  std::size_t rows_ = 0;
  Cholesky weights_factor_;
};

}  // namespace maxmargin::detail

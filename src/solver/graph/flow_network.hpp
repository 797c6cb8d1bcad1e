// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "problem/structural/chain_m3n.hpp"

namespace maxmargin {

/// The marginals of one sequence as flows: docs/algorithms/m3n.md. Edges come in the order of the
/// flow: all edges into a node before all edges out of it. Features are relative to those of the
/// true label or pair of the same position, which has none itself.
struct FlowNetwork {
  static constexpr std::size_t sink = std::numeric_limits<std::size_t>::max();

  struct Edge {
    std::size_t tail = 0;
    std::size_t head = sink;
    double loss = 0;
    /// Entries of its features.
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// `column` counts within `columns`.
  struct Entry {
    std::size_t column = 0;
    double value = 0;
  };

  std::vector<Edge> edges = {};
  std::vector<Entry> entries = {};
  /// Indices of w that occur, ascending.
  std::vector<std::size_t> columns = {};
  /// What enters at each node, and how many edges lie between it and the sources at most.
  std::vector<double> supplies = {};
  std::vector<std::size_t> depths = {};

  [[nodiscard]] std::size_t rows() const { return supplies.size(); }

  /// Supplies sent on in the proportions of `flows`, which become feasible to rounding.
  void push(std::span<double> flows) const;
  /// Supplies times the longest ways to the sink, by the length of edges.
  [[nodiscard]] double longest(std::span<const double> lengths) const;
};

/// The network of sequence i. Requires a valid problem, a length > 0 and a cost > 0.
[[nodiscard]] FlowNetwork flow_network(const ChainM3n& problem,
                                       const ChainLayout& layout,
                                       std::size_t i);

/// Bytes of the networks of all sequences that have a cost, while the last one is made, at most.
[[nodiscard]] std::size_t flow_network_bytes(const ChainM3n& problem, const ChainLayout& layout);

/// Flows that give every label and every pair of labels of a position the same weight.
[[nodiscard]] std::vector<double> equal_flows(std::size_t length, std::size_t labels, double cost);

/// Flows as marginals. They stand edge by edge: labels of the first position; then, for each
/// further one, pairs with the position before and labels.
[[nodiscard]] ChainMarginals marginals_of(std::span<const double> flows,
                                          std::size_t length,
                                          std::size_t labels);

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
#include "solver/graph/flow_network.hpp"

#include <algorithm>

#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

class Builder {
 public:
  Builder(const ChainM3n& problem, const ChainLayout& layout, std::size_t i)
      : problem_(problem),
        layout_(layout),
        sequence_(problem.data->inputs[i]),
        truth_(problem.data->labels[i]),
        cost_(problem.cost(i)) {}

  FlowNetwork build() {
    const std::size_t k = layout_.labels;
    const std::size_t length = truth_.size();
    // Nodes that labels come from and go to; the sink where nothing follows.
    std::vector<std::size_t> before(k, add_node(0, cost_));
    std::vector<std::size_t> after(k, FlowNetwork::sink);
    for (std::size_t t = 0; t < length; ++t) {
      if (t > 0) {
        std::vector<std::size_t> starts = after;
        if (!problem_.agreement) starts.assign(k, add_node(2 * t - 1, cost_));
        for (std::size_t& node : before) node = add_node(2 * t, 0);
        for (std::size_t u = 0; u < k; ++u) {
          for (std::size_t v = 0; v < k; ++v) add_pair(starts[u], before[v], t, u, v);
        }
      }
      if (problem_.agreement && t + 1 < length) {
        for (std::size_t& node : after) node = add_node(2 * t + 1, 0);
      } else {
        after.assign(k, FlowNetwork::sink);
      }
      for (std::size_t u = 0; u < k; ++u) add_label(before[u], after[u], t, u);
    }
    number_columns();
    return std::move(network_);
  }

 private:
  std::size_t add_node(std::size_t depth, double supply) {
    network_.supplies.push_back(supply);
    network_.depths.push_back(depth);
    return network_.rows() - 1;
  }
  void add_label(std::size_t tail, std::size_t head, std::size_t t, std::size_t u) {
    FlowNetwork::Edge edge{.tail = tail,
                           .head = head,
                           .loss = u != truth_[t] ? 1.0 : 0.0,
                           .begin = network_.entries.size()};
    if (u != truth_[t]) {
      add_features(t, u, 1);
      add_features(t, truth_[t], -1);
    }
    edge.end = network_.entries.size();
    network_.edges.push_back(edge);
  }
  void add_features(std::size_t t, std::size_t u, double factor) {
    for (std::size_t e = sequence_.begins[t]; e < sequence_.begins[t + 1]; ++e) {
      network_.entries.push_back(
          {layout_.node(sequence_.indices[e], u), factor * sequence_.value(e)});
    }
    if (layout_.ends && t == 0) network_.entries.push_back({layout_.begin(u), factor});
    if (layout_.ends && t + 1 == truth_.size()) {
      network_.entries.push_back({layout_.end(u), factor});
    }
  }
  /// Label u at t - 1 and v at t.
  void add_pair(std::size_t tail, std::size_t head, std::size_t t, std::size_t u, std::size_t v) {
    FlowNetwork::Edge edge{.tail = tail, .head = head, .begin = network_.entries.size()};
    if (u != truth_[t - 1] || v != truth_[t]) {
      network_.entries.push_back({layout_.transition(u, v), 1.0});
      network_.entries.push_back({layout_.transition(truth_[t - 1], truth_[t]), -1.0});
    }
    edge.end = network_.entries.size();
    network_.edges.push_back(edge);
  }
  /// Entries hold indices of w until now.
  void number_columns() {
    std::vector<std::size_t>& columns = network_.columns;
    for (const FlowNetwork::Entry& entry : network_.entries) columns.push_back(entry.column);
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (FlowNetwork::Entry& entry : network_.entries) {
      const auto place = std::ranges::lower_bound(columns, entry.column);
      entry.column = static_cast<std::size_t>(place - columns.begin());
    }
  }

  const ChainM3n& problem_;
  const ChainLayout& layout_;
  const Sequence& sequence_;
  const LabelSequence& truth_;
  double cost_;
  FlowNetwork network_;
};

}  // namespace

void FlowNetwork::push(std::span<double> flows) const {
  std::vector<double> amounts = supplies;
  std::vector<double> leaving(rows(), 0.0);
  std::vector<double> ways(rows(), 0.0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    leaving[edges[e].tail] += flows[e];
    ways[edges[e].tail] += 1;
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::size_t tail = edges[e].tail;
    const double share = leaving[tail] > 0 ? flows[e] / leaving[tail] : 1 / ways[tail];
    flows[e] = amounts[tail] * share;
    if (edges[e].head != sink) amounts[edges[e].head] += flows[e];
  }
}

double FlowNetwork::longest(std::span<const double> lengths) const {
  std::vector<double> ways(rows(), -std::numeric_limits<double>::infinity());
  for (std::size_t e = edges.size(); e-- > 0;) {
    const double rest = edges[e].head != sink ? ways[edges[e].head] : 0.0;
    ways[edges[e].tail] = std::max(ways[edges[e].tail], lengths[e] + rest);
  }
  double sum = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (supplies[row] > 0) sum += supplies[row] * ways[row];
  }
  return sum;
}

FlowNetwork flow_network(const ChainM3n& problem, const ChainLayout& layout, std::size_t i) {
  return Builder(problem, layout, i).build();
}

std::size_t flow_network_bytes(const ChainM3n& problem, const ChainLayout& layout) {
  const std::size_t k = layout.labels;
  // Its place among the columns and two nodes beside.
  constexpr std::size_t entry_bytes = sizeof(FlowNetwork::Entry) + sizeof(std::size_t);
  constexpr std::size_t label_bytes = sizeof(FlowNetwork::Edge) + 2 * 2 * sizeof(std::size_t);
  constexpr std::size_t pair_bytes = sizeof(FlowNetwork::Edge) + 2 * entry_bytes;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    if (!(problem.cost(i) > 0)) continue;
    const Sequence& sequence = problem.data->inputs[i];
    // Of every wrong label its own features and those of the right one, begin and end among them.
    const std::size_t label_entries = 2 * (sequence.indices.size() + 2);
    bytes = checked_add(bytes, checked_multiply(k * label_entries, entry_bytes));
    bytes = checked_add(bytes, checked_multiply(sequence.size() * k, label_bytes));
    bytes =
        checked_add(bytes, checked_multiply(checked_multiply(sequence.size(), k * k), pair_bytes));
  }
  return bytes;
}

std::vector<double> equal_flows(std::size_t length, std::size_t labels, double cost) {
  const auto k = static_cast<double>(labels);
  std::vector<double> flows(labels, cost / k);
  for (std::size_t t = 1; t < length; ++t) {
    flows.insert(flows.end(), labels * labels, cost / (k * k));
    flows.insert(flows.end(), labels, cost / k);
  }
  return flows;
}

ChainMarginals marginals_of(std::span<const double> flows, std::size_t length, std::size_t labels) {
  ChainMarginals marginals{.nodes = DenseMatrix(length, labels, 0.0),
                           .pairs = DenseMatrix((length - 1) * labels, labels, 0.0)};
  auto next = flows.begin();
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t u = 0; t > 0 && u < labels; ++u) {
      for (double& value : marginals.pairs.row((t - 1) * labels + u)) value = *next++;
    }
    for (double& value : marginals.nodes.row(t)) value = *next++;
  }
  return marginals;
}

}  // namespace maxmargin

// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/m3n.md, steps 1 to 3
#include "solver/flow_system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/blas.hpp"

namespace maxmargin::detail {

namespace {

using Part = FlowSystem::Part;
using Edge = FlowNetwork::Edge;
using Entry = FlowNetwork::Entry;

/// Calls visit(part, edge, its place among all edges).
template <class Visit>
void for_each_edge(const std::vector<Part>& parts, const Visit& visit) {
  for (const Part& part : parts) {
    for (std::size_t e = 0; e < part.network.edges.size(); ++e) {
      visit(part, part.network.edges[e], part.first_edge + e);
    }
  }
}

/// F'v for one edge.
double feature_sum(const Part& part, const Edge& edge, std::span<const double> v) {
  double sum = 0;
  for (std::size_t n = edge.begin; n < edge.end; ++n) {
    const Entry& entry = part.network.entries[n];
    sum += entry.value * v[part.places[entry.column]];
  }
  return sum;
}

/// A'v for one edge.
double change_along(const Part& part, const Edge& edge, std::span<const double> v) {
  const double head = edge.head != FlowNetwork::sink ? v[part.first_row + edge.head] : 0.0;
  return head - v[part.first_row + edge.tail];
}

/// Adds an edge to M = A Theta A' and to (A Theta F')'.
void add_edge(
    const FlowNetwork& network, const Edge& edge, double theta, DenseMatrix& m, DenseMatrix& q) {
  m(edge.tail, edge.tail) += theta;
  if (edge.head != FlowNetwork::sink) {
    m(edge.head, edge.head) += theta;
    m(edge.head, edge.tail) -= theta;
    m(edge.tail, edge.head) -= theta;
  }
  for (std::size_t n = edge.begin; n < edge.end; ++n) {
    const Entry& entry = network.entries[n];
    q(entry.column, edge.tail) -= theta * entry.value;
    if (edge.head != FlowNetwork::sink) q(entry.column, edge.head) += theta * entry.value;
  }
}

/// Empty when the matrix is not positive definite, or overflowed on the way.
std::optional<Cholesky> try_factor(const DenseMatrix& matrix) {
  const bool is_finite =
      std::ranges::all_of(matrix.values(), [](double x) { return std::isfinite(x); });
  return is_finite ? Cholesky::factor(matrix.view(), 0) : std::nullopt;
}

}  // namespace

FlowSystem::FlowSystem(const ChainM3n& problem) : problem_(problem), layout_(problem.layout()) {
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    if (problem.data->labels[i].empty() || !(problem.cost(i) > 0)) continue;
    Part part{.sequence = i,
              .network = flow_network(problem, layout_, i),
              .first_edge = edges_,
              .first_row = rows_};
    edges_ += part.network.edges.size();
    rows_ += part.network.rows();
    parts_.push_back(std::move(part));
  }
  number_columns();
  truth_.assign(columns_.size(), 0.0);
  for (const Part& part : parts_) add_truth(part);
}

void FlowSystem::number_columns() {
  for (const Part& part : parts_) {
    columns_.insert(columns_.end(), part.network.columns.begin(), part.network.columns.end());
  }
  std::ranges::sort(columns_);
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  for (Part& part : parts_) {
    for (const std::size_t column : part.network.columns) {
      const auto place = std::ranges::lower_bound(columns_, column);
      part.places.push_back(static_cast<std::size_t>(place - columns_.begin()));
    }
  }
}

void FlowSystem::add_truth(const Part& part) {
  const LabelSequence& labels = problem_.data->labels[part.sequence];
  const std::size_t k = layout_.labels;
  const double cost = problem_.cost(part.sequence);
  const auto take = [&](std::size_t edge) {
    const Edge& chosen = part.network.edges[edge];
    for (std::size_t n = chosen.begin; n < chosen.end; ++n) {
      const Entry& entry = part.network.entries[n];
      truth_[part.places[entry.column]] += cost * entry.value;
    }
  };
  take(labels[0]);
  for (std::size_t t = 1; t < labels.size(); ++t) {
    const std::size_t first = k + (t - 1) * (k * k + k);
    take(first + labels[t - 1] * k + labels[t]);
    take(first + k * k + labels[t]);
  }
}

std::size_t FlowSystem::bytes() const {
  std::size_t numbers = checked_multiply(columns_.size(), columns_.size());
  for (const Part& part : parts_) {
    const std::size_t rows = part.network.rows();
    numbers = checked_add(numbers, checked_multiply(rows, rows + part.places.size()));
  }
  // Matrices and factors stand side by side.
  return checked_multiply(2 * sizeof(double), numbers);
}

FlowPoint FlowSystem::start() const {
  FlowPoint point{.y = std::vector<double>(rows_), .z = std::vector<double>(edges_)};
  for (const Part& part : parts_) {
    const std::vector<double> flows = equal_flows(
        problem_.data->labels[part.sequence].size(), layout_.labels, problem_.cost(part.sequence));
    point.x.insert(point.x.end(), flows.begin(), flows.end());
  }
  point.w = weights_of(point.x);
  const std::vector<double> lengths = lengths_of(point.w);
  double largest = 0;
  for (const double length : lengths) largest = std::max(largest, std::abs(length));
  const double fall = 1 + 2 * largest;
  for (const Part& part : parts_) {
    const std::vector<std::size_t>& depths = part.network.depths;
    const std::size_t bottom = 1 + *std::ranges::max_element(depths);
    for (std::size_t row = 0; row < depths.size(); ++row) {
      point.y[part.first_row + row] = fall * static_cast<double>(bottom - depths[row]);
    }
  }
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    point.z[e] = -lengths[e] - change_along(part, edge, point.y);
  });
  return point;
}

void FlowSystem::add_features(std::span<const double> flows,
                              double factor,
                              std::span<double> total) const {
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    for (std::size_t n = edge.begin; n < edge.end; ++n) {
      const Entry& entry = part.network.entries[n];
      total[part.places[entry.column]] += factor * flows[e] * entry.value;
    }
  });
}

std::vector<double> FlowSystem::weights_of(std::span<const double> flows) const {
  std::vector<double> w = truth_;
  add_features(flows, -1, w);
  return w;
}

std::vector<double> FlowSystem::lengths_of(std::span<const double> w) const {
  std::vector<double> lengths(edges_);
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    lengths[e] = edge.loss + feature_sum(part, edge, w);
  });
  return lengths;
}

double FlowSystem::loss_of(std::span<const double> flows) const {
  double sum = 0;
  for_each_edge(parts_,
                [&](const Part&, const Edge& edge, std::size_t e) { sum += flows[e] * edge.loss; });
  return sum;
}

bool FlowSystem::factor(const FlowPoint& point) {
  DenseMatrix s(columns_.size(), columns_.size(), 0.0);
  for (std::size_t j = 0; j < columns_.size(); ++j) s(j, j) = 1;
  for (Part& part : parts_) {
    const FlowNetwork& network = part.network;
    DenseMatrix m(network.rows(), network.rows(), 0.0);
    part.q = DenseMatrix(part.places.size(), network.rows(), 0.0);
    for (std::size_t e = 0; e < network.edges.size(); ++e) {
      const Edge& edge = network.edges[e];
      const double theta = point.x[part.first_edge + e] / point.z[part.first_edge + e];
      add_edge(network, edge, theta, m, part.q);
      for (std::size_t a = edge.begin; a < edge.end; ++a) {
        for (std::size_t b = edge.begin; b < edge.end; ++b) {
          s(part.places[network.entries[a].column], part.places[network.entries[b].column]) +=
              theta * network.entries[a].value * network.entries[b].value;
        }
      }
    }
    std::optional<Cholesky> nodes = try_factor(m);
    if (!nodes) return false;
    part.factor = std::move(*nodes);
    for (std::size_t j = 0; j < part.q.rows(); ++j) part.factor.solve_lower(part.q.row(j));
    DenseMatrix product(part.q.rows(), part.q.rows(), 0.0);
    syrk_lower(Transpose::no, -1, part.q.view(), 0, product.view());
    for (std::size_t a = 0; a < product.rows(); ++a) {
      // Places ascend with the local columns: the lower triangle stays one.
      for (std::size_t b = 0; b <= a; ++b) s(part.places[a], part.places[b]) += product(a, b);
    }
  }
  std::optional<Cholesky> weights = try_factor(s);
  if (!weights) return false;
  weights_factor_ = std::move(*weights);
  return true;
}

FlowPoint FlowSystem::newton(const FlowPoint& point, std::span<const double> target) const {
  const std::vector<double>& x = point.x;
  const std::vector<double>& z = point.z;
  FlowPoint d{.x = std::vector<double>(edges_),
              .y = std::vector<double>(rows_),
              .z = std::vector<double>(edges_),
              .w = weights_of(x)};
  const std::vector<double> lengths = lengths_of(point.w);
  // d.z holds what the line of z lacks, d.x the flow that goes with it, d.y b - A (x + d.x).
  for (const Part& part : parts_) {
    for (std::size_t row = 0; row < part.network.rows(); ++row) {
      d.y[part.first_row + row] = -part.network.supplies[row];
    }
  }
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    d.z[e] = -lengths[e] - change_along(part, edge, point.y) - z[e];
    d.x[e] = (target[e] - x[e] * d.z[e]) / z[e];
    const double flow = x[e] + d.x[e];
    d.y[part.first_row + edge.tail] += flow;
    if (edge.head != FlowNetwork::sink) d.y[part.first_row + edge.head] -= flow;
  });
  axpy(-1, point.w, d.w);
  add_features(d.x, -1, d.w);
  for (const Part& part : parts_) {
    const std::span<double> rows = part.of_rows(std::span(d.y));
    part.factor.solve_lower(rows);
    for (std::size_t j = 0; j < part.places.size(); ++j) {
      d.w[part.places[j]] -= dot(part.q.row(j), rows);
    }
  }
  weights_factor_.solve(d.w);
  for (const Part& part : parts_) {
    const std::span<double> rows = part.of_rows(std::span(d.y));
    for (std::size_t j = 0; j < part.places.size(); ++j) {
      axpy(-d.w[part.places[j]], part.q.row(j), rows);
    }
    part.factor.solve_lower_transposed(rows);
  }
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    d.z[e] -= change_along(part, edge, d.y) + feature_sum(part, edge, d.w);
    d.x[e] = (target[e] - x[e] * d.z[e]) / z[e];
  });
  return d;
}

}  // namespace maxmargin::detail

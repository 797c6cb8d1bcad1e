// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/m3n.md, steps 1 to 3
#include "solver/graph/flow_system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linalg/blas.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

using Part = FlowSystem::Part;
using Edge = FlowNetwork::Edge;
using Entry = FlowNetwork::Entry;

/// Solutions for w with one factor: the first, and two that mend what S has lost by rounding.
constexpr int solutions = 3;

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
double change_along(const Edge& edge, std::span<const double> v) {
  return (edge.head != FlowNetwork::sink ? v[edge.head] : 0.0) - v[edge.tail];
}

/// Adds an amount that flows along an edge to A times the flows.
void add_flow(const Edge& edge, double amount, std::span<double> rows) {
  rows[edge.tail] -= amount;
  if (edge.head != FlowNetwork::sink) rows[edge.head] += amount;
}

/// Adds an edge to M = A Theta A'.
void add_edge(const Edge& edge, double theta, DenseMatrix& m) {
  m(edge.tail, edge.tail) += theta;
  if (edge.head == FlowNetwork::sink) return;
  m(edge.head, edge.head) += theta;
  m(edge.head, edge.tail) -= theta;
  m(edge.tail, edge.head) -= theta;
}

/// Empty when the matrix is not positive definite, or overflowed on the way.
std::optional<Cholesky> try_factor(const DenseMatrix& matrix) {
  const bool is_finite =
      std::ranges::all_of(matrix.values(), [](double x) { return std::isfinite(x); });
  return is_finite ? Cholesky::factor(matrix.view(), 0) : std::nullopt;
}

}  // namespace

void FlowSystem::Part::project(std::span<double> v) const {
  std::vector<double> rows(network.rows(), 0.0);
  for (std::size_t e = 0; e < v.size(); ++e) add_flow(network.edges[e], roots[e] * v[e], rows);
  factor.solve(rows);
  for (std::size_t e = 0; e < v.size(); ++e) {
    v[e] -= roots[e] * change_along(network.edges[e], rows);
  }
}

FlowSystem::FlowSystem(const ChainM3n& problem) : problem_(problem), layout_(problem.layout()) {
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    if (problem.data->labels[i].empty() || !(problem.cost(i) > 0)) continue;
    Part part{.sequence = i, .network = flow_network(problem, layout_, i), .first_edge = edges_};
    edges_ += part.network.edges.size();
    parts_.push_back(std::move(part));
  }
  number_columns();
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

std::size_t FlowSystem::bytes() const {
  std::size_t numbers = checked_multiply(columns_.size(), columns_.size());
  for (const Part& part : parts_) {
    const std::size_t rows = part.network.rows();
    numbers = checked_add(numbers, checked_multiply(rows, rows));
    numbers = checked_add(numbers, checked_multiply(part.places.size(), part.network.edges.size()));
  }
  // Matrices and factors stand side by side.
  return checked_multiply(2 * sizeof(double), numbers);
}

FlowPoint FlowSystem::start() const {
  FlowPoint point{.z = std::vector<double>(edges_)};
  for (const Part& part : parts_) {
    const std::vector<double> flows = equal_flows(
        problem_.data->labels[part.sequence].size(), layout_.labels, problem_.cost(part.sequence));
    point.x.insert(point.x.end(), flows.begin(), flows.end());
  }
  const std::vector<double> lengths = lengths_of(weights_of(point.x));
  double largest = 0;
  for (const double length : lengths) largest = std::max(largest, std::abs(length));
  const double fall = 1 + 2 * largest;
  for (const Part& part : parts_) {
    const std::vector<std::size_t>& depths = part.network.depths;
    const std::size_t bottom = 1 + *std::ranges::max_element(depths);
    std::vector<double> y;
    for (const std::size_t depth : depths) y.push_back(fall * static_cast<double>(bottom - depth));
    for (std::size_t e = 0; e < part.network.edges.size(); ++e) {
      point.z[part.first_edge + e] =
          -lengths[part.first_edge + e] - change_along(part.network.edges[e], y);
    }
  }
  return point;
}

std::vector<double> FlowSystem::weights_of(std::span<const double> flows) const {
  std::vector<double> w(columns_.size(), 0.0);
  for_each_edge(parts_, [&](const Part& part, const Edge& edge, std::size_t e) {
    for (std::size_t n = edge.begin; n < edge.end; ++n) {
      const Entry& entry = part.network.entries[n];
      w[part.places[entry.column]] -= flows[e] * entry.value;
    }
  });
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

void FlowSystem::push(std::span<double> flows) const {
  for (const Part& part : parts_) part.network.push(part.of_edges(flows));
}

void FlowSystem::project(std::span<double> v) const {
  for (const Part& part : parts_) {
    part.project(part.of_edges(v));
    part.project(part.of_edges(v));
  }
}

bool FlowSystem::factor(const FlowPoint& point) {
  DenseMatrix s(columns_.size(), columns_.size(), 0.0);
  for (std::size_t j = 0; j < columns_.size(); ++j) s(j, j) = 1;
  for (Part& part : parts_) {
    if (!factor_part(point, part, s)) return false;
  }
  std::optional<Cholesky> weights = try_factor(s);
  if (!weights) return false;
  weights_factor_ = std::move(*weights);
  lack_ = lengths_of(weights_of(point.x));
  for_each_edge(parts_, [&](const Part& part, const Edge&, std::size_t e) {
    lack_[e] = part.roots[e - part.first_edge] * (lack_[e] + point.z[e]);
  });
  project(lack_);
  return true;
}

bool FlowSystem::factor_part(const FlowPoint& point, Part& part, DenseMatrix& s) {
  const FlowNetwork& network = part.network;
  DenseMatrix m(network.rows(), network.rows(), 0.0);
  part.roots.resize(network.edges.size());
  part.g = DenseMatrix(part.places.size(), network.edges.size(), 0.0);
  for (std::size_t e = 0; e < network.edges.size(); ++e) {
    const Edge& edge = network.edges[e];
    const double theta = point.x[part.first_edge + e] / point.z[part.first_edge + e];
    part.roots[e] = std::sqrt(theta);
    add_edge(edge, theta, m);
    for (std::size_t n = edge.begin; n < edge.end; ++n) {
      part.g(network.entries[n].column, e) += part.roots[e] * network.entries[n].value;
    }
  }
  std::optional<Cholesky> nodes = try_factor(m);
  if (!nodes) return false;
  part.factor = std::move(*nodes);
  for (std::size_t j = 0; j < part.g.rows(); ++j) {
    part.project(part.g.row(j));
    part.project(part.g.row(j));
  }
  DenseMatrix product(part.g.rows(), part.g.rows(), 0.0);
  syrk_lower(Transpose::no, 1, part.g.view(), 0, product.view());
  for (std::size_t a = 0; a < product.rows(); ++a) {
    // Places ascend with the local columns: the lower triangle stays one.
    for (std::size_t b = 0; b <= a; ++b) s(part.places[a], part.places[b]) += product(a, b);
  }
  return true;
}

FlowPoint FlowSystem::newton(const FlowPoint& point, std::span<const double> target) const {
  const std::vector<double>& x = point.x;
  const std::vector<double>& z = point.z;
  FlowPoint d{.x = std::vector<double>(edges_), .z = std::vector<double>(edges_)};
  for (std::size_t e = 0; e < edges_; ++e) d.x[e] = target[e] / std::sqrt(x[e] * z[e]);
  project(d.x);
  axpy(1, lack_, d.x);
  std::vector<double> w(columns_.size(), 0.0);
  for (int k = 0; k < solutions; ++k) {
    std::vector<double> change = w;
    for (const Part& part : parts_) {
      const std::span<const double> r = part.of_edges(std::span<const double>(d.x));
      for (std::size_t j = 0; j < part.places.size(); ++j) {
        change[part.places[j]] += dot(part.g.row(j), r);
      }
    }
    weights_factor_.solve(change);
    axpy(-1, change, w);
    for (const Part& part : parts_) {
      const std::span<double> r = part.of_edges(std::span(d.x));
      for (std::size_t j = 0; j < part.places.size(); ++j) {
        axpy(-change[part.places[j]], part.g.row(j), r);
      }
      // What G has of sources and sinks by rounding is large beside r.
      part.project(r);
    }
  }
  for_each_edge(parts_, [&](const Part& part, const Edge&, std::size_t e) {
    d.x[e] *= part.roots[e - part.first_edge];
    d.z[e] = (target[e] - z[e] * d.x[e]) / x[e];
  });
  return d;
}

}  // namespace maxmargin

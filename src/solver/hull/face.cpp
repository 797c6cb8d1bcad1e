// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hard-margin.md, step 3
#include "solver/hull/face.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace maxmargin {

namespace {

using Number = AffineFace::Number;
using Vector = AffineFace::Vector;

/// What is left of an edge, in relation to it, below which it lies in the span of the others.
/// Points on one side of a narrow margin differ from a plane by the rounding of their coordinates
/// alone, 1e-16, and that decides which face is the nearest.
constexpr Number dependent = 64 * std::numeric_limits<Number>::epsilon();

Number product(const Vector& a, const Vector& b) {
  Number sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// Takes from `vector` what lies in the span of the basis, and returns how much of each. Twice is
/// enough: the second time takes what rounding left.
Vector project_out(const std::vector<Vector>& basis, Vector& vector) {
  Vector parts(basis.size(), 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < basis.size(); ++k) {
      const Number part = product(basis[k], vector);
      parts[k] += part;
      for (std::size_t j = 0; j < vector.size(); ++j) vector[j] -= part * basis[k][j];
    }
  }
  return parts;
}

}  // namespace

bool AffineFace::add(Vector point) {
  points_.push_back(std::move(point));
  if (points_.size() == 1 || append_edge(points_.size() - 1, true)) return true;
  points_.pop_back();
  return false;
}

bool AffineFace::append_edge(std::size_t k, bool if_independent) {
  Vector edge = points_[k];
  for (std::size_t j = 0; j < edge.size(); ++j) edge[j] -= points_.front()[j];
  const Number length = std::sqrt(product(edge, edge));
  Vector parts = project_out(basis_, edge);
  Number rest = std::sqrt(product(edge, edge));
  if (if_independent && !(rest > dependent * length)) return false;
  if (rest == 0) rest = 1;
  for (Number& x : edge) x /= rest;
  parts.push_back(rest);
  basis_.push_back(std::move(edge));
  edges_.push_back(std::move(parts));
  return true;
}

void AffineFace::remove(std::size_t k) {
  points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(k));
  // The edges before the one that went are still there, unless all began at it.
  const std::size_t kept = k == 0 ? 0 : k - 1;
  basis_.resize(kept);
  edges_.resize(kept);
  for (std::size_t i = kept + 1; i < points_.size(); ++i) (void)append_edge(i, false);
}

AffineFace::Nearest AffineFace::nearest() const {
  Nearest result{.weights = Vector(points_.size(), 0), .point = points_.front()};
  // p_0 + sum_k c_k e_k = p_0 - its projection: R c = - Q'p_0.
  Vector parts = project_out(basis_, result.point);
  Number sum = 0;
  for (std::size_t k = basis_.size(); k-- > 0;) {
    Number right = -parts[k];
    for (std::size_t l = k + 1; l < basis_.size(); ++l) {
      right -= edges_[l][k] * result.weights[l + 1];
    }
    result.weights[k + 1] = right / edges_[k][k];
    sum += result.weights[k + 1];
  }
  result.weights.front() = 1 - sum;
  return result;
}

}  // namespace maxmargin

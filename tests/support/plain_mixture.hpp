// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "core/weights.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/data/dataset.hpp"

/// Gaussian mixtures by the formulas of the textbook, for tests.
namespace maxmargin {

/// The covariance of component j as a full matrix.
inline DenseMatrix covariance_of(const MixtureModel& model, std::size_t j) {
  const std::size_t d = model.means.cols();
  DenseMatrix full(d, d);
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) {
      switch (model.covariance) {
        case Covariance::spherical:
          full(a, b) = a == b ? model.covariances(j, 0) : 0;
          break;
        case Covariance::diagonal:
          full(a, b) = a == b ? model.covariances(j, a) : 0;
          break;
        case Covariance::full:
          full(a, b) = model.covariances(j * d + a, b);
          break;
        case Covariance::tied:
          full(a, b) = model.covariances(a, b);
          break;
      }
    }
  }
  return full;
}

/// Density of component j at x through the eigenvectors of its covariance.
inline double plain_density(const MixtureModel& model, std::size_t j, std::span<const double> x) {
  const EigenPairs pairs = eigen_symmetric(covariance_of(model, j).view());
  double exponent = 0;
  double determinant = 1;
  for (std::size_t t = 0; t < x.size(); ++t) {
    double along = 0;
    for (std::size_t f = 0; f < x.size(); ++f) {
      along += pairs.vectors(t, f) * (x[f] - model.means(j, f));
    }
    exponent += along * along / pairs.values[t];
    determinant *= 2 * std::numbers::pi * pairs.values[t];
  }
  return std::exp(-exponent / 2) / std::sqrt(determinant);
}

inline double plain_log_likelihood(const MixtureModel& model, const Dataset& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    double density = 0;
    for (std::size_t j = 0; j < model.components(); ++j) {
      density += model.weights[j] * plain_density(model, j, data.examples.dense().row(i));
    }
    sum += weight_of(data.weights, i) * std::log(density);
  }
  return sum;
}

/// One step of the textbook: posteriors, then weights, means and full covariances.
inline MixtureModel plain_step(const MixtureModel& model, const Dataset& data) {
  const std::size_t k = model.components();
  const std::size_t d = model.means.cols();
  const DenseMatrix points = data.examples.to_dense();
  MixtureModel next = model;
  double total = 0;
  DenseMatrix posteriors(data.size(), k);
  for (std::size_t i = 0; i < data.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      posteriors(i, j) = model.weights[j] * plain_density(model, j, points.row(i));
      sum += posteriors(i, j);
    }
    for (double& r : posteriors.row(i)) r *= weight_of(data.weights, i) / sum;
    total += weight_of(data.weights, i);
  }
  DenseMatrix pooled(d, d);
  for (std::size_t j = 0; j < k; ++j) {
    double mass = 0;
    std::vector<double> mean(d, 0.0);
    for (std::size_t i = 0; i < data.size(); ++i) {
      mass += posteriors(i, j);
      for (std::size_t f = 0; f < d; ++f) mean[f] += posteriors(i, j) * points(i, f);
    }
    for (double& x : mean) x /= mass;
    DenseMatrix scatter(d, d);
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) {
          scatter(a, b) += posteriors(i, j) * (points(i, a) - mean[a]) * (points(i, b) - mean[b]);
        }
      }
    }
    next.weights[j] = mass / total;
    std::ranges::copy(mean, next.means.row(j).begin());
    double trace = 0;
    for (std::size_t a = 0; a < d; ++a) {
      trace += scatter(a, a) / mass / static_cast<double>(d);
      for (std::size_t b = 0; b < d; ++b) {
        pooled(a, b) += scatter(a, b) / total;
        if (model.covariance == Covariance::full) {
          next.covariances(j * d + a, b) = scatter(a, b) / mass;
        }
      }
      if (model.covariance == Covariance::diagonal) next.covariances(j, a) = scatter(a, a) / mass;
    }
    if (model.covariance == Covariance::spherical) next.covariances(j, 0) = trace;
  }
  if (model.covariance == Covariance::tied) next.covariances = pooled;
  return next;
}

}  // namespace maxmargin

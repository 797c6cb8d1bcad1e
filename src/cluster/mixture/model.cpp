// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "cluster/mixture/density.hpp"
#include "cluster/mixture/step.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

namespace {

using mixture::Densities;

std::size_t covariance_rows(Covariance covariance, std::size_t k, std::size_t d) {
  if (covariance == Covariance::full) return k * d;
  return covariance == Covariance::tied ? d : k;
}

}  // namespace

std::size_t MixtureModel::parameters() const {
  const std::size_t k = components();
  const std::size_t d = means.cols();
  const std::size_t triangle = d * (d + 1) / 2;
  std::size_t of_covariances = 0;
  switch (covariance) {
    case Covariance::spherical:
      of_covariances = k;
      break;
    case Covariance::diagonal:
      of_covariances = k * d;
      break;
    case Covariance::full:
      of_covariances = k * triangle;
      break;
    case Covariance::tied:
      of_covariances = triangle;
      break;
  }
  return k - 1 + k * d + of_covariances;
}

void MixtureModel::describe(OptionVisitor& visit) {
  visit.check([this] {
    const std::size_t k = components();
    const std::size_t d = means.cols();
    require(k > 0 && d > 0, "there must be a component and a feature");
    require(weights.size() == k, "there must be one weight a component");
    const std::size_t cols = covariance == Covariance::spherical ? 1 : d;
    require(covariances.rows() == covariance_rows(covariance, k, d) && covariances.cols() == cols,
            "the covariances do not have the shape of their kind");
    double sum = 0;
    for (const double weight : weights) {
      require_field(weight >= 0 && std::isfinite(weight), "a weight", weight, ">= 0");
      sum += weight;
    }
    require_field(std::abs(sum - 1) <= 1e-9, "the sum of the weights", sum, "1");
    require_finite("the means of the mixture", PointRows(means.view()), 1);
    require_finite("the covariances of the mixture", PointRows(covariances.view()), 1);
    require(Densities::of(*this).has_value(), "the covariances must be positive definite");
  });
}

MixtureAnswer MixtureModel::answer(const Examples& examples,
                                   std::optional<std::size_t> threads) const {
  maxmargin::validate(*this);
  const std::size_t d = means.cols();
  require(!examples.is_dense() || examples.cols() == d,
          "the examples have " + std::to_string(examples.cols()) + " features, the mixture " +
              std::to_string(d));
  require_finite("the data", examples.points(), thread_count(threads));
  // Around the mixture's own mean: products with whitening matrices cost digits far from 0.
  std::vector<double> centre(d, 0.0);
  for (std::size_t j = 0; j < components(); ++j) axpy(weights[j], means.row(j), centre);
  MixtureModel around = *this;
  for (std::size_t j = 0; j < components(); ++j) axpy(-1.0, centre, around.means.row(j));
  const std::optional<Densities> densities = Densities::of(around);
  const std::size_t n = examples.rows();
  MixtureAnswer answer{.labels = std::vector<std::int32_t>(n),
                       .probabilities = DenseMatrix(n, components()),
                       .log_densities = std::vector<double>(n)};
  parallel_chunks(thread_count(threads),
                  n,
                  mixture::block_columns,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    mixture::Workspace work(d, components());
                    DenseMatrix block(d, end - begin);
                    for (std::size_t f = 0; f < d; ++f) std::ranges::fill(block.row(f), -centre[f]);
                    for (std::size_t i = begin; i < end; ++i) {
                      examples.row(i).for_each([&](std::size_t f, double x) {
                        if (f < d) block(f, i - begin) = x - centre[f];
                      });
                    }
                    densities->posteriors(block.view(), work);
                    mixture::most_likely_of_block(
                        work, std::span(answer.labels).subspan(begin, end - begin));
                    for (std::size_t i = begin; i < end; ++i) {
                      answer.log_densities[i] = work.log_densities[i - begin];
                      for (std::size_t j = 0; j < components(); ++j) {
                        answer.probabilities(i, j) = work.posteriors(j, i - begin);
                      }
                    }
                  });
  for (std::size_t i = 0; i < n; ++i) {
    require(
        std::isfinite(answer.log_densities[i]),
        "example " + std::to_string(i) + " is so far from all components that squares overflow");
  }
  return answer;
}

}  // namespace maxmargin
